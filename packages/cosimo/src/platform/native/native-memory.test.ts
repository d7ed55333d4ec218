/**
 * Blocks of native memory never overlap and hold what was put into them, whatever sizes are asked
 * for in what order.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena, type Block, bytesOf, readString, Scratch } from "./native-memory.ts";

const sizes = fc.array(fc.nat({ max: 40_000 }), { maxLength: 20 });

function expectDisjoint(blocks: readonly Block[]): void {
  blocks.forEach((block, i) => {
    bytesOf(block).fill(i + 1);
  });
  blocks.forEach((block, i) => {
    expect(block.address % 16).toBe(0);
    expect(bytesOf(block).every((byte) => byte === i + 1)).toBe(true);
  });
}

describe("native memory", () => {
  it("has no blocks of a negative size", () => {
    const arena = new Arena();
    expect(arena.allocate(0).bytes).toBe(0);
    expect(() => arena.allocate(-1)).toThrow(/-1 bytes/);
    expect(() => arena.allocate(Number.NaN)).toThrow(/NaN bytes/);
    arena.free();
  });

  it("of an arena is zeroed, aligned and disjoint", () => {
    fc.assert(
      fc.property(sizes, (asked) => {
        const arena = new Arena();
        const blocks = asked.map((bytes) => arena.allocate(bytes));
        expect(blocks.every((block) => bytesOf(block).every((byte) => byte === 0))).toBe(true);
        expectDisjoint(blocks);
        arena.free();
      }),
      { seed: 7, numRuns: 50 },
    );
  });

  it("of a scratch serves every call that says how much it needs", () => {
    const scratch = new Scratch();
    fc.assert(
      fc.property(sizes, (asked) => {
        scratch.begin(asked.reduce((sum, bytes) => sum + bytes + 16, 0));
        expectDisjoint(asked.map((bytes) => scratch.take(bytes)));
        const [one = 0] = asked;
        scratch.begin(one);
        expectDisjoint([scratch.take(one)]);
      }),
      { seed: 7, numRuns: 200 },
    );
    scratch.free();
  });

  it("holds texts of any language", () => {
    const arena = new Arena();
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const expected = text.split("\0")[0];
        expect(readString(arena.string(text))).toBe(expected);
      }),
      { seed: 7 },
    );
    expect(readString(0)).toBeUndefined();
    arena.free();
  });
});
