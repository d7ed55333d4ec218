/**
 * What headers of tables say of units: `time [s],F [N]`. Our own tables have units beside them and
 * quote every name, so a name of theirs stays whole whatever it contains.
 */
import { conversion, convertValue } from "../model/physical-unit-conversion.ts";
import { parseUnit } from "../model/physical-unit-parse.ts";

export interface HeaderNames {
  readonly names: readonly string[];
  /** By column; empty where the header names none. */
  readonly units: readonly string[];
}

/**
 * Names without the units in brackets behind them. Where even the time has one, all brackets are
 * units; elsewhere only those behind names without quotes that name a known unit.
 * @param isKnown what the notes beside the table know under its whole name.
 */
export function namesAndUnits(
  cells: readonly string[],
  quoted: readonly boolean[],
  isKnown: (name: string) => boolean,
): HeaderNames {
  const parts = cells.map(partsOf);
  const timed = parts.some(([name, unit]) => isTime(name) && isTimeUnit(unit));
  const isUnit = (i: number): boolean => {
    const [, unit] = parts[i] ?? ["", ""];
    if (unit === "" || isKnown(cells[i] ?? "")) return false;
    return (
      timed ||
      (quoted[i] !== true &&
        (unit === "-" || (!/^[\d,]+$/.test(unit) && parseUnit(unit) !== undefined)))
    );
  };
  const names = cells.map((cell, i) => (isUnit(i) ? (parts[i]?.[0] ?? cell) : cell));
  // Columns that only their units tell apart keep them in their names.
  const isClear = new Set(names).size === new Set(cells).size;
  const units = parts.map(([, unit], i) => (isClear && isUnit(i) && unit !== "-" ? unit : ""));
  return { names: isClear ? names : cells, units };
}

function partsOf(cell: string): [name: string, unit: string] {
  const [, name = cell, unit = ""] = /^(.*\S)\s+\[([^\][]+)\]$/s.exec(cell) ?? [];
  return [name, unit.trim()];
}

/** The column called time, or else t; -1 when there is neither. */
export function timeColumn(names: readonly string[]): number {
  const lower = names.map((name) => name.toLowerCase());
  const at = lower.indexOf("time");
  return at >= 0 ? at : lower.indexOf("t");
}

function isTime(name: string): boolean {
  return timeColumn([name]) === 0;
}

/** `s`, or `[ms]`, as the time cell of a row of units has it. */
export function isTimeUnit(text: string): boolean {
  return /^\[?(s|sec|seconds|ms|us|min|h)\]?$/i.test(text);
}

/** In seconds. @param unit as `isTimeUnit` takes it; empty: seconds. */
export function inSeconds(
  time: Float64Array<ArrayBuffer>,
  unit: string,
): Float64Array<ArrayBuffer> {
  const from = parseUnit(unit.replace(/^\[(.*)\]$/, "$1").toLowerCase());
  const second = parseUnit("s");
  if (from === undefined || second === undefined) return time;
  const way = conversion(from, second);
  return "error" in way || way.factor === 1 ? time : time.map((value) => convertValue(value, way));
}
