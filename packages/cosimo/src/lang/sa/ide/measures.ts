/**
 * Physical units that an editor offers between the brackets of a port: those that convert to what
 * the port is bound to first, the others behind.
 */
import type { PhysicalUnit } from "../../../model/physical-unit.ts";
import { conversion, formatDimension } from "../../../model/physical-unit-conversion.ts";
import { parseUnit } from "../../../model/physical-unit-parse.ts";
import { UNIT_TABLE } from "../../../model/unit-table.ts";
import { conversionText } from "./port-texts.ts";

export interface Measure {
  readonly name: string;
  /** What it is, in a line. */
  readonly detail: string;
  /** It measures what is wanted. */
  readonly fits: boolean;
}

/** Beside the symbols of the table: what engineers write, with prefixes and composed. */
const COMPOSED =
  "mm cm km mg ms us mN kN MN mV kV mA kA kW MW kJ MJ kWh kHz MHz hPa kPa MPa mbar mrad uF mF mH kOhm MOhm mW ml " +
  "m/s km/h m/s2 m/s3 rad/s rad/s2 deg/s rev/s 1/s 1/min m2 m3 cm2 cm3 mm2 m3/s l/min l/h kg/s kg/h kg/m3 g/cm3 N.m kN.m N.s/m N.m.s/rad N/m " +
  "N/mm N.m/rad kg.m2 J/K J/(kg.K) W/K W/m2 W/(m2.K) W/(m.K) K/s V/s A/s V.s/rad N.m/A mol/s mol/m3 1/K";

/** Some symbols have two signs, of which one is enough. */
const SHOWN_OTHERWISE: ReadonlySet<string> = new Set([
  "ohm",
  "Ω",
  "°",
  "°C",
  "℃",
  "°F",
  "BTU",
  "L",
  "-",
]);

const NAMES: readonly string[] = [
  ...[...UNIT_TABLE.keys()].filter((name) => !SHOWN_OTHERWISE.has(name)),
  ...COMPOSED.split(" "),
];

/** @param wanted the unit of what the port is bound to, if it has one. */
export function measures(wanted: PhysicalUnit | undefined): Measure[] {
  const names = wanted === undefined || wanted.name === "" ? NAMES : [wanted.name, ...NAMES];
  return [...new Set(names)].map((name) => {
    const unit = parseUnit(name) ?? { name };
    const fits = wanted !== undefined && !("error" in conversion(unit, wanted));
    return { name, detail: detailOf(unit, fits ? wanted : undefined), fits };
  });
}

function detailOf(unit: PhysicalUnit, wanted: PhysicalUnit | undefined): string {
  if (wanted !== undefined) return conversionText(unit, wanted) ?? "as it is inside";
  return unit.base === undefined ? "" : inBaseUnits(unit, unit.base);
}

function inBaseUnits(unit: PhysicalUnit, { dimension }: NonNullable<PhysicalUnit["base"]>): string {
  const base = formatDimension(dimension);
  return conversionText(unit, parseUnit(base) ?? { name: base }) ?? `= ${base}`;
}

/** What an editor shows for a unit. */
export function measureText(name: string): string {
  const unit = parseUnit(name);
  if (unit?.base === undefined)
    return `**${name}**: this unit is not defined, so values are passed on without conversion`;
  const text = inBaseUnits(unit, unit.base);
  return text.startsWith("=") ? `**${name}** ${text}` : text;
}
