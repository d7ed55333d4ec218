/**
 * What happens at one instant: crossings that are looked for, events of units, clocks. Knows when
 * the next one is due, whether one was passed, and how it is handled.
 *
 * An event is handled where it is found. Units with event mode do so at that very instant
 * (event-mode.ts). The others cannot: they notice what changed when they take their next step, so
 * that step is a short one, the *reaction*, and what they make of it comes within the tolerance of
 * the event, not a communication step later.
 */
import type { EventPattern } from "../../numerics/zeno.ts";
import { EarlyStop } from "../interpreter.ts";
import type { Coupling } from "./coupling.ts";
import { CrossingWatch } from "./crossing-watch.ts";
import { DiscreteChanges, isShort } from "./discrete-changes.ts";
import { DiscreteSignals } from "./discrete-signals.ts";
import { EventMode } from "./event-mode.ts";
import { EventReport } from "./event-report.ts";
import { MasterPart } from "./master-part.ts";
import type { Keeps } from "./master-state.ts";
import { UnitEvents } from "./unit-events.ts";
import { UnitSwitches } from "./unit-switches.ts";

/**
 * The longest reaction, as a part of the communication step, and the shortest, in roundings of the
 * time.
 */
const LONGEST_REACTION = 1e-3;
const SHORTEST_REACTION = 64 * Number.EPSILON;
/** Times that differ by no more roundings are one instant. */
const SAME_INSTANT = 4 * Number.EPSILON;
/** A step that would end so shortly before a known event, in parts of its length, goes there. */
const CLOSE = 1e-9;

export interface EventOutcome {
  /** The past says nothing about what comes. */
  readonly hasJumped: boolean;
  /**
   * A reaction is over: real signals may have jumped in it, and it is too short to show how fast
   * they change.
   */
  readonly hasReacted: boolean;
  /** Units were in event mode, or were switched: signals may have jumped at this instant. */
  readonly usedEventMode: boolean;
  /** The unit that asks to end the run. */
  readonly terminating?: string;
}

export class EventHandling extends MasterPart {
  /** Instants at which something happened. */
  count = 0;
  private readonly crossings = new CrossingWatch(this.coupling);
  readonly report: EventReport = new EventReport(this.coupling, this.crossings);
  private readonly eventMode = new EventMode(this.coupling);
  private readonly unitEvents = new UnitEvents(this.coupling);
  private readonly discrete = new DiscreteSignals(this.coupling);
  private readonly changes = new DiscreteChanges(this.coupling);
  private readonly switches = new UnitSwitches(this.coupling);
  /** Some unit without event mode has inputs; some such unit has discrete outputs as well. */
  private readonly hasReactors: boolean;
  private readonly hasDiscreteReactors: boolean;
  /** Some unit ends steps where it has an event, and says so by a counter alone. */
  private readonly hasSenders: boolean;
  /** What happened at the end of the last step. */
  private pending: "nothing" | "event" | "crossing" = "nothing";
  /** When the last event was that is or was reacted to. */
  private since = Number.NEGATIVE_INFINITY;
  /** How long a reaction to it may take before the signal that crossed is beyond its tolerance. */
  private reactionTime = Number.POSITIVE_INFINITY;
  /** Reactions since the event, while there are any; -1: none is due. */
  private reactions = -1;
  /**
   * A located crossing that is to be passed by a step of its own, and where that begins; NaN: none
   * is.
   */
  private passTo = Number.NaN;
  private passFrom = Number.NaN;

  constructor(coupling: Coupling) {
    super(coupling);
    const reactors = coupling.plan.stages.flatMap(({ eventMode, inputs, writeHeld }, u) =>
      !eventMode && (inputs.length > 0 || writeHeld.length > 0) ? [coupling.units[u]] : [],
    );
    // There are no short steps to react in where all steps have one size.
    const canReact = coupling.canVarySteps;
    this.hasSenders = coupling.units.some(
      ({ description: { capabilities, ports } }) =>
        capabilities.refusesSteps === true &&
        ports.some(({ direction, type }) => direction === "output" && /^u?int/.test(type)),
    );
    this.hasReactors = canReact && reactors.length > 0;
    this.hasDiscreteReactors =
      canReact &&
      reactors.some(({ description }) =>
        description.ports.some(
          ({ direction, variability }) => direction === "output" && variability !== "continuous",
        ),
      );
  }

  /** Before the first step: the units are initialized, those with event mode still in it. */
  begin(): void {
    if (this.eventMode.isUsed) {
      const terminating = this.eventMode.begin();
      if (terminating >= 0) {
        const { time } = this.coupling;
        throw new EarlyStop(this.coupling.unitName(terminating), "terminated", time, time);
      }
    }
    if (this.switches.isDue()) this.switches.handle();
    this.crossings.restart(this.coupling.time);
    this.discrete.take();
    this.changes.take();
  }

