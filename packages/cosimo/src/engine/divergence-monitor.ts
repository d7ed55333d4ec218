/**
 * Watches a run for signals that diverge. It reads the signals between units now and then, never
 * inside the hot loop, and at the same steps whatever executes the plan, so that what it finds is
 * part of the trace.
 *
 * What it measures is how much a signal changes from one look to the next: where inputs are held,
 * that is what they were wrong by. The largest changes are kept over windows of 1, 4, 16, … looks,
 * the last eight of each size. A run diverges when over eight windows of one size (four of those of
 * 16 looks and more, which miss no peak of an oscillation) a signal inside a loop of units
 *   - changed more from window to window, by a quarter at least (two windows may miss that), thirtyfold in all,
 *   - did so at a rate that does not fall by a third, as it does where something grows like a power of time,
 *   - changed ten times more than ever before, and by more than its nominal value;
 * or when a signal is NaN. Outside of loops a coupling cannot feed itself: what grows there does so
 * by itself.
 */

import type { Scenario } from "../model/scenario.ts";
import { bankOf } from "../model/value-type.ts";
import type { Plan } from "../plan/plan.ts";
import { loopsIn } from "../plan/strong-components.ts";
import { EngineError } from "./engine-error.ts";
import type { Keeps } from "./masters/master-state.ts";

export interface Divergence {
  readonly kind: "growth" | "not-a-number";
  /** `unit.port`. */
  readonly signal: string;
  readonly unit: number;
  readonly connection?: number;
  /** Where it was noticed. */
  readonly time: number;
  /** Growth: by what its changes are multiplied in a second, and since when. */
  readonly factorPerSecond?: number;
  readonly since?: number;
  /** It grew, and then stayed where it was. */
  readonly hasLevelled?: boolean;
}

/** Ends a run that diverges, where that is wanted. */
export class Diverged extends EngineError {}

interface Watched {
  readonly name: string;
  readonly unit: number;
  readonly slot: number;
  readonly nominal: number;
  readonly connection: number;
}

/**
 * Looks come after a 32nd of the steps so far: often at first, seldom later. They are an odd number
 * of steps apart, because what alternates from step to step hardly changes over an even number.
 */
const SPACING = 1 / 32;
const LEAST_SPACING = 3;
const MOST_SPACING = 4095;
const WINDOWS = 8;
/**
 * Looks come ever later, so that steady growth shows in the last windows only; from windows of 16
 * looks on, so many are enough.
 */
const FEWER_WINDOWS = 4;
const FEWER_FROM = 2;
/** Windows of one size that make one of the next. */
const MERGE = 4;
/** Windows of 4^11 looks are longer than any run. */
const SIZES = 12;
const LEAST_RATIO = 1.25;
/**
 * Looks do not always meet the peaks of an oscillation: so many windows may grow less, or fall to
 * this part.
 */
const SLOW_WINDOWS = 2;
const LEAST_FALL = 0.7;
const TOTAL_RATIO = 30;
const ABOVE_PAST = 10;
/** How far a rate may fall from one half of the windows to the other. */
const STEADY = 0.65;
/** A signal whose changes are back to this part of what they were has recovered. */
const RECOVERED = 0.1;

export class DivergenceMonitor implements Keeps {
  /** The step at which to look next. */
  nextStep = 0;
  private readonly f64: Float64Array;
  private readonly growthSlot: number;
  private readonly coupled: readonly Watched[];
  private readonly all: readonly Watched[];
  /** By signal: the value at the last look, and the change up to it. */
  private readonly last: Float64Array;
  private readonly change: Float64Array;
  /**
   * By signal and size: the last windows, oldest first; the one that is being filled; the largest
   * that was dropped.
   */
  private readonly peaks: Float64Array;
  private readonly open: Float64Array;
  private readonly past: Float64Array;
  /** By size: when the windows ended, how many there are, and parts of the open one. */
  private readonly times: Float64Array;
  private readonly counts: Float64Array;
  private readonly parts: Float64Array;
  private looks = 0;
  private found: Divergence | undefined;
  private foundAt = -1;
  private foundChange = 0;

