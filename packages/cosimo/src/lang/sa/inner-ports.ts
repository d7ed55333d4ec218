/**
 * What an adaptation can say about its inner units: their scalar inputs and outputs, from what the
 * author declares and from what the unit describes. The author's list decides which ports there are
 * and their units; the unit decides their types.
 */
import type { Place } from "../../base/diagnostic.ts";
import {
  type Adaptation,
  type AdaptationPort,
  type InnerUnit,
  type SaType,
  saTypeOf,
} from "../../model/adaptation/data.ts";
import type { PhysicalUnit } from "../../model/physical-unit.ts";
import { parseUnit } from "../../model/physical-unit-parse.ts";
import {
  type Direction,
  type Port,
  portNamed,
  portSize,
  type UnitDescription,
} from "../../model/unit-description.ts";
import type { Value } from "../../model/value-type.ts";

/** Undefined where nothing is known of the unit. */
export type Describe = (inner: InnerUnit) => UnitDescription | undefined;

export interface InnerPort {
  readonly unit: string;
  readonly name: string;
  readonly type: SaType;
  /** Its type is declared or described; otherwise it is taken as real. */
  readonly certain: boolean;
  readonly physical?: PhysicalUnit;
  readonly start?: Value;
  /** The port that the unit describes. */
  readonly described?: Port;
  readonly place: Place;
}

export interface InnerPorts {
  readonly unit: InnerUnit;
  readonly description: UnitDescription | undefined;
  readonly inputs: readonly InnerPort[];
  readonly outputs: readonly InnerPort[];
}

export function innerPorts({ inner }: Pick<Adaptation, "inner">, describe: Describe): InnerPorts[] {
  return inner.map((unit) => {
    const description = describe(unit);
    return {
      unit,
      description,
      inputs: portsOf(unit, unit.inputs, "input", description),
      outputs: portsOf(unit, unit.outputs, "output", description),
    };
  });
}

export function findPort(
  units: readonly InnerPorts[],
  name: { readonly unit: string; readonly port: string },
  direction: "inputs" | "outputs",
): InnerPort | undefined {
  const unit = units.find((one) => one.unit.name === name.unit);
  return unit?.[direction].find((port) => port.name === name.port);
}

function portsOf(
  unit: InnerUnit,
  declared: readonly AdaptationPort[] | undefined,
  direction: Direction,
  description: UnitDescription | undefined,
): InnerPort[] {
  if (declared === undefined) {
    return (description?.ports ?? [])
      .filter((port) => port.direction === direction && isScalar(port))
      .map((port) => ({
        unit: unit.name,
        name: port.name,
        type: saTypeOf(port),
        certain: true,
        ...(port.unit === undefined ? {} : { physical: port.unit }),
        ...(port.start === undefined ? {} : { start: port.start[0] }),
        described: port,
        place: unit.place,
      }));
  }
  return declared.flatMap((port): InnerPort[] => {
    const described = description && portNamed(description, port.name);
    if (described !== undefined && !isScalar(described)) return [];
    const physical = physicalUnit(port.unit) ?? described?.unit;
    return [
      {
        unit: unit.name,
        name: port.name,
        type: port.type ?? (described === undefined ? "real" : saTypeOf(described)),
        certain: port.type !== undefined || described !== undefined,
        ...(physical === undefined ? {} : { physical }),
        ...(described?.start === undefined ? {} : { start: described.start[0] }),
        ...(described === undefined ? {} : { described }),
        place: port.place,
      },
    ];
  });
}

export function physicalUnit(text: string | undefined): PhysicalUnit | undefined {
  return text === undefined ? undefined : (parseUnit(text) ?? { name: text });
}

/** Rules speak of numbers, booleans and texts, one at a time. */
export function isScalar(port: Port): boolean {
  return portSize(port) === 1 && port.type !== "binary" && port.type !== "clock";
}
