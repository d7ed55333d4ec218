/**
 * Events that reach a unit behind its faults: a pulse is one event, however often it is written
 * before the unit moves.
 */
import type { UnitDescription } from "../model/unit-description.ts";
import type { Banks } from "../model/value-type.ts";
import type { PortSlot } from "../unit/unit.ts";

export class ReceivedEvents {
  private readonly places: ReadonlyMap<number, number>;
  private readonly counts: Float64Array;
  private readonly isSeen: Uint8Array;

  constructor({ ports }: UnitDescription) {
    const events = ports.filter(
      ({ direction, nature }) => direction === "input" && nature === "transient",
    );
    this.places = new Map(events.map(({ index }, place) => [index, place]));
    this.counts = new Float64Array(events.length);
    this.isSeen = new Uint8Array(events.length);
  }

  has(port: number): boolean {
    return this.places.has(port);
  }

  countOf(port: number): number | undefined {
    const place = this.places.get(port);
    return place === undefined ? undefined : this.counts[place];
  }

  note(port: number): void {
    const place = this.places.get(port);
    if (place === undefined || this.isSeen[place] === 1) return;
    this.isSeen[place] = 1;
    this.counts[place]++;
  }

  /** The next pulse is another event. */
  pass(): void {
    this.isSeen.fill(0);
  }

  reset(): void {
    this.counts.fill(0);
    this.isSeen.fill(0);
  }

  save(): Float64Array {
    return Float64Array.of(...this.counts, ...this.isSeen);
  }

  restore(saved: Float64Array): void {
    const { length } = this.counts;
    this.counts.set(saved.subarray(0, length));
    this.isSeen.set(saved.subarray(length));
  }

  /** How many numbers `save` gives. */
  get size(): number {
    return 2 * this.counts.length;
  }
}

/** Writes values of which none is an event. */
export function withoutPulses(
  events: readonly PortSlot[],
  { f64 }: Pick<Banks, "f64">,
  write: () => void,
): void {
  const pulses = events.map(({ slot }) => f64[slot]);
  for (const { slot } of events) f64[slot] = 0;
  write();
  events.forEach(({ slot }, k) => {
    f64[slot] = pulses[k];
  });
}
