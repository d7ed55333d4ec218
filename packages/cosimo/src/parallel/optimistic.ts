/**
 * A part that goes on without waiting, and goes back when it was wrong (Time Warp, Jefferson 1985).
 * Steps are kept until they are final: what arrived, what was sent, and at every few of them the
 * state before. A value for an instant that is over undoes it and all after it: the state comes
 * from the nearest one that was kept, by repeating the steps since; what was sent after that
 * instant is called back by anti-messages. What was sent at the very instant stands, because an
 * output phase does not depend on what arrives with it.
 *
 * Memory is bounded: with too many steps that are not final a part waits for the commit time
 * (gvt.ts). What fails may have failed because of a wrong guess: a failure counts when its instant
 * is final.
 */
import type { KernelState } from "../devs/kernel.ts";
import { Arrivals } from "./arrivals.ts";
import { GvtMember } from "./gvt.ts";
import type { Letter, Part, Sending } from "./part.ts";
import {
  noStatistics,
  Outbox,
  type Packet,
  type PartFailure,
  type PartMessage,
  type PartStatistics,
  type Runner,
} from "./protocol.ts";
import { after, earlier, isBefore, isSame, NEVER, type Stamp } from "./stamp.ts";

export interface OptimisticOptions {
  /** Ticks; what happens then is part of the run. */
  readonly stop: number;
  /** Of all parts. The one that computes the commit time has the next number. */
  readonly count: number;
  /** Values for the model itself that reach this part. */
  readonly inputs?: readonly Letter[];
  /** Steps between two states that are kept. */
  readonly interval?: number;
  /** Steps that are not final, at most. */
  readonly most?: number;
}

const DEFAULT_INTERVAL = 8;
const DEFAULT_MOST = 1024;

/** A value that came from `from`, where it is number `id`. */
interface Guess extends Letter {
  readonly from: number;
  readonly id: number;
}

interface Sent {
  readonly to: number;
  readonly id: number;
  readonly letter: Letter;
}

interface Step {
  readonly stamp: Stamp;
  readonly arrived: readonly Guess[];
  readonly sent: readonly Sent[];
  readonly sendings: readonly Sending[];
  readonly transitions: number;
  /** The state before it, where it was kept. */
  readonly saved: KernelState | undefined;
  readonly failure: PartFailure | undefined;
}

export class OptimisticPart implements Runner {
  readonly number: number;
  readonly statistics: PartStatistics = noStatistics();
  failure: PartFailure | undefined;
  transitions = 0;
  /** Nothing before it can be undone. */
  commit: Stamp = { time: Number.NEGATIVE_INFINITY, index: 0 };
  private readonly part: Part;
  private stop: number;
  private readonly controller: number;
  private readonly interval: number;
  private readonly most: number;
  private readonly gvt: GvtMember;
  private readonly arrivals = new Arrivals<Guess>();
  /** Anti-messages that came before what they call back. */
  private readonly early = new Set<string>();
  private steps: Step[] = [];
  /** How many of the first steps are final, and stay because states are computed from them. */
  private final = 0;
  private sinceSaved = 0;
  /** What was sent at an instant that was undone, and stands if that instant comes again. */
  private standing: { readonly stamp: Stamp; readonly sent: readonly Sent[] } | undefined;
  private nextId = 0;
  /** Something has happened since a round was wanted. */
  private isActive = true;
  private stepsSinceWant = 0;
  private readonly outbox = new Outbox();
  private sendings: Sending[] = [];

  constructor(part: Part, options: OptimisticOptions) {
    const { stop, count, inputs = [], interval = DEFAULT_INTERVAL, most = DEFAULT_MOST } = options;
    this.number = part.number;
    this.part = part;
    this.stop = stop;
    this.controller = count;
    this.interval = interval;
    this.most = most;
    this.gvt = new GvtMember(count);
    for (const letter of inputs) this.arrivals.add({ ...letter, from: -1, id: -1 });
  }

