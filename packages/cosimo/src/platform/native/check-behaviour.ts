/**
 * One short experiment with a unit that says something of itself: are its start values those that
 * it states, does it take its own step, does it really come back to a saved, a serialized and its
 * initial state?
 */
import { type Port, portSize } from "../../model/unit-description.ts";
import { bankOf, makeBanks, type Value } from "../../model/value-type.ts";
import type { PortSlot, Unit } from "../../unit/unit.ts";
import type { NativeCode, NativeParams } from "./native-diagnostics.ts";

export type Report = <C extends NativeCode>(code: C, params: NativeParams<C>) => void;

export interface Trial {
  readonly start?: number;
  readonly stop?: number;
  readonly step?: number;
  readonly tolerance?: number;
  /** Where the experiment names no step. */
  readonly fallbackStep?: number | undefined;
  /**
   * Called before each initialization, for units that need parameters to run; start values then go
   * unchecked.
   */
  readonly prepare?: (unit: Unit) => void;
  /** Ports whose start value must be readable in initialization. */
  readonly keepStart: (port: Port) => boolean;
}

const STEPS = 3;

/** @throws UnitError when a call fails. */
export function checkBehaviour(unit: Unit, trial: Trial, report: Report): void {
  const { start = 0, stop = start + 1 } = trial;
  const step = trial.step ?? trial.fallbackStep ?? (stop - start) / 100;
  const outputs = unit.description.ports.filter(({ direction }) => direction === "output");
  const initialize = (inInitialization?: () => void): void => {
    trial.prepare?.(unit);
    unit.enterInitialization({
      start,
      // No stop time that the steps to come would pass.
      ...(trial.stop !== undefined && start + STEPS * step <= trial.stop && { stop: trial.stop }),
      ...(trial.tolerance !== undefined && { tolerance: trial.tolerance }),
    });
    inInitialization?.();
    unit.exitInitialization();
    leaveEventMode(unit);
  };
  const walk = (i: number): boolean =>
    takeStep(unit, start + i * step, start + (i + 1) * step, report);
  initialize(() => {
    if (trial.prepare === undefined) checkStartValues(unit, trial, report);
  });
  if (!walk(0)) return;
  const first = valuesOf(unit, outputs);
  checkRollback(unit, () => walk(1) && walk(2), outputs, report);
  unit.terminate();
  unit.reset();
  initialize();
  if (!walk(0)) return;
  const variables = differing(outputs, first, valuesOf(unit, outputs));
  if (variables.length > 0) report("binary-reset-lies", { variables });
  unit.terminate();
}

/** One step with the events in it; false, and reported, when the FMU does not get to its end. */
function takeStep(unit: Unit, from: number, to: number, report: Report): boolean {
  let at = from;
  while (at < to) {
    const { reason, time } = unit.advance(at, { kind: "time", time: to });
    if (reason === "terminated") return false;
    if (reason === "discarded") {
      report("binary-step-refused", { step: to - from, reason });
      return false;
    }
    if (reason === "event" && unit.description.capabilities.eventMode) {
      unit.enterEventMode();
      leaveEventMode(unit);
    }
    at = time;
  }
  return true;
}

const MOST_UPDATES = 1000;

function leaveEventMode(unit: Unit): void {
  if (unit.phase !== "event") return;
  for (let i = 0; i < MOST_UPDATES && unit.updateDiscreteStates().again; i++);
  unit.enterStepMode();
}

function checkStartValues(unit: Unit, { keepStart }: Trial, report: Report): void {
  const ports = unit.description.ports.filter(
    (port) => port.start !== undefined && port.type !== "clock" && keepStart(port),
  );
  const values = valuesOf(unit, ports);
  ports.forEach((port, i) => {
    const said = values[i];
    const expected = said.map((_, element) =>
      asBank(port, port.start![port.start!.length === 1 ? 0 : element]),
    );
    if (said.every((value, element) => same(value, expected[element]))) return;
    report("binary-start-differs", {
      variable: port.name,
      said: said.map(show).join(" "),
      described: expected.map(show).join(" "),
    });
  });
}

/**
 * Does the same steps from a saved, and from a serialized, state: everything must come out the
 * same.
 */
function checkRollback(
  unit: Unit,
  walk: () => boolean,
  outputs: readonly Port[],
  report: Report,
): void {
  const { rollback, serialize } = unit.description.capabilities;
  if (!rollback) {
    walk();
    return;
  }
  const snapshot = unit.save();
  const before = valuesOf(unit, outputs);
  if (!walk()) return;
  const after = valuesOf(unit, outputs);
  const again = (code: "binary-state-lies" | "binary-serialization-lies"): void => {
    const there = differing(outputs, before, valuesOf(unit, outputs));
    const variables = walk() ? differing(outputs, after, valuesOf(unit, outputs)) : [];
    const all = [...new Set([...there, ...variables])];
    if (all.length > 0) report(code, { variables: all });
  };
  unit.restore(snapshot);
  again("binary-state-lies");
  if (serialize) {
    const copy = unit.deserialize(unit.serialize(snapshot));
    unit.restore(copy);
    again("binary-serialization-lies");
    unit.release(copy);
  }
  unit.release(snapshot);
}

/** The elements of each port, as its bank holds them. */
function valuesOf(unit: Unit, ports: readonly Port[]): Value[][] {
  const sizes = { f64: 0, i64: 0, obj: 0 };
  const slots: PortSlot[] = ports.map((port) => {
    const slot = sizes[bankOf(port.type)];
    sizes[bankOf(port.type)] += portSize(port);
    return { port: port.index, slot };
  });
  const banks = makeBanks(sizes);
  unit.read(unit.bind(slots), banks);
  return ports.map((port, i) => {
    const { slot } = slots[i];
    return Array.from<Value>(banks[bankOf(port.type)].slice(slot, slot + portSize(port)));
  });
}

function differing(ports: readonly Port[], a: Value[][], b: Value[][]): string[] {
  return ports
    .filter((_, i) => !a[i].every((value, element) => same(value, b[i][element])))
    .map(({ name }) => name);
}

function same(a: Value, b: Value): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array)
    return a.length === b.length && a.every((byte, i) => byte === b[i]);
  return Object.is(a, b) || a === b;
}

/** A value of the description as the bank of its type holds it. */
function asBank(port: Port, value: Value): Value {
  switch (bankOf(port.type)) {
    case "f64":
      return port.type === "float32" ? Math.fround(Number(value)) : Number(value);
    case "i64":
      return BigInt.asIntN(64, BigInt(value as bigint | number));
    case "obj":
      return value;
  }
}

function show(value: Value): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
