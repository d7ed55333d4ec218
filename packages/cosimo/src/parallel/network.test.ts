/**
 * Parts of random models over networks that lose, repeat, delay, reorder and cut, with parts that
 * end: every seed gives the trace of one kernel, or ends with what ended it; none hangs. A seed
 * that fails is printed, and does the same again.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { UnitError } from "../base/outcome.ts";
import { flatten } from "../devs/flatten.ts";
import { atomic, type Component, coupled, port } from "../devs/model.ts";
import { type DevsInput, runDevs } from "../devs/run-devs.ts";
import { modelOf, networks, type Plan } from "../devs/testing/random-network.ts";
import { toSeconds } from "../devs/ticks.ts";
import type { PartsKind } from "./plan-parts.ts";
import { shareOut, splitModel } from "./split.ts";
import { phold } from "./testing/phold.ts";
import {
  type NetworkOptions,
  type NetworkRun,
  runOverLossyNetwork,
} from "./testing/simulated-network.ts";

const STOP = 6;
const ALL = Boolean(process.env["COSIMO_ALL_CASES"]);
const CASES = ALL ? 400 : 24;
const KINDS = ["conservative", "optimistic"] as const;

const INPUTS: readonly DevsInput[] = [0, 1, 1, 2.5].map((time, k) => ({
  time,
  port: k % 2 === 0 ? "a" : "b",
  value: { value: 77 + k, hops: 3 },
}));

function sequential(model: Component, inputs: readonly DevsInput[], stop = STOP): unknown[] {
  return [...runDevs(model, { stop, inputs, record: "all" }).events];
}

function inParts(
  model: Component,
  kind: PartsKind,
  network: NetworkOptions,
  { inputs = [], stop = STOP, parts = 4, most = 1024, interval = 3 } = {} as {
    inputs?: readonly DevsInput[];
    stop?: number;
    parts?: number;
    most?: number;
    interval?: number;
  },
): { readonly run: NetworkRun; readonly events: unknown[] } {
  const options = { kind, parts, stop, inputs, record: "all", interval, most } as const;
  const run = runOverLossyNetwork(model, options, network);
  const events = run.sendings.map(({ time, index, unit, port: name, value }) => ({
    time: toSeconds(time, 1e9),
    index,
    unit,
    port: name,
    value,
  }));
  return { run, events };
}

/** Networks whose stations declare their delays, so that parts can look ahead. */
const withDelays = (plan: Plan): Component => modelOf(plan, "parallel", true, true);

describe.each(KINDS)("%s parts", (kind) => {
  it(`[PE1] [PE5] give the trace of one kernel over any network (${CASES} random models, seed 29)`, () => {
    const seen = { several: 0, events: 0, lost: 0, repeated: 0, overtaking: 0, rollbacks: 0 };
    fc.assert(
      fc.property(
        networks(40),
        fc.integer(),
        fc.integer({ min: 2, max: 5 }),
        (plan, seed, parts) => {
          const model = withDelays(plan);
          const expected = sequential(model, INPUTS);
          const network = { seed, delay: 30, loss: 0.1, twice: 0.1, cuts: 0.02 };
          const { run, events } = inParts(model, kind, network, { inputs: INPUTS, parts });
          expect(run.end.kind).toBe("finished");
          expect(events).toEqual(expected);
          if (run.parts > 1) seen.several++;
          seen.events += events.length;
          seen.lost += run.lost;
          seen.repeated += run.repeated;
          seen.overtaking += run.overtaking;
          for (const { rollbacks } of run.statistics) seen.rollbacks += rollbacks;
        },
      ),
      { numRuns: CASES, seed: 29 },
    );
    // The networks did their worst, and something happened.
    expect(seen.several).toBeGreaterThan(CASES / 3);
    expect(seen.events).toBeGreaterThan(20 * CASES);
    expect(seen.lost).toBeGreaterThan(5 * CASES);
    expect(seen.repeated).toBeGreaterThan(5 * CASES);
    expect(seen.overtaking).toBeGreaterThan(5 * CASES);
    if (kind === "optimistic") expect(seen.rollbacks).toBeGreaterThan(CASES);
  });

  it("[PE1] give the trace of PHOLD", () => {
    const model = phold({ units: 12, events: 4, remote: 0.3 });
    const expected = sequential(model, [], 8);
    expect(expected.length).toBeGreaterThan(50);
    for (let seed = 0; seed < (ALL ? 40 : 4); seed++) {
      const { run, events } = inParts(model, kind, { seed, loss: 0.05, twice: 0.05 }, { stop: 8 });
      expect(run.parts).toBe(4);
      expect(events).toEqual(expected);
    }
  });

  it("[PE5] a seed does the same again", () => {
    const model = phold({ units: 8, events: 4, remote: 0.3 });
    const once = (seed: number) =>
      inParts(model, kind, { seed, loss: 0.1, twice: 0.1, cuts: 0.05 }, { stop: 3 });
    expect(once(7)).toEqual(once(7));
    expect(once(8).run.packets).not.toBe(once(7).run.packets);
  });

  it("[PE6] a part that ends for ever is named, whenever that happens", () => {
    const model = phold({ units: 8, events: 4, remote: 0.3 });
    let lost = 0;
    for (let k = 0; k < (ALL ? 60 : 12); k++) {
      const dies = { part: k % 3, after: 3 * k };
      const { run } = inParts(model, kind, { seed: k, loss: 0.05, dies }, { stop: 4 });
      // It may have died after its work was done.
      if (run.end.kind === "finished") continue;
      expect(run.end).toEqual({ kind: "lost", part: dies.part });
      lost++;
    }
    expect(lost).toBeGreaterThan(4);
  });

  it("[PE7] a component that fails ends the run as it does in one kernel", () => {
    for (let seed = 0; seed < (ALL ? 60 : 10); seed++) {
      const model = fragile(2 + (seed % 5) / 2);
      const expected = failureOf(() => runDevs(model, { stop: 10 }));
      const { run } = inParts(model, kind, { seed, loss: 0.05 }, { stop: 10, parts: 3 });
      if (run.end.kind !== "failed") throw new Error(`seed ${seed}: ${run.end.kind}`);
      const { error } = run.end.failure;
      expect(error).toBeInstanceOf(UnitError);
      expect((error as UnitError).failure).toEqual(expected);
    }
  });
});

