/**
 * Threads against the interpreter, one case each. Rules: docs/spec/parallel.md. Random couplings
 * are in machine-code/same-traces.test.ts.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Executor, interpreterExecutor } from "../../../engine/run-plan.ts";
import type { PlanState } from "../../../engine/signals.ts";
import { type CoupledRun, expectSameRuns, runOn } from "../machine-code/testing/both-executors.ts";
import type { NativeFmu } from "../native-options.ts";
import { Behaviour } from "../testing/behaviour.ts";
import { unpackFixtures, VERSIONS } from "../testing/fixtures.ts";
import { type ParallelOptions, parallelExecutor, type ThreadsReport } from "./parallel-executor.ts";

const fixture = unpackFixtures();

/** What the test's executors reported, and threads of this process while the last one lived. */
const seen: { report?: ThreadsReport | undefined; refusal?: string; threads: number } = {
  threads: 0,
};

/** Threads whatever the units cost, unless the options say otherwise. */
function onThreads(options: Partial<ParallelOptions> = {}): (state: PlanState) => Executor {
  return (state) => {
    delete seen.refusal;
    seen.report = undefined;
    const executor = parallelExecutor(state, {
      threads: 2,
      cores: 2,
      costs: state.units.map(() => 1),
      onRefusal: (reason) => {
        seen.refusal = reason;
      },
      ...options,
    });
    if (executor === undefined) return interpreterExecutor(state);
    return {
      name: executor.name,
      run(...args) {
        executor.run(...args);
        seen.report = executor.report;
        seen.threads = threadCount();
      },
      dispose: () => executor.dispose(),
    };
  };
}

/** Threads of this process that are ours: those of Node have been there before. */
function threadCount(): number {
  return readdirSync("/proc/self/task").length;
}

/** Two lags that drive each other, with libraries of their own. */
async function heavyPair(more: Partial<CoupledRun> = {}, work = 100): Promise<CoupledRun> {
  return {
    units: [
      { fmu: await fixture("fmi2/Heavy"), values: { work } },
      { fmu: await fixture("fmi3/Heavy"), values: { work } },
    ],
    wires: [
      { from: [0, "x"], to: [1, "u"] },
      { from: [1, "x"], to: [0, "u"], factor: 0.5 },
    ],
    step: 0.01,
    ticks: 500,
    chunk: 100,
    ...more,
  };
}

const pairOf = (fmus: readonly NativeFmu[], more: Partial<CoupledRun> = {}): CoupledRun => ({
  units: fmus.map((fmu) => ({ fmu })),
  wires: [],
  step: 0.01,
  ticks: 20,
  ...more,
});

