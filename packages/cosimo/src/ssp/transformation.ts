/**
 * Transformations of values on their way: linear, or by a table. On the way through dictionaries
 * and systems several of them meet and must become one, because a connection of a scenario has one.
 */

import type { Value } from "../model/value-type.ts";
import { parseBig, parseBoolean, parseDouble } from "../xml/literals.ts";
import type { SspReporter } from "./ssp-diagnostics.ts";
import { attribute, childrenNamed, type SspNode } from "./xml-node.ts";

export interface MapEntry {
  readonly from: Value;
  readonly to: Value;
}

export type Transformation =
  /** target = factor * source + offset, after any unit conversion. */
  | { readonly kind: "linear"; readonly factor?: number; readonly offset?: number }
  /** Values that are not in the table stay as they are. */
  | { readonly kind: "mapping"; readonly entries: readonly MapEntry[] };

/** The transformation among the children of `node`, if there is one. */
export function readTransformation(
  node: SspNode,
  reporter: SspReporter,
): Transformation | undefined {
  for (const child of node.children) {
    switch (child.name) {
      case "ssc:LinearTransformation": {
        const factor = attribute(child, "factor", parseDouble, "a number", reporter);
        const offset = attribute(child, "offset", parseDouble, "a number", reporter);
        return {
          kind: "linear",
          ...(factor !== undefined && { factor }),
          ...(offset !== undefined && { offset }),
        };
      }
      case "ssc:BooleanMappingTransformation":
        return readMapping(child, parseBoolean, "true or false", reporter);
      case "ssc:IntegerMappingTransformation":
        return readMapping(child, parseAnyInteger, "an integer", reporter);
      case "ssc:EnumerationMappingTransformation":
        return readMapping(child, (text) => text, "text", reporter);
    }
  }
  return undefined;
}

/**
 * The integers of SSP reach from the smallest int64 to the largest uint64; small ones are plain
 * numbers.
 */
function parseAnyInteger(text: string): number | bigint | undefined {
  const value = parseBig(text, -(2n ** 63n), 2n ** 64n - 1n);
  if (value === undefined) return undefined;
  return BigInt.asIntN(53, value) === value ? Number(value) : value;
}

function readMapping(
  node: SspNode,
  parse: (text: string) => Value | undefined,
  expected: string,
  reporter: SspReporter,
): Transformation {
  const entries: MapEntry[] = [];
  for (const entry of childrenNamed(node, "ssc:MapEntry")) {
    const from = attribute(entry, "source", parse, expected, reporter);
    const to = attribute(entry, "target", parse, expected, reporter);
    if (from === undefined || to === undefined) continue;
    if (entries.some((other) => other.from === from))
      reporter.report("ssp-ambiguous-map", { value: String(from) }, entry.line);
    else entries.push({ from, to });
  }
  return { kind: "mapping", entries };
}

/** `second` after `first`, or the reason why there is no such transformation. */
export function compose(
  first: Transformation | undefined,
  second: Transformation | undefined,
): { readonly value: Transformation | undefined } | { readonly why: string } {
  if (first === undefined) return { value: second };
  if (second === undefined) return { value: first };
  if (first.kind === "linear" && second.kind === "linear") {
    const factor = (first.factor ?? 1) * (second.factor ?? 1);
    const offset = (second.factor ?? 1) * (first.offset ?? 0) + (second.offset ?? 0);
    return { value: { kind: "linear", factor, offset } };
  }
  if (first.kind === "mapping" && second.kind === "mapping") {
    const later = new Map(second.entries.map(({ from, to }) => [from, to]));
    const entries = first.entries.map(({ from, to }) => ({ from, to: later.get(to) ?? to }));
    const early = new Set(first.entries.map(({ from }) => from));
    return {
      value: {
        kind: "mapping",
        entries: [...entries, ...second.entries.filter(({ from }) => !early.has(from))],
      },
    };
  }
  return { why: "one is linear and the other a table" };
}

/** The transformed value, or what kind of value the transformation needs. */
export function transform(
  value: Value,
  transformation: Transformation,
): { readonly value: Value } | { readonly needed: string } {
  if (transformation.kind === "linear") {
    if (typeof value !== "number") return { needed: "a floating-point number" };
    return { value: (transformation.factor ?? 1) * value + (transformation.offset ?? 0) };
  }
  const { entries } = transformation;
  const first = entries[0];
  if (first === undefined) return { value };
  const wide = typeof value === "bigint" || typeof first.from === "bigint";
  if (!wide && typeof first.from !== typeof value) return { needed: `a ${typeof first.from}` };
  // Loose on purpose between number and bigint: 3 and 3n are the same integer.
  const entry = entries.find(
    ({ from }) => from === value || (wide && String(from) === String(value)),
  );
  return { value: entry === undefined ? value : entry.to };
}
