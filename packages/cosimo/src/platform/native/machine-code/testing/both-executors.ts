/**
 * Runs one coupling of FMUs and other units on both executors, so that tests can hold their traces
 * against each other.
 */
import { expect } from "vitest";
import type { Outcome } from "../../../../base/outcome.ts";
import {
  type Executor,
  interpreterExecutor,
  type RecordedRows,
  runPlan,
} from "../../../../engine/run-plan.ts";
import type { PlanState } from "../../../../engine/signals.ts";
import {
  type Approximation,
  type Connection,
  NO_DECLARATIONS,
  type Scenario,
} from "../../../../model/scenario.ts";
import { portNamed, portSize, type UnitDescription } from "../../../../model/unit-description.ts";
import { bankOf, type Value } from "../../../../model/value-type.ts";
import { compilePlan } from "../../../../plan/compile.ts";
import { type Plan, timeOf } from "../../../../plan/plan.ts";
import type { Unit } from "../../../../unit/unit.ts";
import type { NativeFmu, NativeUnitOptions } from "../../native-options.ts";
import { openNativeUnit } from "../../open-native-unit.ts";
import { type MachineCodeExecutor, machineCodeExecutor } from "../machine-code-executor.ts";

export interface UnitChoice {
  readonly fmu?: NativeFmu;
  readonly options?: NativeUnitOptions;
  /** In place of an FMU. */
  readonly make?: (name: string) => Unit;
  readonly values?: Readonly<Record<string, Value>>;
  readonly step?: number;
}

/** One element of a port to one element of another. Units by position, ports by name. */
export interface Wire {
  readonly from: readonly [number, string, number?];
  readonly to: readonly [number, string, number?];
  readonly factor?: number;
  readonly offset?: number;
  readonly approximation?: Approximation;
  readonly mapping?: Connection["mapping"];
}

export interface CoupledRun {
  readonly units: readonly UnitChoice[];
  readonly wires: readonly Wire[];
  readonly master?: "jacobi" | "gauss-seidel";
  readonly microSteps?: number;
  readonly start?: number;
  readonly step: number;
  readonly ticks: number;
  readonly chunk?: number;
  readonly recordEvery?: number;
  /** Rows are taken many at a time. */
  readonly rowsTogether?: boolean;
  /** Default: all outputs that are not text. */
  readonly record?: readonly (readonly [number, string])[];
  /** Texts and binary values too. */
  readonly recordTexts?: boolean;
}

/** Binary values as text. */
export type Cell = number | bigint | string;

export interface Run {
  readonly plan: Plan;
  /** How the run ended, or the message of what was thrown. */
  readonly end: Outcome | string;
  /** Time and recorded values. */
  readonly rows: readonly (readonly Cell[])[];
  readonly executor: Executor["name"] | undefined;
  readonly refusal: string | undefined;
  readonly warnings: number;
  /** The executor itself, disposed by the run. */
  readonly machineCode: MachineCodeExecutor | undefined;
  /**
   * What the FMUs said, unit by unit; and how many lines of it were known at the end of the last
   * chunk.
   */
  readonly logs: readonly (readonly string[])[];
  readonly linesInTime: number;
}

/** What executes a run: one of the two, or another one that the test makes. */
export type Choice = Executor["name"] | ((state: PlanState) => Executor);

