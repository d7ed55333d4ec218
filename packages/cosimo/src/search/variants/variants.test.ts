import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { parseScenarioYaml } from "../../lang/scenario/parse-scenario.ts";
import type { HintFact } from "../../model/requirement.ts";
import type { Scenario } from "../../model/scenario.ts";
import { standIn as able } from "../../model/testing/stand-in-units.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { compilePlan } from "../../plan/compile.ts";
import { scenarioOf } from "../../plan/testing/scenario-of.ts";
import { editScenario } from "./edit-scenario.ts";
import { unheededText } from "./heeded.ts";
import { hintedScenario, spaceFromHints } from "./hint-rules.ts";
import { widerSpace } from "./knowledge.ts";
import { isExecutable, obstacleText, operationSchedule, scheduleOf } from "./operation-schedule.ts";
import { decisionsOf, variantLabel } from "./space.ts";
import { rankedVariants, variantCount, variantDiagram } from "./variant-diagram.ts";

const place = { file: "test.hint" };
const rate = (unit: string, hertz: number): HintFact => ({
  kind: "rate",
  unit,
  hertz,
  name: "r",
  place,
});
const bond = (a: string, b: string): HintFact => ({
  kind: "power-bond",
  ports: [a, b],
  name: "power",
  place,
});

/** As the thesis has them: no rollback. */
const standIn = (name: string, notation: string): UnitDescription => {
  const unit = able(name, notation);
  return { ...unit, capabilities: { ...unit.capabilities, rollback: false } };
};

const UNITS = {
  environment: standIn("environment", "out ref ~discrete; out psu"),
  controller: standIn("controller", "in ref; in xaft; in x; out u ~discrete"),
  plant: standIn("plant", "in u; in psu; in v @m/s; out f @N; out x"),
  load: standIn("load", "in f @N; out v @m/s; out xaft"),
};
const HOLDS = { variableStep: false, inputDerivativeOrder: 0 } as const;
const WIRES = [
  "environment.ref -> controller.ref",
  "environment.psu -> plant.psu",
  "controller.u -> plant.u",
  "plant.x -> controller.x",
  "load.xaft -> controller.xaft",
  "plant.f -> load.f",
  "load.v -> plant.v",
];
/** Figure 8.2 of the thesis, with the hints of figure 8.6. */
const thesis = (
  hints: readonly HintFact[] = [rate("controller", 1e6), bond("plant.f", "load.v")],
): Scenario => ({
  ...scenarioOf(UNITS, WIRES.join("; "), { step: 1e-6 }),
  hints,
});

