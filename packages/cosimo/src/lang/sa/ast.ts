/**
 * The syntax tree of sa.langium. Made by scripts/grammars.mjs; do not edit.
 */
import type { AstNode } from "langium";

export interface Assignment extends AstNode {
  readonly $type: "Assignment";
  target: Reference;
  value: Expression;
}

export interface Binary extends AstNode {
  readonly $type: "Binary";
  left: Expression;
  operator: "!=" | "%" | "*" | "+" | "-" | "/" | "<" | "<=" | "==" | ">" | ">=" | "and" | "or";
  right: Expression;
}

export interface Block extends AstNode {
  readonly $type: "Block";
  statements: Array<Statement>;
}

export interface BooleanLiteral extends AstNode {
  readonly $type: "BooleanLiteral";
  value: "false" | "true";
}

export interface Break extends AstNode {
  readonly $type: "Break";
}

export interface Call extends AstNode {
  readonly $type: "Call";
  arguments: Array<Expression>;
  callee: Name;
}

export interface CallStatement extends AstNode {
  readonly $type: "CallStatement";
  call: Call;
}

export interface Conditional extends AstNode {
  readonly $type: "Conditional";
  condition: Expression;
  whenFalse: Expression;
  whenTrue: Expression;
}

export interface Connection extends AstNode {
  readonly $type: "Connection";
  from: PortName;
  to: PortName;
}

export interface ControlRules extends AstNode {
  readonly $type: "ControlRules";
  statements: Array<Statement>;
}

export interface ControlVariables extends AstNode {
  readonly $type: "ControlVariables";
  declarations: Array<Declaration>;
}

export interface Declaration extends AstNode {
  readonly $type: "Declaration";
  name: Name;
  type?: TypeName;
  value: Expression;
}

export interface For extends AstNode {
  readonly $type: "For";
  body: Block;
  from: Expression;
  to: Expression;
  variable: Name;
}

export interface If extends AstNode {
  readonly $type: "If";
  body: Block;
  condition: Expression;
  otherwise?: Block;
  otherwiseIf?: If;
}

export interface InnerUnit extends AstNode {
  readonly $type: "InnerUnit";
  connections: Array<Connection>;
  inputs?: InputPorts;
  name: Name;
  outputs?: OutputPorts;
  source?: string;
  type: Name;
}

export interface InputPorts extends AstNode {
  readonly $type: "InputPorts";
  ports: Array<Port>;
}

export interface InRules extends AstNode {
  readonly $type: "InRules";
  rules: Array<Rule>;
}

export interface InVariables extends AstNode {
  readonly $type: "InVariables";
  declarations: Array<Declaration>;
}

export interface NumberLiteral extends AstNode {
  readonly $type: "NumberLiteral";
  value: string;
}

export interface OutputPorts extends AstNode {
  readonly $type: "OutputPorts";
  ports: Array<Port>;
}

export interface OutRules extends AstNode {
  readonly $type: "OutRules";
  rules: Array<Rule>;
}

export interface OutVariables extends AstNode {
  readonly $type: "OutVariables";
  declarations: Array<Declaration>;
}

export interface Parameters extends AstNode {
  readonly $type: "Parameters";
  declarations: Array<Declaration>;
}

export interface Port extends AstNode {
  readonly $type: "Port";
  name: Name;
  source?: PortName;
  target?: PortName;
  type?: TypeName;
  unit?: PhysicalUnit;
}

export interface PortName extends AstNode {
  readonly $type: "PortName";
  port: Name;
  unit: Name;
}

export interface Reference extends AstNode {
  readonly $type: "Reference";
  name: Name;
  unit?: Name;
}

export interface Return extends AstNode {
  readonly $type: "Return";
  value: Expression;
}

export interface Rule extends AstNode {
  readonly $type: "Rule";
  condition: Expression;
  first: Block;
  second: Block;
}

export interface SemanticAdaptation extends AstNode {
  readonly $type: "SemanticAdaptation";
  inner: Array<InnerUnit>;
  inputKind?: InputKind;
  name: Name;
  outputKind?: OutputKind;
  sections: Array<Section>;
  target?: string;
  type: Name;
}

export interface StringLiteral extends AstNode {
  readonly $type: "StringLiteral";
  value: string;
}

export interface Unary extends AstNode {
  readonly $type: "Unary";
  operand: Expression;
  operator: "-" | "not";
}

export interface Variable extends AstNode {
  readonly $type: "Variable";
  name: Name;
  type?: TypeName;
  value: Expression;
}

export interface While extends AstNode {
  readonly $type: "While";
  body: Block;
  condition: Expression;
}

export type Expression =
  | Binary
  | BooleanLiteral
  | Call
  | Conditional
  | NumberLiteral
  | Reference
  | StringLiteral
  | Unary;

export type InputKind = "delayed" | "reactive";

export type Name =
  | "adaptation"
  | "at"
  | "boolean"
  | "delayed"
  | "fmu"
  | "inner"
  | "integer"
  | "mealy"
  | "moore"
  | "ports"
  | "reactive"
  | "real"
  | "rules"
  | "semantic"
  | "string"
  | string;

export type OutputKind = "mealy" | "moore";

export type PhysicalUnit = string;

export type Section =
  | ControlRules
  | ControlVariables
  | InRules
  | InVariables
  | InputPorts
  | OutRules
  | OutVariables
  | OutputPorts
  | Parameters;

export type Statement = Assignment | Break | CallStatement | For | If | Return | Variable | While;

export type TypeName = "boolean" | "integer" | "real" | "string";

export type UnitPart = string;
