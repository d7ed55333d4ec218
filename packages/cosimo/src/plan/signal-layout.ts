/**
 * Where every signal lies in the banks, and the accesses that move ports to and from it.
 *
 * Every connected or recorded output has slots for its value; every connected input has slots for
 * its newest signal and, where it varies within a step, further slots for what is written in its
 * place (`value`), its history and its slopes.
 */
import type { Scenario } from "../model/scenario.ts";
import { portAt, portName } from "../model/scenario-ports.ts";
import { type Port, portSize } from "../model/unit-description.ts";
import { type BankName, bankOf } from "../model/value-type.ts";
import type { PlanAccess } from "./plan.ts";

export class SignalLayout {
  readonly sizes = { f64: 0, i64: 0, obj: 0 };
  readonly accesses: PlanAccess[] = [];
  /** By unit, by port. */
  private readonly signals: number[][];
  private readonly values: number[][];
  /** By unit: its accesses. */
  private readonly known: number[][];
  private readonly scenario: Scenario;
  private zeroSlot: number | undefined;

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.signals = scenario.units.map(() => []);
    this.values = scenario.units.map(() => []);
    this.known = scenario.units.map(() => []);
  }

  port(unit: number, port: number): Port {
    return portAt(this.scenario, { unit, port });
  }

  name(unit: number, port: number): string {
    return portName(this.scenario, { unit, port });
  }

  bank(unit: number, port: number): BankName {
    return bankOf(this.port(unit, port).type);
  }

  allocate(bank: BankName, size: number): number {
    const slot = this.sizes[bank];
    this.sizes[bank] += size;
    return slot;
  }

  /** First slot of a port's signal, allocated on first use. */
  signal(unit: number, port: number): number {
    return this.slotIn(this.signals, unit, port);
  }

  /** First slot of what is written to an input that varies within a step. */
  value(unit: number, port: number): number {
    return this.slotIn(this.values, unit, port);
  }

  /** A slot that is never written, allocated on first use. */
  zero(): number {
    this.zeroSlot ??= this.allocate("f64", 1);
    return this.zeroSlot;
  }

  private slotIn(slots: number[][], unit: number, port: number): number {
    const known = slots[unit];
    let slot: number | undefined = known[port];
    if (slot === undefined) {
      slot = this.allocate(this.bank(unit, port), portSize(this.port(unit, port)));
      known[port] = slot;
    }
    return slot;
  }

  /** The access of these ports through their signals. */
  signalAccess(unit: number, ports: readonly number[]): number {
    const slots = ports.map((port) => ({ port, slot: this.signal(unit, port) }));
    return this.access(unit, slots);
  }

  access(unit: number, slots: PlanAccess["slots"]): number {
    const known = this.known[unit];
    const found = known.find((access) => areSame(this.accesses[access].slots, slots));
    if (found !== undefined) return found;
    known.push(this.accesses.length);
    return this.accesses.push({ unit, slots }) - 1;
  }
}

function areSame(a: PlanAccess["slots"], b: PlanAccess["slots"]): boolean {
  return (
    a.length === b.length &&
    a.every(({ port, slot }, i) => port === b[i].port && slot === b[i].slot)
  );
}
