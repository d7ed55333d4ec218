/**
 * Signals of a run or a trace, found and drawn fast whatever their length: per signal the lowest
 * and highest value of every block of rows, in levels, each of which puts `FAN` blocks of the one
 * below together. A picture reads the level that has about as many blocks as it has points, and
 * rows themselves only where it shows few of them.
 *
 * What is drawn is min/max decimation: of every range of rows the lowest and the highest value, in
 * the order in which they occur, so that no spike is lost at any zoom. All signals of a picture
 * share the ranges, and thereby one time axis.
 */
import type { Columns } from "./columns.ts";

/** Rows of a block of the lowest level. */
const BLOCK = 64;
const FAN = 8;

/** Rows that may still become more. */
export interface RowSource {
  /** Names, in the order of the columns. */
  readonly names: readonly string[];
  /** Rows that are there now. */
  count(): number;
  /** Numbers of rows `first` … `first + target.length - 1`; column -1 is the time. */
  read(column: number, first: number, target: Float64Array): void;
  /** Of a column of texts: what the numbers mean. */
  texts?(column: number): readonly string[] | undefined;
}

/** One signal's blocks; values that are not numbers do not count, and a block of such is NaN. */
class Pyramid {
  rows = 0;
  /** Per level: lowest, highest; and whether the lowest comes first. */
  private readonly low: Float64Array[] = [];
  private readonly high: Float64Array[] = [];
  private readonly lowFirst: Uint8Array[] = [];

  /** Adds rows that follow; whole blocks only, so that what is kept never changes. */
  append(values: Float64Array): void {
    const blocks = Math.floor(values.length / BLOCK);
    const first = this.rows / BLOCK;
    this.grow(0, first + blocks);
    const [low, high, order] = this.level(0);
    for (let b = 0; b < blocks; b++) {
      let lowest = Number.NaN;
      let highest = Number.NaN;
      let [lowAt, highAt] = [0, 0];
      for (let r = b * BLOCK; r < (b + 1) * BLOCK; r++) {
        const value = values[r] as number;
        if (Number.isNaN(value)) continue;
        // The first number is lower and higher than none.
        if (!(value >= lowest)) [lowest, lowAt] = [value, r];
        if (!(value <= highest)) [highest, highAt] = [value, r];
      }
      low[first + b] = lowest;
      high[first + b] = highest;
      order[first + b] = lowAt <= highAt ? 1 : 0;
    }
    this.rows += blocks * BLOCK;
    for (let l = 1; this.blocksAt(l) > 0; l++) this.raise(l);
  }

  private level(l: number): [Float64Array, Float64Array, Uint8Array] {
    return [
      this.low[l] as Float64Array,
      this.high[l] as Float64Array,
      this.lowFirst[l] as Uint8Array,
    ];
  }

  blocksAt(level: number): number {
    return Math.floor(this.rows / (BLOCK * FAN ** level));
  }

  private readonly done: number[] = [];

  private raise(l: number): void {
    const count = this.blocksAt(l);
    this.grow(l, count);
    const [low, high, order] = this.level(l);
    const [below, above, first] = this.level(l - 1);
    for (let b = this.done[l] ?? 0; b < count; b++) {
      let [lowAt, highAt] = [b * FAN, b * FAN];
      for (let k = b * FAN; k < (b + 1) * FAN; k++) {
        const isLower = (below[k] as number) < (below[lowAt] as number);
        if (isLower || Number.isNaN(below[lowAt])) lowAt = k;
        const isHigher = (above[k] as number) > (above[highAt] as number);
        if (isHigher || Number.isNaN(above[highAt])) highAt = k;
      }
      low[b] = below[lowAt] as number;
      high[b] = above[highAt] as number;
      order[b] = lowAt < highAt || (lowAt === highAt && first[lowAt] === 1) ? 1 : 0;
    }
    this.done[l] = count;
  }

  private grow(l: number, blocks: number): void {
    const now = this.low[l];
    if (now !== undefined && now.length >= blocks) return;
    const size = Math.max(1024, 2 * blocks);
    const low = new Float64Array(size);
    const high = new Float64Array(size);
    const order = new Uint8Array(size);
    if (now !== undefined) {
      low.set(now);
      high.set(this.high[l] as Float64Array);
      order.set(this.lowFirst[l] as Uint8Array);
    }
    this.low[l] = low;
    this.high[l] = high;
    this.lowFirst[l] = order;
  }

