/**
 * Whatever a unit of a user throws, in whichever call: the failure has its name, the call and the
 * time.
 */
import { describe, expect, it } from "vitest";
import { UnitError } from "../base/outcome.ts";
import { makeBanks } from "../model/value-type.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { guardedUnit } from "./guarded-unit.ts";

const BANKS = makeBanks({ f64: 1 });

function decay(): Unit {
  return odeUnit(
    {
      name: "decay",
      inputs: { u: {} },
      states: { x: { start: 1 } },
      derivatives: (_t, [x], [u], _p, dx) => {
        dx[0] = u - x;
      },
    },
    "it",
  );
}

/** In step mode at t=2, where the method `call` throws `thrown`. */
function broken(call: keyof Unit, thrown: unknown): Unit {
  const unit = decay();
  unit.enterInitialization({ start: 0 });
  unit.exitInitialization();
  unit.advance(0, { kind: "time", time: 1 });
  const guarded = guardedUnit(unit);
  guarded.advance(1, { kind: "time", time: 2 });
  Object.defineProperty(unit, call, {
    value: () => {
      throw thrown;
    },
  });
  return guarded;
}

const failureOf = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error instanceof UnitError ? error.failure : error;
  }
  return undefined;
};

const CALLS: Partial<Record<keyof Unit, (unit: Unit) => unknown>> = {
  enterInitialization: (unit) => unit.enterInitialization({ start: 1 }),
  exitInitialization: (unit) => unit.exitInitialization(),
  advance: (unit) => unit.advance(1, { kind: "time", time: 3 }),
  enterEventMode: (unit) => unit.enterEventMode(),
  updateDiscreteStates: (unit) => unit.updateDiscreteStates(),
  enterStepMode: (unit) => unit.enterStepMode(),
  terminate: (unit) => unit.terminate(),
  reset: (unit) => unit.reset(),
  dispose: (unit) => unit.dispose(),
  bind: (unit) => unit.bind([]),
  read: (unit) => unit.read({ slots: [] }, BANKS),
  write: (unit) => unit.write({ slots: [] }, BANKS),
  save: (unit) => unit.save(),
  restore: (unit) => unit.restore({} as never),
  release: (unit) => unit.release({} as never),
  serialize: (unit) => unit.serialize({} as never),
  deserialize: (unit) => unit.deserialize(new Uint8Array()),
  directionalDerivative: (unit) => unit.directionalDerivative([], [], BANKS.f64, BANKS.f64),
  adjointDerivative: (unit) => unit.adjointDerivative([], [], BANKS.f64, BANKS.f64),
  setInputDerivatives: (unit) => unit.setInputDerivatives([], [], BANKS.f64),
  getOutputDerivatives: (unit) => unit.getOutputDerivatives([], [], BANKS.f64),
};

describe("a unit that throws", () => {
  it.each(Object.entries(CALLS))("[EN30] in %s fails with its name and the call", (call, act) => {
    const thrown = new RangeError("out of range");
    const failure = failureOf(() => act(broken(call as keyof Unit, thrown)));
    expect(failure).toMatchObject({
      unit: "it",
      call,
      status: "RangeError: out of range",
      time: 1,
      log: [expect.stringContaining("guarded-unit.test.ts"), expect.anything(), expect.anything()],
    });
  });

  it.each(["a text", null, undefined, 7])("[EN30] may throw anything: %s", (thrown) => {
    const failure = failureOf(() => CALLS.advance?.(broken("advance", thrown)));
    expect(failure).toMatchObject({ unit: "it", status: `an exception: ${thrown}`, log: [] });
  });

  it.each([undefined, {}, { reason: "time", port: -1, time: Number.NaN }])(
    "[EN30] or gives no stop condition: %j",
    (stop) => {
      const unit = decay();
      const guarded = guardedUnit(Object.defineProperty(unit, "advance", { value: () => stop }));
      const failure = failureOf(() => guarded.advance(0, { kind: "time", time: 1 }));
      expect(failure).toMatchObject({ unit: "it", call: "advance" });
    },
  );

  it("is not asked to dispose of what belongs to the caller", () => {
    const unit = decay();
    guardedUnit(unit, false).dispose();
    expect(unit.phase).toBe("instantiated");
    guardedUnit(unit).dispose();
    expect(unit.phase).toBe("disposed");
  });
});
