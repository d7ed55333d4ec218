import { describe, expect, it } from "vitest";
import { append, type Diagnostic, type Severity } from "../base/diagnostic.ts";
import { findingTexts } from "./findings.ts";

const finding = (severity: Severity, file: string, message = "wrong"): Diagnostic => ({
  code: "some-code",
  severity,
  message,
  fix: "make it right",
  place: { file, line: 1 },
});

const many = (count: number, severity: Severity, file: string): Diagnostic[] =>
  Array.from({ length: count }, () => finding(severity, file));

describe("findings as text", () => {
  it("[CL19] prints up to 50 of a file, what weighs most, and counts the others", () => {
    const texts = findingTexts([
      ...many(300, "note", "a.yaml"),
      finding("error", "a.yaml", "the one that matters"),
      ...many(10, "warning", "b.yaml"),
    ]);
    expect(texts.length).toBe(61);
    expect(texts[49]).toContain("the one that matters");
    expect(texts.at(-1)).toBe("… and 251 notes more in a.yaml");
    expect(findingTexts(many(50, "error", "a.yaml")).length).toBe(50);
  });

  it("[CL19] prints up to 500 of all files", () => {
    const files = Array.from({ length: 30 }, (_, k) => many(40, "error", `${k}.yaml`)).flat();
    const texts = findingTexts(files);
    expect(texts.length).toBe(501);
    expect(texts.at(-1)).toBe("… and 700 errors more in 18 files");
  });

  it("[CL19] cuts what is quoted, keeps how a text begins and ends", () => {
    const [text] = findingTexts([finding("error", "a.yaml", `'${"x".repeat(1e6)}' is unknown`)]);
    expect(text!.length).toBeLessThan(1200);
    expect(text).toContain("a.yaml:1 error some-code: 'xxx");
    expect(text).toContain("characters omitted");
    expect(text).toContain("' is unknown");
  });

  it("[CL19] takes any number of findings", () => {
    const list: Diagnostic[] = [];
    append(list, many(200_000, "error", "a.yaml"));
    expect(findingTexts(list).at(-1)).toBe("… and 199950 errors more in a.yaml");
  });
});
