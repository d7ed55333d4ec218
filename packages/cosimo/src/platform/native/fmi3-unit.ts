/**
 * An FMI 3.0 Co-Simulation instance as a unit.
 *
 * A step may end early (the FMU met an event, or an intermediate update asked for it); the answer then is `event` at
 * the time the FMU reached. Structural parameters are set in configuration mode as soon as the instance exists, and
 * again after a reset, because they decide the sizes of everything else.
 */
import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import { portNamed } from "../../model/unit-description.ts";
import { bankOf, makeBanks } from "../../model/value-type.ts";
import type { DiscreteUpdate, InitializationOptions } from "../../unit/unit.ts";
import { NativeClocks } from "./clock-services.ts";
import { dependenciesOf, type ElementDependency } from "./dependencies.ts";
import { Status } from "./fmi-instance.ts";
import { FMI3, type FMI3_CALLS } from "./fmi3-version.ts";
import { IntermediateUpdates } from "./intermediate-update.ts";
import type { NativeFunction } from "./libc.ts";
import { bytesOf, float64s, uint32s } from "./native-memory.ts";
import type { NativeUnitOptions, UnitSource } from "./native-options.ts";
import { NativeUnit } from "./native-unit.ts";
import { type Group, load } from "./transfer.ts";

type Table = typeof FMI3_CALLS;

export class Fmi3Unit extends NativeUnit<Table> {
  private readonly options: NativeUnitOptions;
  private doStep!: NativeFunction;
  private structure: readonly Group[] | undefined;
  /** Results of doStep and updateDiscreteStates: booleans in bytes 0 to 7, a time in bytes 8 to 15. */
  private readonly flags: Uint8Array = bytesOf(this.fmi.results);
  private readonly times: Float64Array = float64s(this.fmi.results, 2);
  private readonly updates: IntermediateUpdates | undefined;
  readonly clocks: NativeClocks = new NativeClocks(this.fmi);

  constructor(source: UnitSource, options: NativeUnitOptions) {
    super(source, FMI3, options);
    this.options = options;
    this.updates =
      options.intermediateUpdate && new IntermediateUpdates(options.intermediateUpdate.handle);
  }

  protected instantiate(): void {
    const { arena, calls, fmu, logger } = this.fmi;
    this.doStep = calls.fmi3DoStep;
    const { eventMode, earlyReturn } = this.description.capabilities;
    const resources = join(fmu.folder, "resources");
    const ports = this.options.intermediateUpdate?.ports ?? [];
    const references = arena.allocate(4 * ports.length);
    uint32s(references, ports.length).set(
      ports.map((port) => fmu.description.variables[port].valueReference),
    );
    this.fmi.handle = calls.fmi3InstantiateCoSimulation(
      arena.string(this.name),
      arena.string(fmu.description.instantiationToken),
      existsSync(resources) ? arena.string(resources + sep) : 0,
      0,
      this.options.loggingOn === false ? 0 : 1,
      eventMode ? 1 : 0,
      earlyReturn ? 1 : 0,
      ports.length > 0 ? references.address : 0,
      ports.length,
      0,
      logger.entry,
      this.updates?.entry ?? 0,
    );
    if (this.fmi.handle === 0) this.fmi.fail("fmi3InstantiateCoSimulation", "NULL");
  }

  protected override afterInstantiation(): void {
    const { structural } = this.options;
    if (structural === undefined || structural.size === 0) return;
    this.structure ??= this.loadStructure(structural);
    this.fmi.invoke("fmi3EnterConfigurationMode");
    for (const group of this.structure) this.callSet(group);
    this.fmi.invoke("fmi3ExitConfigurationMode");
  }

  /** The structural parameters in native memory, ready to be set as often as needed. */
  private loadStructure(structural: ReadonlyMap<string, number>): readonly Group[] {
    const banks = makeBanks({ f64: structural.size, i64: structural.size });
    const slots = [...structural].map(([name, value], slot) => {
      const port = portNamed(this.description, name)!;
      if (bankOf(port.type) === "i64") banks.i64[slot] = BigInt(value);
      else banks.f64[slot] = value;
      return { port: port.index, slot };
    });
    const { groups } = this.access(slots);
    for (const group of groups) load(group, banks, this.fmi.scratch);
    return groups;
  }

