/** Factors against a scenario, and the texts of variants. */
import { describe, expect, it } from "vitest";
import { formatDiagnostic, unwrap } from "../../base/diagnostic.ts";
import { parseScenarioYaml } from "../../lang/scenario/parse-scenario.ts";
import { parseStudy } from "../../lang/study/parse-study.ts";
import { parseUnit } from "../../model/physical-unit-parse.ts";
import { resolveScenario } from "../../model/resolve-scenario.ts";
import type { Scenario } from "../../model/scenario.ts";
import type { Factor, StudyDraft } from "../../model/study.ts";
import { testPort, testUnit } from "../../model/testing/plain-data.ts";
import { resolveFactors } from "./resolve-factors.ts";
import { variantKey, variantText } from "./variant-text.ts";

const metre = parseUnit("m");
const UNITS = {
  tank: testUnit([
    testPort(0, "u"),
    testPort(1, "length", { direction: "parameter", ...(metre && { unit: metre }) }),
    testPort(2, "mode", {
      direction: "parameter",
      type: "enumeration",
      items: new Map([
        [0, "slow"],
        [3, "fast"],
      ]),
    }),
    testPort(3, "count", { direction: "parameter", type: "int32" }),
    testPort(4, "isOpen", { direction: "parameter", type: "boolean" }),
    testPort(5, "y", { direction: "output" }),
    testPort(6, "size", { direction: "structural-parameter", type: "uint64" }),
  ]),
  pump: testUnit([testPort(0, "y", { direction: "output" })]),
};
const SCENARIO = `# the plant
units:
  tank: tank.fmu
  pump: { fmu: pump.fmu, adapt: hold }
connections:
  - pump.y -> tank.u # the hose
experiment: { stop: 1 s, step: 10 ms }
`;
const scenario: Scenario = unwrap(
  resolveScenario(unwrap(parseScenarioYaml(SCENARIO, "plant.yaml")), (_, __, { name }) =>
    name === "tank" ? UNITS.tank : UNITS.pump,
  ),
);

function study(factors: string, design = "{ method: grid }"): StudyDraft {
  return unwrap(
    parseStudy(`scenario: plant.yaml\ndesign: ${design}\nfactors:\n${factors}`, "s.yaml"),
  );
}
const resolved = (factors: string): readonly Factor[] =>
  unwrap(resolveFactors(study(factors), scenario));
const said = (factors: string, design?: string): string =>
  resolveFactors(study(factors, design), scenario).diagnostics.map(formatDiagnostic).join("\n");

describe("factors and their scenario", () => {
  it("[SU9] values get the unit and the type of their port", () => {
    const [length, mode, count, isOpen] = resolved(
      `  tank.length: { from: 5 mm, to: 2 }
  tank.mode: [fast, 0]
  tank.count: [1, 2]
  tank.isOpen: [true, false]`,
    );
    expect(length?.levels).toMatchObject({ parameters: { from: 0.005, to: 2 } });
    expect(length?.unit).toBe("m");
    expect(mode?.levels).toEqual({ kind: "list", labels: ["fast", 0], written: [3, 0] });
    expect(count?.levels).toMatchObject({ written: [1, 2] });
    expect(isOpen?.levels).toMatchObject({ labels: [true, false] });
  });

  it.each([
    [
      "  tank.lenght: [1]",
      "study-unknown-port: the factor 'tank.lenght' varies 'tank.lenght', which the scenario does not have\n  fix: did you mean 'tank.length'?",
    ],
    ["  tank.y: [1]", "study-not-settable: the factor 'tank.y' cannot be varied"],
    ["  tank.size: [1]", "'tank.size' shapes its unit when it is made"],
    ["  tank.count: { from: 1, to: 3 }", "'tank.count' (int32) has no values between others"],
    ["  tank.mode: [quick]", "study-level: 'quick' is not a value of the factor 'tank.mode'"],
    ["  tank.length: [5 kg]", "study-level: '5 kg' is not a value of the factor 'tank.length'"],
    [
      "  tank.length: { from: 3, to: 1 }",
      "4:31 error study-width: the values of 'tank.length' have no width",
    ],
    [
      "  tank.length: { distribution: normal, mean: 1, deviation: -2 mm }",
      "4:60 error study-width",
    ],
    [
      "  tank.length: { distribution: log-uniform, from: 0, to: 1 }",
      "the logarithm of 0 is not a number",
    ],
    [
      "  tank.length: { distribution: triangular, from: 0, mode: 3, to: 1 }",
      "is not between 'from' and 'to'",
    ],
    [
      "  tank.length: { distribution: lognormal, median: -1, deviation: 1 }",
      "'median' (-1) is not positive",
    ],
    ["  step: [0]", "study-level: '0' is not a value of the factor 'step'"],
    ["  step: [5 kg]", "study-level: '5 kg'"],
    ["  master: [gaus-seidel]", "did you mean 'gauss-seidel'?"],
    ["  x: { adapt: tnk, values: [none] }", "study-unknown-unit: the factor 'x' is about 'tnk'"],
    ["  x: { approximation: pump.y -> tank.u, values: [cubic] }", "study-level: 'cubic'"],
    ["  x: { fault: pump.y explodes, values: [1] }", "fault"],
  ])("[SU9] %s has a diagnostic with place, cause and fix", (factors, message) => {
    expect(said(factors)).toContain(message);
    expect(said(factors)).toMatch(/s\.yaml:4:\d+ error .*\n {2}fix: \S/);
  });

  it("[SU9] the Sobol sequence has so many dimensions, and texts are those of a scenario.yaml", () => {
    const many = Array.from(
      { length: 33 },
      (_, i) => `  f${i}: { port: tank.length, from: 0, to: 1 }`,
    ).join("\n");
    expect(said(many, "{ method: sobol, runs: 8 }")).toBe("");
    expect(said(many, "{ method: sobol, runs: 8, indices: true }")).toContain("study-dimensions");
    const packed = resolveFactors(study("  step: [1 ms]"), { ...scenario, file: "plant.ssp" });
    expect(packed.diagnostics.map(({ code }) => code)).toEqual(["study-no-text"]);
  });
});

