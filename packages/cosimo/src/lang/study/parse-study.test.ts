import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { formatDiagnostic } from "../../base/diagnostic.ts";
import { DESIGN_METHODS, DISTRIBUTIONS, OPTIMIZERS, type StudyDraft } from "../../model/study.ts";
import {
  CALIBRATE_KEYS,
  DESIGN_KEYS,
  FACTOR_KEYS,
  OPTIMIZER_KEYS,
  SIGNAL_KEYS,
  STUDY_KEYS,
  STUDY_LIMIT_KEYS,
} from "./keys.ts";
import { parseStudy } from "./parse-study.ts";

const WHOLE = `name: suspension
scenario: hold-jacobi.yaml
factors:
  chassis.c: { from: 10 kN/m, to: 30 kN/m }
  chassis.m: { distribution: normal, mean: 400, deviation: 20 kg, points: 3 }
  wheel.d: [1, 2.5, 4]
  step: [1 ms, 10 ms]
  own step: { step: wheel, values: [1 ms, 5 ms] }
  master: [jacobi, { name: gauss-seidel, order: [road, wheel, chassis] }]
  road input: { approximation: road.v -> wheel.v_road, values: [hold, linear] }
  around: { adapt: wheel, values: [none, hold] }
  sensor: { fault: "wheel.z_w offset {} at 1 s", from: 0, to: 0.1, start: 0.02 }
design: { method: sobol, runs: 64, seed: 7, indices: true }
keep: [chassis.z_c, maximum(abs(chassis.F)) as force, robustness, traces]
limits: { time: 10 s, memory: 512 MB }
`;

const study = (text: string): StudyDraft => {
  const { value, diagnostics } = parseStudy(text, "study.yaml");
  expect(diagnostics.map(formatDiagnostic)).toEqual([]);
  return value as StudyDraft;
};
const said = (text: string): string =>
  parseStudy(text, "study.yaml").diagnostics.map(formatDiagnostic).join("\n");

const ROOT = join(import.meta.dirname, "../../../../..");
const schema = JSON.parse(readFileSync(join(ROOT, "docs/reference/study.schema.json"), "utf8"));
const accepts = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
const keysOf = (definition: string): string[] =>
  Object.keys(schema.definitions[definition].properties).sort();

