/**
 * Scenarios as plain data, in two stages.
 *
 * A *draft* is a scenario as written (scenario.yaml, an SSP): names and texts, each with its place,
 * nothing resolved. Languages produce drafts and need no FMU for that. A *scenario* is a draft
 * whose names were resolved against the descriptions of its units: indices, conversions, values.
 * Plans are made from scenarios only.
 */
import type { Place } from "../base/diagnostic.ts";
import type { Expression, InputKind } from "./adaptation/data.ts";
import type { Fault, FaultDraft, FaultyUnit } from "./faults.ts";
import type { Isolation } from "./isolation.ts";
import type { PhysicalUnit } from "./physical-unit.ts";
import type {
  HintFact,
  Requirement,
  RequirementDraft,
  RequirementFileDraft,
} from "./requirement.ts";
import type { UnitSource } from "./source-kind.ts";
import type { Experiment, UnitDescription } from "./unit-description.ts";
import type { UnitInterface } from "./unit-interface.ts";
import type { Value } from "./value-type.ts";

export type {
  AdaptedSource,
  GroupSource,
  RemotePlace,
  RemoteSource,
  TableColumnDraft,
  UnitSource,
} from "./source-kind.ts";

// ---- drafts ---------------------------------------------------------------------------------

export interface ScenarioDraft {
  readonly name: string;
  readonly description?: string;
  /** The file it was read from; sources are relative to its folder. */
  readonly file: string;
  /**
   * What messages call the file: that of a package lies unpacked in a folder that does not last.
   */
  readonly shownAs?: string;
  readonly units: readonly UnitDraft[];
  readonly connections: readonly ConnectionDraft[];
  /** Ports that the scenario shows to the outside when it is used as a unit. */
  readonly ports: readonly ExposedPortDraft[];
  readonly experiment: Experiment;
  readonly master: MasterDraft;
  readonly record: RecordDraft;
  readonly bonds?: readonly BondDraft[];
  readonly constraints?: readonly ConstraintDraft[];
  readonly events?: readonly EventDraft[];
  readonly limits?: readonly StepLimitDraft[];
  readonly faults?: readonly FaultDraft[];
  /** Files with more faults, which the host reads. */
  readonly faultFiles?: readonly FaultFileDraft[];
  readonly structure?: StructureDraft;
  readonly requirements?: readonly RequirementDraft[];
  /** Files with more requirements, which the host reads. */
  readonly requirementFiles?: readonly RequirementFileDraft[];
  readonly hints?: readonly HintFact[];
  readonly place: Place;
}

export interface FaultFileDraft {
  /** As written. */
  readonly path: string;
  readonly place: Place;
}

export interface UnitDraft {
  readonly name: string;
  readonly source: UnitSource;
  /**
   * Communication step of this unit, seconds, where it differs from the scenario's (multi-rate).
   */
  readonly step?: number;
  readonly values: readonly ValueDraft[];
  /** Of ports, where the file that names the unit declares them (SSP). */
  readonly portUnits?: readonly PortUnitDraft[];
  /** A process of its own. */
  readonly isolation?: Isolation;
  /** What its author declares of its ports (`.mci`). */
  readonly interface?: InterfaceDraft;
  /**
   * Its upper left corner in the drawing of its file; y grows upwards. It means nothing to runs.
   */
  readonly drawnAt?: { readonly x: number; readonly y: number };
  readonly place: Place;
}

export interface PortUnitDraft {
  readonly port: string;
  readonly unit: PhysicalUnit;
  readonly place: Place;
}

/** A path as written, and what the host read there. */
export interface InterfaceDraft {
  readonly path: string;
  readonly content?: UnitInterface;
  readonly place: Place;
}

/**
 * What a connection from several ports computes (`a.x + b.y -> c.u`): resolution puts such a unit
 * between its ports, with an input `u1`, `u2`, … for each and the output `y`.
 */
export interface FormulaSource {
  readonly kind: "formula";
  readonly expression: Expression;
  /** Not the expression, but what makes events of a counter, or counts them. */
  readonly translation?: "ticks" | "counts";
  readonly description: UnitDescription;
  /** The connection as written, for messages. */
  readonly from: string;
  readonly to: string;
}

/**
 * A parameter or start value: text, number, boolean or a list, with an optional physical unit ("5
 * mm").
 */
