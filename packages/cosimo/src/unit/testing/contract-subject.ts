/**
 * What the contract suite must know of a unit to judge it: facts about a model whose behaviour is
 * known. Ports are named; numbers are those of the f64 bank.
 */
import { expect } from "vitest";
import type { CrossingDirection } from "../../model/scenario.ts";
import type { Value } from "../../model/value-type.ts";
import type { Unit } from "../unit.ts";
import { startUnit, type Values } from "./drive.ts";

export interface ContractSubject {
  /** A new instance in phase `instantiated`. The suite disposes it. */
  readonly open: () => Unit | Promise<Unit>;
  /** Where the experiment begins; default: 0. */
  readonly start?: number;
  /**
   * A step that the unit takes readily. The suite takes up to 12 of them, and halves of it from
   * units with `variableStep`.
   */
  readonly step: number;
  /** Set before initialization in every experiment. */
  readonly values?: Values;
  /** An output whose trajectory is known while the inputs keep their start values. */
  readonly behaviour: {
    readonly port: string;
    readonly at: (time: number) => number;
    readonly tolerance: number;
  };
  /**
   * A parameter or input that can be written before initialization, and a value that is not its
   * start value.
   */
  readonly settable?: { readonly port: string; readonly value: number };
  /** A parameter that is fixed after initialization, and a value that it does not have. */
  readonly fixed?: { readonly port: string; readonly value: number };
  /**
   * An output that depends on an input at once. `value` is written to the input in the first
   * instant, `output` is what then must be read.
   */
  readonly feedThrough?: {
    readonly input: string;
    readonly value: number;
    readonly output: string;
    readonly expected: number;
    readonly tolerance: number;
  };
  /** Inputs that some output repeats unchanged, of any type. */
  readonly echoes?: readonly {
    readonly input: string;
    readonly output: string;
    readonly value: Value;
  }[];
  /** A crossing that happens within 12 steps when nothing is touched. */
  readonly threshold?: {
    readonly port: string;
    readonly value: number;
    readonly direction: Exclude<CrossingDirection, "any">;
    readonly time: number;
    readonly timeTolerance: number;
    readonly valueTolerance: number;
  };
  /** The first update, event or reading that happens within 12 steps when nothing is touched. */
  readonly updated?: TimedFact;
  readonly event?: TimedFact;
  readonly readyToRead?: TimedFact & {
    /** Written when the unit is about to read, and the output that shows it one instant later. */
    readonly value: number;
    readonly shows: { readonly port: string; readonly expected: number };
  };
  /** ∂unknown/∂known in the first instant, both scalar. */
  readonly directional?: {
    readonly unknown: string;
    readonly known: string;
    readonly value: number;
    readonly tolerance: number;
  };
  /** First time derivative of an output after two steps. */
  readonly outputDerivative?: {
    readonly port: string;
    readonly at: (time: number) => number;
    readonly tolerance: number;
  };
  /** An input that starts at `value` with `slope`, and what the output then is after one step. */
  readonly inputDerivative?: {
    readonly input: string;
    readonly value: number;
    readonly slope: number;
    readonly output: string;
    readonly expected: number;
    readonly tolerance: number;
  };
}

export interface TimedFact {
  readonly port: string;
  readonly time: number;
  readonly timeTolerance: number;
  /** What the port (for a reading: nothing) is there. */
  readonly value?: number;
}

/** One rule of docs/spec/unit.md as a check. */
export interface Rule {
  readonly rule: string;
  readonly says: string;
  readonly check: (lab: Lab) => void | Promise<void>;
}

/** The bench on which rules examine a subject: fresh units, ready at the start. */
export interface Lab {
  readonly subject: ContractSubject;
  readonly start: number;
  readonly open: () => Promise<Unit>;
  /** A unit in phase `step` at the start time. */
  readonly started: () => Promise<Unit>;
}

export function makeLab(subject: ContractSubject, opened: Unit[]): Lab {
  const start = subject.start ?? 0;
  const open = async (): Promise<Unit> => {
    const unit = await subject.open();
    opened.push(unit);
    return unit;
  };
  const started = async (): Promise<Unit> => {
    const unit = await open();
    startUnit(unit, { start }, subject.values);
    return unit;
  };
  return { subject, start, open, started };
}

/**
 * The subject's fact for something that the unit claims; without it the claim would go unexamined.
 */
export function factFor<T>(fact: T | undefined, name: keyof ContractSubject): T {
  if (fact === undefined) {
    throw new Error(
      `the unit claims what '${name}' is about, so the contract subject must state it`,
    );
  }
  return fact;
}

export function expectNear(actual: number, expected: number, tolerance: number): void {
  expect(
    Math.abs(actual - expected),
    `${actual} should be ${expected} ± ${tolerance}`,
  ).toBeLessThanOrEqual(tolerance);
}
