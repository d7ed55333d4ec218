/**
 * A unit with faults: delegates to the unit inside and alters what is read from its outputs,
 * written to its inputs and set as its parameters; holds it, or lets it fail.
 *
 * Faults change at instants only (fault-process.ts). Where the caller switches them (`switching`),
 * a step ends at an instant with the values before it. Where the caller takes steps of one size and
 * knows nothing of instants, the unit switches itself: where a step ends, and on the way, as far as
 * the unit inside can end a step there.
 */
import { UnitError } from "../base/outcome.ts";
import type { FaultyUnit as FaultyUnitData, UnitFault } from "../model/faults.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { type Banks, makeBanks } from "../model/value-type.ts";
import { copyBanks } from "../unit/banks.ts";
import { nextPoint, untilOf } from "../unit/communication-points.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import { evaluate } from "../unit/evaluate-expression.ts";
import { conditionsOf, type Predicate, type Stop, timeBound } from "../unit/predicate.ts";
import type {
  Access,
  DiscreteUpdate,
  FaultCount,
  InitializationOptions,
  PortSlot,
  Snapshot,
  Switching,
  Unit,
} from "../unit/unit.ts";
import { changedElements, type FaultyPorts } from "./changed-elements.ts";
import { FaultProcess, sameInstant } from "./fault-process.ts";
import { type FaultySnapshot, readSnapshot, writeSnapshot } from "./faulty-snapshot.ts";
import { FrozenOutputs } from "./frozen-outputs.ts";
import { ObservedSignals } from "./observed-signals.ts";
import { PortChain } from "./port-chain.ts";
import { ReceivedEvents, withoutPulses } from "./received-events.ts";

export interface FaultyUnitOptions {
  /** Of the unit with its faults (model/apply-faults.ts). */
  readonly description: UnitDescription;
  /** Communication step of the unit, seconds. */
  readonly step: number;
  /** The caller switches the faults. */
  readonly isSwitched: boolean;
}

/** @param inner is owned by the result. */
export function faultyUnit(inner: Unit, faulty: FaultyUnitData, options: FaultyUnitOptions): Unit {
  return new FaultyUnit(inner, faulty, options);
}

/**
 * A part of an access: ports of the inner unit as they are, chains, and ports that only this unit
 * has.
 */
interface FaultyAccess extends Access {
  readonly inner: Access;
  /** What is read without faults. */
  readonly healthy: Access;
  /** Those of the inner unit that can be written as they are. */
  readonly plain: Access;
  readonly chains: readonly { readonly chain: PortChain; readonly slot: number }[];
  readonly tracks: readonly { readonly process: FaultProcess; readonly slot: number }[];
  readonly observed: readonly { readonly port: number; readonly slot: number }[];
  /** Events among those that can be written as they are. */
  readonly events: readonly PortSlot[];
}

class FaultyUnit extends DelegatingUnit {
  private readonly switches: Switching | undefined;
  private readonly processes: readonly FaultProcess[];
  private readonly inputs: readonly UnitFault["inputs"][];
  private readonly tracks: ReadonlyMap<number, FaultProcess>;
  private readonly chains: ReadonlyMap<number, PortChain>;
  /** Faults of the unit as a whole. */
  private readonly whole: readonly FaultProcess[];
  private readonly frozen: FrozenOutputs;
  private readonly observed: ObservedSignals;
  private readonly received: ReceivedEvents;
  /** Ports that show one of the inner unit without faults. */
  private readonly shown: ReadonlyMap<number, number>;
  private isRunning = false;
  private readonly isSwitched: boolean;
  readonly step: number;
  /** Of the run. */
  start = 0;
  private now = 0;
  /** Where the inner unit is, which may have stood still for a while. */
  private innerNow = 0;
  private hasLag = false;
  private usesEvents = false;
  /** Discrete inputs changed while the inner unit could not take them. */
  private isLate = false;

