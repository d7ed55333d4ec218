/**
 * The spool on disk: numbered chunk files and one object log in the run's folder. Written by the
 * worker, read by the supervisor.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { present } from "../../base/present.ts";
import type { KeptPart } from "../../engine/checkpoint.ts";
import { NO_ROW } from "../../engine/signals.ts";
import { bankOf, type ObjectValue } from "../../model/value-type.ts";
import {
  type BegunSpool,
  type Chunk,
  readChunk,
  rowsOfCounter,
  rowsPerChunk,
  rowWords,
  type SpoolHost,
  type SpoolLayout,
} from "../../record/spool.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import type { RunHeader } from "./protocol.ts";
import { syncFile } from "./sync-files.ts";

/** Maps a file into memory so that it survives the process; undefined where the platform cannot. */
export type MapFile = (
  path: string,
  bytes: number,
) => { readonly bytes: Uint8Array; unmap(): void } | undefined;

const CHUNK_BYTES = 1 << 22;
const OBJECTS = "objects.bin";
const STRING = 0;
const BINARY = 1;

export const chunkPath = (folder: string, n: number): string => join(folder, `rows-${n}.bin`);

/**
 * A file of `bytes` bytes, mapped where possible, otherwise ordinary memory that `close` writes
 * out.
 * @param keep what is in the file stays.
 */
export function openSharedFile(mapFile: MapFile, path: string, bytes: number, keep = false): Chunk {
  const file = openSync(path, keep ? "r+" : "w+");
  ftruncateSync(file, bytes);
  const mapped = mapFile(path, bytes);
  if (mapped) {
    closeSync(file);
    return { bytes: mapped.bytes, sync: () => syncFile(path), close: mapped.unmap };
  }
  const memory = new Uint8Array(bytes);
  if (keep) memory.set(readFileSync(path));
  const sync = (): void => {
    writeSync(file, memory, 0, bytes, 0);
    fsyncSync(file);
  };
  return {
    bytes: memory,
    sync,
    close: () => {
      writeSync(file, memory, 0, bytes, 0);
      closeSync(file);
    },
  };
}

/** The spool of a run in `folder`. */
export interface SpoolPlace {
  readonly folder: string;
  readonly layout: SpoolLayout;
  readonly minimumBytes: number;
  /**
   * Rows must outlive the machine when they are synced; those of a run without checkpoints need
   * not.
   */
  readonly isDurable: boolean;
  /** Of the rows that are continued. */
  readonly keptSum?: number;
  /**
   * Rows of an interrupted run that are continued; all others are dropped, when the first new row
   * comes.
   */
  readonly keepRows?: number;
}

/** A spool on disk that knows what it holds. */
export interface DiskSpool extends SpoolHost {
  /** Rows that are sealed, and objects, with their checksums. */
  parts(rows: number): KeptPart[];
}

/** Names of the parts of a spool. */
export const ROWS_PART = "rows";
export const OBJECTS_PART: string = OBJECTS;

