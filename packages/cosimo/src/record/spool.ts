/**
 * Where a run's rows lie until they become a file: fixed-width rows in chunks of memory that
 * outlive the process.
 *
 * Why: an FMU may end its process at any moment, and what was recorded until then must be readable.
 * A chunk is shared memory backed by a file, so a row is safe as soon as it is written, at the
 * price of a few stores. The supervisor of the run reads the chunks afterwards, however the run
 * ended.
 *
 * Layout of a chunk, 8-byte words: [0] row counter, then the rows. A row is
 *   time, the f64 slots, the i64 slots (same bits), one word per obj slot (number of the object in the object log).
 * The row counter is written after the row: a reader never sees half a row.
 */
import type { Banks, ObjectValue } from "../model/value-type.ts";
import { bankOf } from "../model/value-type.ts";
import type { ColumnData, ColumnInfo } from "./trace.ts";
import type { TraceChunk } from "./trace-chunk.ts";

export interface SpoolLayout {
  readonly f64: number;
  readonly i64: number;
  readonly obj: number;
}

/** Memory for one chunk; `close` hands it back when it is full or the run is over. */
export interface Chunk {
  readonly bytes: Uint8Array;
  /** Sees to it that what was written outlives the machine too. */
  sync?(): void;
  close(): void;
}

/**
 * What the host gives: chunks, and a place for the objects (strings, binaries) that rows refer to
 * by number.
 */
export interface SpoolHost {
  nextChunk(): Chunk;
  appendObject(value: ObjectValue): void;
  /**
   * Gets the bytes of rows that will not change any more, each once and in their order: when a
   * chunk is full, and before a sync.
   */
  seal?(rows: Uint8Array): void;
}

/**
 * What a spool that is continued holds already: so many rows in full chunks and, if it is not full,
 * the first one that is handed out.
 */
export interface BegunSpool {
  readonly rows: number;
  readonly objects: readonly ObjectValue[];
}

export function rowWords(layout: SpoolLayout): number {
  return 1 + layout.f64 + layout.i64 + layout.obj;
}

export function rowsPerChunk(layout: SpoolLayout, chunkBytes: number): number {
  return Math.floor((chunkBytes / 8 - 1) / rowWords(layout));
}

/**
 * A row counter says twice how many rows there are, n + (n + 1) 2^-27: a bit that flips, on the
 * disk or in memory that an FMU writes into, cannot make another number of rows of it. Exact below
 * 2^25 rows.
 */
const COUNTER_SCALE = 2 ** -27;

export function rowCounter(rows: number): number {
  return rows + (rows + 1) * COUNTER_SCALE;
}

/**
 * How many rows a counter stands for; undefined where it cannot be true. A chunk that was never
 * written begins with 0.
 */
export function rowsOfCounter(counter: number, capacity: number): number | undefined {
  const rows = Math.floor(counter);
  if (counter === 0) return 0;
  return rows >= 0 && rows <= capacity && rowCounter(rows) === counter ? rows : undefined;
}

export interface SpoolWriter {
  readonly rows: number;
  write(time: number, banks: Banks): void;
  /** All rows so far outlive the machine, as far as the host can see to it. */
  sync(): void;
  close(): void;
}

export function makeSpoolWriter(
  layout: SpoolLayout,
  host: SpoolHost,
  begun: BegunSpool = { rows: 0, objects: [] },
): SpoolWriter {
  const width = rowWords(layout);
  const objects = new Map<string, number>(begun.objects.map((value, n) => [keyOf(value), n]));
  let { rows } = begun;
  let chunk: Chunk | undefined;
  let words: Float64Array = new Float64Array(0);
  let bits: BigInt64Array = new BigInt64Array(0);
  let capacity = 0;
  let used = 0;
  /** Rows of the chunk that were sealed. */
  let sealed = 0;

  const seal = (): void => {
    if (chunk !== undefined && used > sealed)
      host.seal?.(chunk.bytes.subarray(8 * (1 + sealed * width), 8 * (1 + used * width)));
    sealed = used;
  };

  const openChunk = (): void => {
    seal();
    chunk?.close();
    chunk = host.nextChunk();
    words = new Float64Array(
      chunk.bytes.buffer,
      chunk.bytes.byteOffset,
      chunk.bytes.byteLength >> 3,
    );
    bits = new BigInt64Array(
      chunk.bytes.buffer,
      chunk.bytes.byteOffset,
      chunk.bytes.byteLength >> 3,
    );
    capacity = rowsPerChunk(layout, chunk.bytes.byteLength);
    if (capacity < 1) throw new Error(`internal: a row of ${width} words does not fit a chunk`);
    // Not 0 only in the first chunk of a spool that is continued.
    used = rows % capacity;
    sealed = used;
    words[0] = rowCounter(used);
  };

  const numberOf = (value: ObjectValue): number => {
    const key = keyOf(value);
    const known = objects.get(key);
    if (known !== undefined) return known;
    host.appendObject(value);
    objects.set(key, objects.size);
    return objects.size - 1;
  };

  return {
    get rows() {
      return rows;
    },
    write(time: number, banks: Banks): void {
      if (used === capacity) openChunk();
      let w = 1 + used * width;
      words[w++] = time;
      for (let i = 0; i < layout.f64; i++) words[w++] = banks.f64[i];
      for (let i = 0; i < layout.i64; i++) bits[w++] = banks.i64[i];
      for (let i = 0; i < layout.obj; i++) words[w++] = numberOf(banks.obj[i]);
      used++;
      rows++;
      words[0] = rowCounter(used);
    },
    sync(): void {
      seal();
      chunk?.sync?.();
    },
    close(): void {
      chunk?.close();
      chunk = undefined;
      capacity = 0;
      used = 0;
    },
  };
}

/** Binary values are compared by content through their text form; strings are their own key. */
function keyOf(value: ObjectValue): string {
  return typeof value === "string" ? `s${value}` : `b${value.join(",")}`;
}

/** The rows of one chunk; `slots` says for every column which slot of its bank it is. */
export function readChunk(
  bytes: Uint8Array,
  layout: SpoolLayout,
  columns: readonly ColumnInfo[],
  slots: readonly number[],
  objects: readonly ObjectValue[],
): TraceChunk {
  const words = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 3);
  const bits = new BigInt64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 3);
  const width = rowWords(layout);
  // A chunk that could not be made is shorter than its head; and an FMU can write into any memory.
  const most = Math.max(0, rowsPerChunk(layout, bytes.byteLength));
  const rows = rowsOfCounter(words[0] ?? 0, most) ?? 0;
  const gather = <Data extends Float64Array | BigInt64Array>(
    from: Data,
    to: Data,
    offset: number,
  ): Data => {
    for (let r = 0, w = 1 + offset; r < rows; r++, w += width) to[r] = from[w];
    return to;
  };
  const numbers = (offset: number): Float64Array => gather(words, new Float64Array(rows), offset);
  return {
    time: numbers(0),
    data: columns.map((column, c): ColumnData => {
      const slot = slots[c];
      const bank = bankOf(column.type);
      if (bank === "f64") return numbers(1 + slot);
      if (bank === "i64") return gather(bits, new BigInt64Array(rows), 1 + layout.f64 + slot);
      return Array.from(numbers(1 + layout.f64 + layout.i64 + slot), (n) => objects[n] ?? "");
    }),
  };
}