  constructor(inner: Unit, { faults, shown }: FaultyUnitData, options: FaultyUnitOptions) {
    super(inner, options.description);
    const { step, isSwitched } = options;
    this.shown = new Map([...shown].map(([of, port]) => [port, of]));
    const { ports } = inner.description;
    this.isSwitched = isSwitched;
    this.step = step;
    this.processes = faults.map(
      ({ fault }) => new FaultProcess(fault, fault.target && ports[fault.target.port], step),
    );
    this.inputs = faults.map(({ inputs }) => inputs);
    this.tracks = new Map(faults.map(({ track }, f) => [track, this.processes[f]]));
    const targets = new Set(faults.flatMap(({ fault }) => fault.target?.port ?? []));
    this.chains = new Map(
      [...targets].map((port) => [
        port,
        new PortChain(
          inner,
          ports[port],
          this.processes.filter(({ fault }) => fault.target?.port === port),
        ),
      ]),
    );
    this.whole = this.processes.filter(({ fault }) => fault.target === undefined);
    const canFreeze = this.whole.some(({ fault }) => fault.effect.kind === "frozen");
    this.frozen = new FrozenOutputs(inner, canFreeze);
    const read = [...new Set(this.inputs.flatMap((inputs) => [...inputs.values()]))];
    this.observed = new ObservedSignals(inner, options.description, read);
    this.received = new ReceivedEvents(inner.description);
    this.switches = isSwitched ? this.makeSwitching() : undefined;
  }

  override get switching(): Switching | undefined {
    return this.switches;
  }

  private makeSwitching(): Switching {
    const next = (): number => this.nextInstant();
    const own = this.inputs.some(
      (inputs, f) =>
        this.processes[f].fault.when.kind !== "time" &&
        (inputs.size === 0 || [...inputs.values()].some((port) => !this.isAdded(port))),
    );
    return {
      get nextTime() {
        return next();
      },
      ...(own && { nextLook: (now: number) => nextPoint(now, this) }),
      isDue: () => this.isDue(),
      switch: () => void this.switch(),
    };
  }

  override faultCounts(): readonly FaultCount[] {
    return this.processes.map(({ fault, activations }) => ({ name: fault.name, activations }));
  }

  /** Whether a port is one that only this unit has. */
  private isAdded(port: number): boolean {
    return port >= this.unit.description.ports.length;
  }

  // ---- instants -------------------------------------------------------------------------------

