/**
 * The journal of a study, cut anywhere: rows that were finished are there, and it goes on. Rules:
 * docs/spec/studies.md.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../command.ts";
import { hasJournal, StudyJournal } from "./journal.ts";
import type { StudyRow } from "./study-protocol.ts";

const row = (run: number, more: Partial<StudyRow> = {}): StudyRow => ({
  run,
  point: [0.5, run],
  outcome: "completed",
  values: [run / 3],
  seconds: 0.25,
  ...more,
});
/** Numbers that JSON does not have, line ends and letters of several bytes. */
const ROWS = [
  row(0),
  row(1, { outcome: "failed", reason: "line\nend, µ → ∞", values: [Number.NaN] }),
  row(2, { residuals: [1e-300, Number.NEGATIVE_INFINITY] }),
];

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cosimo-journal-"));
  path = join(folder, "journal.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

function written(rows: readonly StudyRow[], digest = "d", isResumed = false): StudyRow[] {
  const journal = StudyJournal.open(folder, digest, isResumed);
  try {
    for (const one of rows) journal.append(one);
    return [...journal.rows.values()];
  } finally {
    journal.close();
  }
}

describe("the journal of a study", () => {
  it("[SU15] gives every row back as it was, also numbers that JSON does not have", () => {
    expect(hasJournal(folder)).toBe(false);
    expect(written(ROWS)).toEqual(ROWS);
    expect(hasJournal(folder)).toBe(true);
    expect(written([], "d", true)).toEqual(ROWS);
  });

  it("[SU15] keeps the whole lines of a file that ends anywhere, and goes on behind them", () => {
    written(ROWS);
    const whole = readFileSync(path);
    const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a);
    expect(ends).toHaveLength(4);
    for (let cut = 0; cut <= whole.length; cut += 23) {
      writeFileSync(path, whole.subarray(0, cut));
      const lines = ends.filter((end) => end < cut).length;
      expect(written([row(9)], "d", true)).toEqual([
        ...ROWS.slice(0, Math.max(0, lines - 1)),
        row(9),
      ]);
      expect(written([], "d", true).at(-1)).toEqual(row(9));
    }
  });

  it("takes the last row of a run, and none for a line that is not a row", () => {
    written([row(0), row(0, { seconds: 1 })]);
    writeFileSync(path, `${readFileSync(path, "utf8")}{"run":-1}\nnonsense\n`);
    expect(written([], "d", true)).toEqual([row(0, { seconds: 1 })]);
  });

  it("begins again where it is not resumed", () => {
    written(ROWS);
    expect(written([row(5)])).toEqual([row(5)]);
    expect(written([], "d", true)).toEqual([row(5)]);
  });

  it("is not that of another study, nor of two commands at once", () => {
    written(ROWS);
    expect(() => written([], "another", true)).toThrow(UsageError);
    const first = StudyJournal.open(folder, "d", true);
    expect(() => StudyJournal.open(folder, "d", true)).toThrow(/another command works in/);
    first.close();
    expect(written([], "d", true)).toEqual(ROWS);
  });
});