describe("threads", () => {
  it.each(["NegativeStatus", "UnknownStatus", "NegativeGet"])(
    "[NA92] %s: a number that is not a status ends the run as it does in the interpreter",
    async (name) => {
      const fmus = [await fixture(`gotchas/fmi2/${name}`), await fixture(`gotchas/fmi3/${name}`)];
      for (const fmu of fmus) {
        const pair = pairOf([fmu, await fixture("fmi2/Dahlquist")], { ticks: 100 });
        const run = await expectSameRuns(pair, onThreads());
        expect(seen.refusal).toBeUndefined();
        expect(run.end).toMatchObject({ kind: "failed", failure: { unit: "u0" } });
      }
    },
  );

  it("[PA1] give the interpreter's trace", async () => {
    const { end, rows } = await expectSameRuns(await heavyPair(), onThreads());
    expect(end).toMatchObject({ kind: "completed", steps: 500 });
    expect(seen.report?.groups).toEqual([["u0"], ["u1"]]);
    expect(rows.at(-1)![1]).not.toBe(1);
  });

  it("[PA1] give it in micro-steps, in several rates and in rows seldom taken", async () => {
    const pair = await heavyPair({ recordEvery: 3, start: 1.7 });
    const units = pair.units.map((unit, u) => ({ ...unit, step: u === 0 ? 0.02 : 0.03 }));
    const wires = pair.wires.map((wire) => ({ ...wire, approximation: "quadratic" as const }));
    await expectSameRuns({ ...pair, units, wires }, onThreads());
    expect(seen.report?.groups).toHaveLength(2);
  });

  it("[PA6] are there while the run is, and gone after it", async () => {
    await runOn("machine-code", await heavyPair());
    const before = threadCount();
    await runOn(onThreads({ threads: 3, cores: 3 }), await threeUnits());
    expect(seen.threads).toBe(before + 2);
    expect(threadCount()).toBe(before);
  });

  it("[PA6] keep off the core of the thread that started them, which keeps all of its own", async () => {
    const allowed = (task: string): string =>
      /Cpus_allowed:\s*(\S+)/.exec(readFileSync(`/proc/self/task/${task}/status`, "utf8"))![1];
    const own = allowed(String(process.pid));
    const before = new Set(readdirSync("/proc/self/task"));
    let others: string[] = [];
    await runOn(
      (state) => {
        const executor = onThreads()(state);
        others = readdirSync("/proc/self/task").filter((task) => !before.has(task));
        others = others.map(allowed);
        expect(allowed(String(process.pid))).toBe(own);
        return executor;
      },
      await heavyPair({ ticks: 5 }),
    );
    const bits = (mask: string): number =>
      [...mask.replaceAll(",", "")].reduce(
        (sum, digit) => sum + Number.parseInt(digit, 16).toString(2).replaceAll("0", "").length,
        0,
      );
    expect(others.map(bits)).toEqual(bits(own) > 1 ? [bits(own) - 1] : [bits(own)]);
  });

  it("[PA3] are chosen by what the first ticks took", async () => {
    const costs = undefined as unknown as readonly number[];
    await expectSameRuns(await heavyPair({}, 5000), onThreads({ costs }));
    expect(seen.report?.groups).toHaveLength(2);
    await expectSameRuns(
      pairOf([await fixture("fmi2/Dahlquist"), await fixture("fmi3/Dahlquist")]),
      onThreads({ costs, clock: clockOf(1e-7) }),
    );
    expect(seen.report?.groups).toEqual([["u0", "u1"]]);
    expect(seen.report?.why).toContain("more threads would gain too little");
  });

  it("[PA3] are no more than the machine has cores", async () => {
    await runOn(onThreads({ threads: 8 }), await threeUnits());
    expect(seen.report).toMatchObject({ groups: [["u0", "u2"], ["u1"]] });
    expect(seen.report?.why).toBe("this machine has 2 cores");
  });

  it.each([
    ["one core", { cores: 1 }, "this machine has one core"],
    ["one thread", { threads: 1 }, "one thread was requested"],
  ])("[PA5] are refused for %s", async (_, options, reason) => {
    await runOn(onThreads(options), await heavyPair({ ticks: 3 }));
    expect(seen.refusal).toBe(reason);
  });

  it("[PA5] are refused where every unit waits for another", async () => {
    const pair = await heavyPair({ ticks: 20, master: "gauss-seidel" });
    const [wire] = pair.wires;
    const chain = { ...pair, wires: [{ ...wire!, approximation: "interpolation" as const }] };
    await expectSameRuns(chain, onThreads());
    expect(seen.refusal).toContain("every unit waits for another one");
  });

  it("[PA4] never run two instances of one library", async () => {
    const fmu = await fixture("fmi2/Heavy");
    await expectSameRuns(pairOf([fmu, fmu]), onThreads());
    expect(seen.refusal).toContain("instances of one library");
    await expectSameRuns(pairOf([fmu, await fixture("fmi2/Heavy")]), onThreads());
    expect(seen.report?.groups).toEqual([["u0"], ["u1"]]);
  });

  it("[PA4] never run two FMUs whose bundled libraries are the same", async () => {
    const both = [
      await fixture("gotchas/fmi2/BundledLibrary"),
      await fixture("gotchas/fmi2/BundledLibrary"),
    ];
    await expectSameRuns(pairOf(both), onThreads());
    expect(seen.refusal).toContain("instances of one library");
  });

  it.each(["OnlyOnce", "ExecutionTool"])("[PA4] leave %s where it was made", async (name) => {
    const fmus = [
      await fixture("fmi2/Heavy"),
      await fixture(`gotchas/fmi2/${name}`),
      await fixture("fmi3/Heavy"),
    ];
    // The pinned unit costs least, so it would be the last to be placed.
    await expectSameRuns(pairOf(fmus), onThreads({ costs: [3, 0.5, 2] }));
    expect(seen.report?.groups[0]).toContain("u1");
    expect(seen.report?.groups).toHaveLength(2);
  });

  it("[PA5] are refused when a logger works on one thread only", async () => {
    const pair = await heavyPair({ ticks: 3 });
    const options = { logger: "callback" as const };
    const units = pair.units.map((unit) => ({ ...unit, options }));
    await runOn(onThreads(), { ...pair, units });
    expect(seen.refusal).toBe("the logger of 'u0' works on one thread only");
  });

  async function threeUnits(): Promise<CoupledRun> {
    const names = ["fmi2/Heavy", "fmi3/Heavy", "fmi2/Dahlquist"];
    return pairOf(await Promise.all(names.map((name) => fixture(name))));
  }
});

