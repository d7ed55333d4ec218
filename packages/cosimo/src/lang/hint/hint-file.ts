/**
 * A file of hints as data, as it was written: names of statements stand where they were used.
 * meaning.ts makes requirements of it.
 */
import type { Place } from "../../base/diagnostic.ts";
import type { Formula, Interval, Scope } from "../../model/requirement.ts";

export interface HintFileSpec {
  /** The scenario that it is about, for editors; default: scenario.yaml beside it. */
  readonly scenario?: string;
  readonly hints: readonly HintSpec[];
}

/** Names without a dot are those of statements. */
export interface HintSpec {
  readonly name: string;
  readonly description?: string;
  readonly statements: readonly StatementSpec[];
  readonly scope: Scope<string> & { readonly place: Place };
  readonly pattern: PatternSpec;
  readonly place: Place;
}

export interface StatementSpec {
  /** A property holds for a while, an event is the instant at which it becomes true. */
  readonly kind: "Property" | "Event";
  readonly name: string;
  readonly value: StatementValueSpec;
  readonly place: Place;
}

export type StatementValueSpec =
  | { readonly kind: "formula"; readonly formula: Formula<string> }
  | {
      readonly kind: "unit-property";
      readonly unit: string;
      readonly property: string;
      readonly value: number;
      readonly measure?: string;
    }
  | { readonly kind: "power-bond"; readonly ports: readonly [string, string] };

/**
 * How each pattern is written, and what it says: completion, hover, formatter and reference follow
 * this table.
 */
export const PATTERNS = {
  Universality: {
    usage: "always-the-case-that P holds",
    help: "P holds at all times of the scope.",
    second: false,
    time: "bound",
  },
  Absence: {
    usage: "never-the-case-that P holds",
    help: "P holds at no time of the scope.",
    second: false,
    time: "bound",
  },
  Existence: {
    usage: "P eventually-holds",
    help: "P holds at some time of the scope.",
    second: false,
    time: "bound",
  },
  MinimumDuration: {
    usage: "once P becomes-satisfied it-holds-for-at-least 2 s",
    help: "Whenever P becomes true, it stays so for at least that time.",
    second: false,
    time: "needed",
  },
  MaximumDuration: {
    usage: "once P becomes-satisfied it-holds-for-at-most 2 s",
    help: "Whenever P becomes true, it becomes false again after at most that time.",
    second: false,
    time: "needed",
  },
  Recurrence: {
    usage: "P holds-repeatedly every 2 s",
    help: "From every time on P holds again, within that time.",
    second: false,
    time: "possible",
  },
  Response: {
    usage: "if P has-occurred then-in-response S eventually-holds",
    help: "Whenever P holds, S holds then or later.",
    second: true,
    time: "bound",
  },
  Precedence: {
    usage: "if P holds then S has-occurred-before",
    help: "Whenever P holds, S held then or before.",
    second: true,
    time: "bound",
  },
  Invariance: {
    usage: "if P has-occurred then-in-response S holds-continually",
    help: "Whenever P holds, S holds from then on, for a time or to the end of the scope.",
    second: true,
    time: "possible",
  },
  Until: {
    usage: "P holds-without-interruption-until S holds",
    help: "P holds from the begin of the scope until S does, which it does.",
    second: true,
    time: "bound",
  },
} as const;

export type PatternKind = keyof typeof PATTERNS;

export interface PatternSpec {
  readonly kind: PatternKind;
  readonly first: Formula<string>;
  readonly second?: Formula<string>;
  /** Seconds; of durations, its end alone. */
  readonly interval?: Interval;
  readonly place: Place;
}
