/**
 * Confluence by experiment: the same run under different orders of its simultaneous events
 * (ties.ts), and the first place where two orders give different event sequences. A model is
 * confluent when all orders give the same one (survey §3.3.2); then no order has to be justified.
 *
 * Orders are the leaves of a tree of choices. Where it is small all of them are tried, depth first:
 * a run follows a script of choices and takes the first alternative from there on; the next script
 * changes the last choice that has another alternative. Where it is large, choices are drawn at
 * random from a seed.
 *
 * Two sequences are the same when at every time every source has sent the same values in the same
 * order. In which order different sources send at one time is not compared: that is what was
 * permuted.
 */
import type { Tie, Ties } from "./ties.ts";

export interface OrderedEvent {
  /** Seconds. */
  readonly time: number;
  /** Who sent it: `unit.port`, or a connection. */
  readonly source: string;
  readonly value: string;
}

export interface EventSequence {
  readonly events: readonly OrderedEvent[];
  /** What there is at the end, by name: compared where the events are the same. */
  readonly end: ReadonlyMap<string, string>;
}

export interface ExploreOptions {
  /** Runs at most, the first one included; default: 100. */
  readonly orders?: number;
  /** Of the random choices, where there are too many orders to try them all; default: 1. */
  readonly seed?: number;
  /** Called after every run. */
  readonly onProgress?: (done: number, of: number) => void | Promise<void>;
}

export interface ChoiceMade {
  readonly time: number;
  readonly what: string;
  readonly chosen: string;
  readonly among: readonly string[];
}

export interface OrderDifference {
  /** The first time at which the sequences differ; absent: only what is there at the end does. */
  readonly time?: number;
  /** Where the two orders part: the first tie in which they chose differently. */
  readonly first: ChoiceMade;
  readonly second: ChoiceMade;
  /**
   * The events of that time: "  " in both, "- " under the first order alone, "+ " under the second
   * alone.
   */
  readonly diff: readonly string[];
}

export interface ConfluenceReport {
  /**
   * no-ties: there is one order only; confluent: all orders give the same events; not-refuted: so
   * do those that were tried; order-matters: two orders differ.
   */
  readonly verdict: "no-ties" | "confluent" | "not-refuted" | "order-matters";
  /** Runs that were made. */
  readonly orders: number;
  /** Ties in the run that takes the orders of the rules. */
  readonly ties: number;
  /** Where choices were drawn at random. */
  readonly seed?: number;
  readonly difference?: OrderDifference;
}

const DEFAULT_ORDERS = 100;

/**
 * @param run makes one complete run in which `ties` decides. It must depend on nothing else.
 */
export async function exploreOrders(
  run: (ties: Ties) => EventSequence | Promise<EventSequence>,
  { orders: most = DEFAULT_ORDERS, seed = 1, onProgress }: ExploreOptions = {},
): Promise<ConfluenceReport> {
  const first = new Script([]);
  const expected = await run(first);
  await onProgress?.(1, most);
  const ties = first.made.length;
  if (ties === 0) return { verdict: "no-ties", orders: 1, ties };
  const isSmall = first.made.reduce((count, { among }) => count * among.length, 1) <= most;
  const random = randomWords(seed);
  let [orders, last] = [1, first];
  const sampled = isSmall ? {} : { seed };
  while (orders < most) {
    const next = isSmall ? last.next() : Script.drawn(random);
    if (next === undefined) return { verdict: "confluent", orders, ties };
    const found = await run(next);
    orders++;
    await onProgress?.(orders, most);
    const difference = compare({ expected, found, first, second: next });
    if (difference !== undefined)
      return { verdict: "order-matters", orders, ties, ...sampled, difference };
    last = next;
  }
  const isComplete = isSmall && last.next() === undefined;
  return { verdict: isComplete ? "confluent" : "not-refuted", orders, ties, ...sampled };
}

/** Takes given choices, then the first alternative of every tie, or a random one. */
class Script implements Ties {
  readonly made: (Tie & { readonly choice: number })[] = [];
  private readonly given: readonly number[];
  private readonly draw: ((count: number) => number) | undefined;

  constructor(given: readonly number[], draw?: (count: number) => number) {
    this.given = given;
    this.draw = draw;
  }

