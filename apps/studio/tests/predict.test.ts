/**
 * What the page draws before the checks have answered is what they answer, as far as it goes.
 */
import { join } from "node:path";
import { TRUST_NOBODY } from "@cosimo/host/trust.ts";
import { editScenarioText } from "@cosimo/lang/scenario/edit/edit-text.ts";
import type { ScenarioEdit } from "@cosimo/lang/scenario/edit/scenario-edit.ts";
import { describeScenario } from "@cosimo/serve/describe.ts";
import { KeptFmus } from "@cosimo/serve/kept-fmus.ts";
import type { Described } from "@cosimo/serve/protocol.ts";
import { describe, expect, it } from "vitest";
import { shared } from "../src/base/shared.ts";
import { predicted } from "../src/document/predict.ts";
import { graphOf } from "../src/graph/describe-graph.ts";
import type { Graph } from "../src/graph/model.ts";
import { ROOT } from "./lab.ts";

const FMUS = join(ROOT, "fixtures", "build", "fmi2");
const PATH = "scenario.yaml";
const TEXT = `name: window
units:
  environment: PowerWindowEnvironment.fmu
  controller: PowerWindowController.fmu
  power: PowerWindowPower.fmu
  window: PowerWindowWindow.fmu
  obstacle: PowerWindowObstacle.fmu

connections:
  - environment.driver_up -> controller.driver_up
  - controller.up -> power.u
  - power.theta -> window.displacement
  - power.omega -> window.speed
  - window.reaction_torque -> power.tau

experiment: { stop: 3 s, step: 20 ms }
master: jacobi
`;

const fmus = new KeptFmus();

function described(text: string): Promise<Described> {
  const shown = (path: string): string => path.replace(`${FMUS}/`, "");
  return describeScenario(
    join(FMUS, PATH),
    { path: PATH, text, isBrief: true },
    { trust: TRUST_NOBODY, shown, fmus },
  );
}

/** Lines follow from the text, loops and how values reach inputs from the plan: left to the checks. */
function drawn(known: Described): Graph {
  const { scenario } = known;
  if (!scenario) throw new Error("there is no scenario");
  const { units, wires } = graphOf(scenario, { diagnostics: [], path: PATH }, []);
  return {
    units,
    wires: wires.map(({ line: _, ...wire }) => ({
      ...wire,
      inLoop: false,
      late: false,
      varying: false,
      about: wire.about.filter((text) => !/loop|^hold$|^linear$|^interpolation$/.test(text)),
    })),
  };
}

/** With parameters, which the properties show. */
const portsOf = ({ scenario }: Described) =>
  scenario?.units.map(({ name, ports }) => ({ name, ports }));

const EDITS: readonly ScenarioEdit[] = [
  { kind: "add-unit", name: "second", source: "PowerWindowObstacle.fmu" },
  { kind: "remove-unit", name: "power" },
  { kind: "rename-unit", name: "power", to: "motor" },
  { kind: "connect", from: "window.height", to: "obstacle.disp" },
  { kind: "connect", from: "environment.driver_down", to: "controller.driver_down" },
  { kind: "disconnect", from: "power.omega", to: "window.speed" },
  { kind: "set-value", unit: "window", port: "b", value: "2" },
  { kind: "set-value", unit: "obstacle", port: "disp", value: "0.5 m" },
];

describe("what is drawn before the checks have answered", () => {
  it.each(EDITS)("[PG22] is what they answer: $kind", async (edit) => {
    const edited = editScenarioText(TEXT, edit);
    expect(edited.problem).toBeUndefined();
    const [before, after] = await Promise.all([described(TEXT), described(edited.text)]);
    const guess = predicted(before, edit);
    expect(guess).not.toBe(before);
    expect([drawn(guess), portsOf(guess)]).not.toEqual([drawn(before), portsOf(before)]);
    expect(drawn(guess)).toEqual(drawn(after));
    expect(portsOf(guess)).toEqual(portsOf(after));
  });

  it("[PG22] is what they answer, as far as it can be known: adapt, set-master", async () => {
    const adapt = {
      kind: "adapt",
      unit: "obstacle",
      adaptation: "multi-rate { rate: 10 }",
    } as const;
    const master = { kind: "set-master", name: "gauss-seidel" } as const;
    const before = await described(TEXT);
    const marks = (known: Described) => drawn(known).units.map((unit) => [unit.name, unit.marks]);
    const adapted = await described(editScenarioText(TEXT, adapt).text);
    expect(marks(adapted)).not.toEqual(marks(before));
    expect(marks(predicted(before, adapt))).toEqual(marks(adapted));
    const { scenario } = await described(editScenarioText(TEXT, master).text);
    expect(predicted(before, master).scenario?.writtenMaster).toBe(scenario?.writtenMaster);
    expect(scenario?.writtenMaster).toBe("gauss-seidel");
  });

  it("[PG22] times wait for the answer, which knows what their units mean", async () => {
    const before = await described(TEXT);
    expect(predicted(before, { kind: "set-experiment", key: "stop", value: "1 min" })).toBe(before);
  });
});

describe("new data with parts of the old", () => {
  it("is the old where nothing changed, and keeps what is equal", () => {
    const before = {
      units: [
        { name: "a", ports: [{ name: "x", shape: [1, 2] }] },
        { name: "b", ports: [] },
      ],
      wires: [{ from: "a.x", to: "b.y", line: 3 }],
    };
    expect(shared(before, structuredClone(before))).toBe(before);
    const after = structuredClone(before);
    after.units.unshift({ name: "c", ports: [] });
    (after.wires[0] as { line: number }).line = 4;
    const made = shared(before, after);
    expect(made).toEqual(after);
    expect(made.units[1]).toBe(before.units[0]);
    expect(made.units[2]).toBe(before.units[1]);
    expect(made.wires[0]).not.toBe(before.wires[0]);
    const fewer = shared(before, { units: before.units.slice(0, 1), wires: [] });
    expect(fewer.units).toHaveLength(1);
    expect(fewer.units[0]).toBe(before.units[0]);
  });

  it("tells apart what is absent, undefined and empty", () => {
    expect(shared({ a: 1 }, {})).toEqual({});
    expect(shared({}, { a: undefined })).toHaveProperty("a");
    expect(shared({ a: [] }, { a: {} })).toEqual({ a: {} });
    expect(shared(null, { a: 1 })).toEqual({ a: 1 });
  });
});
