/**
 * The syntax tree of mci.langium. Made by scripts/grammars.mjs; do not edit.
 */
import type { AstNode } from "langium";

export interface ColorAttribute extends AstNode {
  readonly $type: "ColorAttribute";
  value: string;
}

export interface DirectionAttribute extends AstNode {
  readonly $type: "DirectionAttribute";
  value: "INPUT" | "OUTPUT";
}

export interface EventsAttribute extends AstNode {
  readonly $type: "EventsAttribute";
  events: Array<IoEvent>;
}

export interface InitialAttribute extends AstNode {
  readonly $type: "InitialAttribute";
  value: Literal;
}

export interface Interface extends AstNode {
  readonly $type: "Interface";
  name: Name;
  parts: Array<Part>;
}

export interface IoEvent extends AstNode {
  readonly $type: "IoEvent";
  kind: "ReadyToRead" | "Triggered" | "Updated";
  name?: EventName;
}

export interface MonitoredAttribute extends AstNode {
  readonly $type: "MonitoredAttribute";
  value: "false" | "true";
}

export interface NatureAttribute extends AstNode {
  readonly $type: "NatureAttribute";
  value:
    | "constant"
    | "continuous"
    | "piecewise-constant"
    | "piecewise-continuous"
    | "piecewiseConstant"
    | "piecewiseContinuous"
    | "transient";
}

export interface Port extends AstNode {
  readonly $type: "Port";
  attributes: Array<Attribute>;
  name: Name;
}

export interface PortProperties extends AstNode {
  readonly $type: "PortProperties";
  properties: Array<PortProperty>;
}

export interface PortProperty extends AstNode {
  readonly $type: "PortProperty";
  name: "extrapolation" | "interpolation";
}

export interface Ports extends AstNode {
  readonly $type: "Ports";
  ports: Array<Port>;
}

export interface ReferenceAttribute extends AstNode {
  readonly $type: "ReferenceAttribute";
  value: Name;
}

export interface TemporalReference extends AstNode {
  readonly $type: "TemporalReference";
  kind: "angle" | "distance" | "time";
  name: Name;
}

export interface TemporalReferences extends AstNode {
  readonly $type: "TemporalReferences";
  references: Array<TemporalReference>;
}

export interface TypeAttribute extends AstNode {
  readonly $type: "TypeAttribute";
  shape: Array<string>;
  value: "Binary" | "Boolean" | "Clock" | "Enumeration" | "Integer" | "Real" | "String";
}

export interface UnitPath extends AstNode {
  readonly $type: "UnitPath";
  kind: "FMUPath" | "GemocExecutablePath" | "SUPath";
  path: string;
}

export interface UnitProperties extends AstNode {
  readonly $type: "UnitProperties";
  properties: Array<UnitProperty>;
}

export interface UnitProperty extends AstNode {
  readonly $type: "UnitProperty";
  name: "Rollback" | "rollback";
  value?: "false" | "true";
}

export interface VariableAttribute extends AstNode {
  readonly $type: "VariableAttribute";
  value: string;
}

export type Attribute =
  | ColorAttribute
  | DirectionAttribute
  | EventsAttribute
  | InitialAttribute
  | MonitoredAttribute
  | NatureAttribute
  | PortProperties
  | ReferenceAttribute
  | TypeAttribute
  | VariableAttribute;

export type EventName = string;

export type Literal = string;

export type Name =
  | "Binary"
  | "Boolean"
  | "Clock"
  | "Enumeration"
  | "FMUPath"
  | "GemocExecutablePath"
  | "INPUT"
  | "Integer"
  | "Interface"
  | "ModelTemporalReference"
  | "OUTPUT"
  | "Port"
  | "ReadyToRead"
  | "Real"
  | "Rollback"
  | "SUPath"
  | "String"
  | "Triggered"
  | "Updated"
  | "angle"
  | "constant"
  | "continuous"
  | "direction"
  | "distance"
  | "extrapolation"
  | "false"
  | "initValue"
  | "initialValue"
  | "interpolation"
  | "ioevents"
  | "monitored"
  | "nature"
  | "piecewiseConstant"
  | "piecewiseContinuous"
  | "plotterColor"
  | "ports"
  | "properties"
  | "reference"
  | "rollback"
  | "temporalreference"
  | "temporalreferences"
  | "time"
  | "transient"
  | "true"
  | "type"
  | "variableName"
  | string;

export type Part = Ports | TemporalReferences | UnitPath | UnitProperties;
