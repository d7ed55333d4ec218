/**
 * An FMI 2.0 Co-Simulation instance as a unit.
 *
 * A step that the FMU discards is an answer, not a failure: the unit is then at the last successful time that the FMU
 * names, and by the standard only a restore lets it step again. Steps that the FMU takes in the background
 * (fmi2Pending) are waited for, where its description says that it can do that.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { InitializationOptions } from "../../unit/unit.ts";
import { type FmiInstance, isFine, Status } from "./fmi-instance.ts";
import { FMI2, type FMI2_CALLS, StatusKind } from "./fmi2-version.ts";
import { libc, type NativeFunction } from "./libc.ts";
import { type Address, type Block, float64s, int32s, uint32s } from "./native-memory.ts";
import type { NativeUnitOptions, UnitSource } from "./native-options.ts";
import { NativeUnit } from "./native-unit.ts";
import type { Group } from "./transfer.ts";

type Table = typeof FMI2_CALLS;

const CO_SIMULATION = 1;
/** No status: it stands where the FMU has to write one. */
const UNWRITTEN = -1;
const NOT_ASYNCHRONOUS = "fmi2Pending, but its description does not declare canRunAsynchronuously";
/** Categories of the standard that say why a call did not return OK. */
const STATUS_CATEGORIES = [
  "logStatusWarning",
  "logStatusDiscard",
  "logStatusError",
  "logStatusFatal",
];

export class Fmi2Unit extends NativeUnit<Table> {
  private readonly loggingOn: boolean | undefined;
  private slopes: SlopeArguments | undefined;
  private doStep!: NativeFunction;
  private categories: { readonly address: Address; readonly count: number } | undefined;
  private readonly real: Float64Array = float64s(this.fmi.results, 1);
  private readonly integer: Int32Array = int32s(this.fmi.results, 1);

  constructor(source: UnitSource, options: NativeUnitOptions) {
    super(source, FMI2, options);
    this.loggingOn = options.loggingOn;
  }

  protected instantiate(): void {
    const { arena, calls, fmu, logger } = this.fmi;
    this.doStep = calls.fmi2DoStep;
    const callbacks = arena.allocate(40);
    // logger, allocateMemory, freeMemory, stepFinished, componentEnvironment
    new BigInt64Array(callbacks.buffer, callbacks.offset, 5).set(
      [logger.entry, libc().calloc, libc().free, 0, 0].map(BigInt),
    );
    this.fmi.handle = calls.fmi2Instantiate(
      arena.string(this.name),
      CO_SIMULATION,
      arena.string(fmu.description.instantiationToken),
      arena.string(pathToFileURL(join(fmu.folder, "resources")).href),
      callbacks.address,
      0,
      this.loggingOn === true ? 1 : 0,
    );
    if (this.fmi.handle === 0) this.fmi.fail("fmi2Instantiate", "NULL");
  }

  /** Failures explain themselves even where logging was not requested. */
  protected override afterInstantiation(): void {
    if (this.loggingOn !== undefined) return;
    this.categories ??= this.chooseCategories();
    const { address, count } = this.categories;
    if (count > 0 && this.fmi.has("fmi2SetDebugLogging"))
      this.fmi.invoke("fmi2SetDebugLogging", 1, count, address);
  }

  private chooseCategories(): { readonly address: Address; readonly count: number } {
    const { arena, fmu } = this.fmi;
    const offered = new Set(fmu.description.logCategories.map(({ name }) => name));
    const chosen = STATUS_CATEGORIES.filter((name) => offered.has(name));
    const names = arena.allocate(8 * chosen.length);
    new BigInt64Array(names.buffer, names.offset, chosen.length).set(
      chosen.map((name) => BigInt(arena.string(name))),
    );
    return { address: names.address, count: chosen.length };
  }

  protected override callSetupExperiment({ start, stop, tolerance }: InitializationOptions): void {
    this.fmi.invoke(
      "fmi2SetupExperiment",
      tolerance === undefined ? 0 : 1,
      tolerance ?? 0,
      start,
      stop === undefined ? 0 : 1,
      stop ?? 0,
    );
  }

  protected callEnterInitialization(): void {
    this.fmi.invoke("fmi2EnterInitializationMode");
  }

  protected callStep(from: number, to: number): void {
    const size = this.stepSize(from, to);
    this.settleStep(from, to, this.doStep(this.fmi.handle, from, size, this.noRollback));
  }

