/**
 * A controller with event mode whose continuous output jumps: q is `hot` until x reaches `high`,
 * then 0 until x is down at `low`. It looks at x in its updates only, so that when it switches is
 * up to the master.
 */
import type { UnitDescription } from "../../model/unit-description.ts";
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Unit } from "../../unit/unit.ts";
import { EventModeUnit } from "./event-mode-unit.ts";

export interface RelayLevels {
  readonly low: number;
  readonly high: number;
  readonly hot: number;
}

export function relayUnit(name: string, levels: RelayLevels): Unit {
  return new RelayUnit(name, levels);
}

/** Store: x, q. */
class RelayUnit extends EventModeUnit {
  private readonly levels: RelayLevels;

  constructor(name: string, levels: RelayLevels) {
    super(name, describe(name, levels));
    this.levels = levels;
  }

  protected override update(): void {
    const { f64 } = this.store;
    const { low, high, hot } = this.levels;
    if (f64[0] >= high) f64[1] = 0;
    else if (f64[0] <= low) f64[1] = hot;
  }
}

function describe(name: string, { low, hot }: RelayLevels): UnitDescription {
  const ports = makePorts(name, [
    { direction: "input", ports: { x: { start: low } } },
    { direction: "output", ports: { q: { start: hot, feedThrough: [] } } },
  ]);
  return describeUnit({ name }, ports, { eventMode: true });
}
