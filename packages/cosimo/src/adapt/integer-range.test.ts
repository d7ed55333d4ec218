/** Numbers that an integer cannot hold end the run with a message; they do not wrap around. */
import { describe, expect, it } from "vitest";
import { functionUnit } from "../unit/function-unit.ts";
import { getNumber, setValues } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { integerCell, longOf, outOfRange } from "./integer-range.ts";
import { adapt, around, PASS, started, step } from "./testing/adapt.ts";
import { echo, integrator } from "./testing/small-units.ts";

const INT32_MAX = 2 ** 31 - 1;

/** y is what the expression gives. */
const giving = (value: string, type = ""): Unit =>
  adapt(
    around(
      "reactive mealy",
      `input ports u output ports y${type}
       in var x := 0.0;
       in rules { true -> { x := a.u; } --> { f.u := x; }; }
       out rules { true -> {} --> { a.y := ${value}; }; }`,
    ),
    integrator("f"),
  );

/** n goes to an inner unit with a 32-bit integer for an input. */
function counter(control = ""): Unit {
  const unit = functionUnit(
    {
      name: "f",
      inputs: { u: { type: "int32", variability: "discrete" } },
      outputs: { y: { feedThrough: ["u"] } },
      evaluate: (_t, u, _p, y) => {
        y[0] = u[0];
      },
    },
    "f",
  );
  return adapt(
    around("reactive mealy", `${PASS.replace("ports u", "ports u: real")} ${control}`),
    unit,
  );
}

describe("integers of adaptations", () => {
  it.each(["floor", "ceil", "round"])("[AU38] %s beyond 32 bits fails by name", (name) => {
    const unit = started(giving(`${name}(x)`));
    setValues(unit, { u: INT32_MAX });
    expect(getNumber(unit, "y")).toBe(INT32_MAX);
    setValues(unit, { u: INT32_MAX + 1 });
    expect(() => getNumber(unit, "y")).toThrow(
      /'adapted' .*output 'y' is 2147483648, which int32 cannot hold \(adaptation 'A'\)/,
    );
  });

  it("[AU38] fails in a step, too, and for NaN", () => {
    for (const u of [-(2 ** 31) - 1, Number.NaN]) {
      const unit = started(giving("floor(x)"));
      setValues(unit, { u });
      expect(() => step(unit, 0, 1)).toThrow(`output 'y' is ${u}`);
    }
  });

  it("[AU38] leaves what the declared type can hold", () => {
    const unit = started(giving("floor(x)", ": real"));
    setValues(unit, { u: 2 ** 40 });
    step(unit, 0, 1);
    expect(getNumber(unit, "y")).toBe(2 ** 40);
    const whole = started(giving("sign(x) * 7"));
    setValues(whole, { u: -(2 ** 40) });
    expect(getNumber(whole, "y")).toBe(-7);
  });

  it("[AU38] fails where an inner input cannot hold what rules give", () => {
    const unit = started(counter());
    setValues(unit, { u: 2 ** 32 + 5 });
    const message = "input 'u' of 'f' is 4294967301, which int32 cannot hold";
    expect(() => getNumber(unit, "y")).toThrow(message);
    expect(() => step(unit, 0, 1)).toThrow(message);
  });

  it("[AU38] fails where control rules assign it", () => {
    const unit = started(counter("control rules { f.u := 1e10; return do_step(f, t, H); }"));
    expect(() => step(unit, 0, 1)).toThrow("input 'u' of 'f' is 10000000000");
  });

  it("[AU38] fails beyond 64 bits", () => {
    const unit = started(
      adapt(
        around(
          "reactive mealy",
          `input ports n: real output ports m
           in var x := 0.0;
           in rules { true -> { x := a.n; } --> { f.n := x; }; }
           out rules { true -> {} --> { a.m := f.m; }; }`,
        ),
        echo(),
      ),
    );
    setValues(unit, { n: 2 ** 53 });
    expect(getNumber(unit, "m")).toBe(2 ** 53);
    setValues(unit, { n: 2e19 });
    expect(() => step(unit, 0, 1)).toThrow("input 'n' of 'f' is 20000000000000000000");
  });

  it("[AU38] makes the largest 64-bit integers of the doubles next to them", () => {
    expect(longOf(2 ** 63)).toBe(2n ** 63n - 1n);
    expect(BigInt.asUintN(64, longOf(2 ** 64))).toBe(2n ** 64n - 1n);
    expect(longOf(-(2 ** 63))).toBe(-(2n ** 63n));
    expect(longOf(-2.7)).toBe(-2n);
  });

  it("[AU38] knows the range of every integer type", () => {
    const fits = (type: Parameters<typeof integerCell>[2], value: number): boolean => {
      const cell = integerCell("it", 0, type);
      return cell === undefined || outOfRange([cell], Float64Array.of(value)) === undefined;
    };
    for (const bits of [8, 16, 32] as const) {
      for (const [type, least, most] of [
        [`int${bits}`, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1],
        [`uint${bits}`, 0, 2 ** bits - 1],
      ] as const) {
        for (const value of [least, least - 0.5, most, most + 0.5])
          expect(fits(type, value)).toBe(true);
        for (const value of [least - 1, most + 1]) expect(fits(type, value)).toBe(false);
      }
    }
    for (const [type, least, most] of [
      ["int64", -(2 ** 63), 2 ** 63],
      ["uint64", 0, 2 ** 64],
    ] as const) {
      for (const value of [least, most]) expect(fits(type, value)).toBe(true);
      for (const value of [least - 4096, most + 4096]) expect(fits(type, value)).toBe(false);
    }
    expect(fits("float64", 1e300)).toBe(true);
    expect(fits("boolean", 1e300)).toBe(true);
  });
});
