/**
 * Numbers for the names of the protocol. A number, once given, keeps its meaning within a version:
 * new names go to the end. 0 is not a name, so memory that was never written is recognised.
 */
import type { Predicate, StopReason } from "../unit/predicate.ts";
import type { Phase } from "../unit/unit.ts";
import {
  type AnsweredCall,
  type CallResult,
  type Failure,
  type FromUnit,
  Nonsense,
  type Note,
  type QuietCall,
  type ToUnit,
} from "./protocol.ts";

type Kind<Union extends { readonly kind: string }> = Union["kind"];

export class Codes<Name extends string> {
  private readonly numbers: Readonly<Record<Name, number>>;
  private readonly names: readonly (Name | undefined)[];
  private readonly what: string;

  /**
   * @param numbers a row for every name: a union that grows does not compile until its new member
   * has a number.
   */
  constructor(what: string, numbers: Readonly<Record<Name, number>>) {
    this.what = what;
    this.numbers = numbers;
    const names: (Name | undefined)[] = [];
    for (const [name, number] of Object.entries<number>(numbers)) names[number] = name as Name;
    this.names = names;
  }

  of(name: Name): number {
    return this.numbers[name];
  }

  /** @throws Nonsense for a number without a name. */
  name(number: number): Name {
    const name = this.names[number];
    if (name === undefined) throw new Nonsense(`${number} is not ${this.what}`);
    return name;
  }
}

export const TO_UNIT: Codes<Kind<ToUnit>> = new Codes("a message to a unit", {
  open: 1,
  batch: 2,
  choice: 3,
  close: 4,
});

export const FROM_UNIT: Codes<Kind<FromUnit>> = new Codes("an answer of a unit", {
  opened: 1,
  done: 2,
  failed: 3,
  ask: 4,
});

/**
 * Calls with and without an answer share their numbers: the first one with an answer ends those
 * without.
 */
export const CALLS: Codes<Kind<QuietCall> | Kind<AnsweredCall>> = new Codes("a call", {
  bind: 1,
  write: 2,
  slopes: 3,
  save: 4,
  restore: 5,
  release: 6,
  nothing: 16,
  enterInitialization: 17,
  exitInitialization: 18,
  advance: 19,
  enterEventMode: 20,
  updateDiscreteStates: 21,
  enterStepMode: 22,
  terminate: 23,
  reset: 24,
  dispose: 25,
  serialize: 26,
  deserialize: 27,
  directionalDerivative: 28,
  adjointDerivative: 29,
  outputDerivatives: 30,
  getIntervals: 31,
  setIntervals: 32,
  isDue: 33,
  switch: 34,
  faultCounts: 35,
  eventsSent: 36,
  decideTies: 37,
});

export const FIRST_ANSWERED = 16;

export const PHASES: Codes<Phase> = new Codes("a phase", {
  instantiated: 1,
  initialization: 2,
  step: 3,
  event: 4,
  terminated: 5,
  disposed: 6,
});

export const PREDICATES: Codes<Kind<Predicate>> = new Codes("a predicate", {
  time: 1,
  updated: 2,
  "ready-to-read": 3,
  event: 4,
  threshold: 5,
  or: 6,
});

export const DIRECTIONS: Codes<"rising" | "falling" | "any"> = new Codes("a direction", {
  rising: 1,
  falling: 2,
  any: 3,
});

export const REASONS: Codes<StopReason> = new Codes("a reason to stop", {
  time: 1,
  updated: 2,
  "ready-to-read": 3,
  event: 4,
  threshold: 5,
  discarded: 6,
  terminated: 7,
});

export const RESULTS: Codes<Kind<CallResult>> = new Codes("a result", {
  nothing: 1,
  stop: 2,
  update: 3,
  bytes: 4,
  numbers: 5,
  snapshot: 6,
  intervals: 7,
  flag: 8,
  counts: 9,
});

export const FAILURES: Codes<Kind<Failure>> = new Codes("a failure", {
  unit: 1,
  phase: 2,
  capability: 3,
  range: 4,
  other: 5,
  diagnostics: 6,
});

export const NOTES: Codes<Kind<Note>> = new Codes("a note", { log: 1, diagnostic: 2, call: 3 });
