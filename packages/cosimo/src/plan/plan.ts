/**
 * The plan: what a scenario and a fixed-step master compile to. Flat, printable, transferable data;
 * never changed after it was made. The engine executes it, `cosimo check --plan` prints it, another
 * process can be sent it.
 *
 * Time is counted in ticks of `step` seconds: tick i is at `start + i * step`. Unit u takes steps
 * of `units[u].ticks` ticks; it stands at a communication point whenever the tick is a multiple of
 * that. One tick executes `segments.step` once: units whose step ends at the tick are advanced to
 * it, then the signals are resolved at the new time and written for the next step.
 *
 * An op is four int32: [opcode, a, b, c]. A slot is an index into the signal bank of its kind.
 *   Read         a=access                  unit's ports → signals
 *   Write        a=access                  signals → unit's ports
 *   Slopes       a=slope group             derivatives of a unit's inputs for the coming step
 *   Advance      a=unit b=k c=n            the k-th of n equal parts of its step (k = 0, n = 1: the whole step)
 *   Copy         a=source b=target c=n     f64 signals
 *   CopyI64      a=source b=target c=n     i64 signals
 *   CopyObj      a=source b=target c=n     obj signals
 *   Affine       a=source b=target c=k     target = constants[k] * source + constants[k + 1]
 *   Map          a=source b=target c=map   value table, f64 → f64; a value that is not in it passes unchanged
 *   ToI64        a=source b=target c=n     f64 → i64; the values are integers
 *   FromI64      a=source b=target c=n     i64 → f64
 *   FromU64      a=source b=target c=n     the same for unsigned integers
 *   Sample       a=track                   takes the track's signal into its history, newest first
 *   Predict      a=track b=k c=n           the track's value from its history: over the coming step with slopes (n = 0), or at
 *                                          the middle of its k-th of n parts
 *   Interpolate  a=track b=k c=n           the same between the last sample and the signal at the end of the step
 *   Every        a=ticks b=ops             skips the next b ops unless the tick is a multiple of a
 * 0 is not an opcode, so an unwritten op is recognised as a bug.
 */

import type { MasterName } from "../model/masters.ts";
import type { Approximation } from "../model/scenario.ts";
import type { BankName } from "../model/value-type.ts";
import type { CouplingPlan } from "./coupling-plan.ts";

export const OP_WIDTH = 4;

export const Op = {
  Read: 1,
  Write: 2,
  Slopes: 3,
  Advance: 4,
  Copy: 5,
  CopyI64: 6,
  CopyObj: 7,
  Affine: 8,
  Map: 9,
  ToI64: 10,
  FromI64: 11,
  Sample: 12,
  Predict: 13,
  Interpolate: 14,
  Every: 15,
  FromU64: 16,
} as const;

/** Banks of source and target of the ops that move `c` values from `a` to `b`. */
export const MOVES: ReadonlyMap<number, readonly [BankName, BankName]> = new Map([
  [Op.Copy, ["f64", "f64"]],
  [Op.CopyI64, ["i64", "i64"]],
  [Op.CopyObj, ["obj", "obj"]],
  [Op.ToI64, ["f64", "i64"]],
  [Op.FromI64, ["i64", "f64"]],
  [Op.FromU64, ["i64", "f64"]],
] as const);

export interface Plan {
  readonly name: string;
  readonly master: MasterName;
  readonly start: number;
  /** Seconds of one tick. */
  readonly step: number;
  readonly units: readonly PlanUnit[];
  /** Sizes of the signal banks. */
  readonly sizes: { readonly f64: number; readonly i64: number; readonly obj: number };
  readonly accesses: readonly PlanAccess[];
  readonly slopes: readonly SlopeGroup[];
  readonly tracks: readonly Track[];
  readonly constants: Float64Array;
  readonly maps: readonly ValueMap[];
  /**
   * Algebraic loops between ports at one instant: solved at initialization, broken by a delay while
   * stepping.
   */
  readonly loops: readonly Loop[];
  readonly segments: {
    /** Resolves all signals in initialization mode, loops left to the loop solver. */
    readonly initial: readonly InitialItem[];
    /** At tick 0, after initialization: histories filled, inputs of the first step written. */
    readonly start: Int32Array;
    /**
     * All signals once more at the present instant, loops at their broken place: for a nested
     * scenario whose inputs changed.
     */
    readonly resolve: Int32Array;
    /** The inputs of the coming step once more. */
    readonly inputs: Int32Array;
    readonly step: Int32Array;
  };
  readonly record: RecordPlan;
  /** Slot of the growth of coupled signals (engine/divergence-monitor.ts), where it is recorded. */
  readonly growth?: number;
  /** Slot of the index of superdense time, where events are recorded. */
  readonly index?: number;
  /**
   * Present: the master decides at run time (engine/masters) and uses `step` only as the pattern of
   * an explicit step.
   */
  readonly coupling?: CouplingPlan;
}

