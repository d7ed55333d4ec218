/**
 * A part that never goes too far (Chandy & Misra 1979, Bryant 1977): it makes a transition when
 * every part that sends to it has promised to be past that instant, and promises in turn. Promises
 * that carry nothing else are the null messages of the literature.
 *
 * In superdense time an output phase needs less than a transition: what a part sends at an instant
 * follows from what was before it. So parts that are due at the same instant send to each other,
 * and then all of them go on. A promise looks ahead by what is known of delays (split.ts): an
 * answer comes after the shortest way through the part, and one index later at least. Around every
 * cycle of parts some delay is positive, so promises get on and nobody waits for ever.
 */
import { devsFailure } from "../devs/devs-failure.ts";
import type { KernelState } from "../devs/kernel.ts";
import { toSeconds } from "../devs/ticks.ts";
import { Arrivals } from "./arrivals.ts";
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
import type { Split } from "./split.ts";
import { answerTo, earlier, isBefore, isSame, NEVER, type Stamp } from "./stamp.ts";

/** Everything that a part knows between two calls. Data. */
export interface ConservativeState {
  readonly kernel: KernelState;
  readonly arrivals: readonly Letter[];
  readonly clocks: readonly (readonly [number, Stamp])[];
  readonly promised: readonly (readonly [number, Stamp])[];
}

export class ConservativePart implements Runner {
  readonly number: number;
  readonly statistics: PartStatistics = noStatistics();
  failure: PartFailure | undefined;
  private readonly part: Part;
  private readonly split: Split;
  /** Ticks; what happens then is part of the run. */
  private stop: number;
  /** The instant under way, for failures. */
  private current: Stamp;
  /** The start: nothing comes earlier. */
  private readonly beginning: Stamp;
  private readonly arrivals = new Arrivals();
  /** By part that sends to this one: nothing earlier will come from it. */
  private readonly clocks: Map<number, Stamp>;
  /** By part that this one sends to: what it was promised. */
  private readonly promised: Map<number, Stamp>;
  private readonly outbox = new Outbox();
  private sendings: Sending[] = [];

  /** @param inputs values for the model itself that reach this part. */
  constructor(split: Split, part: Part, stop: number, inputs: readonly Letter[] = []) {
    const { sources, targets } = split.parts[part.number];
    this.number = part.number;
    this.part = part;
    this.split = split;
    this.stop = stop;
    this.beginning = { time: part.now.time, index: 0 };
    this.current = this.beginning;
    this.clocks = new Map(sources.map((from) => [from, this.beginning]));
    this.promised = new Map(targets.map((to) => [to, this.beginning]));
    for (const letter of inputs) this.arrivals.add(letter);
  }

  get transitions(): number {
    return this.part.kernel.transitions;
  }

  get states(): ReadonlyMap<string, unknown> {
    return this.part.states;
  }

  get isFinished(): boolean {
    return (
      !this.part.isCollected &&
      this.horizon.time > this.stop &&
      this.upcoming.time > this.stop &&
      [...this.promised.values()].every(({ time }) => time === Number.POSITIVE_INFINITY)
    );
  }

  /** Whom it waits for, and up to when they have promised. */
  get waitsFor(): readonly (readonly [number, Stamp])[] {
    const { horizon } = this;
    return [...this.clocks].filter(([, clock]) => isSame(clock, horizon));
  }

  receive(from: number, messages: readonly PartMessage[]): void {
    for (const message of messages) {
      if (message.kind === "letter") {
        const { letter } = message;
        this.advanceClock(from, letter);
        this.arrivals.add(letter);
      } else if (message.kind === "promise") this.advanceClock(from, message.stamp);
    }
  }

