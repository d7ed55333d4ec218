/**
 * A unit that is shown at its communication points though nothing is exchanged there: without
 * connections nobody else would stop it, and its continuous outputs would be seen at the end of the
 * run only.
 */

import { nextPoint, type Points, untilOf } from "../unit/communication-points.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import { conditionsOf, type Predicate, type Stop, timeBound } from "../unit/predicate.ts";
import type { Unit } from "../unit/unit.ts";

export interface SampleOptions extends Points {
  /** Called at every point that `advance` passes. */
  readonly onPoint: (time: number) => void;
}

export class SampledUnit extends DelegatingUnit {
  private readonly options: SampleOptions;

  constructor(unit: Unit, options: SampleOptions) {
    super(unit);
    this.options = options;
  }

  override advance(from: number, until: Predicate): Stop {
    const bound = timeBound(until);
    const own = conditionsOf(until);
    for (let now = from; ; ) {
      const to = nextPoint(now, this.options);
      if (!(to <= bound)) return this.unit.advance(now, until);
      const stop = this.unit.advance(now, untilOf(to, own));
      if (stop.reason !== "time" || stop.time !== to) return stop;
      this.options.onPoint(to);
      if (to === bound) return stop;
      now = to;
    }
  }
}
