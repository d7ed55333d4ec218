/**
 * An FMI 1.0 instance of Model Exchange as a unit without a solver (native-ode.ts drives its
 * equations).
 *
 * FMI 1.0 has neither modes nor a reset. One call initializes, after the time and all start values
 * were set, and settles the events of the start; the first discrete update is an event of its own
 * only where something was set since then. What is to be reset is freed and made again, so the
 * pointer of the instance changes.
 */
import { UnitError } from "../../base/outcome.ts";
import type { Banks } from "../../model/value-type.ts";
import type { Access, DiscreteUpdate, InitializationOptions } from "../../unit/unit.ts";
import { FMI1_EXCHANGE, type FMI1_EXCHANGE_CALLS } from "./fmi1-exchange-version.ts";
import { PASSES_CALLBACKS_BY_ADDRESS } from "./fmi1-version.ts";
import { libc } from "./libc.ts";
import { type Block, bytesOf, float64s } from "./native-memory.ts";
import type { NativeUnitOptions, UnitSource } from "./native-options.ts";
import { NativeUnit } from "./native-unit.ts";
import type { NativeAccess } from "./transfer.ts";

/** fmiEventInfo: five flags of a byte each, then a double. */
const EVENT_INFO_BYTES = 16;
const Flag = { converged: 0, referencesChanged: 1, statesChanged: 2, terminate: 3, hasNext: 4 };

export class Fmi1ExchangeUnit extends NativeUnit<typeof FMI1_EXCHANGE_CALLS> {
  private readonly loggingOn: boolean | undefined;
  private readonly info: Block;
  private readonly indicators: Block;
  /** What initialization said, and which indicators were positive then; until the first update. */
  private initial: { readonly update: DiscreteUpdate; readonly signs: string } | undefined;
  private isDisturbed = false;

  constructor(source: UnitSource, options: NativeUnitOptions) {
    super(source, FMI1_EXCHANGE, options);
    this.loggingOn = options.loggingOn;
    this.info = this.fmi.arena.allocate(EVENT_INFO_BYTES);
    this.indicators = this.fmi.arena.allocate(
      8 * (source.fmu.description.numberOfEventIndicators ?? 0),
    );
  }

  protected instantiate(): void {
    const { arena, calls, fmu, logger } = this.fmi;
    // logger, allocateMemory, freeMemory
    const callbacks = [logger.entry, libc().calloc, libc().free];
    const name = arena.string(this.name);
    const guid = arena.string(fmu.description.instantiationToken);
    const loggingOn = this.loggingOn === false ? 0 : 1;
    const block = arena.allocate(24);
    new BigInt64Array(block.buffer, block.offset, 3).set(callbacks.map(BigInt));
    this.fmi.become(
      PASSES_CALLBACKS_BY_ADDRESS
        ? calls.fmiInstantiateModel(name, guid, block.address, loggingOn)
        : calls.fmiInstantiateModel(name, guid, loggingOn, 0, 0, 0, ...callbacks),
    );
    if (this.fmi.handle === 0) this.fmi.fail("fmiInstantiateModel", "NULL");
  }

  protected override callReset(): void {
    this.fmi.calls.fmiFreeModelInstance(this.fmi.handle);
    this.fmi.become(0);
    this.instantiate();
  }

  protected override callSetupExperiment({ start }: InitializationOptions): void {
    this.fmi.invoke("fmiSetTime", start);
  }

  protected callEnterInitialization({ tolerance }: InitializationOptions): void {
    this.clearInfo();
    const controlled = tolerance === undefined ? 0 : 1;
    this.fmi.invoke("fmiInitialize", controlled, tolerance ?? 0, this.info.address);
    this.initial = { update: this.infoOf("fmiInitialize"), signs: this.signs() };
    this.isDisturbed = false;
  }

  /**
   * Discrete values that are set are an event; continuous ones only where they move an indicator
   * across zero.
   */
  override write(access: Access, banks: Banks): void {
    super.write(access, banks);
    if (this.initial === undefined || this.isDisturbed) return;
    const { ports } = this.description;
    this.isDisturbed = (access as NativeAccess).slots.some(
      ({ port }) => ports[port].nature !== "continuous",
    );
  }

  protected override callUpdateDiscreteStates(): DiscreteUpdate {
    const { initial } = this;
    this.initial = undefined;
    if (initial !== undefined && !this.isDisturbed && this.signs() === initial.signs)
      return initial.update;
    this.clearInfo();
    this.fmi.invoke("fmiEventUpdate", 0, this.info.address);
    return this.infoOf("fmiEventUpdate");
  }

  private clearInfo(): void {
    bytesOf(this.info).fill(0);
    // An FMU that says nothing about its iteration is done with it.
    bytesOf(this.info)[Flag.converged] = 1;
    float64s(this.info, 2)[1] = Number.NaN;
  }

  private infoOf(call: "fmiInitialize" | "fmiEventUpdate"): DiscreteUpdate {
    const flags = bytesOf(this.info);
    const time = float64s(this.info, 2)[1];
    const hasNext = flags[Flag.hasNext] !== 0;
    if (hasNext && Number.isNaN(time))
      this.fmi.failUnwritten(call, "time for the event that it announces");
    return {
      again: flags[Flag.converged] === 0,
      terminate: flags[Flag.terminate] !== 0,
      nominalsChanged: flags[Flag.referencesChanged] !== 0,
      statesChanged: flags[Flag.statesChanged] !== 0,
      nextEventTime: hasNext ? time : undefined,
    };
  }

  private signs(): string {
    const count = this.indicators.bytes / 8;
    if (count === 0) return "";
    this.fmi.invoke("fmiGetEventIndicators", this.indicators.address, count);
    return Array.from(float64s(this.indicators, count), (z) => (z > 0 ? "+" : "-")).join("");
  }

  protected callStep(): never {
    throw new UnitError({
      unit: this.name,
      call: "advance",
      status: "equations without a solver",
      time: this.fmi.time,
      log: [],
    });
  }

  protected settleStep(): never {
    return this.callStep();
  }
}
