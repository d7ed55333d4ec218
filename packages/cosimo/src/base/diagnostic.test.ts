import { describe, expect, it } from "vitest";
import {
  append,
  type Checked,
  type Diagnostic,
  DiagnosticsError,
  diagnose,
  formatDiagnostic,
  formatPlace,
  hasErrors,
  type RulesFor,
  reporterFor,
  rulesFrom,
  type Texts,
  unwrap,
} from "./diagnostic.ts";

interface Params {
  "bad-name": Texts<"name">;
  "odd-count": { readonly count: number };
}

const RULES: RulesFor<Params> = rulesFrom<Params>({
  "bad-name": {
    rule: "Names are good.",
    message: (p) => `'${p.name}' is bad`,
    fix: "rename it",
  },
  "odd-count": {
    severity: "warning",
    rule: "Counts are even.",
    message: "the count is odd",
    fix: (p) => `use ${p.count + 1}`,
  },
});
const place = { file: "a.yaml", line: 3, column: 7 };

describe("a table of diagnostics", () => {
  it("makes texts from parameters, or takes them as they are; default: error", () => {
    expect(diagnose(RULES, "bad-name", { name: "x" }, place)).toEqual({
      code: "bad-name",
      severity: "error",
      message: "'x' is bad",
      fix: "rename it",
      place,
    });
    expect(diagnose(RULES, "odd-count", { count: 3 }, place)).toMatchObject({
      severity: "warning",
      message: "the count is odd",
      fix: "use 4",
    });
    expect(RULES["odd-count"].rule).toBe("Counts are even.");
  });

  it("reports into a list, and returns undefined so that callers can return it", () => {
    const found: Diagnostic[] = [];
    const report = reporterFor(RULES, found);
    expect(report("bad-name", { name: "x" }, place)).toBeUndefined();
    report("odd-count", { count: 1 }, { file: "b" });
    expect(found.map(formatDiagnostic)).toEqual([
      "a.yaml:3:7 error bad-name: 'x' is bad\n  fix: rename it",
      "b warning odd-count: the count is odd\n  fix: use 2",
    ]);
  });
});

describe("places", () => {
  it.each([
    [{ file: "f" }, "f"],
    [{ file: "f", line: 2 }, "f:2"],
    [{ file: "f", line: 2, column: 5 }, "f:2:5"],
    [{ file: "f", column: 5 }, "f"],
  ])("%j is written %s", (one, expected) => {
    expect(formatPlace(one)).toBe(expected);
  });
});

describe("checked values", () => {
  const error = diagnose(RULES, "bad-name", { name: "x" }, place);
  const warning = diagnose(RULES, "odd-count", { count: 1 }, place);

  it("are unwrapped beside warnings, and thrown as diagnostics beside errors or when absent", () => {
    expect(unwrap({ value: 0, diagnostics: [warning] })).toBe(0);
    const failing: Checked<number>[] = [
      { value: 1, diagnostics: [warning, error] },
      { diagnostics: [] },
    ];
    for (const one of failing) expect(() => unwrap(one)).toThrow(DiagnosticsError);
    expect(() => unwrap({ value: 1, diagnostics: [error] })).toThrow("a.yaml:3:7 error bad-name");
  });

  it("have errors only where one of them is an error", () => {
    expect([[], [warning], [warning, error]].map((list) => hasErrors(list))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("are appended in any number", () => {
    const list = [error];
    append(list, new Array<Diagnostic>(300_000).fill(warning));
    expect(list).toHaveLength(300_001);
  });
});
