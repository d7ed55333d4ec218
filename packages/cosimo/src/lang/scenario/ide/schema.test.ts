import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CONNECTION_KEYS, EXPERIMENT_KEYS, SCENARIO_KEYS, UNIT_KEYS } from "../keys.ts";
import { keysAt, textAt, wordsAt } from "./schema.ts";
import { SCHEMA_TEXT } from "./schema-text.ts";

const ROOT = join(import.meta.dirname, "../../../../../..");

describe("the schema in editors", () => {
  it("is the published one: run 'npm run reference' after changing it", () => {
    const file = join(ROOT, "docs/reference/scenario.schema.json");
    const { properties, definitions, ...rest } = JSON.parse(readFileSync(file, "utf8"));
    expect(JSON.parse(SCHEMA_TEXT)).toEqual({ rest, properties, definitions });
  });

  it.each([
    [[], SCENARIO_KEYS],
    [["units", "motor"], UNIT_KEYS],
    [["connections", 3], CONNECTION_KEYS],
    [["bonds", 0, "effort"], CONNECTION_KEYS],
    [["experiment"], EXPERIMENT_KEYS],
    [["structure", "rules", 0, "connect", 1], CONNECTION_KEYS],
    [["name"], []],
    [["nothing", "like", "this"], []],
  ])("[LS70] has at %j the keys that the parser knows", (path, keys) => {
    const found = keysAt(path).map(({ name }) => name);
    expect(found.toSorted()).toEqual([...keys].sort());
  });

  it("[LS74] has a text for every key", () => {
    for (const path of [[], ["units", "motor"], ["connections", 0], ["experiment"], ["faults", 0]])
      for (const { name, text } of keysAt(path))
        if (name !== "experiment") expect([name, text]).not.toEqual([name, ""]);
    expect(textAt(["record"])).toContain("What to record");
  });

  it("[LS72] has words of choices and examples", () => {
    expect(wordsAt(["connections", 0, "kind"])).toEqual(["reactive", "delayed"]);
    expect(wordsAt(["master", "name"])).toContain("gauss-seidel");
    expect(wordsAt(["name"])).toEqual([]);
  });
});
