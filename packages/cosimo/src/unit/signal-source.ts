/**
 * Signals given as rows over time: what `cosimo run --input` feeds to a unit, and what a table unit
 * plays.
 *
 * Continuous ports are linear between rows, all others hold. Two rows that share a time are an
 * event: the first is the value before it, the last the value after it. Before the first and after
 * the last row the nearest row holds.
 */
import { type Port, portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks, type ObjectValue } from "../model/value-type.ts";
import type { PortSlot } from "./unit.ts";

/** One element's values, one per row. */
export type SignalColumn = Float64Array | BigInt64Array | readonly ObjectValue[];

export type Side = "before" | "after";

export interface InputSignals {
  /** The ports with signals and where they lie in the banks: bind these. */
  readonly slots: readonly PortSlot[];
  /** Banks that fit `slots`; `sample` fills them. */
  readonly banks: Banks;
  /**
   * Ports whose signals are linear between rows, in the order in which `slopes` writes their
   * elements.
   */
  readonly slopePorts: readonly number[];
  /** Writes the values at `time` into `banks`; at an event `side` says which of its values. */
  sample(time: number, side: Side): void;
  /** The same into banks of the caller, laid out like `banks`. */
  sampleAt(time: number, side: Side, banks: Banks): void;
  /** Writes the time derivatives of the elements of `slopePorts` from `time` on. */
  slopes(time: number, out: Float64Array): void;
  /**
   * The next time after `time` at which something jumps, or Infinity. With `port`: at which this
   * port jumps.
   */
  nextEventAfter(time: number, port?: number): number;
  /**
   * The next row after `time` that brings the port another value than the row before, or Infinity.
   */
  nextUpdateAfter(time: number, port: number): number;
}

/**
 * Signals of some of `ports`, from rows at `time` (never decreasing) and `columns` by port index,
 * one column per element. Columns of another bank than the port's are converted where nothing is
 * lost.
 * @throws RangeError when the columns do not fit the ports or the rows.
 */
export function makeInputSignals(
  ports: readonly Port[],
  time: Float64Array,
  columns: ReadonlyMap<number, readonly SignalColumn[]>,
): InputSignals {
  return new RowSignals(ports, time, columns);
}

interface Track {
  readonly port: number;
  readonly bank: "f64" | "i64" | "obj";
  readonly slot: number;
  readonly linear: boolean;
  readonly data: SignalColumn;
}

class RowSignals implements InputSignals {
  readonly slots: readonly PortSlot[];
  readonly banks: Banks;
  readonly slopePorts: readonly number[];
  private readonly time: Float64Array;
  private readonly doubles: readonly Track[];
  private readonly others: readonly Track[];
  private readonly linear: readonly Track[];
  private readonly tracks: readonly Track[];
  /** First row of each time at which something jumps, ascending. */
  private readonly events: readonly number[];
  /** The last row found: the next question is mostly about the same place. */
  private row = 0;

  constructor(
    ports: readonly Port[],
    time: Float64Array,
    columns: ReadonlyMap<number, readonly SignalColumn[]>,
  ) {
    checkTimes(time);
    const slots: PortSlot[] = [];
    const sizes = { f64: 0, i64: 0, obj: 0 };
    const tracks: Track[] = [];
    for (const [index, elements] of columns) {
      const port = ports.find((candidate) => candidate.index === index);
      if (port === undefined)
        throw new RangeError(`signals name port ${index}, which is not there`);
      checkCount(port, elements);
      const bank = bankOf(port.type);
      const linear = isLinear(port);
      slots.push({ port: index, slot: sizes[bank] });
      for (const column of elements) {
        const data = fitted(port, column, time.length);
        tracks.push({ port: index, bank, slot: sizes[bank]++, linear, data });
      }
    }
    this.time = time;
    this.slots = slots;
    this.banks = makeBanks(sizes);
    this.tracks = tracks;
    this.doubles = tracks.filter(({ bank }) => bank === "f64");
    this.others = tracks.filter(({ bank }) => bank !== "f64");
    this.linear = tracks.filter(({ linear }) => linear);
    this.slopePorts = [...new Set(this.linear.map(({ port }) => port))];
    this.events = this.findEvents();
  }

  sample(time: number, side: Side): void {
    this.sampleAt(time, side, this.banks);
  }

  sampleAt(time: number, side: Side, banks: Banks): void {
    const at = this.rowAt(time, side);
    const next = at + 1;
    const times = this.time;
    const inside = at >= 0 && next < times.length && times[next] > times[at];
    const share = inside ? (time - times[at]) / (times[next] - times[at]) : 0;
    const row = Math.max(at, 0);
    for (let i = 0; i < this.doubles.length; i++) {
      const { slot, linear, data } = this.doubles[i];
      const values = data as Float64Array;
      const value = values[row];
      banks.f64[slot] =
        linear && share > 0
          ? share < 1
            ? value + share * (values[next] - value)
            : values[next]
          : value;
    }
    for (let i = 0; i < this.others.length; i++) {
      const { bank, slot, data } = this.others[i];
      if (bank === "i64") banks.i64[slot] = (data as BigInt64Array)[row];
      else banks.obj[slot] = (data as readonly ObjectValue[])[row];
    }
  }