export function spoolHost(place: SpoolPlace, mapFile: MapFile): DiskSpool {
  const { folder, isDurable, keepRows = 0 } = place;
  const chunkBytes = Math.max(CHUNK_BYTES, place.minimumBytes);
  const perChunk = rowsPerChunk(place.layout, chunkBytes);
  const first = Math.floor(keepRows / perChunk);
  let chunks = first;
  const objects = join(folder, OBJECTS);
  let rowsSum = place.keptSum ?? 0;
  const known = keepRows > 0 && existsSync(objects) ? readFileSync(objects) : Buffer.alloc(0);
  let objectBytes = known.length;
  let objectsSum = crc32(known);
  const seal = (rows: Uint8Array): void => {
    rowsSum = crc32(rows, rowsSum);
  };
  return {
    ...present({ seal: isDurable ? seal : undefined }),
    parts: (rows) => [
      { name: ROWS_PART, bytes: 8 * rows * rowWords(place.layout), checksum: rowsSum },
      { name: OBJECTS_PART, bytes: objectBytes, checksum: objectsSum },
    ],
    nextChunk: () => {
      if (chunks === first) dropChunksFrom(folder, first + 1);
      const keep = chunks === first && keepRows % perChunk > 0;
      const chunk = openSharedFile(mapFile, chunkPath(folder, chunks++), chunkBytes, keep);
      if (!isDurable) return chunk;
      const sync = (): void => {
        chunk.sync?.();
        if (existsSync(objects)) syncFile(objects);
      };
      return {
        bytes: chunk.bytes,
        sync,
        close: () => {
          sync();
          chunk.close();
        },
      };
    },
    appendObject: (value) => {
      const payload = typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value);
      const head = Buffer.alloc(OBJECT_HEAD);
      head.writeUInt8(typeof value === "string" ? STRING : BINARY, 0);
      head.writeUInt32LE(payload.length, 1);
      const bytes = Buffer.concat([head, payload]);
      appendFileSync(objects, bytes);
      objectBytes += bytes.length;
      objectsSum = crc32(bytes, objectsSum);
    },
  };
}

/**
 * How many rows the chunks in `folder` hold, one after the other. A chunk whose counter cannot be
 * true holds none, and behind one that is not full nothing counts: its rows would be read at the
 * wrong place.
 */
export function rowsIn(folder: string, layout: SpoolLayout): number {
  let rows = 0;
  const counter = Buffer.alloc(8);
  for (let n = 0; existsSync(chunkPath(folder, n)); n++) {
    const file = openSync(chunkPath(folder, n), "r");
    const capacity = rowsPerChunk(layout, fstatSync(file).size);
    const isThere = readSync(file, counter, 0, 8, 0) === 8;
    const count = isThere ? rowsOfCounter(counter.readDoubleLE(0), capacity) : undefined;
    closeSync(file);
    if (count === undefined) break;
    rows += count;
    if (count < capacity) break;
  }
  return rows;
}

/** Checksum of the first `rows` rows in `folder`; of fewer where fewer are there. */
export function checksumOfRows(folder: string, layout: SpoolLayout, rows: number): number {
  let [left, sum] = [rows, 0];
  for (let n = 0; left > 0 && existsSync(chunkPath(folder, n)); n++) {
    const bytes = readFileSync(chunkPath(folder, n));
    const count = Math.min(left, rowsPerChunk(layout, bytes.length));
    sum = crc32(bytes.subarray(8, 8 * (1 + count * rowWords(layout))), sum);
    left -= count;
  }
  return sum;
}

/** Of the first `bytes` bytes of a file; undefined when it has fewer. */
export function checksumOfFile(path: string, bytes: number): number | undefined {
  const content = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  return content.length < bytes ? undefined : crc32(content.subarray(0, bytes));
}

/**
 * What an interrupted run left in its spool, up to row `rows`. Half an object at the end is cut
 * off.
 */
export function begunSpool(folder: string, rows: number): BegunSpool {
  const path = join(folder, OBJECTS);
  const { objects, bytes } = readObjects(folder);
  if (existsSync(path)) truncateSync(path, bytes);
  return { rows, objects };
}

/** Removes the spool of a run. */
export function dropSpool(folder: string): void {
  dropChunksFrom(folder, 0);
  rmSync(join(folder, OBJECTS), { force: true });
}

function dropChunksFrom(folder: string, first: number): void {
  for (const name of readdirSync(folder)) {
    const number = /^rows-(\d+)\.bin$/.exec(name)?.[1];
    if (number !== undefined && Number(number) >= first) rmSync(join(folder, name));
  }
}

/** The objects, and how many bytes of the file they take. */
export function readObjects(folder: string): { objects: ObjectValue[]; bytes: number } {
  const path = join(folder, OBJECTS);
  const objects: ObjectValue[] = [];
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  let at = 0;
  for (let one = objectIn(bytes, at); one !== undefined; one = objectIn(bytes, at)) {
    objects.push(one.value);
    at = one.end;
  }
  return { objects, bytes: at };
}