export interface ValueDraft {
  readonly port: string;
  readonly value: Value | readonly Value[];
  /** Unit that the value is given in; absent: the port's own. */
  readonly unit?: string;
  /** As its file says it, where `value` and `unit` are a conversion of that. */
  readonly written?: { readonly value: Value | readonly Value[]; readonly unit: string };
  /** The unit need not have such a port, nor one to be set (SSP: sets for many components). */
  readonly optional?: boolean;
  readonly place: Place;
}

export interface ConnectionDraft {
  /** `unit.port`, `unit.port[2,1]`, `unit.terminal`, `unit.*`; or a formula as written. */
  readonly from: string;
  /** What `from` says, where it is not a reference to ports. */
  readonly formula?: FormulaDraft;
  readonly to: string;
  readonly factor?: number;
  readonly offset?: number;
  /** Checks that the author turned off. */
  readonly suppress: readonly "unit"[];
  readonly approximation?: Approximation;
  readonly kind?: InputKind;
  /** Values of an enumeration or boolean, from → to (SSP: mapping transformations). */
  readonly mapping?: readonly { readonly from: Value; readonly to: Value }[];
  /**
   * Output of the source unit that is the time integral of `from`, which the exchange then
   * preserves.
   */
  readonly integral?: string;
  readonly trigger?: TriggerDraft;
  /** Synchronization tolerance: see `Connection`. */
  readonly tolerance?: number;
  readonly interaction?: Interaction;
  readonly place: Place;
}

/** A formula over ports: `u1`, `u2`, … in the expression are the terms in their order. */
export interface FormulaDraft {
  readonly expression: Expression;
  readonly terms: readonly string[];
}

/** As `Trigger`, with a name where that has a port: `when: tank.level > 3 m`. */
export type TriggerDraft =
  | Extract<Trigger, { readonly kind: "every" }>
  /** `on`: `unit.port`, where it is not the source or target of the connection itself. */
  | { readonly kind: "updated" | "event" | "ready-to-read"; readonly on?: string }
  | {
      readonly kind: "threshold";
      /** `unit.port` of a real output. */
      readonly when: string;
      /** In the port's unit, unless `unit` says another. */
      readonly level: number;
      readonly unit?: string;
      readonly direction: ThresholdDirection;
    };

export type ThresholdDirection = Exclude<CrossingDirection, "any">;

/** When a connection exchanges data, under the master 'event-driven'. */
export type Trigger =
  /** At start + k · seconds, k = 1, 2, …; counted, never summed up. */
  | { readonly kind: "every"; readonly seconds: number }
  /** Whenever the source, or the output `port` of any unit, has a new value. */
  | { readonly kind: "updated"; readonly port?: PortRef }
  /** Whenever the event of the source, or of the output `port`, occurs. */
  | { readonly kind: "event"; readonly port?: PortRef }
  /** Whenever the target is about to read its input, or any unit the input `port`. */
  | { readonly kind: "ready-to-read"; readonly port?: PortRef }
  /** Whenever an output of any unit crosses a level. */
  | {
      readonly kind: "threshold";
      readonly port: ElementRef;
      readonly level: number;
      readonly direction: ThresholdDirection;
    };

/** What the target gets: the negation of the value, or of what it got last. Absent: the value. */
export type Interaction = "not" | "toggle";

/** Two connections that carry one flow of energy. They are not repeated under `connections`. */
export interface BondDraft {
  readonly name: string;
  readonly effort: ConnectionDraft;
  readonly flow: ConnectionDraft;
  /** "energy": what the coupling creates or dissipates is corrected in the next step. */
  readonly preserve: "nothing" | "energy";
  readonly place: Place;
}

/** `constraint: a.x = b.x`, held by two inputs: `by: a.F, -b.F`. */
export interface ConstraintDraft {
  readonly left: string;
  readonly right: string;
  /** The same for the rates, `a.v = b.v`, where the author names them; "none": do not hold them. */
  readonly rate?: { readonly left: string; readonly right: string } | "none";
  readonly by: readonly { readonly port: string; readonly factor: number }[];
  readonly place: Place;
}

export type CrossingDirection = "rising" | "falling" | "any";

/** A crossing that the master locates: `when: tank.level, crosses: 2 m, direction: rising`. */
export interface EventDraft {
  /** `unit.port` of a real output. */
  readonly when: string;
  /** A level in the port's unit unless `unit` says another, or the name of another output. */
  readonly crosses: number | string;
  readonly unit?: string;
  readonly direction: CrossingDirection;
  /** How far beyond the level the signal may be when the event is handled, in the port's unit. */
  readonly tolerance?: number;
  readonly regularization?: RegularizationDraft;
  readonly place: Place;
}

