/**
 * Exported scenarios against the scenarios themselves: the C of a plan has to do what the
 * interpreter does, to the last bit, whatever is in the plan. Every scenario is run by Cosimo,
 * exported, compiled, and run again as one FMU.
 */
import { describe, expect, it } from "vitest";
import { COMPILING, completed, EXAMPLES, ExportLab, expectSame, fmu } from "./export-lab.ts";

const lab = new ExportLab();
const COUPLED = `connections:
  - left.x_1 -> right.x_c
  - left.v_1 -> right.v_c
  - right.F_c -> left.F_e
experiment: { stop: 3 s, step: 100 ms }
`;

interface Case {
  readonly what: string;
  readonly text: string;
  readonly version: 2 | 3;
  readonly columns: number;
}

const CASES: readonly Case[] = [
  {
    what: "gauss-seidel with inputs held",
    version: 2,
    columns: 5,
    text: `units:
  left: ${fmu("fmi2/MassSpringDamperLeft")}
  right: { fmu: ${fmu("fmi3/MassSpringDamperRight")}, set: { m: 2, c: 3.5 } }
${COUPLED}master: { name: gauss-seidel, order: [right, left] }
`,
  },
  {
    what: "a formula over two ports",
    version: 3,
    columns: 5,
    text: `units:
  left: ${fmu("fmi3/MassSpringDamperLeft")}
  right: ${fmu("fmi2/MassSpringDamperRight")}
connections:
  - { from: left.x_1 + 0.1 * left.v_1, to: right.x_c, suppress: unit }
  - left.v_1 -> right.v_c
  - right.F_c -> left.F_e
experiment: { stop: 3 s, step: 100 ms }
master: jacobi
`,
  },
  {
    what: "quadratic extrapolation by slopes over two rates, in both versions of FMI",
    version: 3,
    columns: 5,
    text: `units:
  left: ${fmu("fmi3/MassSpringDamperLeft")}
  right: { fmu: ${fmu("fmi2/MassSpringDamperRight")}, step: 300 ms }
${COUPLED}master: { name: jacobi, approximation: quadratic }
`,
  },
  {
    what: "linear extrapolation and interpolation by micro-steps",
    version: 2,
    columns: 5,
    text: `units:
  left: ${fmu("fmi3/MassSpringDamperLeftPlain")}
  right: ${fmu("fmi2/MassSpringDamperRightPlain")}
${COUPLED}master: { name: gauss-seidel, approximation: linear, microSteps: 3 }
`,
  },
  {
    what: "extrapolated interpolation",
    version: 3,
    columns: 5,
    text: `units:
  left: ${fmu("fmi3/MassSpringDamperLeft")}
  right: ${fmu("fmi2/MassSpringDamperRightPlain")}
${COUPLED}master: { name: jacobi, approximation: extrapolated-interpolation }
`,
  },
  {
    what: "arrays, structural parameters, and elements that nothing feeds",
    version: 2,
    columns: 3,
    text: `units:
  source: ${fmu("fmi3/Dahlquist")}
  system:
    fmu: ${fmu("fmi3/StateSpace")}
    set: { n: 2, m: 2, r: 2, A: [-1, 0.5, 0, -2], B: [1, 0, 0, 1], C: [1, 0, 0, 1], D: [0.5, 0, 0, 0.5] }
connections:
  - source.x -> system.u[1]
experiment: { stop: 1 s, step: 100 ms }
master: jacobi
`,
  },
  {
    what: "FMUs with libraries and files of their own, with equal symbols, and with steps that they prefer",
    version: 2,
    columns: 6,
    text: `units:
  library: ${fmu("gotchas/fmi3/BundledLibrary")}
  resource: ${fmu("gotchas/fmi2/NeedsResource")}
  one: ${fmu("gotchas/fmi2/SameSymbolsA")}
  other: ${fmu("gotchas/fmi2/SameSymbolsB")}
  zlib: ${fmu("gotchas/fmi3/OwnZlib")}
  constant: ${fmu("gotchas/fmi2/ConstantStep")}
experiment: { stop: 1 s, step: 100 ms }
master: jacobi
`,
  },
];

