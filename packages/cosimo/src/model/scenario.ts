/**
 * Scenarios as plain data, in two stages.
 *
 * A *draft* is what somebody wrote (scenario.yaml, an SSP): names and texts, each with its place, nothing resolved.
 * Languages produce drafts and need no FMU for that. A *scenario* is a draft whose names were resolved against the
 * descriptions of its units: indices, conversions, values. Plans are made from scenarios only.
 */
import type { Place } from "../base/diagnostic.ts";
import type { Experiment, UnitDescription } from "./unit-description.ts";
import type { Value } from "./value-type.ts";

// ---- drafts ---------------------------------------------------------------------------------------------------

export interface ScenarioDraft {
  readonly name: string;
  readonly description?: string;
  /** The file it was read from; sources are relative to its folder. */
  readonly file: string;
  readonly units: readonly UnitDraft[];
  readonly connections: readonly ConnectionDraft[];
  /** Ports that the scenario shows to the outside when it is used as a unit. */
  readonly ports: readonly ExposedPortDraft[];
  readonly experiment: Experiment;
  readonly master: MasterDraft;
  readonly record: RecordDraft;
  readonly place: Place;
}

export interface UnitDraft {
  readonly name: string;
  readonly source: UnitSource;
  /** Communication step of this unit, seconds, where it differs from the scenario's (multi-rate). */
  readonly step?: number;
  readonly values: readonly ValueDraft[];
  readonly place: Place;
}

export type UnitSource =
  /** An FMU, packed or unpacked; the path is as written. */
  | { readonly kind: "fmu"; readonly path: string }
  /** A module that exports a function `(name) => Unit`, or an object that `export` names. */
  | { readonly kind: "module"; readonly path: string; readonly export?: string }
  /** A scenario in a file of its own. */
  | { readonly kind: "scenario-file"; readonly path: string }
  /** A scenario written in place (SSP: nested systems). */
  | { readonly kind: "scenario"; readonly scenario: ScenarioDraft };

/** A parameter or start value: text, number, boolean or a list, with an optional physical unit ("5 mm"). */
export interface ValueDraft {
  readonly port: string;
  readonly value: Value | readonly Value[];
  /** Unit that the value is given in; absent: the port's own. */
  readonly unit?: string;
  /** Not a mistake when the unit has no such port (SSP: parameter sets that fit many components). */
  readonly optional?: boolean;
  readonly place: Place;
}

export interface ConnectionDraft {
  /** `unit.port`, `unit.port[2,1]`, `unit.terminal`, `unit.*`. */
  readonly from: string;
  readonly to: string;
  readonly factor?: number;
  readonly offset?: number;
  /** Checks that the author turned off. */
  readonly suppress: readonly "unit"[];
  readonly approximation?: Approximation;
  /** Values of an enumeration or boolean, from → to (SSP: mapping transformations). */
  readonly mapping?: readonly { readonly from: Value; readonly to: Value }[];
  readonly place: Place;
}

export interface ExposedPortDraft {
  readonly name: string;
  /** `unit.port` inside. */
  readonly inner: string;
  readonly place: Place;
}

export interface MasterDraft {
  /** "jacobi", "gauss-seidel", …; empty: let Cosimo choose. */
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly place: Place;
}

export interface RecordDraft {
  /** Patterns over `unit.port`; empty: all outputs. */
  readonly patterns: readonly string[];
  /** Every how many communication points a row is kept. */
  readonly every: number;
  readonly place?: Place;
}

// ---- scenarios ------------------------------------------------------------------------------------------------

/** How an input behaves between two communication points. */
export type Approximation =
  | "hold"
  | "linear"
  | "quadratic"
  | "extrapolated-interpolation"
  /** Between the values at both ends of the step: the source must be advanced first (gauss-seidel). */
  | "interpolation";

export interface Scenario {
  readonly name: string;
  readonly file: string;
  readonly units: readonly ScenarioUnit[];
  readonly connections: readonly Connection[];
  readonly ports: readonly ExposedPort[];
  readonly experiment: Experiment;
  readonly master: MasterDraft;
  readonly record: RecordDraft;
}

export interface ScenarioUnit {
  readonly name: string;
  readonly source: UnitSource;
  readonly description: UnitDescription;
  readonly step?: number;
  readonly values: readonly PortValue[];
  /** For a nested scenario: what is inside. */
  readonly scenario?: Scenario;
  readonly place: Place;
}

/** Values in the port's own unit, one per element. */
export interface PortValue {
  readonly port: number;
  readonly values: readonly Value[];
  readonly place: Place;
}

export interface PortRef {
  readonly unit: number;
  readonly port: number;
}

/** `to[toElement + i] = factor * from[fromElement + i] + offset` for i below `count`. */
export interface Connection {
  readonly from: PortRef;
  readonly to: PortRef;
  readonly fromElement: number;
  readonly toElement: number;
  readonly count: number;
  /** Unit conversion and the author's transformation together. */
  readonly factor: number;
  readonly offset: number;
  /** What was converted, for people: "deg → rad". */
  readonly conversion?: string;
  readonly mapping?: readonly { readonly from: Value; readonly to: Value }[];
  /** Absent: as the master chooses. */
  readonly approximation?: Approximation;
  readonly place: Place;
}

export interface ExposedPort {
  readonly name: string;
  readonly inner: PortRef;
}
