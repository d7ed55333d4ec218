/**
 * A run in memory: one unit through one experiment, its trace as arrays. The library's counterpart of `cosimo run`.
 */
import { unwrap } from "../base/diagnostic.ts";
import type { Outcome } from "../base/outcome.ts";
import { guardedUnit } from "../engine/guarded-unit.ts";
import { banksFor, layoutPorts } from "../engine/port-layout.ts";
import { simulateUnit } from "../engine/simulate-unit.ts";
import { type Port, portNamed, portSize } from "../model/unit-description.ts";
import { bankOf, storeValue, type Value } from "../model/value-type.ts";
import type { Trace } from "../record/trace.ts";
import { selectColumns } from "../record/trace-select.ts";
import type { InputSignals } from "../unit/signal-source.ts";
import type { Unit } from "../unit/unit.ts";
import { MemoryTrace } from "./memory-trace.ts";

export interface TraceOptions {
  readonly start?: number;
  readonly stop: number;
  readonly step: number;
  readonly tolerance?: number;
  /** Parameters, inputs and start values by name; a single value fills an array. */
  readonly set?: Readonly<Record<string, Value | readonly Value[]>>;
  readonly inputs?: InputSignals;
  /** Names or patterns with * and ?; the outputs unless said. */
  readonly record?: readonly string[];
}

/**
 * Simulates `unit`, which must be freshly instantiated. The unit is terminated, not disposed.
 * @throws DiagnosticsError when a name is unknown; a failing unit is an outcome.
 */
export async function traceUnit(
  unit: Unit,
  options: TraceOptions,
): Promise<{ outcome: Outcome; trace: Trace }> {
  const choices = unwrap(selectColumns(unit.description, options.record ?? []));
  const ports = [...new Set(choices.map((choice) => choice.port))].map(
    (index) => unit.description.ports[index],
  );
  const layout = layoutPorts(ports);
  const banks = banksFor(layout);
  const firstSlot = new Map(layout.slots.map(({ port, slot }) => [port, slot]));
  const slots = choices.map((choice) => firstSlot.get(choice.port)! + choice.element);
  const rows = new MemoryTrace(choices.map(({ info }) => info));
  const start = options.start ?? unit.description.experiment.start ?? 0;
  const outcome = await simulateUnit(guardedUnit(unit), {
    start,
    stop: options.stop,
    step: options.step,
    ...(options.tolerance === undefined ? {} : { tolerance: options.tolerance }),
    values: valuesToSet(unit, options.set ?? {}),
    ...(options.inputs ? { inputs: options.inputs } : {}),
    record: { slots: layout.slots, banks },
    onRow: (time) => {
      rows.add(
        time,
        choices.map(({ info }, c) => banks[bankOf(info.type)][slots[c]]),
      );
    },
  });
  const meta = {
    title: unit.name,
    entries: { model: unit.description.name, outcome: outcome.kind },
  };
  return { outcome, trace: rows.trace(meta) };
}

function valuesToSet(
  unit: Unit,
  set: NonNullable<TraceOptions["set"]>,
): { slots: ReturnType<typeof layoutPorts>["slots"]; banks: ReturnType<typeof banksFor> } {
  const ports = Object.keys(set).map((name): Port => {
    const port = portNamed(unit.description, name);
    if (!port) throw new RangeError(`'${unit.name}' has no port '${name}'`);
    return port;
  });
  const layout = layoutPorts(ports);
  const banks = banksFor(layout);
  ports.forEach((port, p) => {
    const given = set[port.name];
    const list = Array.isArray(given) ? (given as readonly Value[]) : [given as Value];
    for (let i = 0; i < portSize(port); i++) {
      storeValue(banks, port.type, layout.slots[p].slot + i, list[list.length === 1 ? 0 : i]);
    }
  });
  return { slots: layout.slots, banks };
}
