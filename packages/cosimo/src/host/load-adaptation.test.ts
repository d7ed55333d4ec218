/** Adaptations in files: a scenario names one, its inner units are found, opened and driven. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { folderOfEachTest } from "../platform/node/testing/folders.ts";
import { loadScenario } from "./load-scenario.ts";
import { simulateScenarioFile } from "./scenario-file.ts";
import { TRUST_ALL } from "./trust.ts";

const fmu = (path: string): string =>
  fileURLToPath(new URL(`../../../../fixtures/build/${path}.fmu`, import.meta.url));
const index = new URL("../index.ts", import.meta.url).href;

let folder = "";
folderOfEachTest("adaptation", (path) => {
  folder = path;
});

function put(files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return join(folder, "scenario.yaml");
}

const SCENARIO = (source: string, record: string): string => `
units: { adapted: ${source} }
experiment: { stop: 1, step: 0.1 }
master: gauss-seidel
record: [${record}]
`;

/** The mass and its spring, seen in millimetres and upside down. */
const MASS = (source: string): string => `
semantic adaptation delayed moore MassSA mass_sa
for inner fmu Mass mass at "${source}"
output ports position (mm) <- mass.x_1, down
out rules { true -> { } --> { mass_sa.down := -mass.x_1; }; }
`;

const columns = async (path: string): Promise<Map<string, readonly number[]>> => {
  const { outcome, trace } = await simulateScenarioFile(path, { trust: true });
  expect(outcome.kind).toBe("completed");
  return new Map(trace.columns.map(({ name, data }) => [name, Array.from(data as Float64Array)]));
};

describe("an adaptation in a scenario", () => {
  it.each(["fmi2", "fmi3"])("[AU50] adapts an FMU of %s as its rules say", async (version) => {
    const source = fmu(`${version}/MassSpringDamperLeft`);
    const adapted = await columns(
      put({
        "scenario.yaml": SCENARIO("mass.sa", "adapted.position, adapted.down"),
        "mass.sa": MASS(source),
      }),
    );
    const plain = await columns(
      put({ "scenario.yaml": SCENARIO(`{ fmu: ${source} }`, "adapted.x_1") }),
    );
    const x = plain.get("adapted.x_1")!;
    expect(x.at(-1)).not.toBe(x[0]);
    expect(adapted.get("adapted.position")).toEqual(x.map((value) => value * 1000));
    expect(adapted.get("adapted.down")).toEqual(x.map((value) => -value));
  });

  it("[AU50] finds modules, scenarios and other adaptations inside, relative to the file that names them", async () => {
    const path = put({
      "scenario.yaml": SCENARIO("{ adaptation: outer.sa }", "adapted.total"),
      "outer.sa": `
        semantic adaptation delayed moore OuterSA outer
        for inner fmu Inner inner at "./inner.sa"
        for inner fmu Ramp nested at "./nested.yaml"
        output ports total
        out rules { true -> { } --> { outer.total := inner.twice + nested.y; }; }`,
      "inner.sa": `
        semantic adaptation delayed moore InnerSA inner_sa
        for inner fmu Ramp ramp at "ramp.mjs"
        output ports twice
        out rules { true -> { } --> { inner_sa.twice := 2 * ramp.y; }; }`,
      "nested.yaml": `
units: { ramp: ramp.mjs }
ports: { y: ramp.y }
experiment: { step: 0.05 }
`,
      "ramp.mjs": `
import { functionUnit } from "${index}";
export default (name) => functionUnit({ name: "ramp", outputs: { y: { feedThrough: [] } }, evaluate: (t, u, p, y) => { y[0] = t; } }, name);
`,
    });
    const total = (await columns(path)).get("adapted.total")!;
    total.forEach((value, k) => {
      expect(value).toBeCloseTo(0.3 * k, 12);
    });
  });

  it("[AU50] sets parameters of the adaptation from the scenario", async () => {
    const adapted = await columns(
      put({
        "scenario.yaml": SCENARIO("{ adaptation: gain.sa, set: { GAIN: 3 } }", "adapted.y"),
        "gain.sa": `
          semantic adaptation delayed moore GainSA gain_sa
          for inner fmu Mass mass at "${fmu("fmi2/MassSpringDamperLeft")}"
          param GAIN := 1.0;
          output ports y
          out rules { true -> { } --> { gain_sa.y := GAIN; }; }`,
      }),
    );
    expect(adapted.get("adapted.y")).toEqual(Array.from({ length: 11 }, () => 3));
  });

  const codes = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
    (
      await loadScenario(
        put({ "scenario.yaml": SCENARIO("a.sa", "adapted.*"), ...files }),
        TRUST_ALL,
      )
    ).diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ code }) => code);
  const around = (source: string, more = ""): string =>
    `semantic adaptation delayed moore A a for inner fmu F f at "${source}" ${more}`;

  it.each([
    ["no file", {}, "unit-source-broken"],
    ["a text that is not an adaptation", { "a.sa": "semantic" }, "sa-syntax"],
    ["an inner unit that is not there", { "a.sa": around("none.fmu") }, "unit-source-broken"],
    ["an inner unit of no known kind", { "a.sa": around("f.txt") }, "adaptation-inner-source"],
    [
      "an adaptation inside itself",
      { "a.sa": around("b.sa"), "b.sa": around("a.sa") },
      "adaptation-nests-itself",
    ],
    [
      "a scenario without a step",
      { "a.sa": around("n.yaml"), "n.yaml": `units: { m: ${fmu("fmi2/Dahlquist")} }` },
      "adaptation-inner-step",
    ],
    [
      "rules that name nothing",
      { "a.sa": around(fmu("fmi2/Dahlquist"), "output ports y <- f.nothing") },
      "sa-unknown-port",
    ],
  ])("[AU51] reports %s", async (_, files, code) => {
    expect(await codes(files as Record<string, string>)).toContain(code);
  });
});

