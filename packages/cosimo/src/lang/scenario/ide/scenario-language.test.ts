import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseUnit } from "../../../model/physical-unit-parse.ts";
import {
  type Direction,
  NO_CAPABILITIES,
  type Port,
  type UnitDescription,
} from "../../../model/unit-description.ts";
import { isServed, languageOf } from "../../languages.ts";
import { applyEdits } from "../../text/span.ts";
import { atCursor, chosen, offered } from "../../text/testing/editor.ts";
import { parseScenarioYaml } from "../parse-scenario.ts";
import { SCENARIO_LANGUAGE } from "./scenario-language.ts";
import { unitSources } from "./scenario-names.ts";

/** `x[m] u:input[N] k:parameter` → a unit with these ports. */
function unit(name: string, notation: string): UnitDescription {
  const ports = notation.split(" ").map((text, index): Port => {
    const [, port = "", direction = "output", measure] =
      /^([^:[]+)(?::([a-z-]+))?(?:\[(.*)\])?$/.exec(text) ?? [];
    const physical = measure === undefined ? undefined : parseUnit(measure);
    return {
      index,
      name: port,
      direction: direction as Direction,
      type: "float64",
      shape: [],
      variability: "continuous",
      nature: "continuous",
      description: `the ${port}`,
      ...(physical && { unit: physical }),
    };
  });
  const facts = { backend: "fmi2", capabilities: NO_CAPABILITIES, experiment: {} } as const;
  return { name, ports, ...facts };
}

const SWITCH: Port = {
  index: 3,
  name: "on",
  direction: "parameter",
  type: "boolean",
  shape: [],
  variability: "fixed",
  nature: "constant",
};
const PLANT = unit("Plant", "x[m] v[m/s] F:input[N] mass:parameter[kg]");
const UNITS = new Map([
  ["plant", PLANT],
  ["controller", unit("Controller", "force[N] command[V] position:input[mm] gain:input[V]")],
  ["plant-2", { ...PLANT, ports: [...PLANT.ports.slice(0, 3), SWITCH] }],
]);
const HEAD = `units:
  plant: plant.fmu
  controller: { module: controller.mjs }
  plant-2: { fmu: plant.fmu, set: { on: true } }
`;

const labels = (text: string, kind?: string): string[] =>
  offered(SCENARIO_LANGUAGE, UNITS, text)
    .filter((one) => kind === undefined || one.kind === kind)
    .map(({ label }) => label);
const ports = (text: string): string[] => labels(HEAD + text, "port");
const accept = (text: string, label: string): string =>
  chosen(SCENARIO_LANGUAGE, UNITS, HEAD + text, label).slice(HEAD.length);

describe("what is offered in a scenario", () => {
  it("[LS70] are keys that are not there yet, in maps of both forms", () => {
    expect(labels("‸", "keyword")).toEqual(
      expect.arrayContaining(["units", "connections", "faults"]),
    );
    expect(labels(`${HEAD}‸`, "keyword")).not.toContain("units");
    expect(labels(`${HEAD}exp‸\n`, "keyword")).toContain("experiment");
    expect(labels(`${HEAD}experiment:\n  step: 1 s\n  ‸\n`, "keyword")).toEqual([
      "start",
      "stop",
      "tolerance",
    ]);
    expect(labels(`${HEAD}experiment: { step: 1 s, ‸ }\n`, "keyword")).toContain("stop");
    expect(labels(`${HEAD}connections:\n  - { from: plant.x, ‸ }\n`, "keyword")).toContain(
      "factor",
    );
    expect(labels("units:\n  motor:\n    ‸\n", "keyword")).toContain("fmu");
  });

  it("[LS70] come with a colon, and with what they mean", () => {
    expect(accept("expe‸", "experiment")).toBe("experiment: ");
    expect(accept("expe‸: { stop: 1 s }", "experiment")).toBe("experiment: { stop: 1 s }");
    const [first] = offered(SCENARIO_LANGUAGE, UNITS, `${HEAD}bo‸`);
    expect(first?.documentation).toBeDefined();
  });

  it("[LS71] are units, and behind their dot the ports that fit", () => {
    expect(labels(`${HEAD}connections:\n  - ‸\n`, "unit").sort()).toEqual([
      "controller",
      "plant",
      "plant-2",
    ]);
    expect(ports("connections:\n  - plant.‸\n")).toEqual(["x", "v"]);
    expect(ports("connections:\n  - plant-2.‸\n")).toEqual(["x", "v"]);
    expect(ports("connections:\n  - plant.x -> controller.‸\n")).toEqual(["position", "gain"]);
    expect(ports("connections:\n  - plant.x->controller.‸\n")).toEqual(["position", "gain"]);
    expect(ports("connections:\n  - { from: controller.force, to: plant.‸ }\n")).toEqual(["F"]);
    expect(ports("connections: [ plant.‸")).toEqual(["x", "v"]);
    expect(labels(`${HEAD}connections:\n  - plant.x ‸\n`)).toContain("->");
    expect(ports("events:\n  - when: plant.‸\n")).toEqual(["x", "v"]);
    expect(ports("constraints:\n  - by: -plant.‸\n")).toEqual(["F"]);
    expect(ports("record: [plant.‸]\n")).toEqual(["x", "v", "F"]);
    expect(ports("record:\n  patterns: [plant.x, controller.‸]\n")).toHaveLength(4);
    expect(labels(`${HEAD}structure:\n  absent: [‸]\n`, "unit")).toHaveLength(3);
  });

  it("[LS71] are ports, functions, words and physical units in a requirement", () => {
    expect(ports("requirements:\n  - always plant.‸\n")).toEqual(["x", "v", "F"]);
    expect(ports("requirements:\n  - { require: always (abs(plant.‸ }\n")).toContain("v");
    expect(labels(`${HEAD}requirements:\n  - always ‸\n`, "function")).toContain("settling");
    expect(labels(`${HEAD}requirements:\n  - alw‸\n`, "keyword")).toContain("always");
    expect(labels(`${HEAD}requirements: always plant.x < 5 ‸\n`, "measure")[0]).toBe("m");
    expect(accept("requirements:\n  - always plant.‸ < 5 m\n", "v")).toBe(
      "requirements:\n  - always plant.v < 5 m\n",
    );
  });

  it("[LS71] has those first that measure the same", () => {
    const all = offered(
      SCENARIO_LANGUAGE,
      UNITS,
      `${HEAD}connections:\n  - plant.x -> controller.‸\n`,
    );
    const ranks = Object.fromEntries(all.map(({ label, rank }) => [label, rank]));
    expect(ranks["position"]).toBeLessThan(ranks["gain"]!);
    const map = `${HEAD}connections:\n  - from: plant.x\n    to: controller.‸\n`;
    const [first] = offered(SCENARIO_LANGUAGE, UNITS, map).sort((a, b) => a.rank! - b.rank!);
    expect(first).toMatchObject({ label: "position", detail: "input, float64 (mm), continuous" });
  });

  it("[LS71] replaces what is written of a name, and no more", () => {
    expect(accept("connections:\n  - plant.‸v -> controller.gain\n", "x")).toBe(
      "connections:\n  - plant.x -> controller.gain\n",
    );
    expect(accept("connections:\n  - pl‸\n", "plant")).toBe("connections:\n  - plant\n");
  });

  it("[LS72] are words of choices, masters and their options, and units of time", () => {
    expect(labels(`${HEAD}master: ‸\n`, "keyword")).toEqual(
      expect.arrayContaining(["jacobi", "gauss-seidel", "event-driven"]),
    );
    expect(labels(`${HEAD}master: { name: ‸ }\n`, "keyword")).toContain("iterative");
    expect(labels(`${HEAD}master: { name: iterative, ‸ }\n`, "keyword")).toContain("method");
    expect(labels(`${HEAD}connections:\n  - { kind: ‸ }\n`, "keyword")).toEqual([
      "reactive",
      "delayed",
    ]);
    expect(labels(`${HEAD}experiment: { stop: 5 ‸ }\n`, "measure")).toContain("min");
  });

  it("[LS72] are parameters of the unit under 'set', and values for them", () => {
    const set = (text: string): string => `units:\n  plant:\n    fmu: plant.fmu\n    set:\n${text}`;
    expect(labels(set("      ‸\n"))).toEqual(["mass", "F"]);
    expect(labels(set("      mass: 2 kg\n      ‸\n"))).toEqual(["F"]);
    expect(chosen(SCENARIO_LANGUAGE, UNITS, set("      ‸\n"), "mass")).toBe(set("      mass: \n"));
    const [first] = offered(SCENARIO_LANGUAGE, UNITS, set("      mass: 2 ‸\n"));
    expect(first).toMatchObject({ label: "kg", kind: "measure", rank: 0 });
    expect(labels("units: { plant-2: { fmu: plant.fmu, set: { on: ‸ } } }")).toEqual([
      "true",
      "false",
    ]);
  });

  it("[LS73] are files where a path stands", () => {
    const inside = (text: string) => {
      const { document, offset } = atCursor(SCENARIO_LANGUAGE, text);
      const found = document.insideText(offset);
      return found && [document.text.slice(found.span.offset, found.span.end), found.endings];
    };
    expect(inside("units:\n  motor: models/mo‸tor.fmu\n")?.[0]).toBe("models/motor.fmu");
    expect(inside("units:\n  motor: { fmu: ‸ }\n")).toEqual(["", [".fmu"]]);
    expect(inside("units:\n  motor:\n    adaptation: a‸\n")).toEqual(["a", [".sa"]]);
    expect(inside("units:\n  road: { table: ‸ }\n")).toEqual(["", [".csv"]]);
    expect(inside("units:\n  motor: ‸\n")?.[1]).toContain(".csv");
    expect(inside("units:\n  motor: ‸\n")?.[1]).not.toContain(".mci");
    expect(unitSources("units: { road: { table: road.csv } }").get("road")).toEqual({
      kind: "table",
      path: "road.csv",
    });
    expect(inside(`${HEAD}connections:\n  - pl‸\n`)).toBeUndefined();
  });

  it("[LS70] is nothing in comments", () => {
    expect(labels(`${HEAD}# ‸`)).toEqual([]);
    expect(labels(`${HEAD}connections: # plant.‸`)).toEqual([]);
  });
});

describe("names in a scenario", () => {
  const TEXT = `${HEAD}connections:
  - plant.x -> controller.position
  - { from: controller.force, to: plant.F }
  - plant-2.x -> plant-2.F
faults:
  - plant fails at 3 s
  - plant.x stuck 0 at 1 s
structure: { absent: [plant-2] }
record: [plant.*, "controller.force"]
`;
  const at = (marked: string) => atCursor(SCENARIO_LANGUAGE, marked);
  const marked = (find: string, shift = 1): string => {
    const offset = TEXT.indexOf(find) + shift;
    return `${TEXT.slice(0, offset)}‸${TEXT.slice(offset)}`;
  };

  it("[LS74] explains units, ports and keys", () => {
    const hover = (text: string): string | undefined => {
      const { document, offset } = at(text);
      return document.hover(UNITS, offset)?.markdown;
    };
    expect(hover(marked("plant.x ->"))).toContain("**plant**: `plant.fmu`");
    expect(hover(marked("plant.x ->", 6))).toContain("**plant.x**: output, float64 (m)");
    expect(hover(marked("controller.force, to", 13))).toContain("the force");
    expect(hover(marked("on: true"))).toContain("**plant-2.on**");
    expect(hover(marked("record:"))).toContain("What to record");
    expect(hover(`${HEAD}master: gauss‸-seidel\n`)).toContain("**master**");
    expect(hover(`${HEAD}name: any‸thing\n`)).toBeUndefined();
  });

  it("[LS75] goes from a name to its unit, from a path to its file, from a port to its declaration", () => {
    const definition = (text: string) => {
      const { document, offset } = at(text);
      return document.definition(offset);
    };
    const declared = TEXT.indexOf("plant:");
    const here = { kind: "here", span: { offset: declared, end: declared + 5 } };
    expect(definition(marked("plant.x ->"))).toMatchObject(here);
    // An FMU has no text to go to.
    expect(definition(marked("plant.x ->", 7))).toMatchObject(here);
    expect(definition(marked("controller.mjs"))).toMatchObject({ source: "controller.mjs" });
    expect(definition(marked("controller.force, to", 12))).toMatchObject({
      kind: "there",
      source: "controller.mjs",
      port: "force",
    });
    const nested = SCENARIO_LANGUAGE.open("units: {}\nports: { u: plant.F }\n", "inner.yaml");
    expect(nested.declarationOf("u")).toMatchObject({ offset: 19 });
  });

  it("[LS76] finds all uses of a unit, and renames it everywhere", () => {
    const { document, offset } = at(marked("plant.x ->"));
    expect(document.uses(offset)).toHaveLength(6);
    const edits = document.rename(UNITS, offset, "body");
    if ("refused" in edits) throw new Error(edits.refused);
    const renamed = applyEdits(document.text, edits);
    expect(renamed).toBe(
      TEXT.replace("  plant: plant.fmu", "  body: plant.fmu")
        .replace("- plant.x ->", "- body.x ->")
        .replace("to: plant.F", "to: body.F")
        .replace("- plant fails", "- body fails")
        .replace("- plant.x stuck", "- body.x stuck")
        .replace("[plant.*", "[body.*"),
    );
    expect(parseScenarioYaml(renamed, "x.yaml").diagnostics).toEqual([]);
  });

  it("[LS76] refuses names that are taken or are none, and ports, which units name", () => {
    const refused = (text: string, to: string): string => {
      const { document, offset } = at(text);
      const edits = document.rename(UNITS, offset, to);
      return "refused" in edits ? edits.refused : "";
    };
    expect(refused(marked("plant.x ->"), "controller")).toContain("another unit");
    expect(refused(marked("plant.x ->"), "two words")).toContain("not a name of a unit");
    expect(refused(marked("plant.x ->"), "a: b")).toContain("not a name of a unit");
    expect(refused(marked("plant.x ->", 7), "y")).toContain("is not declared in this text");
    expect(refused(marked("stuck"), "y")).toBe("There is no name here.");
  });

  it("[LS77] marks what a finding is about, and writes what was meant", () => {
    const text = "units: { plant: plant.fmu }\nconection: []\nrecord: { evry: 2 }\n";
    const document = SCENARIO_LANGUAGE.open(text, "x.yaml");
    const { diagnostics } = parseScenarioYaml(text, "x.yaml");
    const spans = diagnostics.map((one) => document.spanOf(one));
    expect(spans.map(({ offset, end }) => text.slice(offset, end))).toEqual(["conection", "evry"]);
    const fixed = diagnostics.flatMap((one) => document.fix(one)?.edit ?? []);
    expect(applyEdits(text, fixed)).toContain("connections: []\nrecord: { every: 2 }");
  });

  it("[LS77] writes the port that was meant, not the unit that the message names too", () => {
    const text = "units: { power: power.fmu }\nconnections:\n  - power.omgea -> window.speed\n";
    const document = SCENARIO_LANGUAGE.open(text, "x.yaml");
    const fix = document.fix({
      code: "unknown-port",
      severity: "error",
      message: "'power' has no port 'omgea'",
      fix: "did you mean 'omega'?",
      place: { file: "x.yaml", line: 3, column: 5 },
    });
    expect(fix?.title).toBe("Write 'omega' in place of 'omgea'");
    expect(applyEdits(text, fix ? [fix.edit] : [])).toContain("- power.omega -> window.speed");
  });

  it("[LS77] lists units and sections", () => {
    const outline = SCENARIO_LANGUAGE.open(TEXT, "x.yaml").outline();
    expect(outline.map(({ name }) => name)).toEqual([
      "plant",
      "controller",
      "plant-2",
      "connections",
      "faults",
      "record",
    ]);
  });
});

describe("which files are scenarios", () => {
  it.each([
    ["scenario.yaml", "", true],
    ["a/winter.scenario.yml", "", true],
    ["faulty.yaml", "name: x\nunits: {}\n", true],
    ["workflow.yml", "jobs:\n  build: {}\n", false],
    ["compose.yaml", "services:\n  units: {}\n", false],
    ["light.machine.yaml", "", true],
    ["x.sa", "", true],
  ])("[LS78] %s", (path, text, served) => {
    expect(isServed(path, text)).toBe(served);
  });

  it("[LS78] YAML has a language, and no formatter", () => {
    expect(languageOf("x.yaml")?.id).toBe("scenario");
    expect(languageOf("x.yaml")?.format).toBeUndefined();
    expect(languageOf("x.machine.yaml")?.id).toBe("machine");
  });
});

const ROOT = join(import.meta.dirname, "../../../../../..");
const EXAMPLES = readdirSync(join(ROOT, "examples"), { recursive: true, encoding: "utf8" })
  .filter((name) => /scenario\.yaml$|faulty\.yaml$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(ROOT, "examples", name), "utf8") }));

describe("unfinished scenarios", () => {
  it.each(EXAMPLES)(
    "[LS5] are answered at any place of $name, whole or cut off",
    ({ text }) => {
      for (let at = 0; at < text.length; at += 17)
        for (const one of [text, text.slice(0, at)]) {
          const offset = Math.min(at, one.length);
          const document = SCENARIO_LANGUAGE.open(one, "x.yaml");
          document.complete(UNITS, offset);
          document.hover(UNITS, offset);
          document.definition(offset);
          document.uses(offset);
          document.insideText(offset);
          document.outline();
        }
    },
    60_000,
  );

  it("[LS5] answer where a text is nested too deeply, or is nothing at all", () => {
    for (const text of ["[".repeat(20_000), "", "\t", "units:\n\t- [", '"', "&a *a", "? {"]) {
      const document = SCENARIO_LANGUAGE.open(text, "x.yaml");
      document.complete(UNITS, text.length);
      document.rename(UNITS, 0, "x");
      expect(document.outline()).toEqual([]);
    }
  });
});
