/**
 * What is wrong with an interface by itself: ports that are declared twice, events and properties
 * that their nature does not have (thesis, §4.2.5), values that are none of their type.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { readPortValue } from "../../model/port-value.ts";
import type {
  InterfacePort,
  InterfaceType,
  IoEventKind,
  UnitInterface,
} from "../../model/unit-interface.ts";
import type { ValueType } from "../../model/value-type.ts";
import { report } from "./diagnostics.ts";

export function checkMci({ ports, references }: UnitInterface): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const lines = new Map<string, number>();
  const names = references.map(({ name }) => name);
  for (const port of ports) {
    const { name, place, reference } = port;
    const line = lines.get(name);
    if (line !== undefined)
      diagnostics.push(report("mci-twice", { what: `the port '${name}'`, line }, place));
    lines.set(name, line ?? place.line ?? 1);
    if (reference !== undefined && !names.includes(reference)) {
      const params = { name: reference, nearest: nearest(reference, names), known: names };
      diagnostics.push(report("mci-unknown-reference", params, place));
    }
    for (const finding of checkPort(port)) diagnostics.push(finding);
  }
  return diagnostics;
}

/** Who has an event: the direction, and the nature. */
const EVENTS: Readonly<
  Record<IoEventKind, readonly ["input" | "output", InterfacePort["nature"]]>
> = {
  Updated: ["output", "piecewise-constant"],
  ReadyToRead: ["input", "piecewise-constant"],
  Triggered: ["output", "transient"],
};

function checkPort(port: InterfacePort): Diagnostic[] {
  const { name, direction, nature, events, use, place } = port;
  const diagnostics: Diagnostic[] = [];
  const is = `${article(nature ?? "")} ${direction ?? "port"}`.trim();
  for (const event of events) {
    const [needsDirection, needsNature] = EVENTS[event.kind];
    if ((direction ?? needsDirection) === needsDirection && (nature ?? needsNature) === needsNature)
      continue;
    const needs = `${article(needsNature ?? "")} ${needsDirection}`;
    diagnostics.push(
      report("mci-event", { event: event.kind, port: name, needs, is }, event.place),
    );
  }
  const isVarying = nature === undefined || /continuous$/.test(nature);
  if (use !== undefined && (direction === "output" || !isVarying))
    diagnostics.push(report("mci-property", { property: use, port: name, is }, place));
  return [...diagnostics, ...checkInitial(port)];
}

const article = (word: string): string => (word === "" ? "a" : `a ${word}`);

/**
 * A type of the unit that has the values of the interface's type; what no type has is not checked
 * here.
 */
const VALUE_TYPES: Readonly<Partial<Record<InterfaceType, ValueType>>> = {
  Real: "float64",
  Integer: "uint64",
  Boolean: "boolean",
  Binary: "binary",
  Clock: "clock",
};

function checkInitial({ type, shape, initial, place }: InterfacePort): Diagnostic[] {
  const valueType = type && VALUE_TYPES[type];
  if (type === undefined || valueType === undefined || initial === undefined) return [];
  for (const value of initialValues(initial, shape)) {
    // Integers have up to 64 bits, with or without a sign.
    const isNegative = valueType === "uint64" && value.trim().startsWith("-");
    const read = readPortValue({ type: isNegative ? "int64" : valueType }, value);
    if ("value" in read) continue;
    const how = "how" in read ? read.how : `write a number without a unit: ${read.why}`;
    return [report("mci-initial", { value, type, how }, place)];
  }
  return [];
}

/** One value, or one per element, with commas between them. */
function initialValues(initial: string, shape: readonly number[]): readonly string[] {
  return shape.length === 0 ? [initial] : initial.split(",").map((one) => one.trim());
}
