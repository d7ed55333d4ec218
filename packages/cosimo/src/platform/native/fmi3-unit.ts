/**
 * An FMI 3.0 instance as a unit: Co-Simulation, Model Exchange without a solver (native-ode.ts), or
 * Scheduled Execution without a schedule (unit/scheduled-unit.ts).
 *
 * A step may end early (the FMU met an event, or an intermediate update asked for it); the answer
 * then is `event` at the time the FMU reached. Structural parameters are set in configuration mode
 * as soon as the instance exists, and again after a reset, because they decide the sizes of
 * everything else.
 */
import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import koffi from "koffi";
import { portNamed } from "../../model/unit-description.ts";
import { bankOf, makeBanks } from "../../model/value-type.ts";
import type { ClockNews } from "../../unit/scheduled-unit.ts";
import type { DiscreteUpdate, InitializationOptions } from "../../unit/unit.ts";
import { callId } from "./call-names.ts";
import { NativeClocks } from "./clock-services.ts";
import { dependenciesOf, type ElementDependency } from "./dependencies.ts";
import type { Mapping } from "./executable.ts";
import { Status } from "./fmi-instance.ts";
import { FMI3, type FMI3_CALLS } from "./fmi3-version.ts";
import { mapFollowerCode } from "./follower-code.ts";
import { refusalOfHost } from "./host-code.ts";
import { InputFollower } from "./input-follower.ts";
import { IntermediateUpdates } from "./intermediate-update.ts";
import { type Block, bytesOf, float64s, uint32s } from "./native-memory.ts";
import type { IntermediateUpdate, NativeUnitOptions, UnitSource } from "./native-options.ts";
import { NativeUnit } from "./native-unit.ts";
import { ScheduledCallbacks } from "./scheduled-callbacks.ts";
import { type Group, load, type NativeAccess } from "./transfer.ts";

type Table = typeof FMI3_CALLS;

const NO_BANKS = makeBanks({});

export class Fmi3Unit extends NativeUnit<Table> {
  private readonly options: NativeUnitOptions;
  private structure: readonly Group[] | undefined;
  /**
   * Results of doStep and updateDiscreteStates: booleans in bytes 0 to 7, a time in bytes 8 to 15.
   */
  private readonly flags: Uint8Array = bytesOf(this.fmi.results);
  private readonly times: Float64Array = float64s(this.fmi.results, 2);
  private readonly following: InputFollower | undefined;
  private readonly answers: Mapping | undefined;
  private readonly updates: IntermediateUpdates | undefined;
  private readonly handleAt: Block = this.fmi.arena.allocate(8);
  private followedAccess: NativeAccess | undefined;
  readonly clocks: NativeClocks = new NativeClocks(this.fmi);
  private readonly scheduled: ScheduledCallbacks | undefined;

  constructor(source: UnitSource, options: NativeUnitOptions) {
    super(source, FMI3, options);
    this.options = options;
    const { follow = [], intermediateUpdate } = options;
    if (follow.length > 0)
      this.following = new InputFollower(this.fmi.arena, this.description, follow);
    const handle =
      intermediateUpdate?.handle ?? (this.following && ((update) => this.answer(update)));
    this.answers = intermediateUpdate === undefined ? this.mapAnswers() : undefined;
    this.updates =
      handle && this.answers === undefined ? new IntermediateUpdates(handle) : undefined;
    if (this.interface === "scheduled-execution")
      this.scheduled = new ScheduledCallbacks(this.fmi, this.clocks, this.description);
  }

  protected override get follower(): InputFollower | undefined {
    return this.following;
  }

