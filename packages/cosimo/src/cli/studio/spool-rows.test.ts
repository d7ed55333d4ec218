/** The rows of a run, read while its files come into being. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { rowCounter } from "../../record/spool.ts";
import { chunkPath } from "../protocol/spool-files.ts";
import { spoolRows } from "./spool-rows.ts";

const folder = mkdtempSync(join(tmpdir(), "cosimo-spool-rows-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("[SV11] a chunk that has no size yet does not hide the rows that come", () => {
  const rows = spoolRows(folder, {
    columns: [{ name: "a.x", type: "float64" }],
    slots: [0],
    layout: { f64: 1, i64: 0, obj: 0 },
  });
  const chunk = chunkPath(folder, 0);
  expect(rows.count()).toBe(0);
  writeFileSync(chunk, "");
  expect(rows.count()).toBe(0);
  truncateSync(chunk, 8 * 101);
  expect(rows.count()).toBe(0);
  writeFileSync(chunk, new Float64Array(101).fill(0).with(0, rowCounter(2)).with(4, 7));
  expect(rows.count()).toBe(2);
  const values = new Float64Array(2);
  rows.read(0, 0, values);
  expect([...values]).toEqual([0, 7]);
});