  get states(): ReadonlyMap<string, unknown> {
    return this.part.states;
  }

  get isFinished(): boolean {
    return this.commit.time === Number.POSITIVE_INFINITY;
  }

  receive(from: number, messages: readonly PartMessage[]): void {
    for (const message of messages) this.handle(from, message);
    this.report();
  }

  proceed(limit: number): boolean {
    let steps = 0;
    while (steps < limit && this.mayGoOn()) {
      this.step();
      steps++;
    }
    if (steps > 0) this.isActive = true;
    this.stepsSinceWant += steps;
    const isWaiting = !this.mayGoOn();
    if (this.isActive && (isWaiting || this.stepsSinceWant >= this.most / 2)) this.want();
    return !isWaiting;
  }

  endAt(time: number): void {
    this.stop = Math.min(this.stop, time);
  }

  take(): readonly Packet[] {
    return this.outbox.take();
  }

  takeSendings(): readonly Sending[] {
    const taken = this.sendings;
    this.sendings = [];
    return taken;
  }

  /** The earliest instant that is still to be done. */
  private get upcoming(): Stamp {
    const last = this.steps.at(-1);
    if (last?.failure !== undefined) return after(last.stamp);
    const next = earlier(this.part.next, this.arrivals.first);
    return next.time > this.stop ? NEVER : next;
  }

  private mayGoOn(): boolean {
    if (this.failure !== undefined || this.steps.at(-1)?.failure !== undefined) return false;
    return this.upcoming !== NEVER && this.steps.length - this.final < this.most;
  }

  private want(): void {
    this.isActive = false;
    this.stepsSinceWant = 0;
    this.outbox.put(this.controller, { kind: "want" });
  }

  private handle(from: number, message: PartMessage): void {
    const { gvt } = this;
    switch (message.kind) {
      case "guess":
      case "anti":
        this.isActive = true;
        gvt.noteReceived(message.round);
        if (message.kind === "guess") this.accept({ ...message.letter, from, id: message.id });
        else this.callBack(from, message.id, message.letter);
        break;
      case "cut": {
        const counts = gvt.cut(message.round);
        this.outbox.put(this.controller, { kind: "sent", round: message.round, counts });
        break;
      }
      case "expect":
        if (message.round === gvt.round) gvt.expect(message.count);
        break;
      case "commit":
        this.collectFossils(message.stamp);
        break;
      default:
        break;
    }
  }

  private report(): void {
    const { gvt } = this;
    const stamp = gvt.minimum(this.upcoming);
    if (stamp !== undefined)
      this.outbox.put(this.controller, { kind: "minimum", round: gvt.round, stamp });
  }

  private accept(guess: Guess): void {
    if (this.early.delete(`${guess.from} ${guess.id}`)) return;
    this.goBackTo(guess);
    this.arrivals.add(guess);
  }

  private callBack(from: number, id: number, stamp: Stamp): void {
    const isMeant = (one: Guess): boolean => one.id === id && one.from === from;
    const wasTaken = this.steps.some(
      (step) => isSame(step.stamp, stamp) && step.arrived.some(isMeant),
    );
    if (wasTaken) this.goBackTo(stamp);
    if (!this.arrivals.remove(isMeant)) this.early.add(`${from} ${id}`);
  }

  /** Undoes everything from this instant on. */
  private goBackTo({ time, index }: Stamp): void {
    const stamp = { time, index };
    if (isBefore(stamp, this.commit))
      throw new Error(`internal: part ${this.number} is asked to go back before the commit time`);
    if (this.standing !== undefined && isBefore(stamp, this.standing.stamp)) this.dropStanding();
    const first = this.steps.findIndex((step) => !isBefore(step.stamp, stamp));
    if (first < 0) return;
    const undone = this.steps.splice(first);
    this.statistics.rollbacks++;
    this.statistics.rolledBack += undone.length;
    for (const step of undone) {
      for (const guess of step.arrived) this.arrivals.add(guess);
      if (isSame(step.stamp, stamp)) this.standing = { stamp, sent: step.sent };
      else this.cancel(step.sent);
    }
    const saved = undone[0].saved;
    if (saved === undefined) this.repeat();
    else {
      this.part.restore(saved);
      // The next step keeps its state again.
      this.sinceSaved = this.interval;
    }
  }

