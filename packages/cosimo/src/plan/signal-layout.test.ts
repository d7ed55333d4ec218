/**
 * Where signals lie: slots of the right bank and size, allocated once, never shared.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { portSize } from "../model/unit-description.ts";
import { type BankName, bankOf } from "../model/value-type.ts";
import { SignalLayout } from "./signal-layout.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { randomCase } from "./testing/random-scenario.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

describe("the layout of signals", () => {
  it("[PN31] gives every port slots of its own, one per element, in the bank of its type", () => {
    fc.assert(
      fc.property(randomCase(4), fc.infiniteStream(fc.boolean()), ({ scenario }, coins) => {
        const layout = new SignalLayout(scenario);
        const used: Record<BankName, Set<number>> = {
          f64: new Set(),
          i64: new Set(),
          obj: new Set(),
        };
        scenario.units.forEach(({ description }, unit) => {
          for (const port of description.ports) {
            const bank = bankOf(port.type);
            expect(layout.bank(unit, port.index)).toBe(bank);
            const isValue = coins.next().value;
            const first = isValue
              ? layout.value(unit, port.index)
              : layout.signal(unit, port.index);
            const again = isValue
              ? layout.value(unit, port.index)
              : layout.signal(unit, port.index);
            expect(again).toBe(first);
            for (let i = 0; i < portSize(port); i++) {
              expect(used[bank]).not.toContain(first + i);
              used[bank].add(first + i);
            }
          }
        });
        // Nothing was wasted either.
        expect(layout.sizes).toEqual({
          f64: used.f64.size,
          i64: used.i64.size,
          obj: used.obj.size,
        });
      }),
      { seed: 21, numRuns: cases(200) },
    );
  });

  const units = {
    a: describedUnit("u, v -> y", { shape: [2] }),
    b: describedUnit("u -> y", { type: "int64" }),
  };

  it("[PN31] keeps a port's signal apart from what is written in its place", () => {
    const layout = new SignalLayout(scenarioOf(units, ""));
    expect([layout.signal(0, 0), layout.value(0, 0), layout.signal(0, 1)]).toEqual([0, 2, 4]);
    expect([layout.signal(1, 0), layout.value(1, 0)]).toEqual([0, 1]);
    expect(layout.sizes).toEqual({ f64: 6, i64: 2, obj: 0 });
    expect(layout.name(1, 1)).toBe("b.y");
    expect(layout.port(0, 2).name).toBe("y");
  });

  it("[PN31] has one slot that stays zero, and makes it only where it is needed", () => {
    const layout = new SignalLayout(scenarioOf(units, ""));
    expect(layout.sizes.f64).toBe(0);
    layout.allocate("f64", 5);
    expect([layout.zero(), layout.zero()]).toEqual([5, 5]);
    expect(layout.sizes.f64).toBe(6);
    expect(layout.allocate("f64", 1)).toBe(6);
  });

  it("[PN31] shares accesses of the same ports in the same slots, and no others", () => {
    const layout = new SignalLayout(scenarioOf(units, ""));
    const first = layout.signalAccess(0, [0, 1]);
    expect(layout.signalAccess(0, [0, 1])).toBe(first);
    const others = [
      layout.signalAccess(0, [0]),
      layout.signalAccess(0, [1, 0]),
      layout.signalAccess(1, [0]),
      layout.access(0, [{ port: 0, slot: layout.value(0, 0) }]),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
    expect(layout.accesses[first]).toEqual({
      unit: 0,
      slots: [
        { port: 0, slot: 0 },
        { port: 1, slot: 2 },
      ],
    });
    expect(layout.accesses).toHaveLength(5);
    // Port 1 in slot 12 is not port 11 in slot 2.
    const near = layout.access(0, [{ port: 1, slot: 12 }]);
    expect(layout.access(0, [{ port: 11, slot: 2 }])).not.toBe(near);
  });
});
