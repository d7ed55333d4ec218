/**
 * Holds the import table of ARCHITECTURE.md. It must see files to be green: a guard that saw
 * nothing proves nothing.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SRC = join(dirname(fileURLToPath(import.meta.url)), "..", "src");

const ROOT = join(SRC, "..", "..", "..");
const PAGE_TEXT = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");

/** The rows of the first table behind a heading of a text in Markdown. */
function tableUnder(heading: string, text: string): string[][] {
  const [, section = ""] = text.split(`# ${heading}`);
  const lines = section.split("\n");
  const begin = lines.findIndex((line) => line.startsWith("|---")) + 1;
  const length = lines.slice(begin).findIndex((line) => !line.startsWith("|"));
  return lines.slice(begin, begin + length).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The files and folders that a cell names; `<name>` stands for any. */
function pathsIn(cell = ""): string[] {
  return [...cell.matchAll(/`([\w-]+\/[^`]*)`/g)].map(([, path = ""]) =>
    path.replace(/\/[^/]*<.*$/, ""),
  );
}

/** What joins the platforms; the rest names the zones that it may import. */
const ALL = /^(all above|everything)$/;
const EVERYTHING = ["cli", "entry"];
/**
 * Scripts of HTML pages: they run in browsers, and other zones see the text that they are bundled
 * into.
 */
const PAGE = "plot/page";
const TABLE = tableUnder("Zones", PAGE_TEXT).map(
  ([zone = "", , imports = ""]) => [zone, imports] as const,
);

/** Zone → zones it may import. A zone may always import itself; anything absent is forbidden. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  TABLE.map(([zone, imports], k) => [
    zone,
    ALL.test(imports)
      ? TABLE.slice(0, k).map(([above]) => above)
      : imports.split(", ").filter((name) => name !== "–"),
  ]),
);

function zoneOf(file: string): string {
  const parts = relative(SRC, file).split(sep);
  if (parts.length === 1) return "entry";
  if (parts[0] === "plot" && parts[1] === "page") return PAGE;
  return parts[0] === "platform" ? `platform/${parts[1]}` : parts[0]!;
}

interface Import {
  readonly from: string;
  readonly to: string;
  readonly place: string;
}

function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  const pattern = /(?:\bfrom\s+|\bimport\s*\(?\s*)["'](\.[^"']+)["']/g;
  for (const match of text.matchAll(pattern)) {
    const target = join(dirname(file), match[1]!);
    found.push({
      from: zoneOf(file),
      to: zoneOf(target),
      place: `${relative(SRC, file)} → ${match[1]}`,
    });
  }
  return found;
}

function forbidden(imports: readonly Import[]): string[] {
  return imports
    .filter(
      ({ from, to }) =>
        from !== to &&
        (to === PAGE || (!EVERYTHING.includes(from) && !ALLOWED[from]?.includes(to))),
    )
    .map(({ place }) => place);
}

const files = (readdirSync(SRC, { recursive: true }) as string[])
  .filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes(`testing${sep}`),
  )
  .map((name) => join(SRC, name));
const imports = files.flatMap((file) => importsOf(file, readFileSync(file, "utf8")));

describe("architecture", () => {
  it("sees the sources: every zone of the table has files, and imports cross zones", () => {
    const zones = new Set(files.map(zoneOf));
    expect(Object.keys(ALLOWED).filter((zone) => !zones.has(zone))).toEqual([]);
    expect(imports.filter(({ from, to }) => from !== to).length).toBeGreaterThan(20);
  });

  it("knows every zone that has files", () => {
    const known = new Set([...Object.keys(ALLOWED), ...EVERYTHING]);
    expect([...new Set(files.map(zoneOf))].filter((zone) => !known.has(zone))).toEqual([]);
    expect(
      Object.values(ALLOWED)
        .flat()
        .filter((zone) => !known.has(zone)),
    ).toEqual([]);
  });

  it("lets nobody import what the table does not allow", () => {
    expect(forbidden(imports)).toEqual([]);
  });

  it("is told on two pages, and each 'how do I add' names at most three files that exist", () => {
    expect(PAGE_TEXT.split(/\s+/).length).toBeLessThan(1200);
    expect(PAGE_TEXT.split("\n").length).toBeLessThan(120);
    const rows = tableUnder("How do I add", PAGE_TEXT);
    for (const kind of ["backend", "master", "estimator", "format", "language", "command"])
      expect(rows.some(([what]) => what?.includes(kind))).toBe(true);
    for (const kind of ["diagnostic", "statistic"])
      expect(rows.some(([what]) => what?.includes(kind))).toBe(true);
    expect(rows.filter(([, where]) => pathsIn(where).length > 3).map(([what]) => what)).toEqual([]);
    const further = readFileSync(join(ROOT, "docs", "extending.md"), "utf8");
    const paths = [...rows, ...tableUnder("Extending", further)].flatMap(([, where]) =>
      pathsIn(where),
    );
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter((path) => !existsSync(join(SRC, path)))).toEqual([]);
  });

  it("[PK6] loads tens of modules for a unit, not the library", () => {
    const loaded = (entry: string): number => {
      const seen = new Set<string>();
      const visit = (file: string): void => {
        if (seen.has(file)) return;
        seen.add(file);
        // What is only a type is not loaded, nor what is imported when it is needed.
        const text = readFileSync(file, "utf8").replaceAll(/^(?:import|export) type [^;]*;/gm, "");
        for (const [, path] of text.matchAll(/\bfrom\s+"(\.[^"]+)"/g))
          visit(join(dirname(file), path!));
      };
      visit(join(SRC, entry));
      return seen.size;
    };
    expect(loaded("unit.ts")).toBeLessThan(40);
    expect(loaded("index.ts")).toBeGreaterThan(100);
  });

  it("[PK7] loads neither the layout of graphs nor the scripts of pages with cosimo/plot", () => {
    const loaded = new Set([join(SRC, "plot.ts")]);
    const packages = new Set<string>();
    for (const file of loaded) {
      // What is imported for types alone, or when it is needed, is not loaded.
      const statics = /^(?:import|export) (?!type )[^;]*?from "([^"]+)"/gm;
      for (const [, name] of readFileSync(file, "utf8").matchAll(statics)) {
        if (name.startsWith(".")) loaded.add(join(dirname(file), name));
        else packages.add(name);
      }
    }
    expect(loaded.has(join(SRC, "plot", "html.ts"))).toBe(true);
    expect(loaded.has(join(SRC, "plot", "graph-layout.ts"))).toBe(false);
    expect(packages).not.toContain("#pages");
    expect(packages).not.toContain("@dagrejs/dagre");
  });

  it("writes private members as 'private'", () => {
    const hashed = /^\s+(?:(?:readonly|static|async|get|set) )*#\w/m;
    expect(hashed.test("class A {\n  readonly #a = 1;\n}")).toBe(true);
    const found = files.filter((file) => hashed.test(readFileSync(file, "utf8")));
    expect(found).toEqual([]);
  });

  it("asserts that a value is there ('!') less than five times per thousand lines", () => {
    const asserted = /[\w\])]!(?!=)/g;
    const countIn = (text: string): number =>
      text.replace(/"(?:\\.|[^"\\\n])*"|`[^`]*`|^\s*(?:\/\/|\*|\/\*).*$/gm, "").match(asserted)
        ?.length ?? 0;
    expect(countIn('const a = b!.c![0]! + "Stop!"; // no!\nif (a !== b) {}')).toBe(4);
    const texts = files.map((file) => readFileSync(file, "utf8"));
    const lines = texts.reduce((sum, text) => sum + text.split("\n").length, 0);
    const found = texts.reduce((sum, text) => sum + countIn(text), 0);
    expect(found).toBeGreaterThan(0);
    expect(found / lines).toBeLessThan(0.005);
  });

  it("wraps comments at 100 columns, but for tables and orders to tools", () => {
    const isLong = (line: string): boolean =>
      line.length > 100 &&
      /^\s*(\/\/|\*|\/\*\*)( |$)/.test(line) &&
      !/^\s*(\* \||\/\/ biome-ignore)|\S {3,}\S|^\s*\* {4}/.test(line);
    expect(isLong(`  // ${"word ".repeat(20)}`)).toBe(true);
    const isMade = /[/\\](ast|grammar|schema-text)\.ts$/;
    const found = files
      .filter((file) => !isMade.test(file))
      .flatMap((file) =>
        readFileSync(file, "utf8")
          .split("\n")
          .flatMap((line, i) => (isLong(line) ? [`${relative(SRC, file)}:${i + 1}`] : [])),
      );
    expect(found).toEqual([]);
  });

  it("catches a forbidden import (positive control)", () => {
    const bad = importsOf(join(SRC, "base", "x.ts"), 'import { y } from "../engine/y.ts";');
    expect(forbidden(bad)).toHaveLength(1);
    const worse = importsOf(
      join(SRC, "platform", "node", "x.ts"),
      'await import("../native/y.ts")',
    );
    expect(forbidden(worse)).toHaveLength(1);
    const page = importsOf(join(SRC, "cli", "x.ts"), 'import { z } from "../plot/page/z.ts";');
    expect(forbidden(page)).toHaveLength(1);
  });
});
