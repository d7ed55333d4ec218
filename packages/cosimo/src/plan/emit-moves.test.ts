/**
 * Moves of values op by op: every pair of banks, elements of arrays, conversions, value tables.
 */
import { describe, expect, it } from "vitest";
import type { Connection } from "../model/scenario.ts";
import type { ValueType } from "../model/value-type.ts";
import { MoveEmitter } from "./emit-moves.ts";
import { OpWriter } from "./op-writer.ts";
import { Op } from "./plan.ts";
import type { PlanReport } from "./plan-diagnostics.ts";
import { SignalLayout } from "./signal-layout.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { opsIn } from "./testing/plan-for.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

interface Emitted {
  readonly ops: readonly (readonly number[])[];
  readonly moves: MoveEmitter;
  readonly refused: readonly string[];
}

/** Source slots begin at 0 and target slots behind them, or at 0 of another bank. */
function emitted(
  from: ValueType,
  to: ValueType,
  changes: readonly Partial<Connection>[] = [{}],
  target?: number,
): Emitted {
  const units = {
    a: describedUnit("-> y", { type: from, shape: [4] }),
    b: describedUnit("u ->", { type: to, shape: [4] }),
  };
  const scenario = scenarioOf(units, "a.y -> b.u");
  const [whole] = scenario.connections;
  const layout = new SignalLayout(scenario);
  layout.signal(0, 0);
  layout.signal(1, 0);
  const refused: string[] = [];
  const report: PlanReport = (code, params) => {
    refused.push(`${code} ${Object.values(params).join(", ")}`);
    return undefined;
  };
  const moves = new MoveEmitter(layout, report);
  const w = new OpWriter();
  for (const change of changes) moves.emit(w, { ...whole, ...change }, target);
  return { ops: opsIn(w.done()), moves, refused };
}

describe("a move of four elements", () => {
  it.each<[ValueType, ValueType, number[]]>([
    ["float64", "float64", [Op.Copy, 0, 4, 4]],
    ["float32", "boolean", [Op.Copy, 0, 4, 4]],
    ["enumeration", "int8", [Op.Copy, 0, 4, 4]],
    ["clock", "clock", [Op.Copy, 0, 4, 4]],
    ["int64", "int64", [Op.CopyI64, 0, 4, 4]],
    ["uint64", "int64", [Op.CopyI64, 0, 4, 4]],
    ["string", "string", [Op.CopyObj, 0, 4, 4]],
    ["binary", "binary", [Op.CopyObj, 0, 4, 4]],
    ["uint32", "uint64", [Op.ToI64, 0, 0, 4]],
    ["int64", "float64", [Op.FromI64, 0, 0, 4]],
    ["uint64", "float64", [Op.FromU64, 0, 0, 4]],
  ])("[PN34] from %s to %s is one op", (from, to, op) => {
    expect(emitted(from, to).ops).toEqual([op]);
  });

  it.each<[ValueType, ValueType]>([
    ["string", "float64"],
    ["float64", "binary"],
    ["int64", "string"],
    ["binary", "int64"],
  ])("[PN34] from %s to %s is refused, with both ports and types", (from, to) => {
    const { ops, refused } = emitted(from, to);
    expect(ops).toEqual([]);
    expect(refused).toEqual([`conversion-unsupported a.y → b.u, ${from}, ${to}`]);
  });

  it("[PN44] takes the elements that the connection names", () => {
    const part = { fromElement: 1, toElement: 2, count: 2 };
    expect(emitted("float64", "float64", [part]).ops).toEqual([[Op.Copy, 1, 6, 2]]);
    expect(emitted("int64", "int64", [part]).ops).toEqual([[Op.CopyI64, 1, 6, 2]]);
    expect(emitted("int64", "float64", [part]).ops).toEqual([[Op.FromI64, 1, 2, 2]]);
    // Into slots elsewhere: those of the port's first element are given.
    expect(emitted("float64", "float64", [part], 100).ops).toEqual([[Op.Copy, 1, 102, 2]]);
  });

  it("[PN44] scales element by element, with constants that equal conversions share", () => {
    const { ops, moves } = emitted("float64", "float64", [
      { factor: 2, offset: 1, count: 2 },
      { factor: 2, offset: 3, count: 1 },
      { factor: 1, offset: 1, count: 1 },
      { factor: 2, offset: 1, fromElement: 3, toElement: 3, count: 1 },
    ]);
    expect(ops).toEqual([
      [Op.Affine, 0, 4, 0],
      [Op.Affine, 1, 5, 0],
      [Op.Affine, 0, 4, 2],
      [Op.Affine, 0, 4, 4],
      [Op.Affine, 3, 7, 0],
    ]);
    expect(moves.constants).toEqual([2, 1, 2, 3, 1, 1]);
  });

  it("[PN34] scales integers of 64 bits in place, once they are reals", () => {
    const { ops, moves } = emitted("uint64", "float64", [{ factor: 0.5, count: 2, toElement: 1 }]);
    expect(ops).toEqual([
      [Op.FromU64, 0, 1, 2],
      [Op.Affine, 1, 1, 0],
      [Op.Affine, 2, 2, 0],
    ]);
    expect(moves.constants).toEqual([0.5, 0]);
    expect(emitted("int64", "float64", [{ offset: 1, count: 1 }]).ops).toHaveLength(2);
  });

  it("[PN44] looks every element up in the table of its connection, whatever its factor", () => {
    const mapping = [
      { from: true, to: 5 },
      { from: false, to: -1 },
    ];
    const other = [{ from: 2, to: 3 }];
    const { ops, moves } = emitted("boolean", "int32", [
      { mapping, count: 2, factor: 3 },
      { mapping: other, count: 1 },
    ]);
    expect(ops).toEqual([
      [Op.Map, 0, 4, 0],
      [Op.Map, 1, 5, 0],
      [Op.Map, 0, 4, 1],
    ]);
    expect(moves.maps).toEqual([
      { from: [1, 0], to: [5, -1] },
      { from: [2], to: [3] },
    ]);
  });

  it("[PN37] has one table per connection, however often it moves", () => {
    const units = {
      a: describedUnit("-> y", { type: "boolean" }),
      b: describedUnit("u ->", { type: "boolean" }),
    };
    const scenario = scenarioOf(units, "a.y -> b.u");
    const connection = { ...scenario.connections[0], mapping: [{ from: true, to: false }] };
    const moves = new MoveEmitter(new SignalLayout(scenario), () => undefined);
    const w = new OpWriter();
    moves.emit(w, connection);
    moves.emit(w, connection);
    expect(moves.maps).toHaveLength(1);
    expect(opsIn(w.done()).map(([, , , map]) => map)).toEqual([0, 0]);
  });
});
