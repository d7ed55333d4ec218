/**
 * Steps as FMI 1.0 and 2.0 know them: a status, and questions about the last step.
 *
 * A step that the FMU discards is an answer, not a failure: the unit is then at the last successful
 * time that the FMU names, and by the standards only a restore lets it step again. Steps that the
 * FMU takes in the background (pending) are waited for, where its description says that it can do
 * that.
 */
import { CapabilityError } from "../../unit/unit.ts";
import type { CallTable } from "./calls.ts";
import { type FmiInstance, isFine, Status } from "./fmi-instance.ts";
import type { TypedVersion } from "./fmi-version.ts";
import { float64s, int32s, uint32s } from "./native-memory.ts";
import type { NativeUnitOptions, UnitSource } from "./native-options.ts";
import type { SlopeCall } from "./native-stage.ts";
import { NativeUnit } from "./native-unit.ts";
import { sameNumbers } from "./same-numbers.ts";

/** No status: it stands where the FMU has to write one. */
const UNWRITTEN = -1;
const NOT_ASYNCHRONOUS = "but its description does not declare canRunAsynchronuously";

/** The kinds of status that can be asked for. */
const StatusKind = {
  doStepStatus: 0,
  lastSuccessfulTime: 2,
  terminated: 3,
} as const;

/** The functions that answer questions about the last step. */
export interface PollCalls<Table extends CallTable> {
  readonly status: keyof Table & string;
  readonly realStatus: keyof Table & string;
  /** Absent where no question is about a boolean. */
  readonly booleanStatus?: keyof Table & string;
}

export abstract class PollingUnit<Table extends CallTable> extends NativeUnit<Table> {
  private readonly polls: PollCalls<Table>;
  private slopes: SlopeArguments<Table> | undefined;
  private readonly real: Float64Array = float64s(this.fmi.results, 1);
  private readonly integer: Int32Array = int32s(this.fmi.results, 1);

  constructor(
    source: UnitSource,
    version: TypedVersion<Table>,
    options: NativeUnitOptions,
    polls: PollCalls<Table>,
  ) {
    super(source, version, options);
    this.polls = polls;
  }

  protected callStep(from: number, to: number): void {
    this.settleStep(from, to, this.takeStep(from, to));
  }

  protected settleStep(from: number, to: number, returned: number): void {
    const { fmi, stop } = this;
    let status = returned;
    if (status === Status.pending) status = this.awaitStep();
    if (status !== Status.ok || this.logged[0] !== this.logged[1])
      fmi.settle(this.names.step, status === Status.discard ? Status.ok : status);
    if (status === Status.discard) {
      this.stopDiscarded(from, to);
      return;
    }
    fmi.time = to;
    stop.reason = "time";
    stop.time = to;
  }

  /** FMUs that cannot say where they stopped are taken to be where they began (`endEarly`). */
  private stopDiscarded(from: number, to: number): void {
    // What the FMU does not write must not be read as an answer.
    this.integer[0] = 0;
    const terminated =
      this.polls.booleanStatus !== undefined &&
      this.ask(this.polls.booleanStatus, StatusKind.terminated) &&
      this.integer[0] !== 0;
    this.real[0] = Number.NaN;
    const hasTime = this.ask(this.polls.realStatus, StatusKind.lastSuccessfulTime);
    const said = hasTime ? this.real[0] : Number.NaN;
    this.endEarly(from, to, said, terminated ? "terminated" : "discarded");
  }

  /**
   * Whether the FMU answers a question about its last step: many say discard or error, or lack the
   * function.
   */
  private ask(call: keyof Table & string, kind: number): boolean {
    const { fmi } = this;
    if (!fmi.has(call)) return false;
    const status = fmi.calls[call](fmi.handle, kind, fmi.results.address);
    if (status !== Status.discard && status !== Status.error) fmi.settle(call, status);
    return isFine(status);
  }

  /**
   * Only an FMU that can work in the background has a step to wait for: what others have done
   * cannot be known.
   */
  private awaitStep(): number {
    const { fmi } = this;
    if (fmi.fmu.description.coSimulation?.canRunAsynchronously !== true)
      fmi.fail(this.names.step, `${fmi.version.statusNames[Status.pending]}, ${NOT_ASYNCHRONOUS}`);
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (;;) {
      this.integer[0] = UNWRITTEN;
      fmi.invoke(this.polls.status, StatusKind.doStepStatus, fmi.results.address);
      if (this.integer[0] === UNWRITTEN) fmi.failUnwritten(this.polls.status, "status");
      if (this.integer[0] !== Status.pending) return this.integer[0];
      Atomics.wait(pause, 0, 0, 0.2);
    }
  }

  protected override callSetInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    this.slopes ??= new SlopeArguments(this.fmi, this.names.inputDerivatives);
    const { call, values: given } = this.slopes.prepare(ports, orders);
    given.set(values);
    const status = call.run();
    if (status !== Status.ok || this.logged[0] !== this.logged[1])
      this.fmi.settle(call.name, status);
  }

  protected override prepareSlopes(ports: readonly number[], orders: readonly number[]): SlopeCall {
    return new SlopeArguments(this.fmi, this.names.inputDerivatives).prepare(ports, orders);
  }
}

/**
 * The call that sets derivatives of inputs. Inputs and orders are the same from step to step, so
 * they stay where they are.
 */
class SlopeArguments<Table extends CallTable> {
  private readonly fmi: FmiInstance<Table>;
  private readonly name: keyof Table & string;
  private prepared: SlopeCall | undefined;
  private ports: readonly number[] = [];
  private orders: readonly number[] = [];

  constructor(fmi: FmiInstance<Table>, name: (keyof Table & string) | undefined) {
    this.fmi = fmi;
    if (name === undefined) throw new CapabilityError(fmi.name, "input derivatives");
    this.name = name;
  }

  prepare(ports: readonly number[], orders: readonly number[]): SlopeCall {
    if (this.prepared && sameNumbers(ports, this.ports) && sameNumbers(orders, this.orders))
      return this.prepared;
    const { arena, fmu, handle, prepared } = this.fmi;
    const count = ports.length;
    const references = arena.allocate(4 * count);
    const orderBlock = arena.allocate(4 * count);
    const values = arena.allocate(8 * count);
    const { variables } = fmu.description;
    uint32s(references, count).set(ports.map((port) => variables[port].valueReference));
    int32s(orderBlock, count).set(orders);
    this.ports = [...ports];
    this.orders = [...orders];
    const args = [handle, references.address, count, orderBlock.address, values.address];
    const call = prepared.prepare(this.name, args);
    this.prepared = { call, values: float64s(values, count) };
    return this.prepared;
  }
}
