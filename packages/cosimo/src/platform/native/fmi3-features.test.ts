/**
 * What only FMI 3 has: intermediate update, structural parameters, clocks, run-time dependencies;
 * and that both versions of a model are one model. Rules: docs/spec/native.md.
 */
import { describe, expect, it } from "vitest";
import { makeBanks } from "../../model/value-type.ts";
import {
  advanceTo,
  getNumber,
  getValues,
  indexOf,
  setValues,
  startUnit,
} from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import type { Fmi3Unit } from "./fmi3-unit.ts";
import type { IntermediateUpdate } from "./native-options.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

describe("intermediate update", () => {
  const mass = fixture("fmi3/MassSpringDamperLeft");

  async function watched(handle: (update: IntermediateUpdate, unit: Unit) => void): Promise<Unit> {
    const fmu = await mass;
    const port = (name: string): number =>
      fmu.description.variables.findIndex((variable) => variable.name === name);
    const unit: Unit = openNativeUnit(fmu, {
      earlyReturn: true,
      intermediateUpdate: {
        ports: [port("x_1"), port("F_e")],
        handle: (update) => handle(update, unit),
      },
    });
    startUnit(unit);
    return unit;
  }

  it("[NA17] reads ports inside a step", async () => {
    const seen: { time: number; x: number }[] = [];
    const banks = makeBanks({ f64: 1 });
    const unit = await watched((update, self) => {
      if (!update.getAllowed) return;
      self.read(self.bind([{ port: indexOf(self, "x_1"), slot: 0 }]), banks);
      seen.push({ time: update.time, x: banks.f64[0] });
    });
    advanceTo(unit, 0, 0.1);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every(({ time, x }) => time >= 0 && time <= 0.1 && Math.abs(x - 1) < 0.01)).toBe(
      true,
    );
    unit.dispose();
  });

  it("[NA17] writes inputs that the FMU asks for", async () => {
    const unit = await watched((update, self) => {
      if (update.setRequested) setValues(self, { F_e: 10 });
    });
    const plain = openNativeUnit(await mass);
    startUnit(plain);
    for (const each of [unit, plain]) advanceTo(each, 0, 0.1);
    expect(getNumber(unit, "x_1")).not.toBe(getNumber(plain, "x_1"));
    unit.dispose();
    plain.dispose();
  });

  it("[NA17] can end the step early", async () => {
    const fmu = await fixture("fmi3/VanDerPol");
    const unit = openNativeUnit(fmu, {
      earlyReturn: true,
      intermediateUpdate: {
        ports: [],
        handle: (update) => {
          if (update.canReturnEarly && update.time > 0.3) update.returnEarly(update.time);
        },
      },
    });
    startUnit(unit);
    const stop = unit.advance(0, { kind: "time", time: 1 });
    expect(stop.reason).toBe("event");
    expect(stop.time).toBeGreaterThan(0.3);
    expect(stop.time).toBeLessThan(1);
    expect(unit.advance(stop.time, { kind: "time", time: 1 }).time).toBeGreaterThan(0.3);
    unit.dispose();
  });

  it("[NA17] hands on what the handler throws", async () => {
    const unit = await watched(() => {
      throw new Error("from the handler");
    });
    expect(() => unit.advance(0, { kind: "time", time: 1 })).toThrow("from the handler");
    unit.dispose();
  });
});

describe("structural parameters", () => {
  it("[NA15] decide the sizes, also after a reset", async () => {
    const unit = openNativeUnit(await fixture("fmi3/StateSpace"), {
      structural: new Map([
        ["n", 3],
        ["m", 2],
        ["r", 1],
      ]),
    });
    const run = (): void => {
      startUnit(
        unit,
        { start: 0 },
        { C: [1, 2, 3], x0: [1, 10, 100], D: [0, 0], u: [0, 0], A: [0], B: [0] },
      );
      expect(getValues(unit, "y")).toEqual([321]);
      expect(getValues(unit, "A")).toHaveLength(9);
      advanceTo(unit, 0, 0.1);
      expect(getValues(unit, "y")).toEqual([321]);
    };
    run();
    unit.reset();
    run();
    expect(() => setValues(unit, { n: 2 })).toThrow(
      /'n' cannot be written.*when the instance is made/,
    );
    unit.dispose();
  });

  it("[NA15] that the FMU does not have are refused", async () => {
    const fmu = await fixture("fmi3/StateSpace");
    expect(() => openNativeUnit(fmu, { structural: new Map([["A", 2]]) })).toThrow(
      /no structural parameter 'A'/,
    );
  });
});