  /** To the state after the last step that is left, from the nearest that was kept. */
  private repeat(): void {
    const { part, steps } = this;
    const from = steps.findLastIndex(({ saved }) => saved !== undefined);
    const { saved } = steps[from];
    if (saved === undefined) throw new Error("internal: no state to go back to");
    part.restore(saved);
    for (const { stamp, arrived } of steps.slice(from)) {
      if (isSame(part.next, stamp)) part.collect();
      part.transition(stamp, arrived);
      this.statistics.repeated++;
    }
    this.sinceSaved = steps.length - from;
  }

  private step(): void {
    const { part, statistics } = this;
    const stamp = this.upcoming;
    if (this.standing !== undefined && !isSame(this.standing.stamp, stamp)) this.dropStanding();
    const isKept = this.steps.length === 0 || this.sinceSaved >= this.interval;
    const saved = isKept ? part.save() : undefined;
    this.sinceSaved = isKept ? 1 : this.sinceSaved + 1;
    const arrived = this.arrivals.first.time === stamp.time ? this.arrivals.takeAt(stamp) : [];
    let sent: readonly Sent[] = [];
    let sendings: readonly Sending[] = [];
    let failure: PartFailure | undefined;
    const before = part.kernel.transitions;
    try {
      if (isSame(part.next, stamp)) {
        const departures = part.collect();
        sendings = departures.sendings;
        sent = this.standing?.sent ?? this.send(departures.letters);
      }
      this.standing = undefined;
      part.transition(stamp, arrived);
    } catch (error) {
      failure = { stamp, error };
    }
    const transitions = part.kernel.transitions - before;
    this.steps.push({ stamp, arrived, sent, sendings, transitions, saved, failure });
    statistics.steps++;
    statistics.kept = Math.max(statistics.kept, this.steps.length);
  }

  private send(letters: readonly { readonly to: number; readonly letter: Letter }[]): Sent[] {
    return letters.map(({ to, letter }) => {
      const id = this.nextId++;
      this.statistics.letters++;
      this.gvt.noteSent(to, letter);
      this.outbox.put(to, { kind: "guess", id, round: this.gvt.round, letter });
      return { to, id, letter };
    });
  }

  private cancel(sent: readonly Sent[]): void {
    for (const { to, id, letter } of sent) {
      this.statistics.antis++;
      this.gvt.noteSent(to, letter);
      const { time, index, route, place } = letter;
      const bare = { time, index, route, place, value: undefined };
      this.outbox.put(to, { kind: "anti", id, round: this.gvt.round, letter: bare });
    }
  }

  private dropStanding(): void {
    if (this.standing !== undefined) this.cancel(this.standing.sent);
    this.standing = undefined;
  }

  /**
   * What is before the commit time is final: it is given out, and forgotten but for the steps that
   * a state may be computed from.
   */
  private collectFossils(stamp: Stamp): void {
    this.isActive ||= isBefore(this.commit, stamp);
    this.commit = stamp;
    const { steps } = this;
    for (; this.final < steps.length; this.final++) {
      const step = steps[this.final];
      if (!isBefore(step.stamp, stamp)) break;
      this.sendings.push(...step.sendings);
      this.transitions += step.transitions;
      this.failure ??= step.failure;
    }
    const needed = Math.min(this.final, steps.length - 1);
    const base = steps.findLastIndex(({ saved }, k) => k <= needed && saved !== undefined);
    if (base <= 0) return;
    this.steps = steps.slice(base);
    this.final -= base;
  }
}