describe("study.yaml", () => {
  it("[SU8] holds a scenario, factors of every kind, a design, what is kept and limits", () => {
    const { factors, design, keep, limits, name, scenario } = study(WHOLE);
    expect([name, scenario]).toEqual(["suspension", "hold-jacobi.yaml"]);
    expect(factors.map(({ target }) => target)).toEqual([
      { kind: "port", port: "chassis.c" },
      { kind: "port", port: "chassis.m" },
      { kind: "port", port: "wheel.d" },
      { kind: "step" },
      { kind: "step", unit: "wheel" },
      { kind: "master" },
      { kind: "approximation", from: "road.v", to: "wheel.v_road" },
      { kind: "adaptation", unit: "wheel" },
      { kind: "fault", pattern: "wheel.z_w offset {} at 1 s" },
    ]);
    expect(factors[0]?.levels).toMatchObject({
      name: "uniform",
      parameters: { from: { value: 10, unit: "kN/m" }, to: { value: 30, unit: "kN/m" } },
    });
    expect(factors[1]).toMatchObject({ levels: { name: "normal" }, points: 3 });
    expect(design).toMatchObject({ method: "sobol", runs: 64, seed: 7, indices: true });
    expect(keep.measures.map((one) => one.name)).toEqual(["chassis.z_c", "force"]);
    expect(keep).toMatchObject({ robustness: "all", traces: true });
    expect(limits).toEqual({ seconds: 10, memoryBytes: 512e6 });
  });

  it("[SU8] or a goal: an expression or a robustness with constraints, or measured data", () => {
    const head = "scenario: a.yaml\nfactors: { m.R: { from: 1, to: 2 } }\n";
    const goal = study(
      `${head}maximize: robustness of comfort\nconstraints: [always m.i < 5 A]\noptimizer: { method: nelder-mead, runs: 50 }`,
    );
    expect(goal.goal).toMatchObject({
      kind: "maximize",
      of: { kind: "robustness", requirement: "comfort" },
      optimizer: { method: "nelder-mead", runs: 50 },
    });
    expect(goal.constraints).toHaveLength(1);
    expect(study(`${head}minimize: maximum(m.i)`).goal).toMatchObject({
      kind: "minimize",
      of: { kind: "measure", measure: { name: "maximum(m.i)" } },
    });
    const fit = study(
      `${head}calibrate: { data: m.csv, signals: { current: m.i, speed: { signal: 2 * m.w, scale: 3 } } }`,
    ).goal;
    expect(fit).toMatchObject({
      kind: "calibrate",
      data: "m.csv",
      signals: [{ column: "current" }, { column: "speed", scale: 3 }],
      optimizer: { method: "least-squares" },
    });
  });

  it.each([
    [
      "factors: { R: [1] }",
      "3:12 error study-factor-target: the factor 'R' does not say what it varies",
    ],
    ["factors: { m.R: 5 }", "study-factor-levels: the factor 'm.R' has neither a list"],
    ["factors: { m.R: { values: [1], from: 2, to: 3 } }", "has 'values' and 'from' at once"],
    [
      "factors: { m.R: { from: 1 } }",
      "study-distribution: the distribution of 'm.R' (uniform) needs 'to'",
    ],
    [
      "factors: { m.R: { distribution: normal, mean: 1, deviation: x } }",
      "has no number as 'deviation'",
    ],
    [
      "factors: { m.R: { distribution: normal, mean: 1, to: 2, deviation: 1 } }",
      "(normal) has no 'to'",
    ],
    [
      "factors: { m.R: { distribution: gauss, mean: 1 } }",
      "scenario-choice: 'distribution' cannot be 'gauss'",
    ],
    ["factors: { x: { port: m.R, master: y, values: [1] } }", "varies 'port' and 'master' at once"],
    ["factors: { x: { approximation: road, values: [hold] } }", "'road' is not a connection"],
    ["factors: {}", "varies nothing"],
  ])("[SU9] %s has a diagnostic with place, cause and fix", (factors, message) => {
    const text = `scenario: a.yaml\ndesign: { method: grid }\n${factors}`;
    expect(said(text)).toContain(message);
    expect(said(text)).toMatch(/study\.yaml:3:\d+ error .*\n {2}fix: \S/);
  });

  it.each([
    ["design: { method: sobol }", "study-design: the design does not say how many runs"],
    ["design: { method: grid, runs: 5 }", "'grid' has no 'runs'"],
    ["design: { method: sobl, runs: 5 }", "did you mean 'sobol'?"],
    ["design: { method: monte-carlo, runs: 1.5 }", "must be a whole number above 0"],
    ["", "the study does not say which runs are made"],
    ["design: { method: grid }\nminimize: m.i", "'design' and 'minimize' do not go together"],
    ["design: { method: grid }\nconstraints: [always m.i < 3]", "'constraints' has no effect"],
    ["design: { method: grid }\nkeep: [m.i +]", "requirement-malformed"],
    ["design: { method: grid }\nkeep: [m.i as run]", "study-name-taken: two columns"],
    ["design: { method: grid }\nlimits: { memory: much }", "must be an amount of memory"],
    ["minimize: m.i > 3", "requirement-malformed"],
  ])("[SU9] so has '%s'", (rest, message) => {
    const text = `scenario: a.yaml\nfactors: { m.R: [1, 2] }\n${rest}`;
    expect(said(text)).toContain(message);
  });

  it("[SU9] goals vary ranges", () => {
    const text = "scenario: a.yaml\nfactors: { m.R: [1, 2] }\nminimize: m.i";
    expect(said(text)).toContain("2:12 error study-goal: the factor 'm.R' is not a range");
  });

  it("[SU8] the published schema knows the same keys and words", () => {
    expect(accepts(parse(WHOLE)), JSON.stringify(accepts.errors)).toBe(true);
    expect(Object.keys(schema.properties).sort()).toEqual([...STUDY_KEYS].sort());
    expect(keysOf("factor")).toEqual([...FACTOR_KEYS].sort());
    expect(keysOf("design")).toEqual([...DESIGN_KEYS].sort());
    expect(keysOf("limits")).toEqual([...STUDY_LIMIT_KEYS].sort());
    expect(keysOf("optimizer")).toEqual([...OPTIMIZER_KEYS].sort());
    expect(keysOf("calibrate")).toEqual([...CALIBRATE_KEYS].sort());
    expect(keysOf("signal")).toEqual([...SIGNAL_KEYS].sort());
    const { definitions } = schema;
    expect(definitions.design.properties.method.enum).toEqual([...DESIGN_METHODS]);
    expect(definitions.factor.properties.distribution.enum).toEqual(Object.keys(DISTRIBUTIONS));
    expect(definitions.optimizer.properties.method.enum).toEqual([...OPTIMIZERS, "least-squares"]);
    expect(accepts({ scenario: "a.yaml", factors: { "m.R": 5 } })).toBe(false);
  });
});
