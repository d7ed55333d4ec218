/**
 * Units against the numbers of their definitions (NIST SP 811, BIPM brochure), and the rules of
 * writing them: prefixes, powers, products.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { conversion, convertValue } from "./physical-unit-conversion.ts";
import { parseUnit } from "./physical-unit-parse.ts";
import { PREFIXES } from "./unit-table.ts";

/** `value` of one unit in another. */
function converted(value: number, from: string, to: string): number {
  const [a, b] = [parseUnit(from), parseUnit(to)];
  if (a === undefined || b === undefined) throw new Error(`test: '${from}' or '${to}'`);
  const way = conversion(a, b);
  if ("error" in way) throw new Error(way.error);
  return convertValue(value, way);
}

describe("one", () => {
  it.each<[string, string, number]>([
    ["in", "mm", 25.4],
    ["ft", "in", 12],
    ["yd", "ft", 3],
    ["mi", "ft", 5280],
    ["nmi", "m", 1852],
    ["ha", "m2", 1e4],
    ["L", "cm3", 1000],
    ["kn", "km/h", 1.852],
    ["mph", "m/s", 0.44704],
    ["kph", "m/s", 1 / 3.6],
    ["t", "kg", 1000],
    ["lb", "g", 453.59237],
    ["lb", "oz", 16],
    ["lbm", "kg", 0.45359237],
    ["kgf", "N", 9.80665],
    ["lbf", "N", 4.4482216152605],
    ["psi", "Pa", 6894.757293168361],
    ["atm", "Pa", 101325],
    ["atm", "Torr", 760],
    ["mmHg", "Pa", 133.322387415],
    ["bar", "kPa", 100],
    ["kWh", "MJ", 3.6],
    ["cal", "J", 4.184],
    ["Btu", "J", 1055.05585262],
    ["eV", "J", 1.602176634e-19],
    ["PS", "W", 735.49875],
    ["hp", "W", 745.6998715822702],
    ["Ah", "C", 3600],
    ["VA", "W", 1],
    ["rev", "deg", 360],
    ["rpm", "deg/s", 6],
    ["rps", "rpm", 60],
    ["deg", "arcmin", 60],
    ["arcmin", "arcsec", 60],
    ["gon", "deg", 0.9],
    ["grad", "gon", 1],
    ["wk", "d", 7],
    ["d", "h", 24],
    ["h", "min", 60],
    ["%", "ppm", 10_000],
    ["‰", "%", 0.1],
    ["degRk", "K", 5 / 9],
    ["Gy", "Sv", 1],
    ["lx", "lm/m2", 1],
    ["T", "Wb/m2", 1],
    ["S", "1/Ohm", 1],
    ["F", "A.s/V", 1],
    ["H", "V.s/A", 1],
  ])("[PU1] %s is %f… %s", (from, to, expected) => {
    expect(Math.abs(converted(1, from, to) / expected - 1)).toBeLessThan(1e-14);
  });

  it.each<[number, string, string, number]>([
    [0, "degC", "K", 273.15],
    [100, "degC", "degF", 212],
    [-40, "degF", "degC", -40],
    [0, "degF", "degRk", 459.67],
    [451, "degF", "degC", 232.77777777777777],
    [25, "°C", "℃", 25],
  ])("[PU3] scales with a zero of their own: %d %s in %s is %d", (value, from, to, expected) => {
    expect(Math.abs(converted(value, from, to) - expected)).toBeLessThan(1e-10);
  });
});

describe("a prefix", () => {
  it("[PU1] is the power of ten of its name, on every unit that takes one", () => {
    const names: Readonly<Record<string, number>> = {
      k: 3,
      M: 6,
      G: 9,
      m: -3,
      µ: -6,
      n: -9,
      da: 1,
    };
    for (const [prefix, exponent] of Object.entries(names)) {
      expect(PREFIXES.get(prefix)).toBe(exponent);
      const factor = converted(1, `${prefix}W`, "W");
      expect(Math.abs(factor / 10 ** exponent - 1)).toBeLessThan(1e-14);
    }
    expect(PREFIXES.get("μ")).toBe(PREFIXES.get("µ"));
  });

  it.each(["kdegC", "Mmin", "khp", "mpsi", "krpm", "kft", "k%", "mkg", "kkm", "µ°"])(
    "[PU1] is refused twice, and where the unit takes none: '%s'",
    (text) => {
      expect(parseUnit(text)).toBeUndefined();
    },
  );
});

describe("a power", () => {
  const symbols = fc.constantFrom("m", "s", "kg", "ft", "min", "N", "V");

  it("[PU10] of a unit has the factor to that power and the exponents times it", () => {
    fc.assert(
      fc.property(symbols, fc.integer({ min: -4, max: 4 }), (symbol, exponent) => {
        const one = parseUnit(symbol)?.base;
        const raised = parseUnit(`${symbol}^${exponent}`)?.base;
        if (one === undefined || raised === undefined) throw new Error("test: unknown");
        expect(Math.abs(raised.factor / one.factor ** exponent - 1)).toBeLessThan(1e-13);
        expect(raised.dimension).toEqual(one.dimension.map((n) => n * exponent + 0));
        expect(parseUnit(`${symbol}^(${exponent})`)?.base).toEqual(raised);
        expect(parseUnit(`(${symbol})${exponent}`)?.base).toEqual(raised);
      }),
      { seed: 40, numRuns: cases(200) },
    );
  });

  it("[PU10] divided by itself is a number, and units commute", () => {
    fc.assert(
      fc.property(symbols, symbols, (a, b) => {
        const ratio = parseUnit(`${a}/${a}`)?.base;
        expect(ratio).toEqual({ dimension: [0, 0, 0, 0, 0, 0, 0, 0], factor: 1, offset: 0 });
        expect(parseUnit(`${a}.${b}`)?.base?.dimension).toEqual(
          parseUnit(`${b}.${a}`)?.base?.dimension,
        );
        const quotient = parseUnit(`${a}/(${a}.${b})`)?.base;
        const inverse = parseUnit(`1/${b}`)?.base;
        expect(quotient?.dimension).toEqual(inverse?.dimension);
        expect(Math.abs((quotient?.factor ?? 0) / (inverse?.factor ?? 1) - 1)).toBeLessThan(1e-13);
      }),
      { seed: 41, numRuns: cases(200) },
    );
  });
});

describe("what cannot be converted", () => {
  it.each<[string, string, string]>([
    ["m", "s", "dimension"],
    ["N.m", "N", "dimension"],
    ["smoot", "m", "unknown"],
    ["m", "smoot", "unknown"],
  ])("[PU5] %s and %s: %s", (from, to, kind) => {
    const unit = (name: string) => parseUnit(name) ?? { name };
    expect(conversion(unit(from), unit(to))).toMatchObject({ kind });
  });

  it("[PU5] two units of one unknown name are the same", () => {
    expect(conversion({ name: "smoot" }, { name: "smoot" })).toEqual({
      factor: 1,
      offset: 0,
      radian: false,
    });
  });
});
