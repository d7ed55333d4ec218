/**
 * The tree of sources over files in memory: what is read, in which order, how often; and what is
 * said of it.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { hasErrors } from "../../base/diagnostic.ts";
import { parseScenarioYaml } from "../../lang/scenario/parse-scenario.ts";
import type { ScenarioDraft, UnitSource } from "../../model/scenario.ts";
import { fileKind } from "../../model/source-kind.ts";
import { functionUnit } from "../../unit/function-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { DISK_TEXTS, type Files } from "./files.ts";
import { SOURCE_KINDS } from "./kinds.ts";
import { lazily } from "./source.ts";
import { SourceTree } from "./tree.ts";

const FOLDER = "/project";
const at = (name: string): string => resolve(FOLDER, name);

const ramp = (name: string): Unit =>
  functionUnit(
    {
      name: "ramp",
      outputs: { y: { feedThrough: [] } },
      evaluate: (t, _u, _p, y) => {
        y[0] = t;
      },
    },
    name,
  );

/** Files in memory, with a record of what happens to them. */
function memory(texts: Readonly<Record<string, string>>, more: Partial<Files> = {}) {
  const log: string[] = [];
  const known = new Map(Object.entries(texts).map(([name, text]) => [at(name), text]));
  const short = (path: string): string => path.replace(`${FOLDER}/`, "");
  const files: Files = {
    exists: (path) => known.has(path),
    text(path) {
      log.push(`text ${short(path)}`);
      const text = known.get(path);
      if (text !== undefined) return text;
      throw Object.assign(new Error("not there"), { code: "ENOENT", syscall: "open" });
    },
    fmu: () => ({ diagnostics: [] }),
    notTrusted: () => undefined,
    async module(path) {
      log.push(`module ${short(path)}`);
      const make = (name: string): Unit => {
        log.push(`make ${name}`);
        return ramp(name);
      };
      return { default: make, other: make, broken: () => fail(), nothing: 3 };
    },
    package: async () => ({ diagnostics: [] }),
    ...more,
  };
  return { log, tree: new SourceTree(files, "/nowhere") };
}

function fail(): never {
  throw new Error("cannot be made");
}

async function load(texts: Readonly<Record<string, string>>, more?: Partial<Files>) {
  const { log, tree } = memory(texts, more);
  const draft = (await tree.readDraft(at("scenario.yaml"))) as ScenarioDraft;
  if (draft !== undefined) await tree.readUnits(draft);
  const whenRead = [...log];
  const readCodes = tree.diagnostics.map(({ code }) => code);
  const { value, diagnostics } = draft === undefined ? { diagnostics: [] } : tree.resolve(draft);
  const found = [...tree.diagnostics, ...diagnostics];
  return { tree, log, whenRead, readCodes, value, found, codes: found.map(({ code }) => code) };
}

const SCENARIO = (units: string): string => `
units: ${units}
experiment: { stop: 1, step: 0.1 }
`;
const ADAPTATION = (source: string, inner = "y"): string => `
semantic adaptation delayed moore OuterSA outer
for inner fmu Ramp ramp at "${source}"
output ports twice
out rules { true -> { } --> { outer.twice := 2 * ramp.${inner}; }; }
`;
const NESTED = (source: string, step = ", step: 0.1"): string => `
units: { ramp: ${source} }
ports: { y: ramp.y }
experiment: { stop: 1${step} }
`;