  /** @param f64 the signals of the plan. */
  constructor(plan: Plan, scenario: Scenario, f64: Float64Array) {
    this.f64 = f64;
    this.growthSlot = plan.growth ?? -1;
    const { coupled, all } = watchedSignals(plan, scenario);
    this.coupled = coupled;
    this.all = all;
    const n = coupled.length;
    this.last = new Float64Array(n);
    this.change = new Float64Array(n);
    this.peaks = new Float64Array(n * SIZES * WINDOWS);
    this.open = new Float64Array(n * SIZES);
    this.past = new Float64Array(n * SIZES);
    this.times = new Float64Array(SIZES * WINDOWS);
    this.counts = new Float64Array(SIZES);
    this.parts = new Float64Array(SIZES);
  }

  /** What was found, unless it has passed. */
  get finding(): Divergence | undefined {
    if (this.found?.kind !== "growth") return this.found;
    const first = this.foundAt * SIZES * WINDOWS;
    // One look may fall on a turning point; eight do not.
    const recent = Math.max(...this.peaks.subarray(first, first + WINDOWS));
    if (recent < RECOVERED * this.foundChange) return undefined;
    const { factorPerSecond = 1, time } = this.found;
    const foretold = factorPerSecond ** (this.times[WINDOWS - 1] - time);
    // Half of the way, in logarithms.
    const hasLevelled = foretold > TOTAL_RATIO && recent < Math.sqrt(foretold) * this.foundChange;
    return hasLevelled ? { ...this.found, hasLevelled } : this.found;
  }

  /**
   * Looks at the signals after `step`, at `time`. @returns true when the run has just been found to
   * diverge.
   */
  look(step: number, time: number): boolean {
    const spacing = Math.floor(SPACING * step) | 1;
    this.nextStep = step + Math.max(LEAST_SPACING, Math.min(MOST_SPACING, spacing));
    const hadFound = this.found !== undefined;
    this.lookForNumbers(time);
    const { length } = this.coupled;
    for (let k = 0; k < length; k++) {
      const value = this.f64[this.coupled[k].slot];
      this.change[k] = this.looks === 0 ? 0 : Math.abs(value - this.last[k]);
      this.last[k] = value;
    }
    if (this.looks++ > 0 && length > 0) this.take(time);
    return !hadFound && this.found !== undefined;
  }

  save(): readonly Float64Array[] {
    const { nextStep } = this;
    const found = this.found;
    const kind = found === undefined ? 0 : found.kind === "growth" ? 1 : 2;
    const list = found?.kind === "growth" ? this.coupled : this.all;
    return [
      Float64Array.of(
        nextStep,
        this.looks,
        kind,
        list.findIndex(({ name }) => name === found?.signal),
        found?.time ?? 0,
        found?.factorPerSecond ?? 0,
        found?.since ?? 0,
        this.foundChange,
      ),
      ...this.memory().map((part) => part.slice()),
    ];
  }

  restore([own, ...memory]: readonly Float64Array[]): void {
    const [nextStep, looks, kind, at, time, factor, since, change] = own;
    this.nextStep = nextStep;
    this.looks = looks;
    this.memory().forEach((part, i) => {
      part.set(memory[i]);
    });
    this.foundAt = kind === 1 ? at : -1;
    this.foundChange = change;
    if (kind === 1) this.found = growthOf(this.coupled[at], time, factor, since);
    else if (kind === 2) this.found = noNumber(this.all[at], time);
  }

  private memory(): Float64Array[] {
    return [
      this.last,
      this.change,
      this.peaks,
      this.open,
      this.past,
      this.times,
      this.counts,
      this.parts,
    ];
  }

  /** The part of a look that the end of a run gets, wherever that is. */
  lookForNumbers(time: number): void {
    if (this.found !== undefined) return;
    for (let k = 0; k < this.all.length; k++) {
      const signal = this.all[k];
      const value = this.f64[signal.slot];
      // Infinity may be a time that never comes; in a loop it is not.
      const isLost = Number.isNaN(value) || (signal.nominal > 0 && !Number.isFinite(value));
      if (isLost) {
        this.found = noNumber(signal, time);
        return;
      }
    }
  }

