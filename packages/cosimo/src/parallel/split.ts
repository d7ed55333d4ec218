/**
 * A flat discrete-event model cut into parts that run at the same time. A part is a model of its
 * own: routes that leave it are outputs of it, and routes that enter it inputs. A route keeps its
 * number in the whole model, so that both ends mean the same by it.
 *
 * What lies in a bag is ordered by sender and route. So that parts give the same bags, a unit that
 * gets values from other parts gets all its values the same way: those of its own part leave it
 * too, and come back sorted with the others.
 *
 * Delays say how much later than a value that enters a part the earliest one can leave it for
 * another part: the shortest way through units that declare a `minimumDelay`; where nothing is
 * declared it is zero.
 */

import type { FlatModel, FlatUnit, Routes, Translation } from "../devs/flatten.ts";
import type { AtomicModel } from "../devs/model.ts";
import { toTicks } from "../devs/ticks.ts";
import { strongComponents } from "../plan/strong-components.ts";

export interface Split {
  readonly whole: FlatModel;
  readonly parts: readonly PartPlan[];
  /** The part of each unit. */
  readonly partOf: Int32Array;
  /**
   * The unit that a route begins at; those of the model's own inputs, which follow, begin at -1.
   */
  readonly senderOf: Int32Array;
}

export interface PartPlan {
  readonly number: number;
  /** Units of the whole model, in its order. */
  readonly units: readonly number[];
  /** The part as a model. Its outputs are routes of the whole model, by number. */
  readonly model: FlatModel;
  /** By route that enters: the number of the input. */
  readonly entries: ReadonlyMap<number, number>;
  /** Parts that it gets values from, and parts that it sends to. */
  readonly sources: readonly number[];
  readonly targets: readonly number[];
  /**
   * By part that it sends to, in ticks: from a value that enters to one that leaves; Infinity:
   * there is no way through.
   */
  readonly delays: ReadonlyMap<number, number>;
  /** The same from any value, those for the whole model included: from one that has arrived. */
  readonly answers: ReadonlyMap<number, number>;
  /** By part that it sends to: how far the events of its units are from a value that leaves. */
  readonly reach: ReadonlyMap<number, readonly Reach[]>;
}

/** Units of a part from which the shortest way to another part takes this long. */
export interface Reach {
  /** Ticks. */
  readonly delay: number;
  /** By number in the part. */
  readonly units: readonly number[];
}

/** @param partOf numbers from 0, by unit; none is left out. */
export function splitModel(whole: FlatModel, partOf: Int32Array, ticksPerSecond: number): Split {
  const { routes, inputRoutes, units, outBase } = whole;
  const count = 1 + partOf.reduce((most, part) => Math.max(most, part), 0);
  const senderOf = new Int32Array(routes.target.length + inputRoutes.target.length).fill(-1);
  for (let u = 0; u < units.length; u++)
    senderOf.fill(u, routes.start[outBase[u]], routes.start[outBase[u + 1]]);
  const isMixed = new Uint8Array(units.length);
  routes.target.forEach((target, r) => {
    if (target >= 0 && partOf[target] !== partOf[senderOf[r]]) isMixed[target] = 1;
  });
  const delays = units.map(({ model }) => delayOf(model, ticksPerSecond));
  const members: number[][] = Array.from({ length: count }, () => []);
  for (const [u, part] of partOf.entries()) members[part].push(u);
  const split = { whole, partOf, senderOf };
  const parts = members.map((own, number) => partPlan(split, number, own, isMixed, delays));
  return { ...split, parts };
}

function delayOf({ minimumDelay = 0 }: AtomicModel, ticksPerSecond: number): number {
  return toTicks(minimumDelay, ticksPerSecond);
}

