/**
 * `--clock name=seconds`: intervals of input clocks that the FMU leaves to its user.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import type { Port, UnitDescription } from "../../model/unit-description.ts";
import { RUN_DIAGNOSTICS } from "../run-diagnostics.ts";

/** Seconds by port. */
export function clockIntervals(
  texts: readonly string[],
  unit: UnitDescription,
  report: (d: Diagnostic) => void,
): Map<number, number> {
  const clocks = inputClocks(unit);
  const intervals = new Map<number, number>();
  for (const text of texts) {
    const at = text.lastIndexOf("=");
    const name = text.slice(0, Math.max(at, 0)).trim();
    const seconds = Number(text.slice(at + 1));
    const clock = clocks.find((port) => port.name === name);
    if (clock && seconds > 0) intervals.set(clock.index, seconds);
    else {
      const names = clocks.map((port) => port.name);
      const params = { name: text, nearest: clock ? undefined : nearest(name, names) };
      report(diagnose(RUN_DIAGNOSTICS, "clock-unknown", params, { file: `--clock ${text}` }));
    }
  }
  return intervals;
}

/** Clocks that never tick, because neither the FMU nor the command line chooses their interval. */
export function openClocks(
  unit: UnitDescription,
  intervals: ReadonlyMap<number, number>,
): Diagnostic[] {
  return inputClocks(unit)
    .filter(
      ({ index, clock }) =>
        clock?.interval === "fixed" && clock.seconds === undefined && !intervals.has(index),
    )
    .map(({ name, place }) =>
      diagnose(RUN_DIAGNOSTICS, "clock-interval-open", { name }, place ?? { file: unit.name }),
    );
}

function inputClocks({ ports }: UnitDescription): Port[] {
  return ports.filter(({ direction, clock }) => direction === "input" && clock !== undefined);
}
