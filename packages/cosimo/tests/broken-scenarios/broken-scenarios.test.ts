/**
 * One mistake a file. The head of each file says exactly which diagnostics it must give, with line,
 * column, message and fix, so that a change of words shows.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FAULT_TEXT_RULES } from "../../src/lang/fault/diagnostics.ts";
import { SCENARIO_TEXT_RULES } from "../../src/lang/scenario/diagnostics.ts";
import { SCENARIO_RULES } from "../../src/model/resolve-scenario-diagnostics.ts";
import { diagnosticsOf, expectationOf } from "./stand-ins.ts";

const FOLDER = join(import.meta.dirname, "yaml");
const files = readdirSync(FOLDER).sort();

describe("broken scenarios", () => {
  it("are at least forty", () => {
    expect(files.length).toBeGreaterThanOrEqual(40);
  });

  it.each(files)("[SC10] %s gives exactly the diagnostics of its head", (file) => {
    const text = readFileSync(join(FOLDER, file), "utf8");
    const expected = text.split("\n").filter((line) => /^#(?: expects| {3}fix:) /.test(line));
    const found = diagnosticsOf(text, file).map((one) => expectationOf(one, file));
    expect(found.join("\n")).toBe(expected.join("\n"));
    expect(found.length).toBeGreaterThan(0);
  });

  it("[SC11] cover every code of the tables", () => {
    const seen = new Set(
      files.flatMap((file) => {
        const text = readFileSync(join(FOLDER, file), "utf8");
        return [...text.matchAll(/^# expects \S+ \S+ ([\w-]+):/gm)].map((match) => match[1]!);
      }),
    );
    const tables = [SCENARIO_TEXT_RULES, SCENARIO_RULES, FAULT_TEXT_RULES];
    const codes = tables.flatMap((table) => Object.keys(table));
    expect(codes.filter((code) => !seen.has(code))).toEqual([...UNREACHABLE]);
  });
});

/**
 * Keys of a map are unique, and its values and ports have no unit besides that of the FMU, so only
 * drafts of other languages can have these; large units need a description of their own. The tests
 * of resolve-scenario and of SSP values show them.
 */
const UNREACHABLE = [
  "unit-name-taken",
  "unit-too-large",
  "scenario-too-large",
  "value-unmatched",
  "port-unit-differs",
  "value-without-effect",
  "value-unit-unused",
  "value-twice",
];
