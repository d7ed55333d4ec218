import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { functionsPage } from "./adaptation-functions.ts";

describe("the reference of functions", () => {
  it("is what the table says: run 'npm run reference' after changing it", () => {
    const page = new URL("../../../../../docs/reference/adaptation-functions.md", import.meta.url);
    expect(readFileSync(page, "utf8")).toBe(functionsPage());
  });
});
