/** What is inside of an adaptation can be set from outside, and the adaptation stays a unit. */
import { describe, expect, it } from "vitest";
import { RK4 } from "../numerics/tableau.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import { unitContract } from "../unit/testing/contract.ts";
import type { Unit } from "../unit/unit.ts";
import { hierarchicalUnit } from "./hierarchical-unit.ts";
import { passingUnit, passPorts } from "./passing-unit.ts";

/** x' = gain (u - x) from 1. */
const decay = (): Unit =>
  odeUnit({
    name: "decay",
    parameters: { gain: { start: 1 }, u_scale: { start: 1 } },
    inputs: { u: {} },
    states: { x: { start: 1 } },
    derivatives: (_t, x, u, [gain], dx) => {
      dx[0] = gain! * (u[0] - x[0]);
    },
    solver: { method: RK4, step: 0.05 },
  });

function wrapped(inner: ReadonlyMap<string, Unit> = new Map([["f", decay()]])): Unit {
  const adapted = hierarchicalUnit(
    "wrapped",
    { units: inner, connections: [] },
    { input: "delayed", output: "moore" },
  );
  const open = new Map([...inner].map(([name, { description }]) => [name, description]));
  return passingUnit(adapted, inner, passPorts(adapted.description, open));
}

unitContract("an adaptation through which inner units can be set", {
  open: () => wrapped(),
  step: 0.1,
  behaviour: { port: "x", at: (t: number) => Math.exp(-t), tolerance: 1e-6 },
  settable: { port: "gain", value: 3 },
});

const portOf = (unit: Unit, name: string): number =>
  unit.description.ports.findIndex((port) => port.name === name);

function write(unit: Unit, values: Readonly<Record<string, number>>): void {
  const entries = Object.entries(values);
  const slots = entries.map(([name], slot) => ({ port: portOf(unit, name), slot }));
  const f64 = Float64Array.from(entries, ([, value]) => value);
  unit.write(unit.bind(slots), { f64, i64: new BigInt64Array(0), obj: [] });
}

function read(unit: Unit, ...names: readonly string[]): number[] {
  const slots = names.map((name, slot) => ({ port: portOf(unit, name), slot }));
  const f64 = new Float64Array(names.length);
  unit.read(unit.bind(slots), { f64, i64: new BigInt64Array(0), obj: [] });
  return Array.from(f64);
}

function run(unit: Unit, until: number): void {
  unit.enterInitialization({ start: 0 });
  unit.exitInitialization();
  unit.advance(0, { kind: "time", time: until });
}

describe("an adaptation", () => {
  it("[AU53] passes parameters and start values inside", () => {
    const unit = wrapped();
    write(unit, { gain: 2, x: 3, u: 1 });
    run(unit, 0.1);
    const [x, gain] = read(unit, "x", "gain");
    expect(x).toBeCloseTo(1 + 2 * Math.exp(-0.2), 6);
    expect(gain).toBe(2);
  });

  it("[AU53] forgets them when it is reset", () => {
    const unit = wrapped();
    write(unit, { gain: 2, x: 3 });
    run(unit, 0.1);
    unit.reset();
    run(unit, 0.1);
    expect(read(unit, "x", "gain")[0]).toBeCloseTo(Math.exp(-0.1), 6);
    expect(read(unit, "gain")).toEqual([1]);
  });

  it("[AU53] takes tunable ones between steps, and they are part of its state", () => {
    const unit = wrapped();
    run(unit, 0.1);
    const before = unit.save();
    write(unit, { gain: 5 });
    unit.advance(0.1, { kind: "time", time: 0.2 });
    expect(read(unit, "x")[0]).toBeCloseTo(Math.exp(-0.1 - 0.5), 4);
    unit.restore(before);
    unit.release(before);
    expect(read(unit, "gain")).toEqual([1]);
  });

  it("[AU53] shows each under a name of its own, in front of it the unit where that is taken", () => {
    const unit = wrapped(
      new Map([
        ["f", decay()],
        ["g", decay()],
      ]),
    );
    const names = unit.description.ports
      .filter(({ direction }) => direction === "parameter")
      .map(({ name }) => name)
      .filter((name) => !name.startsWith("INIT"));
    expect(names).toEqual(["gain", "u_scale", "g_gain", "g_u_scale"]);
    write(unit, { gain: 2, g_gain: 3 });
    run(unit, 0.1);
    const [f, g] = read(unit, "f_x", "g_x");
    expect(f).toBeCloseTo(Math.exp(-0.2), 6);
    expect(g).toBeCloseTo(Math.exp(-0.3), 5);
  });
});
