/**
 * An adaptation as read: what our notation says in its place, and the forms of the published tool's
 * dialect beside it. Lowering (lower.ts) leaves an adaptation without any of them, so checks,
 * explicit form, execution and export never meet the dialect.
 */
import type { Place } from "../../../base/diagnostic.ts";
import type {
  Adaptation,
  AdaptationPort,
  Expression,
  InnerConnection,
  InnerUnit,
  PortName,
  Reference,
  Rule,
  Statement,
} from "../../../model/adaptation/data.ts";

/**
 * A port of a list, and what only the dialect says of it. A binding without a unit has the unit
 * `""`.
 */
export interface DraftPort extends AdaptationPort {
  /** `Real f "F_INPUT"`: the variable that rules call `f`. */
  readonly alias?: string;
  /** `:= 1`, `:= [1, 2]`. */
  readonly start?: { readonly values: readonly Expression[]; readonly isArray: boolean };
  /** `[3]` is 1 to 3. */
  readonly size?: { readonly lower: number; readonly upper: number };
  /** `Real x` in place of `x: real`. */
  readonly isTyped?: true;
}

export interface DraftUnit extends InnerUnit {
  readonly inputs?: readonly DraftPort[];
  readonly outputs?: readonly DraftPort[];
}

export interface Tolerances {
  readonly relative?: Expression;
  readonly absolute?: Expression;
}

export type Hold = "no" | "zero" | "first";

export interface DraftRule {
  /** Absent: `target := value;` alone, or `otherwise`. */
  readonly condition?: Expression;
  readonly otherwise?: { readonly of?: string };
  readonly tolerances?: Tolerances;
  readonly first?: readonly Statement[];
  /** In place of `first`. */
  readonly transition?: { readonly target: Reference; readonly value: Expression };
  readonly second?: readonly Statement[];
  readonly hold?: Hold;
  /** `delay at …`, and nothing else. */
  readonly delay?: readonly PortName[];
  readonly place: Place;
}

export interface DraftRules {
  readonly rules: readonly DraftRule[];
  readonly crossing?: Tolerances;
  readonly hold?: Hold;
  readonly place: Place;
}

export type Form =
  | {
      readonly kind: "multi-rate";
      readonly times: number;
      /** Of the interpolation of inputs; undefined: they are left alone. */
      readonly order?: number;
      readonly place: Place;
    }
  | {
      readonly kind: "substitution";
      readonly signals: readonly PortName[];
      readonly tolerances: Tolerances;
      readonly place: Place;
    }
  | { readonly kind: "delay"; readonly signals: readonly PortName[]; readonly place: Place }
  | { readonly kind: "triggered"; readonly condition: Expression; readonly place: Place }
  | {
      readonly kind: "periodic";
      readonly first: number;
      readonly period: number;
      readonly place: Place;
    };

export interface DraftAdaptation extends Omit<Adaptation, "inRules" | "outRules" | "inner"> {
  readonly inner: readonly DraftUnit[];
  readonly inputs?: readonly DraftPort[];
  readonly outputs?: readonly DraftPort[];
  /** `for fmu a, b`: units that are declared elsewhere. */
  readonly listed: readonly { readonly name: string; readonly place: Place }[];
  readonly inRules: readonly DraftRules[];
  readonly outRules: readonly DraftRules[];
  readonly forms: readonly Form[];
}

export interface SaImport {
  /** Of a module; absent: `path`. */
  readonly name?: string;
  readonly path?: string;
  readonly place: Place;
}

/** A file as read, before anything that it imports is known. */
export interface SaDraft {
  readonly file: string;
  readonly module?: string;
  readonly imports: readonly SaImport[];
  readonly units: readonly DraftUnit[];
  readonly connections: readonly InnerConnection[];
  readonly adaptations: readonly DraftAdaptation[];
  /** In which order units and adaptations stand, for the formatter. */
  readonly order: readonly (DraftUnit | DraftAdaptation)[];
}

/** A call that stands for what only the dialect says; none is left after lowering. */
export const UNSET = "unset value";
export const RISES = ">!";
export const FALLS = "<!";

export function isPlainRule(rule: DraftRule): rule is DraftRule & Rule {
  return rule.condition !== undefined && rule.first !== undefined && rule.second !== undefined;
}
