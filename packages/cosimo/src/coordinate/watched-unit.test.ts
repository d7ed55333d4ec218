/** Crossings and updates that units do not report, and tolerances of connectors. */
import { describe, expect, it } from "vitest";
import { limitedUnit } from "../engine/testing/limited-unit.ts";
import type { Trigger } from "../model/scenario.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import { stateMachineUnit } from "../unit/state-machine-unit.ts";
import { getNumber, indexOf, startUnit } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import type { Connector } from "./connector.ts";
import type { Exchange } from "./lines.ts";
import { coordinateUnits } from "./testing/coordinate-units.ts";
import { WatchedUnit } from "./watched-unit.ts";

const STEP = 0.25;

/** x = t: every level is reached at its own time. */
const ramp = (): Unit =>
  odeUnit({
    name: "ramp",
    states: { x: {} },
    derivatives: (_t, _x, _u, _p, out) => {
      out[0] = 1;
    },
  });
/** The same without any state, and a number that changes at every 0.3. */
const stair = (): Unit =>
  functionUnit({
    name: "stair",
    outputs: { x: {}, n: { type: "int32", variability: "discrete" } },
    evaluate: (t, _u, _p, out) => {
      out[0] = t;
      out[1] = Math.floor(t / 0.3);
    },
  });
const sink = (): Unit =>
  functionUnit({
    name: "sink",
    inputs: { u: {} },
    outputs: { y: {} },
    evaluate: (_t, [u = 0], _p, out) => {
      out[0] = u;
    },
  });

function connector(
  units: readonly Unit[],
  from: string,
  trigger: Trigger,
  tolerance = 0,
): Connector {
  const [source = "", port = ""] = from.split(".");
  const at = units.findIndex(({ name }) => name === source);
  const to = units.findIndex(({ name }) => name === "sink");
  return {
    name: `${from} -> sink.u`,
    from: { unit: at, port: indexOf(units[at] as Unit, port) },
    to: { unit: to, port: indexOf(units[to] as Unit, "u") },
    trigger,
    tolerance,
  };
}

function run(units: readonly Unit[], connectors: readonly Connector[], stop = 2): Exchange[] {
  const log: Exchange[] = [];
  for (const unit of units) startUnit(unit);
  coordinateUnits(units, connectors, { start: 0, stop, onExchange: (one) => log.push(one) });
  return log;
}
const watch = (unit: Unit): Unit =>
  new WatchedUnit(unit, { start: 0, step: STEP, kinds: new Set(["updated", "threshold"]) });
const above = (unit: number, port: number, level: number): Trigger => ({
  kind: "threshold",
  port: { unit, port, element: 0 },
  level,
  direction: "rising",
});

