/**
 * An orchestration algorithm as plain data: the operations that a master performs on units, in
 * their order, for the initialization and for one step. After Hansen, Thule, Gomes and others,
 * "Synthesizing co-simulation algorithms with step negotiation and algebraic loop handling" (2021),
 * and definitions 37 to 44 of Gomes' thesis.
 */
import type { Place } from "../base/diagnostic.ts";

/** What of units matters to the order of operations. */
export interface OrchestratedUnit {
  readonly name: string;
  /**
   * By name: reactive inputs need the value of the end of the step, delayed ones that of its start;
   * undeclared: either.
   */
  readonly inputs: Readonly<Record<string, "reactive" | "delayed" | "undeclared">>;
  /** By name: the inputs that it depends on at the same instant (Mealy), none: Moore. */
  readonly outputs: Readonly<Record<string, readonly string[]>>;
  /** It may take less of a step than asked for. */
  readonly mayRefuse: boolean;
  /** Its state can be saved and restored. */
  readonly canRollBack: boolean;
}

/** Between ports, `unit.port` each; an input has one source. */
export interface OrchestratedConnection {
  readonly from: string;
  readonly to: string;
}

export interface OrchestratedSystem {
  readonly units: readonly OrchestratedUnit[];
  readonly connections: readonly OrchestratedConnection[];
}

export type Operation =
  /** Reads an output. */
  | { readonly kind: "get"; readonly port: string; readonly place: Place }
  /** Gives an input what was read of its source last. */
  | { readonly kind: "set"; readonly port: string; readonly place: Place }
  /** Advances a unit by the step. */
  | { readonly kind: "step"; readonly unit: string; readonly place: Place }
  | { readonly kind: "save"; readonly unit: string; readonly place: Place }
  | { readonly kind: "restore"; readonly unit: string; readonly place: Place }
  | RepeatedOperations;

export interface RepeatedOperations {
  readonly kind: "repeat";
  /**
   * "accepted": until no unit refuses the step, which gets shorter; otherwise until these outputs
   * no longer change.
   */
  readonly until: "accepted" | { readonly agree: readonly string[] };
  readonly body: readonly Operation[];
  /** What happens before the body is repeated. */
  readonly retry: readonly Operation[];
  readonly place: Place;
}

export interface Orchestration {
  /** Absent: all units are initialized, and every input has its value. */
  readonly initialization?: readonly Operation[];
  readonly step: readonly Operation[];
}

/** `get plant.y`. */
export function operationText(operation: Exclude<Operation, RepeatedOperations>): string {
  return `${operation.kind} ${"port" in operation ? operation.port : operation.unit}`;
}
