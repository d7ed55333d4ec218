/**
 * What masters need that decide at run time: the plan's segments per unit, the inputs that vary,
 * and what is watched. Plain data, like the rest of a plan; `engine/masters` is the control flow
 * over it.
 */

import type { Expression } from "../model/adaptation/data.ts";
import type { CrossingDirection } from "../model/scenario.ts";
import type { BankName } from "../model/value-type.ts";
import type { MasterSettings } from "./master-settings.ts";
import type { PolicyPlan } from "./policies.ts";
import type { StatisticInfo } from "./statistics.ts";

export interface CouplingPlan {
  readonly settings: MasterSettings;
  /** Real inputs whose trajectory over a step the master chooses. */
  readonly inputs: readonly CoupledInput[];
  /** The sequence of units in a sweep. */
  readonly order: readonly number[];
  /** One for every unit, by unit. */
  readonly stages: readonly UnitStage[];
  /** Units that depend on each other within a step, sources first. */
  readonly components: readonly CoupledComponent[];
  readonly constraints: readonly CoupledConstraint[];
  readonly bonds: readonly CoupledBond[];
  readonly crossings: readonly WatchedCrossing[];
  readonly limits: readonly WatchedLimit[];
  /** Times at which there must be a communication point. */
  readonly points: {
    readonly every: readonly { readonly every: number; readonly offset: number }[];
    readonly at: readonly number[];
  };
  /** All signals at the present time, where units are in step mode. */
  readonly resolve: Int32Array;
  /**
   * What is exchanged while units are in event mode, in the order in which values depend on each
   * other; empty: none has it.
   */
  readonly instant: readonly InstantPart[];
  /** Reads the signals of crossings and limits. */
  readonly watch: Int32Array;
  /** Reads every recorded port. */
  readonly observe: Int32Array;
  /** Numbers about the run that are recorded like signals. */
  readonly statistics: readonly Statistic[];
  /**
   * Some discrete input keeps its value of the start of a step after its source was advanced.
   */
  readonly keepsStart: boolean;
  /** Outputs whose units announce changes and events that faults wait for: steps end there. */
  readonly announced?: readonly AnnouncedChange[];
  /** What the master chooses from at every communication point; absent: the size of steps alone. */
  readonly policies?: PolicyPlan;
}

export interface AnnouncedChange {
  readonly unit: number;
  readonly port: number;
  readonly kind: "updated" | "event";
}

/** A number about the run that is recorded like a signal. */
export interface Statistic extends StatisticInfo {
  readonly slot: number;
}

/**
 * Ops that bring signals to where they are needed, and the inputs of units in event mode that get
 * them then.
 */
export interface InstantPart {
  readonly ops: Int32Array;
  readonly writes: readonly InstantWrite[];
}

/** A connected input of a unit with event mode, and the slot of its signal. */
export interface InstantWrite {
  readonly unit: number;
  readonly port: number;
  /** The unit that feeds it. */
  readonly source: number;
  readonly bank: BankName;
  readonly slot: number;
}

/** A connected (or constrained) real input element. */
export interface CoupledInput {
  readonly unit: number;
  readonly port: number;
  readonly element: number;
  /** `unit.port`, for messages. */
  readonly name: string;
  /** The unit that feeds it; -1: a constraint does. */
  readonly source: number;
  /** The output there, and what the connection multiplies by. */
  readonly sourcePort: number;
  readonly factor: number;
  readonly connection: number;
  /** Newest value that arrived. */
  readonly signal: number;
  /** What is written to the unit. */
  readonly value: number;
  /** Two slots: first and second derivative. */
  readonly slope: number;
  /** Degree of its trajectory over a step: 0 held, 1 linear, 2 quadratic. */
  readonly order: 0 | 1 | 2;
  /**
   * Its source is not continuous: its value at one instant does not determine the rest of a step.
   */
  readonly jumps: boolean;
  /**
   * Its unit comes after its source in a sequence and uses the values of both ends of the step.
   */
  readonly interpolated: boolean;
  /**
   * Held at the value that its source, which goes first, has at the end of the step.
   */
  readonly takesEnd: boolean;
  /** What counts as large for it. */
  readonly nominal: number;
  /** Where its source also gives its integral: `factor` times the slot. */
  readonly integral?: { readonly slot: number; readonly factor: number };
}

