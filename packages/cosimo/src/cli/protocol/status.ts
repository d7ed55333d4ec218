/**
 * Where the worker is, in memory that outlives it: the simulated time, and for every unit the call
 * it is in. Written by the worker, read by the supervisor when the worker has ended or shall be.
 *
 * 8-byte words: [1] simulated time, [2] rows so far; from byte 64 on two int32 per unit: the number
 * of the FMI call it is in, and of its library among those that the worker named (0: none). FMUs
 * can write to it as to all memory of their process, so readers believe nothing of it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { present } from "../../base/present.ts";
import { mapSharedFile } from "../../platform/native/shared-memory.ts";
import { openSharedFile } from "./spool-files.ts";

const FILE = "status.bin";
const TIME = 1;
const ROWS = 2;
const UNITS_AT = 64;
const UNIT_BYTES = 8;
const LIBRARY_AT = 4;

export interface Status {
  time: number;
  rows: number;
  /** The word of unit `index`. */
  call(index: number): Int32Array;
  /** Says which library unit `index` has. */
  setLibrary(index: number, library: number): void;
}

export function openStatus(folder: string, units: number): Status {
  const bytes = UNITS_AT + UNIT_BYTES * units;
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
    call: (index) => new Int32Array(buffer, byteOffset + UNITS_AT + UNIT_BYTES * index, 1),
    setLibrary: (index, library) => {
      const at = byteOffset + UNITS_AT + UNIT_BYTES * index + LIBRARY_AT;
      new Int32Array(buffer, at, 1)[0] = library;
    },
  };
}

export interface LastKnown {
  readonly time?: number;
  readonly rows?: number;
  /** Units that were in a call. */
  readonly running: readonly { readonly unit: string; readonly call: string }[];
  /** Numbers of the units' libraries; 0: it has none, or had not loaded it. */
  readonly libraries: readonly number[];
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
    return { running: [], libraries: [] };
  }
  const number = (word: number): number | undefined => {
    const value = bytes.length < 8 * (word + 1) ? Number.NaN : bytes.readDoubleLE(8 * word);
    return Number.isFinite(value) ? value : undefined;
  };
  const word = (at: number): number => (bytes.length < at + 4 ? 0 : bytes.readInt32LE(at));
  const [time, rows] = [number(TIME), number(ROWS)];
  return {
    ...present({ time, rows }),
    running: units.flatMap((unit, u) => {
      const call = word(UNITS_AT + UNIT_BYTES * u);
      return call === 0 ? [] : [{ unit, call: callNames[call] || "a call" }];
    }),
    libraries: units.map((_, u) => word(UNITS_AT + UNIT_BYTES * u + LIBRARY_AT)),
  };
}
