/**
 * Where the worker is, in memory that outlives it: the simulated time, and for every unit the call it is in. Written by
 * the worker, read by the supervisor when the worker has ended or shall be.
 *
 * 8-byte words: [1] simulated time, [2] rows so far; from byte 64 on one int32 per unit: the number of the FMI call it is
 * in (0: none). FMUs can write to it as to all memory of their process, so readers believe nothing of it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { present } from "../../base/present.ts";
import { mapSharedFile } from "../../platform/native/shared-memory.ts";
import { openSharedFile } from "./spool-files.ts";

const FILE = "status.bin";
const TIME = 1;
const ROWS = 2;
const CALLS_AT = 64;

export interface Status {
  time: number;
  rows: number;
  /** The word of unit `index`. */
  call(index: number): Int32Array;
}

export function openStatus(folder: string, units: number): Status {
  const bytes = CALLS_AT + 8 * Math.ceil(units / 2);
  const { buffer, byteOffset } = openSharedFile(mapSharedFile, join(folder, FILE), bytes).bytes;
  const words = new Float64Array(buffer, byteOffset, bytes / 8);
  return {
    set time(time: number) {
      words[TIME] = time;
    },
    get time() {
      return words[TIME] ?? Number.NaN;
    },
    set rows(rows: number) {
      words[ROWS] = rows;
    },
    get rows() {
      return words[ROWS] ?? Number.NaN;
    },
    call: (index) => new Int32Array(buffer, byteOffset + CALLS_AT + 4 * index, 1),
  };
}

export interface LastKnown {
  readonly time?: number;
  readonly rows?: number;
  /** Units that were in a call. */
  readonly running: readonly { readonly unit: string; readonly call: string }[];
}

/** What the status says of a worker with these units. */
export function readStatus(
  folder: string,
  units: readonly string[],
  callNames: readonly string[],
): LastKnown {
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, FILE));
  } catch {
    return { running: [] };
  }
  const number = (word: number): number | undefined => {
    const value = bytes.length < 8 * (word + 1) ? Number.NaN : bytes.readDoubleLE(8 * word);
    return Number.isFinite(value) ? value : undefined;
  };
  const [time, rows] = [number(TIME), number(ROWS)];
  return {
    ...present({ time, rows }),
    running: units.flatMap((unit, u) => {
      const at = CALLS_AT + 4 * u;
      const call = bytes.length < at + 4 ? 0 : bytes.readInt32LE(at);
      return call === 0 ? [] : [{ unit, call: callNames[call] || "a call" }];
    }),
  };
}
