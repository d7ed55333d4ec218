/** Generated units, compiled with the runtime into a program that obeys scripts (driver.c). */
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CSource } from "../../src/export/c-unit.ts";
import { createTempFolder } from "../../src/platform/node/temp-folder.ts";
import { type Answer, answersOf, type Command, commandLine } from "./scripts.ts";

const HERE = import.meta.dirname;
const RUNTIME = join(HERE, "..", "..", "c-runtime");
const RUNTIME_SOURCES = [
  "unit.c",
  "bytes.c",
  "adaptation.c",
  "adaptation-link.c",
  "adaptation-state.c",
  "adaptation-values.c",
];
/** What generated code has to pass. */
const STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-ffp-contract=off"];

const CC = process.env["CC"] ?? "cc";

export interface CompiledUnit {
  readonly maker: string;
  readonly source: CSource;
}

export interface CompiledUnits {
  /** What the unit at a position answers to a script. */
  answers(unit: number, commands: readonly Command[]): Answer[];
  /** What it complains about meanwhile. */
  complaints(unit: number, commands: readonly Command[]): string;
}

export function compileUnits(
  units: readonly CompiledUnit[],
  flags: readonly string[] = [],
): CompiledUnits {
  const folder = createTempFolder().path;
  const makers = units.map(({ maker }) => maker);
  writeFileSync(
    join(folder, "makers.c"),
    `#include "unit.h"\n${makers.map((maker) => `UnitMaker ${maker};\n`).join("")}` +
      `extern UnitMaker *const MAKERS[];\nUnitMaker *const MAKERS[] = {${makers.join(", ")}};\n`,
  );
  for (const { source } of units) writeFileSync(join(folder, source.path), source.text);
  const program = join(folder, "driver");
  const sources = [
    ...units.map(({ source }) => join(folder, source.path)),
    join(folder, "makers.c"),
    ...["driver.c", "plant.c"].map((name) => join(HERE, name)),
    ...RUNTIME_SOURCES.map((name) => join(RUNTIME, name)),
  ];
  execFileSync(
    CC,
    [...STRICT, ...flags, "-I", RUNTIME, "-I", HERE, ...sources, "-o", program, "-lm"],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  const obey = (unit: number, commands: readonly Command[]): { stdout: string; stderr: string } => {
    const input = `${commands.map(commandLine).join("\n")}\n`;
    const run = spawnSync(program, [String(unit)], { input, encoding: "utf8" });
    if (run.status !== 0) throw new Error(`the driver ended with ${run.status}: ${run.stderr}`);
    return run;
  };
  return {
    answers: (unit, commands) => answersOf(obey(unit, commands).stdout, commands),
    complaints: (unit, commands) => obey(unit, commands).stderr,
  };
}
