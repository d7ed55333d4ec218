/**
 * Random coupled models whose behaviour does not depend on the order inside bags: stations send
 * numbered letters, pass on what they get after a delay that may be zero, and every letter dies
 * after a few hops, so that cascades end.
 *
 * Delays are multiples of 1/8 s: sums of doubles are exact, so that a plain simulator with times in
 * seconds is exact as well.
 */
import fc from "fast-check";
import {
  type AtomicModel,
  atomic,
  type Component,
  type Coupling,
  coupled,
  type Ports,
  port,
} from "../model.ts";

export interface Letter {
  readonly value: number;
  readonly hops: number;
}

interface StationPlan {
  readonly kind: "station";
  readonly id: number;
  /** In eighths of a second. */
  readonly period: number;
  readonly letters: number;
  readonly hops: number;
  readonly delay: number;
  readonly hasConfluent: boolean;
}

interface GroupPlan {
  readonly kind: "group";
  readonly children: readonly Plan[];
  /** Places of the ends, taken modulo what there is, and a translation. */
  readonly links: readonly { readonly from: number; readonly to: number; readonly map: number }[];
  readonly select: number;
}

export type Plan = StationPlan | GroupPlan;

const EIGHTH = 0.125;

interface StationState {
  sent: number;
  hash: number;
  waiting: { at: number; value: number; hops: number }[];
}

const PORTS: Ports = { a: port<Letter>(), b: port<Letter>() };

/** @param declares it says how long it takes to pass something on. */
function station(plan: StationPlan, declares = false): AtomicModel {
  const delay = plan.delay * EIGHTH;
  const due = (state: StationState): number => {
    const own =
      state.sent < plan.letters
        ? (state.sent + 1) * plan.period * EIGHTH
        : Number.POSITIVE_INFINITY;
    return Math.min(own, state.waiting[0]?.at ?? Number.POSITIVE_INFINITY);
  };
  const letters = (state: StationState, time: number): Letter[] => {
    const found: Letter[] = state.waiting.filter(({ at }) => at === time);
    if (state.sent < plan.letters && (state.sent + 1) * plan.period * EIGHTH === time)
      found.push({ value: 1000 * plan.id + state.sent, hops: plan.hops });
    return found;
  };
  const leave = (state: StationState, time: number): StationState => ({
    sent:
      state.sent < plan.letters && (state.sent + 1) * plan.period * EIGHTH === time
        ? state.sent + 1
        : state.sent,
    hash: state.hash,
    waiting: state.waiting.filter(({ at }) => at !== time),
  });
  const arrive = (
    state: StationState,
    values: readonly Letter[],
    time: number,
    elapsed: number,
  ): StationState => {
    const waiting = [...state.waiting];
    let hash = state.hash + 17 * elapsed;
    for (const { value, hops } of values) {
      hash += (value % 101) * (1 + time);
      if (hops > 1)
        waiting.push({ at: time + delay, value: (31 * value + plan.id) % 10_007, hops: hops - 1 });
    }
    waiting.sort((x, y) => x.at - y.at || x.value - y.value || x.hops - y.hops);
    return { sent: state.sent, hash, waiting };
  };
  return atomic<StationState, Ports, Ports>({
    name: `station ${plan.id}`,
    inputs: PORTS,
    outputs: PORTS,
    initial: { sent: 0, hash: 0, waiting: [] },
    ...(declares && { minimumDelay: delay }),
    timeAdvance: (state, now) => due(state) - now.time,
    output: (state, send) => {
      for (const { value, hops } of letters(state, due(state)))
        send(value % 2 === 0 ? "a" : "b", { value, hops });
    },
    internal: (state) => leave(state, due(state)),
    external: (state, input) =>
      arrive(
        state,
        [...input.values("a"), ...input.values("b")] as Letter[],
        input.time,
        input.elapsed,
      ),
    ...(plan.hasConfluent && {
      // First what arrived, then what leaves: another order than the default.
      confluent: (state: StationState, input) => {
        const time = due(state);
        const all = [...input.values("a"), ...input.values("b")] as Letter[];
        const after = arrive({ ...state, waiting: [] }, all, input.time, 0);
        const left = leave(state, time);
        return {
          sent: left.sent,
          hash: after.hash + 1,
          waiting: [...left.waiting, ...after.waiting].sort(
            (x, y) => x.at - y.at || x.value - y.value || x.hops - y.hops,
          ),
        };
      },
    }),
  });
}

