/**
 * What a change of structure reads from units: whether a condition holds, and the values that are
 * transferred to units that are added.
 */
import type {
  Condition,
  ElementRef,
  PortRef,
  PortValue,
  Scenario,
  StructureRule,
} from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { bankOf, makeBanks, type Value } from "../model/value-type.ts";
import type { Unit } from "../unit/unit.ts";

type Units = ReadonlyMap<number, Unit>;

/** @param tolerance within which a located level counts as reached. */
export function holds(condition: Condition, units: Units, tolerance: number): boolean {
  const { signal, operator, level, other } = condition;
  const right = other === undefined ? level : other.factor * numberAt(units, other) + other.offset;
  const difference = numberAt(units, signal) - right;
  switch (operator) {
    case ">":
      // Without a tolerance it has to be beyond the level.
      return tolerance > 0 ? difference >= -tolerance : difference > 0;
    case ">=":
      return difference >= -tolerance;
    case "<":
      return tolerance > 0 ? difference <= tolerance : difference < 0;
    case "<=":
      return difference <= tolerance;
    case "=":
      return Math.abs(difference) <= tolerance;
    case "!=":
      return Math.abs(difference) > tolerance;
  }
}

function numberAt(units: Units, { element, ...ref }: ElementRef): number {
  return Number(readPort(units, ref)[element]);
}

/** The values of a port, one per element. */
function readPort(units: Units, { unit: u, port }: PortRef): Value[] {
  const unit = units.get(u);
  if (unit === undefined) throw new Error(`internal: unit ${u} does not exist`);
  const described = unit.description.ports[port];
  const size = portSize(described);
  const bank = bankOf(described.type);
  const banks = makeBanks({ f64: 0, i64: 0, obj: 0, [bank]: size });
  unit.read(unit.bind([{ port, slot: 0 }]), banks);
  return Array.from(banks[bank] as ArrayLike<Value>);
}

/** By unit that is added: what it begins with, over what the scenario sets. */
export function transferredValues(
  { transfer, compute, added, place }: StructureRule,
  scenario: Scenario,
  units: Units,
): Map<number, readonly PortValue[]> {
  const given = new Map<number, PortValue[]>();
  const give = ({ unit, port }: PortRef, values: readonly Value[]): void => {
    given.set(unit, [...(given.get(unit) ?? []), { port, values, place }]);
  };
  for (const { from, to, factor, offset } of transfer) {
    const values = readPort(units, from);
    const isChanged = factor !== 1 || offset !== 0;
    give(to, isChanged ? values.map((value) => factor * Number(value) + offset) : values);
  }
  if (compute === undefined) return given;
  const read = (name: string): Value | readonly Value[] => {
    const values = readPort(units, portCalled(scenario, name, [...units.keys()]));
    return values.length === 1 ? values[0] : values;
  };
  for (const [name, value] of Object.entries(compute(read))) {
    const to = portCalled(scenario, name, added);
    give(to, Array.isArray(value) ? value : [value as Value]);
  }
  return given;
}

/** @throws RangeError when none of these units has such a port. */
function portCalled({ units }: Scenario, name: string, among: readonly number[]): PortRef {
  for (const unit of among) {
    const { name: owner, description } = units[unit];
    const port = description.ports.findIndex((one) => `${owner}.${one.name}` === name);
    if (port >= 0) return { unit, port };
  }
  throw new RangeError(`transfer: there is no port '${name}' at that instant`);
}