describe("clocks", () => {
  const clocks = fixture("fmi3/Clocks");

  it("[NA18] tick in event mode only", async () => {
    const unit = openNativeUnit(await clocks);
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    setValues(unit, { trigger: true, u: 2.5 });
    unit.updateDiscreteStates();
    expect(getNumber(unit, "sum")).toBe(2.5);
    unit.enterStepMode();
    expect(getNumber(unit, "alarm")).toBe(0);
    expect(() => setValues(unit, { trigger: true })).toThrow(/'trigger'.*event mode only/);
    unit.dispose();
  });

  it("have intervals that the importer gets and sets", async () => {
    const unit = openNativeUnit(await clocks);
    const services = unit.clocks!;
    unit.enterInitialization({ start: 0 });
    services.setIntervals([indexOf(unit, "heartbeat")], [0.75]);
    unit.exitInitialization();
    const [sample] = services.getIntervals([indexOf(unit, "sample")]);
    expect(sample).toEqual({ seconds: 1, qualifier: "changed" });
    unit.dispose();
  });
});

describe("what only the instance knows", () => {
  it("is told by the instance, with ports instead of value references", async () => {
    const unit = openNativeUnit(await fixture("fmi3/StateSpace"));
    unit.enterInitialization({ start: 0 });
    const found = (unit as Fmi3Unit).dependencies(indexOf(unit, "y"));
    expect(found).toContainEqual({
      element: -1,
      on: indexOf(unit, "x"),
      onElement: -1,
      kind: "dependent",
    });
    unit.dispose();
    const old = openNativeUnit(await fixture("fmi2/StateSpace"));
    expect(old.clocks).toBeUndefined();
    old.dispose();
  });
});

describe("event mode", () => {
  const ball = fixture("fmi3/BouncingBall");

  it("[NA16] is used where the FMU has it, unless it is refused", async () => {
    const unit = openNativeUnit(await ball);
    expect(unit.description.capabilities).toMatchObject({ eventMode: true, earlyReturn: true });
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    expect(unit.phase).toBe("event");
    unit.dispose();
    const plain = openNativeUnit(await ball, { eventMode: false });
    expect(plain.description.capabilities).toMatchObject({ eventMode: false, earlyReturn: false });
    startUnit(plain);
    expect(plain.advance(0, { kind: "time", time: 1 }).reason).toBe("time");
    expect(getNumber(plain, "bounces")).toBe(1);
    plain.dispose();
  });

  it("[NA16] without it, and with early return only, events of the FMU are its own", async () => {
    const unit = openNativeUnit(await fixture("fmi3/Stair"));
    startUnit(unit, { start: 0 }, { limit: 2 });
    expect(unit.advance(0, { kind: "time", time: 3 })).toEqual({
      reason: "event",
      port: -1,
      time: 1,
    });
    unit.enterEventMode();
    expect(unit.updateDiscreteStates()).toMatchObject({ terminate: true, nextEventTime: 2 });
    unit.dispose();
  });
});

describe("both versions of a model", () => {
  it.each([
    ["Dahlquist", "x", 0.1],
    ["BouncingBall", "h", 0.01],
    ["Stair", "counter", 0.2],
    ["VanDerPol", "x0", 0.1],
    ["MassSpringDamperLeft", "x_1", 0.1],
    ["MassSpringDamperRight", "F_c", 0.1],
  ])("[NA20] %s: the same trace of %s", async (model, port, step) => {
    const [a, b] = [`fmi2/${model}`, `fmi3/${model}`].map(async (name) => {
      // Events of one version are inside its steps: the other must not come out of them.
      const unit = openNativeUnit(await fixture(name), { eventMode: false });
      startUnit(unit);
      const values = Array.from({ length: 100 }, (_, i) => {
        advanceTo(unit, i * step, (i + 1) * step);
        return getNumber(unit, port);
      });
      unit.dispose();
      return values;
    });
    expect(new Set(await a).size).toBeGreaterThan(1);
    expect(await a).toEqual(await b);
  });
});
