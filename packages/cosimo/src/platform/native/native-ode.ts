/**
 * A Model Exchange instance as differential equations with events: the calls that set time and
 * states and get derivatives, on top of the life cycle that all native instances share. The same
 * for all versions of FMI: names and sizes of flags come from their tables.
 */

import type { EventOde, StepVerdict } from "../../exchange/event-ode.ts";
import { odeStructure } from "../../fmi/ode-structure.ts";
import type { OdeStructure } from "../../model/ode-structure.ts";
import { DelegatingUnit } from "../../unit/delegating-unit.ts";
import { CapabilityError } from "../../unit/unit.ts";
import type { CallTable } from "./calls.ts";
import { type FmiInstance, Status } from "./fmi-instance.ts";
import type { ExchangeNames } from "./fmi-version.ts";
import type { NativeFunction } from "./libc.ts";
import { type Block, bytesOf, float64s } from "./native-memory.ts";
import type { NativeUnit } from "./native-unit.ts";

export class NativeOde<Table extends CallTable> extends DelegatingUnit implements EventOde {
  readonly structure: OdeStructure;
  private readonly fmi: FmiInstance<Table>;
  private readonly names: ExchangeNames<keyof Table & string>;
  private readonly logged: Int32Array;
  private readonly setTimeCall: NativeFunction;
  /** Of models with states; others need not have these functions. */
  private readonly setStatesCall: NativeFunction | undefined;
  private readonly derivativesCall: NativeFunction | undefined;
  private readonly statesBlock: Block;
  private readonly states: Float64Array;
  private readonly indicatorsBlock: Block;
  private readonly flags: Uint8Array;

  constructor(unit: NativeUnit<Table>) {
    super(unit);
    const fmi = unit.instance;
    this.fmi = fmi;
    const { exchange } = fmi.version;
    if (exchange === undefined) throw new CapabilityError(unit.name, "Model Exchange");
    this.names = exchange;
    this.logged = fmi.logged;
    this.structure = odeStructure(fmi.fmu.description, unit.description);
    this.setTimeCall = fmi.calls[this.names.setTime];
    if (this.structure.states > 0) {
      this.setStatesCall = fmi.calls[this.names.setStates];
      this.derivativesCall = fmi.calls[this.names.derivatives];
    }
    this.statesBlock = fmi.arena.allocate(8 * this.structure.states);
    this.states = float64s(this.statesBlock, this.structure.states);
    this.indicatorsBlock = fmi.arena.allocate(8 * this.structure.indicators);
    this.flags = bytesOf(fmi.results);
  }

  setTime(time: number): void {
    const { fmi } = this;
    fmi.time = time;
    this.settle(this.names.setTime, this.setTimeCall(fmi.handle, time));
  }

  setStates(states: Float64Array): void {
    if (this.setStatesCall === undefined) return;
    this.states.set(states);
    const { address } = this.statesBlock;
    this.settle(this.names.setStates, this.setStatesCall(this.fmi.handle, address, states.length));
  }

  getStates(states: Float64Array): void {
    this.get(this.names.getStates, this.statesBlock, states);
  }

  getDerivatives(derivatives: Float64Array): void {
    if (this.derivativesCall === undefined) return;
    const { length } = derivatives;
    const { address } = this.statesBlock;
    // What the FMU does not write must not be taken for an answer.
    this.states.fill(Number.NaN);
    this.settle(this.names.derivatives, this.derivativesCall(this.fmi.handle, address, length));
    derivatives.set(this.states);
  }

  getIndicators(indicators: Float64Array): void {
    this.get(this.names.indicators, this.indicatorsBlock, indicators);
  }

  /**
   * Some binaries lack the function, and some FMUs leave it unanswered: then the size of a state is
   * 1.
   */
  getNominals(nominals: Float64Array): void {
    if (this.fmi.has(this.names.nominals))
      this.get(this.names.nominals, this.statesBlock, nominals);
    for (let i = 0; i < nominals.length; i++) {
      const size = Math.abs(nominals[i]);
      nominals[i] = size > 0 && size < Number.POSITIVE_INFINITY ? size : 1;
    }
  }

  completeStep(mayGoBack: boolean): StepVerdict {
    const { fmi, flags } = this;
    const at = fmi.results.address;
    // Flags are bytes or four of them, depending on the version: little-endian, the first one
    // decides.
    flags.fill(0, 0, 16);
    const { completedStep, completedStepIsFinal } = this.names;
    const args = completedStepIsFinal ? [at] : [mayGoBack ? 0 : 1, at, at + 8];
    const status = fmi.calls[completedStep](fmi.handle, ...args);
    this.settle(completedStep, status);
    if (flags[8] !== 0) return "terminate";
    return flags[0] !== 0 ? "event" : "go-on";
  }

  private get(call: keyof Table & string, block: Block, into: Float64Array): void {
    const { length } = into;
    if (length === 0) return;
    const values = float64s(block, length);
    values.fill(Number.NaN);
    this.settle(call, this.fmi.calls[call](this.fmi.handle, block.address, length));
    into.set(values);
  }

  private settle(call: keyof Table & string, status: number): void {
    if (status !== Status.ok || this.logged[0] !== this.logged[1]) this.fmi.settle(call, status);
  }
}
