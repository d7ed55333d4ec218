/**
 * The writer of ops: what it writes, executed tick by tick, is what it was given.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { OpWriter } from "./op-writer.ts";
import { OP_WIDTH, Op, readsIn } from "./plan.ts";
import { toNodes } from "./testing/edit-ops.ts";

/** First arguments of the ops that a tick executes. */
function executed(ops: Int32Array, tick: number): number[] {
  const found: number[] = [];
  for (let pc = 0; pc < ops.length; pc += OP_WIDTH) {
    const [code, a, b] = ops.subarray(pc);
    if (code === Op.Every) pc += tick % a === 0 ? 0 : b * OP_WIDTH;
    else found.push(a);
  }
  return found;
}

describe("written ops", () => {
  it("[PN35] run at the ticks that they were written for, in their order", () => {
    const part = fc.record({ ticks: fc.integer({ min: 1, max: 4 }), count: fc.nat({ max: 3 }) });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const w = new OpWriter();
        const given: { ticks: number; a: number }[] = [];
        for (const { ticks, count } of parts)
          w.every(ticks, () => {
            for (let i = 0; i < count; i++) {
              w.add(Op.Sample, given.length);
              given.push({ ticks, a: given.length });
            }
          });
        const ops = w.done();
        for (let tick = 0; tick <= 12; tick++)
          expect(executed(ops, tick)).toEqual(
            given.filter(({ ticks }) => tick % ticks === 0).map(({ a }) => a),
          );
        // Neighbours with one rate share a skip: no two skips of one rate follow each other.
        const nodes = toNodes(ops);
        expect(w.count).toBe(ops.length / OP_WIDTH);
        nodes.forEach(({ op }, i) => {
          const next = nodes[i + 1]?.op;
          expect(op[0] === Op.Every && next?.[0] === Op.Every && op[1] === next[1]).toBe(false);
          if (op[0] === Op.Every) expect(op[2]).toBeGreaterThan(0);
        });
      }),
      { seed: 20, numRuns: cases(500) },
    );
  });

  it("[PN40] have four words each, absent arguments being 0", () => {
    const w = new OpWriter();
    expect(w.count).toBe(0);
    w.add(Op.Read, 5);
    w.add(Op.Copy, 1, 2);
    w.add(Op.Advance, 3, 1, 4);
    expect([...w.done()]).toEqual([Op.Read, 5, 0, 0, Op.Copy, 1, 2, 0, Op.Advance, 3, 1, 4]);
    expect(w.count).toBe(3);
  });

  it("[PN35] a skip that holds nothing is not written, also after others of its rate", () => {
    const w = new OpWriter();
    w.every(3, () => {});
    expect(w.count).toBe(0);
    w.every(3, () => w.add(Op.Read, 0));
    w.every(3, () => {});
    expect([...w.done()]).toEqual([Op.Every, 3, 1, 0, Op.Read, 0, 0, 0]);
    // One op without a rate in between: the skip must not reach over it.
    w.add(Op.Read, 1);
    w.every(3, () => w.add(Op.Read, 2));
    expect(toNodes(w.done()).map(({ op, body }) => [op[0], body.length])).toEqual([
      [Op.Every, 1],
      [Op.Read, 0],
      [Op.Every, 1],
    ]);
  });

  it("[PN33] the reads of a segment are its reads, with their arguments, in order", () => {
    const w = new OpWriter();
    w.add(Op.Read, 7);
    w.every(2, () => {
      w.add(Op.Write, 8);
      w.add(Op.Read, 9);
    });
    expect([...readsIn(w.done())]).toEqual([Op.Read, 7, 0, 0, Op.Read, 9, 0, 0]);
    expect(readsIn(new Int32Array())).toHaveLength(0);
  });
});
