/**
 * The kinds of source: what a scenario says of a unit of each, and what is known of the kind
 * without reading it (the endings of its files, what it is for readers), one row each. Zones ask
 * this table instead of naming kinds; how a kind is read is in host/sources.
 */
import type { Place } from "../base/diagnostic.ts";
import type { AdaptationArgument } from "./adaptation/data.ts";
import type { FmuChoice, IntegratorOptions } from "./integrator.ts";
import type { FailureResponse } from "./isolation.ts";
import type { PhysicalUnit } from "./physical-unit.ts";
import type { ScenarioDraft } from "./scenario.ts";
import type { ValueType } from "./value-type.ts";

export type UnitSource =
  /** An FMU, packed or unpacked; the path is as written. */
  | ({ readonly kind: "fmu"; readonly path: string } & FmuChoice)
  /** A module that exports a function `(name) => Unit`, or an object that `export` names. */
  | { readonly kind: "module"; readonly path: string; readonly export?: string }
  /** A semantic adaptation (.sa), with inner units of its own. */
  | { readonly kind: "adaptation"; readonly path: string }
  /** A timed state machine (.machine.yaml). */
  | { readonly kind: "machine"; readonly path: string }
  /** Signals over time (.csv): every column is an output. */
  | {
      readonly kind: "table";
      readonly path: string;
      /** Types and units by column, where something states them. Default: numbers without unit. */
      readonly columns?: Readonly<Record<string, TableColumnDraft>>;
    }
  /** A scenario in a file of its own. */
  | { readonly kind: "scenario-file"; readonly path: string }
  /** A scenario written in place (SSP: nested systems). */
  | { readonly kind: "scenario"; readonly scenario: ScenarioDraft }
  | RemoteSource
  | GroupSource
  | AdaptedSource;

export interface TableColumnDraft {
  readonly type: ValueType;
  readonly unit?: PhysicalUnit;
}

/** A unit on another computer: a node that offers it. */
export interface RemoteSource {
  readonly kind: "remote";
  /** Where it is offered: the first, and where it may go on when that is lost. */
  readonly places: readonly [RemotePlace, ...RemotePlace[]];
  readonly onFailure?: FailureResponse;
}

export interface RemotePlace {
  readonly node: string;
  readonly offer: string;
}

/** Model Exchange FMUs that share one integrator (coupled integration). */
export interface GroupSource {
  readonly kind: "group";
  /** The FMUs and the connections between them. */
  readonly scenario: ScenarioDraft;
  readonly integrator?: IntegratorOptions;
}

/**
 * A unit with an adaptation around it that leaves its inner unit open (`adapt: multi-rate { rate:
 * 10 }`).
 */
export interface AdaptedSource {
  readonly kind: "adapted";
  /** A name of the library, or the path of a `.sa` file as written. */
  readonly adaptation: string;
  readonly arguments: readonly AdaptationArgument[];
  readonly inner: UnitSource;
  readonly place: Place;
}

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
