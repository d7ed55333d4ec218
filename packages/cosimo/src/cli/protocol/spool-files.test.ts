import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NO_ROW } from "../../engine/signals.ts";
import { makeBanks } from "../../model/value-type.ts";
import { mapSharedFile } from "../../platform/native/shared-memory.ts";
import { folderOfFile } from "../../platform/node/testing/folders.ts";
import { makeSpoolWriter, rowsPerChunk, type SpoolWriter } from "../../record/spool.ts";
import type { RunHeader } from "./protocol.ts";
import {
  begunSpool,
  dropSpool,
  type MapFile,
  ROW_MEMORY,
  readSpool,
  rowsIn,
  spoolHost,
} from "./spool-files.ts";

const LAYOUT = { f64: 1, i64: 0, obj: 1 };
const PLAN = {
  layout: LAYOUT,
  columns: [
    { name: "x", type: "float64" },
    { name: "s", type: "string" },
  ],
  slots: [0, 0],
} as unknown as RunHeader;
/** Four megabytes hold this many rows of three words behind the counter. */
const PER_CHUNK = rowsPerChunk(LAYOUT, 1 << 22);
const ROWS = 2 * PER_CHUNK + 10;

const parent = folderOfFile("spool-test");

function writer(folder: string, mapFile: MapFile, keepRows?: number): SpoolWriter {
  const place = { folder, layout: LAYOUT, minimumBytes: 0, isDurable: true };
  if (keepRows === undefined) return makeSpoolWriter(LAYOUT, spoolHost(place, mapFile));
  const host = spoolHost({ ...place, keepRows }, mapFile);
  return makeSpoolWriter(LAYOUT, host, begunSpool(folder, keepRows));
}

/** Rows `from` to `to - 1`; what they hold depends on `salt`, except for their number. */
function write(spool: SpoolWriter, from: number, to: number, salt: number): void {
  const banks = makeBanks(LAYOUT);
  for (let row = from; row < to; row++) {
    banks.f64[0] = row + salt;
    banks.obj[0] = `${(row >> 16) + salt}`;
    spool.write(row, banks);
  }
}

/**
 * How many rows there are, and which of them are not as `write` with the salt of their part made
 * them.
 */
function readBack(folder: string, kept: number): { rows: number; wrong: number; chunks: number[] } {
  let [rows, wrong] = [0, 0];
  const chunks: number[] = [];
  for (const { time, data } of readSpool(folder, folder, PLAN)) {
    chunks.push(time.length);
    for (let i = 0; i < time.length; i++, rows++) {
      const salt = rows < kept ? 0 : 0.5;
      const isRight =
        time[i] === rows && data[0]![i] === rows + salt && data[1]![i] === `${(rows >> 16) + salt}`;
      if (!isRight) wrong++;
    }
  }
  return { rows, wrong, chunks };
}

describe("the spool of a run that was interrupted", () => {
  it.each([1, PER_CHUNK - 1, PER_CHUNK, PER_CHUNK + 1, 2 * PER_CHUNK + 3])(
    "[CK9] is continued behind row %s, in chunks as if nothing had been",
    (kept) => {
      const folder = mkdtempSync(join(parent, "spool-"));
      // The process ends without a close, in the midst of writing an object.
      write(writer(folder, mapSharedFile), 0, ROWS, 0);
      expect(rowsIn(folder, LAYOUT)).toBe(ROWS);
      appendFileSync(join(folder, "objects.bin"), Uint8Array.of(0, 9, 0));
      const second = writer(folder, mapSharedFile, kept);
      expect(rowsIn(folder, LAYOUT), "nothing is dropped before a row comes").toBe(ROWS);
      write(second, kept, ROWS, 0.5);
      expect(second.rows).toBe(ROWS);
      second.close();
      const chunks = [PER_CHUNK, PER_CHUNK, 10];
      expect(readBack(folder, kept)).toEqual({ rows: ROWS, wrong: 0, chunks });
      const third = writer(folder, mapSharedFile, kept);
      write(third, kept, kept + 1, 0.5);
      expect(rowsIn(folder, LAYOUT)).toBe(kept + 1);
      third.close();
      dropSpool(folder);
      expect(rowsIn(folder, LAYOUT)).toBe(0);
    },
  );

  it.each([PER_CHUNK - 1, PER_CHUNK + 1, 0.5, -1, Number.NaN, 1e300])(
    "[CK13] has no rows behind a chunk that should be full and says %s",
    (counter) => {
      const folder = mkdtempSync(join(parent, "spool-"));
      write(writer(folder, mapSharedFile), 0, ROWS, 0);
      const first = join(folder, "rows-0.bin");
      const bytes = readFileSync(first);
      bytes.writeDoubleLE(counter, 0);
      writeFileSync(first, bytes);
      expect(rowsIn(folder, LAYOUT)).toBeLessThan(PER_CHUNK);
    },
  );

  it("[CK13] reads no other number of rows where a bit of a counter flipped", () => {
    const folder = mkdtempSync(join(parent, "spool-"));
    write(writer(folder, mapSharedFile), 0, 6, 0);
    const file = join(folder, "rows-0.bin");
    const bytes = readFileSync(file);
    expect(rowsIn(folder, LAYOUT)).toBe(6);
    for (let bit = 0; bit < 64; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = damaged[bit >> 3]! ^ (1 << (bit & 7));
      writeFileSync(file, damaged);
      expect(rowsIn(folder, LAYOUT), `bit ${bit}`).toBe(0);
      expect(readBack(folder, 0).rows, `bit ${bit}`).toBe(0);
    }
  });

  it("[CK9] is on the disk when it was synced, also where files cannot be mapped", () => {
    const folder = mkdtempSync(join(parent, "plain-"));
    const spool = writer(folder, () => undefined);
    write(spool, 0, 5, 0);
    spool.sync();
    write(spool, 5, 7, 0);
    expect(rowsIn(folder, LAYOUT)).toBe(5);
    const second = writer(folder, () => undefined, 5);
    write(second, 5, 9, 0.5);
    second.close();
    expect(readBack(folder, 5)).toEqual({ rows: 9, wrong: 0, chunks: [9] });
  });
});