  /**
   * Lowest and highest of rows `from` … `to - 1`, which begin and end with blocks of `level`, into
   * `out` at `at` and `at + 1`, as they occur.
   */
  range(level: number, from: number, to: number, out: Float64Array, at: number): void {
    const size = BLOCK * FAN ** level;
    const [low, high, order] = this.level(level);
    let lowAt = from / size;
    let highAt = lowAt;
    for (let b = lowAt; b < to / size; b++) {
      if ((low[b] as number) < (low[lowAt] as number) || Number.isNaN(low[lowAt])) lowAt = b;
      if ((high[b] as number) > (high[highAt] as number) || Number.isNaN(high[highAt])) highAt = b;
    }
    const isLowFirst = lowAt < highAt || (lowAt === highAt && order[lowAt] === 1);
    out[at] = (isLowFirst ? low[lowAt] : high[highAt]) as number;
    out[at + 1] = (isLowFirst ? high[highAt] : low[lowAt]) as number;
  }
}

export interface Query {
  /** Identity of the run, or path of the trace. */
  readonly of: string;
  readonly plot?: number;
  readonly signals: readonly string[];
  readonly from?: number;
  readonly to?: number;
  /** From the last time on, backwards. */
  readonly last?: number;
  readonly points: number;
}

export interface InstantValues {
  readonly time: number;
  /** The last row that is not later; absent before the first. */
  readonly row?: number;
  readonly rowTime?: number;
  /** None before the first row and behind the last. */
  readonly values: Readonly<Record<string, number | string | null>>;
}

/** Rows that are indexed between two turns of the event loop. */
const SLICE = BLOCK * 2048;

export class SignalIndex {
  private readonly source: RowSource;
  private readonly columns: Map<string, number>;
  /** Columns behind those of the source. */
  private readonly derived: ((first: number, target: Float64Array) => void)[] = [];
  private readonly pyramids = new Map<number, Pyramid>();
  private readonly slice = new Float64Array(SLICE);

  constructor(source: RowSource) {
    this.source = source;
    this.columns = new Map(source.names.map((name, c) => [name, c]));
  }

  get rows(): number {
    return this.source.count();
  }

  has(signal: string): boolean {
    return this.columns.has(signal);
  }

  /** A signal that is computed of others, row by row: what a row was never changes. */
  define(name: string, read: (first: number, target: Float64Array) => void): void {
    if (this.columns.has(name)) return;
    this.columns.set(name, this.source.names.length + this.derived.length);
    this.derived.push(read);
  }

  /** Numbers of rows `first` …; without a signal, the times. */
  read(signal: string | undefined, first: number, target: Float64Array): void {
    const column = signal === undefined ? TIME : this.columns.get(signal);
    if (column === undefined) target.fill(Number.NaN);
    else this.readColumn(column, first, target);
  }

  private readColumn(column: number, first: number, target: Float64Array): void {
    const own = this.derived[column - this.source.names.length];
    if (own === undefined) this.source.read(column, first, target);
    else own(first, target);
  }

  /**
   * Values at an instant, as they were recorded: of the last row that is not later, or between that
   * and the next one where a signal is linear there. @param by goes on from there by so many
   * instants that have rows.
   */
  instant(
    wanted: number,
    by: number,
    signals: readonly string[],
    isStepwise: (signal: string) => boolean,
  ): InstantValues {
    const rows = this.source.count();
    let time = wanted;
    for (let left = Math.abs(by); left > 0; left--) {
      const row = by > 0 ? this.rowAt(time, rows, true) : this.rowAt(time, rows, false) - 1;
      if (row < 0 || row >= rows) break;
      time = this.timeAt(row);
    }
    const row = this.rowAt(time, rows, true) - 1;
    const [before, after] = [row < 0 ? Number.NaN : this.timeAt(row), row + 1];
    const share =
      before === time
        ? 0
        : after < rows
          ? (time - before) / (this.timeAt(after) - before)
          : Number.NaN;
    const valueIn = (signal: string): number | string | null => {
      const column = this.columns.get(signal);
      if (column === undefined || row < 0 || Number.isNaN(share)) return null;
      const value = this.numberAt(column, row);
      const texts = this.textsOfColumn(column);
      if (texts !== undefined) return texts[value] ?? null;
      if (share === 0 || isStepwise(signal)) return value;
      return value + (this.numberAt(column, after) - value) * share;
    };
    return {
      time,
      ...(row < 0 ? {} : { row, rowTime: before }),
      values: Object.fromEntries(signals.map((signal) => [signal, valueIn(signal)])),
    };
  }

