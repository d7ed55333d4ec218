/**
 * One event, handled by all units that have event mode, at one instant and in as many rounds as it
 * takes (superdense time).
 *
 * A round: clocks that are due tick; values are exchanged in the order in which they depend on each
 * other, until nothing new arrives anywhere; then units update their discrete states. Clocks of
 * other units tick in the same round in which their source does; what belongs to a clock is given
 * only while it ticks. Clocks that activate partitions tick one round after the other, in order of
 * priority (waiting-partitions.ts). Rounds follow each other until no unit wants another one and no
 * value changes, or until there have been so many that the cascade must be called endless.
 */
import { UnitError } from "../../base/outcome.ts";
import { portSize } from "../../model/unit-description.ts";
import type { Banks, ObjectValue } from "../../model/value-type.ts";
import { separateCycles } from "../../numerics/shortest-cycle.ts";
import type { InstantWrite } from "../../plan/coupling-plan.ts";
import { isCoupled } from "../../plan/master-needs.ts";
import type { Access } from "../../unit/unit.ts";
import type { Coupling } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";
import { ScheduledClocks } from "./unit-clocks.ts";
import { WaitingPartitions } from "./waiting-partitions.ts";

/** After so many rounds at one instant an exception is taken to be about the cascade. */
const MANY_ROUNDS = 100;

interface EventInput extends InstantWrite {
  readonly name: string;
  readonly access: Access;
  readonly isClock: boolean;
  /** A clock that activates a partition, which waits for its turn. */
  readonly isPartition: boolean;
  /** Steps write it too, so what it was given last is not known here. */
  readonly isContinuous: boolean;
  /** Itself, and the input clocks of its unit that it belongs to, as in `EventMode.ticking`. */
  readonly key: string;
  readonly clocks: readonly string[] | undefined;
  readonly last: (number | bigint | ObjectValue | undefined)[];
  /** The round in which it was last given. */
  round: number;
}

export class EventMode extends MasterPart {
  private readonly units: readonly number[] = [...this.coupling.units.keys()].filter(
    (u) => this.coupling.plan.stages[u].eventMode,
  );
  private readonly clocks = new ScheduledClocks(this.coupling);
  private readonly parts = this.coupling.plan.instant.map(({ ops, writes }) => ({
    ops,
    inputs: writes.map((write) => eventInput(this.coupling, write)),
  }));
  /** By unit: its next time event. */
  private readonly nextEvents = new Float64Array(this.coupling.plan.stages.length).fill(
    Number.POSITIVE_INFINITY,
  );
  /** Clocks that tick in this round, as `unit clock`. */
  private readonly ticking = new Set<string>();
  private readonly partitions = new WaitingPartitions(this.coupling);
  /** Units that are to be updated in this round. */
  private readonly touched = new Set<number>();
  private changed: string[] = [];
  /** What changed in late rounds of the present event: the cascade. */
  private readonly cascade = new Set<string>();
  /** Counts rounds over all events. */
  private round = 0;

  get isUsed(): boolean {
    return this.units.length > 0;
  }

  uses(unit: number): boolean {
    return this.coupling.plan.stages[unit].eventMode;
  }

  /** The next time event or tick of a clock. */
  get nextTime(): number {
    let next = this.clocks.nextTime;
    for (let u = 0; u < this.nextEvents.length; u++) next = Math.min(next, this.nextEvents[u]);
    return next;
  }

  /** The unit that it belongs to. */
  get nextUnit(): number {
    const next = this.nextTime;
    const found = this.nextEvents.indexOf(next);
    return found >= 0 ? found : this.clocks.unitAt(next);
  }

  /**
   * After initialization, which leaves the units in event mode. @returns the unit that asks to end
   * the run; -1: none.
   */
  begin(): number {
    this.clocks.begin();
    return this.settle();
  }

  /**
   * From step mode through an event and back. @returns the unit that asks to end the run; -1: none.
   */
  handle(): number {
    for (const u of this.units) this.coupling.units[u].enterEventMode();
    return this.settle();
  }

  private settle(): number {
    const terminating = this.iterate();
    if (terminating >= 0) return terminating;
    this.clocks.askAgain();
    for (const u of this.units) this.coupling.units[u].enterStepMode();
    this.coupling.resolve();
    return -1;
  }

  private iterate(): number {
    const { maxEventRounds } = this.coupling.plan.settings;
    for (const u of this.units) this.touched.add(u);
    this.cascade.clear();
    this.clocks.tick(
      (unit, clock) => this.ticking.add(`${unit} ${clock}`),
      (unit, clock) => this.partitions.add(unit, clock),
    );
    for (let rounds = 0; ; rounds++) {
      this.round++;
      this.partitions.activate((unit, clock) => {
        this.ticking.add(`${unit} ${clock}`);
        this.touched.add(unit);
      });
      this.exchange(rounds === 0);
      if (this.touched.size === 0 && this.partitions.isWaiting) continue;
      if (rounds >= MANY_ROUNDS / 2) for (const name of this.changed) this.cascade.add(name);
      this.coupling.onIndex?.(rounds);
      if (this.touched.size === 0) return -1;
      if (rounds === maxEventRounds) throw this.endless(rounds);
      const terminating = this.updateIn(rounds);
      if (terminating >= 0) return terminating;
    }
  }