export interface PlanUnit {
  readonly name: string;
  /** Its step in ticks. */
  readonly ticks: number;
}

/**
 * Ports of one unit that move together; f64 slots of one access are consecutive where the ports
 * are.
 */
export interface PlanAccess {
  readonly unit: number;
  readonly slots: readonly { readonly port: number; readonly slot: number }[];
}

/**
 * Derivatives of inputs: entry i gives the derivative of order `orders[i]` of `ports[i]`. The slots
 * hold the values of all entries one after the other, one for each element of the port.
 */
export interface SlopeGroup {
  readonly unit: number;
  readonly ports: readonly number[];
  readonly orders: readonly number[];
  readonly slots: readonly number[];
}

/**
 * An input that is not simply held: its history and what is predicted from it. All slots are f64.
 */
export interface Track {
  readonly unit: number;
  readonly port: number;
  readonly element: number;
  readonly approximation: Approximation;
  /** The newest sample of the signal, in the input's own unit. */
  readonly signal: number;
  /** Three slots: the last samples, newest first. */
  readonly history: number;
  /** What is written to the input. */
  readonly value: number;
  /** First and second derivative, two slots. */
  readonly slope: number;
  /** Ticks between two samples, and between two communication points of the unit. */
  readonly sampleTicks: number;
  readonly stepTicks: number;
}

export interface ValueMap {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** One strongly connected component of ports. */
export interface Loop {
  /** Its ports as `unit.port`. */
  readonly ports: readonly string[];
  /** One way around it: each port leads to the next, the last one to the first. */
  readonly path: readonly string[];
  /** Unknowns: signal slots of the inputs in the loop, f64. */
  readonly unknowns: readonly number[];
  /** Where the sweep leaves the new values of the unknowns. */
  readonly images: readonly number[];
  /** Writes the unknowns, reads the outputs, computes the images. */
  readonly sweep: Int32Array;
  /**
   * The input element behind every unknown, and the output element behind every image: `image =
   * factor * output + …`.
   */
  readonly unknownElements: readonly LoopElement[];
  readonly imageElements: readonly (LoopElement & { readonly factor: number })[];
  /** Where the loop is broken while stepping: connections whose value is one step old. */
  readonly delayed: readonly string[];
}

export interface LoopElement {
  readonly unit: number;
  readonly port: number;
  readonly element: number;
}

export type InitialItem =
  | { readonly kind: "ops"; readonly ops: Int32Array }
  | { readonly kind: "loop"; readonly loop: number };

export interface RecordPlan {
  readonly columns: readonly RecordColumn[];
  /** Every how many ticks a row is taken. */
  readonly every: number;
}

export interface RecordColumn {
  /** -1: a number about the run itself, given by `name`. */
  readonly unit: number;
  readonly port: number;
  readonly element: number;
  readonly bank: BankName;
  readonly slot: number;
  readonly name?: string;
}

/** The reading ops of a segment alone. */
export function readsIn(ops: Int32Array): Int32Array {
  const reads: number[] = [];
  for (let pc = 0; pc < ops.length; pc += OP_WIDTH)
    if (ops[pc] === Op.Read) reads.push(...ops.subarray(pc, pc + OP_WIDTH));
  return Int32Array.from(reads);
}

/** Time of a tick: counted, never accumulated. */
export function timeOf(plan: Pick<Plan, "start" | "step">, tick: number): number {
  return plan.start + tick * plan.step;
}

/** Seconds between two communication points of a unit. */
export function communicationStep(plan: Pick<Plan, "step" | "units">, unit: number): number {
  return plan.units[unit].ticks * plan.step;
}