describe("the text of a variant", () => {
  const factors = resolved(
    `  tank.length: [1, 2]
  step: [1 ms, 20 ms]
  own: { step: tank, values: [5 ms] }
  master: [jacobi, { name: gauss-seidel, order: [pump, tank] }]
  input: { approximation: pump.y -> tank.u, values: [hold, linear] }
  around: { adapt: pump, values: [none, { hold: {} }] }
  broken: { fault: "pump.y offset {} at 0.5 s", values: [none, 3] }`,
  );

  it("[SU11] is the author's with steps, masters, approximations, adaptations and faults put in", () => {
    const { text, problems } = variantText(SCENARIO, factors, [0, 1, 0, 1, 1, 0, 1]);
    expect(problems).toEqual([]);
    expect(text).toContain("# the plant");
    const draft = unwrap(parseScenarioYaml(text, "v.yaml"));
    expect(draft.experiment.step).toBe(0.02);
    expect(draft.units[0]).toMatchObject({ name: "tank", step: 0.005 });
    expect(draft.units[1]?.source).toMatchObject({ kind: "fmu" });
    expect(draft.master).toMatchObject({ name: "gauss-seidel" });
    expect(draft.connections[0]).toMatchObject({ approximation: "linear" });
    expect(draft.faults?.[0]).toMatchObject({ target: "pump.y" });
    const other = unwrap(
      parseScenarioYaml(variantText(SCENARIO, factors, [0, 0, 0, 0, 0, 1, 0]).text, "v.yaml"),
    );
    expect(other.units[1]?.source).toMatchObject({ kind: "adapted", adaptation: "hold" });
    expect(other.faults ?? []).toEqual([]);
  });

  it("[SU11] is the same where only values of ports differ, and says what it has no place for", () => {
    expect(variantKey(factors, [0, 1, 0, 1, 1, 0, 1])).toBe(
      variantKey(factors, [1, 1, 0, 1, 1, 0, 1]),
    );
    expect(variantKey(factors, [0, 0, 0, 1, 1, 0, 1])).not.toBe(
      variantKey(factors, [0, 1, 0, 1, 1, 0, 1]),
    );
    const pattern = SCENARIO.replace("pump.y -> tank.u", "pump.* -> tank.*");
    expect(variantText(pattern, factors, [0, 0, 0, 0, 0, 0, 0]).problems).toHaveLength(1);
    const ports = resolved("  tank.length: [1, 2]");
    expect(variantText(SCENARIO, ports, [1]).text).toBe(SCENARIO);
  });
});
