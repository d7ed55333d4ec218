/** Opens sources in a process that a run has started for units, which starts no further one. */
import { openNestedUnit } from "../../engine/open-nested.ts";
import { type OpenUnit, openUnits } from "../../run/open-units.ts";
import type { OpenContext } from "./source.ts";
import type { SourceTree } from "./tree.ts";

/** Scenarios inside are opened in the same process. */
export function openContext(
  tree: SourceTree,
  options: Pick<OpenContext, "folder" | "native">,
): OpenContext {
  const context: OpenContext = {
    ...options,
    openScenario: (inner, description, { name, start, place }, step) =>
      openNestedUnit(name, { scenario: inner, description, place }, { step, start }, (one, its) =>
        openUnits(one, its, open, { prefix: `${name}.` }),
      ),
  };
  const open: OpenUnit = (unit, its) => tree.sourceOf(unit.source).open(its, context);
  return context;
}
