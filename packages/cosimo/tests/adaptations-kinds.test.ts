/**
 * The library around FMUs of every kind: what follows its inputs, what holds them, what asks for intermediate updates. All of them are driven by one
 * sine in one scenario, bare and adapted, and compared with a run of fine steps.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";
import { fixture } from "./cli/cosimo.ts";

const folder = mkdtempSync(join(tmpdir(), "cosimo-kinds-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const functions = pathToFileURL(join(import.meta.dirname, "..", "dist", "index.js")).href;
writeFileSync(
  join(folder, "sine.mjs"),
  `import { functionUnit } from "${functions}";
export default (name) => functionUnit(
  { name: "sine", outputs: { y: { feedThrough: [] } }, evaluate: (t, u, p, y) => { y[0] = Math.sin(t); } }, name);
`,
);

const KINDS = {
  fmi2: "fmi2/MassSpringDamperLeft",
  fmi2Plain: "fmi2/MassSpringDamperLeftPlain",
  fmi3: "fmi3/MassSpringDamperLeft",
  fmi3Plain: "fmi3/MassSpringDamperLeftPlain",
};
const ADAPTATIONS = {
  bare: "",
  multiRate: "multi-rate",
  once: "multi-rate { rate: 1 }",
  interpolate: "interpolate { signal: F_e }",
  extrapolate: "extrapolate { signal: F_e }",
  hold: "hold { signal: x_1, period: 0.1 }",
};
const UNITS = Object.entries(KINDS).flatMap(([kind, file]) =>
  Object.entries(ADAPTATIONS).map(([how, adapt]) => ({ name: `${kind}_${how}`, file, adapt })),
);

async function run(
  master: string,
  step: number,
  units: typeof UNITS,
): Promise<Map<string, number[]>> {
  const path = join(folder, `${master}-${step}.yaml`);
  writeFileSync(
    path,
    [
      "units:",
      "  sine: sine.mjs",
      ...units.map(
        ({ name, file, adapt }) =>
          `  ${name}: { fmu: ${JSON.stringify(fixture(file))}${adapt === "" ? "" : `, adapt: ${JSON.stringify(adapt)}`} }`,
      ),
      "connections:",
      ...units.map(({ name }) => `  - sine.y -> ${name}.F_e`),
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

describe("the library around FMUs", () => {
  it.each(["jacobi", "gauss-seidel"])(
    "[AU68] makes no kind of FMU worse under %s",
    async (master) => {
      const fine = await run("gauss-seidel", 0.001, [UNITS[0]!]);
      const [exact] = [...fine.values()];
      const coarse = await run(master, 0.1, UNITS);
      const errors = new Map(
        UNITS.map(({ name }) => [
          name,
          Math.max(...coarse.get(`${name}.x_1`)!.map((x, k) => Math.abs(x - exact![k]!))),
        ]),
      );
      const worse = UNITS.map(({ name }) => {
        const bare = errors.get(`${name.split("_")[0]}_bare`)!;
        return { name, error: errors.get(name)!, bare };
      }).filter(({ error, bare }) => error > bare * (1 + 1e-6) + 1e-12);
      expect(worse).toEqual([]);
      for (const kind of Object.keys(KINDS))
        expect(coarse.get(`${kind}_once.x_1`)).toEqual(coarse.get(`${kind}_bare.x_1`));
    },
    120_000,
  );
});
