import { describe, expect, it } from "vitest";
import { resolveScenario } from "../model/resolve-scenario.ts";
import type { Scenario, ScenarioDraft } from "../model/scenario.ts";
import { NO_CAPABILITIES, type Port, type UnitDescription } from "../model/unit-description.ts";
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
  return {
    index,
    name,
    direction,
    type: "float64",
    shape,
    variability: "continuous",
    nature: "continuous",
    unit: { name: unit },
    ...(direction !== "output" && { start: [0] }),
  };
}

const DESCRIPTIONS: Readonly<Record<string, UnitDescription>> = {
  "a.fmu": unit("a", port(0, "angle", "output", "deg"), port(1, "list", "output", "m", [3])),
  "b.fmu": unit(
    "b",
    port(0, "angle", "input", "rad"),
    port(1, "x", "input", "m"),
    port(2, "k", "parameter", "m"),
  ),
};

function unit(name: string, ...ports: Port[]): UnitDescription {
  return { name, backend: "fmi3", ports, capabilities: NO_CAPABILITIES, experiment: {} };
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
    { from: "a.list[2]", to: "b.x", suppress: [], approximation: "linear", place },
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
function meaning({ connections, units }: Scenario): unknown {
  return {
    connections: connections.map(({ place: _, conversion: __, ...rest }) => rest),
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
