/**
 * Faults as plain data: what goes wrong in a scenario, where, and when.
 *
 * As for scenarios there are two stages. A *draft* is a fault as written, names and texts with
 * their places; a *fault* is a draft whose names were resolved against the descriptions of the
 * units (resolve-scenario-faults.ts). `applyFaults` turns a scenario with faults into one whose
 * units show them (apply-faults.ts).
 */
import type { Place } from "../base/diagnostic.ts";
import type { Expression } from "./adaptation/data.ts";
import type { Composite, ElementRef, PortRef } from "./scenario.ts";
import type { Port, UnitDescription } from "./unit-description.ts";
import type { Value } from "./value-type.ts";

/** What a fault does, and what its argument is; languages, help and messages follow this table. */
export const FAULT_KINDS = {
  stuck: { of: "port", argument: "the value, or nothing: the present one", example: "stuck 0" },
  offset: { of: "port", argument: "what is added", example: "offset 2 K" },
  gain: { of: "port", argument: "the factor", example: "gain 1.1" },
  drift: { of: "port", argument: "the change per second", example: "drift 0.01 K/s" },
  noise: { of: "port", argument: "the standard deviation", example: "noise 0.2 seed 7" },
  delay: { of: "port", argument: "the time that values are late", example: "delay 20 ms" },
  "drop-out": {
    of: "port",
    argument: "how likely a value is lost, or nothing: every one is",
    example: "drop-out 0.1 seed 7",
  },
  "bit-flip": { of: "port", argument: "the bit, 0 is the lowest", example: "bit-flip 3" },
  frozen: { of: "unit", argument: "nothing", example: "frozen" },
  fails: { of: "unit", argument: "nothing", example: "fails" },
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;

export const FAULT_KIND_NAMES: readonly FaultKind[] = Object.keys(FAULT_KINDS) as FaultKind[];

// ---- drafts ---------------------------------------------------------------------------------

export interface FaultDraft {
  /** Absent: named after its target. */
  readonly name?: string;
  /** `unit.port`, `unit.port[2]`, or `unit`; of a fault script also the name of a port alone. */
  readonly target: string;
  readonly effect: FaultEffectDraft;
  readonly when: FaultTriggerDraft;
  /** As it was written, for messages and reports. */
  readonly text: string;
  readonly place: Place;
}

/** Values and amounts may have a physical unit ("2 K"); times are seconds. */
export type FaultEffectDraft =
  | { readonly kind: "stuck"; readonly value?: Value }
  | { readonly kind: "offset" | "drift"; readonly amount: number; readonly unit?: string }
  | {
      readonly kind: "noise";
      readonly amount: number;
      readonly unit?: string;
      readonly seed: number;
      readonly every?: number;
    }
  | Exclude<FaultEffect, { readonly kind: "stuck" | "offset" | "drift" | "noise" }>;

export type FaultTriggerDraft =
  /** In [at, until); both may be infinite. */
  | { readonly kind: "time"; readonly at: number; readonly until: number }
  /** From an instant at which the condition becomes true, for that long. */
  | { readonly kind: "on"; readonly condition: Expression; readonly lasts: number }
  | { readonly kind: "while"; readonly condition: Expression };

// ---- faults ---------------------------------------------------------------------------------

export interface Fault {
  /** Unique in its scenario; its track is the column `fault.<name>`. */
  readonly name: string;
  readonly unit: number;
  /** Absent: the whole unit. */
  readonly target?: FaultTarget;
  readonly effect: FaultEffect;
  readonly when: FaultTrigger;
  readonly text: string;
  readonly place: Place;
}

/** Consecutive elements of a port. */
export interface FaultTarget {
  readonly port: number;
  readonly element: number;
  readonly count: number;
}

export type FaultEffect =
  /** One value per element; absent: those that it has when the fault begins. */
  | { readonly kind: "stuck"; readonly values?: readonly Value[] }
  /** Amounts are in the unit of the port, those of a drift per second. */
  | { readonly kind: "offset" | "drift"; readonly amount: number }
  /** A normal deviate per sample; absent `every`: one sample per communication step. */
  | {
      readonly kind: "noise";
      readonly amount: number;
      readonly seed: number;
      readonly every?: number;
    }
  | { readonly kind: "gain"; readonly factor: number }
  | { readonly kind: "delay"; readonly seconds: number }
  | {
      readonly kind: "drop-out";
      readonly probability: number;
      readonly seed: number;
      readonly every?: number;
    }
  | { readonly kind: "bit-flip"; readonly bit: number }
  | { readonly kind: "frozen" | "fails" };

export type FaultTrigger =
  | { readonly kind: "time"; readonly at: number; readonly until: number }
  | { readonly kind: "on"; readonly condition: FaultCondition; readonly lasts: number }
  | { readonly kind: "while"; readonly condition: FaultCondition };

export interface FaultCondition {
  readonly expression: Expression;
  /** What its names refer to, by `unit.port` as written. */
  readonly signals: ReadonlyMap<string, PortRef>;
}

/** A unit with faults: what the rest of the program must know to run it. */
export interface FaultyUnit {
  /** As it is without faults. */
  readonly healthy: UnitDescription;
  readonly faults: readonly UnitFault[];
  /** The ports that it has besides its own: tracks, and signals of conditions. */
  readonly ports: readonly Port[];
  /** Levels that conditions compare signals with: masters that locate crossings locate these. */
  readonly levels: readonly FaultLevel[];
  /**
   * Ports of the unit that show one of its own as it is without faults, for levels: by the latter.
   */
  readonly shown: ReadonlyMap<number, number>;
}

/** A fault inside its unit, where its conditions are ports of the unit. */
export interface UnitFault {
  readonly fault: Fault;
  /** The output that shows whether it is active. */
  readonly track: number;
  /** Ports of the unit that stand for the signals of the condition, by `unit.port`. */
  readonly inputs: ReadonlyMap<string, number>;
}

/** `signal`, or what is made of it and others, crosses `level`, or `other`. */
export interface FaultLevel {
  readonly signal: ElementRef;
  readonly of?: Composite;
  readonly level: number;
  readonly other?: ElementRef;
  readonly text: string;
  readonly place: Place;
}

/** When a fault acts, in words. */
export function triggerWords({ when }: Pick<Fault, "when">): string {
  if (when.kind === "while") return "while its condition holds";
  if (when.kind === "on")
    return Number.isFinite(when.lasts) ? `for ${when.lasts} s after its event` : "after its event";
  const { at, until } = when;
  const from = Number.isFinite(at) ? `from ${at} s` : "from the start";
  return Number.isFinite(until) ? `${from} until ${until} s` : from;
}

/** The instants of a fault that are known before the run; undefined: some are not. */
export function knownInstants({
  effect,
  when,
}: Pick<Fault, "effect" | "when">): number[] | undefined {
  if (when.kind !== "time") return undefined;
  // Samples and late values have instants of their own.
  const isSampled =
    (effect.kind === "noise" || (effect.kind === "drop-out" && effect.probability < 1)) &&
    effect.every !== undefined;
  if (isSampled || effect.kind === "delay") return undefined;
  return [when.at, when.until].filter((time) => Number.isFinite(time));
}