describe("spaces from hints", () => {
  it("[SR1] [SR4] examples 26 to 28 of the thesis: four variants, in this order", () => {
    const space = spaceFromHints(hintedScenario(thesis()));
    expect(variantCount(space)).toBe(4);
    expect([...rankedVariants(space)].map(variantLabel)).toEqual([
      "H = 1e-7 s, R of environment = 100",
      "H = 1e-7 s, R of environment = 10",
      "H = 1e-6 s, R of environment = 100",
      "H = 1e-6 s, R of environment = 10",
    ]);
    // Example 27: the finest step has the greatest weight of all, so H is next to the root.
    const [first] = variantDiagram(space);
    expect(first).toMatchObject({ name: "H", choices: [{ label: "1e-7 s" }, { label: "1e-6 s" }] });
    expect(space.notes).toEqual([]);
  });

  it("[SR1] rule 1: inputs of software and inputs that it feeds are delayed", () => {
    const { fixed } = spaceFromHints(hintedScenario(thesis()));
    const delayed = fixed.flatMap(({ decision }) =>
      decision.kind === "input" && decision.inputKind === "delayed" ? [decision.to] : [],
    );
    expect(delayed.sort()).toEqual([
      "controller.ref",
      "controller.x",
      "controller.xaft",
      "plant.u",
    ]);
  });

  it("[SR1] rule 2: with several rates the step is the period of the slowest", () => {
    const space = spaceFromHints(
      hintedScenario(thesis([rate("controller", 1e6), rate("environment", 1e4)])),
    );
    expect(space.points.map(({ name }) => name)).not.toContain("H");
    const decisions = space.fixed.map(({ decision }) => decision);
    expect(decisions).toContainEqual({ kind: "step", seconds: 1e-4 });
    expect(decisions).toContainEqual({ kind: "period", unit: "controller", seconds: 1e-6 });
    const all = [rate("controller", 1e6), rate("environment", 1e4), bond("plant.f", "load.v")];
    const closed = spaceFromHints(hintedScenario(thesis(all)));
    expect([...rankedVariants(closed)].map(variantLabel)).toEqual(["what the hints decide"]);
    const odd = spaceFromHints(
      hintedScenario(thesis([rate("controller", 1e6), rate("environment", 3e5)])),
    );
    expect(odd.notes[0]).toMatch(/are not multiples of the slowest one/);
  });

  it("[SR1] rule 3: a bond is the two connections between its units, effort and flow by their units", () => {
    const found = hintedScenario(thesis([bond("load.v", "plant.f")])).bonds;
    expect(found).toEqual([
      {
        name: "power",
        units: ["plant", "load"],
        effort: { from: "plant.f", to: "load.f" },
        flow: { from: "load.v", to: "plant.v" },
      },
    ]);
    expect(hintedScenario(thesis([bond("plant.x", "load.v")])).notes[0]).toMatch(
      /no two connections in opposite directions/,
    );
  });

  it("[SR1] rules 4 and 5: what no hint is about varies in rate and in how inputs are approximated", () => {
    const space = spaceFromHints(hintedScenario(thesis([rate("controller", 1e6)])));
    const names = space.points.map(({ name }) => name);
    expect(names).toEqual([
      "H",
      "R of environment",
      "R of plant",
      "inputs of plant",
      "R of load",
      "inputs of load",
    ]);
    const inputs = space.points.find(({ name }) => name === "inputs of plant");
    expect(inputs?.choices.map(({ label, weight }) => [label, weight])).toEqual([
      ["interpolated", 3],
      ["extrapolated", 1],
    ]);
    // What software feeds is decided, and jumps are not approximated by lines.
    const wires = inputs?.choices[0]?.decided.map(
      ({ decision }) => decision.kind === "input" && decision.to,
    );
    expect(wires).toEqual(["plant.psu", "plant.v"]);
    // What cannot follow a line gets none.
    const stiff = { ...UNITS.plant, capabilities: { ...UNITS.plant.capabilities, ...HOLDS } };
    const held = spaceFromHints(
      hintedScenario({
        ...scenarioOf({ ...UNITS, plant: stiff }, WIRES.join("; "), { step: 1e-6 }),
        hints: [rate("controller", 1e6)],
      }),
    );
    expect(held.points.map(({ name }) => name)).not.toContain("inputs of plant");
    expect(held.notes).toEqual([
      "inputs of 'plant' are held: it takes neither input derivatives nor steps of another size",
    ]);
    const none = spaceFromHints(hintedScenario(thesis([])));
    expect(none.points[0]?.choices.map(({ label }) => label)).toEqual(["1e-6 s", "1e-7 s"]);
  });

  it("[SR2] what is known of the units widens the space: schemes, orders, no correction", () => {
    const space = widerSpace(hintedScenario(thesis()));
    const labels = Object.fromEntries(
      space.points.map(({ name, choices }) => [name, choices.map(({ label }) => label)]),
    );
    expect(labels).toEqual({
      master: ["gauss-seidel, load before plant", "gauss-seidel, plant before load", "jacobi"],
      "bond power": ["energy given back", "plain"],
      H: ["1e-6 s", "1e-7 s"],
      "R of environment": ["100", "10", "1"],
    });
    const capable = Object.fromEntries(
      Object.entries(UNITS).map(([name, unit]) => [
        name,
        { ...unit, capabilities: { ...unit.capabilities, rollback: true, internalStep: 1e-6 } },
      ]),
    ) as typeof UNITS;
    const given = (...hints: HintFact[]) =>
      widerSpace(
        hintedScenario({ ...scenarioOf(capable, WIRES.join("; "), { step: 1e-6 }), hints }),
      );
    const wider = given(bond("plant.f", "load.v"));
    expect(wider.points[0]?.choices[0]?.label).toBe("iterative");
    // Software cannot see the end of the step, which iterated steps give to everything.
    const sober = given(rate("controller", 1e6), bond("plant.f", "load.v"));
    expect(sober.points[0]?.choices.map(({ label }) => label)).not.toContain("iterative");
    expect(wider.points.find(({ name }) => name === "H")?.choices).toHaveLength(1);
    expect(wider.notes[0]).toBe(
      "H = 1e-7 s is not a multiple of 0.000001 s, the internal step of 'environment'",
    );
  });
});

