/**
 * From resolved scenarios to trees of units that can become C: what is used twice, what cannot, and
 * under which names.
 */
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../base/diagnostic.ts";
import type { ExportNode } from "../export/exported-fmu.ts";
import { fmi3 } from "../fmi/testing/description-text.ts";
import type { Scenario } from "../model/scenario.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { describedUnit } from "../plan/testing/described-unit.ts";
import { scenarioOf } from "../plan/testing/scenario-of.ts";
import type { UnitUse } from "../run/open-units.ts";
import { adaptationTree, scenarioTree } from "./export-tree.ts";
import type { ExportContext, Source } from "./sources/source.ts";
import type { SourceTree } from "./sources/tree.ts";
import { fmuStub } from "./testing/fmu-stub.ts";

const moore = describedUnit("u -> y", { through: "" });

/** A node that says for which unit it was made. */
const nodeFor = (name: string, description: UnitDescription): ExportNode =>
  ({ kind: "fmu", description: { ...description, name }, fmu: {} }) as unknown as ExportNode;

interface Stub {
  readonly isModule?: boolean;
  readonly toC?: (use: UnitUse, around: ExportContext) => ExportNode | undefined;
}

/** A tree in which every unit is made at once; `stubs` by path. */
function treeOf(scenario: Scenario, stubs: Readonly<Record<string, Stub>> = {}) {
  const uses: UnitUse[] = [];
  const reported: Diagnostic[] = [];
  const sourceOf = (source: { readonly path: string }): Source => {
    const { isModule = false, toC } = stubs[source.path] ?? {};
    const made = (use: UnitUse, around: ExportContext): ExportNode | undefined => {
      uses.push(use);
      return toC === undefined ? nodeFor(use.name, moore) : toC(use, around);
    };
    return {
      path: `/somewhere/${source.path}.mjs`,
      describe: () => moore,
      open: () => Promise.reject(new Error("test: nothing is opened")),
      ...(isModule ? {} : { toC: made }),
    };
  };
  const tree = { sourceOf } as unknown as SourceTree;
  const options = { needsBinaries: false, report: (d: Diagnostic) => void reported.push(d) };
  const made = scenarioTree(scenario, tree, options);
  return { made, uses, reported, codes: reported.map(({ code }) => code), tree, options };
}

const pair = (step = 0.1): Scenario => scenarioOf({ a: moore, b: moore }, "a.y -> b.u", { step });

describe("a scenario", () => {
  it("becomes a plan with the units in its order, used as the plan uses them", () => {
    const { made, uses, codes } = treeOf(pair());
    expect(codes).toEqual([]);
    const root = made?.root;
    if (root?.kind !== "plan") throw new Error("test: no plan");
    expect(root.units.map(({ description }) => description.name)).toEqual(["a", "b"]);
    expect(uses.map(({ name, hasEvents }) => [name, hasEvents])).toEqual([
      ["a", false],
      ["b", false],
    ]);
    expect(root.plan.step).toBe(0.1);
  });

  it("records every element of the outputs that it shows, and no inputs or parameters", () => {
    const ports = [
      ...describedUnit("u, v -> y, z", { through: "" }).ports,
      { ...moore.ports[0], index: 4, name: "k", direction: "parameter" as const },
    ].map((port) => (port.name === "z" ? { ...port, shape: [3] } : port));
    const { made } = treeOf(scenarioOf({ a: { ...moore, ports } }, "", { step: 1 }));
    if (made?.root.kind !== "plan") throw new Error("test: no plan");
    const { columns, every } = made.root.plan.record;
    expect(columns.map(({ port, element }) => [port, element])).toEqual([
      [2, 0],
      [3, 0],
      [3, 1],
      [3, 2],
    ]);
    expect(every).toBe(1);
  });

  it("is refused with every unit that cannot become C, by file name", () => {
    const { made, codes, reported } = treeOf(pair(), {
      a: { isModule: true },
      b: { isModule: true },
    });
    expect(made).toBeUndefined();
    expect(codes).toEqual(["export-module", "export-module"]);
    expect(reported[1].message).toContain("'b'");
    expect(reported[1].message).toContain("b.mjs");
    expect(reported[1].message).not.toContain("/somewhere");
  });

  it("is refused where its plan cannot be made, with the findings of the plan", () => {
    const scenario = { ...pair(), experiment: {} };
    const { made, codes, uses } = treeOf(scenario);
    expect([made, codes, uses]).toEqual([undefined, ["step-missing"], []]);
  });

  it("is refused where its master decides while it runs", () => {
    const able = describedUnit("u -> y", {
      through: "",
      capabilities: { rollback: true, variableStep: true },
    });
    const iterated = scenarioOf({ a: able, b: able }, "a.y -> b.u; b.y -> a.u", {
      step: 1,
      master: "iterative",
    });
    const { made, codes, reported } = treeOf(iterated);
    expect(made).toBeUndefined();
    expect(codes).toEqual(["export-run-time-master"]);
    expect(reported[0].message).toContain("iterative");
  });
});

