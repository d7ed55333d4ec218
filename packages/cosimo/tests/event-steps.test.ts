/**
 * Units with event mode, driven as units without: the contract, masters without event mode, nested
 * scenarios.
 */
import { describe, expect, it } from "vitest";
import { atomic, coupled, devsUnit, listSource, port } from "../src/devs.ts";
import { withoutEventMode } from "../src/engine/event-steps.ts";
import { defineScenario } from "../src/run/define-scenario.ts";
import { simulateScenario } from "../src/run/simulate-scenario.ts";
import { unitContract } from "../src/unit/testing/contract.ts";
import { advanceTo, getNumber, setValues, startUnit } from "../src/unit/testing/drive.ts";
import type { Unit } from "../src/unit/unit.ts";

const PERIOD = 0.3;

/** Counts periods, and repeats the level that it is given, one index later. */
const metronome = coupled({
  name: "metronome",
  inputs: { level: port<number>({ type: "float64" }) },
  outputs: {
    beats: port<number>({ type: "int32" }),
    height: port<number>({ type: "float64" }),
  },
  components: {
    source: atomic({
      outputs: { beats: port<number>() },
      initial: 0,
      timeAdvance: (n, now) => (n + 1) * PERIOD - now.time,
      output: (n, send) => send("beats", n + 1),
      internal: (n) => n + 1,
    }),
    echo: atomic({
      inputs: { u: port<number>() },
      outputs: { y: port<number>() },
      initial: [] as number[],
      timeAdvance: (waiting) => (waiting.length > 0 ? 0 : Number.POSITIVE_INFINITY),
      output: ([first = 0], send) => send("y", first),
      internal: ([, ...rest]) => rest,
      external: (waiting, input) => [...waiting, ...input.values("u")],
    }),
  },
  couplings: ["source.beats -> beats", "level -> echo.u", "echo.y -> height"],
});

const open = (): Unit => withoutEventMode(devsUnit(metronome), new Set());

describe("[UN68] a unit with event mode as one without", () => {
  unitContract("a discrete-event model", {
    open,
    step: 0.25,
    behaviour: { port: "beats", at: (t) => Math.floor(t / PERIOD + 1e-9), tolerance: 0 },
    event: { port: "beats.event", time: PERIOD, timeTolerance: 1e-9, value: 1 },
    updated: { port: "beats", time: PERIOD, timeTolerance: 1e-9, value: 1 },
  });

  it("[UN68] stops at every index that is waited for, and reacts without moving", () => {
    const unit = open();
    startUnit(unit);
    const index = (name: string): number =>
      unit.description.ports.findIndex((one) => one.name === name);
    advanceTo(unit, 0, 0.1);
    setValues(unit, { level: 4, "level.event": 1 });
    const until = {
      kind: "or",
      any: [
        { kind: "time", time: 0.1 },
        { kind: "event", port: index("height.event") },
      ],
    } as const;
    expect(unit.advance(0.1, until)).toMatchObject({ reason: "event", time: 0.1 });
    expect([getNumber(unit, "height.event"), getNumber(unit, "height")]).toEqual([1, 4]);
    expect(unit.advance(0.1, until)).toMatchObject({ reason: "time", time: 0.1 });
    expect(getNumber(unit, "height.event")).toBe(0);
  });
});

describe("masters without event mode", () => {
  const sum = atomic({
    name: "sum",
    inputs: { u: port<number>({ type: "int32" }) },
    outputs: { total: port<number>({ type: "int32", held: true }) },
    initial: { total: 0, isNew: false },
    timeAdvance: ({ isNew }) => (isNew ? 0 : Number.POSITIVE_INFINITY),
    output: ({ total }, send) => send("total", total),
    internal: ({ total }) => ({ total, isNew: false }),
    external: ({ total }, input) => ({
      total: total + input.values("u").reduce((a, b) => a + b, 0),
      isNew: true,
    }),
  });
  const EVENTS = [1, 2, 3, 4].map((time) => ({ time, value: time }));
  const parts = (): Record<string, Unit> => ({
    source: devsUnit(listSource({ events: EVENTS, border: { type: "int32" } })),
    sum: devsUnit(sum),
  });
  const connections = ["source.out.event -> sum.u.event", "source.out -> sum.u"];

  it.each([
    { name: "jacobi", eventMode: false },
    { name: "iterative", eventMode: false },
  ])("[UN68] run discrete-event units, events at communication points: %o", async (master) => {
    const scenario = defineScenario({
      units: parts(),
      connections,
      experiment: { stop: 6, step: 1 },
      master,
      record: ["sum.total"],
    });
    const { outcome, trace } = await simulateScenario(scenario);
    expect(outcome.kind).toBe("completed");
    expect(trace.columns[0]?.data.at(-1)).toBe(10);
  });

  it("[UN68] and nested scenarios do", async () => {
    const inner = defineScenario({
      name: "inner",
      units: parts(),
      connections,
      experiment: { step: 1 },
      ports: { total: "sum.total" },
    });
    const { outcome, trace } = await simulateScenario(
      defineScenario({
        units: { inner },
        experiment: { stop: 6, step: 1 },
        record: ["inner.total"],
      }),
    );
    expect(outcome.kind).toBe("completed");
    expect(trace.columns[0]?.data.at(-1)).toBe(10);
  });
});
