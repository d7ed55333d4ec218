/**
 * Holds the import table of ARCHITECTURE.md. It must see files to be green: a guard that saw
 * nothing proves nothing.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SRC = join(dirname(fileURLToPath(import.meta.url)), "..", "src");

/** Zone → zones it may import. A zone may always import itself; anything absent is forbidden. */
const ALLOWED: Record<string, readonly string[]> = {
  base: [],
  numerics: ["base"],
  model: ["base"],
  unit: ["base", "model", "numerics"],
  exchange: ["base", "model", "numerics", "unit"],
  devs: ["base", "model", "numerics", "unit"],
  parallel: ["base", "devs", "plan"],
  faults: ["base", "model", "unit"],
  xml: ["base", "model"],
  fmi: ["base", "model", "xml"],
  ssp: ["base", "model", "xml"],
  lang: ["base", "model"],
  plan: ["base", "model", "numerics"],
  engine: ["base", "model", "numerics", "unit", "plan"],
  adapt: ["base", "model", "numerics", "unit", "plan", "engine"],
  coordinate: ["base", "model", "unit", "plan", "engine"],
  stability: ["base", "model", "numerics", "unit", "plan", "engine"],
  remote: ["base", "model", "unit"],
  export: ["base", "model", "xml", "plan", "adapt"],
  record: ["base", "model"],
  requirements: ["base", "model", "numerics", "record"],
  run: [
    "base",
    "model",
    "numerics",
    "unit",
    "devs",
    "faults",
    "lang",
    "plan",
    "engine",
    "coordinate",
    "stability",
    "record",
    "requirements",
  ],
  search: ["base", "model", "numerics", "lang", "plan", "requirements"],
  plot: ["base", "model", "record"],
  "platform/native": ["base", "model", "unit", "exchange", "fmi", "plan", "engine", "record"],
  "platform/process": ["base", "model", "unit", "remote", "platform/native"],
  "platform/nats": ["base", "model", "unit", "remote"],
  "platform/node": ["base", "model", "unit", "fmi", "ssp", "engine", "record", "plot"],
};
/** What joins the platforms; only the command line and the entry points may build on it. */
ALLOWED["host"] = Object.keys(ALLOWED);
ALLOWED["serve"] = Object.keys(ALLOWED);
const EVERYTHING = ["cli", "entry"];
/**
 * Scripts of HTML pages: they run in browsers, and everybody else sees the text that they are
 * bundled into.
 */
const PAGE = "plot/page";
ALLOWED[PAGE] = ["plot"];

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
  });

  it("lets nobody import what the table does not allow", () => {
    expect(forbidden(imports)).toEqual([]);
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