describe("rows that machine code had not handed on", () => {
  const every = 2;
  const plan = {
    layout: { f64: 1, i64: 0, obj: 0 },
    columns: [{ name: "x", type: "float64" }],
    slots: [0],
    every,
    experiment: { start: 0, stop: 100, step: 0.5 },
  } as unknown as RunHeader;

  it.each([5, 6, 9, 12])(
    "[CK12] are read once, when the process ended after row %s was handed on",
    (handedOn) => {
      const folder = mkdtempSync(join(parent, "pending-"));
      const place = { folder, layout: plan.layout, minimumBytes: 0, isDurable: false };
      const spool = makeSpoolWriter(plan.layout, spoolHost(place, mapSharedFile));
      const banks = makeBanks(plan.layout);
      for (let row = 0; row < handedOn; row++) {
        banks.f64[0] = row;
        spool.write(row * every * 0.5, banks);
      }
      // Rows 5 to 11, of ticks 10 to 22; the eighth was not written.
      const memory = new Float64Array(9);
      memory.set([5 * every, 5, 6, 7, 8, 9, 10, 11]);
      new BigInt64Array(memory.buffer)[8] = NO_ROW;
      writeFileSync(join(folder, ROW_MEMORY), new Uint8Array(memory.buffer));
      const chunks = [...readSpool(folder, folder, plan)];
      const rows = Array.from({ length: 12 }, (_, row) => row);
      expect(chunks.flatMap(({ data }) => [...(data[0] as Float64Array)])).toEqual(rows);
      expect(chunks.flatMap(({ time }) => [...time])).toEqual(rows);
      spool.close();
    },
  );

  const memory = new Uint8Array(Float64Array.of(2, 1, 2, 3).buffer);
  const withHead = (head: number): Uint8Array => {
    const bytes = memory.slice();
    new Float64Array(bytes.buffer)[0] = head;
    return bytes;
  };

  it.each<[string, Uint8Array, number]>([
    ["whole", memory, 3],
    ["empty", new Uint8Array(0), 0],
    ["cut inside its head", memory.slice(0, 5), 0],
    ["cut inside a row", memory.slice(0, 19), 1],
    ["with half a tick in its head", withHead(2.5), 0],
    ["with a tick between two rows in its head", withHead(3), 0],
    ["with NaN in its head", withHead(Number.NaN), 0],
    ["with infinity in its head", withHead(Number.POSITIVE_INFINITY), 0],
    ["with a negative tick in its head", withHead(-2), 0],
  ])("[CK12] are taken as far as they can be true from memory that is %s", (_, bytes, rows) => {
    const folder = mkdtempSync(join(parent, "cut-"));
    writeFileSync(join(folder, ROW_MEMORY), bytes);
    const values = [...readSpool(folder, folder, plan)].flatMap(({ time, data }) => [
      ...time,
      ...(data[0] as Float64Array),
    ]);
    const all = Array.from({ length: rows }, (_row, n) => n + 1);
    // The first row is that of tick 2; ticks are half a second apart, rows two ticks.
    expect(values).toEqual([...all, ...all]);
  });
});
