/**
 * The rules of docs/spec and the tests that quote them belong together: a rule that no test quotes
 * is a wish, a quoted rule that nobody wrote down says nothing, and a number that means two things
 * cannot be quoted.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const PACKAGE = join(import.meta.dirname, "..");
const SPEC = join(PACKAGE, "..", "..", "docs", "spec");

const numbered = readdirSync(SPEC).flatMap((file) =>
  Array.from(
    readFileSync(join(SPEC, file), "utf8").matchAll(/^- \*\*\[?([A-Z]{2}\d+)\]?\*\*/gm),
    (found) => found[1]!,
  ),
);

/**
 * Numbers that tests make up: the form in this file, and a rule that the contract suite must not
 * know.
 */
const INVENTED = new Set(["XY1", "UN99"]);

/**
 * Titles quote `[XY1]`; the contract suite makes its titles from `rule: "XY1"`. Tests of the
 * studio's page run in a browser.
 */
const quoted = new Set(
  [
    join(PACKAGE, "src"),
    join(PACKAGE, "tests"),
    join(PACKAGE, "..", "..", "apps", "studio", "tests"),
  ]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    )
    .filter((path) => /\.test\.ts$|[\\/]testing[\\/].*\.ts$/.test(path))
    .flatMap((path) =>
      Array.from(
        readFileSync(path, "utf8").matchAll(/\[([A-Z]{2}\d+)\]|rule: "([A-Z]{2}\d+)"/g),
        (found) => found[1] ?? found[2]!,
      ),
    ),
);

describe("the rules of docs/spec", () => {
  it("are seen, and so are the tests", () => {
    expect(numbered.length).toBeGreaterThan(300);
    expect(quoted.size).toBeGreaterThan(300);
  });

  it("have one number each", () => {
    expect(numbered.filter((rule, at) => numbered.indexOf(rule) !== at)).toEqual([]);
  });

  it("are quoted by a test", () => {
    expect(numbered.filter((rule) => !quoted.has(rule))).toEqual([]);
  });

  it("are the only ones that tests quote", () => {
    const known = new Set(numbered);
    expect([...quoted].filter((rule) => !known.has(rule) && !INVENTED.has(rule))).toEqual([]);
  });
});