describe("the text of a variant", () => {
  const TEXT = `# what it is
units:
  environment: env.fmu
  controller: { fmu: ctl.fmu, set: { k: 3 } }
  plant: plant.fmu
  load: load.fmu # light
connections:
${WIRES.map((wire) => `  - ${wire}\n`).join("")}
experiment: { stop: 1 ms, step: 1 us }
master: jacobi
requirements:
  - always load.v < 3 m/s
`;

  it("[SR6] keeps what its author wrote and says why it changes something", () => {
    const space = spaceFromHints(hintedScenario(thesis()));
    const [, second] = rankedVariants(space);
    const { text, problems } = editScenario(TEXT, decisionsOf(space, second!), {
      withReasons: true,
      heading: ["Found by cosimo search."],
    });
    expect(problems).toEqual([]);
    expect(text).toBe(`# Found by cosimo search.

# what it is
units:
  environment: { fmu: env.fmu, step: 10 ns } # rule 4: no hint is about 'environment'
  controller: { fmu: ctl.fmu, set: { k: 3 } }
  plant: plant.fmu
  load: load.fmu # light
connections:
  - { from: environment.ref, to: controller.ref, kind: delayed } # rule 1: 'controller' is software, which cannot see the future
  - environment.psu -> plant.psu
  - { from: controller.u, to: plant.u, kind: delayed } # rule 1: 'controller' answers when it has computed
  - { from: plant.x, to: controller.x, kind: delayed } # rule 1: 'controller' is software, which cannot see the future
  - { from: load.xaft, to: controller.xaft, kind: delayed } # rule 1: 'controller' is software, which cannot see the future

bonds:
  # rule 3: plant.f and load.v carry power, and the exchange must not make any
  - name: power
    effort: plant.f -> load.f
    flow: load.v -> plant.v
    preserve: energy

experiment: { stop: 1 ms, step: 100 ns } # rule 5: steps of different orders of magnitude
master: gauss-seidel # the order of operations follows from the kinds of the inputs (definition 49)
requirements:
  - always load.v < 3 m/s
`);
    const draft = unwrap(parseScenarioYaml(text, "s.yaml"));
    expect(draft.experiment.step).toBeCloseTo(1e-7, 20);
    expect(draft.units[0]?.step).toBeCloseTo(1e-8, 15);
    expect(draft.bonds).toHaveLength(1);
    expect(draft.connections).toHaveLength(5);
  });

  it("[SR1] [SR6] interpolated units take several steps in one, around what adapts them", () => {
    const given = TEXT.replace("plant: plant.fmu", "plant: { fmu: plant.fmu, adapt: frame }");
    const space = spaceFromHints(hintedScenario(thesis([rate("controller", 1e6)])));
    const found = [...rankedVariants(space)].find((one) =>
      variantLabel(one).endsWith(
        "R of plant = 10, inputs of plant = interpolated, R of load = 10, inputs of load = extrapolated",
      ),
    );
    const { text, problems } = editScenario(given, decisionsOf(space, found!), {
      withReasons: false,
    });
    expect(problems).toEqual([]);
    expect(text).toContain(
      "plant: { fmu: plant.fmu, adapt: [frame, { multi-rate: { rate: 10 } }] }",
    );
    expect(text).toContain("load: { fmu: load.fmu, step: 10 ns }");
    expect(text).toContain("- { from: load.v, to: plant.v, kind: reactive }");
    expect(text).toContain("- { from: plant.f, to: load.f, kind: delayed, approximation: linear }");
    expect(parseScenarioYaml(text, "s.yaml").diagnostics).toEqual([]);
  });

  it("[SR6] software has its own step where the communication step is another one", () => {
    const space = widerSpace(hintedScenario(thesis()));
    const plain = (label: string): string => {
      const found = [...rankedVariants(space)].find((one) => variantLabel(one).includes(label));
      return editScenario(TEXT, decisionsOf(space, found!), { withReasons: false }).text;
    };
    expect(plain("bond power = plain, H = 1e-7 s")).toContain("set: { k: 3 }, step: 1 us }");
    expect(plain("energy given back, H = 1e-7 s")).not.toContain("step: 1 us");
  });

  it("[SR6] says what the text has no place for", () => {
    const space = spaceFromHints(hintedScenario(thesis()));
    const [first] = rankedVariants(space);
    const short = TEXT.replace("  - load.v -> plant.v\n", "  - load.* -> plant.*\n");
    const { problems } = editScenario(short, decisionsOf(space, first!), { withReasons: false });
    expect(problems).toEqual(["'load.v -> plant.v' is not written as a connection of its own"]);
  });
});

