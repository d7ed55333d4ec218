/**
 * A plan as text, op by op, with names instead of numbers: what an expert reads before trusting a
 * run.
 */
import type { Scenario } from "../model/scenario.ts";
import { loopText } from "./loop-path.ts";
import { type InitialItem, OP_WIDTH, type Plan, timeOf } from "./plan.ts";
import { planHash } from "./plan-hash.ts";
import { printCoupling } from "./print-plan-coupling.ts";
import { printOps } from "./print-plan-ops.ts";
import { SlotNames, slotRange } from "./print-plan-slots.ts";

/** Lines end with a newline each. */
export function printPlan(plan: Plan, scenario: Scenario): string {
  const names = new SlotNames(plan, scenario);
  const { start, resolve, inputs, step } = plan.segments;
  const sections = [
    [
      `plan '${plan.name}' ${planHash(plan)}`,
      `${plan.master} from ${timeOf(plan, 0)} s in ticks of ${plan.step} s`,
    ],
    [
      "units",
      ...plan.units.map(({ name, ticks }) => `  ${name}: ${rhythm(ticks)}, ${ticks * plan.step} s`),
    ],
    signals(plan, names),
    tracks(plan, names),
    loops(plan),
    record(plan, names),
    ...initialization(plan.segments.initial, plan, names),
    ["start (after initialization, at tick 0)", ...printOps(start, plan, names)],
    [
      plan.coupling === undefined ? "step (every tick)" : "step (the explicit pattern)",
      ...printOps(step, plan, names),
    ],
    ...(plan.coupling === undefined ? [] : printCoupling(plan, plan.coupling, names)),
    // Only nested scenarios execute these; they repeat parts of the step.
    [
      `resolve, when inputs of a nested scenario changed: ops ${resolve.length / OP_WIDTH}`,
      `inputs, before its next step: ops ${inputs.length / OP_WIDTH}`,
    ],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function rhythm(ticks: number): string {
  return ticks === 1 ? "every tick" : `every ${ticks} ticks`;
}

function signals(plan: Plan, names: SlotNames): string[] {
  const { f64, i64, obj } = plan.sizes;
  return [
    `signals: ${f64} numbers, ${i64} integers of 64 bits, ${obj} texts`,
    ...names.table().map(({ slots, name }) => `  ${slots.padEnd(10)}${name}`),
  ];
}

function tracks(plan: Plan, names: SlotNames): string[] {
  if (plan.tracks.length === 0) return [];
  return [
    "tracks (inputs that vary within a step)",
    ...plan.tracks.map(
      (track, t) =>
        `  t${t}  ${names.element(track.unit, track.port, track.element)}: ${track.approximation}, ` +
        `sampled ${rhythm(track.sampleTicks)} from ${slotRange("f64", track.signal, 1)}`,
    ),
  ];
}

function loops(plan: Plan): string[] {
  return plan.loops.flatMap((loop, i) => [
    `loop ${i}: ${loopText(loop.path, loop.ports)}`,
    `  unknowns ${loop.unknowns.map((slot) => slotRange("f64", slot, 1)).join(" ")}, solved at initialization`,
    `  broken while stepping at ${loop.delayed.join(", ")}`,
  ]);
}

function record({ record: { columns, every } }: Plan, names: SlotNames): string[] {
  if (columns.length === 0) return ["record: nothing"];
  const list = columns.map(
    ({ unit, port, element, name }) => name ?? names.element(unit, port, element),
  );
  return [`record ${rhythm(every)}: ${list.join(", ")}`];
}

function initialization(items: readonly InitialItem[], plan: Plan, names: SlotNames): string[][] {
  if (items.length === 0) return [];
  return [
    [
      "initialization",
      ...items.flatMap((item) =>
        item.kind === "ops"
          ? printOps(item.ops, plan, names)
          : [
              `      solve loop ${item.loop} by sweeps of`,
              ...printOps(plan.loops[item.loop].sweep, plan, names, 1),
            ],
      ),
    ],
  ];
}
