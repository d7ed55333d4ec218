/**
 * The library around units of every kind: what follows its inputs and says so or not, what holds
 * them, what asks for intermediate updates, a scenario, an adaptation. All of them are driven by
 * one sine in one scenario, bare and adapted, with inputs of every order, and compared with a run
 * of fine steps.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import { folderOfFile } from "../src/platform/node/testing/folders.ts";
import { fixture } from "./cli/cosimo.ts";

const folder = folderOfFile("kinds-test");
const functions = pathToFileURL(join(import.meta.dirname, "..", "dist", "index.js")).href;
writeFileSync(
  join(folder, "sine.mjs"),
  `import { functionUnit } from "${functions}";
export default (name) => functionUnit(
  { name: "sine", outputs: { y: { feedThrough: [] } }, evaluate: (t, u, p, y) => { y[0] = Math.sin(t); } }, name);
`,
);

writeFileSync(
  join(folder, "masses.mjs"),
  `import { linearUnit } from "${functions}";
const mass = (reactive) => (name) => linearUnit(
  { name: "mass", inputs: { F_e: reactive === undefined ? {} : { reactive } }, states: { x_1: { start: 1 }, v_1: {} },
    a: [[0, 1], [-1, -1]], b: [[0], [1]] }, name);
export default mass();
export const reactive = mass(true);
export const delayed = mass(false);
`,
);
for (const kind of ["reactive", "delayed"])
  writeFileSync(
    join(folder, `${kind}.mjs`),
    `import { ${kind} } from "./masses.mjs";\nexport default ${kind};\n`,
  );
for (const [name, adapt] of [
  ["nested", ""],
  ["nested-adapted", ", adapt: multi-rate { rate: 2 }"],
])
  writeFileSync(
    join(folder, `${name}.yaml`),
    `units:
  mass: { fmu: ${JSON.stringify(fixture("fmi2/MassSpringDamperLeft"))}${adapt} }
ports:
  F_e: mass.F_e
  x_1: mass.x_1
experiment: { step: 0.005 s }
master: jacobi
`,
  );

const fmu = (name: string): string => `fmu: ${JSON.stringify(fixture(name))}`;
/** What is adapted, and what it was adapted by before. */
const KINDS = {
  fmi2: { unit: fmu("fmi2/MassSpringDamperLeft") },
  fmi2Plain: { unit: fmu("fmi2/MassSpringDamperLeftPlain") },
  fmi3: { unit: fmu("fmi3/MassSpringDamperLeft") },
  fmi3Plain: { unit: fmu("fmi3/MassSpringDamperLeftPlain") },
  undeclared: { unit: "module: masses.mjs" },
  reactive: { unit: "module: reactive.mjs" },
  delayed: { unit: "module: delayed.mjs" },
  scenario: { unit: "scenario: nested.yaml" },
  scenarioAdapted: { unit: "scenario: nested-adapted.yaml" },
  adapted: { unit: fmu("fmi2/MassSpringDamperLeft"), adapt: "multi-rate { rate: 2 }" },
  adaptedTwice: { unit: fmu("fmi3/MassSpringDamperLeft"), adapt: "interpolate { signal: F_e }" },
  adaptedScenario: { unit: "scenario: nested.yaml", adapt: "multi-rate { rate: 2 }" },
};
const ADAPTATIONS = {
  bare: "",
  multiRate: "multi-rate",
  once: "multi-rate { rate: 1 }",
  interpolate: "interpolate { signal: F_e }",
  extrapolate: "extrapolate { signal: F_e }",
  hold: "hold { signal: x_1, period: 0.1 }",
  derivative: "derivative { signal: x_1 }",
  reset: "reset { signal: x_1 }",
};
const UNITS = Object.entries(KINDS).flatMap(([kind, { unit, ...before }]) =>
  Object.entries(ADAPTATIONS).map(([how, adapt]) => ({
    name: `${kind}_${how}`,
    unit,
    adapt: [...("adapt" in before ? [before.adapt] : []), ...(adapt === "" ? [] : [adapt])],
  })),
);
const MASTERS = ["jacobi", "gauss-seidel"];
const APPROXIMATIONS = ["", "hold", "linear", "quadratic"];

async function run(
  master: string,
  step: number,
  approximation: string,
  units: typeof UNITS,
): Promise<Map<string, number[]>> {
  const path = join(folder, `${master}-${step}-${approximation}.yaml`);
  const how = approximation === "" ? "" : `, approximation: ${approximation}`;
  writeFileSync(
    path,
    [
      "units:",
      "  sine: sine.mjs",
      ...units.map(
        ({ name, unit, adapt }) =>
          `  ${name}: { ${unit}${adapt.length === 0 ? "" : `, adapt: ${JSON.stringify(adapt)}`} }`,
      ),
      "connections:",
      ...units.map(({ name }) => `  - { from: sine.y, to: ${name}.F_e${how} }`),
      `experiment: { stop: 5 s, step: ${step} s }`,
      `master: ${master}`,
      `record: [${units.map(({ name }) => `${name}.x_1`).join(", ")}]`,
    ].join("\n"),
  );
  const { outcome, trace } = await simulateScenarioFile(path, { trust: true });
  expect(outcome.kind).toBe("completed");
  const every = Math.round(0.1 / step);
  return new Map(
    trace.columns.map(({ name, data }) => [
      name,
      Array.from(data as Float64Array).filter((_, row) => row % every === 0),
    ]),
  );
}

let exact: number[] | undefined;

