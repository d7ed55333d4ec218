/**
 * Parameter and start values of a unit: found, converted to the port's unit and type, one per element.
 */
import type { Place } from "../base/diagnostic.ts";
import { readPortValue } from "./port-value.ts";
import {
  directionText,
  hintFor,
  type OpenUnit,
  placeText,
  type ResolveContext,
  reportUnknownPort,
  typedText,
} from "./resolve-scenario-context.ts";
import type { PortValue, ValueDraft } from "./scenario.ts";
import { type Port, portSize } from "./unit-description.ts";
import type { Value } from "./value-type.ts";

export function resolveValues(context: ResolveContext, unit: OpenUnit): PortValue[] {
  const { draft, description } = unit;
  if (description === undefined) return [];
  const ports = context.portsOf(description);
  const firsts = new Map<Port, Place>();
  const values: PortValue[] = [];
  for (const given of draft.values) {
    const port = ports.get(given.port);
    if (port === undefined) {
      const hint = hintFor(given.port, description.ports, isSettable);
      reportUnknownPort(context, unit, given.port, hint, given.place);
      continue;
    }
    const first = firsts.get(port);
    if (first !== undefined) {
      const params = { port: nameOf(unit, port), first: placeText(first) };
      context.report("value-twice", params, given.place);
      continue;
    }
    firsts.set(port, given.place);
    const elements = resolveValue(context, nameOf(unit, port), port, given);
    if (elements !== undefined)
      values.push({ port: port.index, values: elements, place: given.place });
  }
  return values;
}

function nameOf(unit: OpenUnit, port: Port): string {
  return `${unit.draft.name}.${port.name}`;
}

/** FMI: parameters, inputs, and whatever else has a start value of its own. */
function isSettable(port: Port): boolean {
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
  port: Port,
  given: ValueDraft,
): Value[] | undefined {
  const { place } = given;
  const why = whyNotSettable(port);
  if (why !== undefined) return context.report("value-not-settable", { port: name, why }, place);
  const size = portSize(port);
  const isList = isValueList(given.value);
  const written = isList ? given.value : [given.value as Value];
  if (isList && written.length !== size) {
    const params = { port: name, expected: size, found: written.length };
    return context.report("value-count", params, place);
  }
  const values: Value[] = [];
  for (const one of written) {
    const value = resolveElement(context, name, port, one, given);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return isList ? values : new Array<Value>(size).fill(values[0]!);
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
