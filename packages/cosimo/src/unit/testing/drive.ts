/**
 * Drives one unit by port names, for tests: a few lines that read like the experiment they
 * describe. Convenience over speed; engines bind once and move banks.
 */
import { UnitError } from "../../base/outcome.ts";
import { type Port, portNamed, portSize } from "../../model/unit-description.ts";
import { type Banks, bankOf, makeBanks, type Value } from "../../model/value-type.ts";
import type { Stop } from "../predicate.ts";
import type { InitializationOptions, Unit } from "../unit.ts";

/** Values by port name, one for all elements or one each. */
export type Values = Readonly<Record<string, Value | readonly Value[]>>;

/** The port called `name`; throws when the unit has none. */
export function portOf(unit: Unit, name: string): Port {
  const port = portNamed(unit.description, name);
  if (port === undefined) throw new Error(`'${unit.name}' has no port '${name}'`);
  return port;
}

/** Index of the port called `name`. */
export function indexOf(unit: Unit, name: string): number {
  return portOf(unit, name).index;
}

export function setValues(unit: Unit, values: Values): void {
  for (const [name, given] of Object.entries(values)) {
    const port = portOf(unit, name);
    const size = portSize(port);
    const list = Array.isArray(given) ? (given as readonly Value[]) : [given as Value];
    const banks = bankFor(port);
    for (let i = 0; i < size; i++) {
      putValue(port, banks, i, list[list.length === 1 ? 0 : i]);
    }
    unit.write(unit.bind([{ port: port.index, slot: 0 }]), banks);
  }
}

/** The port's elements as the bank holds them: booleans are 0 and 1. */
export function getValues(unit: Unit, name: string): Value[] {
  const port = portOf(unit, name);
  const banks = bankFor(port);
  unit.read(unit.bind([{ port: port.index, slot: 0 }]), banks);
  return Array.from<Value>(banks[bankOf(port.type)]).slice(0, portSize(port));
}

/** The first element of a numeric port. */
export function getNumber(unit: Unit, name: string): number {
  return Number(getValues(unit, name)[0]);
}

/** From `instantiated` to `step`, with `values` set before initialization. */
export function startUnit(
  unit: Unit,
  options: InitializationOptions = { start: 0 },
  values: Values = {},
): void {
  setValues(unit, values);
  unit.enterInitialization(options);
  unit.exitInitialization();
  if (unit.phase === "event") settleEvents(unit);
}

/** Repeats discrete updates until the unit is content, and goes back to steps. */
export function settleEvents(unit: Unit): void {
  if (unit.phase !== "event") unit.enterEventMode();
  for (let rounds = 0; unit.updateDiscreteStates().again; rounds++) {
    if (rounds === 100) throw new Error(`'${unit.name}' asks for a 101st discrete update`);
  }
  unit.enterStepMode();
}

/** Advances to `to` in one piece, handling the events on the way. Any other stop is an error. */
export function advanceTo(unit: Unit, from: number, to: number): Stop {
  let at = from;
  for (;;) {
    const { reason, port, time } = unit.advance(at, { kind: "time", time: to });
    if (reason === "time") return { reason, port, time };
    if (reason !== "event") throw new Error(`'${unit.name}' stopped at ${time}: ${reason}`);
    if (unit.description.capabilities.eventMode) settleEvents(unit);
    if (time >= to) return { reason, port, time };
    at = time;
  }
}

/**
 * The failure of the `UnitError` that `action` throws; anything else that it throws is passed on.
 */
export function failureOf(action: () => unknown): UnitError["failure"] {
  try {
    action();
  } catch (error) {
    if (error instanceof UnitError) return error.failure;
    throw error;
  }
  throw new Error("it should have failed");
}

function bankFor(port: Port): Banks {
  return makeBanks({ [bankOf(port.type)]: portSize(port) });
}

function putValue(port: Port, banks: Banks, slot: number, value: Value): void {
  const bank = bankOf(port.type);
  if (bank === "f64") banks.f64[slot] = Number(value);
  else if (bank === "i64") banks.i64[slot] = BigInt(value as bigint | number);
  else banks.obj[slot] = value as string | Uint8Array;
}
