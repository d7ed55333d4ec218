import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PhysicalUnit } from "./physical-unit.ts";
import {
  type Conversion,
  conversion,
  convertValue,
  formatDimension,
  parseQuantity,
} from "./physical-unit-conversion.ts";
import { parseUnit } from "./physical-unit-parse.ts";
import { PREFIXES, UNIT_TABLE } from "./unit-table.ts";

const SEED = { seed: 20_240_501, numRuns: 500 };

function unit(text: string): PhysicalUnit {
  return parseUnit(text)!;
}

/** "factor kg.m2/s3" or "factor base + offset". */
function shown(text: string): string {
  const base = parseUnit(text)?.base;
  if (base === undefined) return "unknown";
  const offset = base.offset === 0 ? "" : ` + ${base.offset}`;
  return `${base.factor} ${formatDimension(base.dimension)}${offset}`;
}

describe("units by name", () => {
  it.each([
    ["m", "1 m"],
    ["mm", "0.001 m"],
    ["km", "1000 m"],
    ["cm", "0.01 m"],
    ["um", "0.000001 m"],
    ["µm", "0.000001 m"],
    ["kg", "1 kg"],
    ["g", "0.001 kg"],
    ["t", "1000 kg"],
    ["km/h", "0.2777777777777778 m/s"],
    ["m/s2", "1 m/s2"],
    ["m/s^2", "1 m/s2"],
    ["m/s²", "1 m/s2"],
    ["m.s^(-2)", "1 m/s2"],
    ["m.s-2", "1 m/s2"],
    ["m s⁻²", "1 m/s2"],
    ["deg", `${Math.PI / 180} rad`],
    ["rev/min", `${(2 * Math.PI) / 60} rad/s`],
    ["rpm", `${(2 * Math.PI) / 60} rad/s`],
    ["1/min", `${1 / 60} 1/s`],
    ["Hz", "1 1/s"],
    ["N.m", "1 kg.m2/s2"],
    ["N*m", "1 kg.m2/s2"],
    ["Nm", "1 kg.m2/s2"],
    ["kNm", "1000 kg.m2/s2"],
    ["N.m/rad", "1 kg.m2/(s2.rad)"],
    ["kN", "1000 kg.m/s2"],
    ["kg.m2/s3", "1 kg.m2/s3"],
    ["W/(m2.K)", "1 kg/(s3.K)"],
    ["J/kg/K", "1 m2/(s2.K)"],
    ["kWh", "3600000 kg.m2/s2"],
    ["bar", "100000 kg/(m.s2)"],
    ["mbar", "100 kg/(m.s2)"],
    ["psi", "6894.757293168362 kg/(m.s2)"],
    ["V", "1 kg.m2/(s3.A)"],
    ["Ohm", "1 kg.m2/(s3.A2)"],
    ["mF", "0.001 s4.A2/(kg.m2)"],
    ["H", "1 kg.m2/(s2.A2)"],
    ["degC", "1 K + 273.15"],
    ["degF", `${5 / 9} K + ${45967 / 180}`],
    ["W/degC", "1 kg.m2/(s3.K)"],
    ["L/min", `${1 / 60_000} m3/s`],
    ["L/100km", "1e-8 m2"],
    ["%", "0.01 1"],
    ["%/m", "0.01 1/m"],
    ["1", "1 1"],
    ["-", "1 1"],
    ["", "1 1"],
    ["ms", "0.001 s"],
    ["min", "60 s"],
    ["h", "3600 s"],
    ["d", "86400 s"],
    ["mol/m3", "1 mol/m3"],
    ["((m))", "1 m"],
  ])("[PU1] reads '%s' as %s", (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each(["smoot", "m/", "/s", "m..s", "J/kg.K", "(m", "m)", "kdegC", "m^", "kkg", "M M"])(
    "[PU2] does not guess at '%s'",
    (text) => {
      expect(shown(text)).toBe("unknown");
    },
  );

  it("[PU2] a factor beyond what a double holds is not a unit", () => {
    for (const text of ["km200", "mm200"]) expect(parseUnit(text), text).toBeUndefined();
    expect(parseUnit("km2")?.base?.factor).toBe(1e6);
  });

  it("[PU1] every symbol of the table means something, alone and with a prefix", () => {
    expect(UNIT_TABLE.size).toBeGreaterThan(80);
    for (const symbol of UNIT_TABLE.keys()) expect(shown(symbol), symbol).not.toBe("unknown");
    const prefixed = [...UNIT_TABLE].filter(
      ([symbol, { prefixes }]) => prefixes && !UNIT_TABLE.has(`k${symbol}`),
    );
    expect(prefixed.length).toBeGreaterThan(30);
    for (const [symbol] of prefixed) {
      const ratio = unit(`k${symbol}`).base!.factor / unit(symbol).base!.factor;
      expect(ratio, symbol).toBeCloseTo(1000, 9);
    }
  });
});

function convert(from: string, to: string): string {
  const result = conversion(unit(from) ?? { name: from }, unit(to) ?? { name: to });
  if ("error" in result) return result.error;
  return `${result.factor} ${result.offset}${result.radian ? " radian" : ""}`;
}

describe("conversion", () => {
  it.each([
    ["mm", "m", "0.001 0"],
    ["m", "mm", "1000 0"],
    ["cm", "mm", "10 0"],
    ["in", "mm", "25.4 0"],
    ["km/h", "m/s", `${1000 / 3600} 0`],
    ["deg", "rad", `${Math.PI / 180} 0`],
    ["rpm", "rad/s", `${Math.PI / 30} 0`],
    ["degC", "K", "1 273.15"],
    ["K", "degC", "1 -273.15"],
    ["degC", "degF", "1.8 32"],
    ["bar", "kPa", "100 0"],
    ["kWh", "MJ", "3.6 0"],
    ["J", "N.m", "1 0"],
    ["1", "%", "100 0"],
    ["h", "min", "60 0"],
  ])("[PU3] %s → %s multiplies and adds %s", (from, to, expected) => {
    expect(convert(from, to)).toBe(expected);
  });

  it.each([
    ["rad", "1", "1 0 radian"],
    ["Hz", "rad/s", "1 0 radian"],
    ["N.m/rad", "N.m", "1 0 radian"],
  ])("[PU4] %s → %s takes the radian as 1 and says so", (from, to, expected) => {
    expect(convert(from, to)).toBe(expected);
  });

  it.each([
    ["N", "m", "'N' (kg.m/s2) and 'm' measure different things"],
    ["smoot", "m", "the unit 'smoot' is not defined"],
    ["smoot", "smoot", "1 0"],
  ])("[PU5] %s → %s: %s", (from, to, expected) => {
    expect(convert(from, to)).toBe(expected);
  });

  it("[PU6] the base units of a description win over the name", () => {
    const own: PhysicalUnit = {
      name: "m",
      base: { dimension: [0, 1, 0, 0, 0, 0, 0, 0], factor: 2, offset: 0 },
    };
    expect(conversion(own, { name: "m" })).toMatchObject({ factor: 2, offset: 0 });
  });

  it("[PU7] a difference of temperatures is not a temperature", () => {
    const celsius = unit("degC");
    const relative = { name: "degC", base: { ...celsius.base!, offset: 0 } };
    expect(conversion(relative, celsius)).toMatchObject({ kind: "relative" });
    expect(conversion(relative, unit("K"))).toMatchObject({ factor: 1, offset: 0 });
  });

  it.each([
    [9, "mm", "m", 0.009],
    [7, "ms", "s", 0.007],
    [20, "degC", "K", 293.15],
    [36, "km/h", "m/s", 10],
  ])("[PU8] %s %s in %s is %s, without noise in the last digit", (value, from, to, expected) => {
    expect(convertValue(value, conversion(unit(from), unit(to)) as Conversion)).toBe(expected);
  });

  const symbol = fc.constantFrom(...[...UNIT_TABLE.keys()].filter((name) => name !== "-"));
  const prefix = fc.constantFrom("", ...PREFIXES.keys());
  const named = fc
    .tuple(prefix, symbol)
    .map(([p, s]) => (parseUnit(p + s) === undefined ? s : p + s));
  const expression = fc
    .array(fc.tuple(named, fc.integer({ min: -3, max: 3 })), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.map(([s, e]) => (e === 1 || e === 0 ? s : `${s}^${e}`)).join("."));

  it("[PU9] there and back is where it began", () => {
    fc.assert(
      fc.property(named, named, fc.double({ min: -1e6, max: 1e6, noNaN: true }), (a, b, value) => {
        const there = conversion(unit(a), unit(b));
        const back = conversion(unit(b), unit(a));
        if ("error" in there || "error" in back) return "error" in there === "error" in back;
        const offset = Math.abs(there.offset / there.factor);
        const found = convertValue(convertValue(value, there), back);
        return Math.abs(found - value) <= 1e-12 * (Math.abs(value) + offset) + 1e-300;
      }),
      SEED,
    );
  });

  it("[PU9] through a third unit is the same as directly", () => {
    fc.assert(
      fc.property(named, named, named, (a, b, c) => {
        const ab = conversion(unit(a), unit(b));
        const bc = conversion(unit(b), unit(c));
        if ("error" in ab || "error" in bc) return true;
        const ac = conversion(unit(a), unit(c)) as Conversion;
        const through = ab.factor * bc.factor;
        return Math.abs(ac.factor - through) <= 1e-14 * Math.abs(through);
      }),
      SEED,
    );
  });

  it("[PU10] a product of units is the product of their factors and the sum of their exponents", () => {
    fc.assert(
      fc.property(expression, expression, (a, b) => {
        const product = parseUnit(`(${a}).(${b})`)?.base;
        const [x, y] = [parseUnit(a)?.base, parseUnit(b)?.base];
        if (product === undefined || x === undefined || y === undefined) return true;
        expect(product.dimension).toEqual(x.dimension.map((e, i) => e + y.dimension[i]!));
        expect(product.factor / (x.factor * y.factor)).toBeCloseTo(1, 12);
        return true;
      }),
      SEED,
    );
  });

  it("[PU10] what formatDimension writes, parseUnit reads", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 8, maxLength: 8 }),
        (exponents) => {
          const text = formatDimension(exponents as never);
          expect(unit(text).base).toEqual({ dimension: exponents, factor: 1, offset: 0 });
        },
      ),
      SEED,
    );
  });
});

describe("quantities", () => {
  it.each([
    ["5 mm", 5, "mm"],
    ["5mm", 5, "mm"],
    ["-1.5e-3 kg.m2", -0.0015, "kg.m2"],
    ["20°C", 20, "°C"],
    [" 3 ", 3, ""],
    ["2eV", 2, "eV"],
    [".5 N m", 0.5, "N m"],
  ])("[PU11] '%s' is %s of '%s'", (text, value, unitText) => {
    expect(parseQuantity(text)).toEqual({ value, unit: unitText });
  });

  it.each(["mm", "", "five mm", "--5", "e5"])("[PU11] '%s' is not a quantity", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });
});