function partPlan(
  { whole, partOf, senderOf }: Omit<Split, "parts">,
  number: number,
  own: readonly number[],
  isMixed: Uint8Array,
  delays: readonly number[],
): PartPlan {
  const { routes, inputRoutes, outBase } = whole;
  const local = new Map(own.map((u, i) => [u, i]));
  const isHere = (target: number): boolean => target >= 0 && partOf[target] === number;
  const base = new Int32Array(own.length + 1);
  const start = [0];
  const rows: { target: number; port: number; map: Translation }[] = [];
  own.forEach((u, i) => {
    for (let row = outBase[u]; row < outBase[u + 1]; row++) {
      for (let r = routes.start[row]; r < routes.start[row + 1]; r++) {
        const target = routes.target[r];
        const stays = isHere(target) && isMixed[target] === 0;
        const port = stays ? routes.port[r] : 0;
        rows.push({ target: stays ? (local.get(target) ?? 0) : -1 - r, port, map: routes.map[r] });
      }
      start.push(rows.length);
    }
    base[i + 1] = start.length - 1;
  });
  const entries = new Map<number, number>();
  const entering: typeof rows = [];
  const enter = (route: number, target: number, port: number, map: Translation): void => {
    entries.set(route, entering.length);
    entering.push({ target: local.get(target) ?? 0, port, map });
  };
  routes.target.forEach((target, r) => {
    if (isHere(target) && isMixed[target] === 1) enter(r, target, routes.port[r], undefined);
  });
  inputRoutes.target.forEach((target, r) => {
    if (isHere(target))
      enter(routes.target.length + r, target, inputRoutes.port[r], inputRoutes.map[r]);
  });
  const outside = new Set<number>();
  const sources = new Set<number>();
  routes.target.forEach((target, r) => {
    if (target < 0 || partOf[target] === partOf[senderOf[r]]) return;
    if (partOf[target] === number) sources.add(partOf[senderOf[r]]);
    else if (partOf[senderOf[r]] === number) outside.add(partOf[target]);
  });
  const targets = [...outside].sort((a, b) => a - b);
  const ways = targets.map((to) => waysTo(whole, partOf, senderOf, own, to, delays));
  return {
    number,
    units: own,
    model: {
      name: whole.name,
      isAtomic: false,
      semantics: whole.semantics,
      units: own.map((u): FlatUnit => whole.units[u]),
      outBase: base,
      routes: packed(start, rows),
      inputs: [],
      outputs: [],
      inputRoutes: packed([...entering.keys(), entering.length], entering),
      rank: Int32Array.from(own, (u) => whole.rank[u]),
      select: undefined,
    },
    entries,
    sources: [...sources].sort((a, b) => a - b),
    targets,
    delays: new Map(targets.map((to, k) => [to, ways[k].delay])),
    answers: new Map(targets.map((to, k) => [to, ways[k].answer])),
    reach: new Map(targets.map((to, k) => [to, ways[k].reach])),
  };
}

function packed(
  start: readonly number[],
  rows: readonly { readonly target: number; readonly port: number; readonly map: Translation }[],
): Routes {
  return {
    start: Int32Array.from(start),
    target: Int32Array.from(rows, ({ target }) => target),
    port: Int32Array.from(rows, ({ port }) => port),
    map: rows.map(({ map }) => map),
  };
}

/**
 * Shortest ways to part `to`: from values that enter the part from another one, and from events of
 * its units.
 */
