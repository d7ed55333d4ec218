/**
 * What must be as it was when a run is continued, in short texts that can be compared: the plan,
 * the values, the files behind the units, the machine whose memory layout is in the saved states.
 */
import { createHash, type Hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { adaptationPath } from "../../host/adaptation-library.ts";
import type { Scenario, UnitSource } from "../../model/scenario.ts";
import { isScenarioSource } from "../../model/source-kind.ts";
import type { Plan } from "../../plan/plan.ts";
import { planHash } from "../../plan/plan-hash.ts";
import type { RunHeader, RunJob } from "../protocol/protocol.ts";
import { VERSION } from "../version.ts";

export type Facts = Readonly<Record<string, string>>;

export function factsOf(
  job: RunJob,
  scenario: Scenario,
  plan: Plan,
  experiment: RunHeader["experiment"],
): Facts {
  const { units, connections, bonds, constraints, events, limits, master, structure } = scenario;
  const own = { units, connections, bonds, constraints, events, limits };
  const meant = { ...own, ...(structure && { structure }), options: master.options };
  return {
    Cosimo: VERSION,
    "the machine": `${process.platform} ${process.arch}`,
    "the stop time": String(experiment.stop),
    "the tolerance": String(experiment.tolerance ?? "none"),
    "the plan (units, connections, steps, master, recorded columns)": `#${planHash(plan)}`,
    "the values and connections of the scenario": `#${hashOf(meant)}`,
    "what handles events": job.events === "auto" ? "Cosimo" : "the FMU",
    "the intervals of clocks": job.clocks.join(", ") || "as the FMU says",
    ...(job.input === undefined ? {} : { [`the input ${job.input}`]: `#${hashOfPath(job.input)}` }),
    ...Object.fromEntries(sourcesOf(scenario)),
  };
}

/** What is different, in words. Hashes mean nothing to people: only their names are said. */
export function changesBetween(before: Facts, now: Facts): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.flatMap((name) => {
    const [old, present] = [before[name], now[name]];
    if (old === present) return [];
    if (old === undefined) return [`${name} is new`];
    if (present === undefined) return [`${name} is gone`];
    return old.startsWith("#") ? [`${name} changed`] : [`${name} was ${old}, is ${present}`];
  });
}

/**
 * Files behind units; of a module or an adaptation only the file itself is known, not what it
 * imports.
 */
function sourcesOf(scenario: Scenario, prefix = ""): [string, string][] {
  return scenario.units.flatMap((unit): [string, string][] => {
    const name = `${prefix}${unit.name}`;
    if (unit.scenario) return sourcesOf(unit.scenario, `${name}.`);
    return unit.source.kind === "formula" ? [] : filesBehind(unit.source, scenario.file, name);
  });
}

function filesBehind(source: UnitSource, file: string, name: string): [string, string][] {
  if (isScenarioSource(source)) return [];
  if (source.kind === "adapted") {
    const { adaptation, arguments: given, inner } = source;
    const values = given.map((one) => [one.name, String(one.value)]);
    return [
      ...hashed(adaptationPath(adaptation, file) ?? adaptation, `'${name}' (${adaptation})`),
      [`what '${adaptation}' around '${name}' is given`, `#${hashOf(values)}`],
      ...filesBehind(inner, file, name),
    ];
  }
  if (source.kind === "group") {
    const { units, connections } = source.scenario;
    const within = connections.map(({ from, to, factor, offset }) => [from, to, factor, offset]);
    return [
      [`what connects the units of '${name}'`, `#${hashOf(within)}`],
      ...units.flatMap((unit) => filesBehind(unit.source, file, `${name}.${unit.name}`)),
    ];
  }
  if (source.kind === "remote")
    return [[`where '${name}' is`, `#${hashOf(source.places.map(({ offer }) => offer))}`]];
  return hashed(resolve(dirname(file), source.path), `'${name}' (${source.path})`);
}

function hashed(path: string, label: string): [string, string][] {
  return existsSync(path) ? [[label, `#${hashOfPath(path)}`]] : [];
}

function hashOfPath(path: string): string {
  const hash = createHash("sha256");
  addPath(hash, path);
  return hash.digest("hex");
}

/** A file's content, or names and contents of all files in a folder. */
function addPath(hash: Hash, path: string): void {
  if (!statSync(path).isDirectory()) {
    hash.update(readFileSync(path));
    return;
  }
  for (const name of readdirSync(path).sort()) {
    hash.update(`\n${name}\n`);
    addPath(hash, join(path, name));
  }
}

/**
 * Where something stands and how it is described changes no number; a file is known by its content.
 */
const MEANINGLESS = new Set(["place", "file", "source", "description", "label"]);

function hashOf(value: unknown): string {
  const text = JSON.stringify(value, (key, member: unknown) => {
    if (MEANINGLESS.has(key)) return undefined;
    if (typeof member === "number") return Object.is(member, -0) ? "-0" : `${member}`;
    if (typeof member === "bigint") return `${member}n`;
    if (member instanceof Map) return [...(member as Map<unknown, unknown>)];
    return member;
  });
  return createHash("sha256").update(text).digest("hex");
}