describe("thresholds", () => {
  it("[CO17] of a unit that claims them are where the unit stops", () => {
    const units = [ramp(), sink()];
    const log = run(units, [
      connector(units, "ramp.x", above(0, indexOf(units[0] as Unit, "x"), 1.1)),
    ]);
    expect(log.map(({ time }) => Math.round(time * 1e6) / 1e6)).toEqual([1.1]);
    expect(log[0]?.value).toBeGreaterThanOrEqual(1.1);
  });

  it("[CO17] of the target make it ask for the value of that instant", () => {
    const target = odeUnit({
      name: "sink",
      inputs: { u: {} },
      states: { x: {} },
      derivatives: (_t, _x, _u, _p, out) => {
        out[0] = 2;
      },
    });
    const units = [ramp(), target];
    const log = run(units, [connector(units, "ramp.x", above(1, indexOf(target, "x"), 3))]);
    expect(log.length).toBe(1);
    expect(Math.abs((log[0]?.time ?? 0) - 1.5)).toBeLessThan(1e-6);
    expect(Math.abs(getNumber(target, "u") - 1.5)).toBeLessThan(1e-6);
  });

  it("[CO17] of other units are located, or noticed at the end of a step where it cannot roll back", () => {
    const found = [true, false].map((rollback) => {
      const units = [watch(limitedUnit(stair(), { rollback })), sink()];
      const [log] = run(units, [connector(units, "stair.x", above(0, 0, 1.1))]);
      return log?.time ?? 0;
    });
    expect(Math.abs((found[0] ?? 0) - 1.1)).toBeLessThanOrEqual(1e-9 * STEP);
    expect(found[1]).toBe(1.25);
  });

  it("[CO18] changes of discrete outputs are located, or noticed at the end of a step", () => {
    const times = [true, false].map((rollback) => {
      const units = [watch(limitedUnit(stair(), { rollback })), sink()];
      const log = run(units, [connector(units, "stair.n", { kind: "updated" })]);
      return log.map(({ time }) => time);
    });
    const changes = [1, 2, 3, 4, 5, 6].map((k) => 0.3 * k);
    expect(times[0]?.length).toBe(changes.length);
    times[0]?.forEach((time, k) => {
      expect(Math.abs(time - (changes[k] ?? 0))).toBeLessThanOrEqual(1e-9 * STEP);
    });
    expect(times[1]).toEqual([0.5, 0.75, 1, 1.25, 1.5, 2]);
  });

  it("[CO18] an output that changes however little its unit moves is exchanged after every step, and named", () => {
    const slope = odeUnit({
      name: "stair",
      states: { x: {} },
      outputs: { n: { variability: "discrete" } },
      derivatives: (_t, _x, _u, _p, out) => {
        out[0] = 1;
      },
      evaluate: (_t, [x = 0], _u, _p, out) => {
        out[0] = x;
      },
    });
    const watched = new WatchedUnit(slope, { start: 0, step: STEP, kinds: new Set(["updated"]) });
    const units = [watched, sink()];
    const log = run(units, [connector(units, "stair.n", { kind: "updated" })], 1);
    expect(log.map(({ time }) => time)).toEqual([0.25, 0.5, 0.75, 1]);
    expect([...watched.unheld]).toEqual([indexOf(slope, "n")]);
  });

  it("[CO18] an output that changes once, as soon as its unit moves, changes there", () => {
    const late = functionUnit({
      name: "stair",
      outputs: { n: { type: "int32", variability: "discrete" } },
      evaluate: (t, _u, _p, out) => {
        out[0] = t > 0 ? 1 : 0;
      },
    });
    const watched = new WatchedUnit(late, { start: 0, step: STEP, kinds: new Set(["updated"]) });
    const units = [watched, sink()];
    const log = run(units, [connector(units, "stair.n", { kind: "updated" })], 1);
    expect(log.length).toBe(1);
    expect(log[0]?.time).toBeLessThanOrEqual(1e-9 * STEP);
    expect(watched.unheld.size).toBe(0);
  });
});

describe("a synchronization tolerance", () => {
  const reader = (): Unit =>
    stateMachineUnit({
      name: "sink",
      inputs: { u: {} },
      outputs: { n: { type: "int32" } },
      initial: "a",
      states: {
        a: {
          transitions: [
            { after: 0.4, reads: ["u"], to: "a", do: (m) => m.set("n", m.get("n") + 1) },
          ],
        },
      },
    });

  it.each([{ kind: "every", seconds: 0.4 } as const, { kind: "ready-to-read" } as const])(
    "[CO20] changes when values arrive by no more than itself, and loses none: %o",
    (trigger) => {
      const tolerance = 0.05;
      const [exact = [], loose = []] = [0, tolerance].map((one) => {
        const units = [ramp(), reader()];
        return run(units, [connector(units, "ramp.x", trigger, one)]);
      });
      expect(exact.map(({ time }) => Math.round(time * 10))).toEqual([4, 8, 12, 16, 20]);
      expect(loose.length).toBe(exact.length);
      loose.forEach(({ value, time }, k) => {
        expect(Math.abs(value - (exact[k]?.value ?? 0))).toBeLessThanOrEqual(tolerance + 1e-9);
        expect(Math.abs(time - (exact[k]?.time ?? 0))).toBeLessThanOrEqual(tolerance + 1e-9);
      });
    },
  );
});
