/**
 * Units that a scenario adapts in a line, exported with it: their own parameters still reach them.
 */
import { describe, it } from "vitest";
import { COMPILING, completed, ExportLab, expectSame, fmu } from "./export-lab.ts";

const lab = new ExportLab();

describe("exported scenarios with adapted units", () => {
  it(
    "[EXA13] set parameters and start values of the units inside",
    async () => {
      const scenario = lab.write(
        "adapted.yaml",
        `name: adapted
units:
  decay:
    fmu: ${fmu("fmi3/Dahlquist")}
    set: { k: 2, x: 3 }
    adapt: multi-rate { rate: 4 }
  mass:
    fmu: ${fmu("fmi2/MassSpringDamperRight")}
    set: { m: 2 kg, x_0: 0.5 m }
    adapt: multi-rate { rate: 2 }
connections:
  - decay.x -> mass.v_c
experiment: { stop: 2 s, step: 125 ms }
master: jacobi
record: [decay.x, mass.x_2, mass.v_2, mass.F_c]
`,
      );
      const { path } = await lab.export(scenario, 2);
      expectSame(await completed(scenario), await lab.traceOf(path, 0.125, 2), 4);
    },
    COMPILING,
  );

  it(
    "[EXA13] follow parabolas where rules read second derivatives",
    async () => {
      const unit = (name: string, adapt: string): string =>
        `  ${name}: { fmu: ${fmu("fmi2/MassSpringDamperLeft")}${adapt} }`;
      const scenario = lab.write(
        "parabola.yaml",
        `name: parabola
units:
  decay: { fmu: ${fmu("fmi3/Dahlquist")} }
${unit("bare", "")}
${unit("mass", ", adapt: 'extrapolate { signal: F_e }'")}
connections:
  - { from: decay.x, to: bare.F_e, approximation: quadratic }
  - { from: decay.x, to: mass.F_e, approximation: quadratic }
experiment: { stop: 2 s, step: 125 ms }
master: jacobi
record: [bare.x_1, mass.x_1, mass.v_1]
`,
      );
      const { path } = await lab.export(scenario, 2);
      const trace = await completed(scenario);
      expectSame(trace, await lab.traceOf(path, 0.125, 2), 3);
    },
    COMPILING,
  );
});
