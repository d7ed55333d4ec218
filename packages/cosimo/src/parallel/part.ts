/**
 * One part of a model with its kernel: an output phase, whose values leave, and a transition phase,
 * which takes those that arrived. It knows nothing of promises, rollbacks and other parts;
 * `conservative.ts` and `optimistic.ts` decide when it does what.
 */
import { Kernel, type KernelState } from "../devs/kernel.ts";
import type { Split } from "./split.ts";
import { NEVER, type Stamp } from "./stamp.ts";

/** A value on its way along a route of the whole model. */
export interface Letter extends Stamp {
  readonly route: number;
  /** Position among the values that its part sent at that instant. */
  readonly place: number;
  readonly value: unknown;
}

/** Something that a component sent, for the trace of a run. */
export interface Sending extends Stamp {
  /** Of the component, or of the one whose value left the model. */
  readonly rank: number;
  /** Path of the component; "" for the whole model. */
  readonly unit: string;
  readonly port: string;
  readonly value: unknown;
}

export interface PartOptions {
  /** Seconds. */
  readonly start: number;
  readonly ticksPerSecond: number;
  readonly maxTransitions?: number;
  readonly record: "outputs" | "all" | "none";
}

/** What an output phase gives. */
export interface Departures {
  /** For other parts, by part. */
  readonly letters: readonly { readonly to: number; readonly letter: Letter }[];
  readonly sendings: readonly Sending[];
}

export class Part {
  readonly number: number;
  readonly kernel: Kernel;
  private readonly split: Split;
  private readonly entries: ReadonlyMap<number, number>;
  private readonly record: PartOptions["record"];
  /** What the output phase sent to units of this part, sorted in with what arrives. */
  private own: Letter[] = [];
  private sendings: Sending[] = [];

  constructor(split: Split, number: number, options: PartOptions) {
    const { model, entries, units } = split.parts[number];
    const { start, record, ticksPerSecond, maxTransitions } = options;
    this.number = number;
    this.split = split;
    this.entries = entries;
    this.record = record;
    this.kernel = new Kernel(model, {
      ticksPerSecond,
      ...(maxTransitions !== undefined && { maxTransitions }),
      ...(record === "all" && {
        onSend: (unit, port, value) => {
          const { path, outputs } = model.units[unit];
          this.note(split.whole.rank[units[unit]], path, outputs[port], value);
        },
      }),
    });
    this.kernel.initialize(start);
  }

  /** By path. */
  get states(): ReadonlyMap<string, unknown> {
    const { model, states } = this.kernel;
    return new Map(model.units.map(({ path }, i) => [path, states[i]]));
  }

  get isCollected(): boolean {
    return this.kernel.isCollected;
  }

  /** The instant of the output or transition phase that is done last. */
  get now(): Stamp {
    return { time: this.kernel.time, index: this.kernel.index };
  }

  /** The next event inside. */
  get next(): Stamp {
    const { nextTime: time, time: now, index } = this.kernel;
    if (time === Number.POSITIVE_INFINITY) return NEVER;
    return { time, index: time > now ? 0 : index + 1 };
  }

  /** The earliest event of some units; of all, `next` is the same. */
  nextOf(units: readonly number[]): Stamp {
    const { kernel } = this;
    const { time: now, index } = kernel;
    let time = Number.POSITIVE_INFINITY;
    for (let i = 0; i < units.length; i++) time = Math.min(time, kernel.dueOf(units[i]));
    if (time === Number.POSITIVE_INFINITY) return NEVER;
    // What is due now and has sent what it sends goes on at the next index.
    return { time, index: time > now ? 0 : index + 1 };
  }

  /** The output phase of `next`. */
  collect(): Departures {
    this.sendings = [];
    this.kernel.collect();
    const letters = this.sort(true);
    return { letters, sendings: this.sendings };
  }

  /** The transition phase at `stamp`, with what arrived for it. */
  transition(stamp: Stamp, letters: readonly Letter[]): void {
    const { kernel } = this;
    if (!kernel.isCollected) kernel.approach(stamp.time, stamp.index);
    const arriving = this.own.length > 0 ? [...this.own, ...letters] : [...letters];
    this.own = [];
    arriving.sort((a, b) => this.rankOf(a) - this.rankOf(b) || a.place - b.place);
    for (const { route, value } of arriving) kernel.inject(this.entries.get(route) ?? 0, value);
    kernel.transition(stamp.time);
  }

  save(): KernelState {
    return this.kernel.save();
  }

  /** Where the output phase was done it is done again, and sends nothing. */
  restore(saved: KernelState): void {
    this.own = [];
    this.kernel.restore(saved);
    if (saved.isCollected) this.sort(false);
  }

  /** What is in the outbox: for this part, for others, for the world. */
  private sort(isNew: boolean): { to: number; letter: Letter }[] {
    const { split, kernel, number } = this;
    const { whole, partOf, senderOf } = split;
    const { outbox, time, index } = kernel;
    const leaving: { to: number; letter: Letter }[] = [];
    this.own = [];
    for (let m = 0; m < outbox.count; m++) {
      const route = outbox.ports[m];
      const value = outbox.values[m];
      const target = whole.routes.target[route];
      if (target < 0) {
        if (isNew && this.record !== "none")
          this.note(whole.rank[senderOf[route]], "", whole.outputs[-1 - target], value);
        continue;
      }
      const letter = { time, index, route, place: m, value };
      const to = partOf[target];
      if (to === number) this.own.push(letter);
      else leaving.push({ to, letter });
    }
    return leaving;
  }

  private note(rank: number, unit: string, port: string, value: unknown): void {
    const { time, index } = this.kernel;
    this.sendings.push({ time, index, rank, unit, port, value });
  }

  /** Values for the model itself come last. */
  private rankOf({ route }: Letter): number {
    const sender = this.split.senderOf[route];
    return sender < 0 ? Number.MAX_SAFE_INTEGER : this.split.whole.rank[sender];
  }
}

/**
 * The order in which one kernel would have noted them: by instant, components before the whole
 * model, by rank.
 */
export function mergeSendings(lists: readonly (readonly Sending[])[]): Sending[] {
  const outside = ({ unit }: Sending): number => (unit === "" ? 1 : 0);
  return lists
    .flat()
    .sort(
      (a, b) => a.time - b.time || a.index - b.index || outside(a) - outside(b) || a.rank - b.rank,
    );
}
