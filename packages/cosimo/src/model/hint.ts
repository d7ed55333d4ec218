/**
 * Hints as plain data, besides those that are requirements on traces: what engineers know of units
 * and that no trace shows. A search for a master reads them; a run does not.
 */
import type { Place } from "../base/diagnostic.ts";

/**
 * `FMUProperty controller.exec_rate == val 1.0e+6 hz`: a unit is software that runs at this rate.
 */
export interface RateHint {
  readonly kind: "rate";
  readonly unit: string;
  /** Executions per second. */
  readonly hertz: number;
  readonly name: string;
  readonly place: Place;
}

/**
 * `plant.f == PowerBondSuggestions with load.v`: two ports are the effort and the flow of one
 * exchange of energy.
 */
export interface PowerBondHint {
  readonly kind: "power-bond";
  /** `unit.port` each. */
  readonly ports: readonly [string, string];
  readonly name: string;
  readonly place: Place;
}
