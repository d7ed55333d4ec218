/**
 * What conditions of faults see: signals of other units, as they were last written, and ports of
 * the unit itself, as they are without faults. Of an event the time at which it occurred is kept:
 * it holds at that instant only.
 */
import type { Port, UnitDescription } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import type { Access, Unit } from "../unit/unit.ts";

export class ObservedSignals {
  private readonly ports: readonly Port[];
  private readonly unit: Unit;
  /** By port. */
  private readonly seen: Map<number, number>;
  private readonly own: ReadonlyMap<number, { readonly access: Access; readonly banks: Banks }>;

  /**
   * @param read ports of `description` that conditions name; those beyond the ports of `unit` are
   * signals of others.
   */
  constructor(unit: Unit, { ports }: UnitDescription, read: readonly number[]) {
    this.unit = unit;
    this.ports = ports;
    const count = unit.description.ports.length;
    this.seen = new Map(read.filter((p) => p >= count).map((port) => [port, this.silent(port)]));
    const own = read.filter((port) => port < count);
    this.own = new Map(
      own.map((port) => {
        const banks = makeBanks({ [bankOf(ports[port].type)]: 1 });
        return [port, { access: unit.bind([{ port, slot: 0 }]), banks }];
      }),
    );
  }

  get count(): number {
    return this.seen.size;
  }

  has(port: number): boolean {
    return this.seen.has(port);
  }

  valueOf(port: number, now: number): number {
    const own = this.own.get(port);
    if (own === undefined) {
      const value = this.seen.get(port) ?? 0;
      return this.isEvent(port) ? Number(value === now) : value;
    }
    this.unit.read(own.access, own.banks);
    return own.banks.i64.length > 0 ? Number(own.banks.i64[0]) : own.banks.f64[0];
  }

  take(port: number, now: number, banks: Banks, slot: number): void {
    const isLong = bankOf(this.ports[port].type) === "i64";
    const value = isLong ? Number(banks.i64[slot]) : banks.f64[slot];
    if (!this.isEvent(port)) this.seen.set(port, value);
    else if (value !== 0) this.seen.set(port, now);
  }

  put(port: number, now: number, banks: Banks, slot: number): void {
    const value = this.valueOf(port, now);
    if (bankOf(this.ports[port].type) === "i64") banks.i64[slot] = BigInt(value);
    else banks.f64[slot] = value;
  }

  reset(): void {
    for (const port of this.seen.keys()) this.seen.set(port, this.silent(port));
  }

  save(): Float64Array {
    return Float64Array.from(this.seen.values());
  }

  restore(saved: Float64Array): void {
    [...this.seen.keys()].forEach((port, k) => {
      this.seen.set(port, saved[k]);
    });
  }

  private isEvent(port: number): boolean {
    return this.ports[port].nature === "transient";
  }

  /** What is seen of a port before anything happens. */
  private silent(port: number): number {
    return this.isEvent(port) ? Number.NaN : 0;
  }
}
