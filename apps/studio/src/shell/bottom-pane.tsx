/**
 * Below: plots, findings, messages of the run, what the plan does and why, stability.
 */
import { type KeyboardEvent, useRef } from "react";
import { Store, useStore } from "../base/store.ts";
import type { Finding } from "../document/text-document.ts";
import { PlotsPane } from "../plots/plots-pane.tsx";
import { Console } from "../run/console.tsx";
import { type BottomTab, bottomTab, opened } from "../session.ts";
import { ExplanationPane } from "./explanation-pane.tsx";
import { Problems } from "./problems.tsx";
import { StabilityPane } from "./stability-pane.tsx";

const TABS: readonly { readonly id: BottomTab; readonly title: string }[] = [
  { id: "plots", title: "Plots" },
  { id: "problems", title: "Problems" },
  { id: "console", title: "Console" },
  { id: "explanation", title: "Explanation" },
  { id: "stability", title: "Stability" },
];

const NONE = new Store<readonly Finding[]>([]);

export function BottomPane() {
  const tab = useStore(bottomTab);
  const now = useStore(opened);
  const document = "document" in now ? now.document : undefined;
  const findings = useStore(document?.findings ?? NONE);
  const list = useRef<HTMLDivElement>(null);
  const errors = findings.filter(({ severity }) => severity !== "note").length;
  const press = ({ key }: KeyboardEvent): void => {
    const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const at = TABS.findIndex(({ id }) => id === tab);
    const next = (at + by + TABS.length) % TABS.length;
    bottomTab.set(TABS[next]?.id ?? "plots");
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <section className="bottom" aria-label="results and findings">
      <div
        className="tabs"
        role="tablist"
        aria-label="results and findings"
        ref={list}
        onKeyDown={press}
      >
        {TABS.map(({ id, title }) => (
          <button
            key={id}
            id={`tab-${id}`}
            type="button"
            role="tab"
            aria-selected={tab === id}
            aria-controls="bottom-panel"
            tabIndex={tab === id ? 0 : -1}
            onClick={() => bottomTab.set(id)}
          >
            {/* As wide as when it is chosen, so that its neighbours stay where they are. */}
            <span className="title" data-title={title}>
              {title}
            </span>
            {id === "problems" && errors > 0 && <span className="count">{errors}</span>}
          </button>
        ))}
      </div>
      <div className="panel" id="bottom-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === "plots" && <PlotsPane />}
        {tab === "problems" &&
          (document ? <Problems document={document} /> : <p className="muted">Nothing is open.</p>)}
        {tab === "console" && <Console />}
        {tab === "explanation" && <ExplanationPane />}
        {tab === "stability" && <StabilityPane />}
      </div>
    </section>
  );
}
