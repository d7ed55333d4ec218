/**
 * Parameter sets (SSV) and parameter mappings (SSM) → named values, as a binding applies them:
 * prefixed, renamed and transformed. Which element a name means is decided later, by the system
 * that has the binding.
 */

import type { Place } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import type { PhysicalUnit } from "../model/physical-unit.ts";
import { formatDimension } from "../model/physical-unit-conversion.ts";
import { parseUnit } from "../model/physical-unit-parse.ts";
import type { ValueDraft } from "../model/scenario.ts";
import type { Value, ValueType } from "../model/value-type.ts";
import { NUMBER_KINDS, parseBoolean, parseHex, parseList, parseUnsigned } from "../xml/literals.ts";
import type { SspReporter } from "./ssp-diagnostics.ts";
import { Definitions, type SspFile, uniqueBy } from "./ssp-file-reader.ts";
import { readTransformation, type Transformation, transform } from "./transformation.ts";
import { attribute, childNamed, childrenNamed, type SspNode } from "./xml-node.ts";

/** A value on its way to a port that has no unit yet. */
export interface Parameter {
  readonly name: string;
  readonly value: Value | readonly Value[];
  readonly unit?: PhysicalUnit;
  readonly place: Place;
}

export interface MappingEntry {
  readonly source: string;
  readonly target: string;
  readonly transformation?: Transformation;
  readonly suppress: boolean;
  readonly line: number;
}

const TYPES: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ["ssv:Real", "float64"],
  ["ssv:Float64", "float64"],
  ["ssv:Float32", "float32"],
  ["ssv:Integer", "int32"],
  ["ssv:Int8", "int8"],
  ["ssv:UInt8", "uint8"],
  ["ssv:Int16", "int16"],
  ["ssv:UInt16", "uint16"],
  ["ssv:Int32", "int32"],
  ["ssv:UInt32", "uint32"],
  ["ssv:Int64", "int64"],
  ["ssv:UInt64", "uint64"],
  ["ssv:Boolean", "boolean"],
  ["ssv:String", "string"],
  ["ssv:Enumeration", "enumeration"],
  ["ssv:Binary", "binary"],
]);

/** The parameters of a `ssv:ParameterSet` that stands in `file`, alone or inline. */
export function readParameterSet(set: SspNode, file: SspFile): Parameter[] {
  const definitions = new Definitions(set, file.reporter);
  const nodes = childrenNamed(childNamed(set, "ssv:Parameters") ?? set, "ssv:Parameter");
  uniqueBy("parameter", nodes, file.reporter);
  const parameters: Parameter[] = [];
  for (const node of nodes) {
    const name = node.attributes.get("name");
    const typeNode = node.children.find((child) => typeOf(child) !== undefined);
    const type = typeNode && typeOf(typeNode);
    if (name === undefined || typeNode === undefined || type === undefined) continue;
    const value = readValue(node, typeNode, type, name, file.reporter);
    const unit = definitions.unitOf(typeNode);
    if (type === "enumeration") definitions.checkEnumeration(typeNode);
    if (value === undefined) continue;
    const place = { file: file.file, line: node.line };
    parameters.push({ name, value, ...(unit !== undefined && { unit }), place });
  }
  return parameters;
}

function typeOf(node: SspNode): ValueType | undefined {
  return TYPES.get(node.name);
}

function readValue(
  parameter: SspNode,
  node: SspNode,
  type: ValueType,
  name: string,
  reporter: SspReporter,
): Value | readonly Value[] | undefined {
  const sizes = childrenNamed(parameter, "ssc:Dimension").map(
    (dimension) =>
      attribute(dimension, "size", parseUnsigned, "an unsigned integer", reporter) ?? 0,
  );
  const parse = parserOf(type);
  const expected = expectedOf(type);
  const words = childrenNamed(node, "ssv:Value");
  let values: readonly Value[] | undefined;
  if (words.length > 0) {
    if (node.attributes.has("value")) {
      const params = { element: node.name, content: "ssv:Value", both: true };
      reporter.report("ssp-inline", params, node.line);
    }
    const read = words.map((word) => attribute(word, "value", parse, expected, reporter));
    values = read.every((value) => value !== undefined) ? (read as Value[]) : undefined;
  } else if (sizes.length === 0 || isText(type)) {
    if (!node.attributes.has("value")) return missingValue(node, sizes, reporter);
    const single = attribute(node, "value", parse, expected, reporter);
    values = single === undefined ? undefined : [single];
  } else {
    const listOf = (text: string) => parseList(text, parse);
    values = attribute(node, "value", listOf, `a list, each ${expected}`, reporter);
  }
  if (values === undefined) return undefined;
  if (sizes.length === 0 && values.length === 1) return values[0];
  const expectedCount = sizes.reduce((count, size) => count * size, 1);
  if (values.length !== expectedCount) {
    const params = { name, expected: expectedCount, found: values.length };
    reporter.report("ssp-value-count", params, node.line);
    return undefined;
  }
  return values;
}

/** A text without value and without Value elements: an array of none, or a mistake. */
function missingValue(
  node: SspNode,
  sizes: readonly number[],
  reporter: SspReporter,
): readonly Value[] | undefined {
  if (sizes.includes(0)) return [];
  // Of the other types the schema itself demands the attribute, and the shape has been checked.
  if (/^ssv:(String|Enumeration|Binary)$/.test(node.name))
    reporter.report("missing-attribute", { attribute: "value", element: node.name }, node.line);
  return undefined;
}