/** A clock that moves a little every time it is read. */
function clockOf(seconds: number): () => number {
  let now = 0;
  return () => {
    now += seconds;
    return now;
  };
}

describe.each(VERSIONS)("a failure on a thread, %s", (version) => {
  const misbehaving = (): Promise<NativeFmu> => fixture(`${version}/Misbehaving`);

  /** Two units that misbehave, beside one that does not. */
  async function badPair(first: readonly [number, number], second: readonly [number, number]) {
    const bad = async ([behaviour, at]: readonly [number, number]) => ({
      fmu: await misbehaving(),
      values: { behaviour, at },
    });
    return {
      units: [await bad(first), { fmu: await fixture("fmi2/Dahlquist") }, await bad(second)],
      wires: [{ from: [2, "x"], to: [1, "k"] }],
      step: 0.01,
      ticks: 100,
      chunk: 40,
    } satisfies CoupledRun;
  }

  const { ok, warn, error, discard, fatal } = Behaviour;

  it.each([
    ["error", error],
    ["discard", discard],
    ["fatal", fatal],
  ])("[PA7] ends the run as ever: %s", async (_, behaviour) => {
    const coupling = await badPair([ok, 0], [behaviour, 0.455]);
    const { end } = await expectSameRuns(coupling, onThreads({ threads: 3, cores: 3 }));
    expect(seen.report?.groups).toEqual([["u0"], ["u1"], ["u2"]]);
    expect(end).toMatchObject({ kind: "failed", steps: 45 });
  });

  it("[PA7] is that of the unit that comes first, when two fail in one step", async () => {
    const coupling = await badPair([error, 0.455], [error, 0.455]);
    const { end, rows } = await runOn(onThreads({ threads: 3, cores: 3 }), coupling);
    const reference = await runOn("interpreter", coupling);
    expect(end).toMatchObject({ kind: "failed", failure: { unit: "u0" } });
    expect(end).toEqual(reference.end);
    expect(rows).toEqual(reference.rows);
  });

  it("[PA7] does not come from warnings, which are counted and heard", async () => {
    const coupling = await badPair([warn, 0.455], [warn, 0.305]);
    const { end, logs } = await expectSameRuns(coupling, onThreads({ threads: 3, cores: 3 }));
    expect(end).toMatchObject({ kind: "completed" });
    expect(logs.flat().length).toBeGreaterThan(0);
  });
});

describe("what FMUs say on threads", () => {
  it("[PA8] is heard completely, however much it is", async () => {
    const talkative = { values: { period: 0.01 }, options: { loggingOn: true } };
    const coupling: CoupledRun = {
      units: [
        { fmu: await fixture("fmi2/Heavy") },
        { fmu: await fixture("fmi2/Stair"), ...talkative },
      ],
      wires: [],
      step: 0.01,
      ticks: 400,
      chunk: 400,
    };
    const { logs } = await expectSameRuns(coupling, onThreads());
    expect(seen.report?.groups).toEqual([["u0"], ["u1"]]);
    expect(logs[1].length).toBeGreaterThan(256);
  });
});
