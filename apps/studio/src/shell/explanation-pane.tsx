/**
 * What a careful colleague would say of the scenario, and the plan that will be executed: as
 * `cosimo check --plan` prints them.
 */

import type { Described } from "@cosimo/serve/protocol.ts";
import { useState } from "react";
import { Store, useStore } from "../base/store.ts";
import { opened } from "../session.ts";

const NONE = new Store<Described | undefined>(undefined);

export function ExplanationPane() {
  const now = useStore(opened);
  const described = useStore(now.kind === "scenario" ? now.document.described : NONE);
  const [isPlan, setPlan] = useState(false);
  const text = isPlan ? described?.plan?.text : described?.explanationText;
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
      <pre tabIndex={0}>{text ?? "A scenario without errors is explained here."}</pre>
    </div>
  );
}
