/**
 * What is known of each kind of source without reading it, one row each: the endings of its files and what it is for readers. Zones ask
 * this table instead of naming kinds; how a kind is read is in host/sources.
 */
import type { UnitSource } from "./scenario.ts";

export type FileKind = Extract<UnitSource, { readonly path: string }>["kind"];

interface SourceFacts {
  /** Of its files, without the first dot. */
  readonly endings: readonly string[];
  /** What readers call it where the backend would say TypeScript. */
  readonly noun?: "adaptation" | "scenario" | "state machine";
  /** A scenario, which is resolved together with the one around it. */
  readonly isScenario?: true;
  /** A file that is a unit by itself and needs no binary: `cosimo run` and `cosimo export` take one. */
  readonly isUnitFile?: true;
  readonly isFmu?: true;
  /** It adapts units: its own (a file, whose content is not known to scenarios) or the one that it is applied to. */
  readonly adapts?: "own" | "given";
}

export const SOURCES: Readonly<Record<UnitSource["kind"], SourceFacts>> = {
  fmu: { endings: ["fmu"], isFmu: true },
  module: { endings: ["js", "mjs", "ts", "mts"] },
  adaptation: { endings: ["sa"], noun: "adaptation", isUnitFile: true, adapts: "own" },
  machine: { endings: ["machine.yaml", "machine.yml"], noun: "state machine", isUnitFile: true },
  "scenario-file": {
    endings: ["yaml", "yml", "ssp", "ssd"],
    noun: "scenario",
    isScenario: true,
  },
  scenario: { endings: [], noun: "scenario", isScenario: true },
  adapted: { endings: [], adapts: "given" },
};

/** Longer endings first: the last part of one may mean something else. */
const ENDINGS = Object.entries(SOURCES)
  .flatMap(([kind, { endings }]) =>
    endings.map((ending) => [`.${ending}`, kind as FileKind] as const),
  )
  .sort(([a], [b]) => b.length - a.length);

/** A folder may be an unpacked FMU, but its name does not say so. */
export function fileKind(path: string): FileKind | undefined {
  // A variant of a package is named behind a hash: system.ssp#Winter.ssd.
  const file = (/^.*\.ss[pd](?=#)/i.exec(path)?.[0] ?? path).toLowerCase();
  return ENDINGS.find(([ending]) => file.endsWith(ending))?.[1];
}

export function sourceAt(path: string): UnitSource | undefined {
  const kind = fileKind(path);
  return kind && { kind, path };
}

export type UnitFileKind = Extract<FileKind, "machine" | "adaptation">;

export function isUnitFile(kind: FileKind | undefined): kind is UnitFileKind {
  return kind !== undefined && SOURCES[kind].isUnitFile === true;
}

type ScenarioSource = Extract<UnitSource, { readonly kind: "scenario" | "scenario-file" }>;

export function isScenarioSource(source: UnitSource): source is ScenarioSource {
  return SOURCES[source.kind].isScenario === true;
}
