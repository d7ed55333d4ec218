/**
 * What the grammars of FMI 2 and 3 fill while they walk a description. Everything is still mutable
 * here and nothing refers to anything else: references are resolved at the end, because a
 * description may name variables and types before it defines them.
 */

import type {
  Annotation,
  ClockAttributes,
  CoSimulationInterface,
  FmuDescription,
  FmuInterface,
  FmuVariable,
  LogCategory,
  TypeAttributes,
  TypeDefinition,
  UnitDefinition,
  Unknown,
} from "./description.ts";
import type { DescriptionReporter } from "./description-diagnostics.ts";
import type { FmiVersion, UnknownList } from "./versions/fmi-version.ts";
import type { FmiMajor } from "./versions/table.ts";

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Clock attributes as stated; defaults come in when the declared type is known. */
export type StatedClock = Partial<Mutable<ClockAttributes>>;

export interface DescriptionDraft {
  readonly text: string;
  readonly reporter: DescriptionReporter;
  readonly version: FmiVersion;
  readonly identity: Omit<Mutable<FmuDescription>, DraftedElsewhere>;
  coSimulation: CoSimulationInterface | undefined;
  modelExchange: FmuInterface | undefined;
  scheduledExecution: FmuInterface | undefined;
  experiment: Mutable<FmuDescription["experiment"]>;
  readonly units: UnitDefinition[];
  readonly types: Mutable<TypeDefinition>[];
  readonly logCategories: LogCategory[];
  readonly variables: Mutable<FmuVariable>[];
  readonly clocks: Map<TypeAttributes, StatedClock>;
  readonly structure: { [List in UnknownList]: Mutable<Unknown>[] };
  structureLine: number;
  readonly annotations: Annotation[];
}

type DraftedElsewhere =
  | "coSimulation"
  | "modelExchange"
  | "scheduledExecution"
  | "experiment"
  | "units"
  | "types"
  | "logCategories"
  | "variables"
  | "structure"
  | "annotations";

/** @param fmiVersion as written */
export function makeDraft(
  text: string,
  reporter: DescriptionReporter,
  version: FmiVersion<FmiMajor>,
  fmiVersion: string,
): DescriptionDraft {
  return {
    text,
    reporter,
    version,
    identity: {
      fmiVersion,
      major: version.major,
      modelName: "",
      instantiationToken: "",
      variableNamingConvention: "flat",
      line: 1,
    },
    coSimulation: undefined,
    modelExchange: undefined,
    scheduledExecution: undefined,
    experiment: {},
    units: [],
    types: [],
    logCategories: [],
    variables: [],
    clocks: new Map(),
    structure: {
      outputs: [],
      derivatives: [],
      clockedStates: [],
      initialUnknowns: [],
      eventIndicators: [],
    },
    structureLine: 1,
    annotations: [],
  };
}

/** Shared by all variables that have none: most. */
export const NONE: readonly never[] = [];

/** `list` with `item` at its end; only the shared empty list is left alone. */
export function appended<T>(list: readonly T[], item: T): readonly T[] {
  if (list === NONE) return [item];
  (list as T[]).push(item);
  return list;
}
