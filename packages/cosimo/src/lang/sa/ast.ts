/**
 * The syntax tree of sa.langium. Made by scripts/grammars.mjs; do not edit.
 */
import type { AstNode } from "langium";

export interface ArraySize extends AstNode {
  readonly $type: "ArraySize";
  lower?: string;
  upper: string;
}

export interface Assignment extends AstNode {
  readonly $type: "Assignment";
  equals?: "=";
  target: Reference;
  value: Expression;
}

export interface Binary extends AstNode {
  readonly $type: "Binary";
  left: Expression;
  operator:
    | "!="
    | "%"
    | "*"
    | "+"
    | "-"
    | "/"
    | "<!"
    | "<"
    | "<="
    | "=="
    | ">!"
    | ">"
    | ">="
    | "and"
    | "or";
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
  limits: Array<Limit>;
  name: Name;
  type?: TypeName;
  unit?: PhysicalUnit;
  value?: Expression;
  written?: string;
}

export interface Delay extends AstNode {
  readonly $type: "Delay";
  signals: Array<PortName>;
}

export interface FileConnection extends AstNode {
  readonly $type: "FileConnection";
  from: PortName;
  to: PortName;
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

export interface Implied extends AstNode {
  readonly $type: "Implied";
}

export interface Import extends AstNode {
  readonly $type: "Import";
  name?: Name;
  path?: string;
}

export interface InnerUnit extends AstNode {
  readonly $type: "InnerUnit";
  connections: Array<Connection>;
  inputKind?: InputKind;
  inputs?: InputPorts;
  name: Name;
  outputKind?: OutputKind;
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
  settings: Array<Setting>;
}

export interface InVariables extends AstNode {
  readonly $type: "InVariables";
  declarations: Array<Declaration>;
}

export interface Limit extends AstNode {
  readonly $type: "Limit";
  kind: "above" | "below" | "max" | "min";
  value: Expression;
}

export interface ListedUnit extends AstNode {
  readonly $type: "ListedUnit";
  name: Name;
}

export interface LocalDeclaration extends AstNode {
  readonly $type: "LocalDeclaration";
  name: Name;
  type?: TypeName;
  value?: Expression;
  written?: string;
}

export interface MultiRate extends AstNode {
  readonly $type: "MultiRate";
  interpolation?: string;
  rate: string;
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
  settings: Array<Setting>;
}

export interface OutVariables extends AstNode {
  readonly $type: "OutVariables";
  declarations: Array<Declaration>;
}

export interface Parameters extends AstNode {
  readonly $type: "Parameters";
  declarations: Array<Declaration>;
}

export interface Periodic extends AstNode {
  readonly $type: "Periodic";
  period: string;
}

export interface Port extends AstNode {
  readonly $type: "Port";
  alias?: string;
  discrete?: string;
  name: Name | PlainName;
  size?: ArraySize;
  source?: PortName;
  start?: Start;
  target?: PortName;
  type?: TypeName;
  unit?: PhysicalUnit;
  written?: string;
}

export interface PortName extends AstNode {
  readonly $type: "PortName";
  port: Name | PlainName;
  unit?: Name | PlainName;
}

export interface Reference extends AstNode {
  readonly $type: "Reference";
  index?: ArrayIndex;
  name: Name;
  unit?: Name;
}

export interface Refused extends AstNode {
  readonly $type: "Refused";
  text: string;
}

export interface Return extends AstNode {
  readonly $type: "Return";
  value: Expression;
}

export interface Rule extends AstNode {
  readonly $type: "Rule";
  condition?: Expression;
  delay?: Delay;
  first?: Block;
  hold?: HoldName;
  isOtherwise: boolean;
  of?: Name;
  refused?: Refused;
  second?: Block;
  target?: Reference;
  tolerances: Array<Tolerance>;
  value?: Expression;
}

export interface SaFile extends AstNode {
  readonly $type: "SaFile";
  elements: Array<Element>;
  imports: Array<Import>;
  module?: Name;
}

export interface SemanticAdaptation extends AstNode {
  readonly $type: "SemanticAdaptation";
  inner: Array<InnerUnit>;
  inputKind?: InputKind;
  listed: Array<ListedUnit>;
  name?: Name;
  outputKind?: OutputKind;
  sections: Array<Section>;
  target?: string;
  type: Name;
  withoutMaster?: string;
}

export interface Setting extends AstNode {
  readonly $type: "Setting";
  hold?: HoldName;
  tolerances: Array<Tolerance>;
}

export interface Start extends AstNode {
  readonly $type: "Start";
  isArray: boolean;
  values: Array<Expression>;
}

export interface StringLiteral extends AstNode {
  readonly $type: "StringLiteral";
  value: string;
}

export interface Substitution extends AstNode {
  readonly $type: "Substitution";
  signals: Array<PortName>;
  tolerances: Array<Tolerance>;
}

export interface Tolerance extends AstNode {
  readonly $type: "Tolerance";
  kind?: string;
  value: Expression;
}

export interface Triggered extends AstNode {
  readonly $type: "Triggered";
  condition: Expression;
}

export interface Unary extends AstNode {
  readonly $type: "Unary";
  operand: Expression | NumberLiteral;
  operator: "-" | "not";
}

export interface UnitDeclaration extends AstNode {
  readonly $type: "UnitDeclaration";
  connections: Array<FileConnection>;
  dependencies?: string;
  inputs?: InputPorts;
  modelType?: string;
  name?: Name;
  outputs?: OutputPorts;
  parts: Array<ListedUnit>;
  source?: string;
  type: Name;
}

export interface Variable extends AstNode {
  readonly $type: "Variable";
  more: Array<LocalDeclaration>;
  name: Name;
  type?: TypeName;
  value?: Expression;
  written?: string;
}

export interface While extends AstNode {
  readonly $type: "While";
  body: Block;
  condition: Expression;
}

export type ArrayIndex = string;

export type Element = SemanticAdaptation | UnitDeclaration;

export type Expression =
  | Binary
  | BooleanLiteral
  | Call
  | Conditional
  | NumberLiteral
  | Reference
  | StringLiteral
  | Unary;

export type HoldName = string;

export type InputKind = "delayed" | "reactive";

export type Name =
  | "above"
  | "adaptation"
  | "at"
  | "below"
  | "boolean"
  | "delayed"
  | "fmu"
  | "implied"
  | "import"
  | "inner"
  | "integer"
  | "max"
  | "mealy"
  | "min"
  | "module"
  | "moore"
  | "otherwise"
  | "ports"
  | "reactive"
  | "real"
  | "rules"
  | "semantic"
  | "string"
  | string;

export type OutputKind = "mealy" | "moore";

export type PhysicalUnit = string;

export type PlainName = string;

export type Section =
  | ControlRules
  | ControlVariables
  | Delay
  | Implied
  | InRules
  | InVariables
  | InputPorts
  | MultiRate
  | OutRules
  | OutVariables
  | OutputPorts
  | Parameters
  | Periodic
  | Refused
  | Substitution
  | Triggered;

export type Statement = Assignment | Break | CallStatement | For | If | Return | Variable | While;

export type TypeName = "boolean" | "integer" | "real" | "string";

export type UnitPart = string;