  /** Where a step that shall go to `to` has to end. */
  bound(wanted: number): number {
    const to = this.switches.bound(wanted);
    if (this.isReacting) return Math.min(to, this.reactionEnd());
    if (this.isPartOfEvent) return Math.min(to, this.passTo);
    const bounded = this.changes.bound(to, this.shortest);
    const end = this.crossings.count > 0 ? this.crossings.bound(bounded) : bounded;
    const next = this.eventMode.nextTime;
    if (next < end && !this.coupling.canVarySteps) this.refuse(next, end);
    return next - end <= CLOSE * (end - this.coupling.time) ? next : end;
  }

  /** An event between communication points, beside units that take steps of one size only. */
  private refuse(time: number, to: number): void {
    if (to - time <= CLOSE * (to - this.coupling.time)) return;
    throw new EarlyStop(this.coupling.unitName(this.eventMode.nextUnit), "event", time, to);
  }

  private reactionEnd(): number {
    return this.coupling.time + this.lengthOf(this.reactionTime);
  }

  /** How long an event takes that may last so long. */
  private lengthOf(seconds: number): number {
    const { time, state, plan } = this.coupling;
    const { step } = state.plan;
    const wanted = Math.min(seconds, plan.settings.eventTolerance * step);
    const shortest = SHORTEST_REACTION * Math.max(Math.abs(time), step);
    return Math.max(shortest, Math.min(wanted, LONGEST_REACTION * step));
  }

  /** A step no longer than this is an event. */
  private get shortest(): number {
    return this.lengthOf(Number.POSITIVE_INFINITY);
  }

  /** Whether signals may jump in the step that begins, so that it is not judged by its error. */
  get isPartOfEvent(): boolean {
    return this.isReacting || this.coupling.time === this.passFrom;
  }

  /**
   * A step that ends at a located crossing has too large an error, maybe only because a signal
   * jumps there: then it is to end right before, and the crossing is passed by a step of its own.
   * @returns where the step shall end; NaN: no crossing was located in it.
   */
  splitAtCrossing(from: number): number {
    const { time } = this.coupling;
    const before = this.crossings.justBefore(this.shortest);
    this.crossings.beginStep();
    if (Number.isNaN(before) || from === this.passFrom) return Number.NaN;
    this.passTo = time;
    this.passFrom = Math.max(before, from);
    return before > from ? before : time;
  }

  /**
   * The units did not agree on a step to `to`, maybe because a signal jumps where it reaches a
   * level on the way there: then the step is to end right before, and a step of its own passes the
   * level.
   * @returns where to try again; NaN: no level is ahead.
   */
  beforeLevel(to: number): number {
    const { time } = this.coupling;
    const before = this.crossings.beforeLevel(to, this.shortest);
    if (before === time) {
      this.passFrom = time;
      this.passTo = time + 2 * this.shortest;
      return this.passTo;
    }
    return before;
  }

  /**
   * The declared event, if there is one, that a step of that length from the present time would
   * meet.
   */
  declaredWithin(length: number): string | undefined {
    return this.crossings.within(length);
  }

  /** Whether the step that begins is a reaction: it is part of an event, not of the run. */
  get isReacting(): boolean {
    return this.reactions >= 0;
  }

  beginStep(): void {
    if (!this.isReacting) this.crossings.beginStep();
  }

  /**
   * A step reached the coupling's time.
   * @returns where to try again; NaN: it may end here.
   */
  objection(from: number): number {
    if (this.isReacting) return Number.NaN;
    const crossing = this.crossings.count > 0 ? this.crossings.objection() : Number.NaN;
    if (!Number.isNaN(crossing)) return crossing;
    const again = this.changes.objection(from, this.shortest, this.isExact);
    if (!Number.isNaN(again)) this.crossings.beginStep();
    return again;
  }

  /**
   * Whether the step that reached the coupling's time is nothing but an event: signals may have
   * jumped in it.
   */
  isEvent(from: number): boolean {
    if (this.changes.isEvent(from, this.shortest, this.isExact)) return true;
    return isShort(this.coupling.time - from, this.shortest) && this.crossings.meet();
  }

  /** Whether it is known that the unit's event is at the coupling's time, and not before. */
  private readonly isExact = (unit: number): boolean =>
    this.isDue || this.unitEvents.isExact(unit, this.coupling.time);

  /** A time event or a tick is due. */
  private get isDue(): boolean {
    const { time } = this.coupling;
    return this.eventMode.nextTime <= time + SAME_INSTANT * Math.abs(time);
  }