const MAPS: readonly (((letter: Letter) => Letter | undefined) | undefined)[] = [
  undefined,
  undefined,
  ({ value, hops }) => ({ value: value + 1, hops }),
  (letter) => (letter.value % 3 === 0 ? undefined : letter),
];

/** The model of a plan. `SELECTS` by number: the given order, the reverse, or a function. */
export function modelOf(
  plan: Plan,
  semantics: "parallel" | "classic",
  isRoot = true,
  declares = false,
): Component {
  if (plan.kind === "station") return station(plan, declares);
  const names = plan.children.map((_, i) => `c${i}`);
  const components = Object.fromEntries(
    plan.children.map((child, i) => [names[i], modelOf(child, semantics, false, declares)]),
  );
  const couplings: (string | Coupling)[] = plan.links.flatMap(({ from, to, map }) => {
    const source = endAt(names, from);
    const target = endAt(names, to);
    const owner = (end: string): string =>
      end.includes(".") ? end.slice(0, end.indexOf(".")) : "";
    if (owner(source) === owner(target)) return [];
    const translate = MAPS[map % MAPS.length];
    return [
      translate === undefined
        ? { from: source, to: target }
        : { from: source, to: target, map: translate as (value: unknown) => unknown },
    ];
  });
  const selects = [
    undefined,
    [...names].reverse(),
    (imminent: readonly string[]) => imminent.at(-1)!,
  ];
  const select = semantics === "classic" ? selects[plan.select % selects.length] : undefined;
  return coupled({
    name: "network",
    inputs: PORTS,
    outputs: PORTS,
    components,
    couplings,
    ...(isRoot && { semantics }),
    ...(select !== undefined && { select }),
  });
}

/** A port of a component, or every fourth time one of the model itself. */
function endAt(names: readonly string[], number: number): string {
  const port = (number >> 2) % 2 === 0 ? "a" : "b";
  return number % 4 === 0 ? port : `${names[(number >> 3) % names.length]}.${port}`;
}

const stationPlan: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constant("station" as const),
  id: fc.integer({ min: 1, max: 97 }),
  period: fc.integer({ min: 1, max: 12 }),
  letters: fc.integer({ min: 0, max: 4 }),
  hops: fc.integer({ min: 1, max: 4 }),
  delay: fc.constantFrom(0, 0, 1, 3, 8),
  hasConfluent: fc.boolean(),
});

/** Up to `size` stations on up to three levels. */
export function networks(size: number): fc.Arbitrary<Plan> {
  const width = Math.max(2, Math.round(size ** (1 / 2)));
  const links = (most: number): fc.Arbitrary<GroupPlan["links"]> =>
    fc.array(fc.record({ from: fc.nat(5000), to: fc.nat(5000), map: fc.nat(3) }), {
      minLength: 1,
      maxLength: most,
      size: "max",
    });
  const group = (child: fc.Arbitrary<Plan>, most: number): fc.Arbitrary<Plan> =>
    fc.record({
      kind: fc.constant("group" as const),
      children: fc.array(child, { minLength: 1, maxLength: most, size: "max" }),
      links: links(4 * most),
      select: fc.nat(2),
    });
  const small = group(stationPlan, 4);
  const inner = group(
    fc.oneof({ weight: 4, arbitrary: stationPlan }, { weight: 1, arbitrary: small }),
    width,
  );
  return group(fc.oneof(inner, stationPlan), width);
}
