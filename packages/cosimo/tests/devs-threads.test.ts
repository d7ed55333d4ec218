/**
 * Discrete-event models on threads: the events of one kernel, whatever is chosen, and the reason
 * for the choice.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UnitError } from "../src/base/outcome.ts";
import { runDevs } from "../src/devs.ts";
import { runDevsModuleOn } from "../src/host/parallel/run-devs-module.ts";
import { phold } from "../src/parallel/testing/phold.ts";

const PROGRAM = new URL("../dist/host/parallel/part-worker.js", import.meta.url);
const DEVS = new URL("../dist/devs.js", import.meta.url).href;

let folder = "";
const file = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cosimo-threads-"));
  writeFileSync(file("phold.mjs"), PHOLD);
  writeFileSync(file("broken.mjs"), BROKEN);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As parallel/testing/phold.ts, in a file of a user: the same model in every thread. */
const PHOLD = `
import { atomic, coupled, exponential, port, seeded, uniform } from ${JSON.stringify(DEVS)};
const N = 8;
const ways = Object.fromEntries(Array.from({ length: N - 1 }, (_, k) => ["o" + k, port()]));
const names = Object.keys(ways);
const hold = (held, now) => {
  const at = now + 0.1 + exponential(held.random, 1);
  let place = held.due.length;
  while (place > 0 && held.due[place - 1] > at) place--;
  held.due.splice(place, 0, at);
};
const aim = (held) => {
  held.target = uniform(held.random) < 0.3 ? Math.floor((N - 1) * uniform(held.random)) : -1;
};
const unit = (i) => atomic({
  inputs: { in: port() },
  outputs: ways,
  initial: () => {
    const held = { due: [], target: -1, done: 0, sum: 0, random: seeded(i + 1) };
    for (let k = 0; k < 4; k++) hold(held, 0);
    aim(held);
    return held;
  },
  minimumDelay: 0.1,
  timeAdvance: ({ due }, now) => (due.length > 0 ? Math.max(0, due[0] - now.time) : Infinity),
  output: ({ target }, send) => { if (target >= 0) send(names[target], i); },
  internal: (held, now) => {
    held.done++;
    held.due.shift();
    if (held.target < 0) hold(held, now.time);
    aim(held);
  },
  external: (held, input) => { for (const _ of input.values("in")) hold(held, input.time); },
});
const all = Array.from({ length: N }, (_, i) => i);
export default coupled({
  name: "phold",
  components: Object.fromEntries(all.map((i) => ["u" + i, unit(i)])),
  couplings: all.flatMap((i) => names.map((o, k) => "u" + i + "." + o + " -> u" + ((i + 1 + k) % N) + ".in")),
});
`;

const BROKEN = `
import { atomic, coupled, port } from ${JSON.stringify(DEVS)};
const tick = (seconds, message) => atomic({
  outputs: { out: port() },
  initial: 0,
  timeAdvance: () => seconds,
  internal: (n) => { if (message && n === 3) throw new Error(message); return n + 1; },
});
export const fails = () => coupled({ components: { a: tick(1), b: tick(0.5, "b is broken"), c: tick(2, "c is broken") }, couplings: [] });
export const nothing = 42;
`;

describe("a model on threads", () => {
  it.each(["conservative", "optimistic"] as const)(
    "[PE10] %s threads give the events, transitions and states of one kernel",
    async (parallel) => {
      const expected = runDevs(phold({ units: 8, events: 4, remote: 0.3 }), {
        stop: 10,
        record: "all",
      });
      expect(expected.events.length).toBeGreaterThan(50);
      const options = { stop: 10, record: "all", parallel, threads: 3, most: 64 } as const;
      const found = await runDevsModuleOn(file("phold.mjs"), options, PROGRAM);
      expect(found.parallel).toMatchObject({ kind: parallel, reason: "as asked" });
      // Shares follow what events have cost.
      expect(found.parallel.parts).toBeGreaterThan(1);
      expect(found.events).toEqual(expected.events);
      expect(found.transitions).toBe(expected.transitions);
      expect([...found.states]).toEqual([...expected.states]);
      const steps = found.parallel.statistics.map((one) => one.steps);
      expect(Math.min(...steps)).toBeGreaterThan(0);
    },
  );

  it("[PE11] by itself stays with one kernel where events are short, and says why", async () => {
    const { parallel } = await runDevsModuleOn(file("phold.mjs"), { stop: 5, threads: 2 }, PROGRAM);
    expect(parallel.kind).toBe("sequential");
    expect(parallel.reason).toMatch(/^the whole run takes .* µs$/);
    const off = await runDevsModuleOn(file("phold.mjs"), { stop: 5, parallel: "off" });
    expect(off.parallel).toMatchObject({ kind: "sequential", reason: "as asked" });
  });

  it.each(["conservative", "optimistic"] as const)(
    "[PE7] a component that fails on a %s thread ends the run with the first failure",
    async (parallel) => {
      const options = { stop: 20, export: "fails", parallel, threads: 3 } as const;
      const error = await runDevsModuleOn(file("broken.mjs"), options, PROGRAM).catch((one) => one);
      expect(error).toBeInstanceOf(UnitError);
      expect((error as UnitError).failure).toMatchObject({
        unit: "b",
        call: "internal",
        time: 2,
        problem: "internal threw Error: b is broken",
      });
    },
  );

  it("[PE13] a run without an end stays on one core", async () => {
    const run = (options: object) =>
      runDevsModuleOn(file("broken.mjs"), {
        stop: Number.POSITIVE_INFINITY,
        export: "fails",
        ...options,
      });
    await expect(run({})).rejects.toThrow("b is broken");
    await expect(run({ parallel: "optimistic" })).rejects.toThrow("need an end");
    await expect(run({ stop: Number.NaN })).rejects.toThrow("'stop' is NaN");
  });

  it("[PE12] a module without a model, and inputs that it does not have, are refused", async () => {
    const run = (options: object) => runDevsModuleOn(file("broken.mjs"), { stop: 1, ...options });
    await expect(run({ export: "nothing" })).rejects.toThrow(
      "no discrete-event model as its export 'nothing'",
    );
    const inputs = [{ time: 0, port: "x", value: 1 }];
    await expect(run({ export: "fails", inputs })).rejects.toThrow("has no input 'x'");
  });
});
