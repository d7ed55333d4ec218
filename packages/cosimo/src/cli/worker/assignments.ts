/**
 * `--set name=value`: from words to values of ports. Everything wrong is collected, so that a
 * person fixes all of it at once.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { readPortValue } from "../../model/port-value.ts";
import {
  type Port,
  portSize,
  portsByName,
  type UnitDescription,
} from "../../model/unit-description.ts";
import { bankOf, type Value } from "../../model/value-type.ts";
import { columnsOf } from "../../record/trace-select.ts";
import { RUN_DIAGNOSTICS } from "../run-diagnostics.ts";

type Report = (d: Diagnostic) => void;

export interface Assignment {
  readonly port: Port;
  readonly text: string;
  /** Element to set, or undefined for the whole port. */
  readonly element?: number;
  readonly source: string;
}

/**
 * Splits the `--set` texts and finds their ports. Structural parameters are among them.
 * @param alsoKnown further names that a misspelt one may have meant.
 */
export function findAssignments(
  set: readonly string[],
  unit: UnitDescription,
  report: Report,
  alsoKnown: () => Iterable<string> = () => [],
): Assignment[] {
  const byName = portsByName(unit);
  const found: Assignment[] = [];
  const seen = new Set<string>();
  for (const source of set) {
    const place = { file: `--set ${source}` };
    const split = /^\s*(.+?)\s*=(.*)$/s.exec(source);
    if (!split) {
      report(diagnose(RUN_DIAGNOSTICS, "set-malformed", { text: source }, place));
      continue;
    }
    const [, name = "", text = ""] = split;
    const target = findTarget(name, byName);
    if (target === undefined) {
      const params = { name, nearest: nearest(name, [...byName.keys(), ...alsoKnown()]) };
      report(diagnose(RUN_DIAGNOSTICS, "unknown-variable", params, place));
    } else if (!isSettable(target.port)) {
      const params = { name, what: describeRole(target.port) };
      report(diagnose(RUN_DIAGNOSTICS, "not-settable", params, place));
    } else if (seen.has(name)) {
      report(diagnose(RUN_DIAGNOSTICS, "set-twice", { name }, place));
    } else {
      seen.add(name);
      found.push({ ...target, text, source });
    }
  }
  return found;
}

/** A port, or an element of one: `A[1,2]`. */
function findTarget(
  name: string,
  byName: ReadonlyMap<string, Port>,
): { port: Port; element?: number } | undefined {
  const whole = byName.get(name);
  if (whole !== undefined) return { port: whole };
  const port = byName.get(name.replace(/\[[^[\]]*\]$/, ""));
  if (port === undefined) return undefined;
  const element = elementNames(port).indexOf(name.replaceAll(" ", ""));
  return element < 0 ? undefined : { port, element };
}

/** Names of a port's elements as people write them: `x`, or `A[1,1]`, `A[1,2]`, … row by row. */
export function elementNames(port: Port): string[] {
  return columnsOf(port).map((column) => column.info.name);
}

function isSettable({ variability, direction, start }: Port): boolean {
  if (variability === "constant") return false;
  if (direction === "independent" || direction === "calculated-parameter") return false;
  return (direction !== "output" && direction !== "local") || start !== undefined;
}

export function describeRole(port: Port): string {
  const role = port.direction.replace("-", " ");
  const article = /^[aeiou]/.test(role) ? "an" : "a";
  return port.variability === "constant" ? "a constant" : `${article} ${role}`;
}

/** Sizes that structural parameters get, by name. */
export function structuralValues(assignments: readonly Assignment[]): Map<string, number> {
  return new Map(
    assignments
      .filter(({ port, text }) => isStructural(port) && Number.isInteger(Number(text)))
      .map(({ port, text }) => [port.name, Number(text)]),
  );
}

/** All elements of every port that is set, by port. */
export function assignedValues(
  assignments: readonly Assignment[],
  report: Report,
): Map<number, readonly Value[]> {
  const elements = new Map<Port, (Value | undefined)[]>();
  for (const assignment of assignments) {
    const { port, element } = assignment;
    const values = readValues(assignment, report);
    if (values === undefined) continue;
    const all = elements.get(port) ?? startValues(port);
    if (element !== undefined) all[element] = values[0];
    else for (let i = 0; i < all.length; i++) all[i] = values[values.length === 1 ? 0 : i];
    elements.set(port, all);
  }
  return new Map(
    [...elements].map(([port, values]) => [
      port.index,
      values.map((value) => value ?? ZERO[bankOf(port.type)]),
    ]),
  );
}

/** Of elements that neither the command line nor the description gives. */
const ZERO = { f64: 0, i64: 0n, obj: "" } as const;

function startValues(port: Port): (Value | undefined)[] {
  const { start = [] } = port;
  return Array.from({ length: portSize(port) }, (_, i) => start[start.length === 1 ? 0 : i]);
}

/**
 * One for the element, one for all elements, or one per element; undefined where the count is
 * wrong.
 */
function readValues(
  { port, text, element, source }: Assignment,
  report: Report,
): (Value | undefined)[] | undefined {
  const place = { file: `--set ${source}` };
  const size = portSize(port);
  const words = element === undefined && size > 1 ? text.trim().split(/[\s,;]+/) : [text];
  if (words.length !== 1 && words.length !== size) {
    const params = { name: port.name, wanted: size, given: words.length };
    report(diagnose(RUN_DIAGNOSTICS, "set-value-count", params, place));
    return undefined;
  }
  return words.map((word): Value | undefined => {
    const { name, type, min, max } = port;
    const parsed = readPortValue(port, word);
    if (!("value" in parsed)) {
      const fix = "how" in parsed ? parsed.how : parsed.why;
      report(diagnose(RUN_DIAGNOSTICS, "bad-value", { text: word, name, type, fix }, place));
      return undefined;
    }
    const { value } = parsed;
    if (typeof value === "number" && (value < (min ?? value) || value > (max ?? value)))
      report(diagnose(RUN_DIAGNOSTICS, "out-of-range", { name, value, min, max }, place));
    return value;
  });
}

function isStructural({ direction }: Port): boolean {
  return direction === "structural-parameter";
}