  private nextInstant(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const process of this.processes) next = Math.min(next, process.nextInstant(this.now));
    return next;
  }

  private isDue(): boolean {
    return this.processes.some((process, f) => process.isDue(this.now, this.holds(f)));
  }

  /** Whether the condition of a fault holds. */
  private holds(f: number): boolean {
    const { when } = this.processes[f].fault;
    if (when.kind === "time") return false;
    const inputs = this.inputs[f];
    const signal = (name: string): number =>
      this.observed.valueOf(inputs.get(name) ?? -1, this.now);
    return evaluate(when.condition.expression, this.now, signal) !== 0;
  }

  /** @returns ports that have another value now. */
  private switch(): Set<number> {
    const now = this.now;
    const changed = new Set<number>();
    const before = this.processes.map(({ isActive }) => isActive);
    const conditions = new Map(this.processes.map((process, f) => [process, this.holds(f)]));
    const holds = (process: FaultProcess): boolean => conditions.get(process) === true;
    for (const process of this.whole) {
      if (!process.isDue(now, holds(process))) continue;
      const isFreezing = process.fault.effect.kind === "frozen";
      if (isFreezing && !this.isFrozen) this.frozen.take();
      process.switch(now, holds(process), NOTHING);
    }
    for (const chain of this.chains.values())
      if (chain.switch(now, this.frozenAt(chain.port.index), holds)) {
        changed.add(chain.port.index);
        if (chain.isTaken) this.push(chain);
      }
    for (const [track, process] of this.tracks) {
      const was = before[this.processes.indexOf(process)];
      if (was !== process.isActive) changed.add(track);
    }
    return changed;
  }

  /** Conditions that hold no longer may begin their faults again. */
  private rearm(): void {
    this.processes.forEach((process, f) => {
      if (process.isArmed || this.holds(f)) return;
      process.rearm();
    });
  }

  private get isFrozen(): boolean {
    return this.whole.some(({ isActive, fault }) => isActive && fault.effect.kind === "frozen");
  }

  private frozenAt(port: number): Banks | undefined {
    return this.isFrozen ? this.frozen.valueOf(port) : undefined;
  }

  // ---- life cycle -----------------------------------------------------------------------------

  override enterInitialization(options: InitializationOptions): void {
    this.start = options.start;
    this.now = options.start;
    this.innerNow = options.start;
    this.unit.enterInitialization(options);
    for (const chain of this.chains.values())
      if (chain.isTaken && !chain.isGiven) {
        this.unit.read(chain.access, chain.given);
        chain.isGiven = true;
      }
    // What acts from the start does so already here; conditions have no signals yet.
    for (const chain of this.chains.values()) {
      chain.switch(this.now, undefined, () => false);
      if (chain.isTaken && chain.isActive) chain.push(this.now);
    }
  }

  override exitInitialization(): void {
    this.unit.exitInitialization();
    this.isRunning = true;
    this.usesEvents = this.unit.phase === "event";
    this.remember();
    if (!this.isSwitched || this.whole.some((one) => one.isDue(this.now, false))) this.switch();
  }

  override enterEventMode(): void {
    this.unit.enterEventMode();
    this.received.pass();
    for (const fault of this.processes) fault.pass();
    if (!this.isLate) return;
    this.isLate = false;
    for (const chain of this.chains.values()) if (chain.isTaken) this.pushNow(chain);
  }

  override updateDiscreteStates(): DiscreteUpdate {
    const update = this.unit.updateDiscreteStates();
    this.pass();
    const { nextEventTime } = update;
    if (nextEventTime === undefined || (!this.hasLag && !this.isFrozen)) return update;
    const next = this.now + (nextEventTime - this.innerNow);
    return { ...update, nextEventTime: this.isFrozen ? undefined : next };
  }

  override reset(): void {
    this.unit.reset();
    for (const process of this.processes) process.reset();
    for (const chain of this.chains.values()) chain.isGiven = false;
    this.observed.reset();
    this.received.reset();
    this.isRunning = false;
    this.hasLag = false;
    this.isLate = false;
  }

  override advance(from: number, until: Predicate): Stop {
    this.now = from;
    if (this.isSwitched) return this.advanceInner(from, this.untilNextLate(from, until));
    if (this.isDue()) this.switch();
    const target = timeBound(until);
    const canSplit = this.unit.description.capabilities.variableStep;
    for (let at = from; ; ) {
      const next = this.nextInstant();
      const isOnTheWay = next < target - sameInstant(target, this.step) && canSplit;
      const bound = isOnTheWay ? bounded(until, next) : until;
      const isMore = this.hasMoreLate(at);
      const stop = this.advanceInner(at, isMore ? bounded(until, at) : bound);
      const changed = this.isDue() ? this.switch() : NO_PORTS;
      if (stop.reason !== "time") return stop;
      const seen = conditionsOf(until).find(
        ({ kind, port }) => kind === "updated" && changed.has(port),
      );
      if (seen !== undefined) return { reason: "updated", port: seen.port, time: this.now };
      if (!isOnTheWay && !isMore) return stop;
      at = this.now;
    }
  }

  /** Late events of one instant arrive one after the other, where the unit can react in between. */
  private hasMoreLate(now: number): boolean {
    if (this.unit.description.capabilities.zeroStep !== true) return false;
    return [...this.chains.values()].some((chain) => chain.hasLate(now));
  }

  private untilNextLate(from: number, until: Predicate): Predicate {
    return this.hasMoreLate(from) ? bounded(until, from) : until;
  }

  /** To where no fault changes on the way. */
  private advanceInner(from: number, until: Predicate): Stop {
    const failing = this.whole.find(
      ({ isActive, fault }) => isActive && fault.effect.kind === "fails",
    );
    if (failing !== undefined) throw this.failure(failing);
    const target = timeBound(until);
    this.rearm();
    this.remember();
    for (const chain of this.chains.values()) if (chain.isTaken && chain.isActive) this.push(chain);
    if (this.isFrozen) {
      this.hasLag = true;
      this.now = target;
      this.pass();
      this.rearm();
      return { reason: "time", port: -1, time: target };
    }
    const inner = this.innerUntil(until);
    const stop = this.hasLag ? this.advanceLate(from, inner) : this.unit.advance(from, inner);
    this.now = stop.time;
    if (!this.hasLag) this.innerNow = stop.time;
    this.pass();
    this.rearm();
    this.remember();
    return stop;
  }

  /** The inner unit knows nothing of ports that only this one has. */
  private innerUntil(until: Predicate): Predicate {
    const conditions = conditionsOf(until);
    const own = conditions.filter(({ port }) => !this.isAdded(port));
    return own.length === conditions.length ? until : untilOf(timeBound(until), own);
  }

  /** The inner unit stood still for a while: its time is another one. */
  private advanceLate(from: number, until: Predicate): Stop {
    const target = timeBound(until);
    const begin = this.innerNow;
    const end = begin + (target - from);
    const { reason, port, time } = this.unit.advance(begin, bounded(until, end));
    this.innerNow = time;
    return { reason, port, time: reason === "time" ? target : from + (time - begin) };
  }

  private failure({ fault }: FaultProcess): UnitError {
    return new UnitError({
      unit: this.name,
      call: "advance",
      status: `failed as the fault '${fault.name}' says (${fault.text})`,
      time: this.now,
      log: [],
    });
  }

  private remember(): void {
    for (const chain of this.chains.values())
      chain.remember(this.now, this.frozenAt(chain.port.index));
  }

  /** Units with event mode take discrete inputs in event mode only. */
  private push(chain: PortChain): void {
    const mustWait =
      this.usesEvents && this.unit.phase === "step" && chain.port.variability !== "continuous";
    if (mustWait) this.isLate = true;
    else this.pushNow(chain);
  }

  private pushNow(chain: PortChain): void {
    // A unit that stands still misses events.
    if (this.isFrozen && this.received.has(chain.port.index)) return;
    if (chain.push(this.now)) this.noteReceived(chain.port.index);
  }

  // ---- values ---------------------------------------------------------------------------------

  override bind(slots: readonly PortSlot[]): Access {
    const own = slots.filter(({ port }) => !this.isAdded(port));
    const access: FaultyAccess = {
      slots,
      inner: this.unit.bind(own),
      healthy: this.unit.bind(
        slots.flatMap(({ port, slot }) => {
          const of = this.shown.get(port);
          return of === undefined ? [] : [{ port: of, slot }];
        }),
      ),
      plain: this.unit.bind(own.filter(({ port }) => this.chains.get(port)?.isTaken !== true)),
      chains: own.flatMap(({ port, slot }) => {
        const chain = this.chains.get(port);
        return chain === undefined ? [] : [{ chain, slot }];
      }),
      tracks: slots.flatMap(({ port, slot }) => {
        const process = this.tracks.get(port);
        return process === undefined ? [] : [{ process, slot }];
      }),
      observed: slots.filter(({ port }) => this.observed.has(port)),
      events: own.filter(({ port }) => this.received.has(port) && !this.chains.has(port)),
    };
    return access;
  }

  override read(access: Access, banks: Banks): void {
    const { inner, healthy, chains, tracks, observed } = access as FaultyAccess;
    if (healthy.slots.length > 0) this.unit.read(healthy, banks);
    if (inner.slots.length > 0) this.unit.read(inner, banks);
    if (this.isFrozen) this.frozen.put(inner.slots, banks);
    for (const { chain, slot } of chains) if (!chain.isTaken) chain.apply(this.now, banks, slot);
    for (const { process, slot } of tracks) banks.f64[slot] = process.isActive ? 1 : 0;
    for (const { port, slot } of observed) this.observed.put(port, this.now, banks, slot);
  }

  override write(access: Access, banks: Banks): void {
    const { plain, chains, observed, events } = access as FaultyAccess;
    for (const { port, slot } of this.isFrozen ? [] : events)
      if (banks.f64[slot] !== 0) this.noteReceived(port);
    // A unit that stands still misses events; other inputs wait for it.
    if (this.isFrozen) withoutPulses(events, banks, () => this.unit.write(plain, banks));
    else if (plain.slots.length > 0) this.unit.write(plain, banks);
    for (const { chain, slot } of chains) {
      if (!chain.isTaken) continue;
      chain.take(banks, slot);
      this.push(chain);
    }
    for (const { port, slot } of observed) this.observed.take(port, this.now, banks, slot);
  }

  private noteReceived(port: number): void {
    if (this.isRunning) this.received.note(port);
  }

  override eventsReceived(port: number): number | undefined {
    return this.received.countOf(port);
  }

  /** The unit has moved, or taken an index of event mode: what follows are other events. */
  private pass(): void {
    this.received.pass();
    for (const chain of this.chains.values()) {
      const hadArrived = chain.pass();
      // What keeps its value would have the event for ever.
      if (hadArrived && !this.usesEvents && chain.port.type !== "clock") chain.push(this.now);
    }
  }

  // ---- derivatives ----------------------------------------------------------------------------

  override directionalDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    super.directionalDerivative(unknowns, knowns, this.scaled(knowns, seed), out);
    out.set(this.scaled(unknowns, out));
  }

  override adjointDerivative(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    super.adjointDerivative(unknowns, knowns, this.scaled(unknowns, seed), out);
    out.set(this.scaled(knowns, out));
  }

  override setInputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    super.setInputDerivatives(ports, orders, this.slopes(ports, orders, values));
  }

  override getOutputDerivatives(
    ports: readonly number[],
    orders: readonly number[],
    out: Float64Array,
  ): void {
    const inner = ports.map((port) => this.shown.get(port) ?? port);
    super.getOutputDerivatives(inner, orders, out);
    out.set(this.slopes(ports, orders, out));
  }

  private slopes(
    ports: readonly number[],
    orders: readonly number[],
    of: Float64Array,
  ): Float64Array {
    return changedElements(this.faultyPorts(), ports, of, (chain, element, value, p) =>
      chain.slope(orders[p], element, value),
    );
  }

  private scaled(ports: readonly number[], of: Float64Array): Float64Array {
    return changedElements(
      this.faultyPorts(),
      ports,
      of,
      (chain, element, value) => value * chain.factor(element),
    );
  }

  private faultyPorts(): FaultyPorts {
    const { ports } = this.description;
    return { ports, chains: this.chains, isFrozen: this.isFrozen };
  }

  // ---- snapshots ------------------------------------------------------------------------------

  override save(): Snapshot {
    const snapshot: FaultySnapshot = {
      time: this.now,
      inner: this.unit.save(),
      innerNow: this.innerNow,
      hasLag: this.hasLag,
      isLate: this.isLate,
      usesEvents: this.usesEvents,
      processes: this.processes.map((process) => process.save()),
      given: [...this.chains.values()].map(({ given }) => copyBanks(given)),
      observed: this.observed.save(),
      frozen: this.frozen.save(),
      received: this.received.save(),
    };
    return snapshot;
  }

  override restore(snapshot: Snapshot): void {
    const saved = snapshot as FaultySnapshot;
    this.unit.restore(saved.inner);
    this.now = saved.time;
    this.innerNow = saved.innerNow;
    this.hasLag = saved.hasLag;
    this.isLate = saved.isLate;
    this.usesEvents = saved.usesEvents;
    this.processes.forEach((process, p) => {
      process.restore(saved.processes[p]);
    });
    [...this.chains.values()].forEach((chain, c) => {
      chain.take(saved.given[c], 0);
    });
    this.observed.restore(saved.observed);
    this.frozen.restore(saved.frozen);
    this.received.restore(saved.received);
  }

  override release(snapshot: Snapshot): void {
    this.unit.release((snapshot as FaultySnapshot).inner);
  }

  override serialize(snapshot: Snapshot): Uint8Array {
    return writeSnapshot(snapshot as FaultySnapshot, this.unit, this.processes);
  }

  override deserialize(bytes: Uint8Array): Snapshot {
    const chains = this.chains.size;
    const counts = { observed: this.observed.count, received: this.received.size };
    return readSnapshot(bytes, this.unit, this.processes, chains, counts);
  }
}

const NO_PORTS: ReadonlySet<number> = new Set();
const NOTHING: Banks = makeBanks({});

/** `until`, at the latest at `time`. */
function bounded(until: Predicate, time: number): Predicate {
  const bound: Predicate = { kind: "time", time };
  const conditions = conditionsOf(until);
  return conditions.length === 0 ? bound : { kind: "or", any: [bound, ...conditions] };
}
