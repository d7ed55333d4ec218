/**
 * Watches what changes at instants that are not known in advance: discrete outputs of units without
 * event mode, and units with event mode that report an event only when a whole step is over. With
 * steps of chosen sizes such a change is an event, to be found where it happened.
 *
 * The search halves the step that contains the change. A half without the change is accepted, so
 * that inputs that are extrapolated follow their sources on the way; one with the change is
 * rejected. What remains in the end is a step as short as an event. Where units cannot go back (or
 * want steps of one size), the change counts where the step ended.
 */
import { portSize } from "../../model/unit-description.ts";
import { type BankName, type Banks, bankOf, type ObjectValue } from "../../model/value-type.ts";
import { isSameValue } from "../../unit/banks.ts";
import type { Coupling } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";

/**
 * What changes in so many steps one after the other does so in every step, however short: it counts
 * steps.
 */
const EVERY_STEP = 20;
/**
 * A step of that many times the shortest one is not halved again: roundings of the time are larger
 * than those of its length.
 */
const SHORT_ENOUGH = 1.5;

/** Whether a step is as short as an event. */
export function isShort(length: number, shortest: number): boolean {
  return length <= SHORT_ENOUGH * shortest;
}

interface Watched {
  readonly name: string;
  readonly bank: BankName;
  readonly slot: number;
  readonly unit: number;
}

export class DiscreteChanges extends MasterPart {
  /** Steps are sized by the error: changes are events. */
  private readonly isActive: boolean =
    this.coupling.plan.settings.control !== undefined && this.coupling.plan.policies === undefined;
  private readonly canLocate: boolean = this.coupling.canRollBackAll && this.coupling.canVarySteps;
  private readonly watched: readonly Watched[];
  private readonly read: readonly (() => void)[];
  private readonly now: Banks;
  private readonly last: (number | bigint | ObjectValue)[];
  /** By output, then by unit: in how many steps it changed one after the other. */
  private readonly inRow: Float64Array;
  /** Where a change is known to have happened already; NaN: nowhere. */
  private after = Number.NaN;

  constructor(coupling: Coupling) {
    super(coupling);
    const { units } = coupling;
    const sizes = { f64: 0, i64: 0, obj: 0 };
    const read: (() => void)[] = [];
    const watched: Watched[] = [];
    const banks = (): Banks => this.now;
    for (const [unit, ports] of this.isActive ? watchedPorts(coupling) : []) {
      const slots = ports.map((port) => {
        const { type, name, shape } = units[unit].description.ports[port];
        const bank = bankOf(type);
        const slot = sizes[bank];
        sizes[bank] += portSize({ shape });
        const fullName = `${coupling.unitName(unit)}.${name}`;
        for (let s = slot; s < sizes[bank]; s++)
          watched.push({ name: fullName, bank, slot: s, unit });
        return { port, slot };
      });
      read.push(coupling.readerOf(unit, slots, banks));
    }
    this.watched = watched;
    this.read = read;
    this.now = {
      f64: new Float64Array(sizes.f64),
      i64: new BigInt64Array(sizes.i64),
      obj: new Array<ObjectValue>(sizes.obj).fill(""),
    };
    this.last = watched.map(({ bank, slot }) => this.now[bank][slot]);
    this.inRow = new Float64Array(this.isActive ? watched.length + units.length : 0);
  }

  /** Takes the outputs as they are now: before the first step, and after events. */
  take(): void {
    if (!this.isActive) return;
    this.look();
    this.watched.forEach(({ bank, slot }, k) => {
      this.last[k] = this.now[bank][slot];
    });
  }

  /** Where a step that shall go to `to` has to end. */
  bound(to: number, shortest: number): number {
    if (Number.isNaN(this.after)) return to;
    const { time } = this.coupling;
    return Math.min(to, time + Math.max(shortest, (this.after - time) / 2));
  }