describe("what a scenario names", () => {
  it("is read as a whole before anything is described", async () => {
    const { whenRead, log, codes } = await load({
      "scenario.yaml": SCENARIO("{ a: outer.sa, b: ramp.mjs }"),
      "outer.sa": ADAPTATION("nested.yaml"),
      "nested.yaml": NESTED("inner.mjs"),
      "ramp.mjs": "",
      "inner.mjs": "",
    });
    expect(codes).toEqual([]);
    expect(whenRead).toEqual([
      "text scenario.yaml",
      "text outer.sa",
      "text nested.yaml",
      "module inner.mjs",
      "module ramp.mjs",
    ]);
    expect(log.slice(whenRead.length).sort()).toEqual(["make b", "make ramp"]);
  });

  it("is read once and described once, however many units are made of it", async () => {
    const { log, codes, value } = await load({
      "scenario.yaml": SCENARIO("{ a: outer.sa, b: outer.sa, c: ramp.mjs, d: ramp.mjs }"),
      "outer.sa": ADAPTATION("nested.yaml"),
      "nested.yaml": NESTED("ramp.mjs"),
      "ramp.mjs": "",
    });
    expect(codes).toEqual([]);
    expect(value?.units.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
    expect(new Set(log).size).toBe(log.length);
    expect(log.filter((entry) => entry.startsWith("make"))).toHaveLength(1);
  });

  it("has its findings once, also where two adaptations contain it", async () => {
    const { found, readCodes, value } = await load({
      "scenario.yaml": SCENARIO("{ a: one.sa, b: two.sa }"),
      "one.sa": ADAPTATION("nested.yaml"),
      "two.sa": ADAPTATION("nested.yaml"),
      "nested.yaml": NESTED("ramp.mjs").replace("ramp.y", "ramp.z"),
      "ramp.mjs": "",
    });
    expect(value).toBeUndefined();
    // Whether a name means something shows when everything is known.
    expect(readCodes).toEqual([]);
    const inside = found.filter(({ place }) => place.file === at("nested.yaml"));
    expect(inside.map(({ code }) => code)).toEqual([...new Set(inside.map(({ code }) => code))]);
    expect(inside).not.toEqual([]);
    const broken = found.filter(({ code }) => code === "unit-source-broken");
    expect(broken.map(({ place }) => place.file)).toEqual([at("one.sa"), at("two.sa")]);
    expect(found.filter(({ code }) => code === "unit-not-loaded")).toHaveLength(2);
  });

  it("ends with a report where files contain each other", async () => {
    const { codes, found } = await load({
      "scenario.yaml": SCENARIO("{ a: outer.sa }"),
      "outer.sa": ADAPTATION("nested.yaml"),
      "nested.yaml": NESTED("inner.sa"),
      "inner.sa": ADAPTATION("nested.yaml"),
    });
    expect(hasErrors(found)).toBe(true);
    expect(codes).toContain("unit-source-broken");
    const itself = await load({
      "scenario.yaml": SCENARIO("{ a: outer.sa }"),
      "outer.sa": ADAPTATION("other.sa"),
      "other.sa": ADAPTATION("outer.sa"),
    });
    expect(itself.codes).toContain("adaptation-nests-itself");
    const scenario = await load({
      "scenario.yaml": SCENARIO("{ a: { scenario: scenario.yaml } }"),
    });
    expect(scenario.codes).toContain("scenario-nests-itself");
  });

  it.each([
    [
      "a file that is not there",
      { "scenario.yaml": SCENARIO("{ a: no.sa }") },
      "unit-source-broken",
    ],
    [
      "a scenario that is not there",
      { "scenario.yaml": SCENARIO("{ a: { scenario: no.yaml } }") },
      "scenario-unreadable",
    ],
    [
      "a scenario inside an adaptation that is not there",
      { "scenario.yaml": SCENARIO("{ a: o.sa }"), "o.sa": ADAPTATION("no.yaml") },
      "unit-source-broken",
    ],
    [
      "a scenario without a step inside an adaptation",
      {
        "scenario.yaml": SCENARIO("{ a: o.sa }"),
        "o.sa": ADAPTATION("n.yaml"),
        "n.yaml": NESTED("r.mjs", ""),
        "r.mjs": "",
      },
      "adaptation-inner-step",
    ],
    [
      "an inner unit that is none",
      { "scenario.yaml": SCENARIO("{ a: o.sa }"), "o.sa": ADAPTATION("notes.txt") },
      "adaptation-inner-source",
    ],
    [
      "an export that the module does not have",
      { "scenario.yaml": SCENARIO("{ a: { module: r.mjs, export: missing } }"), "r.mjs": "" },
      "module-not-a-unit",
    ],
    [
      "an export that is not a function",
      { "scenario.yaml": SCENARIO("{ a: { module: r.mjs, export: nothing } }"), "r.mjs": "" },
      "module-not-a-unit",
    ],
    [
      "a module that makes nothing",
      { "scenario.yaml": SCENARIO("{ a: { module: r.mjs, export: broken } }"), "r.mjs": "" },
      "module-not-a-unit",
    ],
    [
      "an FMU that cannot be used",
      { "scenario.yaml": SCENARIO("{ a: m.fmu }"), "m.fmu": "" },
      "unit-source-broken",
    ],
    [
      "an adaptation that is left open",
      {
        "scenario.yaml": SCENARIO("{ a: o.sa }"),
        "o.sa": ADAPTATION("r.mjs").replace(' at "r.mjs"', ""),
      },
      "adaptation-open",
    ],
  ])("is refused with its reason: %s", async (_, texts, code) => {
    const { codes, found, value } = await load(texts);
    expect(codes).toContain(code);
    expect(hasErrors(found)).toBe(true);
    expect(value).toBeUndefined();
  });

  it("one bad unit among several is named, and only that", async () => {
    for (const bad of ["a", "b", "c"]) {
      const units = ["a", "b", "c"].map((name) => `${name}: ${name === bad ? "no" : "r"}.mjs`);
      const { found } = await load({
        "scenario.yaml": SCENARIO(`{ ${units.join(", ")} }`),
        "r.mjs": "",
      });
      const errors = found.filter(({ severity }) => severity === "error");
      expect(errors.map(({ code }) => code)).toEqual(["unit-source-broken", "unit-not-loaded"]);
      for (const { message } of errors) expect(message).toContain(`'${bad}'`);
    }
  });

  it("a module that Node cannot load says what to do", async () => {
    const unknown = Object.assign(new Error("no"), { code: "ERR_UNKNOWN_FILE_EXTENSION" });
    const { codes } = await load(
      { "scenario.yaml": SCENARIO("{ a: r.ts }"), "r.ts": "" },
      { module: () => Promise.reject(unknown) },
    );
    expect(codes).toContain("module-typescript");
    const other = await load(
      { "scenario.yaml": SCENARIO("{ a: r.mjs }"), "r.mjs": "" },
      { module: () => Promise.reject(new Error("syntax")) },
    );
    expect(other.found[0]?.message).toContain("it cannot be loaded: syntax");
  });

  it("a scenario that must not be read inside an adaptation is not", async () => {
    const texts = {
      "scenario.yaml": SCENARIO("{ a: o.sa }"),
      "o.sa": ADAPTATION("n.yaml"),
      "n.yaml": NESTED("r.mjs"),
      "r.mjs": "",
    };
    const { log, found } = await load(texts, { refusedScenario: () => "not now" });
    expect(log).toEqual(["text scenario.yaml", "text o.sa"]);
    expect(found[0]?.message).toContain("not now");
  });

  it("errors other than those of the system are not taken for findings", async () => {
    const broken = memory({}, { text: fail });
    await expect(broken.tree.readDraft(at("scenario.yaml"))).rejects.toThrow("cannot be made");
  });
});

describe("guards of masters", () => {
  const text = `${SCENARIO("{ a: r.mjs }")}master: { name: adaptive, guard: guard.json }\n`;

  it("are read over the same files", async () => {
    const { log, codes } = await load({ "scenario.yaml": text, "r.mjs": "", "guard.json": "{}" });
    expect(log).toContain("text guard.json");
    expect(codes.length).toBeGreaterThan(0);
  });

  it("take the place of their path where their proof holds, and only there", async () => {
    const file = new URL("../../../../../examples/double-mass/guard.json", import.meta.url);
    const guard = readFileSync(file, "utf8");
    const { tree } = memory({ "scenario.yaml": text, "guard.json": guard });
    const draft = await tree.readDraft(at("scenario.yaml"));
    expect(tree.diagnostics).toEqual([]);
    const { matrices } = JSON.parse(guard) as { matrices: Readonly<Record<string, unknown>> };
    const policies = Object.keys(matrices);
    expect(draft?.master.options["guard"]).toMatchObject({ policies });
    const damaged = guard.replace(/("(?:matrices|forms)"[^\d-]*)(-?[\d.e-]+)/, "$1-7$2");
    expect(damaged).not.toBe(guard);
    const changed = memory({ "scenario.yaml": text, "guard.json": damaged });
    const refused = await changed.tree.readDraft(at("scenario.yaml"));
    expect(hasErrors(changed.tree.diagnostics)).toBe(true);
    expect(refused?.master.options["guard"]).toBe("off");
  });

  it("are refused where they are missing", async () => {
    const { found } = await load({ "scenario.yaml": text, "r.mjs": "" });
    const [first] = found.filter(({ code }) => code === "guard-unusable");
    expect(first?.message).toContain("there is no such file");
  });
});

describe("a name with a zero byte", () => {
  it.each(["x\0y.machine.yaml", "x\0.yaml", "x\0.mcl", "x\0.sa"])(
    "is that of no file: %j",
    async (name) => {
      const texts = { "scenario.yaml": `units: { a: ${JSON.stringify(name)} }\n` };
      const { tree } = memory(texts, { text: DISK_TEXTS.text, exists: DISK_TEXTS.exists });
      const draft = parseScenarioYaml(texts["scenario.yaml"], at("scenario.yaml")).value;
      if (draft === undefined) throw new Error("the scenario is not read");
      await tree.readUnits(draft);
      expect(tree.diagnostics.map(({ message }) => message).join()).toContain(
        "there is no such file",
      );
    },
  );
});

describe("the table of kinds", () => {
  it("has a row for every ending of a file", () => {
    const endings = ["fmu", "js", "mjs", "ts", "mts", "sa", "yaml", "yml", "ssp", "ssd"];
    const kinds = new Set(endings.map((ending) => fileKind(`x.${ending}`)));
    expect(kinds).not.toContain(undefined);
    for (const kind of kinds) expect(SOURCE_KINDS).toHaveProperty(kind as UnitSource["kind"]);
  });

  it("only scenarios have drafts of their own", () => {
    const withDraft = Object.entries(SOURCE_KINDS).filter(([, kind]) => "readDraft" in kind);
    expect(withDraft.map(([name]) => name)).toEqual(["scenario", "scenario-file"]);
  });
});

describe("sourceOf", () => {
  it("knows what was read or added, and nothing else", async () => {
    const { tree, value } = await load({ "scenario.yaml": SCENARIO("{ a: r.mjs }"), "r.mjs": "" });
    expect(tree.sourceOf(value!.units[0]!.source).path).toBe(at("r.mjs"));
    const strange: UnitSource = { kind: "module", path: "strange.mjs" };
    expect(() => tree.sourceOf(strange)).toThrow("internal");
    const source = tree.sourceOf(value!.units[0]!.source);
    tree.add(strange, source);
    expect(tree.sourceOf(strange)).toBe(source);
  });
});

describe("what has no description", () => {
  it("is not used", async () => {
    const { tree } = memory({
      "o.sa": ADAPTATION("n.yaml"),
      "n.yaml": NESTED("r.mjs", ""),
      "r.mjs": "",
    });
    const place = { file: at("x.yaml") };
    const unit = (path: string, kind: "adaptation" | "scenario-file") =>
      ({ name: "u", source: { kind, path }, values: [], place }) as const;
    for (const one of [unit("o.sa", "adaptation"), unit("n.yaml", "scenario-file")]) {
      const source = await tree.read(one, place.file, []);
      expect(source?.describe(new Map(), one)).toBeUndefined();
      const use = { ...one, structural: new Map<string, number>() } as never;
      await expect(async () => source?.open(use, {} as never)).rejects.toThrow("internal");
    }
  });
});

describe("lazily", () => {
  it("makes once, also where nothing came of it", () => {
    let calls = 0;
    const nothing = lazily(() => {
      calls++;
      return undefined;
    });
    expect([nothing(), nothing(), calls]).toEqual([undefined, undefined, 1]);
  });

  it("gives nothing to what asks for itself", () => {
    const itself: () => number[] | undefined = lazily(() => [itself() === undefined ? 1 : 2]);
    expect(itself()).toEqual([1]);
    expect(itself()).toEqual([1]);
  });
});
