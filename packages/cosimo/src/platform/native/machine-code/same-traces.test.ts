/**
 * Random couplings: all executors give the same trace, bit for bit.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Executor, interpreterExecutor } from "../../../engine/run-plan.ts";
import type { PlanState } from "../../../engine/signals.ts";
import { parallelExecutor } from "../parallel/parallel-executor.ts";
import { Behaviour } from "../testing/behaviour.ts";
import { unpackFixtures } from "../testing/fixtures.ts";
import { expectSameRuns, type Run } from "./testing/both-executors.ts";
import {
  couplingPick,
  couplings,
  FMUS,
  FOLLOWED,
  PLAIN,
  unitPick,
} from "./testing/random-coupling.ts";

const SEED = 20_311;
const RUNS = 200;

const couplingOf = couplings(unpackFixtures());
const choice = couplingPick(FMUS, { units: 6, wires: 10 });

describe("both executors", () => {
  it(`[EN2] [MC1] [MC5] give the same trace and the same end for random couplings (seed ${SEED})`, async () => {
    const ends = new Map<string, number>();
    let inMachineCode = 0;
    await fc.assert(
      fc.asyncProperty(choice, async (chosen) => {
        const { end, executor } = await expectSameRuns(await couplingOf(chosen));
        const kind = typeof end === "string" ? end : end.kind;
        ends.set(kind, (ends.get(kind) ?? 0) + 1);
        if (executor === "machine-code") inMachineCode++;
      }),
      { seed: SEED, numRuns: RUNS },
    );
    // What is compared must be worth comparing: runs that complete, runs that fail, and machine
    // code in most of them.
    expect(ends.get("completed")).toBeGreaterThan(RUNS / 3);
    expect(ends.get("failed")).toBeGreaterThan(RUNS / 20);
    expect(inMachineCode).toBeGreaterThan((RUNS * 3) / 4);
  }, 60_000);

  it("[EN2] [MC1] give the same trace for up to fifty units that behave", async () => {
    const many = fc.record({
      chosen: choice,
      units: fc.array(unitPick(FMUS), { minLength: 20, maxLength: 50, size: "max" }),
    });
    let completed = 0;
    await fc.assert(
      fc.asyncProperty(many, async ({ chosen, units }) => {
        const good = units.map((unit) => ({ ...unit, behaviour: Behaviour.ok }));
        const { end } = await expectSameRuns(await couplingOf({ ...chosen, units: good }));
        if (typeof end !== "string" && end.kind === "completed") completed++;
      }),
      { seed: SEED, numRuns: 12 },
    );
    expect(completed).toBeGreaterThan(6);
  }, 60_000);

  it(`[EN2] [MC13] give the same trace and the same end where only some units are FMUs (seed ${SEED})`, async () => {
    // FMUs twice as often as all others.
    const names = [...FMUS, ...FMUS, ...PLAIN, ...PLAIN, ...FOLLOWED];
    const counts = new Map<string, number>();
    const few = couplingPick(names, { units: 8, wires: 16 });
    await fc.assert(
      fc.asyncProperty(few, fc.boolean(), async (chosen, recordTexts) => {
        const run = await expectSameRuns(await couplingOf(chosen, { recordTexts }));
        count(counts, kindOf(run));
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(counts.get("completed, mixed")).toBeGreaterThan(RUNS / 4);
    expect(counts.get("failed, mixed")).toBeGreaterThan(RUNS / 10);
  }, 60_000);

  it(`[EN2] [MC13] give the same trace for up to fifty units of all kinds that behave (seed ${SEED})`, async () => {
    const calm = PLAIN.filter((name) => name !== "plain/failing");
    const names = [...FMUS, ...calm, ...calm, ...FOLLOWED];
    const counts = new Map<string, number>();
    const many = fc.record({
      chosen: couplingPick(names, { units: 1, wires: 100 }),
      units: fc.array(unitPick(names), { minLength: 20, maxLength: 50, size: "max" }),
    });
    await fc.assert(
      fc.asyncProperty(many, async ({ chosen, units }) => {
        const good = units.map((unit) => ({ ...unit, behaviour: Behaviour.ok }));
        const coupling = await couplingOf({ ...chosen, units: good }, { recordTexts: true });
        count(counts, kindOf(await expectSameRuns(coupling)));
      }),
      { seed: SEED, numRuns: 20 },
    );
    expect(counts.get("completed, mixed")).toBeGreaterThan(5);
  }, 60_000);

  it(`[PA1] [PA7] so do threads (seed ${SEED})`, async () => {
    const ends = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(choice, async (chosen) => {
        let threads = 1;
        const inThreads = (state: PlanState): Executor => {
          const costs = state.units.map((_, unit) => 1 + (unit % 3));
          const executor = parallelExecutor(state, { threads: 3, cores: 3, costs });
          threads = executor?.report?.groups.length ?? 1;
          return executor ?? interpreterExecutor(state);
        };
        const { end } = await expectSameRuns(await couplingOf(chosen), inThreads);
        const kind = typeof end === "string" ? end : end.kind;
        const key = `${kind} on ${threads}`;
        ends.set(key, (ends.get(key) ?? 0) + 1);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(ends.get("completed on 2")).toBeGreaterThan(RUNS / 20);
    expect(ends.get("completed on 3")).toBeGreaterThan(RUNS / 10);
    expect(ends.get("failed on 3")).toBeGreaterThan(RUNS / 40);
  }, 60_000);
});

function kindOf({ end, machineCode }: Run): string {
  const kind = typeof end === "string" ? "thrown" : end.kind;
  const isMixed = machineCode !== undefined && machineCode.interpreted.length > 0;
  return `${kind}, ${isMixed ? "mixed" : machineCode ? "machine code" : "interpreter"}`;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
