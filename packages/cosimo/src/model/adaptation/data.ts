/**
 * Semantic adaptations as plain data: what a `.sa` file says, before and after its reduction to
 * explicit form.
 *
 * An adaptation is a unit around inner units. Five sets of rules mediate between outside and
 * inside: *In* (what comes from outside → input storage), *MapIn* (storage → inputs of inner
 * units), *Control* (what a step does), *MapOut* (outputs of inner units → output storage), *Out*
 * (storage → outputs). The language (lang/sa) makes this data, `adapt` executes it.
 */
import type { Place } from "../../base/diagnostic.ts";
import type { Value, ValueType } from "../value-type.ts";

export type InputKind = "reactive" | "delayed";
export type OutputKind = "mealy" | "moore";

export interface Adaptation {
  /** Name of the type, `WindowSA`. */
  readonly type: string;
  /** Name by which rules refer to its own ports, `windowSA`. */
  readonly name: string;
  /** Absent: every input has the kind of the inner inputs that it leads to. */
  readonly inputKind?: InputKind;
  /** Absent: an output depends directly on the inputs that rules and inner units connect to it. */
  readonly outputKind?: OutputKind;
  /** `at "…"`: where an export goes. */
  readonly target?: string;
  readonly inner: readonly InnerUnit[];
  /** Output of an inner unit → input of another one. */
  readonly connections: readonly InnerConnection[];
  /** Absent: not declared, so all unconnected inputs of inner units. */
  readonly inputs?: readonly AdaptationPort[];
  /** Absent: all outputs of inner units. */
  readonly outputs?: readonly AdaptationPort[];
  readonly parameters: readonly Declaration[];
  readonly controlVariables: readonly Declaration[];
  /** Absent: inner units are stepped once, in the order in which they feed each other. */
  readonly controlRules?: readonly Statement[];
  /** In explicit form: whether `controlRules` are the author's, or the default written out. */
  readonly control?: "default" | "rules";
  readonly inVariables: readonly Declaration[];
  readonly inRules: readonly Rule[];
  readonly outVariables: readonly Declaration[];
  readonly outRules: readonly Rule[];
  readonly place: Place;
}

export interface InnerUnit {
  readonly type: string;
  readonly name: string;
  /**
   * An FMU, a module, a scenario or another `.sa` file, relative to this one. Absent: the unit is
   * *open*, and the scenario that applies the adaptation gives it.
   */
  readonly source?: string;
  /** `source` is that of what the file, or one that it imports, declares under this type. */
  readonly isDeclared?: true;
  /** Kinds that the author declares; they stand where the unit describes others, or none. */
  readonly inputKind?: InputKind;
  readonly outputKind?: OutputKind;
  /**
   * Ports that the author declares, for their units; absent: as the unit describes itself. Of an
   * open unit they are *roles*: applying the adaptation assigns ports to them, and exposes all
   * other ports.
   */
  readonly inputs?: readonly AdaptationPort[];
  readonly outputs?: readonly AdaptationPort[];
  readonly place: Place;
}

/**
 * An argument of an open adaptation where it is applied: a value for a parameter, a port for a
 * role, a file for a second open unit. Names are compared without case, `-` and `_`:
 * `initial-speed` is INITIAL_SPEED.
 */
export interface AdaptationArgument {
  readonly name: string;
  readonly value: Value;
  readonly place: Place;
}

export function isOpen(unit: InnerUnit): boolean {
  return unit.source === undefined;
}

export interface AdaptationPort {
  readonly name: string;
  /** Physical unit as written, without its parentheses. */
  readonly unit?: string;
  /** Type as written; absent: that of the port it is bound to, else real. */
  readonly type?: SaType;
  /**
   * A real that changes at instants only, and is held in between: `discrete real`. Other types are
   * so anyway.
   */
  readonly isDiscrete?: true;
  /** `-> inner.port` of an input, `<- inner.port` of an output. */
  readonly binding?: PortName;
  /**
   * Of an input: its kind is that of the inner inputs that it leads to, whatever the adaptation
   * declares, because it is passed on to an inner unit, or because the inner unit that takes it
   * through the rules follows it.
   */
  readonly inheritsKind?: "passed-on" | "followed";
  readonly place: Place;
}