  /**
   * A step that began at `from` reached the coupling's time.
   * @param isExact whether a unit's event is known to be there, and not before.
   * @returns where to try again; NaN: it may end here.
   */
  objection(from: number, shortest: number, isExact: (unit: number) => boolean): number {
    if (!this.isActive || !this.canLocate) return Number.NaN;
    const { time } = this.coupling;
    const length = time - from;
    if (isShort(length, shortest) || !this.hasChanged(isExact)) return Number.NaN;
    this.after = time;
    return from + Math.max(shortest, length / 2);
  }

  /** Whether the step that began at `from` is as short as an event, and contains one. */
  isEvent(from: number, shortest: number, isExact: (unit: number) => boolean): boolean {
    if (!this.isActive || !isShort(this.coupling.time - from, shortest)) return false;
    return this.hasChanged(isExact);
  }

  private hasChanged(isExact: (unit: number) => boolean): boolean {
    this.look();
    if (this.watched.some((_, k) => this.differs(k) && this.inRow[k] < EVERY_STEP)) return true;
    const first = this.watched.length;
    return [...this.coupling.pending].some(
      (unit) => !isExact(unit) && this.inRow[first + unit] < EVERY_STEP,
    );
  }

  /**
   * The step to the coupling's time was accepted. Events that are known to be there tell nothing
   * about how often a unit has some. @returns whether an output changed in it.
   */
  accepted(isExact: (unit: number) => boolean): boolean {
    if (!this.isActive) return false;
    const { time, pending } = this.coupling;
    if (time >= this.after) this.after = Number.NaN;
    this.look();
    let hasChanged = false;
    this.watched.forEach(({ bank, slot }, k) => {
      const differs = this.differs(k);
      if (differs && this.inRow[k] < EVERY_STEP) hasChanged = true;
      this.count(k, differs);
      this.last[k] = this.now[bank][slot];
    });
    const first = this.watched.length;
    for (let k = first; k < this.inRow.length; k++)
      this.count(k, pending.has(k - first) && !isExact(k - first));
    if (hasChanged) this.after = Number.NaN;
    return hasChanged;
  }

  /** What once changed in every step is not watched any more. */
  private count(k: number, hasChanged: boolean): void {
    if (this.inRow[k] < EVERY_STEP) this.inRow[k] = hasChanged ? this.inRow[k] + 1 : 0;
  }

  private look(): void {
    for (const read of this.read) read();
  }

  private differs(k: number): boolean {
    const { bank, slot } = this.watched[k];
    const now = this.now[bank][slot];
    // Zeros of either sign are one value here.
    return now !== this.last[k] && !isSameValue(now, this.last[k]);
  }

  /** One sentence for everything that counts steps. */
  notes(): string[] {
    const names = this.watched.flatMap(({ name }, k) => (this.inRow[k] < EVERY_STEP ? [] : [name]));
    const units = this.coupling.units.flatMap((_, u) =>
      this.inRow[this.watched.length + u] >= EVERY_STEP
        ? [`events of '${this.coupling.unitName(u)}'`]
        : [],
    );
    return [...new Set([...names, ...units])].map(
      (name) =>
        `${name}: something new in each of ${EVERY_STEP} steps in a row, however short, so that its changes are not located`,
    );
  }

  /** For checkpoints, between two steps. */
  save(): Float64Array[] {
    return [Float64Array.of(this.after), this.inRow.slice()];
  }

  /** Units are restored. */
  restore([after, inRow]: readonly Float64Array[]): void {
    this.after = after[0];
    this.inRow.set(inRow);
    this.take();
  }
}

/** Discrete outputs that are read, of units without event mode: by unit. */
function watchedPorts(coupling: Coupling): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const { unit, slots } of coupling.state.plan.accesses) {
    if (coupling.plan.stages[unit].eventMode) continue;
    const { ports } = coupling.units[unit].description;
    const own = found.get(unit) ?? [];
    for (const { port } of slots) {
      const { direction, variability, type } = ports[port];
      const isWatched = direction === "output" && variability === "discrete" && type !== "clock";
      if (isWatched && !own.includes(port)) own.push(port);
    }
    if (own.length > 0) found.set(unit, own);
  }
  return found;
}