describe("an exported scenario", { timeout: COMPILING }, () => {
  it.each(CASES)("[EX1] does what it does in Cosimo: $what", async ({ text, version, columns }) => {
    const path = lab.write(`case-${CASES.findIndex((one) => one.text === text)}.yaml`, text);
    const { path: exported } = await lab.export(path, version);
    const stop = /stop: (\d+)/.exec(text)![1]!;
    const trace = await lab.traceOf(exported, 0.1, Number(stop));
    const original = await completed(path);
    expectSame(original, trace, columns);
  });

  it("[EX1] [EX14] carries every type of value, conversions, mappings and texts with any character", async () => {
    const types =
      "Float64_continuous Float64_discrete Float32_continuous Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 Boolean String Binary Enumeration";
    const wires = types.split(" ").map((type) => `  - a.${type}_output -> b.${type}_input`);
    const path = lab.write(
      "types.yaml",
      `units:
  a:
    fmu: ${fmu("fmi3/Feedthrough")}
    set: { String_input: 'Grüße "?? \\', Int64_input: -9223372036854775808, Binary_input: "00ff10" }
  b: ${fmu("fmi3/Feedthrough")}
  c: ${fmu("fmi3/Feedthrough")}
connections:
${wires.join("\n")}
  - { from: b.Boolean_output, to: c.Boolean_input, mapping: { true: false, false: true } }
  - { from: b.Float64_continuous_output, to: c.Float64_continuous_input, factor: 0.1, offset: -3 }
  - a.Int32_output -> c.Int64_input
experiment: { stop: 500 ms, step: 100 ms }
master: jacobi
`,
    );
    const { path: exported, facts } = await lab.export(path, 3);
    expect(facts.inner).toEqual(["Feedthrough"]);
    const trace = await lab.traceOf(exported, 0.1, 0.5);
    const text = trace.columns.find(({ name }) => name === "it.b.String_output")!;
    expect(text.data[0]).toBe('Grüße "?? \\');
    expectSame(await completed(path), trace, 3 * 16);
  });

  it("[EX1] [EX3] nests: a scenario in a scenario, a library adaptation around a unit, values from outside", async () => {
    lab.write(
      "inside.yaml",
      `units:
  left: ${fmu("fmi3/MassSpringDamperLeft")}
  right:
    fmu: ${fmu("fmi2/MassSpringDamperRight")}
    adapt: { multi-rate: { rate: 4 } }
    set: { m: 2 }
connections:
  - left.x_1 -> right.x_c
  - left.v_1 -> right.v_c
ports: { x: left.x_1, F: right.F_c, given: left.F_e, mass: right.m }
experiment: { step: 25 ms }
master: gauss-seidel
`,
    );
    const path = lab.write(
      "outside.yaml",
      `units:
  a: { scenario: inside.yaml, set: { mass: 3 } }
  b: inside.yaml
connections:
  - a.F -> b.given
  - b.F -> a.given
experiment: { stop: 2 s, step: 100 ms }
master: jacobi
`,
    );
    const { path: exported } = await lab.export(path, 2);
    expectSame(await completed(path), await lab.traceOf(exported, 0.1, 2), 4);
    const heavier = await lab.traceOf(exported, 0.1, 2, "b.mass: 4");
    const text = `units:
  a: { scenario: inside.yaml, set: { mass: 3 } }
  b: { scenario: inside.yaml, set: { mass: 4 } }
connections:
  - a.F -> b.given
  - b.F -> a.given
experiment: { stop: 2 s, step: 100 ms }
master: jacobi
`;
    expectSame(await completed(lab.write("heavier.yaml", text)), heavier, 4);
  });

  it("[EX2] shows the ports that it exposes, or else outputs, free inputs and parameters", async () => {
    const units = `units:
  left: ${fmu("fmi3/MassSpringDamperLeft")}
  right: ${fmu("fmi2/MassSpringDamperRight")}
connections:
  - left.x_1 -> right.x_c
experiment: { stop: 1 s, step: 100 ms }
master: jacobi
`;
    const names = async (text: string): Promise<string[]> => {
      const { variables } = await lab.describe(lab.write("shown.yaml", text), 2);
      return variables.map(({ name }) => name);
    };
    expect(await names(`${units}ports: { position: left.x_1, force: left.F_e }\n`)).toEqual([
      "position",
      "force",
    ]);
    const all = await names(units);
    expect(all).toEqual(expect.arrayContaining(["left.x_1", "left.F_e", "right.v_c", "left.m"]));
    // Fed inside, and states that are not outputs.
    expect(all).not.toContain("right.x_c");
    expect(all.every((name) => /^(left|right)\./.test(name))).toBe(true);
  });

  /** y = 0.5 z + 1 and z = 0.25 y: y = 8/7, z = 2/7, which both Feedthrough units pass on. */
  it("[EX4] solves a loop at the start", async () => {
    const path = lab.write(
      "loop.yaml",
      `units:
  y: ${fmu("fmi2/Feedthrough")}
  z: ${fmu("fmi2/Feedthrough")}
connections:
  - { from: z.Float64_continuous_output, to: y.Float64_continuous_input, factor: 0.5, offset: 1 }
  - { from: y.Float64_continuous_output, to: z.Float64_continuous_input, factor: 0.25 }
experiment: { stop: 300 ms, step: 100 ms }
master: jacobi
record: [y.Float64_continuous_output, z.Float64_continuous_output]
`,
    );
    const { path: exported } = await lab.export(path, 2);
    const trace = await lab.traceOf(exported, 0.1, 0.3);
    const first = (name: string): number =>
      Number(trace.columns.find((column) => column.name === `it.${name}`)!.data[0]);
    expect(first("y.Float64_continuous_output")).toBeCloseTo(8 / 7, 12);
    expect(first("z.Float64_continuous_output")).toBeCloseTo(2 / 7, 12);
    expectSame(await completed(path), trace, 2);
  });

  it("[EX1] [EX11] is the example that people find first", async () => {
    const path = `${EXAMPLES}/coupled-masses/scenario.yaml`;
    for (const version of [2, 3] as const) {
      const { path: exported } = await lab.export(path, version);
      expectSame(await completed(path), await lab.traceOf(exported, 0.1, 10), 5);
    }
  });
});
