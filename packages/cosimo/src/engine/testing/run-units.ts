/**
 * Couples units in a tiny notation and runs them: `a.y -> b.u; b.y -> a.u`.
 */
import { unwrap } from "../../base/diagnostic.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { Banks } from "../../model/value-type.ts";
import { compilePlan } from "../../plan/compile.ts";
import type { Plan } from "../../plan/plan.ts";
import { type ScenarioOptions, scenarioOf } from "../../plan/testing/scenario-of.ts";
import type { Unit } from "../../unit/unit.ts";
import type { MasterSummary } from "../masters/master-summary.ts";
import { runPlan } from "../run-plan.ts";
import type { LoopSolution } from "../solve-loop.ts";

export interface CoupledRun {
  readonly outcome: Outcome;
  readonly plan: Plan;
  readonly time: readonly number[];
  /** Recorded values by `unit.port`. */
  readonly values: Readonly<Record<string, readonly number[]>>;
  readonly loops: readonly LoopSolution[];
  /** Signals of the last row. */
  readonly banks: Banks;
  /** Of a master that decides at run time. */
  readonly summary?: MasterSummary;
}

/** Records every f64 port named in `record` (`unit.port`). */
export async function runUnits(
  units: Readonly<Record<string, Unit>>,
  connections: string,
  record: readonly string[],
  options: ScenarioOptions & { readonly start?: number; readonly stop: number },
): Promise<CoupledRun> {
  const descriptions = Object.fromEntries(
    Object.entries(units).map(([name, unit]) => [name, unit.description]),
  );
  const scenario = scenarioOf(descriptions, connections, options);
  const columns = record.map((text) => {
    const [name = "", portName] = text.split(/\.(.*)/s);
    const unit = scenario.units.findIndex((u) => u.name === name);
    return {
      unit,
      port: scenario.units[unit].description.ports.findIndex((p) => p.name === portName),
      element: 0,
    };
  });
  const { plan } = unwrap(compilePlan(scenario, { record: columns, start: options.start ?? 0 }));
  const time: number[] = [];
  const values: Record<string, number[]> = Object.fromEntries(record.map((name) => [name, []]));
  let loops: readonly LoopSolution[] = [];
  let last: Banks = { f64: new Float64Array(), i64: new BigInt64Array(), obj: [] };
  let summary: MasterSummary | undefined;
  const outcome = await runPlan(plan, scenario, Object.values(units), {
    stop: options.stop,
    onMaster: (given) => {
      summary = given;
    },
    onInitialized: (found) => {
      loops = found;
    },
    onRow: (t, banks) => {
      time.push(t);
      last = banks;
      plan.record.columns.forEach(({ slot, name }, c) => {
        const column = record[c] ?? name;
        values[column] ??= [];
        values[column].push(banks.f64[slot]);
      });
    },
  });
  const common = { outcome, plan, time, values, loops, banks: last };
  return summary === undefined ? common : { ...common, summary };
}