  /** A look is a window of the smallest size; four windows of one size are one of the next. */
  private take(time: number): void {
    let isNew = true;
    let growth = Number.NaN;
    for (let size = 0; size < SIZES && isNew; size++) {
      isNew = this.parts[size] + 1 >= (size === 0 ? 1 : MERGE);
      this.parts[size] = isNew ? 0 : this.parts[size] + 1;
      for (let k = 0; k < this.coupled.length; k++) {
        const open = k * SIZES + size;
        const part = size === 0 ? this.change[k] : this.newest(k, size - 1);
        this.open[open] = Math.max(this.open[open], part);
      }
      if (!isNew) break;
      this.close(size, time);
      if (this.counts[size] >= (size >= FEWER_FROM ? FEWER_WINDOWS : WINDOWS)) this.judge(size);
      if (this.counts[size] < WINDOWS) continue;
      growth = this.growth(size);
    }
    if (this.growthSlot >= 0 && !Number.isNaN(growth)) this.f64[this.growthSlot] = growth;
  }

  private newest(signal: number, size: number): number {
    return this.peaks[(signal * SIZES + size) * WINDOWS + WINDOWS - 1];
  }

  private close(size: number, time: number): void {
    const peaks = this.peaks;
    for (let k = 0; k < this.coupled.length; k++) {
      const open = k * SIZES + size;
      const first = open * WINDOWS;
      this.past[open] = Math.max(this.past[open], peaks[first]);
      peaks.copyWithin(first, first + 1, first + WINDOWS);
      peaks[first + WINDOWS - 1] = this.open[open];
      this.open[open] = 0;
    }
    const first = size * WINDOWS;
    this.times.copyWithin(first, first + 1, first + WINDOWS);
    this.times[first + WINDOWS - 1] = time;
    this.counts[size] = Math.min(WINDOWS, this.counts[size] + 1);
  }

  private judge(size: number): void {
    if (this.finding !== undefined) return;
    let worst = -1;
    let most = 0;
    let begin = 0;
    for (let k = 0; k < this.coupled.length; k++) {
      const relative = this.newest(k, size) / this.coupled[k].nominal;
      if (relative <= most) continue;
      const since = this.divergesSince(k, size);
      if (since === undefined) continue;
      worst = k;
      most = relative;
      begin = since;
    }
    if (worst < 0) return;
    const times = this.times.subarray(size * WINDOWS, (size + 1) * WINDOWS);
    const rate = this.rate(worst, size, begin, WINDOWS - 1);
    this.found = growthOf(this.coupled[worst], times[WINDOWS - 1], Math.exp(rate), times[begin]);
    this.foundAt = worst;
    this.foundChange = this.newest(worst, size);
  }

  /** The window in which a signal begins to diverge; undefined: it does not. */
  private divergesSince(signal: number, size: number): number | undefined {
    if (this.divergesFrom(signal, size, 0)) return 0;
    const later = WINDOWS - FEWER_WINDOWS;
    return size >= FEWER_FROM && this.divergesFrom(signal, size, later) ? later : undefined;
  }

  private divergesFrom(signal: number, size: number, begin: number): boolean {
    const at = signal * SIZES + size;
    const first = at * WINDOWS;
    const peaks = this.peaks;
    const newest = peaks[first + WINDOWS - 1];
    const past = Math.max(this.past[at], ...peaks.subarray(first, first + begin));
    if (newest < this.coupled[signal].nominal || newest < ABOVE_PAST * past) return false;
    const oldest = peaks[first + begin];
    if (!(oldest > 0) || newest < TOTAL_RATIO * oldest) return false;
    let slow = 0;
    for (let i = begin + 1; i < WINDOWS; i++) {
      const ratio = peaks[first + i] / peaks[first + i - 1];
      if (!(ratio >= LEAST_FALL)) return false;
      if (ratio < LEAST_RATIO && ++slow > SLOW_WINDOWS) return false;
    }
    const middle = (begin + WINDOWS) / 2;
    const early = this.rate(signal, size, begin, middle - 1);
    const late = this.rate(signal, size, middle, WINDOWS - 1);
    return late >= STEADY * early;
  }

