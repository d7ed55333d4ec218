/**
 * What a unit can and cannot do in a co-simulation, in sentences: the consequence for the person,
 * then the fact.
 */

import type { UnitDescription } from "../../model/unit-description.ts";
import { unitKind } from "../../model/unit-kind.ts";

/** `internalStep`: the step of a solver that cannot take any other, where the unit says so. */
export function abilities(unit: UnitDescription, internalStep?: number): string[] {
  return [...capabilitySentences(unit, internalStep), ...kindSentences(unit)];
}

/** "+" before what it can do, "-" before what it cannot. */
function capabilitySentences(unit: UnitDescription, internalStep: number | undefined): string[] {
  const c = unit.capabilities;
  // Without an input that moves, slopes do not matter.
  const hasContinuousInput = unit.ports.some(
    (port) => port.direction === "input" && port.variability === "continuous",
  );
  const sentences = [
    c.rollback
      ? "+ rollback: a step can be undone and repeated, so iterating, error-controlling and event-locating masters work"
      : "- no rollback: a step cannot be repeated; only explicit masters, and events are found late",
    c.variableStep
      ? "+ variable step: the communication step may change during the run"
      : "- constant step only: every communication step must have the same size",
    c.serialize
      ? "+ its state can be stored: checkpoints on disk work"
      : "- its state cannot be stored: no checkpoints on disk",
    c.directionalDerivatives
      ? "+ directional derivatives: algebraic loops and strong coupling converge fast"
      : "- no directional derivatives: loops are solved by finite differences or fixed-point iteration",
    hasContinuousInput &&
      (c.inputDerivativeOrder > 0
        ? "+ takes input slopes: inputs may vary within a step"
        : "- no input slopes: inputs are held constant within a step"),
    c.outputDerivativeOrder > 0 &&
      `+ output derivatives up to order ${c.outputDerivativeOrder}: others can extrapolate it well`,
    c.adjointDerivatives && "+ adjoint derivatives: gradients of a few outputs are cheap",
    c.eventMode && "+ event mode: its events are handled at their exact time",
    c.earlyReturn && "+ early return: it may end a step where something happens",
    c.intermediateUpdate && "+ intermediate update: values can be exchanged within a step",
    c.oncePerProcess && "- one instance per process: further ones get processes of their own",
    c.needsExecutionTool && "- needs the tool that made it (or its run time) on this machine",
    internalStep !== undefined &&
      `+ works inside with a step of ${internalStep} s: take a multiple of it`,
  ];
  return sentences.filter((text) => text !== false).map((text) => `  ${text}`);
}

/**
 * Beyond this many reasons for one kind the page gives the kind and leaves the reasons to the
 * variables' lines.
 */
const MAX_REASONS = 3;

/** Ports of one kind for one reason share a line. Clocks carry no value, so they have no kind. */
function kindSentences(unit: UnitDescription): string[] {
  const { inputs, outputs } = unitKind(unit);
  const kinds = new Map<string, Map<string, string[]>>();
  for (const { port, kind, why } of [...inputs, ...outputs]) {
    if (port.type === "clock") continue;
    const reasons = kinds.get(kind) ?? new Map<string, string[]>();
    const names = reasons.get(why) ?? [];
    names.push(port.name);
    reasons.set(why, names);
    kinds.set(kind, reasons);
  }
  if (kinds.size === 0) return [];
  const lines = [...kinds].flatMap(([kind, reasons]) =>
    reasons.size <= MAX_REASONS
      ? [...reasons].map(([why, names]) => `    ${listed(names)}: ${kind}, because ${why}`)
      : [`    ${listed([...reasons.values()].flat())}: ${kind}, each because of inputs of its own`],
  );
  return ["  kind", ...lines];
}

export function listed(names: readonly string[], most = 6): string {
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}
