/**
 * What an editor says of ports and units, in a line (beside a name that it offers) and in full (on
 * hover).
 */
import type { SaType } from "../../../model/adaptation/data.ts";
import type { PhysicalUnit } from "../../../model/physical-unit.ts";
import { type Conversion, conversion } from "../../../model/physical-unit-conversion.ts";
import { type Port, portSize, type UnitDescription } from "../../../model/unit-description.ts";
import { descriptionTexts, kindOf, paragraphs, valuesText } from "../../text/port-texts.ts";
import type { InnerPort } from "../inner-ports.ts";

export function typeText(type: SaType, physical: PhysicalUnit | undefined): string {
  const name = physical?.name ?? "";
  return name === "" ? type : `${type} (${name})`;
}

/** `real (cm), Moore`. */
export function portLine(port: InnerPort, description: UnitDescription | undefined): string {
  const { described } = port;
  const kind = described && kindOf(described, description)?.kind;
  return [typeText(port.type, port.physical), ...(kind === undefined ? [] : [kind])].join(", ");
}

export function portPage(
  port: InnerPort,
  direction: "input" | "output",
  description: UnitDescription | undefined,
): string {
  const { described } = port;
  const kind = described && kindOf(described, description);
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
  return paragraphs([head, ...descriptionTexts(description)]);
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
