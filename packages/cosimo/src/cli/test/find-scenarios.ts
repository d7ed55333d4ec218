/**
 * The scenarios that `cosimo test` is to run: files that are named, and all that folders hold.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { isScenarioPath } from "../../host/scenario-path.ts";
import { TRACE_ENDINGS } from "../../record/formats.ts";
import { UsageError } from "../command.ts";

export interface FoundScenario {
  readonly path: string;
  /** The trace that it must have. */
  readonly expected?: string;
}

/** @throws UsageError for a path that leads nowhere. */
export function findScenarios(paths: readonly string[]): FoundScenario[] {
  const found = new Set(
    paths.flatMap((path) => {
      if (!existsSync(path))
        throw new UsageError(`there is no '${path}'`, "name a scenario, or a folder of scenarios");
      return statSync(path).isDirectory() ? inFolder(path) : [path];
    }),
  );
  return [...found].map((path) => {
    const expected = expectedOf(path);
    return { path, ...(expected !== undefined && { expected }) };
  });
}

function inFolder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") return [];
      if (entry.isDirectory()) return inFolder(path);
      return isScenarioPath(path) && isWhole(path) ? [path] : [];
    });
}

/**
 * A YAML file is a scenario of its own where it has units and an experiment; others are parts, or
 * something else.
 */
function isWhole(path: string): boolean {
  if (![".yaml", ".yml"].includes(extname(path).toLowerCase())) return true;
  const text = readFileSync(path, "utf8");
  return ["units", "experiment"].every((key) => new RegExp(`^${key}\\s*:`, "m").test(text));
}

/** `drive.expected.csv` beside `drive.yaml`; beside `scenario.yaml` also `expected.csv`. */
function expectedOf(path: string): string | undefined {
  const stem = basename(path, extname(path));
  const names = stem === "scenario" ? [`${stem}.expected`, "expected"] : [`${stem}.expected`];
  return names
    .flatMap((name) => TRACE_ENDINGS.map((ending) => join(dirname(path), `${name}${ending}`)))
    .find((file) => existsSync(file));
}
