/**
 * The syntax tree of hint.langium. Made by scripts/grammars.mjs; do not edit.
 */
import type { AstNode } from "langium";

export interface Binary extends AstNode {
  readonly $type: "Binary";
  left: Formula;
  operator: "*" | "+" | "-" | "/" | "^" | "and" | "iff" | "implies" | "or";
  right: Formula;
}

export interface Bound extends AstNode {
  readonly $type: "Bound";
  from?: Duration;
  to?: Duration;
}

export interface Call extends AstNode {
  readonly $type: "Call";
  arguments: Array<Formula>;
  name: string;
}

export interface Compared extends AstNode {
  readonly $type: "Compared";
  first: Formula;
  operators: Array<"!=" | "<" | "<=" | "==" | ">" | ">=">;
  rest: Array<Formula>;
}

export interface Duration extends AstNode {
  readonly $type: "Duration";
  isNegative: boolean;
  measure?: Measure;
  value: string;
}

export interface Hint extends AstNode {
  readonly $type: "Hint";
  description?: string;
  name: Name;
  pattern: Pattern;
  scope: Scope;
  statements: Array<Statement>;
}

export interface HintFile extends AstNode {
  readonly $type: "HintFile";
  hints: Array<Hint>;
  scenario?: string;
}

export interface Interval extends AstNode {
  readonly $type: "Interval";
  from?: Duration;
  isEndless: boolean;
  to?: Duration;
}

export interface Negated extends AstNode {
  readonly $type: "Negated";
  of: Formula;
}

export interface Not extends AstNode {
  readonly $type: "Not";
  of: Formula;
}

export interface NumberLiteral extends AstNode {
  readonly $type: "NumberLiteral";
  measure?: UnitSymbol;
  value: string;
}

export interface Pattern extends AstNode {
  readonly $type: "Pattern";
  bound?: Bound;
  first: Formula;
  kind:
    | "Absence"
    | "Existence"
    | "Invariance"
    | "MaxDuration"
    | "MaximumDuration"
    | "MinDuration"
    | "MinimumDuration"
    | "Precedence"
    | "Recurrence"
    | "Response"
    | "Universality"
    | "Until";
  second?: Formula;
  time?: Duration;
}

export interface PowerBond extends AstNode {
  readonly $type: "PowerBond";
  left: SignalName;
  right: SignalName;
}

export interface Scope extends AstNode {
  readonly $type: "Scope";
  begin?: Formula;
  end?: Formula;
  kind: "After" | "Before" | "Between" | "Globally" | "globally";
}

export interface SignalName extends AstNode {
  readonly $type: "SignalName";
  name: DottedName;
}

export interface Statement extends AstNode {
  readonly $type: "Statement";
  kind: "Event" | "Property";
  name: Name;
  value: StatementValue;
}

export interface Temporal extends AstNode {
  readonly $type: "Temporal";
  interval?: Interval;
  of: Formula;
  operator: "always" | "eventually" | "historically" | "never" | "once";
}

export interface UnitProperty extends AstNode {
  readonly $type: "UnitProperty";
  measure?: Measure;
  owner: Name;
  property: Name;
  value: string;
}

export interface Waits extends AstNode {
  readonly $type: "Waits";
  interval?: Interval;
  left: Formula;
  operator: "since" | "until";
  right: Formula;
}

export type DottedName = string;

export type Formula =
  | Binary
  | Call
  | Compared
  | Negated
  | Not
  | NumberLiteral
  | SignalName
  | Temporal
  | Waits;

export type Measure = string;

export type Name =
  | "Existence"
  | "Response"
  | "Until"
  | "description"
  | "every"
  | "pattern"
  | "scope"
  | "statements"
  | "val"
  | "with"
  | string;

export type StatementValue = Formula | PowerBond | UnitProperty;

export type UnitSymbol = "%" | string;