function waysTo(
  { routes, inputRoutes, outBase }: FlatModel,
  partOf: Int32Array,
  senderOf: Int32Array,
  own: readonly number[],
  to: number,
  delays: readonly number[],
): { readonly delay: number; readonly answer: number; readonly reach: readonly Reach[] } {
  // From an output of a unit on.
  const left = new Map<number, number>(own.map((u) => [u, Number.POSITIVE_INFINITY]));
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const u of own) {
      let best = left.get(u) ?? Number.POSITIVE_INFINITY;
      const before = best;
      for (let r = routes.start[outBase[u]]; r < routes.start[outBase[u + 1]]; r++) {
        const target = routes.target[r];
        if (target < 0) continue;
        if (partOf[target] === to) best = 0;
        else if (left.has(target))
          best = Math.min(best, delays[target] + (left.get(target) ?? Number.POSITIVE_INFINITY));
      }
      if (best < before) {
        left.set(u, best);
        isChanged = true;
      }
    }
  }
  const through = (target: number): number =>
    target < 0
      ? Number.POSITIVE_INFINITY
      : delays[target] + (left.get(target) ?? Number.POSITIVE_INFINITY);
  let delay = Number.POSITIVE_INFINITY;
  routes.target.forEach((target, r) => {
    if (!left.has(senderOf[r])) delay = Math.min(delay, through(target));
  });
  const answer = Math.min(delay, ...Array.from(inputRoutes.target, through));
  const distances = [...new Set(left.values())].filter(Number.isFinite).sort((a, b) => a - b);
  const reach = distances.map((distance) => ({
    delay: distance,
    units: [...own.keys()].filter((i) => left.get(own[i]) === distance),
  }));
  return { delay, answer, reach };
}

/** How many parts at most, and how long each unit's events take in all; default: all the same. */
export interface Shares {
  readonly count: number;
  readonly weights?: ArrayLike<number>;
}

/**
 * Neighbours in the order of the model, which follows its hierarchy, stay together; parts get equal
 * weights.
 */
export function shareOut(whole: FlatModel, shares: Shares): Int32Array {
  return cut(
    whole.units.map((_, u) => [u]),
    whole.units.length,
    shares,
  );
}

/**
 * The same for parts that wait for each other's promises: around every cycle of them some delay
 * must be known. Units on a cycle without any go into one part, and so do parts that would be on
 * one.
 */
export function shareOutWithDelays(
  whole: FlatModel,
  shares: Shares,
  ticksPerSecond: number,
): Int32Array {
  const { units, routes, outBase } = whole;
  const isDelayed = units.map(({ model }) => delayOf(model, ticksPerSecond) > 0);
  const edges = units.map((_, u) => {
    if (isDelayed[u]) return [];
    const ends = routes.target.subarray(routes.start[outBase[u]], routes.start[outBase[u + 1]]);
    return [...new Set(ends)].filter((target) => target >= 0 && !isDelayed[target]);
  });
  const groups = strongComponents(edges)
    .map((group) => [...group].sort((a, b) => a - b))
    .sort((a, b) => a[0] - b[0]);
  let partOf = cut(groups, units.length, shares);
  for (;;) {
    const { parts } = splitModel(whole, partOf, ticksPerSecond);
    const zero = parts.map(({ delays }) =>
      [...delays].filter(([, delay]) => delay === 0).map(([to]) => to),
    );
    const together = strongComponents(zero);
    if (together.length === parts.length) return partOf;
    const name = new Map(together.flatMap((group, k) => [...group].map((part) => [part, k])));
    partOf = renumbered(partOf.map((part) => name.get(part) ?? part));
  }
}

function cut(
  groups: readonly (readonly number[])[],
  units: number,
  { count, weights }: Shares,
): Int32Array {
  const weightOf = (group: readonly number[]): number =>
    group.reduce((sum, u) => sum + (weights?.[u] ?? 1), 0);
  const total = groups.reduce((sum, group) => sum + weightOf(group), 0);
  const partOf = new Int32Array(units);
  let sum = 0;
  for (const group of groups) {
    const weight = weightOf(group);
    const part = Math.min(count - 1, Math.floor((count * (sum + weight / 2)) / total) || 0);
    for (const u of group) partOf[u] = part;
    sum += weight;
  }
  return renumbered(partOf);
}

/** Numbers from 0 without gaps, in the order of their first unit. */
function renumbered(partOf: Int32Array): Int32Array {
  const names = new Map<number, number>();
  return partOf.map((part) => {
    const known = names.get(part) ?? names.size;
    names.set(part, known);
    return known;
  });
}
