import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  parseBig,
  parseBoolean,
  parseDouble,
  parseHex,
  parseInteger,
  parseList,
  parseUnsigned,
  parseUnsignedList,
} from "./literals.ts";

describe("literals", () => {
  it.each([
    ["1", 1],
    [" -1.5e3 ", -1500],
    [".5", 0.5],
    ["5.", 5],
    ["+0", 0],
    ["INF", Number.POSITIVE_INFINITY],
    ["-INF", Number.NEGATIVE_INFINITY],
    ["NaN", Number.NaN],
  ])("[FD15] reads the double %j", (text, value) => {
    expect(parseDouble(text)).toBe(value);
  });

  it.each(["", " ", ".", "e5", "1e", "0x1", "1_0", "Infinity", "inf", "1,0", "--1", "1 2"])(
    "[FD15] reads no double from %j",
    (text) => {
      expect(parseDouble(text)).toBeUndefined();
    },
  );

  it("[FD15] reads back every double that JavaScript writes (seed 7)", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => {
        expect(parseDouble(String(x))).toBe(Object.is(x, -0) ? 0 : x);
      }),
      { seed: 7 },
    );
  });

  it("[FD6] looks at long runs of digits once", () => {
    expect(parseDouble(`${"1".repeat(300_000)}x`)).toBeUndefined();
    expect(parseDouble(`1.${"1".repeat(300_000)}x`)).toBeUndefined();
  });

  it("[FD15] keeps integers within their limits", () => {
    expect(parseInteger("-128", -128, 127)).toBe(-128);
    expect(parseInteger("128", -128, 127)).toBeUndefined();
    expect(parseInteger("1.0", -128, 127)).toBeUndefined();
    expect(parseUnsigned("4294967295")).toBe(4294967295);
    expect(parseUnsigned("4294967296")).toBeUndefined();
    expect(parseUnsigned("99999999999")).toBeUndefined();
    expect(parseUnsigned(" +7 ")).toBe(7);
    expect(parseUnsigned("-1")).toBeUndefined();
    expect(parseBig("+18446744073709551615", 0n, 2n ** 64n - 1n)).toBe(2n ** 64n - 1n);
    expect(parseBig("18446744073709551616", 0n, 2n ** 64n - 1n)).toBeUndefined();
    expect(parseBig("9".repeat(1_000_000), 0n, 9n)).toBeUndefined();
  });

  it("[FD15] reads booleans and hexadecimal bytes", () => {
    expect(["true", "1", "false", "0", "True", ""].map(parseBoolean)).toEqual([
      true,
      true,
      false,
      false,
      undefined,
      undefined,
    ]);
    expect(parseHex("00fF")).toEqual(new Uint8Array([0, 255]));
    expect(parseHex("")).toEqual(new Uint8Array());
    expect(parseHex("0")).toBeUndefined();
    expect(parseHex("0g")).toBeUndefined();
  });

  it("[FD15] reads lists, and refuses them as a whole", () => {
    expect(parseList(" 1\n2\t3 ", parseDouble)).toEqual([1, 2, 3]);
    expect(parseList("  ", parseDouble)).toEqual([]);
    expect(parseList("1 x", parseDouble)).toBeUndefined();
  });

  it("[FD31] reads lists of unsigned integers like the general reader (seed 7)", () => {
    const word = fc.oneof(
      fc.nat().map(String),
      fc.constantFrom("4294967295", "4294967296", "x", "-1", "0"),
    );
    const space = fc.constantFrom(" ", "  ", "\n", "\t ");
    fc.assert(
      fc.property(fc.array(fc.tuple(word, space)), (words) => {
        const text = words.flat().join("");
        expect(parseUnsignedList(text)).toEqual(parseList(text, parseUnsigned));
      }),
      { seed: 7 },
    );
  });
});
