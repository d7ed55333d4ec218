/**
 * Holds a binary to its description, for `cosimo validate --run`: everything it exports, says and does in one short
 * experiment with its own defaults. A binary may crash or hang while it is asked: callers use a process of its own.
 */
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import { UnitError } from "../../base/outcome.ts";
import type { FmuVariable } from "../../fmi/description.ts";
import { type Port, portSize } from "../../model/unit-description.ts";
import { bankOf, makeBanks, type Value } from "../../model/value-type.ts";
import type { PortSlot, Unit } from "../../unit/unit.ts";
import { loadBinary } from "./binary.ts";
import { missingSymbols } from "./calls.ts";
import { NATIVE_DIAGNOSTICS } from "./native-diagnostics.ts";
import { readString } from "./native-memory.ts";
import type { NativeFmu } from "./native-options.ts";
import { binaryOf, openNativeUnit } from "./open-native-unit.ts";
import { requiredCalls } from "./required-calls.ts";

type Code = keyof typeof NATIVE_DIAGNOSTICS;
type Params<C extends Code> = Parameters<(typeof NATIVE_DIAGNOSTICS)[C]["text"]>[0];

export interface CheckBinaryOptions {
  /** Called before each initialization, for FMUs that need parameters to run. */
  readonly prepare?: (unit: Unit) => void;
}

/** Everything in which the FMU's binary for this machine does not keep to its description. */
export function checkBinary(fmu: NativeFmu, options: CheckBinaryOptions = {}): Diagnostic[] {
  const found: Diagnostic[] = [];
  try {
    const { file, notes } = binaryOf(fmu);
    found.push(...notes);
    const report: Report = (code, params) => {
      found.push(diagnose(NATIVE_DIAGNOSTICS, code, params as never, { file }));
    };
    if (checkSymbols(fmu, file, report) && checkVersion(fmu, file, report))
      runOnce(fmu, options, report);
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    found.push(...error.diagnostics);
  }
  return found;
}

type Report = <C extends Code>(code: C, params: Params<C>) => void;

/** Whether the binary exports enough to go on. */
function checkSymbols(fmu: NativeFmu, file: string, report: Report): boolean {
  const library = loadBinary(file);
  const { needed, formal } = requiredCalls(fmu.description);
  const missing = missingSymbols(library, needed);
  if (missing.length > 0) report("binary-symbols-missing", { names: missing });
  const formallyMissing = missingSymbols(library, formal);
  if (formallyMissing.length > 0)
    report("binary-formal-symbols-missing", { names: formallyMissing });
  return missing.length === 0;
}

function checkVersion(fmu: NativeFmu, file: string, report: Report): boolean {
  const { major, fmiVersion } = fmu.description;
  const ask = (call: string): string =>
    readString(loadBinary(file).func(call, "int64_t", [])() as number) ?? "NULL";
  const version = `fmi${major}GetVersion`;
  const said = ask(version);
  const agrees = said === fmiVersion || said.startsWith(`${major}.`);
  if (!agrees) report("binary-version-differs", { call: version, said, described: fmiVersion });
  if (major === 3) return agrees;
  const types = ask("fmi2GetTypesPlatform");
  if (types !== "default")
    report("binary-version-differs", {
      call: "fmi2GetTypesPlatform",
      said: types,
      described: "default",
    });
  return agrees;
}

function runOnce(fmu: NativeFmu, options: CheckBinaryOptions, report: Report): void {
  let unit: Unit | undefined;
  try {
    unit = openNativeUnit(fmu);
    experiment(fmu, unit, options, report);
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    const { call, status, log } = error.failure;
    report("binary-call-failed", { call, status, log });
  } finally {
    unit?.dispose();
  }
}

function experiment(fmu: NativeFmu, unit: Unit, options: CheckBinaryOptions, report: Report): void {
  const { start = 0 } = fmu.description.experiment;
  const step = stepOf(fmu);
  const outputs = unit.description.ports.filter(({ direction }) => direction === "output");
  initialize(fmu, unit, options, () => {
    if (options.prepare === undefined) checkStartValues(fmu, unit, report);
  });
  const walk = (i: number): boolean =>
    takeStep(unit, start + i * step, start + (i + 1) * step, report);
  if (!walk(0)) return;
  const first = valuesOf(unit, outputs);
  checkRollback(unit, () => walk(1) && walk(2), outputs, report);
  unit.terminate();
  unit.reset();
  initialize(fmu, unit, options);
  if (!walk(0)) return;
  const variables = differing(outputs, first, valuesOf(unit, outputs));
  if (variables.length > 0) report("binary-reset-lies", { variables });
  unit.terminate();
}

function initialize(
  fmu: NativeFmu,
  unit: Unit,
  options: CheckBinaryOptions,
  inInitialization?: () => void,
): void {
  options.prepare?.(unit);
  const { start = 0, stop, tolerance } = fmu.description.experiment;
  unit.enterInitialization({
    start,
    ...(stop !== undefined && { stop }),
    ...(tolerance !== undefined && { tolerance }),
  });
  inInitialization?.();
  unit.exitInitialization();
  leaveEventMode(unit);
}

/** The step that the description proposes, or a hundredth of its experiment. */
function stepOf(fmu: NativeFmu): number {
  const { start = 0, stop = start + 1, step } = fmu.description.experiment;
  return step ?? fmu.description.coSimulation?.fixedInternalStepSize ?? (stop - start) / 100;
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

function checkStartValues(fmu: NativeFmu, unit: Unit, report: Report): void {
  const ports = unit.description.ports.filter((port) => {
    const variable = fmu.description.variables[port.index]!;
    return port.start !== undefined && port.type !== "clock" && keepsItsStart(variable);
  });
  const values = valuesOf(unit, ports);
  ports.forEach((port, i) => {
    const said = values[i]!;
    const expected = said.map((_, element) =>
      asBank(port, port.start![port.start!.length === 1 ? 0 : element]!),
    );
    if (said.every((value, element) => same(value, expected[element]!))) return;
    report("binary-start-differs", {
      variable: port.name,
      said: said.map(show).join(" "),
      described: expected.map(show).join(" "),
    });
  });
}

function keepsItsStart({ causality, initial }: FmuVariable): boolean {
  return causality === "input" || causality === "parameter" || initial === "exact";
}

/** Does the same steps from a saved, and from a serialized, state: everything must come out the same. */
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
    const { slot } = slots[i]!;
    return Array.from<Value>(banks[bankOf(port.type)].slice(slot, slot + portSize(port)));
  });
}

function differing(ports: readonly Port[], a: Value[][], b: Value[][]): string[] {
  return ports
    .filter((_, i) => !a[i]!.every((value, element) => same(value, b[i]![element]!)))
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
