/**
 * Which variables a run records: patterns that people type, or a sensible choice when they type none.
 */
import { type Checked, type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { type Port, portNamed, portSize, type UnitDescription } from "../model/unit-description.ts";
import { RECORD_DIAGNOSTICS } from "./diagnostics.ts";
import type { ColumnInfo } from "./trace.ts";

/** One column to record: an element of a port's value. */
export interface ColumnChoice {
  readonly port: number;
  /** Position in the port's value, row-major; 0 for a scalar. */
  readonly element: number;
  readonly info: ColumnInfo;
}

/**
 * The columns that `patterns` choose, in the order of the ports and without repetition.
 * A pattern is a name of a port or of an element (`A`, `A[2,1]`), or text with `*` and `?`. Brackets mean themselves.
 * Without patterns: all outputs; a unit without outputs gives its continuous locals.
 * @param alsoKnown other names that a misspelt pattern may have meant.
 */
export function selectColumns(
  unit: UnitDescription,
  patterns: readonly string[],
  alsoKnown: readonly string[] = [],
): Checked<readonly ColumnChoice[]> {
  if (patterns.length === 0) return defaultColumns(unit);
  const candidates = unit.ports
    .filter((port) => port.direction !== "independent")
    .flatMap(columnsOf);
  const chosen = new Set<ColumnChoice>();
  const diagnostics: Diagnostic[] = [];
  for (const pattern of patterns) {
    const matches = matching(unit, candidates, pattern);
    for (const choice of matches) chosen.add(choice);
    if (matches.length > 0) continue;
    const names = [...unit.ports.map(({ name }) => name), ...alsoKnown];
    const params = { pattern, nearest: nearest(pattern, names) };
    diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "record-no-match", params, { file: "--record" }));
  }
  return { value: candidates.filter((choice) => chosen.has(choice)), diagnostics };
}

/** What a run of a scenario records: ports, and which of the numbers that its master reports. */
export interface RecordedChoice {
  readonly columns: Checked<readonly ColumnChoice[]>;
  readonly wantsStatistic: (name: string) => boolean;
  /** Whether a pattern asks for the number of this name, which is reported only then. */
  readonly asksFor: (name: string) => boolean;
}

/**
 * Without patterns: as `selectColumns` does, and everything that the master reports.
 * @param statistics names of all numbers that a master may report.
 */
export function selectRecorded(
  unit: UnitDescription,
  patterns: readonly string[],
  statistics: readonly string[],
): RecordedChoice {
  if (patterns.length === 0)
    return {
      columns: selectColumns(unit, patterns),
      wantsStatistic: () => true,
      asksFor: () => false,
    };
  const isPort = (pattern: string): boolean => {
    const glob = globOf(pattern);
    return (
      unit.ports.some(({ name }) => glob.test(name)) || !statistics.some((name) => glob.test(name))
    );
  };
  const ports = patterns.filter(isPort);
  const globs = patterns.map(globOf);
  const asksFor = (name: string): boolean => globs.some((glob) => glob.test(name));
  return {
    // Without a pattern for ports there are none: `selectColumns` would choose by itself.
    columns:
      ports.length === 0 ? { value: [], diagnostics: [] } : selectColumns(unit, ports, statistics),
    wantsStatistic: asksFor,
    asksFor,
  };
}

/** Columns for numbers about the run, which hold from row to row. */
export function statisticColumn({
  name,
  unit,
  description,
}: {
  readonly name: string;
  readonly unit?: string;
  readonly description: string;
}): ColumnInfo {
  return {
    name,
    type: "float64",
    ...(unit === undefined ? {} : { unit }),
    description,
    stepwise: true,
  };
}

/** `x*,der(*),A[1,2]` → its patterns: commas inside brackets do not separate. */
export function splitPatterns(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const char of text) {
    if (char === "[" || char === "(") depth++;
    if (char === "]" || char === ")") depth = Math.max(0, depth - 1);
    if (char === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else {
      part += char;
    }
  }
  parts.push(part);
  return parts.map((one) => one.trim()).filter((one) => one !== "");
}

/** The columns of a port: one for a scalar, one an element for an array, named `A[2,1]` with indices from 1. */
export function columnsOf(port: Port): ColumnChoice[] {
  const size = portSize(port);
  const { type, description } = port;
  const common = {
    type,
    ...(port.unit === undefined ? {} : { unit: port.unit.name }),
    ...(description === undefined ? {} : { description }),
    ...(isStepwise(port) ? { stepwise: true } : {}),
    ...(port.nature === "transient" ? { isEvent: true } : {}),
  };
  const choices: ColumnChoice[] = [];
  for (let element = 0; element < size; element++) {
    const name = port.name + elementSuffix(port.shape, element);
    choices.push({ port: port.index, element, info: { name, ...common } });
  }
  return choices;
}

function elementSuffix(shape: readonly number[], element: number): string {
  if (shape.length === 0) return "";
  const indices: number[] = [];
  let rest = element;
  for (const size of shape.toReversed()) {
    indices.unshift((rest % size) + 1);
    rest = Math.floor(rest / size);
  }
  return `[${indices.join(",")}]`;
}

/** Everything but a real that varies continuously is drawn in steps. */
function isStepwise(port: Port): boolean {
  const real = port.type === "float64" || port.type === "float32";
  return !real || port.variability !== "continuous" || port.nature === "piecewise-constant";
}

function defaultColumns(unit: UnitDescription): Checked<readonly ColumnChoice[]> {
  const outputs = unit.ports.filter((port) => port.direction === "output");
  const locals = unit.ports.filter(
    (port) => port.direction === "local" && port.variability === "continuous",
  );
  const ports = outputs.length > 0 ? outputs : locals;
  const diagnostics =
    ports.length > 0
      ? []
      : [diagnose(RECORD_DIAGNOSTICS, "record-nothing", { unit: unit.name }, { file: unit.name })];
  return { value: ports.flatMap(columnsOf), diagnostics };
}

/** A pattern that names can be held against. */
export interface Glob {
  test(name: string): boolean;
}

/**
 * `*` and `?` as wild cards; brackets and everything else mean themselves. No regular expression: those have a longest length, and patterns with
 * many stars that take them for ever. Here a star that was too short grows by one, and no earlier one ever need be reconsidered.
 */
export function globOf(pattern: string): Glob {
  const wanted = [...pattern];
  return {
    test(name) {
      const given = [...name];
      let at = 0;
      let star = -1;
      let resume = 0;
      for (let i = 0; i < given.length; ) {
        if (wanted[at] === "*") {
          star = at++;
          resume = i;
        } else if (wanted[at] === "?" || wanted[at] === given[i]) {
          at++;
          i++;
        } else if (star >= 0) {
          at = star + 1;
          i = ++resume;
        } else {
          return false;
        }
      }
      while (wanted[at] === "*") at++;
      return at === wanted.length;
    },
  };
}

/** An exact name wins, so that a name may contain `*` or `?` itself. */
function matching(
  unit: UnitDescription,
  candidates: readonly ColumnChoice[],
  pattern: string,
): ColumnChoice[] {
  const named = portNamed(unit, pattern);
  const exact = candidates.filter(
    ({ port, info }) => info.name === pattern || port === named?.index,
  );
  if (exact.length > 0 || !/[*?]/.test(pattern)) return exact;
  const glob = globOf(pattern);
  return candidates.filter(
    ({ port, info }) => glob.test(info.name) || glob.test(unit.ports[port].name),
  );
}
