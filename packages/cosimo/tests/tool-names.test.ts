/**
 * What others write is accepted for what it is, not for who wrote it: the product names no other
 * tool, and does nothing with the name of the tool that made an FMU but show it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Files of the product, tests left out. */
function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|c|h|sa|langium)$/.test(file))
    .filter((file) => !/\.test\.ts$|testing[/\\]/.test(file))
    .map((file) => join(ROOT, folder, file));
}

const FILES = ["src", "c-runtime", "adaptations"].flatMap((folder) =>
  sources(join("packages", "cosimo", folder)),
);

function filesWith(pattern: RegExp): string[] {
  return FILES.filter((file) => pattern.test(readFileSync(file, "utf8"))).map((file) =>
    file.slice(ROOT.length).replaceAll("\\", "/"),
  );
}

describe("the code", () => {
  it("[FD54] names none of the tools that the guide is about", () => {
    const page = readFileSync(join(ROOT, "docs", "guide", "coming-from.md"), "utf8");
    const tools = [...page.matchAll(/^## From (\w+)$/gm)].map(([, tool = ""]) => tool);
    expect(tools.length).toBeGreaterThan(3);
    expect(filesWith(new RegExp(tools.join("|"), "i"))).toEqual([]);
    // The search finds what is there.
    expect(filesWith(/cosimo/i).length).toBeGreaterThan(10);
  });

  it("[FD54] shows who made an FMU and decides nothing by it", () => {
    const deciding =
      /generationTool\b[^,;\n]*(===|!==|\.(includes|startsWith|match|test|indexOf)\()/;
    expect(deciding.test('if (d.generationTool.includes("x"))')).toBe(true);
    expect(filesWith(deciding)).toEqual([]);
  });
});
