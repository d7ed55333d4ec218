import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDiagnostic } from "../../base/diagnostic.ts";
import type { ScenarioDraft } from "../../model/scenario.ts";
import { parseScenarioYaml } from "./parse-scenario.ts";

const FILE = "drive/line.yaml";

function draftOf(text: string): ScenarioDraft {
  const { value, diagnostics } = parseScenarioYaml(text, FILE);
  expect(diagnostics.map(formatDiagnostic)).toEqual([]);
  return value!;
}

function codesOf(text: string): string[] {
  return parseScenarioYaml(text, FILE).diagnostics.map(
    ({ code, place }) => `${place.line}:${place.column} ${code}`,
  );
}

const FULL = `name: drive line
description: a motor and its load
units:
  motor: motor.fmu
  load:
    fmu: parts/load
    step: 2 ms
    set:
      mass: 5 kg
      stiff: true
      A: [[1, 2], [3, 4]]
      gap: { value: 3, unit: mm }
      big: 9007199254740993
  control: { module: control.js, export: makeControl }
  sensor: sensors/scenario.yaml
connections:
  - motor.speed -> load.speed
  - load.torque → motor.torque
  - from: control.y[1]
    to: motor.u
    factor: 2
    offset: -1
    suppress: unit
    approximation: linear
  - { from: control.mode, to: motor.on, kind: delayed, mapping: { idle: false, run: true } }
ports:
  u: control.u
  v: [motor.v, load.v]
experiment: { start: 0, stop: 10 s, step: 10 ms, tolerance: 1e-6 }
master: { name: gauss-seidel, order: [motor, load] }
record: { patterns: [motor.*], every: 10 }
bonds:
  - name: shaft
    effort: { from: load.torque, to: motor.tau, factor: -1, integral: load.impulse }
    flow: motor.speed -> load.speed
    preserve: energy
constraints:
  - { constraint: "motor.x[2] = load.x", by: "motor.F[1,2], -0.5 * load.F", rate: motor.v = load.v }
  - { constraint: motor.y = load.y, by: [motor.G, -load.G], rate: none }
events:
  - { when: load.x, crosses: -2 mm, direction: rising, tolerance: 1e-9 }
  - { when: load.x, crosses: motor.x }
limits:
  - { every: 100 ms, offset: 1 }
  - { at: [1.5, 2 s] }
  - { difference: motor.speed, atMost: 10 rpm }
`;