describe("conservative parts", () => {
  it("[PE8] go on from what they kept, however often they are started again", () => {
    let restarts = 0;
    fc.assert(
      fc.property(networks(30), fc.integer(), (plan, seed) => {
        const model = withDelays(plan);
        const network = { seed, loss: 0.05, twice: 0.05, restarts: 0.1 };
        const { run, events } = inParts(model, "conservative", network, { inputs: INPUTS });
        expect(run.end.kind).toBe("finished");
        expect(events).toEqual(sequential(model, INPUTS));
        restarts += run.restarts;
      }),
      { numRuns: CASES / 4, seed: 31 },
    );
    expect(restarts).toBeGreaterThan(CASES);
  });

  it("[PE2] components on a cycle without a known delay are one part", () => {
    // A ring of stations, of which two declare a delay.
    const model = ring([0, 0, 0.25, 0, 0.25, undefined]);
    const { run, events } = inParts(model, "conservative", { seed: 1 }, { parts: 6 });
    expect(run.parts).toBeGreaterThan(1);
    expect(events).toEqual(sequential(model, []));
    const closed = ring([0, 0, 0, undefined]);
    expect(inParts(closed, "conservative", { seed: 1 }).run.parts).toBe(1);
    expect(inParts(closed, "optimistic", { seed: 1 }).run.parts).toBe(4);
  });

  it("[PE2] a component that answers earlier than it declares ends the run with its name", () => {
    const liar = ring([0.25, 0.25, 0.25, 0.25], 0.125);
    const { run } = inParts(liar, "conservative", { seed: 3 });
    if (run.end.kind !== "failed") throw new Error(run.end.kind);
    const { problem = "" } = (run.end.failure.error as UnitError).failure;
    expect(problem).toContain("earlier than the declared minimum delays allow");
  });
});

describe("optimistic parts", () => {
  it("[PE3] [PE4] keep no more steps than they may, and go on", () => {
    const model = phold({ units: 12, events: 4, remote: 0.3 });
    const expected = sequential(model, []);
    for (let seed = 0; seed < (ALL ? 40 : 5); seed++) {
      const [most, interval] = [8 + seed, 1 + (seed % 4)];
      const { run, events } = inParts(model, "optimistic", { seed, delay: 30 }, { most, interval });
      expect(events).toEqual(expected);
      const total = { rollbacks: 0, repeated: 0, antis: 0 };
      for (const one of run.statistics) {
        // Final steps stay only where a state is computed from them.
        expect(one.kept).toBeLessThanOrEqual(most + interval);
        total.rollbacks += one.rollbacks;
        total.repeated += one.repeated;
        total.antis += one.antis;
      }
      expect(total.rollbacks).toBeGreaterThan(0);
      if (interval > 1) expect(total.repeated).toBeGreaterThan(0);
      expect(total.antis).toBeGreaterThan(0);
      expect(run.rounds).toBeGreaterThan(2);
    }
  });
});

