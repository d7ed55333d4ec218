/** What faults make of values of every type. */
import { describe, expect, it } from "vitest";
import type { FaultEffect, FaultTarget } from "../model/faults.ts";
import type { Port } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks, type ValueType } from "../model/value-type.ts";
import { FaultProcess } from "./fault-process.ts";
import { flipBit } from "./flip-bit.ts";
import { normal, uniform } from "./random.ts";

const PLACE = { file: "test" };

function portOf(type: ValueType, more: Partial<Port> = {}): Port {
  const isReal = type === "float64" || type === "float32";
  return {
    index: 0,
    name: "y",
    direction: "output",
    type,
    shape: [],
    variability: isReal ? "continuous" : "discrete",
    nature: isReal ? "continuous" : "piecewise-constant",
    ...more,
  };
}

const WHOLE: FaultTarget = { port: 0, element: 0, count: 1 };

/** A fault that has acted since 0. */
function acting(effect: FaultEffect, port: Port, banks: Banks, target = WHOLE): FaultProcess {
  const when = { kind: "time", at: 0, until: Number.POSITIVE_INFINITY } as const;
  const fault = { name: "f", unit: 0, target, effect, when, text: "", place: PLACE };
  const process = new FaultProcess(fault, port, 0.1);
  process.switch(0, false, banks);
  return process;
}

function changed(
  effect: FaultEffect,
  type: ValueType,
  value: number | bigint | string,
): number | bigint | string | Uint8Array {
  const bank = bankOf(type);
  const banks = makeBanks({ [bank]: 1 });
  (banks[bank] as (typeof value)[])[0] = value;
  acting(effect, portOf(type), banks).apply(0, banks, 0);
  return banks[bank][0]!;
}

describe("effects on values that are not float64", () => {
  it("[FA3] integers are rounded and stay in the range of their type", () => {
    expect(changed({ kind: "offset", amount: 0.6 }, "int8", 3)).toBe(4);
    expect(changed({ kind: "gain", factor: 100 }, "int8", 3)).toBe(127);
    expect(changed({ kind: "offset", amount: -9 }, "uint8", 3)).toBe(0);
    expect(changed({ kind: "offset", amount: 2 }, "int64", 5n)).toBe(7n);
    expect(changed({ kind: "gain", factor: 1e30 }, "int64", 5n)).toBe(2n ** 63n - 1n);
    expect(changed({ kind: "offset", amount: 0.1 }, "float32", 1)).toBe(Math.fround(1.1));
  });

  it("[FA2] a port of any type can be stuck", () => {
    expect(changed({ kind: "stuck", values: [true] }, "boolean", 0)).toBe(1);
    expect(changed({ kind: "stuck", values: ["off"] }, "string", "on")).toBe("off");
    expect(changed({ kind: "stuck", values: [-1n] }, "int64", 5n)).toBe(-1n);
    expect(changed({ kind: "stuck" }, "string", "on")).toBe("on");
  });

  it("[FA7] bits are those of two's complement and IEEE 754; flipping twice gives the value back", () => {
    expect(changed({ kind: "bit-flip", bit: 0 }, "boolean", 1)).toBe(0);
    expect(changed({ kind: "bit-flip", bit: 7 }, "int8", 1)).toBe(1 - 128);
    expect(changed({ kind: "bit-flip", bit: 7 }, "uint8", 1)).toBe(1 + 128);
    expect(changed({ kind: "bit-flip", bit: 31 }, "int32", 0)).toBe(-(2 ** 31));
    expect(changed({ kind: "bit-flip", bit: 31 }, "uint32", 0)).toBe(2 ** 31);
    expect(changed({ kind: "bit-flip", bit: 63 }, "int64", 0n)).toBe(-(2n ** 63n));
    expect(changed({ kind: "bit-flip", bit: 31 }, "float32", 1.5)).toBe(-1.5);
    expect(changed({ kind: "bit-flip", bit: 0 }, "float64", 1)).toBe(1 + Number.EPSILON);
    for (const type of ["float64", "float32", "int16", "uint32", "enumeration"] as const)
      for (let bit = 0; bit < 16; bit++)
        expect(flipBit(type, flipBit(type, 77, bit), bit)).toBe(77);
  });

  it("[FA2] only the elements that the fault names change", () => {
    const banks = { ...makeBanks({}), f64: Float64Array.of(1, 2, 3, 4) };
    const port = portOf("float64", { shape: [4] });
    const target = { port: 0, element: 1, count: 2 };
    acting({ kind: "gain", factor: 10 }, port, banks, target).apply(0, banks, 0);
    expect([...banks.f64]).toEqual([1, 20, 30, 4]);
  });

  it("[FA6] a port of events that drops out has none", () => {
    const banks = { ...makeBanks({}), f64: Float64Array.of(1) };
    const port = portOf("boolean", { nature: "transient" });
    const effect = { kind: "drop-out", probability: 1, seed: 1 } as const;
    acting(effect, port, banks).apply(0, banks, 0);
    expect(banks.f64[0]).toBe(0);
  });

  it("[FA5] a held signal that is late changes at the instants of its changes plus the delay", () => {
    const banks = makeBanks({ f64: 1 });
    const process = acting({ kind: "delay", seconds: 0.25 }, portOf("int32"), banks);
    const show = (time: number, value: number): number => {
      banks.f64[0] = value;
      process.line?.add(time, banks, 0);
      if (process.isDue(time, false)) process.switch(time, false, banks);
      process.apply(time, banks, 0);
      return banks.f64[0]!;
    };
    expect(show(0, 1)).toBe(1);
    expect(show(0.1, 2)).toBe(1);
    expect(process.nextInstant(0.1)).toBeCloseTo(0.35, 12);
    expect(show(0.3, 3)).toBe(1);
    expect(show(0.35, 3)).toBe(2);
    expect(process.nextInstant(0.35)).toBeCloseTo(0.55, 12);
    expect(show(0.55, 3)).toBe(3);
    expect(process.nextInstant(0.55)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("random numbers by position", () => {
  const COUNT = 20_000;
  const draw = (make: (k: number) => number): number[] =>
    Array.from({ length: COUNT }, (_, k) => make(k));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;

  it("[FA4] are uniform and normal, and independent of their neighbours", () => {
    const tolerance = 5 / Math.sqrt(COUNT);
    const flat = draw((k) => uniform(7, 0, k));
    expect(Math.min(...flat)).toBeGreaterThan(0);
    expect(Math.max(...flat)).toBeLessThan(1);
    expect(Math.abs(mean(flat) - 1 / 2)).toBeLessThan(tolerance);
    const bell = draw((k) => normal(7, 0, k));
    expect(Math.abs(mean(bell))).toBeLessThan(tolerance);
    expect(Math.abs(mean(bell.map((x) => x * x)) - 1)).toBeLessThan(2 * tolerance);
    const neighbours = bell.slice(1).map((x, k) => x * bell[k]!);
    expect(Math.abs(mean(neighbours))).toBeLessThan(tolerance);
    const others = bell.map((x, k) => x * normal(8, 0, k));
    expect(Math.abs(mean(others))).toBeLessThan(tolerance);
    const elements = bell.map((x, k) => x * normal(7, 1, k));
    expect(Math.abs(mean(elements))).toBeLessThan(tolerance);
  });
});
