/**
 * A unit that cannot save its state, with a log of everything that was done to it since its first
 * step. In another process the same calls bring a new instance to the same place, if the unit is
 * one that does the same again; what it shows at its outputs is compared.
 *
 * Seen from a plan it is a unit like any other, only not a native one: machine code leaves it to
 * the interpreter.
 */
import { DiagnosticsError, diagnose } from "../base/diagnostic.ts";
import type { Banks } from "../model/value-type.ts";
import { areSameBanks, copyBanks } from "../unit/banks.ts";
import { ByteReader } from "../unit/bytes.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import type { Access, DiscreteUpdate, Snapshot, Switching, Unit } from "../unit/unit.ts";
import { CHECKPOINT_DIAGNOSTICS } from "./checkpoint-diagnostics.ts";
import { banksFor, layoutPorts } from "./port-layout.ts";
import { CallLog, replayCalls } from "./replay-log-calls.ts";

export class LoggedUnit extends DelegatingUnit {
  private readonly loggedSwitching: Switching | undefined;
  private readonly log: CallLog;
  private readonly stored: Uint8Array;
  private readonly positions = new WeakMap<Snapshot, number>();
  private outputs: { readonly access: Access; readonly banks: Banks } | undefined;

  /** @param stored the log of the run that is to be continued; nothing for a run that begins. */
  constructor(unit: Unit, stored: Uint8Array = new Uint8Array(0)) {
    super(unit);
    this.splitAdvance((from, until) => this.log.advance(from, until));
    this.stored = stored;
    this.log = new CallLog(unit.description);
    const { switching } = unit;
    this.loggedSwitching = switching && loggedSwitching(switching, this.log);
  }

  override get switching(): Switching | undefined {
    return this.loggedSwitching;
  }

  /** Bytes since the first step, those that were taken included. */
  get logLength(): number {
    return this.log.length;
  }

  /** What was logged since the last time; the caller keeps it. */
  takeLog(): Uint8Array {
    return this.log.take();
  }

  /** The present values of its outputs. */
  shown(): Banks {
    if (this.outputs === undefined) {
      // Clocks, and what belongs to them, have values at ticks only.
      const ports = this.description.ports.filter(
        ({ direction, type, clocks }) =>
          direction === "output" && type !== "clock" && clocks === undefined,
      );
      const layout = layoutPorts(ports);
      this.outputs = { access: this.unit.bind(layout.slots), banks: banksFor(layout) };
    }
    const { access, banks } = this.outputs;
    if (access.slots.length > 0) this.unit.read(access, banks);
    return copyBanks(banks);
  }

  /**
   * From the end of initialization to where the stored log has `length` bytes.
   * @throws DiagnosticsError unless it then shows what it showed.
   */
  replay(length: number, shown: Banks): void {
    const stored = this.stored.subarray(0, length);
    const begun = this.log.pending();
    if (stored.length < length) this.refuse("the log of its calls is not whole");
    if (begun.some((byte, i) => byte !== stored[i]))
      this.refuse("its first inputs are not those of the interrupted run");
    const lists = replayCalls(this.unit, new ByteReader(stored), begun.length);
    this.log.goOn(length, lists);
    if (!areSameBanks(this.shown(), shown))
      this.refuse("after the same calls its outputs are others than before");
  }

  override advance(from: number, until: Predicate): Stop {
    this.log.advance(from, until);
    return this.unit.advance(from, until);
  }

  override enterEventMode(): void {
    this.log.event("event");
    this.unit.enterEventMode();
  }
  override updateDiscreteStates(): DiscreteUpdate {
    this.log.event("update");
    return this.unit.updateDiscreteStates();
  }
  override enterStepMode(): void {
    this.log.event("leave");
    this.unit.enterStepMode();
  }
  override reset(): void {
    this.log.goOn(0, 0);
    this.unit.reset();
  }
  override write(access: Access, banks: Banks): void {
    if (this.unit.phase === "step" || this.unit.phase === "event") this.log.write(access, banks);
    this.unit.write(access, banks);
  }
  override setInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    this.log.slopes(ports, orders, values);
    this.unit.setInputDerivatives(ports, orders, values);
  }

  override save(): Snapshot {
    const snapshot = this.unit.save();
    this.positions.set(snapshot, this.log.length);
    return snapshot;
  }
  /** What was rolled back never happened. */
  override restore(snapshot: Snapshot): void {
    this.unit.restore(snapshot);
    this.log.cut(this.positions.get(snapshot) ?? 0);
  }

  private refuse(why: string): never {
    throw new DiagnosticsError([
      diagnose(
        CHECKPOINT_DIAGNOSTICS,
        "checkpoint-not-repeatable",
        { unit: this.name, why },
        { file: this.description.name },
      ),
    ]);
  }
}

function loggedSwitching(switching: Switching, log: CallLog): Switching {
  return {
    get nextTime() {
      return switching.nextTime;
    },
    ...(switching.nextLook && { nextLook: (now: number) => switching.nextLook!(now) }),
    isDue: () => switching.isDue(),
    switch() {
      log.event("switch");
      switching.switch();
    },
  };
}
