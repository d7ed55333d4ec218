/** `adapt:` in scenario files: an adaptation of the library, or one's own, around any unit. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { folderOfEachTest } from "../platform/node/testing/folders.ts";
import { libraryNames, librarySummary } from "./adaptation-library.ts";
import { loadScenario } from "./load-scenario.ts";
import { simulateScenarioFile } from "./scenario-file.ts";
import { TRUST_ALL } from "./trust.ts";

const fmu = (path: string): string =>
  fileURLToPath(new URL(`../../../../fixtures/build/${path}.fmu`, import.meta.url));
const index = new URL("../index.ts", import.meta.url).href;

let folder = "";
folderOfEachTest("adapted", (path) => {
  folder = path;
});

/** x' = -k x by one Euler step from point to point; at rest, y = 1. */
const DECAY = `
import { EULER, odeUnit } from "${index}";
export default (name) => odeUnit({
  name: "decay", parameters: { k: { start: 30 } }, states: { x: { start: 1 } },
  derivatives: (t, [x], u, [k], dx) => { dx[0] = -k * x; },
  solver: { method: EULER, step: 1000 },
}, name);
`;

function put(scenario: string, files: Readonly<Record<string, string>> = {}): string {
  const all = { "scenario.yaml": scenario, "decay.mjs": DECAY, ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  return join(folder, "scenario.yaml");
}

const around = (unit: string, record = "d.x"): string => `
units:
  d:
${unit.replaceAll(/^/gm, "    ")}
experiment: { stop: 1, step: 0.1 }
record: ["${record}"]
`;

async function last(
  path: string,
  set: Readonly<Record<string, number>> = {},
  name = "d.x",
): Promise<number> {
  const { outcome, trace } = await simulateScenarioFile(path, { set, trust: true });
  expect(outcome.kind).toBe("completed");
  return Number(trace.columns.find((column) => column.name === name)!.data.at(-1));
}

describe("an adaptation in a line", () => {
  it("[AU52] is around a module", async () => {
    const path = put(around("module: decay.mjs\nadapt: multi-rate { rate: 10 }"));
    expect(await last(path)).toBeCloseTo(0.7 ** 100, 20);
    expect(await last(path, { "d.RATE": 20 })).toBeCloseTo(0.85 ** 200, 20);
  });

  it.each(["fmi2", "fmi3"])("[AU52] is around an FMU of %s", async (version) => {
    // x' = -k x by Euler steps of 0.1 s inside, wherever the others meet.
    const path = put(`
units:
  plain: ${fmu(`${version}/Dahlquist`)}
  d:
    fmu: ${fmu(`${version}/Dahlquist`)}
    adapt: multi-rate { rate: 10 }
experiment: { stop: 5, step: 1 }
record: [plain.x, d.x]
`);
    expect(await last(path)).toBeCloseTo(0.9 ** 50, 12);
    expect(await last(path, {}, "plain.x")).toBeCloseTo(0.9 ** 50, 12);
    expect(await last(path, { "d.k": 0 })).toBe(1);
  });

  it("[AU52] is around a closed adaptation and around a scenario", async () => {
    const files = {
      "twice.sa": `semantic adaptation delayed moore Twice twice
        for inner fmu D f at "decay.mjs"
        output ports x
        out rules { true -> {} --> { twice.x := 2 * f.x; }; }`,
      "inside.yaml": `units: { one: decay.mjs }\nports: { x: one.x, k: one.k }\nexperiment: { step: 0.01 }\n`,
    };
    const inTwice = put(around("adaptation: twice.sa\nadapt: multi-rate { rate: 10 }"), files);
    expect(await last(inTwice)).toBeCloseTo(2 * 0.7 ** 100, 20);
    const inScenario = put(around("scenario: inside.yaml\nadapt: multi-rate { rate: 5 }"), files);
    // Steps of 0.02 s for the scenario, of 0.01 s inside of it.
    expect(await last(inScenario)).toBeCloseTo(0.7 ** 100, 20);
    expect(await last(inScenario, { "d.k": 10 })).toBeCloseTo(0.9 ** 100, 12);
  });

  it("[AU52] is around another one, the first in the list inside", async () => {
    const adapt = (list: string): string =>
      around(`module: decay.mjs\nadapt: ${list}\nset: { x: 8, k: 1 }`);
    const quantized = await last(
      put(adapt("[multi-rate { rate: 10 }, quantize { signal: x, quantum: 2 }]")),
    );
    // 8 · 0.99^100 = 2.93, told in multiples of 2 when it is 2 away from what was told.
    expect(quantized).toBe(4);
    const twice = await last(put(adapt("[multi-rate { rate: 2 }, multi-rate { rate: 5 }]")));
    expect(twice).toBeCloseTo(8 * 0.99 ** 100, 10);
    const path = put(adapt("[multi-rate { rate: 2 }, multi-rate { rate: 5 }]"));
    // The inner one's parameter has the name of its place in front.
    expect(await last(path, { "d.unit_RATE": 1 })).toBeCloseTo(8 * 0.98 ** 50, 10);
  });

  it("[AU52] can be one's own, beside the scenario", async () => {
    const path = put(
      around("module: decay.mjs\nadapt: ./negative.sa { seen: x, factor: -2 }\nset: { k: 0 }"),
      {
        "negative.sa": `semantic adaptation delayed moore Negative negative
          for inner fmu Any any with output ports seen: real
          output ports seen
          param FACTOR := 1.0;
          out rules { true -> {} --> { negative.seen := FACTOR * any.seen; }; }`,
      },
    );
    expect(await last(path)).toBe(-2);
  });

  it("[SA40] is around two units where it leaves two open, the second one by its file", async () => {
    const gain = (name: string, factor: number): string => `
import { functionUnit } from "${index}";
export default (name) => functionUnit({
  name: "${name}", inputs: { in_${name}: { reactive: true }, u: { start: 1 } },
  outputs: { out_${name}: { feedThrough: ["in_${name}", "u"] } },
  evaluate: (t, [v, u], p, y) => { y[0] = ${factor} * v + u; },
}, name);
`;
    const path = put(
      around("module: a.mjs\nadapt: iterate { other: b.mjs, back: in_a, takes: in_b }", "d.out_*"),
      { "a.mjs": gain("a", 0.5), "b.mjs": gain("b", 0.5) },
    );
    // a = b/2 + 1 and b = a/2 + 1.
    expect(await last(path, {}, "d.out_a")).toBeCloseTo(2, 10);
    // a = b/2 + 3 and b = a/2 + 1: a = 14/3.
    expect(await last(path, { "d.unit_u": 3 }, "d.out_a")).toBeCloseTo(14 / 3, 10);
  });

  it("[AU53] leaves parameters and start values of the unit settable, in the file and from outside", async () => {
    const path = put(
      around("module: decay.mjs\nadapt: multi-rate { rate: 10 }\nset: { k: 20, x: 3, RATE: 5 }"),
    );
    expect(await last(path)).toBeCloseTo(3 * 0.6 ** 50, 12);
    expect(await last(path, { "d.k": 10, "d.x": 2 })).toBeCloseTo(2 * 0.8 ** 50, 12);
  });

  it("[AU53] holds the value of the start, whatever it is", async () => {
    const path = put(
      around("module: decay.mjs\nadapt: hold { period: 0.95 }\nset: { k: 1, x: 3 }", "d.*"),
    );
    const { trace } = await simulateScenarioFile(path, { trust: true });
    const x = Array.from(trace.columns.find(({ name }) => name === "d.x")!.data, Number);
    expect(x.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 3));
    // Nine steps of 0.1 s and half a one.
    expect(x[10]).toBeCloseTo(3 * 0.9 ** 9 * 0.95, 12);
  });

  it("[AU53] passes arrays by the rules, in and out, in the shape that is set", async () => {
    const unit = (more: string): string =>
      `{ fmu: ${fmu("fmi3/StateSpace")}${more}, set: { m: 2, n: 1, r: 2, A: -1, B: [[2, 1]], C: [[3], [1]], D: 0.5, x0: 4 } }`;
    const path = put(
      `
units:
  plain: ${unit("")}
  d: ${unit(", adapt: multi-rate { rate: 4 }")}
  sum: sum.mjs
connections:
  - sum.both -> plain.u
  - sum.both -> d.u
experiment: { stop: 2, step: 0.5 }
record: ["plain.y*", "d.y*"]
`,
      {
        "sum.mjs": `
import { functionUnit } from "${index}";
export default (name) => functionUnit({
  name: "sum", outputs: { both: { shape: [2], feedThrough: [] } },
  evaluate: (t, u, p, y) => { y[0] = 7; y[1] = t; },
}, name);
`,
      },
    );
    const { trace, diagnostics } = await simulateScenarioFile(path, { trust: true });
    expect(diagnostics).toEqual([]);
    const column = (unitName: string): number[] =>
      Array.from(trace.columns.find(({ name }) => name.startsWith(`${unitName}.y`))!.data, Number);
    // C x0 + D u
    expect(column("plain")[0]).toBe(3 * 4 + 0.5 * 7);
    expect(column("d")[0]).toBe(3 * 4 + 0.5 * 7);
    column("plain").forEach((y, row) => {
      expect(column("d")[row]).toBeCloseTo(y, 12);
    });
  });

  it("[AU53] says what is not a port of either", async () => {
    const { diagnostics } = await loadScenario(
      put(around("module: decay.mjs\nadapt: multi-rate\nset: { kk: 20 }")),
      TRUST_ALL,
    );
    expect(diagnostics).toMatchObject([{ code: "unknown-port", place: { line: 6 } }]);
    expect(diagnostics[0]!.fix).toContain("'k'");
    const computed = await loadScenario(
      put(around("module: decay.mjs\nadapt: quantize\nset: { changes: 1 }")),
      TRUST_ALL,
    );
    expect(computed.diagnostics.map(({ code }) => code)).toEqual(["value-not-settable"]);
  });

  const OPEN = "semantic adaptation delayed moore Open open\nfor inner fmu Any any\n";
  it.each([
    ["a name that nobody knows", "adapt: multirate", "adaptation-unknown", 5, "'multi-rate'"],
    ["one far from all names", "adapt: nonsense", "adaptation-unknown", 5, "quantize"],
    ["a file that is not there", "adapt: none.sa", "unit-source-broken", 5, "relative"],
    ["one with a unit of its own", "adapt: closed.sa", "adaptation-closed", 5, "adaptation:"],
    ["what it does not take", "adapt: multi-rate { raet: 1 }", "sa-argument-unknown", 5, "'rate'"],
    ["a value of another type", "adapt: multi-rate { rate: x }", "sa-argument-type", 5, "alone"],
    ["a port that is not there", "adapt: hold { signal: z }", "sa-role-port", 5, "'x'"],
    ["a port that cannot be found", "adapt: interpolate", "sa-role-missing", 5, "not for it"],
    ["a second unit that is missing", "adapt: iterate", "sa-inner-missing", 5, "other: "],
    [
      "a second unit that is none",
      "adapt: iterate { other: x.txt }",
      "adaptation-inner-source",
      5,
      ".fmu",
    ],
  ])("[AU54] reports %s at its place", async (_, adapt, code, line, fix) => {
    const { value, diagnostics } = await loadScenario(
      put(around(`module: decay.mjs\n${adapt}`), {
        "closed.sa": OPEN.replace("any\n", 'any at "decay.mjs"\n'),
      }),
      TRUST_ALL,
    );
    expect(value).toBeUndefined();
    expect(diagnostics[0]).toMatchObject({ code, place: { line } });
    expect(diagnostics[0]!.fix).toContain(fix);
  });

  it("[AU54] reports an open adaptation that is used as a unit", async () => {
    const { diagnostics } = await loadScenario(
      put(around("adaptation: open.sa"), { "open.sa": OPEN }),
      TRUST_ALL,
    );
    expect(diagnostics[0]).toMatchObject({ code: "adaptation-open", place: { line: 3 } });
    expect(diagnostics[0]!.fix).toContain("adapt: ");
  });
});

describe("the library", () => {
  it("[AU94] says of each adaptation what it cures", () => {
    const files = readdirSync(new URL("../../adaptations/", import.meta.url));
    expect(files.length).toBeGreaterThan(10);
    expect(libraryNames().map((name) => `${name}.sa`)).toEqual(files.toSorted());
    for (const name of libraryNames()) expect(librarySummary(name)).toMatch(/^[A-Z].{20,110}\.$/);
  });
});
