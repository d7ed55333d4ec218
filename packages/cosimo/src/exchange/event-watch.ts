/**
 * Finds where something happens inside an accepted step: an event indicator of the model moves
 * between z > 0 and z ≤ 0, or a port crosses a level that the caller waits for. Crossings are
 * bracketed at both ends of the step, in its middle, and at the extremum of the parabola through
 * these three, so that two crossings in one step do not go unnoticed where the function is smooth;
 * then located on the dense output.
 */

import { type Banks, makeBanks } from "../model/value-type.ts";
import { CrossingSearch } from "../numerics/crossing.ts";
import type { Predicate } from "../unit/predicate.ts";
import type { Access } from "../unit/unit.ts";
import type { EventOde } from "./event-ode.ts";
import type { Integration } from "./integration.ts";

export type Threshold = Extract<Predicate, { readonly kind: "threshold" }>;

/** What was found: the indicator (-1: none) or threshold that is crossed first, and when. */
export interface Crossing {
  readonly time: number;
  readonly threshold: Threshold | undefined;
}

/** Location in time, in units of rounding errors: as precise as the model's own time. */
const PRECISION = 100 * Number.EPSILON;
const PARTS_WITHOUT_STATES = 16;

export class EventWatch {
  private readonly model: EventOde;
  private readonly integration: Integration;
  private readonly z: Float64Array;
  private thresholds: readonly Threshold[] = [];
  private access: Access;
  private banks: Banks = makeBanks({});
  /** Indicators, then distances from levels: at the beginning of the step, and at trial times. */
  private before: Float64Array;
  private after: Float64Array;
  private middle: Float64Array;
  private trial: Float64Array;

  constructor(model: EventOde, integration: Integration) {
    const { indicators } = model.structure;
    this.model = model;
    this.integration = integration;
    this.z = new Float64Array(indicators);
    this.access = model.bind([]);
    [this.before, this.after, this.middle, this.trial] = fourOf(indicators);
  }

  /** After an event: indicators are compared with what they are now. */
  begin(): void {
    this.model.getIndicators(this.z);
    this.before.set(this.z);
  }

  /** The values behind `before`, for snapshots. */
  save(into: Float64Array): void {
    into.set(this.before.subarray(0, this.z.length));
  }

  restore(from: Float64Array): void {
    this.before.set(from.subarray(0, this.z.length));
  }

  /** What the caller waits for in the advance that begins. */
  watch(thresholds: readonly Threshold[]): void {
    if (thresholds !== this.thresholds) {
      this.thresholds = thresholds;
      this.access = this.model.bind(thresholds.map(({ port }, slot) => ({ port, slot })));
      this.banks = makeBanks({ f64: thresholds.length });
      const indicators = this.before.slice(0, this.z.length);
      [this.before, this.after, this.middle, this.trial] = fourOf(
        indicators.length + thresholds.length,
      );
      this.before.set(indicators);
    }
    if (thresholds.length > 0) this.readLevels(this.before);
  }

  /** A level that a value crossed at once, in an event that was handled. */
  levelJumped(): Threshold | undefined {
    const { thresholds, z, before } = this;
    if (thresholds.length === 0) return undefined;
    const old = before.slice();
    this.readLevels(before);
    return thresholds.find((_, i) => {
      const at = z.length + i;
      return this.crosses(at, old[at], before[at]);
    });
  }

  /** Whether an input that was written moved an indicator across zero, at the present time. */
  hasJumped(): boolean {
    const { z, before } = this;
    if (z.length === 0) return false;
    this.model.getIndicators(z);
    for (let i = 0; i < z.length; i++) if (z[i] > 0 !== before[i] > 0) return true;
    before.set(z);
    return false;
  }

  /**
   * The first crossing in the step that ends at the present time, or undefined. Leaves the model
   * anywhere inside the step.
   */
  find(from: number, end: number): Crossing | undefined {
    const { before, after, trial } = this;
    if (before.length === 0) return undefined;
    const found = this.scan(from, end);
    if (found !== undefined) return found;
    // The scan leaves the values of the middle and of the end.
    const hidden = this.extremum();
    if (hidden > 0) {
      const at = from + hidden * (end - from);
      this.evaluate(at, trial);
      const crossing = this.first(from, before, at, trial.slice());
      if (crossing !== undefined) return crossing;
    }
    this.evaluate(end, after);
    before.set(after);
    return undefined;
  }