describe("a scenario inside another one", () => {
  function nested(inner: Scenario, step: number): Scenario {
    const outer = scenarioOf({ box: moore, b: moore }, "box.y -> b.u", { step });
    return {
      ...outer,
      units: outer.units.map((unit, u) => (u === 0 ? { ...unit, scenario: inner } : unit)),
    };
  }
  const exposed = (step?: number): Scenario => ({
    ...scenarioOf({ p: moore, q: moore }, "p.y -> q.u", step === undefined ? {} : { step }),
    ports: [
      { name: "u", inner: { unit: 0, port: 0 } },
      { name: "y", inner: { unit: 1, port: 1 } },
    ],
  });

  it("has names in full, the description that it has outside, and no columns", () => {
    const { made, uses } = treeOf(nested(exposed(0.05), 0.1));
    expect(uses.map(({ name }) => name)).toEqual(["box.p", "box.q", "b"]);
    if (made?.root.kind !== "plan") throw new Error("test: no plan");
    const [box] = made.root.units;
    if (box.kind !== "plan") throw new Error("test: no plan inside");
    expect(box.description).toBe(moore);
    expect(box.plan.step).toBe(0.05);
    expect(box.plan.record.columns).toEqual([]);
  });

  it("takes the step of its unit where it has none of its own", () => {
    const { made } = treeOf(nested(exposed(), 0.2));
    if (made?.root.kind !== "plan" || made.root.units[0].kind !== "plan")
      throw new Error("test: no plan inside");
    expect(made.root.units[0].plan.step).toBe(0.2);
  });

  it.each([
    [0.1, 0.1, true],
    [0.1, 0.3, true],
    [0.2, 0.1, false],
    [0.3, 0.4, false],
  ])("with steps of %f s fills a step of %f s: %o", (inner, outer, fits) => {
    const { made, codes, reported } = treeOf(nested(exposed(inner), outer));
    expect(made !== undefined).toBe(fits);
    expect(codes).toEqual(fits ? [] : ["nested-step"]);
    if (!fits) expect(reported[0].message).toContain("'box'");
  });
});

describe("what is used twice", () => {
  it("becomes one node for each key", () => {
    let count = 0;
    const toC = (use: UnitUse, around: ExportContext): ExportNode | undefined =>
      around.once("shared", use.name === "c" ? "other" : "", () => {
        count++;
        return nodeFor(use.name, moore);
      });
    const scenario = scenarioOf({ a: moore, b: moore, c: moore }, "", { step: 1 });
    const { made } = treeOf(scenario, { a: { toC }, b: { toC }, c: { toC } });
    if (made?.root.kind !== "plan") throw new Error("test: no plan");
    const [a, b, c] = made.root.units;
    expect(a).toBe(b);
    expect(c).not.toBe(a);
    expect(count).toBe(2);
  });

  it("is tried again where nothing came of it, so that each unit is reported", () => {
    let count = 0;
    const toC = (_: UnitUse, around: ExportContext): ExportNode | undefined =>
      around.once("shared", "", () => {
        count++;
        return undefined;
      });
    expect(treeOf(pair(), { a: { toC }, b: { toC } }).made).toBeUndefined();
    expect(count).toBe(2);
  });

  it("goes into one folder per FMU file, named after it without what a path cannot have", () => {
    const files = ["/x/pump.fmu", "/y/pump.fmu", "/x/two words & more.fmu"].map((path) =>
      fmuStub(path, fmi3()),
    );
    const folders: string[] = [];
    const toC = (use: UnitUse, around: ExportContext): ExportNode => {
      for (const file of [...files, files[0]]) folders.push(around.folderFor(file));
      return nodeFor(use.name, moore);
    };
    const { made } = treeOf(scenarioOf({ a: moore }, "", { step: 1 }), { a: { toC } });
    expect(folders).toEqual(["pump", "pump-2", "two_words_more", "pump"]);
    expect([...(made?.inner ?? [])].map(([folder, { path }]) => [folder, path])).toEqual([
      ["pump", "/x/pump.fmu"],
      ["pump-2", "/y/pump.fmu"],
      ["two_words_more", "/x/two words & more.fmu"],
    ]);
  });
});

describe("an adaptation alone", () => {
  const source = (toC?: Source["toC"]): Source => ({
    path: "/x/filter.sa",
    describe: () => moore,
    open: () => Promise.reject(new Error("test: nothing is opened")),
    ...(toC && { toC }),
  });

  it("is made with its own name, slopes and no events", () => {
    const uses: UnitUse[] = [];
    const { tree, options } = treeOf(pair());
    const made = adaptationTree(
      source((use) => {
        uses.push(use);
        return nodeFor(use.name, moore);
      }),
      "filter",
      tree,
      options,
    );
    expect(made?.root.description.name).toBe("filter");
    expect(uses).toEqual([
      {
        name: "filter",
        structural: new Map(),
        takesSlopes: true,
        hasEvents: false,
        mayReturnEarly: false,
        start: 0,
        place: { file: "/x/filter.sa" },
      },
    ]);
  });

  it("is reported where it cannot become C", () => {
    const { tree, options, reported } = treeOf(pair());
    expect(adaptationTree(source(), "filter", tree, options)).toBeUndefined();
    expect(reported.map(({ code }) => code)).toEqual(["export-module"]);
  });
});
