/**
 * FMUs whose outputs change on leaving initialization, or in their first event, in plans, under
 * masters that decide at run time, nested and exported: first row and first step have what is
 * there, against the exact solution.
 */
import { describe, expect, it } from "vitest";
import type { Trace } from "../src/record/trace.ts";
import { COMPILING, completed, ExportLab, fmu } from "./export-lab.ts";

const lab = new ExportLab();
const LEVEL = 5;
const STEP = 0.1;

/**
 * Waking goes through a unit that passes it on at once, and pushes a mass of 1 kg between spring
 * and damper.
 */
function parts(version: 2 | 3, wakes: number): string {
  return `units:
  waking: { fmu: "${fmu(`fmi${version}/Waking`)}", set: { wakes: ${wakes} } }
  pass: ${fmu(`fmi${version}/Feedthrough`)}
  mass: ${fmu(`fmi${version}/MassSpringDamperLeft`)}
connections:
  - waking.y -> pass.Float64_continuous_input
  - waking.on -> pass.Boolean_input
  - pass.Float64_continuous_output -> mass.F_e
`;
}

const EXPERIMENT = `experiment: { stop: 300 ms, step: ${STEP} s }\n`;

const values = (trace: Trace, name: string): number[] => {
  const column = trace.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw new Error(`no column '${name}'`);
  return Array.from<unknown>(column.data).map(Number);
};

/** x'' = -x - x' + F from x = 1 at rest, with F constant from the first instant on. */
function position(t: number): number {
  const w = Math.sqrt(3) / 2;
  const free = Math.exp(-t / 2) * (Math.cos(w * t) + Math.sin(w * t) / (2 * w));
  return LEVEL + (1 - LEVEL) * free;
}

function expectAwake(trace: Trace, prefix = ""): void {
  for (const [name, value] of [
    ["waking.y", LEVEL],
    ["waking.on", 1],
    ["pass.Float64_continuous_output", LEVEL],
    ["pass.Boolean_output", 1],
  ] as const)
    expect(values(trace, prefix + name)).toEqual(Array.from(trace.time, () => value));
  expectPositions(trace, `${prefix}mass.x_1`);
}

function expectPositions(trace: Trace, name: string): void {
  const x = values(trace, name);
  expect(trace.time.at(-1)).toBeCloseTo(0.3, 12);
  for (const [k, t] of trace.time.entries()) expect(x[k]).toBeCloseTo(position(t), 6);
}

describe("an FMU that gives other values on leaving initialization", () => {
  it.each(["jacobi", "gauss-seidel", "iterative", "adaptive"])(
    "[EN20] gives them to the first row and the first step under %s",
    async (master) => {
      for (const version of [2, 3] as const) {
        const text = `${parts(version, 1)}${EXPERIMENT}master: ${master}\n`;
        expectAwake(await completed(lab.write("single.yaml", text)));
      }
    },
  );

  it.each(["jacobi", "iterative"])(
    "[EN20] gives them to nested scenarios under %s",
    async (master) => {
      for (const version of [2, 3] as const) {
        lab.write(
          "inner.yaml",
          `${parts(version, 1)}ports: { y: waking.y, force: pass.Float64_continuous_output, x: mass.x_1 }
experiment: { step: ${STEP} s }
master: ${master}
`,
        );
        const outer = `units:
  inner: inner.yaml
  mass: ${fmu(`fmi${version}/MassSpringDamperLeft`)}
connections: [inner.force -> mass.F_e]
${EXPERIMENT}master: jacobi
`;
        const trace = await completed(lab.write("outer.yaml", outer));
        expect(values(trace, "inner.force")).toEqual([5, 5, 5, 5]);
        for (const name of ["inner.x", "mass.x_1"]) expectPositions(trace, name);
      }
    },
  );

  it("[EN20] gives them inside an exported FMU", { timeout: COMPILING }, async () => {
    for (const version of [2, 3] as const) {
      const text = `${parts(version, 1)}${EXPERIMENT}master: jacobi\n`;
      const { path } = await lab.export(lab.write("exported.yaml", text), version);
      expectAwake(await lab.traceOf(path, STEP, 0.3), "it.");
    }
  });
});

describe("an FMU that gives other values in its first event", () => {
  it.each(["jacobi", "gauss-seidel", "iterative", "adaptive"])(
    "[EN20] gives them to the first row and the first step under %s with events",
    async (master) => {
      const events = "events: [{ when: mass.x_1, crosses: 100 m }]\n";
      const text = `${parts(3, 2)}${events}${EXPERIMENT}master: ${master}\n`;
      expectAwake(await completed(lab.write("event.yaml", text)));
    },
  );
});
