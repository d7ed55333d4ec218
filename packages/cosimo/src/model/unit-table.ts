/**
 * Units by name, for places that give a name and nothing else: "5 mm" in a scenario, an FMU without
 * base units.
 *
 * Each unit is defined by another one and an exact ratio, so that a factor is rounded once (km/h is
 * 1000/3600, not a product of roundings). Where an FMU defines a unit itself, its definition wins
 * over this table.
 */
import type { Dimension } from "./physical-unit.ts";

/** `value in base units = numerator / denominator * value + offset`. */
export interface TableUnit {
  readonly numerator: number;
  readonly denominator: number;
  readonly offset: number;
  /** An expression over other symbols, or the exponents themselves for a base unit. */
  readonly of: string | Dimension;
  /** Takes SI prefixes: mm, kPa. */
  readonly prefixes: boolean;
}

function si(of: string | Dimension, numerator = 1, denominator = 1): TableUnit {
  return { numerator, denominator, offset: 0, of, prefixes: true };
}

function plain(of: string, numerator = 1, denominator = 1, offset = 0): TableUnit {
  return { numerator, denominator, offset, of, prefixes: false };
}

const CELSIUS = plain("K", 1, 1, 273.15);
/** 459.67 degrees below zero, times 5/9. */
const FAHRENHEIT = plain("K", 5, 9, 45967 / 180);
const DEGREE = plain("rad", Math.PI, 180);
const OHM = si("V/A");
const LITRE = si("m3", 1, 1000);
const TURN = plain("rad", 2 * Math.PI);
const PER_MINUTE = plain("rad/s", 2 * Math.PI, 60);

const POUND = 45359237;
const POUND_DENOMINATOR = 100_000_000;
/** Standard gravity in 1e-5 m/s2. */
const GRAVITY = 980_665;
const GRAVITY_DENOMINATOR = 100_000;

export const UNIT_TABLE: ReadonlyMap<string, TableUnit> = new Map<string, TableUnit>([
  // SI base units and the radian
  ["kg", { ...si([1, 0, 0, 0, 0, 0, 0, 0]), prefixes: false }],
  ["g", si("kg", 1, 1000)],
  ["m", si([0, 1, 0, 0, 0, 0, 0, 0])],
  ["s", si([0, 0, 1, 0, 0, 0, 0, 0])],
  ["A", si([0, 0, 0, 1, 0, 0, 0, 0])],
  ["K", si([0, 0, 0, 0, 1, 0, 0, 0])],
  ["mol", si([0, 0, 0, 0, 0, 1, 0, 0])],
  ["cd", si([0, 0, 0, 0, 0, 0, 1, 0])],
  ["rad", si([0, 0, 0, 0, 0, 0, 0, 1])],
  // SI derived units
  ["Hz", si("1/s")],
  ["N", si("kg.m/s2")],
  ["Pa", si("N/m2")],
  ["J", si("N.m")],
  ["W", si("J/s")],
  ["C", si("A.s")],
  ["V", si("W/A")],
  ["F", si("C/V")],
  ["Ohm", OHM],
  ["ohm", OHM],
  ["Ω", OHM],
  ["S", si("A/V")],
  ["Wb", si("V.s")],
  ["T", si("Wb/m2")],
  ["H", si("Wb/A")],
  ["lm", si("cd")],
  ["lx", si("lm/m2")],
  ["Bq", si("1/s")],
  ["Gy", si("J/kg")],
  ["Sv", si("J/kg")],
  ["kat", si("mol/s")],
  ["sr", plain("1")],
  // time
  ["min", plain("s", 60)],
  ["h", plain("s", 3600)],
  ["d", plain("s", 86400)],
  ["wk", plain("s", 604800)],
  // angle and speed of rotation
  ["deg", DEGREE],
  ["°", DEGREE],
  ["grad", plain("rad", Math.PI, 200)],
  ["gon", plain("rad", Math.PI, 200)],
  ["arcmin", plain("rad", Math.PI, 10800)],
  ["arcsec", plain("rad", Math.PI, 648000)],
  ["rev", TURN],
  ["rpm", PER_MINUTE],
  ["rps", plain("rad/s", 2 * Math.PI)],
  // temperature
  ["degC", CELSIUS],
  ["°C", CELSIUS],
  ["℃", CELSIUS],
  ["degF", FAHRENHEIT],
  ["°F", FAHRENHEIT],
  ["degRk", plain("K", 5, 9)],
  // length, area, volume, speed
  ["in", plain("m", 254, 10000)],
  ["ft", plain("m", 3048, 10000)],
  ["yd", plain("m", 9144, 10000)],
  ["mi", plain("m", 1_609_344, 1000)],
  ["nmi", plain("m", 1852)],
  ["ha", plain("m2", 10000)],
  ["l", LITRE],
  ["L", LITRE],
  ["kph", plain("m/s", 1000, 3600)],
  ["mph", plain("m/s", 1_609_344, 3_600_000)],
  ["kn", plain("m/s", 1852, 3600)],
  // mass, force, torque
  ["t", si("kg", 1000)],
  ["lb", plain("kg", POUND, POUND_DENOMINATOR)],
  ["lbm", plain("kg", POUND, POUND_DENOMINATOR)],
  ["oz", plain("kg", POUND, 16 * POUND_DENOMINATOR)],
  ["lbf", plain("N", POUND * GRAVITY, POUND_DENOMINATOR * GRAVITY_DENOMINATOR)],
  ["kgf", plain("N", GRAVITY, GRAVITY_DENOMINATOR)],
  ["Nm", si("N.m")],
  // pressure
  ["bar", si("Pa", 100_000)],
  ["atm", plain("Pa", 101_325)],
  ["Torr", plain("Pa", 101_325, 760)],
  ["mmHg", plain("Pa", 133.322387415)],
  ["psi", plain("Pa", POUND * GRAVITY, 6_451_600_000)],
  // energy and power
  ["Wh", si("J", 3600)],
  ["eV", si("J", 1.602176634e-19)],
  ["cal", si("J", 4184, 1000)],
  ["Btu", plain("J", 1055.05585262)],
  ["BTU", plain("J", 1055.05585262)],
  ["PS", plain("W", 75 * GRAVITY, GRAVITY_DENOMINATOR)],
  ["hp", plain("ft.lbf/s", 550)],
  ["VA", si("W")],
  ["var", si("W")],
  ["Ah", si("C", 3600)],
  // numbers
  ["%", plain("1", 1, 100)],
  ["‰", plain("1", 1, 1000)],
  ["ppm", plain("1", 1, 1_000_000)],
  ["-", plain("1")],
]);

/** Powers of ten. Both signs for micro: the micro sign and the Greek letter. */
export const PREFIXES: ReadonlyMap<string, number> = new Map([
  ["da", 1],
  ["Y", 24],
  ["Z", 21],
  ["E", 18],
  ["P", 15],
  ["T", 12],
  ["G", 9],
  ["M", 6],
  ["k", 3],
  ["h", 2],
  ["d", -1],
  ["c", -2],
  ["m", -3],
  ["u", -6],
  ["µ", -6],
  ["μ", -6],
  ["n", -9],
  ["p", -12],
  ["f", -15],
  ["a", -18],
  ["z", -21],
  ["y", -24],
]);
