/**
 * An FMI 2.0 instance as a unit: Co-Simulation, or Model Exchange without a solver (native-ode.ts).
 *
 * Steps, discarded and pending ones included, are those of polling-unit.ts.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FmiInterfaceName } from "../../model/integrator.ts";
import type { DiscreteUpdate, InitializationOptions } from "../../unit/unit.ts";
import { FMI2, type FMI2_CALLS } from "./fmi2-version.ts";
import { libc } from "./libc.ts";
import { type Address, type Block, float64s, int32s } from "./native-memory.ts";
import type { NativeUnitOptions, UnitSource } from "./native-options.ts";
import { type PollCalls, PollingUnit } from "./polling-unit.ts";

type Table = typeof FMI2_CALLS;

/** fmi2Type. */
const TYPES: Readonly<Partial<Record<FmiInterfaceName, number>>> = {
  "model-exchange": 0,
  "co-simulation": 1,
};
/** fmi2EventInfo: five flags of four bytes each, then a double. */
const EVENT_INFO_BYTES = 32;
/** Categories of the standard that say why a call did not return OK. */
const STATUS_CATEGORIES = [
  "logStatusWarning",
  "logStatusDiscard",
  "logStatusError",
  "logStatusFatal",
];

const POLLS: PollCalls<Table> = {
  status: "fmi2GetStatus",
  realStatus: "fmi2GetRealStatus",
  booleanStatus: "fmi2GetBooleanStatus",
};

export class Fmi2Unit extends PollingUnit<Table> {
  private readonly loggingOn: boolean | undefined;
  private eventInfo: Block | undefined;
  private eventFlags: Int32Array | undefined;
  private eventTime: Float64Array | undefined;
  private categories: { readonly address: Address; readonly count: number } | undefined;

  constructor(source: UnitSource, options: NativeUnitOptions) {
    super(source, FMI2, options, POLLS);
    this.loggingOn = options.loggingOn;
  }

  protected instantiate(): void {
    const { arena, calls, fmu, logger } = this.fmi;
    const callbacks = arena.allocate(40);
    // logger, allocateMemory, freeMemory, stepFinished, componentEnvironment
    new BigInt64Array(callbacks.buffer, callbacks.offset, 5).set(
      [logger.entry, libc().calloc, libc().free, 0, 0].map(BigInt),
    );
    const make = (loggingOn: boolean): Address =>
      calls.fmi2Instantiate(
        arena.string(this.name),
        TYPES[this.interface] ?? 1,
        arena.string(fmu.description.instantiationToken),
        arena.string(pathToFileURL(join(fmu.folder, "resources")).href),
        callbacks.address,
        0,
        loggingOn ? 1 : 0,
      );
    this.fmi.handle = make(this.loggingOn === true);
    if (this.fmi.handle !== 0) return;
    // Once more, to hear why: before there is an instance, no categories of messages can be chosen.
    // One that comes of it is freed: an FMU that refuses once is not to be trusted.
    const another = this.loggingOn === undefined ? make(true) : 0;
    if (another !== 0) calls.fmi2FreeInstance(another);
    this.fmi.fail("fmi2Instantiate", "NULL");
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

  protected override callEnterEventMode(): void {
    this.fmi.invokeOften("fmi2EnterEventMode");
  }

  protected override callUpdateDiscreteStates(): DiscreteUpdate {
    this.eventInfo ??= this.fmi.arena.allocate(EVENT_INFO_BYTES);
    this.eventFlags ??= int32s(this.eventInfo, 5);
    this.eventTime ??= float64s(this.eventInfo, 4);
    const { eventFlags: flags, eventTime: time } = this;
    flags.fill(0);
    time[3] = Number.NaN;
    this.fmi.invokeOften("fmi2NewDiscreteStates", this.eventInfo.address);
    const isDefined = flags[4] !== 0;
    if (isDefined && Number.isNaN(time[3]))
      this.fmi.failUnwritten("fmi2NewDiscreteStates", "time for the event that it announces");
    return {
      again: flags[0] !== 0,
      terminate: flags[1] !== 0,
      nominalsChanged: flags[2] !== 0,
      statesChanged: flags[3] !== 0,
      nextEventTime: isDefined ? time[3] : undefined,
    };
  }

  protected override callEnterStepMode(): void {
    this.fmi.invokeOften("fmi2EnterContinuousTimeMode");
  }
}
