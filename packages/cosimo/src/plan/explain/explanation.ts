/**
 * What a careful colleague would say about a scenario before running it, as data: pages, tests and
 * JSON read the same facts.
 */
import type { MasterName } from "../../model/masters.ts";
import type { Approximation } from "../../model/scenario.ts";
import type { DeclaredKind } from "../../model/unit-kind.ts";
import type { InputPlan } from "../input-plan.ts";

export interface Explanation {
  readonly name: string;
  readonly units: readonly UnitExplanation[];
  readonly connections: readonly ConnectionExplanation[];
  /** Which unit feeds which. */
  readonly couplings: readonly UnitLink[];
  readonly loops: readonly LoopExplanation[];
  readonly openInputs: readonly OpenInput[];
  /** What goes wrong, and when. */
  readonly faults: readonly FaultExplanation[];
  readonly rates: readonly RateExplanation[];
  readonly order: OrderExplanation;
  readonly master: MasterExplanation;
  readonly recommendation: Recommendation;
  readonly classification: readonly FeatureGroup[];
}

export interface FaultExplanation {
  readonly name: string;
  /** As written. */
  readonly text: string;
  /** From when to when, or its condition. */
  readonly when: string;
  /** Instants that are known before the run. */
  readonly instants: readonly number[];
}

export interface UnitExplanation {
  readonly name: string;
  /** "FMI 3.0 FMU", "TypeScript", "scenario". */
  readonly backend: string;
  readonly model: string;
  readonly reactive: readonly string[];
  readonly delayed: readonly string[];
  /** Their kind is not declared: the master decides. */
  readonly undeclared: readonly string[];
  readonly mealy: readonly string[];
  readonly moore: readonly string[];
  /** Outputs whose dependencies the unit does not disclose: every input is assumed. */
  readonly undisclosed: readonly string[];
  /** "in a process of its own"; absent: in that of the run. */
  readonly process?: string;
  readonly can: readonly string[];
  readonly cannot: readonly string[];
}

export interface ConnectionExplanation {
  readonly from: string;
  readonly to: string;
  /** "deg → rad", "· 0.001", "value table"; absent: as it is. */
  readonly conversion?: string;
  readonly approximation: Approximation;
  readonly through: InputPlan["through"];
  readonly takes: InputPlan["takes"];
  /** The declared kind of the input, and what declares it. */
  readonly kind: DeclaredKind;
  readonly kindFrom: "connection" | "unit" | "default";
  /** Micro-steps of the unit's step, where it goes in such. */
  readonly parts?: number;
  /** The input is reactive, but gets the value of the start of the step. */
  readonly heldThoughReactive: boolean;
  /** A loop is broken here: the value is one step old. */
  readonly delayed: boolean;
  /** When it exchanges, and why then, under a master without common steps. */
  readonly exchanges?: { readonly when: string; readonly reason: string };
}

export interface UnitLink {
  readonly from: string;
  readonly to: string;
  /** Connections. */
  readonly count: number;
}

export interface LoopExplanation {
  /**
   * Through outputs with feed-through, or through states by inputs that use the end of the step.
   */
  readonly through: "feed-through" | "interpolation";
  /** One way around it, port by port, along connections and through units. */
  readonly path: readonly string[];
  readonly ports: readonly string[];
  readonly units: readonly string[];
  /** What is done about it. */
  readonly treatment: string;
}

export interface OpenInput {
  readonly input: string;
  /** "20 degC", "(2, 3)"; absent: the unit gives none. */
  readonly value?: string;
  readonly origin: "scenario" | "start value" | "unit" | "outside";
}

export interface RateExplanation {
  readonly unit: string;
  readonly ticks: number;
  readonly seconds: number;
}

export interface OrderExplanation {
  /** False: every unit gets the values of the start of the step, so the order changes nothing. */
  readonly matters: boolean;
  readonly units: readonly { readonly name: string; readonly reason: string }[];
}

export interface MasterExplanation {
  readonly name: MasterName;
  readonly tickSeconds: number;
  readonly needs: readonly MasterNeed[];
}

export interface MasterNeed {
  readonly need: string;
  readonly met: boolean;
  readonly detail: string;
}

/** A need that all units meet. */
export function met(need: string, detail: string): MasterNeed {
  return { need, met: true, detail };
}

export interface Recommendation {
  readonly master: MasterName;
  readonly masterReason: string;
  /** Seconds; absent when nothing is known. */
  readonly step?: number;
  readonly stepReason: string;
}

/** Features of the taxonomy of co-simulation approaches that apply. */
export interface FeatureGroup {
  readonly group: "non-functional" | "units" | "framework";
  readonly features: readonly string[];
}