/** What keeps events apart that would come ever faster. */
export interface RegularizationDraft {
  /** Seconds between two events at least. */
  readonly temporal?: number;
  /** How far the signal must have been from the level between two events. */
  readonly spatial?: number;
  /** Unit that `spatial` is given in; absent: the port's own. */
  readonly unit?: string;
}

/** What bounds the steps of a master that chooses them. */
export type StepLimitDraft =
  /** Communication points at start + offset + i * every. */
  | {
      readonly kind: "every";
      readonly every: number;
      readonly offset: number;
      readonly place: Place;
    }
  | { readonly kind: "at"; readonly times: readonly number[]; readonly place: Place }
  /** No step may change this output by more. */
  | {
      readonly kind: "difference";
      readonly port: string;
      readonly atMost: number;
      /** Unit that `atMost` is given in; absent: the port's own. */
      readonly unit?: string;
      readonly place: Place;
    };

/** Which units and connections there are changes while the scenario runs. */
export interface StructureDraft {
  /** Units that do not exist at the start. */
  readonly absent: readonly string[];
  readonly rules: readonly StructureRuleDraft[];
  readonly place: Place;
}

export interface StructureRuleDraft {
  /** Seconds; absent: `when` says. */
  readonly at?: number;
  /** All of them hold. */
  readonly when: readonly ConditionDraft[];
  readonly remove: readonly string[];
  readonly add: readonly string[];
  readonly connect: readonly ConnectionDraft[];
  readonly disconnect: readonly ConnectionDraft[];
  /** What added units begin with: `unit.port` of the new one, and where the value comes from. */
  readonly transfer: readonly TransferDraft[];
  /** The same as a function, of scenarios written in code. */
  readonly compute?: ComputeTransfer;
  readonly place: Place;
}

/** From values by `unit.port` before the change to values of added units, by `unit.port`. */
export type ComputeTransfer = (
  read: (port: string) => Value | readonly Value[],
) => Readonly<Record<string, Value | readonly Value[]>>;

export interface TransferDraft {
  readonly to: string;
  readonly from: string;
  readonly place: Place;
}

export type ConditionOperator = "<" | "<=" | ">" | ">=" | "=" | "!=";

