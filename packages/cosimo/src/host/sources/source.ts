/**
 * The contract of what can stand behind a unit. One file of this folder per kind; `kinds.ts` lists
 * them. It has two phases: first a kind reads what a unit names, all the way down (once, over
 * `Files`); then what was read describes the unit, opens it for a run, and becomes C where it can,
 * without reading anything else.
 */
import type { Diagnostic, Place } from "../../base/diagnostic.ts";
import type { EventOde } from "../../exchange/event-ode.ts";
import type { ExportNode } from "../../export/exported-fmu.ts";
import type { Adaptation } from "../../model/adaptation/data.ts";
import type { FmiInterfaceName } from "../../model/integrator.ts";
import type { IsolationKind } from "../../model/isolation.ts";
import type { Scenario, ScenarioDraft, UnitDraft, UnitSource } from "../../model/scenario.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import type { FmuFile } from "../../platform/node/fmu-file.ts";
import type { UnitUse } from "../../run/open-units.ts";
import type { Unit } from "../../unit/unit.ts";
import type { SourceTree } from "./tree.ts";

/** What was read for a unit. */
export interface Source {
  /** Absolute; empty where no single file stands behind it. */
  readonly path: string;
  /**
   * The description that the unit will have once it is open. Called when everything was read.
   * @param given numbers by port: those of structural parameters shape it.
   * @returns undefined after a report.
   */
  describe(given: ReadonlyMap<string, number>, unit: NamedUnit): UnitDescription | undefined;
  open(use: UnitUse, around: OpenContext): Promise<Unit>;
  /** Of Model Exchange: its equations without an integrator, for a group that has one. */
  openEquations?(use: UnitUse, around: OpenContext): Promise<EventOde>;
  /** The same, described. */
  describeEquations?(given: ReadonlyMap<string, number>): UnitDescription;
  /** Absent: it cannot become C. @returns undefined after a report. */
  toC?(use: UnitUse, around: ExportContext): ExportNode | undefined;
  /** Of FMUs: the interface that is used. */
  readonly drivenAs?: FmiInterfaceName;
  /**
   * Where it is an adaptation: a file of its own, or one that the scenario applies. Messages advise
   * accordingly.
   */
  readonly adaptation?: "file" | "applied";
}

/** A unit as messages speak of it. */
export type NamedUnit = Pick<UnitDraft, "name" | "place">;

/** What a kind is asked to read. */
export interface SourceRequest<Kind extends UnitSource = UnitSource> {
  readonly unit: UnitDraft;
  readonly source: Kind;
  /** Absolute path of what the unit names; empty where it names no file. */
  readonly path: string;
  /** The file that names it. */
  readonly file: string;
  /** Absolute paths of the adaptations that it is inside of. */
  readonly around: readonly string[];
}

/** @returns undefined after a report. */
export type ReadSource<Kind extends UnitSource = UnitSource> = (
  request: SourceRequest<Kind>,
  tree: SourceTree,
) => Promise<Source | undefined>;

/** A row of the table of kinds. */
export interface SourceKind<Kind extends UnitSource = UnitSource> {
  readonly read: ReadSource<Kind>;
  /**
   * Of scenarios: reads its draft. Scenarios inside scenarios are resolved together with the one
   * around them.
   */
  readonly readDraft?: (
    request: SourceRequest<Kind>,
    tree: SourceTree,
  ) => Promise<ScenarioDraft | undefined>;
}

/**
 * What `make` gives, made on the first call: for what is computed once everything was read.
 * Files may contain each other; what asks for itself while it is made gets undefined.
 */
export function lazily<T>(make: () => T | undefined): () => T | undefined {
  let isMade = false;
  let made: T | undefined;
  return () => {
    if (!isMade) {
      isMade = true;
      made = make();
    }
    return made;
  };
}

/** What the caller says about processes of their own, for units whose scenario says nothing. */
export interface IsolationChoice {
  readonly kind: IsolationKind;
  /**
   * For all units, whatever their scenario says, and with a bound on every call: nobody is trusted.
   */
  readonly isForced?: boolean;
}

export interface IsolationOptions {
  readonly choice?: IsolationChoice;
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  /** Gets what opens isolated units, when there is the first one. */
  readonly onIsolator?: (isolator: IsolatorReport) => void;
}

export interface IsolatorReport {
  report(): readonly IsolatedUnit[];
  /** After the units are freed, and before this process ends. */
  settle(): Promise<void>;
}

/** What became of a unit in a process of its own. */
export interface IsolatedUnit {
  readonly unit: string;
  readonly kind: IsolationKind;
  /** Units that shared its process. */
  readonly group?: string;
  readonly restarts: readonly RestartReport[];
}

export interface RestartReport {
  /** In words: what ended the process. */
  readonly why: string;
  /** Messages that were sent again. */
  readonly replayed: number;
  /** The unit did not give the same answers again. */
  readonly differs: boolean;
}

/** For one run. */
export interface OpenContext {
  /** Folder for unpacked FMUs. */
  readonly folder: string;
  readonly isolation?: IsolationOptions;
  /**
   * Every instance gets a copy of its library, so that instances of one FMU have nothing in common.
   */
  readonly ownLibraries?: boolean;
  /** Options of a native instance, by its full name (`outer.inner` inside nested scenarios). */
  readonly native: (name: string) => NativeUnitOptions;
  /** Opens the units of a scenario that is inside of something. */
  openScenario(
    scenario: Scenario,
    description: UnitDescription,
    use: UnitUse,
    step: number,
  ): Promise<Unit>;
}

/** For one FMU that is made. */
export interface ExportContext {
  /** FMUs inside must have a binary for this machine. */
  readonly needsBinaries: boolean;
  report(diagnostic: Diagnostic): void;
  /** What is used twice becomes one node. */
  once(source: unknown, key: string, make: () => ExportNode | undefined): ExportNode | undefined;
  /** Where an FMU goes below `resources/`. */
  folderFor(file: FmuFile): string;
  scenario(scenario: Scenario, step: number, prefix: string): ExportNode | undefined;
  /** The adaptation that a text of ours says: a state machine becomes one. */
  parseAdaptation(text: string, file: string): Adaptation;
  /** What a source becomes, or a report that it cannot become C. */
  node(source: Source, use: UnitUse): ExportNode | undefined;
}

/**
 * The use of a unit inside an adaptation: it takes the steps that rules ask for, without events of
 * its own.
 */
export function innerUse(
  { name, start }: UnitUse,
  inner: string,
  structural: ReadonlyMap<string, number>,
  place: Place,
): UnitUse {
  return {
    name: `${name}.${inner}`,
    structural,
    takesSlopes: true,
    hasEvents: false,
    mayReturnEarly: false,
    start,
    place,
  };
}

/** Numbers that a unit is given, by port. */
export function givenNumbers({ values }: Pick<UnitDraft, "values">): Map<string, number> {
  return new Map(values.map(({ port, value }) => [port, Number(value)]));
}
