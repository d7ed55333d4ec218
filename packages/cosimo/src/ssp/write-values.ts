/**
 * Values of a unit → a parameter binding with an inline parameter set. What the chosen version of
 * SSP has no type for (arrays and wide integers in 1.0, units without a definition) is kept in an
 * annotation, and reported.
 */

import type { PhysicalUnit } from "../model/physical-unit.ts";
import { BASE_UNITS } from "../model/physical-unit.ts";
import { parseUnit } from "../model/physical-unit-parse.ts";
import type { ValueDraft } from "../model/scenario.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import { TYPE_NAMES, type Value, type ValueType } from "../model/value-type.ts";
import { doubleText, hexText, type XmlOut, xml, xmlList } from "../xml/xml-writer.ts";
import { COSIMO_ANNOTATION, type SspVersion } from "./names.ts";

const IN_1_0: Readonly<Record<string, string>> = {
  Float64: "Real",
  Float32: "Real",
  Int8: "Integer",
  UInt8: "Integer",
  Int16: "Integer",
  UInt16: "Integer",
  Int32: "Integer",
  Boolean: "Boolean",
  String: "String",
  Enumeration: "Enumeration",
  Binary: "Binary",
};

/** The element name of a type in `version`; undefined when that version has none. */
export function typeName(type: string, version: SspVersion): string | undefined {
  return version === "2.0" ? type : IN_1_0[type];
}

export interface WrittenValues {
  readonly bindings: readonly XmlOut[];
  /** `cosimo:Value` elements for the annotation of the unit. */
  readonly notes: readonly XmlOut[];
  /** Ports whose values are in `notes`, and why. */
  readonly problems: readonly { readonly port: string; readonly why: string }[];
}

/**
 * The values of one unit; those that must find their port and those that need not are bound apart.
 */
export function writeValues(
  values: readonly ValueDraft[],
  description: UnitDescription | undefined,
  version: SspVersion,
): WrittenValues {
  const ports = new Map(description?.ports.map((port) => [port.name, port]));
  const notes: XmlOut[] = [];
  const problems: { port: string; why: string }[] = [];
  const sets: Record<"needed" | "optional", { value: ValueDraft; parameter: XmlOut }[]> = {
    needed: [],
    optional: [],
  };
  for (const value of values) {
    const parameter = writeParameter(value, ports.get(value.port), version);
    if ("why" in parameter) {
      problems.push({ port: value.port, why: parameter.why });
      notes.push(valueNote(value));
    } else sets[value.optional === true ? "optional" : "needed"].push({ value, parameter });
  }
  const bindings = [
    ...binding(sets.needed, ports, version, false),
    ...binding(sets.optional, ports, version, true),
  ];
  return { bindings, notes, problems };
}

function binding(
  written: readonly { value: ValueDraft; parameter: XmlOut }[],
  ports: ReadonlyMap<string, Port>,
  version: SspVersion,
  optional: boolean,
): XmlOut[] {
  if (written.length === 0) return [];
  const units = new Map<string, PhysicalUnit>();
  for (const { value } of written) {
    const unit = value.unit && unitNamed(value.unit, ports.get(value.port));
    if (value.unit !== undefined && unit) units.set(value.unit, unit);
  }
  const set = xml("ssv:ParameterSet", { version, name: "values" }, [
    xml(
      "ssv:Parameters",
      {},
      written.map(({ parameter }) => parameter),
    ),
    writeUnits("ssv:Units", units.values()),
  ]);
  return [
    xml("ssd:ParameterBinding", {}, [
      xml("ssd:ParameterValues", {}, [set]),
      annotation([xml("cosimo:Binding", { optional: optional ? "true" : undefined })]),
    ]),
  ];
}

export function annotation(content: readonly XmlOut[]): XmlOut | undefined {
  if (content.length === 0) return undefined;
  // The schema allows one element in an annotation, so each has its own.
  const one = (element: XmlOut) => xml("ssc:Annotation", { type: COSIMO_ANNOTATION }, [element]);
  return xml("ssd:Annotations", {}, content.map(one));
}