function isText(type: ValueType): boolean {
  return type === "string" || type === "enumeration" || type === "binary";
}

function parserOf(type: ValueType): (text: string) => Value | undefined {
  switch (type) {
    case "string":
    case "enumeration":
      return (text) => text;
    case "binary":
      return parseHex;
    case "boolean":
      return parseBoolean;
    default:
      return NUMBER_KINDS[type]?.parse ?? (() => undefined);
  }
}

function expectedOf(type: ValueType): string {
  if (type === "boolean") return "true or false";
  if (type === "binary") return "an even number of hexadecimal digits";
  return isText(type) ? "text" : (NUMBER_KINDS[type]?.expected ?? "text");
}

/** The entries of a `ssm:ParameterMapping`. */
export function readParameterMapping(mapping: SspNode, file: SspFile): MappingEntry[] {
  const { reporter } = file;
  const targets = new Map<string, SspNode>();
  const entries: MappingEntry[] = [];
  for (const node of childrenNamed(mapping, "ssm:MappingEntry")) {
    const source = node.attributes.get("source");
    const target = node.attributes.get("target");
    const transformation = readTransformation(node, reporter);
    const suppress =
      attribute(node, "suppressUnitConversion", parseBoolean, "true or false", reporter) ?? false;
    if (source === undefined || target === undefined) continue;
    const other = targets.get(target);
    if (other !== undefined) {
      reporter.report("ssp-mapping-target", { target, line: other.line }, node.line);
      continue;
    }
    targets.set(target, node);
    entries.push({
      source,
      target,
      ...(transformation !== undefined && { transformation }),
      suppress,
      line: node.line,
    });
  }
  return entries;
}

/** What a binding applies: only what is mapped, under the names it is mapped to. */
export function applyMapping(
  parameters: readonly Parameter[],
  entries: readonly MappingEntry[],
  mappingFile: SspFile,
): Parameter[] {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const result: Parameter[] = [];
  for (const entry of entries) {
    const parameter = byName.get(entry.source);
    if (parameter === undefined) {
      const params = { name: entry.source, nearest: nearest(entry.source, byName.keys()) };
      mappingFile.reporter.report("ssp-mapping-unmatched", params, entry.line);
      continue;
    }
    const { unit, ...rest } = parameter;
    const kept = entry.suppress || unit === undefined ? rest : parameter;
    const renamed = { ...kept, name: entry.target };
    const moved = transformed(renamed, entry.transformation, mappingFile.reporter, entry.line);
    if (moved !== undefined) result.push(moved);
  }
  return result;
}

/** The parameter after `transformation`; undefined after reporting why it cannot be applied. */
export function transformed(
  parameter: Parameter,
  transformation: Transformation | undefined,
  reporter: SspReporter,
  line: number,
): Parameter | undefined {
  if (transformation === undefined) return parameter;
  // The factor commutes with a conversion of units, an offset does not: the unit of the target is
  // not known here.
  const offset = transformation.kind === "linear" ? (transformation.offset ?? 0) : 0;
  if (parameter.unit !== undefined && offset !== 0) {
    const why = `'${parameter.name}' has the unit '${parameter.unit.name}', and an offset is added after converting it`;
    reporter.report("ssp-transformation-chain", { why }, line);
    return undefined;
  }
  const single = !Array.isArray(parameter.value);
  const values: Value[] = [];
  for (const value of single ? [parameter.value as Value] : (parameter.value as Value[])) {
    const result = transform(value, transformation);
    if ("needed" in result) {
      const params = { name: parameter.name, needed: result.needed };
      reporter.report("ssp-value-type", params, line);
      return undefined;
    }
    values.push(result.value);
  }
  const [only] = values;
  return { ...parameter, value: single && only !== undefined ? only : values };
}

/**
 * The value and the unit that a draft can name: units that only this file defines become SI units,
 * because their names mean nothing elsewhere.
 */
export function portable(parameter: Parameter): Pick<ValueDraft, "value" | "unit" | "written"> {
  const { value, unit } = parameter;
  if (unit === undefined) return { value };
  const known = parseUnit(unit.name);
  if (unit.base === undefined || (known !== undefined && sameBase(known, unit)))
    return { value, unit: unit.name };
  const { dimension, factor, offset } = unit.base;
  const toBase = (v: Value) => (typeof v === "number" ? factor * v + offset : v);
  return {
    value: Array.isArray(value) ? value.map(toBase) : toBase(value as Value),
    unit: formatDimension(dimension),
    written: { value, unit: unit.name },
  };
}

function sameBase(a: PhysicalUnit, b: PhysicalUnit): boolean {
  const [one, other] = [a.base, b.base];
  return (
    one !== undefined &&
    other !== undefined &&
    close(one.factor, other.factor) &&
    close(one.offset, other.offset) &&
    one.dimension.every((exponent, i) => exponent === other.dimension[i])
  );
}

/** Files write factors with few digits; 0.0174532925 is a degree. */
function close(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-7 * Math.max(Math.abs(a), Math.abs(b));
}