  slopes(time: number, out: Float64Array): void {
    const times = this.time;
    const at = this.rowAt(time, "after");
    const width = at >= 0 && at + 1 < times.length ? times[at + 1] - times[at] : 0;
    for (let i = 0; i < this.linear.length; i++) {
      const values = this.linear[i].data as Float64Array;
      out[i] = width > 0 ? (values[at + 1] - values[at]) / width : 0;
    }
  }

  nextEventAfter(time: number, port = -1): number {
    for (let i = firstAbove(this.events, this.time, time); i < this.events.length; i++) {
      const row = this.events[i];
      if (port < 0 || this.tracks.some((t) => t.port === port && this.jumpsAt(t, row))) {
        return this.time[row];
      }
    }
    return Number.POSITIVE_INFINITY;
  }

  nextUpdateAfter(time: number, port: number): number {
    for (let row = this.rowAt(time, "after") + 1; row < this.time.length; row++) {
      if (row > 0 && this.tracks.some((t) => t.port === port && differ(t.data, row, row - 1))) {
        return this.time[row];
      }
    }
    return Number.POSITIVE_INFINITY;
  }

  /**
   * The last row at or before `time` (side after), or the row whose segment ends at it (side
   * before: the last row strictly before `time`, so that a hold has not changed yet and a line is
   * at its end). -1 before the first row.
   */
  private rowAt(time: number, side: Side): number {
    const times = this.time;
    const after = side === "after";
    let row = this.row;
    if (isPassed(times, row, time, after)) {
      for (let tries = 0; tries < 4; tries++, row++) {
        if (row + 1 < times.length && isPassed(times, row + 1, time, after)) continue;
        this.row = row;
        return row;
      }
    }
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isPassed(times, middle, time, after)) low = middle + 1;
      else high = middle;
    }
    this.row = Math.max(low - 1, 0);
    return low - 1;
  }

  private findEvents(): number[] {
    const rows: number[] = [];
    let first = 0;
    for (let row = 0; row < this.time.length; row++) {
      if (this.time[row] !== this.time[first]) first = row;
      const last = row + 1 === this.time.length || this.time[row + 1] !== this.time[row];
      if (last && this.tracks.some((track) => this.jumpsAt(track, first))) rows.push(first);
    }
    return rows;
  }

  /**
   * Whether the track jumps at the time of row `first`, the first of the rows that share this time.
   */
  private jumpsAt({ data, linear }: Track, first: number): boolean {
    let last = first;
    while (last + 1 < this.time.length && this.time[last + 1] === this.time[first]) last++;
    return differ(data, last, first) || (!linear && first > 0 && differ(data, first, first - 1));
  }
}

/** Whether values between rows are interpolated: only real signals that are continuous. */
function isLinear({ type, variability }: Port): boolean {
  return variability === "continuous" && (type === "float64" || type === "float32");
}

function isPassed(times: Float64Array, row: number, time: number, after: boolean): boolean {
  return after ? times[row] <= time : times[row] < time;
}

/** Unequal; two NaN count as equal, so that gaps in measured data are not events. */
function differ(data: SignalColumn, i: number, j: number): boolean {
  return data[i] !== data[j] && !(Number.isNaN(data[i]) && Number.isNaN(data[j]));
}

function firstAbove(rows: readonly number[], times: Float64Array, time: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[rows[middle]] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function checkTimes(time: Float64Array): void {
  if (time.length === 0) throw new RangeError("signals need at least one row");
  for (let row = 0; row < time.length; row++) {
    if (!Number.isFinite(time[row]) || (row > 0 && time[row] < time[row - 1])) {
      throw new RangeError(
        `row ${row + 1} of the signals has time ${time[row]}; time never decreases`,
      );
    }
  }
}

function checkCount(port: Port, columns: readonly SignalColumn[]): void {
  if (columns.length === portSize(port)) return;
  throw new RangeError(
    `port '${port.name}' has ${portSize(port)} elements, but ${columns.length} columns are given`,
  );
}

/**
 * The column in the form of the port's bank: whole numbers change between the number banks, numbers
 * become text.
 */
function fitted(port: Port, column: SignalColumn, rows: number): SignalColumn {
  const bank = bankOf(port.type);
  const refuse = (): never => {
    throw new RangeError(
      `a column of port '${port.name}' must have ${rows} values of type ${port.type}`,
    );
  };
  if (column.length !== rows) return refuse();
  if (column instanceof Float64Array) {
    if (bank === "f64") return column;
    if (port.type === "string") return Array.from(column, String);
    if (bank === "i64" && column.every(Number.isSafeInteger)) {
      return BigInt64Array.from(column, BigInt);
    }
    return refuse();
  }
  if (column instanceof BigInt64Array) {
    if (bank === "i64") return column;
    if (bank === "f64") return Float64Array.from(column, Number);
    return port.type === "string" ? Array.from(column, String) : refuse();
  }
  return bank === "obj" ? column : refuse();
}