  protected settleStep(from: number, to: number, returned: number): void {
    const { fmi, stop } = this;
    let status = returned;
    if (status === Status.pending) status = this.awaitStep();
    if (status !== Status.ok || this.logged[0] !== this.logged[1])
      fmi.settle("fmi2DoStep", status === Status.discard ? Status.ok : status);
    if (status === Status.discard) {
      this.stopDiscarded(from, to);
      return;
    }
    fmi.time = to;
    stop.reason = "time";
    stop.time = to;
  }

  /** FMUs that cannot say where they stopped are taken to be where they began. */
  private stopDiscarded(from: number, to: number): void {
    // What the FMU does not write must not be read as an answer.
    this.integer[0] = 0;
    const terminated =
      this.ask("fmi2GetBooleanStatus", StatusKind.terminated) && this.integer[0] !== 0;
    this.real[0] = Number.NaN;
    const hasTime = this.ask("fmi2GetRealStatus", StatusKind.lastSuccessfulTime);
    const last = hasTime ? this.real[0] : from;
    this.fmi.time = last >= from && last <= to ? last : from;
    this.stop.reason = terminated ? "terminated" : "discarded";
    this.stop.time = this.fmi.time;
  }

  /** Whether the FMU answers a question about its last step: many say discard or error, or lack the function. */
  private ask(call: "fmi2GetBooleanStatus" | "fmi2GetRealStatus", kind: number): boolean {
    const { fmi } = this;
    if (!fmi.has(call)) return false;
    const status = fmi.calls[call](fmi.handle, kind, fmi.results.address);
    if (status !== Status.discard && status !== Status.error) fmi.settle(call, status);
    return isFine(status);
  }

  /** Only an FMU that can work in the background has a step to wait for: what others have done cannot be known. */
  private awaitStep(): number {
    const { fmi } = this;
    if (fmi.fmu.description.coSimulation?.canRunAsynchronously !== true)
      fmi.fail("fmi2DoStep", NOT_ASYNCHRONOUS);
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (;;) {
      this.integer[0] = UNWRITTEN;
      fmi.invoke("fmi2GetStatus", StatusKind.doStepStatus, fmi.results.address);
      if (this.integer[0] === UNWRITTEN) fmi.failUnwritten("fmi2GetStatus", "status");
      if (this.integer[0] !== Status.pending) return this.integer[0];
      Atomics.wait(pause, 0, 0, 0.2);
    }
  }

  protected getQuietly(group: Group): number {
    group.words?.fill(0n);
    return group.get(this.fmi.handle, group.references, group.count, group.values);
  }

  protected setQuietly(group: Group): number {
    group.set ??= group.setter();
    return group.set(this.fmi.handle, group.references, group.count, group.values);
  }

  protected override callSetInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    this.slopes ??= new SlopeArguments(this.fmi);
    const slopes = this.slopes;
    slopes.prepare(ports, orders);
    slopes.values.set(values);
    this.fmi.invoke(
      "fmi2SetRealInputDerivatives",
      slopes.references,
      ports.length,
      slopes.orders,
      slopes.address,
    );
  }
}

/** Arguments of fmi2SetRealInputDerivatives. Inputs and orders are the same from step to step, so they stay where they are. */
class SlopeArguments {
  values: Float64Array = new Float64Array();
  private readonly fmi: FmiInstance<Table>;
  private blocks: { readonly references: Block; readonly orders: Block; readonly values: Block };
  private capacity = 0;
  private ports: readonly number[] = [];
  private orderList: readonly number[] = [];

  constructor(fmi: FmiInstance<Table>) {
    this.fmi = fmi;
    this.blocks = this.allocate(1);
  }

  get references(): Address {
    return this.blocks.references.address;
  }
  get orders(): Address {
    return this.blocks.orders.address;
  }
  get address(): Address {
    return this.blocks.values.address;
  }

  prepare(ports: readonly number[], orders: readonly number[]): void {
    if (sameNumbers(ports, this.ports) && sameNumbers(orders, this.orderList)) return;
    const count = ports.length;
    if (count > this.capacity) this.blocks = this.allocate(count);
    const { variables } = this.fmi.fmu.description;
    const references = ports.map((port) => variables[port].valueReference);
    uint32s(this.blocks.references, count).set(references);
    int32s(this.blocks.orders, count).set(orders);
    this.values = float64s(this.blocks.values, count);
    this.ports = [...ports];
    this.orderList = [...orders];
  }

  private allocate(count: number): { references: Block; orders: Block; values: Block } {
    const { arena } = this.fmi;
    this.capacity = count;
    return {
      references: arena.allocate(4 * count),
      orders: arena.allocate(4 * count),
      values: arena.allocate(8 * count),
    };
  }
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
