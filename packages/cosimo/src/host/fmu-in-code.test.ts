/** FMUs in scenarios written in code: one call, nothing to unpack, nothing left behind. */
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { DiagnosticsError } from "../base/diagnostic.ts";
import { interpreterExecutor } from "../engine/run-plan.ts";
import type { Trace } from "../record/trace.ts";
import { type DefinedScenario, defineScenario } from "../run/define-scenario.ts";
import { simulateScenario } from "../run/simulate-scenario.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { type FmuOptions, fmu } from "./fmu-in-code.ts";
import { simulateScenarioFile } from "./scenario-file.ts";

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../../fixtures/build/${name}.fmu`, import.meta.url));
const SCENARIO = fileURLToPath(
  new URL("../../../../examples/coupled-masses/scenario.yaml", import.meta.url),
);

const masses = (set: Record<string, number> = {}): DefinedScenario =>
  defineScenario({
    units: {
      left: fmu(fixture("fmi3/MassSpringDamperLeft"), { set }),
      right: fmu(pathToFileURL(fixture("fmi2/MassSpringDamperRight"))),
    },
    connections: ["left.x_1 -> right.x_c", "left.v_1 -> right.v_c", "right.F_c -> left.F_e"],
    experiment: { stop: 1, step: 0.1 },
    master: "gauss-seidel",
  });

const ownFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`cosimo-${process.pid}-`));
const numbers = ({ columns }: Trace, name: string): number[] =>
  Array.from<unknown>(columns.find((column) => column.name === name)!.data).map(Number);

describe("fmu in code", () => {
  it("[LB1] couples FMUs of both versions, again and again, and leaves no folder", async () => {
    const before = ownFolders();
    const scenario = masses();
    const runs = [await simulateScenario(scenario), await simulateScenario(scenario)];
    expect(runs.map(({ outcome }) => outcome.kind)).toEqual(["completed", "completed"]);
    expect(runs[0]!.trace.columns).toEqual(runs[1]!.trace.columns);
    expect(ownFolders()).toEqual(before);
  });

  it("[LB1] gives the trace of the same scenario in a file, under every executor", async () => {
    const record = ["left.x_1"];
    const options = { stop: 1, step: 0.1, master: "gauss-seidel", record };
    const fromFile = await simulateScenarioFile(SCENARIO, options);
    const fromCode = await simulateScenario(masses(), { record });
    const interpreted = await simulateScenario(masses(), { record, executor: interpreterExecutor });
    expect(numbers(fromCode.trace, "left.x_1")).toEqual(numbers(fromFile.trace, "left.x_1"));
    expect(numbers(interpreted.trace, "left.x_1")).toEqual(numbers(fromFile.trace, "left.x_1"));
  });

  it("[LB1] takes values, and units in TypeScript beside it", async () => {
    const { trace } = await simulateScenario(masses({ x_0: 2 }), { record: ["left.x_1"] });
    expect(numbers(trace, "left.x_1")[0]).toBe(2);
    const zero = functionUnit(
      { name: "zero", outputs: { y: {} }, evaluate: (_t, _u, _p, y) => void y.fill(0) },
      "zero",
    );
    const mixed = defineScenario({
      units: { zero, left: fmu(fixture("fmi2/MassSpringDamperLeft")) },
      connections: ["zero.y -> left.F_e"],
      experiment: { stop: 1, step: 0.1 },
    });
    expect((await simulateScenario(mixed)).outcome.kind).toBe("completed");
  });

  it("[LB1] sizes of arrays shape its ports", () => {
    const { scenario } = defineScenario({
      units: { space: fmu(fixture("fmi3/StateSpace"), { set: { n: 2, r: 3 } }) },
    });
    const y = scenario.units[0]!.description.ports.find(({ name }) => name === "y");
    expect(y?.shape).toEqual([3]);
  });

  it("[LB1] is driven through the interface that is wanted", async () => {
    const exchange = (options: FmuOptions): DefinedScenario =>
      defineScenario({
        units: { ball: fmu(fixture("fmi2/VanDerPol"), options) },
        experiment: { stop: 1, step: 0.1 },
      });
    const scenario = exchange({ integrator: { method: "radau", tolerance: 1e-8 } });
    const { trace } = await simulateScenario(scenario);
    const stepped = await simulateScenario(exchange({ interface: "co-simulation" }));
    const [a, b] = [trace, stepped.trace].map(({ columns }) => Number(columns[0]!.data.at(-1)));
    expect(Math.abs(a! - b!)).toBeGreaterThan(0);
    expect(Math.abs(a! - b!)).toBeLessThan(0.1);
    const only = fixture("fmi2/MassSpringDamperLeft");
    expect(() => fmu(only, { interface: "model-exchange" })).toThrow(/Model Exchange/);
  });

  it("[LB2] is refused where it is named: no file, no FMU, a misspelt value", () => {
    expect(() => fmu("nowhere.fmu")).toThrow(DiagnosticsError);
    expect(() => fmu(SCENARIO)).toThrow(/archive-not-zip/);
    expect(() => masses({ x_one: 2 })).toThrow(/x_one/);
  });

  it("[LB3] a key that nobody reads is refused where it is written, with the one that is near", () => {
    const left = fixture("fmi3/MassSpringDamperLeft");
    expect(() => fmu(left, { sett: { x_1: 2 } } as FmuOptions)).toThrow(
      /has no key 'sett'[\s\S]*did you mean 'set'/,
    );
    const zero = functionUnit({ name: "zero", outputs: { y: {} }, evaluate: () => {} }, "zero");
    const units = { zero: { unit: zero, steps: 1 } };
    expect(() => defineScenario({ units })).toThrow(/the unit 'zero' has no key 'steps'/);
    const model = { units: { zero }, recrod: ["zero.y"] };
    expect(() => defineScenario(model)).toThrow(/the scenario has no key 'recrod'/);
  });

  it("[LB3] an integrator beside an interface without equations is refused", () => {
    const integrator = { method: "radau" } as const;
    const ball = fixture("fmi2/VanDerPol");
    expect(() => fmu(ball, { interface: "co-simulation", integrator })).toThrow(
      /\(co-simulation\) has no key 'integrator'/,
    );
  });

  it("[LB1] removes its folder also where the run cannot begin", async () => {
    const before = ownFolders();
    const broken = defineScenario({
      units: { ball: fmu(fixture("gotchas/fmi2/NoDoStep")) },
      experiment: { stop: 1, step: 0.1 },
    });
    await expect(simulateScenario(broken)).rejects.toThrow();
    expect(ownFolders()).toEqual(before);
  });
});
