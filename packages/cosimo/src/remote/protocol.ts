/**
 * The messages between the caller of a unit and its server: calls as data. One file of unions,
 * the same for a process of its own (shared memory) and another computer (a network).
 *
 * A message to a unit is a batch: calls without an answer, then one with an answer, then accesses
 * to be read. So "write inputs, advance, read outputs" is one message. Names of accesses and
 * snapshots are numbers that the caller gives; values and states stay where the unit is until they
 * are requested. Both sides believe nothing: what does not parse, or names what is not there, is
 * refused (`Nonsense`). `encode.ts` and `decode.ts` say how the unions lie in bytes.
 */
import type { Diagnostic } from "../base/diagnostic.ts";
import type { UnitFailure } from "../base/outcome.ts";
import type { Capabilities } from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import type { Tie } from "../unit/ties.ts";
import type { DiscreteUpdate, FaultCount, InitializationOptions, Phase } from "../unit/unit.ts";

/** Raised when a message changes its meaning; peers with another number are refused. */
export const PROTOCOL_VERSION = 1;

/** Calls without an answer. What goes wrong in one is the answer to the call behind it. */
export type QuietCall =
  /** Ports of an access; their values lie one after the other in the banks of their types. */
  | { readonly kind: "bind"; readonly access: number; readonly ports: readonly number[] }
  | { readonly kind: "write"; readonly access: number; readonly values: Banks }
  | {
      readonly kind: "slopes";
      readonly ports: readonly number[];
      readonly orders: readonly number[];
      readonly values: Float64Array;
    }
  | { readonly kind: "save" | "restore" | "release"; readonly snapshot: number };

/** Calls that have no arguments and no result. */
const PLAIN_CALLS = [
  "exitInitialization",
  "enterEventMode",
  "enterStepMode",
  "terminate",
  "reset",
  "dispose",
] as const;

export type PlainCall = (typeof PLAIN_CALLS)[number];

export type DerivativeCall = "directionalDerivative" | "adjointDerivative";

/** Calls with an answer. */
export type AnsweredCall =
  /** Nothing but what stands around it. */
  | { readonly kind: "nothing" }
  | { readonly kind: PlainCall }
  | { readonly kind: "enterInitialization"; readonly options: InitializationOptions }
  | { readonly kind: "advance"; readonly from: number; readonly until: Predicate }
  | { readonly kind: "updateDiscreteStates" }
  | { readonly kind: "serialize"; readonly snapshot: number }
  | { readonly kind: "deserialize"; readonly snapshot: number; readonly bytes: Uint8Array }
  | {
      readonly kind: DerivativeCall;
      readonly unknowns: readonly number[];
      readonly knowns: readonly number[];
      readonly seed: Float64Array;
      /** Elements of the result. */
      readonly length: number;
    }
  | {
      readonly kind: "outputDerivatives";
      readonly ports: readonly number[];
      readonly orders: readonly number[];
      readonly length: number;
    }
  | { readonly kind: "getIntervals"; readonly clocks: readonly number[] }
  | {
      readonly kind: "setIntervals";
      readonly clocks: readonly number[];
      readonly seconds: readonly number[];
    }
  | { readonly kind: "isDue" | "switch" | "faultCounts" }
  | { readonly kind: "eventsSent"; readonly port: number }
  /** From now on the caller decides the order of simultaneous events, or no longer does. */
  | { readonly kind: "decideTies"; readonly isOn: boolean };

export type ToUnit =
  /**
   * What is to be opened is data of the host that opens it; the unit's number counts the opened
   * ones.
   */
  | { readonly kind: "open"; readonly version: number; readonly order: string }
  | {
      readonly kind: "batch";
      readonly unit: number;
      readonly quiet: readonly QuietCall[];
      readonly call: AnsweredCall;
      /** Accesses. */
      readonly reads: readonly number[];
    }
  /** The answer to "ask". */
  | { readonly kind: "choice"; readonly place: number }
  /** All units are freed, and nothing more will be said. Has no answer. */
  | { readonly kind: "close" };

/** Optional parts of the contract that a unit has. */
export interface Offers {
  readonly clocks: boolean;
  readonly ties: boolean;
  readonly switching: boolean;
  readonly faultCounts: boolean;
  readonly eventsSent: boolean;
}

/** What else came up during a call, for the listeners of the unit. */
export type Note =
  | {
      readonly kind: "log";
      readonly unit: string;
      readonly status: string;
      readonly category: string;
      readonly message: string;
    }
  | { readonly kind: "diagnostic"; readonly unit: string; readonly diagnostic: Diagnostic }
  | { readonly kind: "call"; readonly unit: string; readonly line: string };

export type Failure =
  | { readonly kind: "unit"; readonly failure: UnitFailure }
  | { readonly kind: "phase" | "capability" | "range" | "other"; readonly message: string }
  | { readonly kind: "diagnostics"; readonly diagnostics: readonly Diagnostic[] };

export type CallResult =
  | { readonly kind: "nothing" }
  | { readonly kind: "stop"; readonly stop: Stop }
  | { readonly kind: "update"; readonly update: DiscreteUpdate }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "numbers"; readonly numbers: Float64Array }
  | { readonly kind: "snapshot"; readonly time: number }
  | {
      readonly kind: "intervals";
      readonly intervals: readonly { readonly seconds: number; readonly qualifier: string }[];
    }
  | { readonly kind: "flag"; readonly flag: boolean }
  | { readonly kind: "counts"; readonly counts: readonly FaultCount[] };

export type FromUnit =
  | {
      readonly kind: "opened";
      readonly version: number;
      readonly unit: number;
      /** How many ports it has: a peer that has another unit is found out. */
      readonly ports: number;
      readonly capabilities: Capabilities;
      readonly offers: Offers;
      readonly phase: Phase;
      readonly notes: readonly Note[];
    }
  | {
      readonly kind: "done";
      readonly phase: Phase;
      /** Of a unit that is switched: the next instant that is known. */
      readonly nextSwitch: number;
      readonly result: CallResult;
      /** By access; undefined for one that could not be read after the call. */
      readonly reads: readonly (Banks | undefined)[];
      readonly notes: readonly Note[];
    }
  | {
      readonly kind: "failed";
      readonly phase: Phase;
      readonly nextSwitch: number;
      readonly failure: Failure;
      readonly notes: readonly Note[];
    }
  | { readonly kind: "ask"; readonly tie: Tie };

/** Bounds on what is taken from a peer. */
export const MAX_MESSAGE_BYTES: number = 1 << 30;
export const MAX_NOTES = 10_000;
export const MAX_UNITS = 4096;

/** A message that is not one of the protocol, or names what is not there. */
export class Nonsense extends Error {
  constructor(what: string) {
    super(what);
    this.name = "Nonsense";
  }
}

/** The peer is gone, silent or not understood: no further message will be answered. */
export class PeerLost extends Error {
  /** In words: "SIGSEGV", "no answer within 10 s". */
  readonly how: string;
  /** What the unit was doing, in the words of its backend ("fmi2DoStep"). */
  readonly call: string | undefined;
  /** A sentence, where `call` and `how` do not make one. */
  readonly problem: string | undefined;
  constructor(how: string, about: { readonly call?: string; readonly problem?: string } = {}) {
    super(about.problem ?? how);
    this.name = "PeerLost";
    this.how = how;
    this.call = about.call;
    this.problem = about.problem;
  }
}
