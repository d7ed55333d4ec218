/**
 * What editors say of ports and units, whatever the language that names them: in a line (beside a
 * name that is offered) and in full (on hover).
 */
import { BACKENDS } from "../../model/backends.ts";
import type { Nature, Port, UnitDescription } from "../../model/unit-description.ts";
import { unitKind } from "../../model/unit-kind.ts";

export function paragraphs(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

interface Kind {
  readonly kind: string;
  readonly why: string;
}

/** Kinds by the index of the port: large FMUs have thousands of them, and lists ask for all. */
const kinds = new WeakMap<UnitDescription, ReadonlyMap<number, Kind>>();

/** Reactive or delayed, Mealy or Moore. */
export function kindOf(port: Port, description: UnitDescription | undefined): Kind | undefined {
  if (description === undefined) return undefined;
  let known = kinds.get(description);
  if (known === undefined) {
    const { inputs, outputs } = unitKind(description);
    known = new Map([...inputs, ...outputs].map((one) => [one.port.index, one]));
    kinds.set(description, known);
  }
  return known.get(port.index);
}

/** `continuous, start 0, not below -1`. */
export function valuesText({ start, min, max, variability }: Port): string {
  const parts = [
    variability,
    ...(start === undefined ? [] : [`start ${String(start[0])}`]),
    ...(min === undefined ? [] : [`not below ${min}`]),
    ...(max === undefined ? [] : [`not above ${max}`]),
  ];
  return parts.join(", ");
}

export function unitLine(description: UnitDescription): string {
  return `${description.name}, ${BACKENDS[description.backend].label}`;
}

/** What a model is and can do, in paragraphs. */
export function descriptionTexts(description: UnitDescription): readonly (string | undefined)[] {
  const { capabilities: can, ports } = description;
  const count = (direction: Port["direction"]): number =>
    ports.filter((port) => port.direction === direction).length;
  const abilities = [
    can.rollback ? "can save its state (`save_state`, `rollback`)" : "cannot save its state",
    can.variableStep ? "takes steps of any size" : "takes steps of one size only",
    ...(can.refusesSteps === true ? ["may refuse a step"] : []),
    ...(can.eventMode ? ["has events"] : []),
    ...(can.earlyReturn ? ["may return early"] : []),
    ...(can.directionalDerivatives ? ["gives directional derivatives"] : []),
  ];
  return [
    `Model **${description.name}** (${BACKENDS[description.backend].label}), ${count("input")} inputs, ${count("output")} outputs`,
    description.description,
    `It ${abilities.join(", ")}.`,
  ];
}

/** `output, float64 (degC), continuous`. */
export function natureLine({ direction, type, shape, unit, nature }: Port): string {
  const size = shape.length === 0 ? "" : ` [${shape.join(" × ")}]`;
  const measure = unit === undefined || unit.name === "" ? "" : ` (${unit.name})`;
  return `${direction.replaceAll("-", " ")}, ${type}${size}${measure}, ${nature}`;
}

/** What each nature says of a signal, and when it is exchanged. */
export const NATURE_TEXTS: Readonly<Record<Nature, string>> = {
  continuous: "It has a value at any time and changes without jumps: it is sampled.",
  "piecewise-continuous": "It has a value at any time and jumps now and then: it is sampled.",
  "piecewise-constant":
    "It keeps its value until it gets another: it is exchanged when it is updated or read.",
  constant: "It does not change during a run.",
  transient: "It has a value only at the instants of its events: every event is delivered once.",
};

/** @param name as the text has it: `plant.cpuTemperature`. */
export function portPageOf(
  name: string,
  port: Port,
  description: UnitDescription | undefined,
): string {
  const kind = kindOf(port, description);
  return paragraphs([
    `**${name}**: ${natureLine(port)}`,
    port.description,
    NATURE_TEXTS[port.nature],
    kind && `${kind.kind}: ${kind.why}.`,
    valuesText(port),
  ]);
}
