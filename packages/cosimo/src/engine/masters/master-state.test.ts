/**
 * Bytes that outlive a process: read as they were written, and never beyond their end.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Banks } from "../../model/value-type.ts";
import { ByteReader, ByteWriter, checksum } from "../../unit/bytes.ts";
import { type Keeps, packParts, unpackParts } from "./master-state.ts";

const SEED = 20261117;
const text = fc.string({ unit: "binary" });
const value = fc.oneof(text, fc.uint8Array());
const banks: fc.Arbitrary<Banks> = fc.record({
  f64: fc.array(fc.double()).map((values) => Float64Array.from(values)),
  i64: fc
    .array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
    .map((values) => BigInt64Array.from(values)),
  obj: fc.array(value),
});

function written(write: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter();
  write(writer);
  expect(writer.length).toBe(writer.take().length);
  return writer.take();
}

describe("bytes of checkpoints", () => {
  it("give back what was written, of every kind and in its order", () => {
    fc.assert(
      fc.property(banks, text, fc.uint8Array(), fc.nat(255), (all, words, data, small) => {
        const bytes = written((writer) => {
          writer.u8(small);
          writer.banks(all);
          writer.text(words);
          writer.bytes(data);
          writer.u32(0xffffffff);
          writer.f64(-0);
          writer.i64(-(2n ** 63n));
        });
        const reader = new ByteReader(bytes);
        expect(reader.u8()).toBe(small);
        expect(reader.banks()).toEqual(all);
        expect(reader.text()).toBe(words);
        expect(reader.bytes()).toEqual(data);
        expect(reader.u32()).toBe(0xffffffff);
        expect(reader.f64()).toBe(-0);
        expect(reader.isAtEnd).toBe(false);
        expect(reader.i64()).toBe(-(2n ** 63n));
        expect(reader.isAtEnd).toBe(true);
        expect(reader.position).toBe(bytes.length);
      }),
      { seed: SEED },
    );
  });

  it("are refused wherever they end early", () => {
    const all: Banks = { f64: Float64Array.of(1, 2), i64: BigInt64Array.of(3n), obj: ["abc", ""] };
    const bytes = written((writer) => writer.banks(all));
    expect(new ByteReader(bytes).banks()).toEqual(all);
    for (let length = 0; length < bytes.length; length++)
      expect(() => new ByteReader(bytes.subarray(0, length)).banks()).toThrow(RangeError);
  });

  it("that claim to have more entries than bytes are refused before room is made for them", () => {
    const claims = written((writer) => {
      writer.u32(0xffffffff);
      writer.f64(1);
    });
    expect(() => new ByteReader(claims).banks()).toThrow(RangeError);
    // Exactly as many as there is room for are read.
    const exact = written((writer) => {
      writer.u32(1);
      writer.f64(2);
      writer.u32(0);
      writer.u32(0);
    });
    expect(new ByteReader(exact).banks().f64).toEqual(Float64Array.of(2));
  });

  it("are read in a part of a larger buffer, and copies do not change with it", () => {
    const inner = written((writer) => writer.bytes(Uint8Array.of(1, 2, 3)));
    const outer = new Uint8Array(inner.length + 5);
    outer.set(inner, 5);
    const found = new ByteReader(outer.subarray(5)).bytes();
    outer.fill(0);
    expect(found).toEqual(Uint8Array.of(1, 2, 3));
    expect(new ByteReader(inner, 4).u8()).toBe(1);
  });

  it("forget what is cut off, and go on from there", () => {
    const writer = new ByteWriter();
    writer.u32(1);
    writer.u32(2);
    writer.cut(4);
    writer.u8(3);
    expect(writer.take()).toEqual(Uint8Array.of(1, 0, 0, 0, 3));
    expect(writer.take(4)).toEqual(Uint8Array.of(3));
  });

  it("have the checksum of zip and PNG", () => {
    // The check value of CRC-32/ISO-HDLC.
    expect(checksum(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
    expect(checksum(new Uint8Array(0))).toBe(0);
  });
});

describe("the state of a master", () => {
  const keeper = (parts: readonly Float64Array[], restored: Float64Array[][]): Keeps => ({
    save: () => parts,
    restore: (given) => {
      restored.push([...given]);
    },
  });

  it("[IT17] comes back to its owners in their order, bit for bit, parts without entries too", () => {
    const first = [Float64Array.of(1, Number.NaN, -0), new Float64Array(0)];
    const second: Float64Array[] = [];
    const third = [Float64Array.of(Number.POSITIVE_INFINITY)];
    const restored: Float64Array[][] = [];
    const owners = [first, second, third].map((parts) => keeper(parts, restored));
    unpackParts(packParts(owners), owners);
    expect(restored).toEqual([first, second, third]);
    expect(Object.is(restored[0][0][2], -0)).toBe(true);
  });

  it("is refused where bytes are missing", () => {
    const owners = [keeper([Float64Array.of(1, 2)], [])];
    const saved = packParts(owners);
    expect(() => unpackParts(saved.subarray(0, -1), owners)).toThrow(RangeError);
  });
});