export interface UnitStage {
  /** Indices of its coupled inputs. */
  readonly inputs: readonly number[];
  /** Indices of the coupled inputs that it feeds. */
  readonly feeds: readonly number[];
  /** Writes the inputs that are held over a step whatever the master does. */
  readonly writeHeld: Int32Array;
  /** Writes the values of the coupled inputs, and their slopes where the unit takes them. */
  readonly writeCoupled: Int32Array;
  /** Writes the values alone. */
  readonly writeValues: Int32Array;
  /** Reads the outputs that others need and moves them to where they are needed. */
  readonly collect: Int32Array;
  /**
   * An input varies and the unit takes no slopes: it gets the value in the middle of each part of a
   * step.
   */
  readonly inParts: boolean;
  /** Parts that a step is then cut into, maybe one; otherwise 1. */
  readonly parts: number;
  /** An output that others need depends directly on a coupled input. */
  readonly feedThrough: boolean;
  /** The longest step it may take, seconds. */
  readonly longest: number;
  /** It runs with event mode: inputs that do not vary within steps are written at events only. */
  readonly eventMode: boolean;
}

export interface CoupledComponent {
  readonly units: readonly number[];
  /**
   * A loop: only iteration gives all of its units the values of the end of the step.
   */
  readonly cyclic: boolean;
  /** Coupled inputs of its units that are fed from inside it. */
  readonly inputs: readonly number[];
  readonly constraints: readonly number[];
}

/** `left - (factor * right + offset) = 0`, and the same for the rates without offset. */
export interface CoupledConstraint {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly factor: number;
  readonly offset: number;
  readonly rate?: { readonly left: number; readonly right: number; readonly factor: number };
  /** Coupled inputs that get `factor` times the force. */
  readonly by: readonly { readonly input: number; readonly factor: number }[];
  readonly nominal: number;
}

/**
 * Energy goes from the unit that gives the effort to the one that gives the flow; slots are those
 * of their outputs.
 */
export interface CoupledBond {
  readonly name: string;
  readonly effortInput: number;
  readonly flowInput: number;
  readonly effort: number;
  readonly flow: number;
  /** Read the outputs into their slots, and nothing else. */
  readonly readEffort: Int32Array;
  readonly readFlow: Int32Array;
  /** What the connections multiply by. */
  readonly effortFactor: number;
  readonly flowFactor: number;
  readonly preserve: "nothing" | "energy";
  /** Slots of the recorded residual: power over the last step, and energy since the start. */
  readonly power: number;
  readonly energy: number;
  /**
   * Slots of sums since the start: energy that arrived, the same without signs, the part of the
   * residual that was above 0.
   */
  readonly transferred: number;
  readonly moved: number;
  readonly made: number;
}

export interface WatchedCrossing {
  readonly text: string;
  readonly slot: number;
  readonly level: number;
  /** What crosses the level in place of the signal: a number made of signals, by slot. */
  readonly of?: {
    readonly expression: Expression;
    readonly slots: readonly (readonly [string, number])[];
  };
  /** Slot of the signal to compare with in place of the level. */
  readonly other?: { readonly slot: number; readonly factor: number; readonly offset: number };
  readonly direction: CrossingDirection;
  readonly tolerance: number;
  /**
   * Seconds between two events at least; absent: the master keeps them apart where they come too
   * fast.
   */
  readonly dwell?: number;
  /** How far from the level the signal must have been between two events. */
  readonly hysteresis?: number;
  /**
   * A fault waits for the signal to be beyond the level, so the first step away from it is as short
   * as an event.
   */
  readonly switches?: true;
}

export interface WatchedLimit {
  readonly name: string;
  readonly slot: number;
  readonly atMost: number;
}
