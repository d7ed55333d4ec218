/**
 * A controller with event mode whose continuous output jumps: q is `hot` until x reaches `high`, then 0 until x is down at `low`. It looks
 * at x in its updates only, so that when it switches is up to the master.
 */
import type { UnitDescription } from "../../model/unit-description.ts";
import { BaseUnit } from "../../unit/base-unit.ts";
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Stop } from "../../unit/predicate.ts";
import type { DiscreteUpdate, Phase, Unit } from "../../unit/unit.ts";

export interface RelayLevels {
  readonly low: number;
  readonly high: number;
  readonly hot: number;
}

export function relayUnit(name: string, levels: RelayLevels): Unit {
  return new RelayUnit(name, levels);
}

/** Store: x, q. */
class RelayUnit extends BaseUnit {
  readonly #levels: RelayLevels;
  #isInEvent = false;

  constructor(name: string, levels: RelayLevels) {
    super(name, describe(name, levels));
    this.#levels = levels;
  }

  protected override evaluate(): void {
    // The output changes in updates only.
  }

  protected override proceed(_from: number, bound: number): Stop {
    return this.stopAt("time", -1, bound);
  }

  override get phase(): Phase {
    return this.#isInEvent ? "event" : super.phase;
  }

  override exitInitialization(): void {
    super.exitInitialization();
    this.#isInEvent = true;
  }

  override enterEventMode(): void {
    this.#isInEvent = true;
  }

  override updateDiscreteStates(): DiscreteUpdate {
    const { f64 } = this.store;
    const { low, high, hot } = this.#levels;
    if (f64[0] >= high) f64[1] = 0;
    else if (f64[0] <= low) f64[1] = hot;
    return {
      again: false,
      terminate: false,
      nominalsChanged: false,
      statesChanged: false,
      nextEventTime: undefined,
    };
  }

  override enterStepMode(): void {
    this.#isInEvent = false;
  }
}

function describe(name: string, { low, hot }: RelayLevels): UnitDescription {
  const ports = makePorts(name, [
    { direction: "input", ports: { x: { start: low } } },
    { direction: "output", ports: { q: { start: hot, feedThrough: [] } } },
  ]);
  return describeUnit({ name }, ports, { eventMode: true });
}
