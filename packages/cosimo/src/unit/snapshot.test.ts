/**
 * Snapshots as bytes, predicates, and the transfer of values: the small parts that all units in
 * TypeScript stand on.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Banks, makeBanks } from "../model/value-type.ts";
import { areSameBanks, copyBanks, fillBanks, isSameValue } from "./banks.ts";
import { placesIn, stateSpaceProduct } from "./dense-jacobian.ts";
import { bindPorts, copyIn, copyOut, putStart } from "./port-access.ts";
import { makePorts } from "./port-spec.ts";
import { conditionsOf, type Predicate, timeBound } from "./predicate.ts";
import { decodeSnapshot, encodeSnapshot, takeSnapshot } from "./snapshot.ts";

const SEED = 20261117;

function someBanks(): Banks {
  return {
    f64: Float64Array.of(1.5, Number.NaN, -0),
    i64: BigInt64Array.of(-(2n ** 63n)),
    obj: ["text ✓", Uint8Array.of(1, 2, 3), ""],
  };
}

describe("a snapshot of banks", () => {
  it("[UN40] does not change with the banks, and fills them again", () => {
    const banks = someBanks();
    const saved = takeSnapshot(2, "step", banks);
    banks.f64.fill(7);
    banks.i64.fill(7n);
    banks.obj.fill("other");
    fillBanks(banks, saved.banks);
    expect(banks).toEqual(someBanks());
    expect(saved.time).toBe(2);
  });

  it("[UN43] goes through bytes bit for bit, with its phase and its time", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double(), { minLength: 1 }),
        fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
        fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array())),
        fc.constantFrom("instantiated", "initialization", "step", "event", "terminated"),
        (f64, i64, obj, phase) => {
          const banks = { f64: Float64Array.from(f64), i64: BigInt64Array.from(i64), obj };
          const bytes = encodeSnapshot(takeSnapshot(f64[0], phase, banks));
          const like = { f64: banks.f64, i64: banks.i64, obj: obj.map(() => "") };
          expect(decodeSnapshot("unit", bytes, like, 0)).toEqual({ time: f64[0], phase, banks });
        },
      ),
      { seed: SEED },
    );
  });

  it("[UN43] is refused wherever its bytes are cut off, and where they belong to another unit", () => {
    const banks = someBanks();
    const bytes = encodeSnapshot(takeSnapshot(0, "step", banks));
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeSnapshot("unit", bytes.slice(0, length), banks, 0), `${length}`).toThrow(
        /'unit': these bytes are not a snapshot of it/,
      );
    const others: Banks[] = [
      { ...banks, f64: new Float64Array(2) },
      { ...banks, i64: new BigInt64Array(2) },
      { ...banks, obj: ["", ""] },
    ];
    for (const other of others)
      expect(() => decodeSnapshot("unit", bytes, other, 0)).toThrow(/another number of values/);
    const damaged = bytes.slice();
    damaged[4] = 99;
    expect(() => decodeSnapshot("unit", damaged, banks, 0)).toThrow(/unknown phase/);
  });

  it("[UN43] is read in a part of a larger buffer", () => {
    const banks = someBanks();
    const bytes = encodeSnapshot(takeSnapshot(0, "event", banks));
    const larger = new Uint8Array(bytes.length + 3);
    larger.set(bytes, 3);
    expect(decodeSnapshot("unit", larger.subarray(3), banks, 0).phase).toBe("event");
  });
});

describe("banks", () => {
  it("are the same as their copy, until one value differs", () => {
    const banks = someBanks();
    const changes: ((copy: Banks) => void)[] = [
      (copy) => copy.f64.fill(0, 2),
      (copy) => copy.i64.fill(0n),
      (copy) => copy.obj.splice(0, 1, "text"),
      (copy) => copy.obj.splice(1, 1, Uint8Array.of(1, 2, 4)),
      (copy) => copy.obj.splice(1, 1, Uint8Array.of(1, 2)),
      (copy) => copy.obj.splice(2, 1, new Uint8Array(0)),
    ];
    expect(areSameBanks(banks, copyBanks(banks))).toBe(true);
    for (const change of changes) {
      const copy = copyBanks(banks);
      change(copy);
      expect(areSameBanks(banks, copy), String(change)).toBe(false);
    }
  });

  it("compare zeros and NaN by their bits, and bytes one by one", () => {
    expect(isSameValue(0, -0)).toBe(false);
    expect(isSameValue(Number.NaN, Number.NaN)).toBe(true);
    expect(isSameValue(1n, 1n)).toBe(true);
    expect(isSameValue("a", undefined)).toBe(false);
    expect(isSameValue(Uint8Array.of(1), Uint8Array.of(1))).toBe(true);
    expect(isSameValue(Uint8Array.of(1), "1")).toBe(false);
  });
});

describe("a predicate", () => {
  const time = (t: number): Predicate => ({ kind: "time", time: t });
  const updated: Predicate = { kind: "updated", port: 3 };
  const event: Predicate = { kind: "event", port: -1 };
  const nested: Predicate = {
    kind: "or",
    any: [updated, { kind: "or", any: [time(5), event] }, time(4)],
  };

  it("bounds time by the earliest of its times, however deep", () => {
    expect(timeBound(time(2))).toBe(2);
    expect(timeBound(updated)).toBe(Number.POSITIVE_INFINITY);
    expect(timeBound(nested)).toBe(4);
    expect(timeBound({ kind: "or", any: [] })).toBe(Number.POSITIVE_INFINITY);
  });

  it("has its other conditions in the order of writing", () => {
    expect(conditionsOf(time(1))).toEqual([]);
    expect(conditionsOf(nested)).toEqual([updated, event]);
  });
});

describe("the transfer of values", () => {
  const ports = makePorts("unit", [
    { direction: "input", ports: { a: { shape: [2], start: [1, 2] }, n: { type: "int64" } } },
    {
      direction: "output",
      ports: { s: { type: "string", start: "old" }, b: { type: "boolean", start: true } },
    },
  ]);
  /** Where each port begins in the bank of its type: a 0, n 0, s 0, b behind a. */
  const offsets = Int32Array.of(0, 0, 0, 2);
  const own = (): Banks => {
    const banks = makeBanks({ f64: 3, i64: 1, obj: 1 });
    for (const port of ports) putStart(port, offsets[port.index], banks);
    return banks;
  };

  it("starts with the start values, one for all elements or one for each", () => {
    expect(own()).toEqual({
      f64: Float64Array.of(1, 2, 1),
      i64: BigInt64Array.of(0n),
      obj: ["old"],
    });
    const [wide] = makePorts("unit", [
      { direction: "input", ports: { w: { shape: [3], start: [4] } } },
    ]);
    const banks = makeBanks({ f64: 4 });
    putStart(wide, 1, banks);
    expect([...banks.f64]).toEqual([0, 4, 4, 4]);
  });

  it("[UN32] puts every element where the caller wants it, and takes it back from there", () => {
    const slots = [
      { port: 0, slot: 1 },
      { port: 1, slot: 2 },
      { port: 2, slot: 1 },
      { port: 3, slot: 0 },
    ];
    const access = bindPorts("unit", ports, offsets, slots, () => "step");
    const outside = makeBanks({ f64: 3, i64: 3, obj: 2 });
    copyOut(access, own(), outside);
    expect(outside).toEqual({
      f64: Float64Array.of(1, 1, 2),
      i64: BigInt64Array.of(0n, 0n, 0n),
      obj: ["", "old"],
    });
    outside.f64.set([0, 8, 9]);
    outside.i64[2] = 7n;
    outside.obj[1] = "new";
    const inside = own();
    copyIn(access, outside, inside);
    expect(inside).toEqual({
      f64: Float64Array.of(8, 9, 0),
      i64: BigInt64Array.of(7n),
      obj: ["new"],
    });
  });

  it("[UN34] knows the first port that cannot be written, or only before the first step", () => {
    const last = ["step", "initialization", "never", "never"] as const;
    const bind = (...indices: number[]) =>
      bindPorts(
        "unit",
        ports,
        offsets,
        indices.map((port) => ({ port, slot: 0 })),
        ({ index }) => last[index],
      );
    expect(bind(0)).toMatchObject({ never: -1, early: -1 });
    expect(bind(0, 1)).toMatchObject({ never: -1, early: 1 });
    expect(bind(3, 2, 1)).toMatchObject({ never: 3, early: 1 });
  });

  it.each([
    [4, 0],
    [-1, 0],
    [0, -1],
    [0, 0.5],
  ])("[UN36] refuses port %s at slot %s", (port, slot) => {
    expect(() => bindPorts("unit", ports, offsets, [{ port, slot }], () => "step")).toThrow(
      RangeError,
    );
  });
});