  proceed(limit: number): boolean {
    let steps = 0;
    if (this.failure === undefined) {
      try {
        while (steps < limit && this.step()) steps++;
      } catch (error) {
        this.fail(error);
      }
      if (this.failure === undefined) this.promise();
    }
    this.statistics.steps += steps;
    return steps === limit;
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

  /** What is to be sent and what is final must have been taken. */
  save(): ConservativeState {
    return {
      kernel: this.part.save(),
      arrivals: [...this.arrivals.all],
      clocks: [...this.clocks],
      promised: [...this.promised],
    };
  }

  /** On a part of the same split that has done nothing yet. */
  restore({ kernel, arrivals, clocks, promised }: ConservativeState): void {
    this.part.restore(kernel);
    this.arrivals.takeAll();
    for (const letter of arrivals) this.arrivals.add(letter);
    for (const [from, stamp] of clocks) this.clocks.set(from, stamp);
    for (const [to, stamp] of promised) this.promised.set(to, stamp);
  }

  /** Nothing earlier will arrive. */
  private get horizon(): Stamp {
    let horizon = NEVER;
    for (const clock of this.clocks.values()) horizon = earlier(horizon, clock);
    return horizon;
  }

  private get upcoming(): Stamp {
    return earlier(this.part.next, this.arrivals.first);
  }

  /** One instant, or the first half of it. @returns whether it is over. */
  private step(): boolean {
    const { part, horizon } = this;
    const stamp = part.isCollected ? part.now : this.upcoming;
    if (stamp.time > this.stop || isBefore(horizon, stamp)) return false;
    this.current = stamp;
    if (!part.isCollected && isSame(part.next, stamp)) this.send();
    if (!isBefore(stamp, horizon)) return false;
    part.transition(stamp, this.arrivals.takeAt(stamp));
    return true;
  }

  private send(): void {
    const { letters, sendings } = this.part.collect();
    for (const { to, letter } of letters) {
      const promised = this.promised.get(to) ?? this.beginning;
      if (isBefore(letter, promised)) throw this.broken(letter, promised);
      this.statistics.letters++;
      this.promised.set(to, { time: letter.time, index: letter.index });
      this.outbox.put(to, { kind: "letter", letter });
    }
    if (sendings.length > 0) this.sendings.push(...sendings);
  }

  /** Tells the others how far this part is, where that is further than they know. */
  private promise(): void {
    const { part, horizon } = this;
    const { delays, answers, reach } = this.split.parts[this.number];
    for (const [to, promised] of this.promised) {
      let own = NEVER;
      for (const { delay, units } of reach.get(to) ?? [])
        own = earlier(own, later(part.nextOf(units), delay));
      const outside = earlier(
        answerTo(horizon, delays.get(to) ?? 0),
        answerTo(this.arrivals.first, answers.get(to) ?? 0),
      );
      const bound = earlier(own, outside);
      const stamp = bound.time > this.stop ? NEVER : bound;
      if (!isBefore(promised, stamp)) continue;
      this.promised.set(to, stamp);
      this.statistics.promises++;
      this.outbox.put(to, { kind: "promise", stamp });
    }
  }

  /** Nobody is to wait for it; what others do after this instant does not count. */
  private fail(error: unknown): void {
    this.failure = { stamp: this.current, error };
    for (const to of this.promised.keys()) {
      this.promised.set(to, NEVER);
      this.outbox.put(to, { kind: "promise", stamp: NEVER });
    }
  }

  private advanceClock(from: number, { time, index }: Stamp): void {
    const known = this.clocks.get(from) ?? this.beginning;
    if (isBefore(known, { time, index })) this.clocks.set(from, { time, index });
  }

  private broken({ route, time }: Letter, promised: Stamp): unknown {
    const { whole, senderOf } = this.split;
    const { ticksPerSecond } = this.part.kernel;
    const bound = toSeconds(promised.time, ticksPerSecond);
    return devsFailure({
      unit: whole.units[senderOf[route]].path,
      call: "output",
      time: toSeconds(time, ticksPerSecond),
      problem: `it sends earlier than the declared minimum delays allow: nothing before t=${bound}`,
      fix: "correct 'minimumDelay' of this component and of those that its values come from, or run sequentially (--parallel off)",
    });
  }
}

/** @param delay ticks. */
function later(stamp: Stamp, delay: number): Stamp {
  return delay > 0 ? { time: stamp.time + delay, index: 0 } : stamp;
}