/** Bytes before an object: what it is, and its length. */
export const OBJECT_HEAD = 5;

/** The object that begins there; undefined where it is not whole. */
export function objectIn(
  bytes: Buffer,
  at: number,
): { readonly value: ObjectValue; readonly end: number } | undefined {
  if (at + OBJECT_HEAD > bytes.length) return undefined;
  const begin = at + OBJECT_HEAD;
  const end = begin + bytes.readUInt32LE(at + 1);
  if (end > bytes.length) return undefined;
  const payload = bytes.subarray(begin, end);
  const isString = bytes.readUInt8(at) === STRING;
  return { value: isString ? payload.toString("utf8") : new Uint8Array(payload), end };
}

/**
 * Rows that machine code had written and not passed on when its process ended. Its memory is
 * cleared after the last of them is in the spool, and the process may end between; so what counts
 * is the number of rows in the spool, which is written after each row: the n-th row is that of tick
 * n × every, and those that the spool has are not taken again.
 * @param handedOn rows in the spool.
 */
function pendingRows(folder: string, plan: RunHeader, handedOn: number): TraceChunk | undefined {
  const path = join(folder, ROW_MEMORY);
  if (!existsSync(path) || plan.columns.length === 0) return undefined;
  const content = readFileSync(path);
  // Whole words: a disk that was full, or a unit, may have cut the file anywhere.
  const { buffer } = new Uint8Array(content.subarray(0, content.length & ~7));
  const [begun = 0] = new Float64Array(buffer);
  const every = Math.max(1, plan.every ?? 1);
  // The memory belongs to the worker, and a unit may have written into it: what is not a number of
  // a tick tells nothing.
  if (!Number.isSafeInteger(begun / every) || begun <= 0) return undefined;
  const skipped = Math.max(0, handedOn - begun / every);
  const words = new Float64Array(buffer, 8);
  const bits = new BigInt64Array(buffer, 8);
  const width = plan.columns.length;
  let written = 0;
  const isWritten = (row: number): boolean => {
    for (let c = 0; c < width; c++) if (bits[row * width + c] === NO_ROW) return false;
    return true;
  };
  while ((written + 1) * width <= words.length && isWritten(written)) written++;
  const rows = written - skipped;
  if (rows <= 0) return undefined;
  const { start, step } = plan.experiment;
  const first = begun + skipped * every;
  return {
    time: Float64Array.from({ length: rows }, (_, row) => start + (first + row * every) * step),
    data: plan.columns.map((column, c) => {
      const pick = (row: number): number => (skipped + row) * width + c;
      return bankOf(column.type) === "i64"
        ? BigInt64Array.from({ length: rows }, (_, row) => bits[pick(row)] ?? 0n)
        : Float64Array.from({ length: rows }, (_, row) => words[pick(row)] ?? 0);
    }),
  };
}

/** Where machine code keeps its rows until it passes them on. */
export const ROW_MEMORY = "rows-pending.bin";
export const ROW_MEMORY_BYTES: number = 1 << 19;

/**
 * The recorded rows, chunk by chunk, so that a long run fits in memory.
 * @param run folder of the run, where machine code may have left rows.
 */
export function* readSpool(folder: string, run: string, plan: RunHeader): Generator<TraceChunk> {
  const { objects } = readObjects(folder);
  let rows = 0;
  for (let n = 0; existsSync(chunkPath(folder, n)); n++) {
    const file = readFileSync(chunkPath(folder, n));
    // A copy at offset 0: readFileSync may hand out a view that is not aligned to 8 bytes.
    const bytes = file.byteOffset % 8 === 0 ? file : new Uint8Array(file);
    const chunk = readChunk(bytes, plan.layout, plan.columns, plan.slots, objects);
    rows += chunk.time.length;
    if (chunk.time.length > 0) yield chunk;
  }
  const pending = pendingRows(run, plan, rows);
  if (pending) yield pending;
}