describe("the library around units", () => {
  it.each(MASTERS.flatMap((master) => APPROXIMATIONS.map((how) => [master, how])))(
    "[AU68] makes no kind of unit worse under %s, inputs %s",
    async (master, how) => {
      exact ??= [...(await run("gauss-seidel", 0.002, "quadratic", [UNITS[0]!])).values()][0];
      const coarse = await run(master!, 0.1, how!, UNITS);
      const errors = new Map(
        UNITS.map(({ name }) => [
          name,
          Math.max(...coarse.get(`${name}.x_1`)!.map((x, k) => Math.abs(x - exact![k]!))),
        ]),
      );
      const worse = UNITS.map(({ name }) => {
        const bare = errors.get(`${name.split("_")[0]}_bare`)!;
        return { name, error: errors.get(name)!, bare };
      }).filter(({ error, bare }) => error > bare * (1 + 1e-6) + 1e-9);
      expect(worse).toEqual([]);
      for (const kind of Object.keys(KINDS))
        expect(coarse.get(`${kind}_once.x_1`)).toEqual(coarse.get(`${kind}_bare.x_1`));
    },
    120_000,
  );
});

/**
 * Ways to step once: of the last two nobody can say beforehand that they refuse nothing, so a
 * master runs them that could go back.
 */
const ONCE = [
  "return do_step(mass, t, H);",
  "var at := t; var size := 1 * H; return do_step(mass, at + 0, size);",
  "var h1 := 0.0; if (H > 0) { h1 := do_step(mass, t, H); } return h1;",
  "var at := t; while (at < t + H) { at := at + do_step(mass, at, t + H - at); } return at - t;",
];

describe.each([
  [2, ""],
  [3, ""],
  [2, "Plain"],
  [3, "Plain"],
])("control rules that step an FMI %i FMU once (%s)", (version, plain) => {
  const left = fmu(`fmi${version}/MassSpringDamperLeft${plain}`);
  const outputs = async (right: string, master: string, how: string): Promise<unknown> => {
    const path = join(folder, "coupled.yaml");
    writeFileSync(
      path,
      `units: { left: { ${left} }, right: ${right} }
connections:
${["left.x_1 -> right.x_c", "left.v_1 -> right.v_c", "right.F_c -> left.F_e"]
  .map((ends) => ends.split(" -> "))
  .map(([from, to]) => `  - { from: ${from}, to: ${to}${how && `, approximation: ${how}`} }`)
  .join("\n")}
experiment: { stop: 2 s, step: 0.1 s }
master: ${master}
`,
    );
    const { trace } = await simulateScenarioFile(path);
    return trace.columns
      .filter(({ name }) => /^(left|right)\./.test(name))
      .map(({ name, data }) => [name, ...Array.from(data as Float64Array)]);
  };

  it.each(
    ["jacobi", "gauss-seidel"].flatMap((master) => APPROXIMATIONS.map((how) => [master, how])),
  )(
    "[AU67] are the unit itself under %s, inputs '%s', bit for bit, however they are written",
    async (master = "", how = "") => {
      const right = fmu(`fmi${version}/MassSpringDamperRight${plain}`);
      const bare = await outputs(`{ ${right} }`, master, how);
      for (const control of ONCE) {
        writeFileSync(
          join(folder, "once.sa"),
          `semantic adaptation Once once
for inner fmu Mass mass at ${right.slice("fmu: ".length)}
control rules { ${control} }
`,
        );
        expect(await outputs("once.sa", master, how), control).toEqual(bare);
      }
    },
    120_000,
  );
});

/** Ways to pass outputs and inputs on. */
const PASSING = [
  `output ports F_c, x_2 out rules { true -> {} --> { once.F_c := mass.F_c; once.x_2 := mass.x_2; }; }`,
  `output ports F_c, x_2 out var w := 0.0;
   out rules { true -> { w := mass.F_c; } --> { var v := (w); once.F_c := v; once.x_2 := mass.x_2; }; }`,
  `output ports F_c, x_2
   out rules { true -> {} --> { if (mass.x_2 > 1000) { once.F_c := 0; } else { once.F_c := 1 * mass.F_c + 0; } once.x_2 := -(-mass.x_2); }; }`,
  `input ports x_c, v_c in rules { true -> {} --> { mass.x_c := once.x_c + 0; mass.v_c := 1 * once.v_c; }; }`,
  `output ports F_c, n control var k := 0.0; control rules { k := k + 1; return do_step(mass, t, H); }
   out rules { true -> {} --> { once.F_c := mass.F_c; once.n := k; }; }`,
];

describe.each([2, 3])("rules that pass on what an FMI %i FMU gives and gets", (version) => {
  it.each(["jacobi", "gauss-seidel", "iterative", "adaptive"])(
    "[AU67] are the unit itself under %s, bit for bit, however they are written",
    async (master) => {
      const right = fmu(`fmi${version}/MassSpringDamperRight`);
      const run = async (unit: string): Promise<unknown> => {
        const path = join(folder, "passing.yaml");
        writeFileSync(
          path,
          `units: { left: { ${fmu(`fmi${version}/MassSpringDamperLeft`)} }, right: ${unit} }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 1 s, step: 0.1 s }
master: ${master}
record: [left.x_1, right.F_c]
`,
        );
        const { outcome, trace } = await simulateScenarioFile(path);
        expect(outcome.kind).toBe("completed");
        return [trace.time, ...trace.columns.map(({ data }) => data)];
      };
      const bare = await run(`{ ${right} }`);
      for (const rules of PASSING) {
        writeFileSync(
          join(folder, "passing.sa"),
          `semantic adaptation Once once\nfor inner fmu Mass mass at ${right.slice("fmu: ".length)}\n${rules}\n`,
        );
        expect(await run("passing.sa"), rules).toEqual(bare);
      }
    },
    120_000,
  );
});