describe("what a plan does with inputs", () => {
  it("[SR3] is what the variant decides, or the variant is not executable", () => {
    const unheeded = (master: string, kind: "reactive" | "delayed"): string | undefined => {
      const scenario = scenarioOf(
        { plant: able("plant", "out f @N"), load: able("load", "in f @N") },
        "plant.f -> load.f",
        { step: 0.1, master, kind },
      );
      const decision = { kind: "input", from: "plant.f", to: "load.f", inputKind: kind } as const;
      return unheededText(scenario, unwrap(compilePlan(scenario, { record: [] })), [
        {
          decision: { ...decision, ...(kind === "delayed" && { approximation: "linear" }) },
          why: "",
        },
      ]);
    };
    expect(unheeded("gauss-seidel", "reactive")).toBeUndefined();
    expect(unheeded("iterative", "reactive")).toBeUndefined();
    expect(unheeded("jacobi", "reactive")).toBe(
      "'load.f' cannot be interpolated: under 'jacobi' its source has not always taken the step before",
    );
    expect(unheeded("iterative", "delayed")).toBe(
      "'load.f' is delayed, and 'iterative' gives it the end of the step",
    );
    // The connection itself says nothing of a line.
    expect(unheeded("jacobi", "delayed")).toBe("'load.f' cannot be extrapolated");
  });
});

