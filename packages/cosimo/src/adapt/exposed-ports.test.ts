/** What is inside of an adaptation can be set from outside, and the adaptation stays a unit. */
import { describe, expect, it } from "vitest";
import { followsInput, NO_CAPABILITIES, type UnitDescription } from "../model/unit-description.ts";
import { RK4 } from "../numerics/tableau.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import { unitContract } from "../unit/testing/contract.ts";
import type { Unit } from "../unit/unit.ts";
import { exposePorts, withExposedPorts } from "./exposed-ports.ts";
import { hierarchicalUnit } from "./hierarchical-unit.ts";

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

function wrapped(
  inner: ReadonlyMap<string, Unit> = new Map([["f", decay()]]),
  input: "reactive" | "delayed" = "delayed",
): Unit {
  const adapted = hierarchicalUnit(
    "wrapped",
    { units: inner, connections: [] },
    { input, output: "moore" },
  );
  const open = new Map([...inner].map(([name, { description }]) => [name, description]));
  return withExposedPorts(adapted, inner, exposePorts(adapted.description, open));
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

  /**
   * x' = u + v[0] - v[1] from 0: a scalar input that rules pass on, and an array that they cannot
   * refer to.
   */
  const withArray = (): Unit =>
    odeUnit({
      name: "f",
      inputs: { u: {}, v: { shape: [2] } },
      states: { x: {} },
      derivatives: (_t, _x, [u = 0, v0 = 0, v1 = 0], _p, dx) => {
        dx[0] = u + v0 - v1;
      },
      solver: { method: RK4, step: 0.05 },
    });
  /** x after two steps of 0.1 s, in which all inputs move. */
  function moved(unit: Unit): number {
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    const ports = [portOf(unit, "u"), portOf(unit, "v")];
    for (const from of [0, 0.1]) {
      write(unit, { u: 1 + from });
      unit.write(unit.bind([{ port: portOf(unit, "v"), slot: 0 }]), {
        f64: Float64Array.of(2 - from, from),
        i64: new BigInt64Array(0),
        obj: [],
      });
      unit.setInputDerivatives(ports, [1, 1], Float64Array.of(1, -1, 3));
      unit.advance(from, { kind: "time", time: from + 0.1 });
    }
    return read(unit, "x")[0]!;
  }

  it("[AU53] passes derivatives of arrays inside, and keeps those of scalar inputs", () => {
    const unit = wrapped(new Map([["f", withArray()]]), "reactive");
    const { inputDerivativeOrder, followsInputs } = unit.description.capabilities;
    expect(inputDerivativeOrder).toBe(1);
    expect(followsInputs).toBeUndefined();
    const x = moved(unit);
    expect(x).toBe(moved(withArray()));
    // ∫ (1 + t) + (2 - t) - (from + 3 (t - from)) over both steps.
    expect(x).toBeCloseTo(0.6 - 2 * 0.015 - 0.01, 12);
  });

  it("[AU53] takes no derivatives of arrays that the unit inside does not follow", () => {
    const bare = withArray();
    const { description } = wrapped(new Map([["f", bare]]), "reactive");
    const declared = (arrays: boolean | undefined): UnitDescription => ({
      ...bare.description,
      ports: bare.description.ports.map((port) =>
        port.name === "v" && arrays !== undefined ? { ...port, reactive: arrays } : port,
      ),
      capabilities: { ...bare.description.capabilities, followsInputs: "declared" },
    });
    const exposed = (inner: UnitDescription): UnitDescription => {
      const own = { ...description, ports: description.ports.slice(0, 2) };
      return exposePorts(own, new Map([["f", inner]])).description;
    };
    for (const [arrays, follows] of [
      [undefined, false],
      [true, true],
    ] as const) {
      const unit = exposed(declared(arrays));
      expect(unit.capabilities.inputDerivativeOrder).toBe(1);
      const taken = unit.ports.filter(
        (port) => port.direction === "input" && followsInput(unit, port),
      );
      expect(taken.map(({ name }) => name)).toEqual(follows ? ["u", "v"] : ["u"]);
    }
  });

  it("[AU53] takes derivatives of arrays where there are no other inputs", () => {
    const bare = withArray();
    const arrayOnly = {
      ...bare.description,
      ports: bare.description.ports.filter(({ name }) => name !== "u"),
    };
    const none = { ...arrayOnly, ports: [], capabilities: NO_CAPABILITIES };
    const { capabilities } = exposePorts(
      none,
      new Map([
        ["f", { ...arrayOnly, ports: arrayOnly.ports.map((port, index) => ({ ...port, index })) }],
      ]),
    ).description;
    expect(capabilities.inputDerivativeOrder).toBe(1);
  });
});
