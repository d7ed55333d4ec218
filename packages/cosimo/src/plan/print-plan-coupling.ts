/**
 * The part of a plan for masters that decide at run time, as text.
 */
import type { CouplingPlan } from "./coupling-plan.ts";
import type { Plan } from "./plan.ts";
import { printOps } from "./print-plan-ops.ts";
import { type SlotNames, slotRange } from "./print-plan-slots.ts";

const TRAJECTORIES = ["held", "linear", "quadratic"] as const;

/** Sections of lines, the first line of each its title. */
export function printCoupling(plan: Plan, coupling: CouplingPlan, names: SlotNames): string[][] {
  const unitNames = (units: readonly number[]): string =>
    units.map((u) => plan.units[u].name).join(", ");
  const ops = (title: string, list: Int32Array): string[] =>
    list.length === 0 ? [] : [title, ...printOps(list, plan, names, 1)];
  return [
    [
      "inputs whose trajectory the master chooses",
      ...coupling.inputs.map(
        ({ name, order, source, signal, value }, i) =>
          `  u${i}  ${name}: ${TRAJECTORIES[order]}, ${slotRange("f64", signal, 1)} becomes ${slotRange("f64", value, 1)}, ` +
          (source < 0 ? "from a constraint" : `from ${plan.units[source].name}`),
      ),
    ],
    [
      "groups of units, in this order",
      ...coupling.components.map(
        ({ units, cyclic }) => `  ${unitNames(units)}${cyclic ? ": a loop" : ""}`,
      ),
    ],
    ...coupling.stages.map((stage, u) => [
      `unit ${plan.units[u].name}${stage.parts > 1 ? `, in ${stage.parts} parts per step` : ""}`,
      ...ops("  held over a step", stage.writeHeld),
      ...ops("  at the start of a piece", stage.writeCoupled),
      ...ops("  at its end", stage.writeValues),
      ...ops("  given to others", stage.collect),
    ]),
    lines(
      "constraints",
      coupling.constraints.map(({ text, rate }) => `${text}${rate ? ", and their rates" : ""}`),
    ),
    lines(
      "bonds",
      coupling.bonds.map(({ name, preserve }) => `${name}, preserves ${preserve}`),
    ),
    lines(
      "crossings",
      coupling.crossings.map(({ text, tolerance }) => `${text}, within ${tolerance}`),
    ),
    lines("policies, cheapest first", printPolicies(plan, coupling.policies)),
    ops("watched after every step", coupling.watch),
  ].filter((section) => section.length > 0);
}

function printPolicies(plan: Plan, chosen: CouplingPlan["policies"]): string[] {
  if (chosen === undefined) return [];
  const { policies, guard } = chosen;
  const written = policies.map(({ name, step, coupling, writes }) => {
    const units = writes.map(
      ({ unit, ports, values }) =>
        `${plan.units[unit].name} port ${ports.join(", ")} becomes ${values.join(", ")}`,
    );
    return [`${name}: ${step} s, ${coupling}`, ...units].join("; ");
  });
  if (guard === undefined) return written;
  const { length } = policies;
  const allowed = Array.from({ length: guard.nodes }, (_, node) => {
    const ways = policies.flatMap(({ name }, p) => {
      const next = guard.next[node * length + p];
      return next < 0 ? [] : [`${name} to ${next + 1}`];
    });
    return `guard ${node + 1}${node === guard.start ? ", where a run begins" : ""}: ${ways.join(", ")}`;
  });
  return [...written, ...allowed];
}

function lines(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [title, ...items.map((item) => `  ${item}`)];
}