  /**
   * Takes in what is new of these signals, slice by slice: the rows of a slice are read once for
   * all of them, and the server answers others in between.
   */
  async prepare(signals: readonly string[], turn: () => Promise<void>): Promise<void> {
    const rows = BLOCK * Math.floor(this.source.count() / BLOCK);
    const wanted = new Set([TIME, ...signals.flatMap((name) => this.columns.get(name) ?? [])]);
    const pyramids = [...wanted].map((column) => ({ column, pyramid: this.pyramidOf(column) }));
    for (;;) {
      const done = Math.min(...pyramids.map(({ pyramid }) => pyramid.rows));
      if (done >= rows) return;
      const end = Math.min(rows, SLICE * (Math.floor(done / SLICE) + 1));
      for (const { column, pyramid } of pyramids) {
        if (pyramid.rows >= end) continue;
        const part = this.slice.subarray(0, end - pyramid.rows);
        this.readColumn(column, pyramid.rows, part);
        pyramid.append(part);
      }
      if (end < rows) await turn();
    }
  }

  private pyramidOf(column: number): Pyramid {
    const known = this.pyramids.get(column);
    if (known !== undefined) return known;
    const made = new Pyramid();
    this.pyramids.set(column, made);
    return made;
  }

  /** The newest values of those signals that there are; texts as texts. */
  newest(signals: readonly string[]): Record<string, number | string> {
    const row = this.source.count() - 1;
    const newestOf = (signal: string): number | string => {
      const column = this.columns.get(signal);
      if (row < 0 || column === undefined) return Number.NaN;
      const value = this.numberAt(column, row);
      return this.textsOfColumn(column)?.[value] ?? value;
    };
    const known = signals.filter((signal) => this.columns.has(signal));
    return Object.fromEntries(known.map((signal) => [signal, newestOf(signal)]));
  }

  timeAt(row: number): number {
    return this.numberAt(TIME, row);
  }

  private numberAt(column: number, row: number): number {
    this.readColumn(column, row, this.one);
    return this.one[0] as number;
  }

  private readonly one = new Float64Array(1);