  /**
   * The step was accepted, or none could be taken.
   * @returns whether there is something to handle now.
   */
  accepted(hasMoved: boolean): boolean {
    const { time } = this.coupling;
    if (hasMoved && time !== this.passFrom) this.passFrom = this.passTo = Number.NaN;
    const hasChanged = hasMoved && this.changes.accepted(this.isExact) && !this.isReacting;
    if (hasChanged || this.isDue || this.discrete.hasChanged(this.hears)) this.pending = "event";
    if (hasMoved && this.crossings.count > 0 && !this.isReacting)
      this.crossings.accepted(this.onCrossing);
    if (this.pending === "nothing" && this.switches.isDue()) this.pending = "event";
    const found = this.unitEvents.accepted();
    if (found !== undefined) {
      this.report.onUnitEvent(found.unit, found.pattern);
      if (this.pending === "nothing") this.pending = "event";
    }
    return this.pending !== "nothing" || this.isReacting;
  }

  /** A unit stopped before the step was over; all others shall meet it where it did. */
  onEarlyEnd(): void {
    this.unitEvents.expect();
  }

  /**
   * Whether a discrete input of that unit which changes is an event: of units with event mode, and
   * of all beside a unit that ends steps where it sends something, because it cannot end a step
   * early that ends there anyway.
   */
  private readonly hears = (unit: number): boolean => this.eventMode.uses(unit) || this.hasSenders;

  private readonly onCrossing = (crossing: number, pattern: EventPattern): void => {
    this.pending = "crossing";
    this.report.onCrossing(crossing, pattern);
  };

  /** Handles the event at the coupling's time, or what the units made of it. */
  handle(): EventOutcome {
    const pending = this.pending;
    const wasReacting = this.isReacting;
    this.pending = "nothing";
    if (pending !== "nothing" && !this.isReacting) {
      this.count++;
      this.since = this.coupling.time;
      this.reactionTime = this.crossings.reactionTime;
    }
    let hasSwitched = this.switches.isUsed && this.switches.handle();
    let hasChanged = this.discrete.take();
    const usedEventMode = pending !== "nothing" && this.eventMode.isUsed;
    let terminating = usedEventMode ? this.eventMode.handle() : -1;
    // An event of this instant may be what a fault waits for.
    if (usedEventMode && terminating < 0 && this.switches.isUsed && this.switches.handle()) {
      hasSwitched = true;
      terminating = this.eventMode.handle();
    }
    if (usedEventMode && this.discrete.take()) hasChanged = true;
    if (this.isReacting) this.afterReaction(hasChanged);
    else this.beginReactions(pending);
    if (!this.isReacting && terminating < 0) this.crossings.restart(this.since);
    this.changes.take();
    return {
      hasJumped: pending !== "nothing" || hasChanged,
      hasReacted: wasReacting,
      usedEventMode: usedEventMode || hasSwitched,
      ...(terminating < 0 ? {} : { terminating: this.coupling.unitName(terminating) }),
    };
  }

  private beginReactions(pending: "nothing" | "event" | "crossing"): void {
    const isDue = pending === "crossing" ? this.hasReactors : this.hasDiscreteReactors;
    this.reactions = isDue ? 0 : -1;
  }

  /** Changes cause changes: reactions follow each other until nothing changes any more. */
  private afterReaction(hasChanged: boolean): void {
    this.reactions++;
    if (!hasChanged) {
      this.reactions = -1;
    } else if (this.reactions >= this.coupling.plan.settings.maxEventRounds) {
      this.report.onEndlessReactions(this.discrete.changed, this.reactions);
      this.reactions = -1;
    }
  }

  /** For checkpoints, between two steps. */
  save(): Float64Array[] {
    const groups = this.parts.map((part) => part.save());
    const sizes = groups.map((group) => group.length);
    const own = Float64Array.of(
      this.count,
      this.since,
      this.reactionTime,
      this.reactions,
      this.passFrom,
      this.passTo,
      ...sizes,
    );
    return [own, this.report.save(), ...groups.flat()];
  }

  /** In place of `begin`; units and signals are restored. */
  restore(parts: readonly Float64Array[]): void {
    const [own, report, ...rest] = parts;
    const [count = 0, since = 0, reactionTime = 0, reactions = -1, from = 0, to = 0, ...sizes] =
      own;
    this.count = count;
    this.since = since;
    this.reactionTime = reactionTime;
    this.reactions = reactions;
    this.passFrom = from;
    this.passTo = to;
    this.report.restore(report);
    for (const [g, part] of this.parts.entries()) part.restore(rest.splice(0, sizes[g]));
    this.discrete.take();
  }

  /** Sentences for the summary. */
  notes(): string[] {
    return [...this.report.notes(), ...this.changes.notes()];
  }

  /** Everything that is kept with it. */
  private get parts(): readonly Keeps[] {
    return [this.crossings, this.unitEvents, this.eventMode, this.changes];
  }
}