/** `motor.temperature > 90 degC`. */
export interface ConditionDraft {
  readonly signal: string;
  readonly operator: ConditionOperator;
  /** A value in the port's unit unless `unit` says another, or the name of another output. */
  readonly level: number | string;
  readonly unit?: string;
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

// ---- scenarios ------------------------------------------------------------------------------

/** How an input behaves between two communication points. */
export type Approximation =
  | "hold"
  | "linear"
  | "quadratic"
  | "extrapolated-interpolation"
  /**
   * Between the values at both ends of the step: the source must be advanced first (gauss-seidel).
   */
  | "interpolation";

export interface Scenario {
  readonly name: string;
  readonly file: string;
  /**
   * What messages call the file: that of a package lies unpacked in a folder that does not last.
   */
  readonly shownAs?: string;
  readonly units: readonly ScenarioUnit[];
  readonly connections: readonly Connection[];
  readonly ports: readonly ExposedPort[];
  readonly experiment: Experiment;
  readonly master: MasterDraft;
  readonly record: RecordDraft;
  readonly bonds: readonly Bond[];
  readonly constraints: readonly Constraint[];
  readonly events: readonly Crossing[];
  readonly limits: readonly StepLimit[];
  /** What is to go wrong; they act in scenarios that `applyFaults` made (apply-faults.ts). */
  readonly faults?: readonly Fault[];
  /** Present: `units` are all that ever exist, and what is connected is said by the structures. */
  readonly structure?: Structure;
  /** What must hold of a run. */
  readonly requirements?: readonly Requirement[];
  /** What is known of units besides, for the choice of a master. */
  readonly hints?: readonly HintFact[];
}

export interface Structure {
  /** All structures that can occur; the first one is that of the start. */
  readonly states: readonly StructureState[];
  readonly rules: readonly StructureRule[];
  /** By state and rule: the state that the rule leads to; -1: it has no effect there. */
  readonly next: readonly (readonly number[])[];
}

export interface StructureState {
  /** The units that exist, as indices of all units. */
  readonly units: readonly number[];
  /** Those units alone, with the connections between them. */
  readonly scenario: Scenario;
}

/** References are to all units. */
export interface StructureRule {
  readonly at?: number;
  readonly when: readonly Condition[];
  readonly removed: readonly number[];
  readonly added: readonly number[];
  readonly transfer: readonly StateTransfer[];
  readonly compute?: ComputeTransfer;
  /** What it does, for messages: "replaces 'detailed' by 'cheap'". */
  readonly text: string;
  readonly place: Place;
}

/** `signal - (factor * other + offset)` compared with 0, or `signal` with `level`. */
export interface Condition {
  readonly signal: ElementRef;
  readonly operator: ConditionOperator;
  readonly level: number;
  readonly other?: ElementRef & { readonly factor: number; readonly offset: number };
  /** As it was written. */
  readonly text: string;
  readonly place: Place;
}

/** `to := factor * from + offset`, element by element, before `to`'s unit is initialized. */
export interface StateTransfer {
  readonly from: PortRef;
  readonly to: PortRef;
  readonly factor: number;
  readonly offset: number;
}

export interface ScenarioUnit {
  readonly name: string;
  readonly source: UnitSource | FormulaSource;
  readonly description: UnitDescription;
  readonly step?: number;
  readonly values: readonly PortValue[];
  /** For a nested scenario: what is inside. */
  readonly scenario?: Scenario;
  readonly isolation?: Isolation;
  /** Present where faults act on it; `description` is then that of the unit with its faults. */
  readonly faulty?: FaultyUnit;
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
  /** The author's declaration, which comes before that of the unit. */
  readonly kind?: InputKind;
  /** The output of the same unit whose time derivative `from` is, with the same elements. */
  readonly integral?: PortRef;
  /** Absent: the natures of the ports decide. */
  readonly trigger?: Trigger;
  /**
   * Synchronization tolerance, seconds: the times of the two units may differ by so much when they
   * exchange. Default: 0, both are at the same instant.
   */
  readonly tolerance?: number;
  readonly interaction?: Interaction;
  readonly place: Place;
}

/** One scalar of a port. */
export interface ElementRef extends PortRef {
  readonly element: number;
}

/** Indices into `connections`; both are scalar, without offset. */
export interface Bond {
  readonly name: string;
  readonly effort: number;
  readonly flow: number;
  readonly preserve: "nothing" | "energy";
  readonly place: Place;
}

/**
 * `left = factor * right + offset`, where factor and offset convert the unit; the rates: `left =
 * factor * right`.
 */
export interface Constraint {
  readonly left: ElementRef;
  readonly right: ElementRef;
  readonly factor: number;
  readonly offset: number;
  readonly rate?: {
    readonly left: ElementRef;
    readonly right: ElementRef;
    readonly factor: number;
  };
  /** Unconnected inputs that hold it: each gets `factor` times the one force that is sought. */
  readonly by: readonly (ElementRef & { readonly factor: number })[];
  /** As it was written. */
  readonly text: string;
  readonly place: Place;
}

/** `signal - level`, or `signal - (factor * other + offset)`, changes its sign. */
/** A number made of signals, `unit.port` by the names that it has for them. */
export interface Composite {
  readonly expression: Expression;
  readonly signals: ReadonlyMap<string, ElementRef>;
}

export interface Crossing {
  readonly signal: ElementRef;
  /** What crosses the level in place of the signal, which is one of its own. */
  readonly of?: Composite;
  readonly level: number;
  readonly other?: ElementRef & { readonly factor: number; readonly offset: number };
  readonly direction: CrossingDirection;
  readonly tolerance?: number;
  /** Seconds between two events, and distance from the level in between, at least. */
  readonly regularization?: { readonly temporal?: number; readonly spatial?: number };
  /** A fault waits for it, which may need to see the signal beyond the level. */
  readonly switches?: true;
  /** As it was written. */
  readonly text: string;
  readonly place: Place;
}

export type StepLimit =
  | { readonly kind: "every"; readonly every: number; readonly offset: number }
  | { readonly kind: "at"; readonly times: readonly number[] }
  | { readonly kind: "difference"; readonly signal: ElementRef; readonly atMost: number };

/** A scenario of units and connections and nothing more. */
export const NO_DECLARATIONS: Pick<Scenario, "bonds" | "constraints" | "events" | "limits"> = {
  bonds: [],
  constraints: [],
  events: [],
  limits: [],
};

export interface ExposedPort {
  readonly name: string;
  readonly inner: PortRef;
  /**
   * Shown without being one of the scenario's own ports (inner-ports.ts): it feeds nothing and
   * nothing feeds it.
   */
  readonly isObserved?: true;
}