  /** First row whose time is at least `time`; after `prepare`. */
  private rowAt(time: number, rows: number, isAfter: boolean): number {
    let [low, high] = [0, rows];
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = this.timeAt(middle);
      if (at < time || (isAfter && at === time)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What is drawn. Rows that came after `prepare` count, as far as they do not fill a block. */
  query(query: Query): Columns {
    const rows = this.source.count();
    const signals = query.signals.filter((name) => this.columns.has(name));
    const columns = signals.map((name) => this.columns.get(name) as number);
    const end = rows === 0 ? 0 : this.timeAt(rows - 1);
    const begin = query.last === undefined ? query.from : end - query.last;
    // One row more on either side: curves go on to the edge of the picture.
    const first = begin === undefined ? 0 : Math.max(0, this.rowAt(begin, rows, false) - 1);
    const after =
      query.to === undefined ? rows : Math.min(rows, this.rowAt(query.to, rows, true) + 1);
    const inRange = Math.max(0, after - first);
    const points = Math.max(2, Math.min(MAX_POINTS, Math.floor(query.points) || 2));
    const isDecimated = inRange > points;
    const texts = this.textsOf(signals, columns);
    const head = (length: number): Columns["head"] => ({
      of: query.of,
      signals,
      length,
      rows,
      rowsInRange: inRange,
      isDecimated,
      ...(query.plot === undefined ? {} : { plot: query.plot }),
      ...(texts === undefined ? {} : { texts }),
    });
    const read = (column: number): Float64Array => {
      const values = new Float64Array(inRange);
      this.readColumn(column, first, values);
      return values;
    };
    if (!isDecimated) {
      return { head: head(inRange), time: read(TIME), values: columns.map(read) };
    }
    const ranges = rangesOf(first, after, points / 2);
    const time = new Float64Array(2 * ranges.length);
    const values = columns.map(() => new Float64Array(2 * ranges.length));
    // Times never decrease: the lowest is the first, the highest the last.
    for (const [c, column] of [TIME, ...columns].entries()) {
      const out = c === 0 ? time : (values[c - 1] as Float64Array);
      // Ranges below a block are read together.
      const rowsHere = inRange <= BLOCK * ranges.length ? read(column) : undefined;
      for (const [i, [from, to]] of ranges.entries()) {
        if (rowsHere === undefined) this.extremes(column, from, to, out, 2 * i);
        else extremesOf(rowsHere, from - first, to - first, out, 2 * i);
      }
    }
    return { head: head(2 * ranges.length), time, values };
  }

  private textsOf(
    signals: readonly string[],
    columns: readonly number[],
  ): Readonly<Record<string, readonly string[]>> | undefined {
    const found = columns.flatMap((column, s) => {
      const texts = this.textsOfColumn(column);
      return texts === undefined ? [] : [[signals[s] as string, texts] as const];
    });
    return found.length === 0 ? undefined : Object.fromEntries(found);
  }

  private textsOfColumn(column: number): readonly string[] | undefined {
    return column < this.source.names.length ? this.source.texts?.(column) : undefined;
  }

  /** From blocks where they are there, from rows where they are not. */
  private extremes(column: number, from: number, to: number, out: Float64Array, at: number): void {
    const pyramid = this.pyramidOf(column);
    if (to - from >= BLOCK && from % BLOCK === 0 && to % BLOCK === 0 && to <= pyramid.rows) {
      let level = 0;
      while (
        from % (BLOCK * FAN ** (level + 1)) === 0 &&
        to % (BLOCK * FAN ** (level + 1)) === 0 &&
        to - from >= BLOCK * FAN ** (level + 1) &&
        to <= pyramid.blocksAt(level + 1) * BLOCK * FAN ** (level + 1)
      )
        level++;
      pyramid.range(level, from, to, out, at);
      return;
    }
    const values = new Float64Array(to - from);
    this.readColumn(column, from, values);
    extremesOf(values, 0, values.length, out, at);
  }
}

/**
 * Lowest and highest of `values` from `from` to `to - 1` into `out` at `at` and `at + 1`, as they
 * occur.
 */
function extremesOf(
  values: Float64Array,
  from: number,
  to: number,
  out: Float64Array,
  at: number,
): void {
  let [lowAt, highAt] = [from, from];
  for (let r = from; r < to; r++) {
    const value = values[r] as number;
    if (value < (values[lowAt] as number) || Number.isNaN(values[lowAt])) lowAt = r;
    if (value > (values[highAt] as number) || Number.isNaN(values[highAt])) highAt = r;
  }
  out[at] = values[Math.min(lowAt, highAt)] as number;
  out[at + 1] = values[Math.max(lowAt, highAt)] as number;
}

const TIME = -1;
/** More than a screen has. */
const MAX_POINTS = 1 << 16;

/** About `count` ranges of rows; where they hold many, they begin and end with blocks. */
function rangesOf(first: number, after: number, count: number): [number, number][] {
  const per = (after - first) / count;
  let unit = 1;
  if (per >= BLOCK) for (unit = BLOCK; unit * FAN <= per; ) unit *= FAN;
  const size = Math.max(1, Math.round(per / unit)) * unit;
  const ranges: [number, number][] = [];
  // Ranges begin at multiples of their size, so that a picture does not flicker while the run goes
  // on.
  for (let from = first; from < after; ) {
    const to = Math.min(after, (Math.floor(from / size) + 1) * size);
    ranges.push([from, to]);
    from = to;
  }
  return ranges;
}
