/**
 * The interface of a unit as its author declares it (MCILang, `.mci`): what the ports mean for
 * those who exchange data with the unit. A unit's own description says what it is able to do; an
 * interface adds what no description can say, above all the natures of ports, and is held to the
 * description where both speak (apply-interface.ts).
 */
import type { Place } from "../base/diagnostic.ts";
import type { Nature } from "./unit-description.ts";
import type { ValueType } from "./value-type.ts";

export interface UnitInterface {
  readonly name: string;
  /** Where the unit is; absent in an interface that scenarios put beside a unit. */
  readonly source?: InterfaceSource;
  readonly ports: readonly InterfacePort[];
  readonly references: readonly TemporalReference[];
  readonly properties: readonly UnitProperty[];
  readonly place: Place;
}

export interface InterfaceSource {
  readonly keyword: "SUPath" | "FMUPath" | "GemocExecutablePath";
  /** As written, relative to the folder of the interface. */
  readonly path: string;
  readonly place: Place;
}

export interface InterfacePort {
  readonly name: string;
  /** The variable of the unit, where it has another name than the port. */
  readonly variable?: string;
  readonly direction?: "input" | "output";
  readonly nature?: Nature;
  readonly type?: InterfaceType;
  /** Sizes of the dimensions; empty for a scalar. */
  readonly shape: readonly number[];
  /** As written: texts are converted when the type of the variable is known. */
  readonly initial?: string;
  readonly events: readonly IoEvent[];
  readonly monitored?: boolean;
  /** Name or hexadecimal number of a colour. */
  readonly color?: string;
  /** The temporal reference of this port; absent: that of the unit. */
  readonly reference?: string;
  /** What the unit makes of an input between two exchanges. */
  readonly use?: "interpolation" | "extrapolation";
  readonly place: Place;
}

export type InterfaceType =
  | "Real"
  | "Integer"
  | "Boolean"
  | "String"
  | "Enumeration"
  | "Binary"
  | "Clock";

/** An instant at which a unit shows what it does with a port. */
export type IoEventKind = "Updated" | "ReadyToRead" | "Triggered";

export interface IoEvent {
  readonly kind: IoEventKind;
  readonly name?: string;
  readonly place: Place;
}

export interface TemporalReference {
  readonly name: string;
  readonly kind: "time" | "angle" | "distance";
  readonly place: Place;
}

export interface UnitProperty {
  readonly name: "rollback";
  readonly value: boolean;
  readonly place: Place;
}

/** The name of the variable behind a port: tools qualify it (`CPUprotection::cpuTemperature`). */
export function variableOf({ name, variable }: InterfacePort): string {
  if (variable === undefined) return name;
  return variable.slice(variable.lastIndexOf("::") + 1).replace(/^:/, "");
}

/** The interface's word for a type. */
export function interfaceType(type: ValueType): InterfaceType {
  switch (type) {
    case "float64":
    case "float32":
      return "Real";
    case "boolean":
      return "Boolean";
    case "string":
      return "String";
    case "enumeration":
      return "Enumeration";
    case "binary":
      return "Binary";
    case "clock":
      return "Clock";
    default:
      return "Integer";
  }
}