describe("what an adaptation file shows and declares", () => {
  const wrapped = (head: string): string => `
semantic adaptation MassSA mass_sa
for inner fmu ${head} Mass mass at "${fmu("fmi2/MassSpringDamperLeft")}"
`;

  it("[AU55] parameters of the unit inside can be set", async () => {
    const stiff = (source: string): string => `
units: { adapted: { ${source}, set: { m: 5 } } }
experiment: { stop: 1, step: 0.1 }
record: [adapted.x_1]
`;
    const files = { "mass.sa": wrapped("") };
    const adapted = await columns(put({ ...files, "scenario.yaml": stiff("adaptation: mass.sa") }));
    const plain = await columns(
      put({ "scenario.yaml": stiff(`fmu: ${fmu("fmi2/MassSpringDamperLeft")}`) }),
    );
    const other = await columns(
      put({ ...files, "scenario.yaml": SCENARIO("mass.sa", "adapted.x_1") }),
    );
    expect(adapted.get("adapted.x_1")).toEqual(plain.get("adapted.x_1"));
    expect(adapted.get("adapted.x_1")).not.toEqual(other.get("adapted.x_1"));
  });

  it("[SA50] declared kinds stand where the unit describes others", async () => {
    const kinds = async (head: string): Promise<unknown> => {
      const path = put({
        "mass.sa": wrapped(head),
        "scenario.yaml": SCENARIO("mass.sa", "adapted.x_1"),
      });
      const { value } = await loadScenario(path, TRUST_ALL);
      const ports = value?.scenario.units[0]?.description.ports ?? [];
      return ports.filter(({ direction }) => direction === "input").map(({ reactive }) => reactive);
    };
    // The FMU interpolates its input.
    expect(await kinds("")).toEqual([true]);
    expect(await kinds("reactive moore")).toEqual([true]);
    expect(await kinds("delayed")).toEqual([false]);
  });
});
