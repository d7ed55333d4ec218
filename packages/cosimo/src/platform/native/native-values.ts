/**
 * Values between banks and an FMU instance, group by group (transfer.ts), and what their calls
 * return: one place for reading and writing in every phase.
 */
import type { UnitDescription } from "../../model/unit-description.ts";
import type { Banks } from "../../model/value-type.ts";
import type { Phase, PortSlot } from "../../unit/unit.ts";
import type { CallTable } from "./calls.ts";
import { type FmiInstance, isFine, Status } from "./fmi-instance.ts";
import { exchangeCall } from "./fmi-version.ts";
import { RefusedInputs } from "./refused-inputs.ts";
import {
  cachedAccess,
  type Group,
  load,
  makeAccess,
  type NativeAccess,
  setterOf,
  type TransferContext,
  unload,
} from "./transfer.ts";
import { ValueChecks } from "./value-checks.ts";

export class NativeValues<Table extends CallTable> {
  private readonly fmi: FmiInstance<Table>;
  private readonly phase: () => Phase;
  private readonly transfer: TransferContext;
  private readonly checks: ValueChecks<Table>;
  private readonly inputs: RefusedInputs;
  private readonly ownAccesses = new Map<string, NativeAccess>();

  constructor(fmi: FmiInstance<Table>, description: UnitDescription, phase: () => Phase) {
    this.fmi = fmi;
    this.phase = phase;
    this.checks = new ValueChecks(fmi, description.ports);
    this.inputs = new RefusedInputs(description.ports);
    this.transfer = {
      description,
      arena: fmi.arena,
      version: fmi.version,
      referenceOf: (port) => this.referenceOf(port),
      handle: () => fmi.handleArgument,
      prepare: (name, args) => {
        fmi.require(name);
        return fmi.prepared.prepare(name, args);
      },
    };
  }

  referenceOf(port: number): number {
    return this.fmi.fmu.description.variables[port].valueReference;
  }

  bind(slots: readonly PortSlot[]): NativeAccess {
    return makeAccess(this.transfer, slots);
  }

  /** An access of our own, kept for the next request of these ports. */
  access(slots: readonly PortSlot[]): NativeAccess {
    return cachedAccess(this.ownAccesses, this.transfer, slots);
  }

  read(access: NativeAccess, banks: Banks): void {
    if (!access.wasRead || this.phase() === "initialization") {
      this.readFirst(access, banks);
      return;
    }
    const { groups } = access;
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i];
      this.get(group);
      if (group.bank === "obj") this.checks.checkPointers(group);
      unload(group, banks);
    }
  }

  /** As every other read, but checks that the FMU writes the values. */
  private readFirst(access: NativeAccess, banks: Banks): void {
    for (const group of access.groups) {
      if (this.phase() === "initialization" && this.readRefused(group, banks)) continue;
      this.checks.getFirst(group, (one) => this.get(one));
      if (group.bank === "obj") this.checks.checkPointers(group);
      unload(group, banks);
    }
    access.wasRead = true;
  }

  /**
   * True where the FMU does not hand out its inputs yet, and their known values stand in for them.
   */
  private readRefused(group: Group, banks: Banks): boolean {
    if (!this.inputs.knows(group)) return false;
    const status = this.getQuietly(group);
    if (status !== Status.error && status !== Status.discard) return false;
    const call = exchangeCall(this.fmi.version, "Get", group.family);
    const params = { unit: this.fmi.name, call, variables: this.inputs.names(group) };
    this.fmi.report("binary-inputs-refused", params);
    this.inputs.fill(group, banks);
    return true;
  }

  /** Reads what the run does not need: an FMU that refuses goes on all the same. */
  lookAt(slots: readonly PortSlot[], into: Banks): boolean {
    for (const group of this.access(slots).groups) {
      if (!isFine(this.getQuietly(group))) return false;
      unload(group, into);
    }
    return true;
  }

  write({ groups }: NativeAccess, banks: Banks): void {
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i];
      load(group, banks, this.fmi.scratch);
      this.set(group);
    }
  }

  /** Remembers what was written before the first step: some FMUs do not hand it out. */
  note({ slots }: NativeAccess, banks: Banks): void {
    this.inputs.note(slots, banks);
  }

  /** Sets a group whose values are in its buffer. */
  set(group: Group): void {
    this.settle("Set", group, setterOf(group).run());
  }

  private get(group: Group): void {
    this.settle("Get", group, this.getQuietly(group));
  }

  private settle(verb: "Get" | "Set", { family }: Group, status: number): void {
    const { fmi } = this;
    if (status !== Status.ok || fmi.logged[0] !== fmi.logged[1])
      fmi.settle(exchangeCall(fmi.version, verb, family), status);
  }

  /** The status is the caller's to judge. */
  private getQuietly(group: Group): number {
    if (group.family === "Clock" && this.phase() !== "event") {
      // Clocks tick only in event mode, and the FMU must not be asked elsewhere.
      group.numbers?.fill(0);
      return Status.ok;
    }
    group.words?.fill(0n);
    group.sizes?.fill(0n);
    return group.get.run();
  }
}
