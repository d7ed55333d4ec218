/** The last rows of a run, read while another process writes them. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeBanks } from "../../model/value-type.ts";
import { makeSpoolWriter } from "../../record/spool.ts";
import { NewestRows } from "./newest-rows.ts";
import { spoolHost } from "./spool-files.ts";

const folder = mkdtempSync(join(tmpdir(), "cosimo-newest-rows-"));
afterAll(() => rmSync(folder, { recursive: true }));

const LAYOUT = { f64: 1, i64: 1, obj: 2 };
const PLAN = {
  columns: [
    { name: "x", type: "float64" as const },
    { name: "n", type: "int64" as const },
    { name: "text", type: "string" as const },
    { name: "raw", type: "binary" as const },
  ],
  slots: [0, 0, 0, 1],
  layout: LAYOUT,
};

it("[DI26] are read exactly, across chunks, with texts of any length, while more are written", () => {
  const rows = new NewestRows(folder, PLAN);
  expect(rows.count()).toBe(0);
  // Without a map the file is written when its chunk is closed: as far as whole chunks go.
  const host = spoolHost(
    { folder, layout: LAYOUT, minimumBytes: 0, isDurable: false },
    () => undefined,
  );
  const writer = makeSpoolWriter(LAYOUT, host);
  const banks = makeBanks(LAYOUT);
  const textOf = (n: number): string => `${n % 7} ${"x".repeat(n % 7 === 3 ? 100_000 : n % 7)}`;
  const count = 150_000;
  for (let n = 0; n < count; n++) {
    banks.f64[0] = n / 8;
    banks.i64[0] = 2n ** 60n + BigInt(n);
    banks.obj[0] = textOf(n);
    banks.obj[1] = Uint8Array.of(n % 5);
    writer.write(n, banks);
    if (n === count - 1 || n % 70_000 === 69_999) writer.sync();
  }
  writer.close();
  expect(rows.count()).toBe(count);
  for (const first of [count - 3, 0, 104_855]) {
    const chunk = rows.read(first, 3);
    expect(chunk?.time).toEqual(Float64Array.of(first, first + 1, first + 2));
    expect(chunk?.data[1]?.[2]).toBe(2n ** 60n + BigInt(first + 2));
    for (let r = 0; r < 3; r++) {
      expect(chunk?.data[2]?.[r]).toBe(textOf(first + r));
      expect(chunk?.data[3]?.[r]).toEqual(Uint8Array.of((first + r) % 5));
    }
  }
  // A row that spans two chunks was among them.
  const perChunk = Math.floor((2 ** 22 / 8 - 1) / 5);
  expect([104_855, 104_856, 104_857]).toContain(perChunk);
  rmSync(join(folder, "rows-1.bin"));
  expect(rows.read(count - 1, 1)).toBeUndefined();
});
