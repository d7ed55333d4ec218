/**
 * Which variables a run records: patterns that people type, or a sensible choice when they type
 * none.
 */
import { type Checked, type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { globOf } from "../base/glob.ts";
import { nearest } from "../base/nearest.ts";
import {
  elementSuffix,
  isStepwise,
  type Port,
  portNamed,
  portSize,
  type UnitDescription,
} from "../model/unit-description.ts";
import { RECORD_DIAGNOSTICS } from "./diagnostics.ts";
import type { ColumnInfo } from "./trace.ts";

/** One column to record: an element of a port's value. */
export interface ColumnChoice {
  readonly port: number;
  /** Position in the port's value, row-major; 0 for a scalar. */
  readonly element: number;
  readonly info: ColumnInfo;
  /** The port's other name that was asked for. */
  readonly alias?: string;
}

/**
 * The columns that `patterns` choose, in the order of the patterns (those of one pattern in the
 * order of the ports), without repetition. A pattern is a name of a port or of an element (`A`,
 * `A[2,1]`), or text with `*` and `?`. Brackets mean themselves. Without patterns: all outputs; a
 * unit without outputs gives its continuous locals.
 * @param alsoKnown other names that a misspelt pattern may have meant.
 */
export function selectColumns(
  unit: UnitDescription,
  patterns: readonly string[],
  alsoKnown: readonly string[] = [],
): Checked<readonly ColumnChoice[]> {
  if (patterns.length === 0) return defaultColumns(unit);
  const aliases = patterns.flatMap((pattern) => aliasColumns(unit, pattern));
  const mayBeMeant = namesIn(patterns);
  const candidates = [
    ...unit.ports
      .filter((port) => port.direction !== "independent" && mayBeMeant(port))
      .flatMap(columnsOf),
    ...new Map(aliases.map((choice) => [choice.info.name, choice])).values(),
  ];
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
  return { value: [...chosen], diagnostics };
}

/**
 * Whether a port, or an element of it, may be what one of the patterns chooses: of large scenarios
 * most are not.
 */
function namesIn(patterns: readonly string[]): (port: Port) => boolean {
  if (patterns.some((pattern) => /[*?]/.test(pattern))) return () => true;
  const named = new Set(patterns);
  for (const pattern of patterns)
    for (let at = pattern.indexOf("["); at >= 0; at = pattern.indexOf("[", at + 1))
      named.add(pattern.slice(0, at));
  return ({ name }) => named.has(name);
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

/**
 * The columns of a port: one for a scalar, one per element for an array, named `A[2,1]` with
 * indices from 1.
 */
export function columnsOf(port: Port): ColumnChoice[] {
  const size = portSize(port);
  const { type, description } = port;
  const common = {
    type,
    ...(port.unit === undefined ? {} : { unit: port.unit.name }),
    ...(description === undefined ? {} : { description }),
    ...(isStepwise(port) ? { stepwise: true } : {}),
    ...(port.nature === "transient" ? { isEvent: true } : {}),
    ...itemNames(port),
  };
  const choices: ColumnChoice[] = [];
  for (let element = 0; element < size; element++) {
    const name = port.name + elementSuffix(port.shape, element);
    choices.push({ port: port.index, element, info: { name, ...common } });
  }
  return choices;
}

/** Beyond so many items their names do not help in a picture, and every column would carry them. */
const MAX_ITEMS = 100;

function itemNames({ items }: Port): Pick<ColumnInfo, "items"> {
  if (items === undefined || items.size === 0 || items.size > MAX_ITEMS) return {};
  return { items: Object.fromEntries(items) };
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

/**
 * Ports of which `pattern` is another name, or which only another name of theirs fits, under these
 * names.
 */
function aliasColumns(unit: UnitDescription, pattern: string): ColumnChoice[] {
  const port = portNamed(unit, pattern);
  if (port !== undefined) return port.name === pattern ? [] : aliased(port, pattern);
  if (!/[*?]/.test(pattern)) return [];
  const glob = globOf(pattern);
  return unit.ports.flatMap((one) => {
    const names = (one.aliases ?? []).filter((alias) => glob.test(alias));
    const isFound = (): boolean =>
      glob.test(one.name) || columnsOf(one).some(({ info }) => glob.test(info.name));
    return names.length === 0 || isFound() ? [] : names.flatMap((alias) => aliased(one, alias));
  });
}

function aliased(port: Port, alias: string): ColumnChoice[] {
  return columnsOf({ ...port, name: alias }).map((choice) => ({ ...choice, alias }));
}

/** An exact name wins, so that a name may contain `*` or `?` itself. */
function matching(
  unit: UnitDescription,
  candidates: readonly ColumnChoice[],
  pattern: string,
): ColumnChoice[] {
  const named = unit.ports.find(({ name }) => name === pattern);
  const exact = candidates.filter(
    ({ port, info, alias }) => alias === pattern || info.name === pattern || port === named?.index,
  );
  if (exact.length > 0 || !/[*?]/.test(pattern)) return exact;
  const glob = globOf(pattern);
  return candidates.filter(({ port, info, alias }) =>
    alias === undefined
      ? glob.test(info.name) || glob.test(unit.ports[port].name)
      : glob.test(alias) && !glob.test(unit.ports[port].name),
  );
}