  /** Machine code that answers intermediate updates; undefined where it would not do. */
  private mapAnswers(): Mapping | undefined {
    const { fmi, following } = this;
    const { lastCall } = fmi;
    const mayRun = refusalOfHost(process.platform, process.arch) === undefined;
    if (following === undefined || fmi.isTraced || !mayRun || !this.isSteady()) return undefined;
    const references = fmi.arena.allocate(4 * following.ports.length);
    uint32s(references, following.ports.length).set(
      following.ports.map((port) => this.values.referenceOf(port)),
    );
    const at = lastCall && Number(koffi.address(lastCall.buffer)) + lastCall.byteOffset;
    return mapFollowerCode(following, {
      setter: fmi.addressOf("fmi3SetFloat64"),
      references: references.address,
      count: following.ports.length,
      handle: this.handleAt.address,
      marker: at === undefined ? undefined : { at, id: callId("fmi3SetFloat64") },
    });
  }

  /** An FMU asks for its inputs, where no code answers. */
  private answer({ time, setRequested }: IntermediateUpdate): void {
    const { following } = this;
    if (following === undefined || !following.isMoving || !setRequested) return;
    following.evaluateAt(time);
    this.write(this.followed, { ...NO_BANKS, f64: following.values });
  }

  /** The inputs that follow. */
  private get followed(): NativeAccess {
    this.followedAccess ??= this.values.bind(this.following?.slots ?? []);
    return this.followedAccess;
  }

  protected instantiate(): void {
    if (this.interface === "model-exchange") this.instantiateModelExchange();
    else if (this.scheduled !== undefined) this.instantiateScheduledExecution(this.scheduled);
    else this.instantiateCoSimulation();
  }

  private resources(): number {
    const { arena, fmu } = this.fmi;
    const resources = join(fmu.folder, "resources");
    return existsSync(resources) ? arena.string(resources + sep) : 0;
  }

  private instantiateModelExchange(): void {
    const { arena, calls, fmu, logger } = this.fmi;
    this.fmi.handle = calls.fmi3InstantiateModelExchange(
      arena.string(this.name),
      arena.string(fmu.description.instantiationToken),
      this.resources(),
      0,
      this.options.loggingOn === false ? 0 : 1,
      0,
      logger.entry,
    );
    if (this.fmi.handle === 0) this.fmi.fail("fmi3InstantiateModelExchange", "NULL");
  }

  private instantiateScheduledExecution({ clockUpdate, lock }: ScheduledCallbacks): void {
    const { arena, calls, fmu, logger } = this.fmi;
    this.fmi.handle = calls.fmi3InstantiateScheduledExecution(
      arena.string(this.name),
      arena.string(fmu.description.instantiationToken),
      this.resources(),
      0,
      this.options.loggingOn === false ? 0 : 1,
      0,
      logger.entry,
      clockUpdate,
      lock,
      lock,
    );
    if (this.fmi.handle === 0) this.fmi.fail("fmi3InstantiateScheduledExecution", "NULL");
  }

  override exitInitialization(): void {
    if (this.scheduled === undefined) super.exitInitialization();
    else this.scheduled.during(() => super.exitInitialization());
  }

  /** Scheduled Execution: computes what belongs to an input clock. */
  activatePartition(clock: number, time: number): void {
    const { fmi } = this;
    fmi.time = time;
    const { valueReference } = fmi.fmu.description.variables[clock];
    // References are unsigned, and the call takes 32 bits.
    this.scheduled?.during(() =>
      fmi.invoke("fmi3ActivateModelPartition", valueReference | 0, time),
    );
  }

  takeNews(): ClockNews {
    return this.scheduled?.take() ?? { ticks: [], countdowns: new Map() };
  }