  /** Without states no error control keeps steps short: more points are tried. */
  private scan(from: number, end: number): Crossing | undefined {
    const { after, middle } = this;
    const parts = this.integration.x.length > 0 ? 2 : PARTS_WITHOUT_STATES;
    let [last, values] = [from, this.before.slice()];
    for (let i = 1; i <= parts; i++) {
      const at = i === parts ? end : from + (i / parts) * (end - from);
      this.evaluate(at, after);
      const found = this.first(last, values, at, after);
      if (found !== undefined) return found;
      if (2 * i === parts) middle.set(after);
      [last, values] = [at, after.slice()];
    }
    return undefined;
  }

  /** The step ends at the crossing that was found. */
  settle(): void {
    this.model.getIndicators(this.z);
    this.before.set(this.z);
    if (this.thresholds.length > 0) this.readLevels(this.before);
  }

  private first(
    from: number,
    before: Float64Array,
    end: number,
    after: Float64Array,
  ): Crossing | undefined {
    let [last, values] = [end, after];
    let found = -1;
    for (let i = 0; i < before.length; i++) {
      if (!this.crosses(i, before[i], values[i])) continue;
      const time = this.locate(i, from, before[i], last, values[i]);
      found = i;
      if (time === last) continue;
      last = time;
      values = new Float64Array(before.length);
      this.evaluate(last, values);
    }
    if (found < 0) return undefined;
    return { time: last, threshold: this.thresholds[found - this.z.length] };
  }

  private locate(i: number, a: number, ga: number, b: number, gb: number): number {
    const time = PRECISION * (Math.max(Math.abs(a), Math.abs(b)) + (b - a));
    const isRising = gb > ga;
    const search = new CrossingSearch(
      a,
      this.side(i, ga, isRising),
      b,
      this.side(i, gb, isRising),
      {
        time,
        value: 0,
      },
    );
    while (!search.done) {
      this.evaluate(search.next, this.trial);
      search.tell(this.side(i, this.trial[i], isRising));
    }
    return search.bracket.after;
  }

  /** An indicator at 0 belongs to those below; a level is reached at 0, from either side. */
  private side(i: number, value: number, isRising: boolean): number {
    return i < this.z.length && value === 0 && isRising ? -Number.MIN_VALUE : value;
  }

  private crosses(i: number, before: number, after: number): boolean {
    if (i < this.z.length) return before > 0 !== after > 0;
    const { direction } = this.thresholds[i - this.z.length];
    const rises = direction !== "falling" && before < 0 && after >= 0;
    const falls = direction !== "rising" && before > 0 && after <= 0;
    return rises || falls;
  }

  /**
   * Where, as a fraction of the step, a parabola through three values reaches the other side of
   * zero; 0: none does.
   */
  private extremum(): number {
    const { before, middle, after } = this;
    for (let i = 0; i < before.length; i++) {
      const c1 = -3 * before[i] + 4 * middle[i] - after[i];
      const c2 = 2 * (before[i] - 2 * middle[i] + after[i]);
      const s = -c1 / (2 * c2);
      if (!(s > 0 && s < 1)) continue;
      if (this.crosses(i, before[i], before[i] + s * (c1 + s * c2))) return s;
    }
    return 0;
  }

  private evaluate(time: number, into: Float64Array): void {
    this.integration.placeInside(time);
    if (this.z.length > 0) this.model.getIndicators(this.z);
    into.set(this.z);
    if (this.thresholds.length > 0) this.readLevels(into);
  }

  private readLevels(into: Float64Array): void {
    this.model.read(this.access, this.banks);
    this.thresholds.forEach(({ value }, i) => {
      into[this.z.length + i] = this.banks.f64[i] - value;
    });
  }
}

function fourOf(size: number): [Float64Array, Float64Array, Float64Array, Float64Array] {
  const one = (): Float64Array => new Float64Array(size);
  return [one(), one(), one(), one()];
}
