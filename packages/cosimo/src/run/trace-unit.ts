/**
 * A run in memory: one unit through one experiment, its trace as arrays. The library's counterpart
 * of `cosimo run model.fmu`.
 */
import { unwrap } from "../base/diagnostic.ts";
import type { Outcome } from "../base/outcome.ts";
import { present } from "../base/present.ts";
import { guardedUnit } from "../engine/guarded-unit.ts";
import { runPlan } from "../engine/run-plan.ts";
import type { Value } from "../model/value-type.ts";
import type { Trace } from "../record/trace.ts";
import type { InputSignals } from "../unit/signal-source.ts";
import type { Unit } from "../unit/unit.ts";
import { withNamedValues } from "./apply-values.ts";
import { MemoryTrace } from "./memory-trace.ts";
import { planRun } from "./plan-run.ts";
import { singleUnitPorts, singleUnitScenario } from "./single-unit.ts";

export interface TraceOptions {
  readonly start?: number;
  readonly stop: number;
  readonly step: number;
  readonly tolerance?: number;
  /** Parameters, inputs and start values by name; a single value fills an array. */
  readonly set?: Readonly<Record<string, Value | readonly Value[]>>;
  readonly inputs?: InputSignals;
  /** Names or patterns with * and ?; default: the outputs. */
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
  const { name, description } = unit;
  const source = { kind: "module", path: name } as const;
  const bare = singleUnitScenario({ name, source, description, file: name });
  const ports = singleUnitPorts(bare);
  const scenario = withNamedValues(bare, ports, options.set ?? {});
  const { start, stop, step, tolerance, record, inputs } = options;
  const request = present({ start, step, record });
  const { compiled, columns } = unwrap(planRun(scenario, request, { ports, isSingle: true }));
  const { plan } = compiled;
  const rows = new MemoryTrace(columns);
  const outcome = await runPlan(plan, scenario, [guardedUnit(unit)], {
    stop,
    ...present({ tolerance }),
    single: present({ inputs }),
    onRow: (time, banks) => rows.addSignals(time, plan, banks),
  });
  const meta = { title: name, entries: { model: description.name, outcome: outcome.kind } };
  return { outcome, trace: rows.trace(meta) };
}
