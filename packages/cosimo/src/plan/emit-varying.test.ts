/**
 * Inputs that vary within a step: which elements are copied, and which slots their derivatives
 * have.
 */
import { describe, expect, it } from "vitest";
import type { ValueType } from "../model/value-type.ts";
import { emitCopies, emitSlopes, emitValues, type VaryingElement } from "./emit-varying.ts";
import { OpWriter } from "./op-writer.ts";
import { Op, type SlopeGroup } from "./plan.ts";
import { SignalLayout } from "./signal-layout.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { opsIn } from "./testing/plan-for.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

/**
 * Unit 0 has the inputs u and v with three elements each; signals at 0 and 3, values at 6 and 9.
 */
function layoutOf(type: ValueType = "float64"): SignalLayout {
  const layout = new SignalLayout(
    scenarioOf({ a: describedUnit("u, v ->", { type, shape: [3] }) }, ""),
  );
  for (const port of [0, 1]) layout.signal(0, port);
  for (const port of [0, 1]) layout.value(0, port);
  return layout;
}

describe("values of inputs that vary", () => {
  it.each<[ValueType, number]>([
    ["float64", Op.Copy],
    ["boolean", Op.Copy],
    ["int64", Op.CopyI64],
    ["string", Op.CopyObj],
  ])("[PN26] of type %s are copied element by element in their bank", (type, op) => {
    const w = new OpWriter();
    emitCopies(w, layoutOf(type), 0, [0, 1], (port, element) => port === 1 && element !== 1);
    expect(opsIn(w.done())).toEqual([
      [op, 3, 9, 1],
      [op, 5, 11, 1],
    ]);
  });

  it("[PN26] are written whole, an element without a value of its own from its signal", () => {
    const w = new OpWriter();
    const layout = layoutOf();
    emitValues(w, layout, 0, [0, 1], (port, element) => port === 0 || element === 2);
    expect(opsIn(w.done())).toEqual([
      [Op.Copy, 3, 9, 1],
      [Op.Copy, 4, 10, 1],
      [Op.Write, 0, 0, 0],
    ]);
    expect(layout.accesses).toEqual([
      {
        unit: 0,
        slots: [
          { port: 0, slot: 6 },
          { port: 1, slot: 9 },
        ],
      },
    ]);
  });

  it("[PN26] are not written where there are none", () => {
    const w = new OpWriter();
    emitValues(w, layoutOf(), 0, [], () => true);
    expect(w.count).toBe(0);
  });
});

describe("slopes of inputs that vary", () => {
  const at = (port: number, element: number, slope: number, degree: number): VaryingElement => ({
    port,
    element,
    slope,
    degree,
  });

  function slopes(elements: readonly VaryingElement[], before: SlopeGroup[] = []) {
    const w = new OpWriter();
    const layout = layoutOf();
    emitSlopes(w, layout, 0, elements, before);
    return { ops: opsIn(w.done()), groups: before, size: layout.sizes.f64 };
  }

  it("[PN23] are one entry per port and order; elements that do not vary have slope 0", () => {
    const { ops, groups, size } = slopes([at(1, 2, 20, 2), at(1, 0, 30, 1), at(0, 1, 40, 1)]);
    expect(ops).toEqual([[Op.Slopes, 0, 0, 0]]);
    // The zero slot comes behind the twelve of signals and values.
    expect(groups).toEqual([
      {
        unit: 0,
        ports: [1, 1, 0],
        orders: [1, 2, 1],
        slots: [30, 12, 20, 31, 12, 21, 12, 40, 12],
      },
    ]);
    expect(size).toBe(13);
  });

  it("[PN23] are a group of their own, numbered from those before", () => {
    const before: SlopeGroup[] = [{ unit: 9, ports: [], orders: [], slots: [] }];
    const { ops, groups } = slopes([at(0, 0, 1, 1), at(0, 1, 3, 1), at(0, 2, 5, 1)], before);
    expect(ops).toEqual([[Op.Slopes, 1, 0, 0]]);
    expect(groups[1].slots).toEqual([1, 3, 5]);
  });

  it.each<[string, VaryingElement[]]>([
    ["no element varies", []],
    ["all are held", [at(0, 0, 20, 0), at(1, 1, 22, 0)]],
  ])("[PN23] are absent where %s", (_, elements) => {
    const { ops, groups, size } = slopes(elements);
    expect([ops, groups, size]).toEqual([[], [], 12]);
  });
});
