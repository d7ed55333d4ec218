/**
 * The rows of a run while they come: the spool is read chunk by chunk beside the worker that writes
 * it, which does not notice. Whole chunks are kept for a while; of the one that is being written
 * only what is new is read again.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { bankOf } from "../../model/value-type.ts";
import { rowWords } from "../../record/spool.ts";
import type { RowSource } from "../../serve/signal-index.ts";
import type { RunHeader } from "../protocol/protocol.ts";
import { SpoolCount } from "../protocol/spool-count.ts";
import { chunkPath, OBJECTS_PART, readObjects } from "../protocol/spool-files.ts";

/** Chunks of 4 MB that are kept in memory, per run. */
const KEPT = 8;

interface LoadedChunk {
  readonly words: Float64Array;
  readonly bits: BigInt64Array;
  readonly bytes: Uint8Array;
  rows: number;
}

/** @param folder of the spool. */
export function spoolRows(
  folder: string,
  { columns, slots, layout }: Pick<RunHeader, "columns" | "slots" | "layout">,
): RowSource {
  const width = rowWords(layout);
  const chunks = new Map<number, LoadedChunk>();
  const counted = new SpoolCount(folder, layout);
  const places = columns.map(({ type }, c) => {
    const slot = slots[c] ?? 0;
    const bank = bankOf(type);
    if (bank === "f64") return { word: 1 + slot, isInteger: false };
    if (bank === "i64") return { word: 1 + layout.f64 + slot, isInteger: true };
    return { word: 1 + layout.f64 + layout.i64 + slot, isInteger: false };
  });
  let texts: readonly string[] = [];
  let textBytes = -1;

  const loaded = (n: number, until: number): LoadedChunk => {
    const { perChunk, full, rows } = counted;
    const chunk = chunks.get(n) ?? emptyChunk();
    const { bytes } = chunk;
    chunks.delete(n);
    if (chunk.rows < until) {
      // What is there now is read in one go, as far as rows are complete.
      const target = Math.max(until, n < full ? perChunk : Math.min(perChunk, rows - n * perChunk));
      const at = 8 * (1 + chunk.rows * width);
      const file = openSync(chunkPath(folder, n), "r");
      readSync(file, bytes, at, 8 * width * (target - chunk.rows), at);
      closeSync(file);
      chunk.rows = target;
    }
    chunks.set(n, chunk);
    return chunk;
  };

  /** In the memory of the one that was not asked for longest: memory that is new costs more. */
  const emptyChunk = (): LoadedChunk => {
    const [oldest] = chunks;
    if (oldest !== undefined && chunks.size >= KEPT) {
      chunks.delete(oldest[0]);
      oldest[1].rows = 0;
      return oldest[1];
    }
    const bytes = new Uint8Array(8 * (1 + counted.perChunk * width));
    const { buffer } = bytes;
    return { bytes, words: new Float64Array(buffer), bits: new BigInt64Array(buffer), rows: 0 };
  };

  return {
    names: columns.map(({ name }) => name),
    count: () => counted.now(),
    read(column, first, target) {
      const { perChunk } = counted;
      const { word, isInteger } = column < 0 ? TIME : (places[column] ?? TIME);
      for (let done = 0; done < target.length; ) {
        const n = Math.floor((first + done) / perChunk);
        const row = first + done - n * perChunk;
        const here = Math.min(target.length - done, perChunk - row);
        const { words, bits } = loaded(n, row + here);
        let w = 1 + row * width + word;
        if (isInteger)
          for (let k = 0; k < here; k++, w += width) target[done + k] = Number(bits[w]);
        else for (let k = 0; k < here; k++, w += width) target[done + k] = words[w] as number;
        done += here;
      }
    },
    texts(column) {
      if (bankOf(columns[column]?.type ?? "float64") !== "obj") return undefined;
      // New texts come at the end of their file.
      const bytes = sizeOf(join(folder, OBJECTS_PART));
      if (bytes !== textBytes) {
        texts = readObjects(folder).objects.map((value) =>
          typeof value === "string" ? value : Buffer.from(value).toString("hex"),
        );
        textBytes = bytes;
      }
      return texts;
    },
  };
}

const TIME = { word: 0, isInteger: false };

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