  /** A unit that gives up after many rounds does not see which others it is in a cycle with. */
  private updateIn(rounds: number): number {
    try {
      return this.update();
    } catch (error) {
      const cycle = rounds < MANY_ROUNDS ? "" : this.cycle();
      if (!(error instanceof UnitError) || cycle === "") throw error;
      const { failure } = error;
      const status = `${failure.status}; between units they go round ${cycle}`;
      throw new UnitError({ ...failure, status, problem: status });
    }
  }

  /** Passes values on until nothing new arrives. */
  private exchange(isFirst: boolean): void {
    const { interpreter, plan } = this.coupling;
    this.changed = [];
    for (let pass = 0; ; pass++) {
      let hasChanged = false;
      for (const { ops, inputs } of this.parts) {
        interpreter.run(ops, 0);
        for (let i = 0; i < inputs.length; i++)
          if (this.give(inputs[i], isFirst && pass === 0)) hasChanged = true;
      }
      if (!hasChanged) return;
      if (pass === plan.settings.maxEventRounds) throw this.endless(pass);
    }
  }

  /** @returns whether the unit got something new. */
  private give(input: EventInput, isFirst: boolean): boolean {
    const { state, units } = this.coupling;
    const { unit, clocks, isContinuous } = input;
    if (!this.isOpen(input)) return false;
    if (input.isPartition) {
      this.partitions.add(unit, input.port);
      return false;
    }
    const isNew = input.isClock || takeNew(input, state.banks);
    const isDue = isContinuous ? isFirst : clocks !== undefined && input.round !== this.round;
    if (!isNew && !isDue) return false;
    input.round = this.round;
    units[unit].write(input.access, state.banks);
    if (!isNew) return false;
    this.touched.add(unit);
    this.changed.push(input.name);
    return true;
  }

  /** A clock is given when it begins to tick; what belongs to clocks, while one of them does. */
  private isOpen({ key, slot, isClock, isPartition, clocks }: EventInput): boolean {
    if (!isClock) return clocks === undefined || clocks.some((clock) => this.ticking.has(clock));
    if (this.coupling.state.banks.f64[slot] === 0 || this.ticking.has(key)) return false;
    if (!isPartition) this.ticking.add(key);
    return true;
  }

  private update(): number {
    const { units } = this.coupling;
    const updated = [...this.touched].sort((a, b) => a - b);
    this.touched.clear();
    let terminating = -1;
    for (const u of updated) {
      const { again, terminate, nextEventTime } = units[u].updateDiscreteStates();
      this.nextEvents[u] = nextEventTime ?? Number.POSITIVE_INFINITY;
      if (terminate && terminating < 0) terminating = u;
      if (again) this.touched.add(u);
    }
    this.ticking.clear();
    return terminating;
  }

  private endless(rounds: number): UnitError {
    const names = [...this.touched].map((u) => this.coupling.unitName(u));
    const changing = [...new Set(this.changed)];
    for (const name of changing) this.cascade.add(name);
    const cycle = this.cycle();
    const round = cycle === "" ? "" : `, values go round ${cycle}`;
    const what =
      changing.length > 0
        ? `${changing.join(", ")} still change${round}`
        : "it still wants another round";
    return new UnitError({
      unit: names.join("', '"),
      call: "updateDiscreteStates",
      status: `${what} after ${rounds} rounds at one instant: an endless cascade; break the loop, or let a step pass between its events (maxEventRounds allows more rounds)`,
      time: this.coupling.time,
      log: [],
    });
  }

  /** Units that the values which still change go round; empty: they do not. */
  private cycle(): string {
    const inputs = this.parts.flatMap((part) => part.inputs);
    const edges = this.coupling.units.map((_, u) =>
      inputs
        .filter(({ source, name }) => source === u && this.cascade.has(name))
        .map(({ unit }) => unit),
    );
    const cycle = separateCycles(edges)[0];
    if (cycle === undefined) return "";
    return [...cycle, cycle[0]].map((u) => `'${this.coupling.unitName(u)}'`).join(" → ");
  }

  /** For checkpoints: next events, then how far clocks are. */
  save(): Float64Array[] {
    return [this.nextEvents.slice(), ...this.clocks.save()];
  }

  /** The units are in step mode. */
  restore(saved: readonly Float64Array[]): void {
    this.nextEvents.set(saved[0]);
    this.clocks.restore(saved.slice(1));
  }
}

function eventInput(coupling: Coupling, write: InstantWrite): EventInput {
  const { unit, port, slot } = write;
  const described = coupling.units[unit].description.ports;
  const { name, type, nature, clocks } = described[port];
  // One that belongs to an output clock is for the unit itself to judge.
  const driven = clocks?.every((clock) => described[clock].direction === "input");
  const keyOf = (of: number): string => `${unit} ${of}`;
  return {
    ...write,
    name: `${coupling.unitName(unit)}.${name}`,
    access: coupling.units[unit].bind([{ port, slot }]),
    // The event of a unit that has no clocks ticks as well, where the input is one for events.
    isClock: type === "clock" || nature === "transient",
    isPartition: described[port].clock?.priority !== undefined,
    isContinuous: isCoupled(described[port]),
    key: keyOf(port),
    clocks: driven ? clocks?.map(keyOf) : undefined,
    last: new Array<undefined>(portSize(described[port])).fill(undefined),
    round: 0,
  };
}

/** Whether the signal is another than the input was given last; it counts as given. */
function takeNew({ bank, slot, last }: EventInput, banks: Banks): boolean {
  let isNew = false;
  for (let i = 0; i < last.length; i++) {
    const value = banks[bank][slot + i];
    if (Object.is(last[i], value)) continue;
    last[i] = value;
    isNew = true;
  }
  return isNew;
}