describe("bags", () => {
  it("[PE9] are in the order of one kernel, whichever part sends into them", () => {
    const sender = (value: number) =>
      atomic({
        outputs: { out: port<number>() },
        initial: 0,
        timeAdvance: () => 1,
        output: (_, send) => {
          send("out", value);
          send("out", value + 0.5);
        },
        internal: (n) => n + 1,
      });
    const receiver = atomic({
      inputs: { in: port<number>() },
      outputs: { out: port<string>() },
      initial: "",
      timeAdvance: (text) => (text === "" ? Number.POSITIVE_INFINITY : 0.5),
      output: (text, send) => send("out", text),
      internal: () => "",
      external: (_, input) => input.values("in").join(" "),
    });
    const model = coupled({
      outputs: { out: port<string>() },
      components: { a: sender(1), r: receiver, b: sender(2), c: sender(3) },
      couplings: ["c.out -> r.in", "a.out -> r.in", "b.out -> r.in", "r.out -> out"],
    });
    const flat = unwrap(flatten(model));
    expect(splitModel(flat, shareOut(flat, { count: 2 }), 1e9).parts).toHaveLength(2);
    const expected = sequential(model, []);
    expect(expected).toContainEqual(expect.objectContaining({ value: "1 1.5 2 2.5 3 3.5" }));
    for (const kind of KINDS)
      expect(inParts(model, kind, { seed: 5 }, { parts: 2 }).events).toEqual(expected);
  });
});

/**
 * A checker that fails where no permit has come in time, guesses not counted; another one fails
 * later.
 */
function fragile(until: number): Component {
  const permits = atomic({
    outputs: { out: port<number>() },
    initial: 0,
    timeAdvance: (n, now) => (n + 0.5 < until ? n + 0.5 - now.time : Number.POSITIVE_INFINITY),
    output: (n, send) => send("out", n),
    internal: (n) => n + 1,
  });
  const checker = atomic({
    inputs: { in: port<number>() },
    outputs: { out: port<number>() },
    initial: { permits: 0, checks: 0 },
    timeAdvance: ({ checks }, now) => checks + 1 - now.time,
    output: ({ checks }, send) => send("out", checks),
    internal: (state) => {
      if (state.permits <= state.checks) throw new Error(`no permit for ${state.checks}`);
      return { ...state, checks: state.checks + 1 };
    },
    external: (state, input) => ({ ...state, permits: state.permits + input.values("in").length }),
    minimumDelay: 0,
  });
  const late = atomic({
    inputs: { in: port<number>() },
    initial: 0,
    timeAdvance: () => 8.75,
    internal: () => {
      throw new Error("too late");
    },
  });
  return coupled({
    components: { late, checker, permits },
    couplings: ["permits.out -> checker.in", "checker.out -> late.in"],
  });
}

function failureOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return (error as UnitError).failure;
  }
  throw new Error("it did not fail");
}

/**
 * Components that pass on what they get, after the delay that they declare, or after another one;
 * the first one begins.
 */
function ring(delays: readonly (number | undefined)[], real?: number): Component {
  const relay = (delay: number | undefined, isFirst: boolean) =>
    atomic<
      { value: number },
      { in: ReturnType<typeof port<number>> },
      { out: ReturnType<typeof port<number>> }
    >({
      inputs: { in: port<number>() },
      outputs: { out: port<number>() },
      initial: { value: isFirst ? 1 : 0 },
      timeAdvance: ({ value }, { time }) =>
        value === 0 || value > 40
          ? Number.POSITIVE_INFINITY
          : time === 0
            ? 0.5
            : (real ?? delay ?? 0),
      output: ({ value }, send) => send("out", value),
      internal: () => ({ value: 0 }),
      external: (_, input) => ({ value: (input.get("in") ?? 0) + 1 }),
      ...(delay !== undefined && { minimumDelay: delay }),
    });
  const names = delays.map((_, i) => `r${i}`);
  return coupled({
    components: Object.fromEntries(names.map((name, i) => [name, relay(delays[i], i === 0)])),
    couplings: names.map((name, i) => `${name}.out -> ${names[(i + 1) % names.length]}.in`),
  });
}
