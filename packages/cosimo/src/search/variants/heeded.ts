/**
 * Whether a plan does with its inputs what a variant decides: masters do what they can, so a
 * decision that one of them cannot follow would be run, and reported, as something that it is not.
 */
import { iterates } from "../../model/masters.ts";
import type { Scenario } from "../../model/scenario.ts";
import type { Compiled } from "../../plan/compile.ts";
import { isContinuous, wireOf } from "./hint-rules.ts";
import type { Reasoned } from "./space.ts";

/** The first decision about an input that is not followed, and why not. */
export function unheededText(
  scenario: Scenario,
  { plan, inputs }: Pick<Compiled, "plan" | "inputs">,
  decided: readonly Reasoned[],
): string | undefined {
  const isIterated = plan.coupling !== undefined && iterates(plan.coupling.settings);
  const wires = new Map(
    scenario.connections.map((connection, c) => {
      const { from, to } = wireOf(scenario, connection);
      return [`${from} -> ${to}`, { connection, approximation: inputs[c]?.approximation }];
    }),
  );
  for (const { decision } of decided) {
    if (decision.kind !== "input") continue;
    const { from, to, inputKind, approximation } = decision;
    const found = wires.get(`${from} -> ${to}`);
    if (found === undefined || !isContinuous(scenario, found.connection)) continue;
    if (isIterated) {
      if (inputKind === "delayed")
        return `'${to}' is delayed, and '${plan.master}' gives it the end of the step`;
    } else if (inputKind === "reactive") {
      if (found.approximation !== "interpolation")
        return `'${to}' cannot be interpolated: under '${plan.master}' its source has not always taken the step before`;
    } else if (approximation !== undefined && found.approximation !== approximation)
      return `'${to}' cannot be extrapolated`;
  }
  return undefined;
}
