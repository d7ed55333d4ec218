/**
 * The syntax tree of mcl.langium. Made by scripts/grammars.mjs; do not edit.
 */
import type { AstNode } from "langium";

export interface Binary extends AstNode {
  readonly $type: "Binary";
  left: Expression;
  operator: "*" | "+" | "-" | "/";
  right: Expression;
}

export interface Connector extends AstNode {
  readonly $type: "Connector";
  from?: PortName;
  interactions: Array<Interaction>;
  name: UnitName;
  sync?: Synchronization;
  to?: PortName;
  trigger?: Trigger;
}

export interface Event extends AstNode {
  readonly $type: "Event";
  port: PortName;
}

export interface Every extends AstNode {
  readonly $type: "Every";
  period: string;
  reference?: PortName;
  unit?: TimeUnit;
}

export interface Experiment extends AstNode {
  readonly $type: "Experiment";
  settings: Array<Setting>;
}

export interface Interaction extends AstNode {
  readonly $type: "Interaction";
  isNegated: boolean;
  source: Expression;
  target: PortName;
}

export interface Load extends AstNode {
  readonly $type: "Load";
  name?: UnitName;
  path: string;
}

export interface NumberLiteral extends AstNode {
  readonly $type: "NumberLiteral";
  value: string;
}

export interface PortName extends AstNode {
  readonly $type: "PortName";
  element: Array<string>;
  port: Array<PortPart>;
  unit: UnitName;
}

export interface Quantity extends AstNode {
  readonly $type: "Quantity";
  isNegative: boolean;
  unit?: TimeUnit;
  value: string;
}

export interface ReadyToRead extends AstNode {
  readonly $type: "ReadyToRead";
  port: PortName;
}

export interface Setting extends AstNode {
  readonly $type: "Setting";
  key: "start" | "step" | "stop";
  value: Quantity;
}

export interface Specification extends AstNode {
  readonly $type: "Specification";
  connectors: Array<Connector>;
  experiments: Array<Experiment>;
  loads: Array<Load>;
}

export interface Synchronization extends AstNode {
  readonly $type: "Synchronization";
  left: PortName;
  right: PortName;
  tolerance?: Quantity;
}

export interface Threshold extends AstNode {
  readonly $type: "Threshold";
  direction: "falls" | "rises";
  isNegative: boolean;
  level: string;
  port: PortName;
}

export interface Unary extends AstNode {
  readonly $type: "Unary";
  operand: Expression;
  operator: "-" | "not";
}

export interface Updated extends AstNode {
  readonly $type: "Updated";
  port: PortName;
}

export type Expression = Binary | NumberLiteral | PortName | Unary;

export type PortPart =
  | "Connector"
  | "do"
  | "experiment"
  | "load"
  | "not"
  | "sync"
  | "when"
  | UnitName;

export type TimeUnit = "h" | "min" | "ms" | "ns" | "s" | "us";

export type Trigger = Event | Every | ReadyToRead | Threshold | Updated;

export type UnitName =
  | "ReadyToRead"
  | "Updated"
  | "above"
  | "as"
  | "been"
  | "below"
  | "event"
  | "every"
  | "falls"
  | "from"
  | "has"
  | "is"
  | "occurs"
  | "on"
  | "rises"
  | "start"
  | "step"
  | "stop"
  | "to"
  | "value"
  | "within"
  | TimeUnit
  | string;
