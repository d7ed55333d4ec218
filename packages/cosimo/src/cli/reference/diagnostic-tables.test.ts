import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DIAGNOSTIC_TABLES, diagnosticsPage } from "./diagnostic-tables.ts";

const codes = DIAGNOSTIC_TABLES.flatMap(({ table }) => Object.keys(table));

describe("the reference of diagnostics", () => {
  it("is what the tables say: run 'npm run reference' after changing one", () => {
    const page = new URL("../../../../../docs/reference/diagnostics.md", import.meta.url);
    expect(readFileSync(page, "utf8")).toBe(diagnosticsPage());
  });

  it("knows many codes and gives each one meaning", () => {
    expect(codes.length).toBeGreaterThan(80);
    expect(codes.filter((code, i) => codes.indexOf(code) !== i)).toEqual([]);
  });
});
