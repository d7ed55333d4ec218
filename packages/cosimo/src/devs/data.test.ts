/** Data: copies, comparison and bytes, and what is none. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyData, DataReader, DataWriter, sameData } from "./data.ts";

const values = fc.oneof(
  fc.anything({ withBigInt: true, withNullPrototype: false, withTypedArray: false }),
  fc.float64Array(),
  fc.int32Array(),
  fc.uint8Array(),
);

function bytesOf(value: unknown): Uint8Array {
  const writer = new DataWriter();
  writer.value(value);
  return writer.done();
}

describe("data", () => {
  it("[DE5] comes back from bytes bit for bit: NaN, -0, infinities, bigints, typed arrays, odd keys", () => {
    const odd = JSON.parse('{ "__proto__": { "x": [null, "\\ud800"] } }') as unknown;
    fc.assert(
      fc.property(fc.oneof(values, fc.constantFrom(odd, -0, Number.NaN, -(2n ** 90n))), (value) => {
        const back = new DataReader(bytesOf(value)).value();
        expect(sameData(back, value)).toBe(true);
        expect(sameData(copyData(value), value)).toBe(true);
        expect(back).toStrictEqual(value);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it("[DE5] a copy shares nothing", () => {
    const value = { list: [1, { deep: Float64Array.of(1, 2) }] };
    const copy = copyData(value);
    (value.list[1] as { deep: Float64Array }).deep[0] = 7;
    expect((copy.list[1] as { deep: Float64Array }).deep[0]).toBe(1);
  });

  it("[DE5] 0 is not -0, and an array is not an object with the same keys", () => {
    expect(sameData(0, -0)).toBe(false);
    expect(sameData([1], { 0: 1 })).toBe(false);
    expect(sameData({ a: 1 }, { a: 1, b: undefined })).toBe(false);
    expect(sameData(Uint8Array.of(1), Int32Array.of(1))).toBe(false);
  });

  it.each([
    ["a function", { f: () => 1 }, "'f' is a function"],
    ["a symbol", [Symbol("x")], "'[0]' is a symbol"],
    ["a Map", { a: { b: new Map() } }, "'a.b' is an instance of Map"],
    ["a Date", new Date(0), "it is an instance of Date"],
  ])("[DE5] %s is not data, and the message says where it is", (_, value, message) => {
    expect(() => copyData(value)).toThrow(message);
    expect(() => bytesOf(value)).toThrow(message);
  });

  it("[DE5] a cycle is not data, and does not hang", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(() => copyData(cycle)).toThrow("nested more than");
    expect(() => bytesOf(cycle)).toThrow("nested more than");
  });

  it("[DE35] bytes that are cut or changed never hang and never fill the memory", () => {
    const whole = bytesOf({ a: [1, 2n, "text"], b: Float64Array.of(1, 2), c: { d: null } });
    for (let length = 0; length < whole.length; length++)
      expect(() => new DataReader(whole.slice(0, length)).value()).toThrow(RangeError);
    for (let at = 0; at < whole.length; at++) {
      const changed = whole.slice();
      changed[at] = 0xff;
      try {
        new DataReader(changed).value();
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
  });
});
