/**
 * How often each fault of a run has acted, by the name of its track.
 */
import type { Scenario } from "../model/scenario.ts";
import type { FaultCount, Unit } from "../unit/unit.ts";

/** @returns undefined where nothing was to go wrong. */
export function faultCounts(
  { units: described }: Pick<Scenario, "units">,
  units: readonly Unit[],
): readonly FaultCount[] | undefined {
  const counts = units.flatMap((unit, u) => {
    const prefix = described[u].scenario === undefined ? "" : `${described[u].name}.`;
    return (unit.faultCounts?.() ?? []).map((one) => ({ ...one, name: `${prefix}${one.name}` }));
  });
  return counts.length === 0 ? undefined : counts;
}