  protected override afterFree(): void {
    this.updates?.close();
  }

  protected callEnterInitialization({ start, stop, tolerance }: InitializationOptions): void {
    this.fmi.invoke(
      "fmi3EnterInitializationMode",
      tolerance === undefined ? 0 : 1,
      tolerance ?? 0,
      start,
      stop === undefined ? 0 : 1,
      stop ?? 0,
    );
  }

  protected callStep(from: number, to: number): void {
    const { fmi } = this;
    const flags = this.flags;
    const at = fmi.results.address;
    flags[0] = 0;
    flags[1] = 0;
    flags[2] = 0;
    this.times[1] = Number.NaN;
    const status = this.doStep(
      fmi.handle,
      from,
      this.stepSize(from, to),
      this.noRollback,
      at,
      at + 1,
      at + 2,
      at + 8,
    );
    this.settleStep(from, to, status);
  }

  protected settleStep(from: number, to: number, status: number): void {
    const { fmi, stop } = this;
    const flags = this.flags;
    if (status !== Status.ok || this.logged[0] !== this.logged[1])
      fmi.settle("fmi3DoStep", status === Status.discard ? Status.ok : status);
    this.updates?.rethrow();
    const terminated = flags[1] !== 0;
    const early = flags[2] !== 0;
    fmi.time = to;
    stop.reason = flags[0] !== 0 && this.description.capabilities.eventMode ? "event" : "time";
    if (early || terminated || status === Status.discard) {
      // FMUs that do not say where they stopped are taken to be where they began.
      const last = this.times[1];
      fmi.time = last >= from && last <= to ? last : from;
      stop.reason = terminated ? "terminated" : early ? "event" : "discarded";
    }
    stop.time = fmi.time;
  }

  protected override machineRefusal(): string | undefined {
    return this.updates && "it is followed inside its steps (intermediate updates)";
  }

  protected override callEnterEventMode(): void {
    this.fmi.invoke("fmi3EnterEventMode");
  }

  protected override callUpdateDiscreteStates(): DiscreteUpdate {
    const at = this.fmi.results.address;
    const flags = this.flags;
    flags.fill(0, 0, 5);
    this.times[1] = Number.NaN;
    this.fmi.invoke("fmi3UpdateDiscreteStates", at, at + 1, at + 2, at + 3, at + 4, at + 8);
    if (flags[4] !== 0 && Number.isNaN(this.times[1]))
      this.fmi.failUnwritten("fmi3UpdateDiscreteStates", "time for the event that it announces");
    return {
      again: flags[0] !== 0,
      terminate: flags[1] !== 0,
      nominalsChanged: flags[2] !== 0,
      statesChanged: flags[3] !== 0,
      nextEventTime: flags[4] !== 0 ? this.times[1] : undefined,
    };
  }

  protected override callEnterStepMode(): void {
    this.fmi.invoke("fmi3EnterStepMode");
  }

  protected getQuietly(group: Group): number {
    const { get, references, count, values, elements, family } = group;
    const { handle } = this.fmi;
    if (family === "Clock" && this.phase !== "event") {
      // Clocks tick only in event mode, and the FMU must not be asked elsewhere.
      group.numbers!.fill(0);
      return Status.ok;
    }
    group.words?.fill(0n);
    group.sizes?.fill(0n);
    return group.sizes !== undefined
      ? get(handle, references, count, group.sizesAddress, values, elements)
      : family === "Clock"
        ? get(handle, references, count, values)
        : get(handle, references, count, values, elements);
  }

  protected setQuietly(group: Group): number {
    group.set ??= group.setter();
    const { set, references, count, values, elements, family } = group;
    const { handle } = this.fmi;
    return group.sizes !== undefined
      ? set(handle, references, count, group.sizesAddress, values, elements)
      : family === "Clock"
        ? set(handle, references, count, values)
        : set(handle, references, count, values, elements);
  }

  /** What each element of a port depends on, as the configured instance says. */
  dependencies(port: number): ElementDependency[] {
    return dependenciesOf(this.fmi, port);
  }
}
