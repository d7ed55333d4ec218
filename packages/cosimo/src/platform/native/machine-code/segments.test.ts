/**
 * Steps in a tiny notation: c is a call that can be code, m a move that can, x something that
 * cannot, 2(…) an `Every` of two ticks.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OP_WIDTH, Op } from "../../../plan/plan.ts";
import { cutIntoSegments, type Segment } from "./segments.ts";

const OPCODES: Readonly<Record<string, number>> = { c: Op.Advance, m: Op.Copy, x: Op.CopyObj };

function opsOf(text: string): Int32Array {
  const words: number[] = [];
  const open: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (sign === ")") {
      const at = open.pop()!;
      words[at + 2] = (words.length - at) / OP_WIDTH - 1;
    } else if (text[i + 1] === "(") {
      open.push(words.length);
      words.push(Op.Every, Number(sign), 0, 0);
      i++;
    } else words.push(OPCODES[sign], 0, 0, 0);
  }
  return Int32Array.from(words);
}

function cut(text: string): readonly Segment[] {
  const ops = opsOf(text);
  return cutIntoSegments(ops, (op) => ops[op * OP_WIDTH] !== Op.CopyObj);
}

/** Back into the notation, interpreted segments in brackets. */
function shown(text: string): string {
  return cut(text)
    .map(({ ops, isCode }) => (isCode ? textOf(ops) : `[${textOf(ops)}]`))
    .join(" ");
}

function textOf(ops: Int32Array, from = 0, end = ops.length / OP_WIDTH): string {
  let text = "";
  for (let op = from; op < end; op++) {
    const [opcode, ticks, inside = 0] = ops.subarray(op * OP_WIDTH, (op + 1) * OP_WIDTH);
    if (opcode === Op.Every) {
      text += `${ticks}(${textOf(ops, op + 1, op + 1 + inside)})`;
      op += inside;
    } else text += Object.keys(OPCODES).find((sign) => OPCODES[sign] === opcode);
  }
  return text;
}

/** Numbers of the ops that are done at a tick. */
function done(ops: Int32Array, numbers: readonly number[], tick: number): number[] {
  const list: number[] = [];
  for (let op = 0; op * OP_WIDTH < ops.length; op++) {
    if (ops[op * OP_WIDTH] !== Op.Every) list.push(numbers[op]);
    else if (tick % ops[op * OP_WIDTH + 1] !== 0) op += ops[op * OP_WIDTH + 2];
  }
  return list;
}

describe("segments", () => {
  it.each([
    ["ccmcm", "ccmcm"],
    ["xmx", "[xmx]"],
    ["cxc", "c [x] c"],
    ["mcxmmxmc", "mc [xmmx] mc"],
    ["xmmcx", "[x] mmc [x]"],
  ])("[MC12] %s becomes %s: code where there are calls for it", (text, wanted) => {
    expect(shown(text)).toBe(wanted);
  });

  it.each([
    ["2(cxc)c", "2(c) [2(x)] 2(c)c"],
    ["3(mx)c", "[3(mx)] c"],
    ["2(c3(cx)c)x", "2(c3(c)) [2(3(x))] 2(c) [x]"],
  ])("[MC12] %s becomes %s: an Every guards both sides of a border", (text, wanted) => {
    expect(shown(text)).toBe(wanted);
  });

  it("[MC12] know the first op that they do", () => {
    expect(cut("2(cxc)").map(({ first }) => first)).toEqual([1, 2, 3]);
  });

  it("[MC12] together do the ops of the step in their order, whatever the tick (seed 77)", () => {
    const { text } = fc.letrec<{ text: string }>((tie) => ({
      text: fc
        .array(
          fc.oneof(
            { maxDepth: 3, depthIdentifier: "guards" },
            fc.constantFrom("c", "m", "x"),
            fc
              .tuple(fc.constantFrom("2", "3", "4"), tie("text"))
              .map(([n, inside]) => `${n}(${inside}m)`),
          ),
          { maxLength: 8, depthIdentifier: "guards" },
        )
        .map((parts) => parts.join("")),
    }));
    let borders = 0;
    fc.assert(
      fc.property(text, (given) => {
        const ops = opsOf(given);
        const all = Array.from({ length: ops.length / OP_WIDTH }, (_, op) => op);
        const segments = cut(given);
        borders += Math.max(0, segments.length - 1);
        for (let tick = 1; tick <= 12; tick++) {
          const inParts = segments.flatMap((part) => done(part.ops, part.numbers, tick));
          expect(inParts).toEqual(done(ops, all, tick));
        }
      }),
      { seed: 77, numRuns: 500 },
    );
    expect(borders).toBeGreaterThan(300);
  });
});
