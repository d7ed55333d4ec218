/**
 * Units that only the interpreter can drive, one of each kind, for couplings with FMUs: their ports
 * are of all banks.
 */
import { unwrap } from "../../../../base/diagnostic.ts";
import { UnitError } from "../../../../base/outcome.ts";
import { scenarioUnit } from "../../../../engine/scenario-unit.ts";
import { describeScenario } from "../../../../model/resolve-scenario-nested.ts";
import { NO_DECLARATIONS, type Scenario } from "../../../../model/scenario.ts";
import { compilePlan } from "../../../../plan/compile.ts";
import { BaseUnit } from "../../../../unit/base-unit.ts";
import { functionUnit } from "../../../../unit/function-unit.ts";
import { linearUnit } from "../../../../unit/linear-unit.ts";
import { describeUnit, makePorts } from "../../../../unit/port-spec.ts";
import type { Stop } from "../../../../unit/predicate.ts";
import { stateMachineUnit } from "../../../../unit/state-machine-unit.ts";
import type { Unit } from "../../../../unit/unit.ts";

export interface PlainChoice {
  /** When a unit that fails does so. */
  readonly at: number;
  /** Of the nested scenario. */
  readonly start: number;
  readonly step: number;
}

export const PLAIN_UNITS: Readonly<Record<string, (name: string, choice: PlainChoice) => Unit>> = {
  linear: (name) => lag(name),
  function: (name) =>
    functionUnit(
      {
        name,
        inputs: { u: {}, v: {} },
        outputs: {
          y: { feedThrough: ["u"] },
          whole: { type: "int32", feedThrough: [] },
        },
        evaluate: (t, u, _p, y) => {
          y[0] = Math.sin(u[0]!) + 0.5 * t;
          y[1] = Math.floor(10 * t);
        },
      },
      name,
    ),
  machine: (name) =>
    stateMachineUnit(
      {
        name,
        inputs: { level: {} },
        outputs: { on: { type: "boolean" }, count: {} },
        initial: "off",
        states: {
          off: {
            entry: (machine) => machine.set("on", 0),
            transitions: [
              { to: "on", after: 0.12, do: (m) => m.set("count", m.get("count") + m.get("level")) },
            ],
          },
          on: {
            entry: (machine) => machine.set("on", 1),
            transitions: [{ to: "off", after: 0.07 }],
          },
        },
      },
      name,
    ),
  nested,
  teller: (name) => new Teller(name, Number.POSITIVE_INFINITY),
  failing: (name, { at }) => new Teller(name, at),
};

function lag(name: string): Unit {
  return linearUnit(
    { name, inputs: { u: {} }, states: { x: { start: 1 } }, a: [[-1]], b: [[1]] },
    name,
  );
}

function nested(name: string, { start, step }: PlainChoice): Unit {
  const inner = lag("inner");
  const place = { file: "nested" };
  const port = (wanted: string) => ({
    unit: 0,
    port: inner.description.ports.findIndex((found) => found.name === wanted),
  });
  const scenario: Scenario = {
    name,
    file: "nested",
    units: [
      {
        name: "inner",
        source: { kind: "module", path: "inner" },
        description: inner.description,
        values: [],
        place,
      },
    ],
    connections: [],
    ports: [
      { name: "u", inner: port("u") },
      { name: "x", inner: port("x") },
    ],
    experiment: { start, step },
    master: { name: "jacobi", options: {}, place },
    record: { patterns: [], every: 1 },
    ...NO_DECLARATIONS,
  };
  const { plan } = unwrap(compilePlan(scenario, { start, step, record: [] }));
  return scenarioUnit(name, describeScenario(scenario), scenario, plan, [inner]);
}

/** Counts, and says so in words; its outputs follow what it was told before the step. */
class Teller extends BaseUnit {
  private readonly failsAt: number;

  constructor(name: string, failsAt: number) {
    const ports = makePorts(name, [
      {
        direction: "input",
        ports: { u: {}, heard: { type: "string", start: "-" }, many: { type: "int64", start: 0n } },
      },
      {
        direction: "output",
        ports: {
          y: { feedThrough: [] },
          said: { type: "string", start: "", feedThrough: [] },
          n: { type: "int64", start: 0n, feedThrough: [] },
        },
      },
    ]);
    super(name, describeUnit({ name }, ports, {}));
    this.failsAt = failsAt;
  }

  protected override evaluate(): void {}

  protected override proceed(from: number, bound: number): Stop {
    if (bound > this.failsAt) {
      const log = ["had enough"];
      throw new UnitError({ unit: this.name, call: "advance", status: "tired", time: from, log });
    }
    const { f64, i64, obj } = this.store;
    f64[1] = 0.9 * f64[1]! + 0.1 * f64[0]!;
    i64[1] = BigInt.asIntN(64, i64[1]! + i64[0]! + 1n);
    obj[1] = `${i64[1]} after ${String(obj[0]).slice(0, 20)}`;
    return this.stopAt("time", -1, bound);
  }
}