describe("derivatives from a matrix", () => {
  it("are found only for elements of the block", () => {
    expect(placesIn([3, 5], 3, 3)).toEqual([0, 2]);
    expect(placesIn([2], 3, 3)).toBeUndefined();
    expect(placesIn([6], 3, 3)).toBeUndefined();
    expect(placesIn([], 3, 3)).toEqual([]);
  });

  it("are rows of states and outputs times columns of states and inputs", () => {
    // Store: parameter 0, inputs 1 2, state 3, output 4, derivative 5. x' = 2 x + 3 u1 + 5 u2, y =
    // 7 x + 11 u1 + 13 u2.
    const sizes = { parameters: 1, inputs: 2, states: 1, outputs: 1 };
    const matrix = Float64Array.of(2, 3, 5, 7, 11, 13);
    const product = (unknowns: number[], knowns: number[], ...seed: number[]): number[] => {
      const out = new Float64Array(unknowns.length);
      const isKnown = stateSpaceProduct(
        sizes,
        matrix,
        unknowns,
        knowns,
        Float64Array.from(seed),
        out,
      );
      return isKnown ? [...out] : [];
    };
    expect(product([5, 4], [3], 1)).toEqual([2, 7]);
    expect(product([4], [1, 2], 1, 10)).toEqual([11 + 130]);
    expect(product([5], [2, 3], 1, 1)).toEqual([5 + 2]);
    // A parameter, or a state as an unknown: the matrix does not say.
    expect(product([5], [0], 1)).toEqual([]);
    expect(product([3], [3], 1)).toEqual([]);
  });
});