  static drawn(random: () => number): Script {
    return new Script([], (count) => Math.floor(random() * count));
  }

  choose(tie: Tie): number {
    const choice = this.given[this.made.length] ?? this.draw?.(tie.among.length) ?? 0;
    this.made.push({ ...tie, choice });
    return choice;
  }

  /** The next leaf of the tree; undefined: this was the last one. */
  next(): Script | undefined {
    const { made } = this;
    let k = made.length - 1;
    while (k >= 0 && made[k].choice === made[k].among.length - 1) k--;
    if (k < 0) return undefined;
    const given = made.slice(0, k).map(({ choice }) => choice);
    return new Script([...given, made[k].choice + 1]);
  }
}

interface Comparison {
  readonly expected: EventSequence;
  readonly found: EventSequence;
  readonly first: Script;
  readonly second: Script;
}

function compare({ expected, found, first, second }: Comparison): OrderDifference | undefined {
  const k = first.made.findIndex((tie, i) => second.made[i]?.choice !== tie.choice);
  if (k < 0) return undefined;
  const parts = {
    first: choiceMade(first.made[k]),
    second: choiceMade(second.made[k] ?? first.made[k]),
  };
  const time = firstDifference(expected.events, found.events);
  if (time !== undefined) {
    const [a, b] = [expected, found].map(({ events }) => linesAt(events, time));
    return { ...parts, time, diff: diffLines(a, b) };
  }
  const [a, b] = [expected, found].map(({ end }) =>
    [...end].map(([name, value]) => `at the end: ${name} ${value}`),
  );
  if (a.length === b.length && a.every((line, i) => line === b[i])) return undefined;
  const diff = diffLines(a, b).filter((line) => !line.startsWith(" "));
  return { ...parts, diff };
}

function choiceMade({ time, what, among, choice }: Script["made"][number]): ChoiceMade {
  return { time, what, chosen: among[choice], among };
}

/** The events of a time, ordered by who sent them; those of one source keep their order. */
function linesAt(events: readonly OrderedEvent[], time: number): string[] {
  return normalized(events.filter((event) => event.time === time)).map(
    ({ source, value }) => `t=${time} ${source} ${value}`,
  );
}

function normalized(events: readonly OrderedEvent[]): OrderedEvent[] {
  return [...events].sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : 0));
}

/** The first time at which two sequences, both ordered by time, have different events. */
function firstDifference(
  a: readonly OrderedEvent[],
  b: readonly OrderedEvent[],
): number | undefined {
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    const time = Math.min(
      a[i]?.time ?? Number.POSITIVE_INFINITY,
      b[j]?.time ?? Number.POSITIVE_INFINITY,
    );
    const ends = [endOf(a, i, time), endOf(b, j, time)];
    const [left, right] = [normalized(a.slice(i, ends[0])), normalized(b.slice(j, ends[1]))];
    const isSame =
      left.length === right.length &&
      left.every(({ source, value }, k) => source === right[k].source && value === right[k].value);
    if (!isSame) return time;
    [i, j] = ends;
  }
  return undefined;
}

function endOf(events: readonly OrderedEvent[], from: number, time: number): number {
  let end = from;
  while (end < events.length && events[end].time === time) end++;
  return end;
}

/** Lines around a difference that are shown, and lines that are compared at most. */
const CONTEXT = 3;
const MOST_LINES = 500;

/**
 * Lines in both, in the first alone and in the second alone, from a little before the first
 * difference on.
 */
export function diffLines(a: readonly string[], b: readonly string[]): string[] {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  const from = Math.max(0, same - CONTEXT);
  return matched(a.slice(from, from + MOST_LINES), b.slice(from, from + MOST_LINES));
}

/** By a longest common subsequence. */
function matched(a: readonly string[], b: readonly string[]): string[] {
  // common[i][j]: how many lines of a from i on and of b from j on can be matched.
  const common = Array.from({ length: a.length + 1 }, () => new Int32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i][j] =
        a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const lines: string[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i]}`);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1]))
      lines.push(`- ${a[i++]}`);
    else lines.push(`+ ${b[j++]}`);
  }
  return lines;
}

/** Uniform in [0, 1): mulberry32 (T. Ettinger), one word of state; good enough to choose orders. */
function randomWords(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}