  private instantiateCoSimulation(): void {
    const { arena, calls, fmu, logger } = this.fmi;
    const { eventMode, earlyReturn } = this.description.capabilities;
    const ports = this.options.intermediateUpdate?.ports ?? this.following?.ports ?? [];
    const references = arena.allocate(4 * ports.length);
    uint32s(references, ports.length).set(
      ports.map((port) => fmu.description.variables[port].valueReference),
    );
    this.fmi.handle = calls.fmi3InstantiateCoSimulation(
      arena.string(this.name),
      arena.string(fmu.description.instantiationToken),
      this.resources(),
      0,
      this.options.loggingOn === false ? 0 : 1,
      eventMode ? 1 : 0,
      earlyReturn ? 1 : 0,
      ports.length > 0 ? references.address : 0,
      ports.length,
      0,
      logger.entry,
      this.answers?.address ?? this.updates?.entry ?? 0,
    );
    if (this.fmi.handle === 0) this.fmi.fail("fmi3InstantiateCoSimulation", "NULL");
    new BigInt64Array(this.handleAt.buffer, this.handleAt.offset, 1)[0] = BigInt(this.fmi.handle);
  }

  protected override afterInstantiation(): void {
    const { structural } = this.options;
    if (structural === undefined || structural.size === 0) return;
    this.structure ??= this.loadStructure(structural);
    this.fmi.invoke("fmi3EnterConfigurationMode");
    for (const group of this.structure) this.values.set(group);
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
    const { groups } = this.values.access(slots);
    for (const group of groups) load(group, banks, this.fmi.scratch);
    return groups;
  }

  protected override afterFree(): void {
    this.updates?.close();
    this.scheduled?.close();
    this.answers?.unmap();
  }

  protected override callSetInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    this.following?.setDerivatives(this.name, ports, orders, values);
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
    if (this.following?.isMoving) {
      this.following.begin(from);
      this.read(this.followed, { ...NO_BANKS, f64: this.following.base });
    }
    this.settleStep(from, to, this.takeStep(from, to));
  }

  protected override clearStepResults(): void {
    const { flags } = this;
    flags[0] = 0;
    flags[1] = 0;
    flags[2] = 0;
    this.times[1] = Number.NaN;
  }

  protected settleStep(from: number, to: number, status: number): void {
    this.judgeStep(from, to, status);
    const { following } = this;
    if (!following?.isMoving) return;
    // The inputs stand where the polynomials have led them, and go on from there.
    following.moveOn(this.stop.time - from);
    this.write(this.followed, { ...NO_BANKS, f64: following.values });
  }

  private judgeStep(from: number, to: number, status: number): void {
    const { fmi, stop } = this;
    const flags = this.flags;
    if (status !== Status.ok || this.logged[0] !== this.logged[1])
      fmi.settle("fmi3DoStep", status === Status.discard ? Status.ok : status);
    this.updates?.rethrow();
    const inside = this.following?.takeStatus() ?? Status.ok;
    if (inside !== Status.ok) fmi.settle("fmi3SetFloat64", inside);
    const terminated = flags[1] !== 0;
    const early = flags[2] !== 0;
    if (early || terminated || status === Status.discard) {
      this.endEarly(
        from,
        to,
        this.times[1],
        terminated ? "terminated" : early ? "event" : "discarded",
      );
      return;
    }
    fmi.time = to;
    stop.reason = flags[0] !== 0 && this.description.capabilities.eventMode ? "event" : "time";
    stop.time = to;
  }

  protected override machineRefusal(): string | undefined {
    return this.updates && "it is followed inside its steps (intermediate updates)";
  }

  protected override callEnterEventMode(): void {
    this.fmi.invokeOften("fmi3EnterEventMode");
  }

  protected override callUpdateDiscreteStates(): DiscreteUpdate {
    const at = this.fmi.results.address;
    const flags = this.flags;
    flags.fill(0, 0, 5);
    this.times[1] = Number.NaN;
    this.fmi.invokeOften("fmi3UpdateDiscreteStates", at, at + 1, at + 2, at + 3, at + 4, at + 8);
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
    this.fmi.invokeOften(
      this.interface === "model-exchange" ? "fmi3EnterContinuousTimeMode" : "fmi3EnterStepMode",
    );
  }

  /** What each element of a port depends on, as the configured instance says. */
  dependencies(port: number): ElementDependency[] {
    return dependenciesOf(this.fmi, port);
  }
}