describe("scenario.yaml", () => {
  it("[SC1] becomes a draft of names and texts", () => {
    const draft = draftOf(FULL);
    expect(draft).toMatchObject({
      name: "drive line",
      description: "a motor and its load",
      file: FILE,
      experiment: { start: 0, stop: 10, step: 0.01, tolerance: 1e-6 },
      master: { name: "gauss-seidel", options: { order: ["motor", "load"] } },
      record: { patterns: ["motor.*"], every: 10 },
    });
    expect(draft.units.map(({ name, source, step }) => ({ name, source, step }))).toEqual([
      { name: "motor", source: { kind: "fmu", path: "motor.fmu" }, step: undefined },
      { name: "load", source: { kind: "fmu", path: "parts/load" }, step: 0.002 },
      {
        name: "control",
        source: { kind: "module", path: "control.js", export: "makeControl" },
        step: undefined,
      },
      {
        name: "sensor",
        source: { kind: "scenario-file", path: "sensors/scenario.yaml" },
        step: undefined,
      },
    ]);
    expect(draft.units[1]!.values.map(({ port, value, unit }) => [port, value, unit])).toEqual([
      ["mass", "5 kg", undefined],
      ["stiff", true, undefined],
      ["A", [1, 2, 3, 4], undefined],
      ["gap", 3, "mm"],
      ["big", 9007199254740993n, undefined],
    ]);
    expect(draft.connections.map(({ place: _, ...rest }) => rest)).toEqual([
      { from: "motor.speed", to: "load.speed", suppress: [] },
      { from: "load.torque", to: "motor.torque", suppress: [] },
      {
        from: "control.y[1]",
        to: "motor.u",
        factor: 2,
        offset: -1,
        suppress: ["unit"],
        approximation: "linear",
      },
      {
        from: "control.mode",
        to: "motor.on",
        suppress: [],
        kind: "delayed",
        mapping: [
          { from: "idle", to: false },
          { from: "run", to: true },
        ],
      },
    ]);
    expect(
      JSON.parse(
        JSON.stringify([draft.bonds, draft.constraints, draft.events, draft.limits], (key, item) =>
          key === "place" ? undefined : item,
        ),
      ),
    ).toEqual([
      [
        {
          name: "shaft",
          effort: {
            from: "load.torque",
            to: "motor.tau",
            factor: -1,
            integral: "load.impulse",
            suppress: [],
          },
          flow: { from: "motor.speed", to: "load.speed", suppress: [] },
          preserve: "energy",
        },
      ],
      [
        {
          left: "motor.x[2]",
          right: "load.x",
          by: [
            { port: "motor.F[1,2]", factor: 1 },
            { port: "load.F", factor: -0.5 },
          ],
          rate: { left: "motor.v", right: "load.v" },
        },
        {
          left: "motor.y",
          right: "load.y",
          by: [
            { port: "motor.G", factor: 1 },
            { port: "load.G", factor: -1 },
          ],
          rate: "none",
        },
      ],
      [
        { when: "load.x", crosses: -2, unit: "mm", direction: "rising", tolerance: 1e-9 },
        { when: "load.x", crosses: "motor.x", direction: "any" },
      ],
      [
        { kind: "every", every: 0.1, offset: 1 },
        { kind: "at", times: [1.5, 2] },
        { kind: "difference", port: "motor.speed", atMost: 10, unit: "rpm" },
      ],
    ]);
    expect(draft.ports.map(({ name, inner }) => `${name}=${inner}`)).toEqual([
      "u=control.u",
      "v=motor.v",
      "v=load.v",
    ]);
  });

  it("[SC2] every item knows its file, line and column", () => {
    const draft = draftOf(FULL);
    const at = (line: number, column: number) => ({ file: FILE, line, column });
    expect(draft.units.map(({ place }) => place)).toEqual([
      at(4, 3),
      at(5, 3),
      at(14, 3),
      at(15, 3),
    ]);
    expect(draft.units[1]!.values[3]!.place).toEqual(at(12, 7));
    expect(draft.connections.map(({ place }) => place.line)).toEqual([17, 18, 19, 25]);
    expect(draft.ports[2]!.place).toEqual(at(28, 16));
    expect(draft.master.place).toEqual(at(30, 1));
    const { bonds, constraints, events, limits } = draft;
    expect(bonds![0]!.place).toEqual(at(33, 5));
    expect(bonds![0]!.effort.place).toEqual(at(34, 13));
    const lines = [constraints!, events!, limits!].flat().map(({ place }) => place.line);
    expect(lines).toEqual([38, 39, 41, 42, 44, 45, 46]);
  });

  it("[SC3] the short form tells the kind of a unit by the extension", () => {
    const draft = draftOf("units: { a: x.fmu, b: y.mjs, c: z.ts, d: s.yml, e: p.ssp, f: q.SSD }");
    expect(draft.units.map(({ source }) => source.kind).join(" ")).toBe(
      "fmu module module scenario-file scenario-file scenario-file",
    );
  });

  it("[SC4] takes the name from the file when none is written, and lets everything else default", () => {
    const draft = draftOf("units: { a: x.fmu }");
    expect(draft).toMatchObject({
      name: "line",
      connections: [],
      ports: [],
      experiment: {},
      master: { name: "", options: {} },
      record: { patterns: [], every: 1 },
    });
  });

  it("[SC5] keys that begin with x- are a home for anchors, and << merges", () => {
    const draft = draftOf(`x-base: &base { fmu: wheel.fmu, step: 1 ms }
units:
  left: { <<: *base, set: { side: -1 } }
  right: *base
`);
    expect(draft.units.map(({ name, step }) => [name, step])).toEqual([
      ["left", 0.001],
      ["right", 0.001],
    ]);
    expect(draft.units[0]!.values).toHaveLength(1);
  });

  it("[SC5] a key that occurs twice is reported once, where it is repeated", () => {
    const text = "units:\n  motor: a.fmu\n  motor: b.fmu\n";
    expect(codesOf(text)).toEqual(["3:3 yaml-duplicate-key"]);
  });

  it.each([
    ["SC52", "constraints", '{ constraint: a.x = b.x, by: [a.F, "-", b.F] }', "scenario-force", 0],
    ["SC52", "constraints", "{ constraint: a.x, by: a.F }", "scenario-equation", 0],
    ["SC55", "limits", "{ at: [1 s, soon, 3 s] }", "scenario-number", 0],
    ["SC55", "limits", "{ every: 1 s }, { every: 0 s }, { at: 2 s }", "scenario-number", 2],
    ["SC54", "events", "{ when: a.x, crosses: 1 }, { when: a.x }", "scenario-missing-key", 1],
    ["SC51", "bonds", "{ name: n, effort: a.F, flow: a.v -> b.v }", "scenario-connection", 0],
    ["SC1", "connections", "a.y -> b.u, a.y, b.y -> a.u", "scenario-connection", 2],
  ] as const)("[%s] one wrong item of %s: %s", (_rule, key, items, code, left) => {
    const text = `units: { a: a.fmu, b: b.fmu }\n${key}: [${items}]\n`;
    const { value, diagnostics } = parseScenarioYaml(text, FILE);
    expect(diagnostics.map((one) => one.code)).toEqual([code]);
    expect(value?.[key]).toHaveLength(left);
  });

  it("[SC1] one wrong element of a value is reported, and the value is dropped", () => {
    const text = "units: { a: { fmu: a.fmu, set: { k: [1, null, 3], m: 2 } } }";
    const { value, diagnostics } = parseScenarioYaml(text, FILE);
    expect(diagnostics.map(({ code }) => code)).toEqual(["scenario-wrong-type"]);
    expect(value?.units[0]?.values.map(({ port }) => port)).toEqual(["m"]);
  });

  it("[SC6] an alias inside its own anchor is refused", () => {
    expect(codesOf("units: &u\n  a: { fmu: a.fmu, set: { A: *u } }\n")).toContain(
      "2:30 yaml-alias-cycle",
    );
  });

  it("[SC6] aliases of aliases cannot make a value that never ends", () => {
    const levels = Array.from({ length: 12 }, (_, i) => {
      const inner = i === 0 ? Array(8).fill("1") : Array(8).fill(`*a${i - 1}`);
      return `x-${i}: &a${i} [${inner.join(", ")}]`;
    });
    const text = `${levels.join("\n")}\nunits: { a: { fmu: a.fmu, set: { A: *a11 } } }\nmaster: { bomb: *a11 }\n`;
    expect(codesOf(text)).toEqual(["12:12 yaml-limit"]);
  });

  it("[SC7] reading never throws, whatever the text", () => {
    const piece = fc.constantFrom(
      ..."units:|connections:|  - |a.y -> b.u|\n|  |: |[|]|{|}|*x|&x |<<: |'|\"|\t|5 mm|set:|from:|#|null|- a|!!t |%|@".split(
        "|",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { value, diagnostics } = parseScenarioYaml(pieces.join(""), FILE);
        expect(value !== undefined || diagnostics.length > 0).toBe(true);
        for (const { place } of diagnostics) expect(place.line).toBeGreaterThan(0);
      }),
      { seed: 20_240_502, numRuns: 2000 },
    );
  });

  it("[SC7] brackets nested without end are refused", () => {
    for (const depth of [100, 400, 800, 5000, 100_000]) {
      const text = `units: { a: { fmu: a.fmu, set: { A: ${"[".repeat(depth)}1${"]".repeat(depth)} } } }`;
      const { value, diagnostics } = parseScenarioYaml(text, FILE);
      expect(value !== undefined || diagnostics[0]?.code === "yaml-syntax").toBe(true);
    }
  });

  it("[SC7] lists and maps nested without end are refused, and those that people write are not", () => {
    const nested = (depth: number): string =>
      `units:\n  a:\n    fmu: a.fmu\n    set:\n      A:\n        ${"- ".repeat(depth)}1\n`;
    for (const depth of [300, 3000]) {
      const { value, diagnostics } = parseScenarioYaml(nested(depth), FILE);
      expect(value).toBeUndefined();
      expect(diagnostics.map(({ code }) => code)).toEqual(["yaml-syntax"]);
      expect(diagnostics[0]!.message).toContain("nested too deeply");
    }
    const { diagnostics } = parseScenarioYaml(nested(20), FILE);
    expect(diagnostics.map(({ message }) => message).join()).not.toContain("nested too deeply");
  });

  it("[SC7] mutilated scenarios end in words", () => {
    fc.assert(
      fc.property(
        fc.nat(FULL.length),
        fc.nat(20),
        fc.constantFrom("", ":", "\n", "  ", "[", "- ", "*", "&a"),
        (at, length, put) => {
          const text = FULL.slice(0, at) + put + FULL.slice(at + length);
          const { value, diagnostics } = parseScenarioYaml(text, FILE);
          expect(value !== undefined || diagnostics.length > 0).toBe(true);
        },
      ),
      { seed: 20_240_503, numRuns: 1000 },
    );
  });
});
