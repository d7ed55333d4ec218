import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { statisticsPage } from "./statistics.ts";

describe("the reference of statistics", () => {
  it("is what the tables say: run 'npm run reference' after changing them", () => {
    const page = new URL("../../../../../docs/reference/statistics.md", import.meta.url);
    expect(readFileSync(page, "utf8")).toBe(statisticsPage());
  });
});
