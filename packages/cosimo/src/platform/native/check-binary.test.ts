/**
 * The fixtures keep to their descriptions; a binary that does not is told so. Rules: docs/spec/native.md.
 */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkBinary } from "./check-binary.ts";
import { unpackFixtures } from "./testing/fixtures.ts";

const fixture = unpackFixtures();
const names = ["fmi2", "fmi3"].flatMap((v) =>
  readdirSync(`fixtures/build/${v}`).map((n) => `${v}/${n.replace(".fmu", "")}`),
);

describe("checkBinary", () => {
  it.each(names)("[NA40] finds nothing in %s", async (name) => {
    expect(checkBinary(await fixture(name))).toEqual([]);
  });
});
