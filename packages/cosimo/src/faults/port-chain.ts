/**
 * The faults of one port, one after the other as they were declared: each acts on what the ones
 * before it have left.
 */
import { type Port, portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { areSameBanks, copyBanks, fillBanks } from "../unit/banks.ts";
import type { Access, Unit } from "../unit/unit.ts";
import type { FaultProcess } from "./fault-process.ts";

export class PortChain {
  readonly port: Port;
  readonly faults: readonly FaultProcess[];
  readonly size: number;
  readonly bank: keyof Banks;
  /** The port of the inner unit alone, at slot 0. */
  readonly access: Access;
  /** Of an input or a parameter: the value that it was given, without faults. */
  readonly given: Banks;
  isGiven = false;
  private readonly isEvent: boolean;
  private readonly scratch: Banks;
  private readonly unit: Unit;

  constructor(unit: Unit, port: Port, faults: readonly FaultProcess[]) {
    this.unit = unit;
    this.port = port;
    this.faults = faults;
    this.size = portSize(port);
    this.bank = bankOf(port.type);
    this.isEvent = port.nature === "transient" && this.bank === "f64";
    this.access = unit.bind([{ port: port.index, slot: 0 }]);
    this.given = makeBanks({ [this.bank]: this.size });
    this.scratch = makeBanks({ [this.bank]: this.size });
  }

  /** Faults act on what comes in, not on what the unit computes. */
  get isTaken(): boolean {
    return this.port.direction === "input" || this.port.direction === "parameter";
  }

  get isActive(): boolean {
    return this.faults.some(({ isActive }) => isActive);
  }

  /** The caller's values become those that the port was given. */
  take(banks: Banks, slot: number): void {
    this.isGiven = true;
    for (let i = 0; i < this.size; i++) {
      if (this.bank === "f64") this.given.f64[i] = banks.f64[slot + i];
      else if (this.bank === "i64") this.given.i64[i] = banks.i64[slot + i];
      else this.given.obj[i] = banks.obj[slot + i];
    }
  }

  /** What the port has at the present, without faults. */
  private healthy(frozen: Banks | undefined): Banks {
    if (this.isTaken) fillBanks(this.scratch, this.given);
    else if (frozen !== undefined) fillBanks(this.scratch, frozen);
    else this.unit.read(this.access, this.scratch);
    return this.scratch;
  }

  /** Delayed signals remember what they are now. */
  remember(now: number, frozen: Banks | undefined): void {
    if (this.faults.every(({ line }) => line === undefined)) return;
    const banks = this.healthy(frozen);
    for (const fault of this.faults) {
      fault.line?.add(now, banks, fault.element);
      fault.apply(now, banks, 0);
    }
  }

  /** @returns whether the port has another value afterwards. */
  switch(now: number, frozen: Banks | undefined, holds: (fault: FaultProcess) => boolean): boolean {
    const before = copyBanks(this.healthy(frozen));
    this.apply(now, before, 0);
    const banks = this.healthy(frozen);
    for (const fault of this.faults) {
      fault.switch(now, holds(fault), banks);
      fault.apply(now, banks, 0);
    }
    return !areSameBanks(before, banks);
  }

  apply(now: number, banks: Banks, slot: number): void {
    for (const fault of this.faults) fault.apply(now, banks, slot);
  }

  /**
   * What the inner unit gets.
   * @returns whether that is an event.
   */
  push(now: number): boolean {
    fillBanks(this.scratch, this.given);
    this.apply(now, this.scratch, 0);
    this.unit.write(this.access, this.scratch);
    return this.isEvent && this.scratch.f64[0] !== 0;
  }

  /**
   * An event that was given is over.
   * @returns whether one that was late had arrived.
   */
  pass(): boolean {
    if (this.isEvent && this.isTaken) this.given.f64.fill(0);
    let hadArrived = false;
    for (const fault of this.faults) {
      fault.pass();
      if (fault.endArrival()) hadArrived = true;
    }
    return hadArrived;
  }

  /** Whether an event that is late arrives at the time, or one more. */
  hasLate(now: number): boolean {
    return this.faults.some((fault) => fault.hasLate(now));
  }

  slope(order: number, element: number, slope: number): number {
    return this.faults.reduce((value, fault) => fault.slope(order, element, value), slope);
  }

  /** What a small change of the healthy value makes of the faulty one. */
  factor(element: number): number {
    return this.slope(2, element, 1);
  }
}
