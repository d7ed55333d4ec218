/**
 * Words that no text of the project uses, in comments, messages and documents: they are no English
 * that a textbook would have, or do not say which part is meant. docs/glossary.md has ours.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const AVOIDED =
  /\b(whoever|somebody|anybody|everybody|flies apart|leaves? it away|anew|unless said|keep-area|breadcrumb)\b|(?<!there )\b(is|are) no (number|YAML|status|snapshot)\b/gi;

const texts = ["packages/cosimo/src", "packages/cosimo/tests", "docs", "examples", "apps"]
  .flatMap((folder) =>
    (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).map((name) =>
      join(folder, name),
    ),
  )
  .concat("CHANGELOG.md", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")
  .filter((name) => /\.(tsx?|md|sa|ya?ml)$/.test(name))
  .filter((name) => !/node_modules|[/\\](dist|broken)[/\\]|words\.test\.ts$/.test(name));

describe("texts", () => {
  it("say which part is meant, in words that a textbook would use", () => {
    expect("Whoever waits is told that it is no number".match(AVOIDED)).toHaveLength(2);
    expect(texts.length).toBeGreaterThan(1000);
    const found = texts.flatMap((name) =>
      [...readFileSync(join(ROOT, name), "utf8").matchAll(AVOIDED)].map(
        ([word]) => `${relative(".", name)}: ${word}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it("of the changelog are one line per entry, under three headings", () => {
    const lines = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8").split("\n");
    const isKnown = /^(- \S|# Changelog$|## |### (Changed|Added|Fixed)$|$)/;
    expect(lines.filter((line) => !isKnown.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith("- ")).length).toBeGreaterThan(100);
  });
});
