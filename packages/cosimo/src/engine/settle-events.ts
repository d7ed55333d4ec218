/**
 * Updates a unit in event mode until it is settled. One place, because every way to drive units has
 * to notice those that never are.
 */
import { UnitError } from "../base/outcome.ts";
import type { DiscreteUpdate, Unit } from "../unit/unit.ts";

/**
 * Rounds of discrete updates at one instant before the unit is taken to be in an endless event
 * loop.
 */
export const MAX_EVENT_ROUNDS = 1000;

/**
 * @param onIndex called before every update: what the unit shows then are the events of one index
 * of superdense time.
 * @returns the unit's last answer. It is still in event mode, and may have asked to end the
 * simulation.
 * @throws UnitError when there is no end of it.
 */
export function settleEvents(unit: Unit, time: number, onIndex?: () => void): DiscreteUpdate {
  for (let round = 1; ; round++) {
    onIndex?.();
    const update = unit.updateDiscreteStates();
    if (update.terminate) return update;
    if (round > MAX_EVENT_ROUNDS) throw endlessEvents(unit, time);
    if (!update.again) return update;
  }
}

export function endlessEvents(unit: Unit, time: number): UnitError {
  return new UnitError({
    unit: unit.name,
    call: "updateDiscreteStates",
    status: `still not settled after ${MAX_EVENT_ROUNDS} rounds at one instant: an endless event loop`,
    time,
    log: [],
  });
}
