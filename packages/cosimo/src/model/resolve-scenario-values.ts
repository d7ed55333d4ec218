/**
 * Parameter and start values of a unit: found, converted to the port's unit and type, one per
 * element.
 */
import { formatPlace, type Place } from "../base/diagnostic.ts";
import { readPortValue } from "./port-value.ts";
import {
  directionText,
  hintFor,
  type OpenUnit,
  type ResolveContext,
  reportUnknownPort,
  shapeText,
  typedText,
} from "./resolve-scenario-context.ts";
import { elementsOf } from "./resolve-scenario-reference.ts";
import type { PortValue, ValueDraft } from "./scenario.ts";
import { type Port, portSize } from "./unit-description.ts";
import type { Value } from "./value-type.ts";

/** Values of one port while they are collected: the whole first, then elements over it. */
interface Gathered {
  readonly port: Port;
  readonly place: Place;
  whole?: readonly Value[];
  readonly parts: { readonly element: number; readonly values: readonly Value[] }[];
}

export function resolveValues(context: ResolveContext, unit: OpenUnit): PortValue[] {
  const { draft, description } = unit;
  if (description === undefined) return [];
  const ports = context.portsOf(description);
  const firsts = new Map<string, Place>();
  const gathered = new Map<Port, Gathered>();
  for (const given of draft.values) {
    const name = `${draft.name}.${given.port}`;
    const first = firsts.get(given.port);
    if (first !== undefined) {
      context.report("value-twice", { port: name, first: formatPlace(first) }, given.place);
      continue;
    }
    firsts.set(given.port, given.place);
    const target = targetOf(context, unit, ports, given);
    const values = target && resolveValue(context, name, target, given);
    if (target === undefined || values === undefined) continue;
    const { port, element } = target;
    const all = gathered.get(port) ?? { port, place: given.place, parts: [] };
    gathered.set(port, all);
    if (target.whole) all.whole = values;
    else all.parts.push({ element, values });
  }
  return [...gathered.values()].map((one) => portValue(context, unit, one));
}

/** A port, or elements of it. */
interface Target {
  readonly port: Port;
  readonly element: number;
  readonly count: number;
  readonly whole: boolean;
}

function targetOf(
  context: ResolveContext,
  unit: OpenUnit,
  ports: ReadonlyMap<string, Port>,
  { port: text, place, optional }: ValueDraft,
): Target | undefined {
  const port = ports.get(text);
  if (port !== undefined) return { port, element: 0, count: portSize(port), whole: true };
  const found = elementsOf(ports, text);
  if (found === undefined) {
    const hint = hintFor(text, unit.description?.ports ?? [], isSettable);
    if (optional === true) {
      const params = { unit: unit.draft.name, port: text, nearest: hint.nearest };
      return context.report("value-unmatched", params, place);
    }
    return reportUnknownPort(context, unit, text, hint, place);
  }
  if (found.part === undefined) {
    const params = { text, port: found.port.name, shape: shapeText(found.port.shape) };
    return context.report("element-outside", params, place);
  }
  const { element, shape } = found.part;
  return { port: found.port, element, count: portSize({ shape }), whole: false };
}

/** Elements without a value keep the port's start value. */
function portValue(context: ResolveContext, unit: OpenUnit, all: Gathered): PortValue {
  const { port, place, whole, parts } = all;
  const base = whole ?? port.start;
  const fill = base?.[0] ?? parts[0]?.values[0] ?? 0;
  const values = Array.from({ length: portSize(port) }, (_, i) => base?.[i] ?? fill);
  const given = new Set<number>();
  for (const part of parts) {
    for (const [i, value] of part.values.entries()) {
      values[part.element + i] = value;
      given.add(part.element + i);
    }
  }
  if (base === undefined && given.size < values.length)
    context.report("value-partial", { port: nameOf(unit, port) }, place);
  return { port: port.index, values, place };
}

function nameOf(unit: OpenUnit, port: Port): string {
  return `${unit.draft.name}.${port.name}`;
}

/** FMI: parameters, inputs, and everything else with a start value of its own. */
export function isSettable(port: Port): boolean {
  return whyNotSettable(port) === undefined;
}

function whyNotSettable(port: Port): string | undefined {
  if (port.type === "clock") return "it is a clock";
  if (port.variability === "constant") return "it is constant";
  switch (port.direction) {
    case "input":
    case "parameter":
    case "structural-parameter":
      return undefined;
    case "output":
    case "local":
      return port.start === undefined
        ? `it is ${directionText(port)} that the unit computes`
        : undefined;
    case "calculated-parameter":
    case "independent":
      return `it is ${directionText(port)}`;
  }
}

function resolveValue(
  context: ResolveContext,
  name: string,
  { port, count }: Target,
  draft: ValueDraft,
): Value[] | undefined {
  const given = draft.optional ? inPortsUnit(context, name, port, draft) : draft;
  const { place } = given;
  const why = whyNotSettable(port);
  if (why !== undefined) {
    const code = given.optional ? "value-without-effect" : "value-not-settable";
    return context.report(code, { port: name, why }, place);
  }
  const isList = isValueList(given.value);
  const written = isList ? given.value : [given.value as Value];
  if (isList && written.length !== count) {
    const params = { port: name, expected: count, found: written.length };
    return context.report("value-count", params, place);
  }
  const values: Value[] = [];
  for (const one of written) {
    const value = resolveElement(context, name, port, one, given);
    if (value === undefined) return undefined;
    values.push(value);
  }
  const [one] = values;
  return isList || one === undefined ? values : new Array<Value>(count).fill(one);
}

/** The number as it is written, where the port has no unit that it could be converted to. */
function inPortsUnit(
  context: ResolveContext,
  name: string,
  port: Port,
  given: ValueDraft,
): ValueDraft {
  const { unit, written = given } = given;
  if (unit === undefined || port.unit?.base !== undefined) return given;
  const params = { port: name, value: `${String(written.value)} ${written.unit}` };
  if (written.unit !== port.unit?.name) context.report("value-unit-unused", params, given.place);
  const { unit: _, ...rest } = given;
  return { ...rest, value: written.value };
}

function isValueList(value: Value | readonly Value[]): value is readonly Value[] {
  return Array.isArray(value);
}

function resolveElement(
  context: ResolveContext,
  name: string,
  port: Port,
  written: Value,
  given: ValueDraft,
): Value | undefined {
  const { place } = given;
  const text = given.unit === undefined ? String(written) : `${written} ${given.unit}`;
  const read = readPortValue(port, written, given.unit);
  if ("how" in read)
    return context.report(
      "value-malformed",
      { port: typedText(name, port), value: text, how: read.how },
      place,
    );
  if ("why" in read)
    return context.report("value-unit", { port: name, value: text, why: read.why }, place);
  const { value } = read;
  if (typeof value === "number" || typeof value === "bigint") {
    const { min, max } = port;
    if ((min !== undefined && value < min) || (max !== undefined && value > max)) {
      const range = `${min ?? "-∞"} to ${max ?? "∞"}${port.unit ? ` ${port.unit.name}` : ""}`;
      context.report("value-range", { port: name, value: text, range }, place);
    }
  }
  return value;
}