describe("operation schedules", () => {
  const order = [0, 1, 2, 3];

  it("[SR3] are ordered by the conditions of a valid step", () => {
    const { connections, ...rest } = thesis();
    const scenario: Scenario = {
      ...rest,
      connections: connections.map((one, i) => ({
        ...one,
        kind: i === 5 ? "reactive" : "delayed",
      })),
    };
    const schedule = operationSchedule(scenario, { scheme: "gauss-seidel", order });
    expect(isExecutable(schedule)).toBe(true);
    const texts = (schedule.order ?? []).map((i) => schedule.operations[i]?.text ?? "");
    const at = (text: string): number => texts.indexOf(text);
    expect(texts).toHaveLength(4 + 2 * 7);
    // f is reactive: the plant steps first. All others are those of the start of the step.
    expect(at("step plant")).toBeLessThan(at("get plant.f"));
    expect(at("get plant.f")).toBeLessThan(at("set load.f"));
    expect(at("set load.f")).toBeLessThan(at("step load"));
    expect(at("set plant.v")).toBeLessThan(at("step load"));
    for (const { from, to } of schedule.edges)
      expect(schedule.order?.indexOf(from)).toBeLessThan(schedule.order?.indexOf(to) ?? -1);
  });

  it("[SR3] without an order say which operations wait for each other", () => {
    const scenario = scenarioOf(UNITS, "plant.f -> load.f; load.v -> plant.v", {
      kind: "reactive",
    });
    const schedule = operationSchedule(scenario, { scheme: "gauss-seidel", order });
    expect(isExecutable(schedule)).toBe(false);
    expect(obstacleText(schedule)).toBe(
      "the operations wait for each other: step plant → get plant.f → set load.f → step load → get load.v → set plant.v → step plant",
    );
    const iterated = operationSchedule(scenario, { scheme: "iterative", order });
    expect([isExecutable(iterated), iterated.iterated]).toEqual([true, expect.any(Array)]);
    expect(iterated.iterated).toHaveLength(6);
  });

  it("[SR3] what a unit alone declares is not a condition: masters may give it the start of the step", () => {
    const willing = (unit: UnitDescription): UnitDescription => ({
      ...unit,
      ports: unit.ports.map((port) => ({ ...port, reactive: true })),
    });
    const units = {
      plant: willing(standIn("plant", "in v; out f")),
      load: willing(standIn("load", "in f; out v")),
    };
    const scenario = scenarioOf(units, "plant.f -> load.f; load.v -> plant.v");
    for (const scheme of ["jacobi", "gauss-seidel"] as const) {
      const schedule = operationSchedule(scenario, { scheme, order: [0, 1] });
      expect(isExecutable(schedule)).toBe(true);
      const isAfter = schedule.edges.some(({ condition }) => condition === 5);
      expect(isAfter).toBe(scheme === "gauss-seidel");
    }
  });

  it("[SR3] an output that feeds inputs of both kinds is read twice", () => {
    const scenario = scenarioOf(UNITS, "plant.f -> load.f; plant.f -> controller.x");
    const mixed: Scenario = {
      ...scenario,
      connections: scenario.connections.map((one, i) => ({
        ...one,
        kind: i === 0 ? "reactive" : "delayed",
      })),
    };
    const { operations } = operationSchedule(mixed, { scheme: "gauss-seidel", order });
    expect(operations.filter(({ text }) => text === "get plant.f")).toHaveLength(2);
  });

  it("[SR3] of units that are scenarios are inside", () => {
    const inner = scenarioOf(UNITS, "plant.f -> load.f; load.v -> plant.v", {
      master: "gauss-seidel",
      step: 0.1,
    });
    const given = scenarioOf(UNITS, "plant.f -> load.f", { step: 0.1 });
    const outer: Scenario = {
      ...given,
      units: given.units.map((unit, u) => (u === 2 ? { ...unit, scenario: inner } : unit)),
    };
    const schedule = scheduleOf(outer, unwrap(compilePlan(outer, { record: [] })));
    expect(schedule.inside).toMatchObject([{ name: "inside 'plant'" }]);
    expect(isExecutable(schedule)).toBe(true);
    const loop = scenarioOf(UNITS, "plant.f -> load.f; load.v -> plant.v", { kind: "reactive" });
    const blocked: Scenario = {
      ...outer,
      units: outer.units.map((u) =>
        u.scenario
          ? { ...u, scenario: { ...loop, experiment: { step: 0.1 }, master: inner.master } }
          : u,
      ),
    };
    const other = scheduleOf(blocked, unwrap(compilePlan(outer, { record: [] })));
    expect(obstacleText(other)).toMatch(/^inside 'plant': the operations wait for each other/);
  });
});
