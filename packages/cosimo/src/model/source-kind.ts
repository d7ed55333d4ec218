/**
 * What is known of each kind of source without reading it, one row each: the endings of its files
 * and what it is for readers. Zones ask this table instead of naming kinds; how a kind is read is
 * in host/sources.
 */
import type { RemoteSource, UnitSource } from "./scenario.ts";

export type FileKind = Extract<UnitSource, { readonly path: string }>["kind"];

interface SourceFacts {
  /** Of its files, without the first dot. */
  readonly endings: readonly string[];
  /** What readers call it where the backend would say TypeScript. */
  readonly noun?: "adaptation" | "scenario" | "state machine" | "table" | "remote unit";
  /** A scenario, which is resolved together with the one around it. */
  readonly isScenario?: true;
  /**
   * A file that is a unit by itself and needs no binary: `cosimo run` and `cosimo export` take one.
   */
  readonly isUnitFile?: true;
  readonly isFmu?: true;
  /**
   * It adapts units: its own (a file, whose content is not known to scenarios) or the one that it
   * is applied to.
   */
  readonly adapts?: "own" | "given";
}

export const SOURCES: Readonly<Record<UnitSource["kind"], SourceFacts>> = {
  fmu: { endings: ["fmu"], isFmu: true },
  module: { endings: ["js", "mjs", "ts", "mts"] },
  adaptation: { endings: ["sa"], noun: "adaptation", isUnitFile: true, adapts: "own" },
  machine: { endings: ["machine.yaml", "machine.yml"], noun: "state machine", isUnitFile: true },
  table: { endings: ["csv"], noun: "table" },
  "scenario-file": {
    endings: ["yaml", "yml", "mcl", "ssp", "ssd"],
    noun: "scenario",
    isScenario: true,
  },
  scenario: { endings: [], noun: "scenario", isScenario: true },
  group: { endings: [] },
  remote: { endings: [], noun: "remote unit" },
  adapted: { endings: [], adapts: "given" },
};

/** Longer endings first: the last part of one may mean something else. */
const ENDINGS = Object.entries(SOURCES)
  .flatMap(([kind, { endings }]) =>
    endings.map((ending) => [`.${ending}`, kind as FileKind] as const),
  )
  .sort(([a], [b]) => b.length - a.length);

/** Endings of files that can be units. */
export const UNIT_ENDINGS: readonly string[] = [
  ...new Set(ENDINGS.map(([ending]) => ending.slice(ending.lastIndexOf(".")))),
];

/**
 * Keys of a unit in scenario.yaml whose value is the path of a file, and the kind that it makes.
 */
export const FILE_KEYS: ReadonlyMap<string, FileKind> = new Map(
  Object.entries(SOURCES).flatMap(([kind, { endings }]) =>
    endings.length === 0
      ? []
      : [[kind === "scenario-file" ? "scenario" : kind, kind as FileKind] as const],
  ),
);

/** A folder may be an unpacked FMU, but its name does not say so. */
export function fileKind(path: string): FileKind | undefined {
  // A variant of a package, and one adaptation of several, are named behind a hash:
  // system.ssp#Winter.ssd, window.sa#loop.
  const file = (/^.*?\.(ss[pd]|sa)(?=#)/i.exec(path)?.[0] ?? path).toLowerCase();
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

/** `supplier-a/motor, supplier-b/motor`. */
export function placesText({ places }: RemoteSource): string {
  return places.map(({ node, offer }) => `${node}/${offer}`).join(", ");
}

type ScenarioSource = Extract<UnitSource, { readonly kind: "scenario" | "scenario-file" }>;

export function isScenarioSource(source: UnitSource): source is ScenarioSource {
  return SOURCES[source.kind].isScenario === true;
}
