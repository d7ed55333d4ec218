/**
 * How many rows a spool has while it is written: its chunks' counters are read beside the worker,
 * which does not notice.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { rowsOfCounter, rowsPerChunk, type SpoolLayout } from "../../record/spool.ts";
import { chunkPath } from "./spool-files.ts";

export class SpoolCount {
  /** Of a full chunk; 0 until the first chunk is there. */
  perChunk = 0;
  /** Chunks that are full, as of the last count. */
  full = 0;
  /** As of the last count. */
  rows = 0;
  private readonly folder: string;
  private readonly layout: SpoolLayout;

  constructor(folder: string, layout: SpoolLayout) {
    this.folder = folder;
    this.layout = layout;
  }

  now(): number {
    // A run that is continued drops the rows behind its checkpoint, with their chunks.
    while (this.full > 0 && this.rowsOf(this.full - 1) !== this.perChunk) this.full--;
    for (;;) {
      const found = this.rowsOf(this.full);
      if (found === undefined) return this.rows;
      this.rows = this.full * this.perChunk + found;
      if (found < this.perChunk) return this.rows;
      this.full++;
    }
  }

  /** As the counter of chunk `n` says; undefined where it says nothing yet. */
  private rowsOf(n: number): number | undefined {
    let file: number;
    try {
      file = openSync(chunkPath(this.folder, n), "r");
    } catch {
      return undefined;
    }
    try {
      const head = Buffer.alloc(8);
      if (readSync(file, head, 0, 8, 0) < 8) return undefined;
      const counter = head.readDoubleLE(0);
      // Until its counter is written a file may not have its size either.
      if (counter === 0) return undefined;
      if (this.perChunk === 0) this.perChunk = rowsPerChunk(this.layout, fstatSync(file).size);
      return rowsOfCounter(counter, this.perChunk);
    } finally {
      closeSync(file);
    }
  }
}