function unitNamed(name: string, port: Port | undefined): PhysicalUnit | undefined {
  if (port?.unit?.name === name && port.unit.base !== undefined) return port.unit;
  return parseUnit(name);
}

function writeParameter(
  { port: name, value, unit }: ValueDraft,
  port: Port | undefined,
  version: SspVersion,
): XmlOut | { readonly why: string } {
  const list = Array.isArray(value) ? (value as readonly Value[]) : undefined;
  if (list !== undefined && version === "1.0") return { why: "SSP 1.0 has no arrays" };
  const items = list ?? [value as Value];
  const type = commonType(items, port);
  if (type === undefined) return { why: "its elements have different types" };
  const element = typeName(type, version);
  if (element === undefined) return { why: `SSP ${version} has no type ${type}` };
  const measured = type === "Float64" || type === "Float32";
  if (unit !== undefined && (!measured || unitNamed(unit, port)?.base === undefined))
    return { why: `the unit '${unit}' is not defined` };
  const texts = items.map((item) => valueText(item));
  const separate = list !== undefined && /^(String|Enumeration|Binary)$/.test(type);
  const content = separate
    ? xml(
        `ssv:${element}`,
        {},
        texts.map((text) => xml("ssv:Value", { value: text })),
      )
    : xml(`ssv:${element}`, { value: texts.join(" "), unit });
  const size = list === undefined ? [] : [xml("ssc:Dimension", { size: String(list.length) })];
  return xml("ssv:Parameter", { name }, [content, ...size]);
}

/** The type of the port where it fits, else the one that brings the same values back. */
function commonType(items: readonly Value[], port: Port | undefined): string | undefined {
  const kinds = new Set(items.map(kindOf));
  if (kinds.size > 1) return undefined;
  const kind = [...kinds][0] ?? "number";
  const type = port?.type;
  switch (kind) {
    case "number":
      return type !== undefined && isSmallInteger(type) && items.every(Number.isInteger)
        ? TYPE_NAMES[type]
        : "Float64";
    case "bigint":
      return type === "uint64" || items.some((item) => (item as bigint) >= 2n ** 63n)
        ? "UInt64"
        : "Int64";
    case "boolean":
      return "Boolean";
    case "binary":
      return "Binary";
    default:
      return type === "enumeration" ? "Enumeration" : "String";
  }
}

function isSmallInteger(type: ValueType): boolean {
  return /^u?int(8|16|32)$/.test(type);
}

type Kind = "number" | "bigint" | "boolean" | "string" | "binary";

function kindOf(value: Value): Kind {
  return value instanceof Uint8Array ? "binary" : (typeof value as Kind);
}

function valueText(value: Value): string {
  if (typeof value === "number") return doubleText(value);
  return value instanceof Uint8Array ? hexText(value) : String(value);
}

function valueNote({ port, value, unit, optional }: ValueDraft): XmlOut {
  const list = Array.isArray(value) ? (value as readonly Value[]) : undefined;
  const items = (list ?? [value as Value]).map((item) =>
    xml("cosimo:Item", { type: kindOf(item), value: valueText(item) }),
  );
  return xml(
    "cosimo:Value",
    { port, unit, list: list && "true", optional: optional === true ? "true" : undefined },
    items,
  );
}

export function writeUnits(name: string, units: Iterable<PhysicalUnit>): XmlOut | undefined {
  const written = [...units].flatMap(({ name: unit, base }) => {
    if (base === undefined) return [];
    const { dimension, factor, offset } = base;
    const exponents = BASE_UNITS.map((symbol, i): [string, string | undefined] => [
      symbol,
      dimension[i] === 0 ? undefined : String(dimension[i]),
    ]);
    return xml("ssc:Unit", { name: unit }, [
      xml("ssc:BaseUnit", {
        ...Object.fromEntries(exponents),
        factor: factor === 1 ? undefined : doubleText(factor),
        offset: offset === 0 ? undefined : doubleText(offset),
      }),
    ]);
  });
  return xmlList(name, written);
}
