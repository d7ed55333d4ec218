/**
 * What an editor says of ports and units, in a line (beside a name that it offers) and in full (on hover).
 */
import type { SaType } from "../../../model/adaptation/data.ts";
import { BACKENDS } from "../../../model/backends.ts";
import type { PhysicalUnit } from "../../../model/physical-unit.ts";
import { type Conversion, conversion } from "../../../model/physical-unit-conversion.ts";
import { type Port, portSize, type UnitDescription } from "../../../model/unit-description.ts";
import { unitKind } from "../../../model/unit-kind.ts";
import type { InnerPort } from "../inner-ports.ts";

export function typeText(type: SaType, physical: PhysicalUnit | undefined): string {
  const name = physical?.name ?? "";
  return name === "" ? type : `${type} (${name})`;
}

/** `real (cm), Moore`. */
export function portLine(port: InnerPort, description: UnitDescription | undefined): string {
  const kind = kindOf(port, description)?.kind;
  return [typeText(port.type, port.physical), ...(kind === undefined ? [] : [kind])].join(", ");
}

interface Kind {
  readonly kind: string;
  readonly why: string;
}

/** Kinds by the index of the port: large FMUs have thousands of them, and lists ask for all. */
const kinds = new WeakMap<UnitDescription, ReadonlyMap<number, Kind>>();

function kindOf(
  { described }: InnerPort,
  description: UnitDescription | undefined,
): Kind | undefined {
  if (described === undefined || description === undefined) return undefined;
  let known = kinds.get(description);
  if (known === undefined) {
    const { inputs, outputs } = unitKind(description);
    known = new Map([...inputs, ...outputs].map((one) => [one.port.index, one]));
    kinds.set(description, known);
  }
  return known.get(described.index);
}

export function portPage(
  port: InnerPort,
  direction: "input" | "output",
  description: UnitDescription | undefined,
): string {
  const kind = kindOf(port, description);
  const { described } = port;
  return paragraphs([
    `**${port.unit}.${port.name}**: ${direction} of an inner unit, ${typeText(port.type, port.physical)}`,
    described?.description,
    kind && `${kind.kind}: ${kind.why}.`,
    described && valuesText(described),
  ]);
}

/** A port that the unit has and rules cannot name: an array, binary, a clock, a parameter. */
export function otherPortPage(unit: string, port: Port): string {
  const size = portSize(port) === 1 ? "" : ` [${port.shape.join(" × ")}]`;
  return paragraphs([
    `**${unit}.${port.name}**: ${port.direction.replaceAll("-", " ")}, ${port.type}${size}`,
    port.description,
  ]);
}

function valuesText({ start, min, max, variability }: Port): string {
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

/** @param source absent: the unit is open. */
export function unitPage(
  name: string,
  source: string | undefined,
  description: UnitDescription | undefined,
): string {
  if (source === undefined)
    return `**${name}**: inner unit, left open: it is given where the adaptation is applied`;
  const head = `**${name}**: inner unit from \`${source}\``;
  if (description === undefined)
    return paragraphs([head, "Nothing is known of it: it cannot be opened."]);
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
  return paragraphs([
    head,
    `Model **${description.name}** (${BACKENDS[description.backend].label}), ${count("input")} inputs, ${count("output")} outputs`,
    description.description,
    `It ${abilities.join(", ")}.`,
  ]);
}

/** `1 cm = 0.01 m`; undefined where nothing is converted, or nothing can be. */
export function conversionText(from: PhysicalUnit, to: PhysicalUnit): string | undefined {
  const by = conversion(from, to);
  if ("error" in by || isIdentity(by)) return undefined;
  const one = Number((by.factor + by.offset).toPrecision(12));
  return `1 ${from.name} = ${one} ${to.name}`;
}

function isIdentity({ factor, offset }: Conversion): boolean {
  return factor === 1 && offset === 0;
}

export function paragraphs(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}
