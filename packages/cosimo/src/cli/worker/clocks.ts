/**
 * `--clock name=seconds`: intervals of input clocks that the FMU leaves to its user.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { parseSeconds } from "../../model/physical-unit-conversion.ts";
import type { Port, PortClock, UnitDescription } from "../../model/unit-description.ts";
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
    const seconds = parseSeconds(text.slice(at + 1)) ?? 0;
    const clock = clocks.find((port) => port.name === name);
    const why = clock?.clock && whyNotChosen(clock.clock);
    if (clock && why !== undefined) {
      const params = { name, why };
      report(diagnose(RUN_DIAGNOSTICS, "clock-not-chosen", params, { file: `--clock ${text}` }));
    } else if (clock && seconds > 0) intervals.set(clock.index, seconds);
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
    .filter(({ index, clock }) => clock && isIntervalOpen(clock) && !intervals.has(index))
    .map(({ name, place }) =>
      diagnose(RUN_DIAGNOSTICS, "clock-interval-open", { name }, place ?? { file: unit.name }),
    );
}

/** The FMU leaves its interval to the importer. */
export function isIntervalOpen({ interval, seconds }: PortClock): boolean {
  // A tunable one follows from parameters of the FMU, which it is asked for.
  return interval === "fixed" && seconds === undefined;
}

/** Why the importer has no say in when a clock ticks; undefined: it has. */
function whyNotChosen({ interval, seconds }: PortClock): string | undefined {
  switch (interval) {
    case "constant":
      return `the FMU fixes its interval${seconds === undefined ? "" : `: ${seconds} s`}`;
    case "changing":
    case "countdown":
      return "the FMU itself says when it ticks next";
    case "triggered":
      return "it has no interval: it ticks when what feeds it does";
    default:
      return undefined;
  }
}

function inputClocks({ ports }: UnitDescription): Port[] {
  return ports.filter(({ direction, clock }) => direction === "input" && clock !== undefined);
}