export async function runOn(kind: Choice, coupling: CoupledRun): Promise<Run> {
  const logs: string[][] = coupling.units.map(() => []);
  const units = coupling.units.map(({ fmu, options, make }, u) => {
    const name = `u${u}`;
    if (make !== undefined) return make(name);
    return openNativeUnit(fmu!, {
      name,
      eventMode: false,
      onLog: ({ status, message }) => logs[u]!.push(`${status}: ${message}`),
      ...options,
    });
  });
  const scenario = scenarioOf(
    coupling,
    units.map(({ description }) => description),
  );
  const { value, diagnostics } = compilePlan(scenario, {
    record: columnsOf(coupling, scenario),
    recordEvery: coupling.recordEvery ?? 1,
  });
  if (value === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const { plan } = value;
  const rows: Cell[][] = [];
  let executor: Executor | undefined;
  let machineCode: MachineCodeExecutor | undefined;
  let refusal: string | undefined;
  let warnings = 0;
  let linesInTime = 0;
  const makeExecutor = (state: PlanState): Executor => {
    if (typeof kind === "function") {
      executor = kind(state);
      return executor;
    }
    if (kind === "machine-code") {
      machineCode = machineCodeExecutor(state, (reason) => {
        refusal = reason;
      });
    }
    executor = machineCode ?? interpreterExecutor(state);
    return executor;
  };
  const { columns } = plan.record;
  const keepAll = ({ firstTick, every, count, f64, i64 }: RecordedRows): void => {
    for (let r = 0; r < count; r++) {
      const at = r * columns.length;
      const row = columns.map(({ bank }, c) => (bank === "i64" ? i64[at + c]! : f64[at + c]!));
      rows.push([timeOf(plan, firstTick + r * every), ...row]);
    }
  };
  let end: Outcome | string;
  try {
    end = await runPlan(plan, scenario, units, {
      stop: plan.start + coupling.ticks * plan.step,
      chunk: coupling.chunk ?? 1000,
      executor: makeExecutor,
      ...(coupling.rowsTogether ? { onRows: keepAll } : {}),
      shouldStop: () => {
        warnings = machineCode?.warnings ?? 0;
        linesInTime = logs.flat().length;
        return false;
      },
      onRow: (time, banks) =>
        rows.push([
          time,
          ...columns.map(({ bank, slot }) => {
            if (bank === "obj") return String(banks.obj[slot]);
            return bank === "i64" ? banks.i64[slot]! : banks.f64[slot]!;
          }),
        ]),
    });
  } catch (error) {
    end = (error as Error).message;
  } finally {
    for (const unit of units) unit.dispose();
  }
  return {
    plan,
    end,
    rows,
    executor: executor?.name,
    refusal,
    warnings,
    machineCode,
    logs,
    linesInTime,
  };
}

/**
 * Runs on the interpreter and on `kind` and expects the same end, the same rows bit for bit, and
 * the same words of the FMUs.
 */
export async function expectSameRuns(
  coupling: CoupledRun,
  kind: Choice = "machine-code",
): Promise<Run> {
  const reference = await runOn("interpreter", coupling);
  const run = await runOn(kind, coupling);
  expect(run.end).toEqual(reference.end);
  expect(run.rows.length).toBe(reference.rows.length);
  expect(firstDifference(run.rows, reference.rows)).toBeUndefined();
  expect(run.logs).toEqual(reference.logs);
  expect(run.linesInTime).toBe(reference.linesInTime);
  return run;
}

function firstDifference(a: Run["rows"], b: Run["rows"]): string | undefined {
  for (const [r, row] of a.entries()) {
    for (const [c, value] of row.entries())
      if (!Object.is(value, b[r]![c])) return `row ${r}, column ${c}: ${value}, not ${b[r]![c]}`;
  }
  return undefined;
}

export function scenarioOf(
  coupling: CoupledRun,
  descriptions: readonly UnitDescription[],
): Scenario {
  const place = { file: "test" };
  const port = (unit: number, name: string): number => {
    const found = portNamed(descriptions[unit]!, name);
    if (found === undefined) throw new Error(`test: unit ${unit} has no port '${name}'`);
    return found.index;
  };
  return {
    ...NO_DECLARATIONS,
    name: "test",
    file: "test",
    units: coupling.units.map(({ values, step }, u) => ({
      name: `u${u}`,
      source: { kind: "fmu", path: `u${u}` },
      description: descriptions[u]!,
      values: Object.entries(values ?? {}).map(([name, value]) => ({
        port: port(u, name),
        values: [value],
        place,
      })),
      place,
      ...(step === undefined ? {} : { step }),
    })),
    connections: coupling.wires.map(({ from, to, factor, offset, approximation, mapping }) => ({
      from: { unit: from[0], port: port(from[0], from[1]) },
      to: { unit: to[0], port: port(to[0], to[1]) },
      fromElement: from[2] ?? 0,
      toElement: to[2] ?? 0,
      count: 1,
      factor: factor ?? 1,
      offset: offset ?? 0,
      place,
      ...(approximation === undefined ? {} : { approximation }),
      ...(mapping === undefined ? {} : { mapping }),
    })),
    ports: [],
    experiment: { start: coupling.start ?? 0, step: coupling.step },
    master: {
      name: coupling.master ?? "jacobi",
      options: { microSteps: coupling.microSteps ?? 3 },
      place,
    },
    record: { patterns: [], every: 1 },
  };
}

export function columnsOf(
  { record, recordTexts = false }: CoupledRun,
  { units }: Scenario,
): { unit: number; port: number; element: number }[] {
  return units.flatMap(({ description }, unit) =>
    description.ports
      .filter(({ direction, name, type }) =>
        record === undefined
          ? direction === "output" && (recordTexts || bankOf(type) !== "obj")
          : record.some(([u, p]) => u === unit && p === name),
      )
      .flatMap((port) =>
        Array.from({ length: portSize(port) }, (_, element) => ({
          unit,
          port: port.index,
          element,
        })),
      ),
  );
}
