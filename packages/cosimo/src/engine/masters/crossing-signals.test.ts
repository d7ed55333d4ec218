/**
 * Which output stands behind a signal whose crossings are watched: the one whose slots contain it,
 * neighbours excepted.
 */
import { describe, expect, it } from "vitest";
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Coupling } from "./coupling.ts";
import { CrossingSignals } from "./crossing-signals.ts";

/** One unit: an input in slot 0, outputs a in 1, b (two elements) in 2 and 3, c in 4. */
function signalsOf(slots: readonly number[]): CrossingSignals {
  const ports = makePorts("unit", [
    { direction: "input", ports: { u: {} } },
    { direction: "output", ports: { a: {}, b: { shape: [2], start: [0, 0] }, c: {} } },
  ]);
  const accesses = [{ unit: 0, slots: [0, 1, 2, 4].map((slot, port) => ({ port, slot })) }];
  return new CrossingSignals({
    plan: { crossings: slots.map((slot) => ({ slot, level: 0 })) },
    state: { plan: { accesses } },
    units: [{ description: describeUnit({ name: "unit" }, ports, {}) }],
  } as unknown as Coupling);
}

describe("the output behind a watched signal", () => {
  it("[EV15] is the one in its slot, beside others", () => {
    const signals = signalsOf([1, 4]);
    expect(signals.count).toBe(2);
    expect(signals.soleSource(0)).toMatchObject({ unit: 0, port: 1, element: 0, factor: 1 });
    expect(signals.soleSource(1)).toMatchObject({ unit: 0, port: 3, element: 0, factor: 1 });
  });

  it("[EV15] is not sole where it is an element of an array", () => {
    const signals = signalsOf([2, 3]);
    expect(signals.soleSource(0)).toBeUndefined();
    expect(signals.soleSource(1)).toBeUndefined();
  });

  it("is never an input, or nothing", () => {
    expect(() => signalsOf([0])).toThrow(/no access reads the signal in slot 0/);
    expect(() => signalsOf([5])).toThrow(/no access reads the signal in slot 5/);
  });
});
