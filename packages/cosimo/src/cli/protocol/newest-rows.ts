/**
 * The last rows of a run while it goes on, exactly as they are recorded, for who looks from time to
 * time: only these rows are read, however many there are.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { ObjectValue } from "../../model/value-type.ts";
import { readChunk, rowCounter, rowWords } from "../../record/spool.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import type { RunHeader } from "./protocol.ts";
import { SpoolCount } from "./spool-count.ts";
import { chunkPath, OBJECT_HEAD, OBJECTS_PART, objectIn } from "./spool-files.ts";

type Rows = Pick<RunHeader, "columns" | "slots" | "layout">;

export class NewestRows {
  private readonly folder: string;
  private readonly plan: Rows;
  private readonly counted: SpoolCount;
  private readonly objects: ObjectLog;

  /** @param folder of the spool. */
  constructor(folder: string, plan: Rows) {
    this.folder = folder;
    this.plan = plan;
    this.counted = new SpoolCount(folder, plan.layout);
    this.objects = new ObjectLog(join(folder, OBJECTS_PART));
  }

  count(): number {
    return this.counted.now();
  }

  /** @returns undefined where they are not there: something removed or cut their file. */
  read(first: number, rows: number): TraceChunk | undefined {
    const { layout, columns, slots } = this.plan;
    const { perChunk } = this.counted;
    const rowBytes = 8 * rowWords(layout);
    const bytes = new Uint8Array(8 + rows * rowBytes);
    const words = new Float64Array(bytes.buffer);
    words[0] = rowCounter(rows);
    for (let done = 0; done < rows; ) {
      const n = Math.floor((first + done) / perChunk);
      const row = first + done - n * perChunk;
      const here = Math.min(rows - done, perChunk - row);
      const part = bytes.subarray(8 + done * rowBytes, 8 + (done + here) * rowBytes);
      if (!isRead(chunkPath(this.folder, n), part, 8 + row * rowBytes)) return undefined;
      done += here;
    }
    const objects: ObjectValue[] = [];
    for (let row = 0; row < rows; row++)
      for (let i = 0; i < layout.obj; i++) {
        const number = words[2 + row * rowWords(layout) + layout.f64 + layout.i64 + i] ?? 0;
        const value = this.objects.at(number);
        if (value !== undefined) objects[number] = value;
      }
    return readChunk(bytes, layout, columns, slots, objects);
  }
}

const BLOCK_BYTES = 1 << 16;

/**
 * Texts and binary values by number. New ones come at the end of their file, so it is read on from
 * where it was; of each value only its place is kept.
 */
class ObjectLog {
  private readonly path: string;
  private readonly places: number[] = [];
  /** Of the file, as far as it was looked through. */
  private bytes = 0;

  constructor(path: string) {
    this.path = path;
  }

  at(number: number): ObjectValue | undefined {
    if (number >= this.places.length) this.lookOn();
    const place = this.places[number];
    if (place === undefined) return undefined;
    const end = this.places[number + 1] ?? this.bytes;
    const bytes = Buffer.alloc(end - place);
    return isRead(this.path, bytes, place) ? objectIn(bytes, 0)?.value : undefined;
  }

  private lookOn(): void {
    let file: number;
    try {
      file = openSync(this.path, "r");
    } catch {
      return;
    }
    const { size } = fstatSync(file);
    const block = Buffer.alloc(BLOCK_BYTES);
    for (;;) {
      const length = readSync(file, block, 0, BLOCK_BYTES, this.bytes);
      let at = 0;
      while (at + OBJECT_HEAD <= length) {
        const next = at + OBJECT_HEAD + block.readUInt32LE(at + 1);
        if (this.bytes + next > size) break;
        this.places.push(this.bytes + at);
        at = next;
      }
      this.bytes += at;
      if (at === 0) break;
    }
    closeSync(file);
  }
}

/** Fills `target` from byte `at` of a file on. */
function isRead(path: string, target: Uint8Array, at: number): boolean {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return false;
  }
  try {
    return readSync(file, target, 0, target.length, at) === target.length;
  } finally {
    closeSync(file);
  }
}
