/**
 * A unit without event mode, seen as one with it: the reverse of event-steps.ts. So masters with
 * common steps deliver events of state machines at their instants, as those of clocks.
 *
 * A step ends where the unit emits an event, gives an output a new value or is about to read an
 * input. In event mode every discrete update lets the unit do what is due at this instant
 * (`zeroStep`), up to its next event, so each event has an index of superdense time of its own.
 * Events are there to be read in event mode only, and those that arrive together are taken one
 * after the other.
 *
 * Inputs that vary within steps are looked at where steps end (`switching`): what they enable
 * happens there, in event mode.
 */
import { type Port, portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { metDescription } from "../plan/met-events.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import { conditionsOf, type Predicate, type Stop, timeBound } from "../unit/predicate.ts";
import {
  type Access,
  CapabilityError,
  type DiscreteUpdate,
  type InitializationOptions,
  type Phase,
  PhaseError,
  type PortSlot,
  type Snapshot,
  type Switching,
  type Unit,
} from "../unit/unit.ts";

/** @param unit with `zeroStep`, unless it has event mode. */
export function withEventMode(unit: Unit): Unit {
  return unit.description.capabilities.eventMode ? unit : new MetUnit(unit);
}

interface Saved extends Snapshot {
  readonly inner: Snapshot;
  readonly isInEvent: boolean;
  readonly isBusy: boolean;
  readonly arrived: readonly number[];
}

interface Parts {
  /** What goes to inputs that vary. */
  readonly given: readonly { readonly from: number; readonly to: number; readonly size: number }[];
  /** Inputs of events. */
  readonly ticking: readonly PortSlot[];
  readonly rest: Access | undefined;
}

class MetUnit extends DelegatingUnit {
  private readonly conditions: readonly Predicate[];
  private readonly bound: { kind: "time"; time: number } = { kind: "time", time: 0 };
  private readonly until: Predicate;
  /** As `until`, and changes that are seen from inside alone. */
  private readonly anything: Predicate;
  /** Slots of events, which are 0 outside of event mode. */
  private readonly events = new WeakMap<Access, readonly number[]>();
  /** Inputs that vary, and what they were given last, which the unit gets at events only. */
  private readonly varying: Access;
  private readonly given: Banks;
  /** Where each of them lies in `given`, by port. */
  private readonly places: ReadonlyMap<number, number>;
  private isStale = true;
  private readonly parts = new WeakMap<Access, Parts>();
  private readonly look: Switching | undefined;
  /** What is enabled at the present time is known to the caller. */
  private isNoticed = false;
  private isInEvent = false;
  /** The last update ended at an event, and there may be more to do without any input. */
  private isBusy = false;
  /** Inputs whose events wait for their turn. */
  private arrived: number[] = [];
  private readonly tick = makeBanks({ f64: 1 });
  private readonly ticks: ReadonlyMap<number, Access>;
  private time = 0;

  constructor(unit: Unit) {
    super(unit, metDescription(unit.description));
    const { ports, capabilities } = unit.description;
    this.conditions = ports.flatMap((port): Predicate[] => {
      const kind = conditionOf(port);
      return kind !== undefined && capabilities.predicates.includes(kind)
        ? [{ kind, port: port.index }]
        : [];
    });
    this.until = { kind: "or", any: [this.bound, ...this.conditions] };
    let size = 0;
    const varying = ports.filter(isVarying).map((port): PortSlot => {
      size += portSize(port);
      return { port: port.index, slot: size - portSize(port) };
    });
    this.varying = unit.bind(varying);
    this.given = makeBanks({ f64: size });
    this.places = new Map(varying.map(({ port, slot }) => [port, slot]));
    const locals = ports
      .filter(
        ({ direction }) => direction === "local" && capabilities.predicates.includes("updated"),
      )
      .map(({ index: port }): Predicate => ({ kind: "updated", port }));
    this.anything = { kind: "or", any: [this.bound, ...this.conditions, ...locals] };
    this.tick.f64[0] = 1;
    this.ticks = new Map(
      ports
        .filter(({ direction, nature }) => direction === "input" && nature === "transient")
        .map(({ index: port }) => [port, unit.bind([{ port, slot: 0 }])]),
    );
    if (size > 0)
      this.look = {
        nextTime: Number.POSITIVE_INFINITY,
        looksAtInputs: true,
        isDue: () => !this.isNoticed && this.isEnabled(),
        switch: () => {
          this.isNoticed = true;
        },
      };
  }

  override get switching(): Switching | undefined {
    return this.look;
  }

  /** Whether the unit would do something with the inputs that it has at its present time. */
  private isEnabled(): boolean {
    if (this.phase !== "step") return false;
    const before = this.unit.save();
    this.unit.write(this.varying, this.own());
    this.bound.time = this.time;
    const { reason } = this.unit.advance(this.time, this.anything);
    this.unit.restore(before);
    this.unit.release(before);
    return reason !== "time" && reason !== "ready-to-read";
  }

  override get phase(): Phase {
    const { phase } = this.unit;
    return this.isInEvent && phase === "step" ? "event" : phase;
  }

  override enterInitialization(options: InitializationOptions): void {
    this.unit.enterInitialization(options);
    this.time = options.start;
  }

  override exitInitialization(): void {
    this.unit.exitInitialization();
    this.isInEvent = true;
  }

  override advance(from: number, until: Predicate): Stop {
    if (this.phase === "event") throw new PhaseError(this.name, "advance", "event", ["step"]);
    const [condition] = conditionsOf(until);
    if (condition !== undefined)
      throw new CapabilityError(this.name, `the predicate '${condition.kind}'`);
    this.bound.time = timeBound(until);
    if (!(this.bound.time > from))
      throw new RangeError(
        `'${this.name}' cannot advance from t=${from} to t=${this.bound.time}, which is not later`,
      );
    const stop = this.unit.advance(from, this.until);
    this.time = stop.time;
    this.isNoticed = false;
    if (stop.reason === "updated" || stop.reason === "ready-to-read") stop.reason = "event";
    return stop;
  }

  override enterEventMode(): void {
    if (this.phase !== "step")
      throw new PhaseError(this.name, "enterEventMode", this.phase, ["step"]);
    this.isInEvent = true;
  }

  override updateDiscreteStates(): DiscreteUpdate {
    this.needEvent("updateDiscreteStates");
    this.bound.time = this.time;
    const next = this.isBusy ? undefined : this.arrived.shift();
    if (next !== undefined) this.unit.write(this.ticks.get(next)!, this.tick);
    let { reason } = this.unit.advance(this.time, this.until);
    // The inputs are those of this instant already. Reading is announced once per instant.
    while (reason === "ready-to-read") reason = this.unit.advance(this.time, this.until).reason;
    this.isBusy = reason === "event" || reason === "updated";
    return {
      again: this.isBusy || this.arrived.length > 0,
      terminate: reason === "terminated",
      nominalsChanged: false,
      statesChanged: false,
      nextEventTime: this.unit.nextAction?.(),
    };
  }

  override enterStepMode(): void {
    this.needEvent("enterStepMode");
    this.isInEvent = false;
    this.isBusy = false;
    this.isStale = true;
  }

  private needEvent(call: string): void {
    if (this.phase !== "event") throw new PhaseError(this.name, call, this.phase, ["event"]);
  }

  override terminate(): void {
    this.unit.terminate();
    this.isInEvent = false;
  }

  override reset(): void {
    this.unit.reset();
    this.isInEvent = false;
    this.isBusy = false;
    this.isStale = true;
    this.isNoticed = false;
    this.arrived = [];
  }

  override bind(slots: readonly PortSlot[]): Access {
    const access = this.unit.bind(slots);
    const { ports } = this.description;
    const events = slots.filter(({ port }) => isEvent(ports[port])).map(({ slot }) => slot);
    if (events.length > 0) this.events.set(access, events);
    const others = slots.filter(({ port }) => !this.places.has(port) && !this.ticks.has(port));
    if (others.length < slots.length) {
      const given = slots.flatMap(({ port, slot: from }) => {
        const to = this.places.get(port);
        return to === undefined ? [] : [{ from, to, size: portSize(ports[port]) }];
      });
      const rest = others.length > 0 ? this.unit.bind(others) : undefined;
      const ticking = slots.filter(({ port }) => this.ticks.has(port));
      this.parts.set(access, { given, ticking, rest });
    }
    return access;
  }

  /** What the inputs that vary were given last. */
  private own(): Banks {
    if (this.isStale) this.unit.read(this.varying, this.given);
    this.isStale = false;
    return this.given;
  }

  override write(access: Access, banks: Banks): void {
    const parts = this.parts.get(access);
    const { phase } = this;
    if (parts === undefined || (phase !== "step" && phase !== "event")) {
      this.unit.write(access, banks);
      return;
    }
    for (const { port, slot } of parts.ticking)
      if (banks.f64[slot] !== 0 && phase === "event") this.arrived.push(port);
    const { f64 } = this.own();
    for (const { from, to, size } of parts.given)
      for (let i = 0; i < size; i++) f64[to + i] = banks.f64[from + i];
    if (phase === "event" && parts.given.length > 0) this.unit.write(this.varying, this.given);
    if (parts.rest !== undefined) this.unit.write(parts.rest, banks);
  }

  override read(access: Access, banks: Banks): void {
    this.unit.read(access, banks);
    if (this.isInEvent) return;
    const events = this.events.get(access);
    if (events === undefined) return;
    for (let k = 0; k < events.length; k++) banks.f64[events[k]] = 0;
  }

  override save(): Snapshot {
    const inner = this.unit.save();
    const { isInEvent, isBusy, arrived } = this;
    const saved: Saved = { time: inner.time, inner, isInEvent, isBusy, arrived: [...arrived] };
    return saved;
  }

  override restore(snapshot: Snapshot): void {
    const { inner, isInEvent, isBusy, arrived, time } = snapshot as Saved;
    this.unit.restore(inner);
    this.isInEvent = isInEvent;
    this.isBusy = isBusy;
    this.arrived = [...arrived];
    this.time = time;
    this.isStale = true;
  }

  override release(snapshot: Snapshot): void {
    this.unit.release((snapshot as Saved).inner);
  }

  override serialize(snapshot: Snapshot): Uint8Array {
    const { inner, isInEvent, isBusy, arrived } = snapshot as Saved;
    const bytes = new ByteWriter();
    bytes.u8(isInEvent ? 1 : 0);
    bytes.u8(isBusy ? 1 : 0);
    bytes.u32(arrived.length);
    for (const port of arrived) bytes.u32(port);
    bytes.bytes(this.unit.serialize(inner));
    return bytes.take();
  }

  override deserialize(given: Uint8Array): Snapshot {
    const bytes = new ByteReader(given);
    const [isInEvent, isBusy] = [bytes.u8() === 1, bytes.u8() === 1];
    const arrived = Array.from({ length: bytes.count(4) }, () => bytes.u32());
    const inner = this.unit.deserialize(bytes.bytes());
    const saved: Saved = { time: inner.time, inner, isInEvent, isBusy, arrived };
    return saved;
  }
}

function isVarying({ direction, type, variability }: Port): boolean {
  return direction === "input" && variability === "continuous" && bankOf(type) === "f64";
}

function isEvent({ direction, nature }: Port): boolean {
  return direction === "output" && nature === "transient";
}

/** What of a port ends a step. */
function conditionOf(port: Port): "event" | "updated" | "ready-to-read" | undefined {
  const { direction, nature } = port;
  if (direction === "output") return isEvent(port) ? "event" : "updated";
  return direction === "input" && nature !== "transient" ? "ready-to-read" : undefined;
}
