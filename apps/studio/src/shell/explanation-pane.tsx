/**
 * What a careful colleague would say of the scenario, and the plan that will be executed: as
 * `cosimo check --plan` prints them. Asked for while it is looked at.
 */
import type { Described } from "@cosimo/serve/protocol.ts";
import { useEffect, useState } from "react";
import { api } from "../api/client.ts";
import { Store, useStore } from "../base/store.ts";
import { attempt, opened } from "../session.ts";

const NONE = new Store<Described | undefined>(undefined);
/** While a person types, the texts are those of a moment ago. */
const DELAY_MS = 300;

export function ExplanationPane() {
  const now = useStore(opened);
  const document = now.kind === "scenario" ? now.document : undefined;
  const described = useStore(document?.described ?? NONE);
  const [isPlan, setPlan] = useState(false);
  const [explained, setExplained] = useState<Described>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is described follows from the text
  useEffect(() => {
    if (document === undefined) return setExplained(undefined);
    let isOld = false;
    const ask = async (): Promise<void> => {
      const answer = await api.describe(document.request({}));
      if (!isOld) setExplained(answer);
    };
    const timer = setTimeout(() => void attempt(ask), explained === undefined ? 0 : DELAY_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [document, described]);
  const text = isPlan ? explained?.plan?.text : explained?.explanationText;
  return (
    <div className="explanation">
      <label>
        <input
          type="checkbox"
          checked={isPlan}
          onChange={({ target }) => setPlan(target.checked)}
        />{" "}
        the plan, operation by operation
      </label>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        {document !== undefined && explained === undefined
          ? "…"
          : (text ?? "A scenario without errors is explained here.")}
      </pre>
    </div>
  );
}