  /** Slope of the logarithm between two windows, per second. */
  private rate(signal: number, size: number, from: number, to: number): number {
    const first = (signal * SIZES + size) * WINDOWS;
    const ratio = this.peaks[first + to] / this.peaks[first + from];
    const seconds = this.times[size * WINDOWS + to] - this.times[size * WINDOWS + from];
    return seconds > 0 ? Math.log(ratio) / seconds : 0;
  }

  /** That of the signal whose changes grow fastest; 0 where nothing changes. */
  private growth(size: number): number {
    let most = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < this.coupled.length; k++) {
      const rate = this.rate(k, size, 0, WINDOWS - 1);
      if (Number.isFinite(rate) && rate > most) most = rate;
    }
    return Number.isFinite(most) ? most : 0;
  }
}

function growthOf(
  { name: signal, unit, connection }: Watched,
  time: number,
  factorPerSecond: number,
  since: number,
): Divergence {
  return { kind: "growth", signal, unit, connection, time, factorPerSecond, since };
}

function noNumber({ name: signal, unit, connection }: Watched, time: number): Divergence {
  return {
    kind: "not-a-number",
    signal,
    unit,
    time,
    ...(connection < 0 ? {} : { connection }),
  };
}

/**
 * Real signals inside loops of units; and all that can be read, which have no nominal value outside
 * of loops.
 */
function watchedSignals(
  plan: Plan,
  scenario: Scenario,
): { coupled: readonly Watched[]; all: readonly Watched[] } {
  const slots = new Map<string, number>();
  for (const { unit, slots: ports } of plan.accesses)
    for (const { port, slot } of ports)
      if (scenario.units[unit].description.ports[port].direction !== "input")
        slots.set(`${unit} ${port}`, slot);
  const loopOf = loopsOfUnits(scenario);
  const found = new Map<number, Watched>();
  scenario.connections.forEach(({ from, to, fromElement, count }, connection) => {
    const port = scenario.units[from.unit].description.ports[from.port];
    const slot = slots.get(`${from.unit} ${from.port}`);
    if (slot === undefined || bankOf(port.type) !== "f64") return;
    const isReal = port.type === "float64" || port.type === "float32";
    const isInLoop = isReal && loopOf[from.unit] !== -1 && loopOf[from.unit] === loopOf[to.unit];
    const nominal = isInLoop ? Math.abs(port.nominal ?? 1) || 1 : 0;
    const unitName = scenario.units[from.unit].name;
    for (let i = 0; i < count; i++) {
      const at = slot + fromElement + i;
      const known = found.get(at);
      if (known !== undefined && known.nominal >= nominal) continue;
      const suffix = port.shape.length === 0 ? "" : `[${fromElement + i + 1}]`;
      const name = `${unitName}.${port.name}${suffix}`;
      found.set(at, { name, unit: from.unit, slot: at, nominal, connection });
    }
  });
  const { bonds = [], inputs = [] } = plan.coupling ?? {};
  for (const { name, energy, effortInput } of bonds) {
    const { unit, connection } = inputs[effortInput];
    found.set(energy, { name: `bond.${name}.energy`, unit, slot: energy, nominal: 1, connection });
  }
  for (const { unit, port, element, bank, slot } of plan.record.columns) {
    if (unit < 0 || bank !== "f64" || found.has(slot)) continue;
    const { name, description } = scenario.units[unit];
    const { name: portName, shape } = description.ports[port];
    const suffix = shape.length === 0 ? "" : `[${element + 1}]`;
    found.set(slot, {
      name: `${name}.${portName}${suffix}`,
      unit,
      slot,
      nominal: 0,
      connection: -1,
    });
  }
  const all = [...found.values()];
  return { coupled: all.filter(({ nominal }) => nominal > 0), all };
}

/** By unit: the number of the loop that it is part of, or -1. */
function loopsOfUnits({ units, connections }: Scenario): Int32Array {
  const edges = units.map((): number[] => []);
  for (const { from, to } of connections) edges[from.unit].push(to.unit);
  const loopOf = new Int32Array(units.length).fill(-1);
  loopsIn(edges).forEach((members, loop) => {
    for (const unit of members) loopOf[unit] = loop;
  });
  return loopOf;
}
