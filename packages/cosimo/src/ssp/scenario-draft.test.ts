import { describe, expect, it } from "vitest";
import { resolveScenario } from "../model/resolve-scenario.ts";
import type { Scenario, ScenarioDraft } from "../model/scenario.ts";
import { testPort, testUnit } from "../model/testing/plain-data.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import { parseSsd } from "./parse-ssd.ts";
import { draftOf } from "./scenario-draft.ts";
import { writeSsp } from "./write-ssp.ts";

const place = { file: "s.yaml", line: 1 };

function port(
  index: number,
  name: string,
  direction: Port["direction"],
  unit: string,
  shape: number[] = [],
): Port {
  return testPort(index, name, {
    direction,
    shape,
    unit: { name: unit },
    ...(direction !== "output" && { start: [0] }),
  });
}

const DESCRIPTIONS: Readonly<Record<string, UnitDescription>> = {
  "a.fmu": unit(
    "a",
    port(0, "angle", "output", "deg"),
    port(1, "list", "output", "m", [3]),
    port(2, "F", "input", "N"),
    port(3, "H", "input", "N"),
    port(4, "v", "output", "m/s"),
    port(5, "x", "output", "m"),
  ),
  "b.fmu": unit(
    "b",
    port(0, "angle", "input", "rad"),
    port(1, "x", "input", "m"),
    port(2, "k", "parameter", "m"),
    port(3, "F", "output", "kN"),
    port(4, "w", "input", "km/h"),
    port(5, "y", "output", "mm"),
    port(6, "dy", "output", "mm/s"),
    port(7, "G", "input", "kN"),
  ),
};

function unit(name: string, ...ports: Port[]): UnitDescription {
  return testUnit(ports, { name });
}

const DRAFT: ScenarioDraft = {
  name: "s",
  file: "s.yaml",
  units: ["a", "b"].map((name) => ({
    name,
    source: { kind: "fmu", path: `${name}.fmu` },
    values: name === "b" ? [{ port: "k", value: 5, unit: "mm", place }] : [],
    place,
  })),
  connections: [
    { from: "a.angle", to: "b.angle", factor: 2, suppress: [], place },
    { from: "a.list[2]", to: "b.x", suppress: [], approximation: "linear", kind: "delayed", place },
  ],
  bonds: [
    {
      name: "hub",
      effort: { from: "b.F", to: "a.F", factor: -1, suppress: [], place },
      flow: { from: "a.v", to: "b.w", integral: "a.x", suppress: [], place },
      preserve: "energy",
      place,
    },
  ],
  constraints: [
    {
      left: "a.x",
      right: "b.y",
      rate: { left: "a.v", right: "b.dy" },
      by: [
        { port: "a.H", factor: 1 },
        { port: "b.G", factor: -1 },
      ],
      place,
    },
  ],
  events: [
    { when: "a.list[3]", crosses: 2, unit: "mm", direction: "rising", tolerance: 1e-9, place },
    { when: "a.x", crosses: "b.y", direction: "any", place },
  ],
  limits: [
    { kind: "every", every: 0.1, offset: 0, place },
    { kind: "difference", port: "b.y", atMost: 1, unit: "cm", place },
  ],
  ports: [],
  experiment: { stop: 1 },
  master: { name: "jacobi", options: {}, place },
  record: { patterns: [], every: 1, place },
  place,
};

function resolve(draft: ScenarioDraft): Scenario {
  const { value, diagnostics } = resolveScenario(draft, (source) =>
    "path" in source ? DESCRIPTIONS[source.path.replace("resources/", "")] : undefined,
  );
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return value!;
}

/** What a run depends on. */
function meaning({ connections, units, bonds, constraints, events, limits }: Scenario): unknown {
  return {
    connections: connections.map(({ place: _, conversion: __, ...rest }) => rest),
    bonds: bonds.map(({ place: _, ...rest }) => rest),
    constraints: constraints.map(({ place: _, ...rest }) => rest),
    events: events.map(({ place: _, text: __, ...rest }) => rest),
    limits,
    values: units.map(({ values }) => values.map(({ port: p, values: v }) => ({ p, v }))),
  };
}

describe("a resolved scenario as a draft", () => {
  it("[SS26] means the same when it is resolved again", () => {
    const scenario = resolve(DRAFT);
    expect(meaning(resolve(draftOf(scenario)))).toEqual(meaning(scenario));
    expect(draftOf(scenario).connections.map(({ from, to }) => `${from} ${to}`)).toEqual([
      "a.angle b.angle",
      "a.list[2] b.x",
    ]);
  });

  it.each(["1.0", "2.0"] as const)(
    "[SS26] means the same after a trip through SSP %s",
    (version) => {
      const scenario = resolve(DRAFT);
      const describe_ = (source: { kind: string; path?: string }) =>
        DESCRIPTIONS[source.path ?? ""];
      const { value } = writeSsp(draftOf(scenario), { version, describe: describe_ });
      const text = value!.files.get("SystemStructure.ssd") as string;
      expect(meaning(resolve(parseSsd(text, "x.ssd", () => undefined).value!))).toEqual(
        meaning(scenario),
      );
    },
  );
});
