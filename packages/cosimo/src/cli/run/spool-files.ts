/**
 * The spool on disk: numbered chunk files and one object log in the run's folder. Written by the worker, read by
 * the supervisor.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { NO_ROW } from "../../engine/signals.ts";
import { bankOf, type ObjectValue } from "../../model/value-type.ts";
import { type Chunk, readChunk, type SpoolHost } from "../../record/spool.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import type { RunPlan } from "./protocol.ts";

/** Maps a file into memory so that it survives the process; undefined where the platform cannot. */
export type MapFile = (
  path: string,
  bytes: number,
) => { readonly bytes: Uint8Array; unmap(): void } | undefined;

const CHUNK_BYTES = 1 << 22;
const OBJECTS = "objects.bin";
const STRING = 0;
const BINARY = 1;

const chunkPath = (folder: string, n: number): string => join(folder, `rows-${n}.bin`);

/** A file of `bytes` bytes, mapped where possible, otherwise ordinary memory that `close` writes out. */
export function openSharedFile(mapFile: MapFile, path: string, bytes: number): Chunk {
  const file = openSync(path, "w+");
  ftruncateSync(file, bytes);
  const mapped = mapFile(path, bytes);
  if (mapped) {
    closeSync(file);
    return { bytes: mapped.bytes, close: mapped.unmap };
  }
  const memory = new Uint8Array(bytes);
  return {
    bytes: memory,
    close: () => {
      writeSync(file, memory, 0, bytes, 0);
      closeSync(file);
    },
  };
}

export function spoolHost(folder: string, mapFile: MapFile, minimumBytes: number): SpoolHost {
  let chunks = 0;
  const chunkBytes = Math.max(CHUNK_BYTES, minimumBytes);
  return {
    nextChunk: () => openSharedFile(mapFile, chunkPath(folder, chunks++), chunkBytes),
    appendObject: (value) => {
      const payload = typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value);
      const head = Buffer.alloc(5);
      head.writeUInt8(typeof value === "string" ? STRING : BINARY, 0);
      head.writeUInt32LE(payload.length, 1);
      appendFileSync(join(folder, OBJECTS), Buffer.concat([head, payload]));
    },
  };
}

function readObjects(folder: string): ObjectValue[] {
  const path = join(folder, OBJECTS);
  if (!existsSync(path)) return [];
  const bytes = readFileSync(path);
  const objects: ObjectValue[] = [];
  for (let at = 0; at + 5 <= bytes.length; ) {
    const isString = bytes.readUInt8(at) === STRING;
    const length = bytes.readUInt32LE(at + 1);
    const payload = bytes.subarray(at + 5, at + 5 + length);
    objects.push(isString ? payload.toString("utf8") : new Uint8Array(payload));
    at += 5 + length;
  }
  return objects;
}

/** Rows that machine code had written and not handed on when its process ended. */
function pendingRows(folder: string, plan: RunPlan): TraceChunk | undefined {
  const path = join(folder, ROW_MEMORY);
  if (!existsSync(path) || plan.columns.length === 0) return undefined;
  const { buffer } = new Uint8Array(readFileSync(path));
  const first = new Float64Array(buffer, 0, 1)[0]!;
  const words = new Float64Array(buffer, 8);
  const bits = new BigInt64Array(buffer, 8);
  const width = plan.columns.length;
  let rows = 0;
  const isWritten = (row: number): boolean => {
    for (let c = 0; c < width; c++) if (bits[row * width + c] === NO_ROW) return false;
    return true;
  };
  while (first > 0 && (rows + 1) * width <= words.length && isWritten(rows)) rows++;
  if (rows === 0) return undefined;
  const { start, step } = plan.experiment;
  const every = plan.every ?? 1;
  return {
    time: Float64Array.from({ length: rows }, (_, row) => start + (first + row * every) * step),
    data: plan.columns.map((column, c) => {
      const pick = (row: number): number => row * width + c;
      return bankOf(column.type) === "i64"
        ? BigInt64Array.from({ length: rows }, (_, row) => bits[pick(row)]!)
        : Float64Array.from({ length: rows }, (_, row) => words[pick(row)]!);
    }),
  };
}

/** Where machine code keeps its rows until it hands them on. */
export const ROW_MEMORY = "rows-pending.bin";
export const ROW_MEMORY_BYTES: number = 1 << 19;

/** The recorded rows, chunk by chunk, so that a long run fits in memory. */
export function* readSpool(folder: string, plan: RunPlan): Generator<TraceChunk> {
  const objects = readObjects(folder);
  for (let n = 0; existsSync(chunkPath(folder, n)); n++) {
    const file = readFileSync(chunkPath(folder, n));
    // A copy at offset 0: readFileSync may hand out a view that is not aligned to 8 bytes.
    const bytes = file.byteOffset % 8 === 0 ? file : new Uint8Array(file);
    const chunk = readChunk(bytes, plan.layout, plan.columns, plan.slots, objects);
    if (chunk.time.length > 0) yield chunk;
  }
  const pending = pendingRows(folder, plan);
  if (pending) yield pending;
}
