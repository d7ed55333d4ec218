/**
 * A coordination specification as it is written: units by their interfaces, and connectors.
 * draft-of-mcl.ts makes a scenario of it.
 */
import type { Place } from "../../base/diagnostic.ts";

export interface Specification {
  readonly loads: readonly Load[];
  readonly experiment?: ExperimentBlock;
  readonly connectors: readonly ConnectorSpec[];
  readonly place: Place;
}

/** `load "plant.mci" as plant`. */
export interface Load {
  readonly path: string;
  /** Default: the name of the file. */
  readonly name?: string;
  readonly place: Place;
}

export interface ExperimentBlock {
  readonly settings: readonly Setting[];
  readonly place: Place;
}

export interface Setting {
  readonly key: "start" | "stop" | "step";
  readonly value: Quantity;
  readonly place: Place;
}

/** A time: seconds, unless it says otherwise. */
export interface Quantity {
  readonly value: number;
  readonly unit?: string;
}

export interface ConnectorSpec {
  readonly name: string;
  /** `(from a.y to b.u)`: repeats what its interaction says. */
  readonly ends?: { readonly from: PortName; readonly to: PortName };
  /** Absent: the natures of the ports decide. */
  readonly trigger?: TriggerSpec;
  readonly sync?: Synchronization;
  readonly interactions: readonly InteractionSpec[];
  readonly place: Place;
}

export type TriggerSpec =
  | {
      readonly kind: "every";
      readonly period: Quantity;
      /** The temporal reference that the period is counted in. */
      readonly reference?: PortName;
      readonly place: Place;
    }
  | {
      readonly kind: "event" | "updated" | "ready-to-read";
      readonly port: PortName;
      readonly place: Place;
    }
  | {
      readonly kind: "threshold";
      readonly port: PortName;
      readonly direction: "rising" | "falling";
      /** In the unit of measurement of the port. */
      readonly level: number;
      readonly place: Place;
    };

/** `sync a.t = b.t`: the times of two units agree when they exchange, up to a tolerance. */
export interface Synchronization {
  readonly left: PortName;
  readonly right: PortName;
  readonly tolerance?: Quantity;
  readonly place: Place;
}

export interface InteractionSpec {
  readonly source: Expression;
  readonly target: PortName;
  /** The text has it the other way round, `target -> not source`. */
  readonly isTargetFirst: boolean;
  readonly place: Place;
}

export type Expression =
  | { readonly kind: "number"; readonly value: number; readonly place: Place }
  | { readonly kind: "port"; readonly port: PortName; readonly place: Place }
  | {
      readonly kind: "unary";
      readonly operator: "-" | "not";
      readonly operand: Expression;
      readonly place: Place;
    }
  | {
      readonly kind: "binary";
      readonly operator: "+" | "-" | "*" | "/";
      readonly left: Expression;
      readonly right: Expression;
      readonly place: Place;
    };

/** A port of a unit, an element of it, or a temporal reference. */
export interface PortName {
  readonly unit: string;
  readonly port: string;
  /** Indices of an element, from 1. */
  readonly element: readonly number[];
  readonly place: Place;
}

/** As scenarios refer to ports: `unit.port[2,1]`. */
export function portText({ unit, port, element }: PortName): string {
  return `${unit}.${port}${element.length === 0 ? "" : `[${element.join(",")}]`}`;
}

/** The unit that a load makes. */
export function unitName({ path, name }: Load): string {
  if (name !== undefined) return name;
  const base = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return base.replace(/\.[^.]*$/, "");
}