export type SaType = "real" | "integer" | "boolean" | "string";

/** The type of a unit's port in rules. */
export function saTypeOf({ type }: { readonly type: ValueType }): SaType {
  switch (type) {
    case "float64":
    case "float32":
      return "real";
    case "boolean":
    case "clock":
      return "boolean";
    case "string":
    case "binary":
      return "string";
    default:
      return "integer";
  }
}

export interface PortName {
  readonly unit: string;
  readonly port: string;
  readonly place: Place;
}

export interface InnerConnection {
  readonly from: PortName;
  readonly to: PortName;
  readonly place: Place;
}

/** A parameter or a variable with its initial value. */
export interface Declaration {
  readonly name: string;
  readonly type?: SaType;
  /** Of a parameter: its physical unit as written, and what its value must keep to. */
  readonly unit?: string;
  readonly limits?: readonly ValueLimit[];
  readonly value: Expression;
  readonly place: Place;
}

/** `min 0`, `max 10`; `above` and `below` exclude the bound itself. */
export interface ValueLimit {
  readonly kind: "min" | "max" | "above" | "below";
  readonly bound: number;
}

/**
 * `condition -> { first } --> { second };` of the in rules (In, MapIn) or of the out rules (MapOut,
 * Out).
 */
export interface Rule {
  readonly condition: Expression;
  readonly first: readonly Statement[];
  readonly second: readonly Statement[];
  readonly place: Place;
}

export type Statement =
  | {
      readonly kind: "assign";
      readonly target: Reference;
      readonly value: Expression;
      readonly place: Place;
    }
  | {
      readonly kind: "var";
      readonly name: string;
      readonly type?: SaType;
      readonly value: Expression;
      readonly place: Place;
    }
  | {
      readonly kind: "if";
      readonly condition: Expression;
      readonly then: readonly Statement[];
      readonly otherwise: readonly Statement[];
      readonly place: Place;
    }
  /** `for (var i in from .. to)`: i = from, …, to - 1. */
  | {
      readonly kind: "for";
      readonly variable: string;
      readonly from: Expression;
      readonly to: Expression;
      readonly body: readonly Statement[];
      readonly place: Place;
    }
  | {
      readonly kind: "while";
      readonly condition: Expression;
      readonly body: readonly Statement[];
      readonly place: Place;
    }
  | { readonly kind: "break"; readonly place: Place }
  | { readonly kind: "return"; readonly value: Expression; readonly place: Place }
  /** A call for its effect: `save_state(f);`, `do_step(f, t, H);`. */
  | { readonly kind: "call"; readonly call: CallExpression; readonly place: Place };

export type Expression =
  | {
      readonly kind: "number";
      readonly value: number;
      /** As written, where that is not the shortest form: `0.0`, `1e-05`. */
      readonly text?: string;
      readonly place: Place;
    }
  | { readonly kind: "boolean"; readonly value: boolean; readonly place: Place }
  | { readonly kind: "string"; readonly value: string; readonly place: Place }
  | Reference
  | CallExpression
  | {
      readonly kind: "unary";
      readonly operator: "-" | "not";
      readonly operand: Expression;
      readonly place: Place;
    }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly place: Place;
    }
  | {
      readonly kind: "conditional";
      readonly condition: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
      readonly place: Place;
    };

export type BinaryOperator =
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "<"
  | "<="
  | ">"
  | ">="
  | "=="
  | "!="
  | "and"
  | "or";

/** `name` (variable, parameter, own port, or one of t, H, h, dt) or `unit.port`. */
export interface Reference {
  readonly kind: "reference";
  readonly unit?: string;
  readonly name: string;
  readonly place: Place;
}

export interface CallExpression {
  readonly kind: "call";
  /** Name of a built-in function (functions.ts). */
  readonly callee: string;
  readonly arguments: readonly Expression[];
  readonly place: Place;
}
