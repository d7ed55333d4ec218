/**
 * One mistake a file. The comment on the second line of each SSD names exactly the diagnostics that
 * it must give, with the line (and the file, where it is another one).
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseSsd } from "../../../src/ssp/parse-ssd.ts";
import { SSP_DIAGNOSTICS } from "../../../src/ssp/ssp-diagnostics.ts";

const FOLDER = import.meta.dirname;
const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".ssd"))
  .sort();

function textOf(name: string): string | undefined {
  const path = join(FOLDER, name);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function expectationOf(text: string): string[] {
  const head = /<!-- expect: (.*) -->/.exec(text)![1]!;
  return head.split(", ");
}

function found(file: string): { listed: string[]; codes: string[] } {
  const { diagnostics } = parseSsd(textOf(file)!, file, textOf, { packed: true });
  const listed = diagnostics.map(({ code, place }) => {
    const elsewhere = place.file === file ? "" : `${place.file}:`;
    return `${code} ${elsewhere}${place.line}`;
  });
  return { listed, codes: diagnostics.map(({ code }) => code) };
}

describe("broken system structures", () => {
  it("are at least sixty", () => {
    expect(files.length).toBeGreaterThanOrEqual(60);
  });

  it.each(files)("[SS2] %s gives exactly the diagnostics of its head", (file) => {
    expect(found(file).listed).toEqual(expectationOf(textOf(file)!));
  });

  it("[SS2] together show every code that reading an SSD can give", () => {
    const shown = new Set(files.flatMap((file) => found(file).codes));
    const own = Object.keys(SSP_DIAGNOSTICS).filter((code) => code.startsWith("ssp-"));
    const elsewhere = ["ssp-no-structure", "ssp-structure-name", "ssp-unknown-variant"];
    const missing = own.filter(
      (code) => !code.startsWith("ssp-export") && !elsewhere.includes(code) && !shown.has(code),
    );
    expect(missing).toEqual([]);
  });
});
