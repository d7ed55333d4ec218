/**
 * Runs with checkpoints that meet what disks and people do: bits that flip in any file, and either
 * process killed at any moment.
 */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Ended, fixture, numbersOf, type Running, Workplace } from "./cosimo.ts";

const place = new Workplace();
copyFileSync(fixture("fmi2/Heavy"), place.path("Heavy.fmu"));
copyFileSync(fixture("fmi2/MassSpringDamperLeftPlain"), place.path("Plain.fmu"));

const STEP = 0.01;

/** One unit saves its state, of the other one the calls are logged. */
function scenario(name: string, steps: number, work: number): string {
  return place.write(
    `${name}.yaml`,
    `name: ${name}
units:
  heavy: { fmu: Heavy.fmu, set: { work: ${work} } }
  plain: Plain.fmu
connections: [heavy.x -> plain.F_e, plain.x_1 -> heavy.u]
experiment: { stop: ${steps * STEP}, step: ${STEP} }
master: jacobi
`,
  );
}

const filesIn = (folder: string): string[] =>
  existsSync(place.path(folder)) ? readdirSync(place.path(folder)).sort() : [];
const checkpointsIn = (folder: string): string[] =>
  filesIn(folder).filter((name) => /^checkpoint-\d+\.bin$/.test(name));

async function until(condition: () => boolean, running: Running): Promise<void> {
  let isOver = false;
  void running.ended.then(() => {
    isOver = true;
  });
  while (!condition() && !isOver) await sleep(5);
}

describe("a bit that flips", { timeout: 300_000 }, () => {
  const FOLDER = "flipped.csv.checkpoint";

  it("[CK13] in any region of any file has the run refused, and put back it goes on", async () => {
    const file = scenario("flipped", 12_000, 4000);
    const args = ["run", file, "-o", "flipped.csv", "--checkpoint", "every=20s"];
    await place.run("run", file, "-o", "whole.csv");
    const running = place.start(...args);
    await until(() => checkpointsIn(FOLDER).includes("checkpoint-4.bin"), running);
    running.process.kill("SIGKILL");
    await running.ended;
    // With one checkpoint there is none to fall back to.
    const [newest, ...others] = checkpointsIn(FOLDER).reverse();
    for (const name of others) rmSync(join(place.path(FOLDER), name));
    const size = (name: string): number => readFileSync(join(place.path(FOLDER), name)).length;
    // The spool is allocated in pieces; what the checkpoint counts lies at the beginning of the
    // first.
    const places: readonly (readonly [string, readonly number[]])[] = [
      [newest!, [2, 9, 13, 18, 30, 120, size(newest!) >> 1, size(newest!) - 1]],
      ["rows-0.bin", [7, 9, 100, 4096, 40_000]],
      ["replay-1.bin", [0, 7, 500, 5000]],
    ];
    expect(filesIn(FOLDER).filter((name) => name.endsWith(".bin"))).toEqual(
      expect.arrayContaining(places.map(([name]) => name)),
    );
    for (const [name, offsets] of places) {
      const path = join(place.path(FOLDER), name);
      const whole = readFileSync(path);
      for (const at of offsets) {
        const flipped = Buffer.from(whole);
        flipped[at]! ^= 1 << (at % 8);
        writeFileSync(path, flipped);
        const ended = await place.run(...args, "--resume");
        expect.soft(ended.code, `byte ${at} of ${name}: ${ended.stderr}`).toBe(1);
        expect.soft(ended.stderr).toMatch(/checkpoint-(torn|version|damaged|rows-missing|missing)/);
      }
      writeFileSync(path, whole);
    }
    const resumed = await place.run(...args, "--resume");
    expect(resumed.stderr).toBe("");
    expect(place.read("flipped.csv")).toBe(place.read("whole.csv"));
  });
});

/** Numbers in [0, 1) that are the same in every run of the test. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @returns false where there was nothing to kill. */
function killOne(pid: number, victim: "worker" | "supervisor"): boolean {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    if (victim === "worker" && children === "") return false;
    process.kill(victim === "worker" ? Number(children.split(" ").at(-1)) : pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

/** Rows from the beginning, one per step, none missing and none twice. */
function expectContinuous(file: string): void {
  const times = Array.from(place.trace(file).time);
  expect(times).toEqual(times.map((_, k) => k * STEP));
  expect(numbersOf(place.trace(file), "heavy.x")).toHaveLength(times.length);
}

describe.runIf(process.platform === "linux")("kill -9", { timeout: 300_000 }, () => {
  it.each([1, 2])("[CK9] [CK12] of either process, whenever it comes: seed %i", async (seed) => {
    const random = seeded(seed);
    const name = `killed-${seed}`;
    const folder = `${name}.csv.checkpoint`;
    const file = scenario(name, 6000, 4000);
    const began = performance.now();
    await place.run("run", file, "-o", `${name}-whole.csv`);
    const wholeMs = performance.now() - began;
    const args = ["run", file, "-o", `${name}.csv`, "--checkpoint", "wall=50ms"];
    const resume = (): string[] => (checkpointsIn(folder).length > 0 ? ["--resume"] : []);
    let kills = 0;
    for (const victim of ["worker", "supervisor", "worker"] as const) {
      const running = place.start(...args, ...resume());
      await sleep(random() * wholeMs * 0.5);
      const isHit = running.process.exitCode === null && killOne(running.process.pid!, victim);
      const ended: Ended = await running.ended;
      // It may have been over before, or have had no worker yet.
      if (!isHit || ended.code === 0) continue;
      kills++;
      if (victim === "supervisor") expect(ended.signal).toBe("SIGKILL");
      else expect({ code: ended.code, said: ended.stderr }).toMatchObject({ code: 3 });
      if (victim === "worker") expect(ended.stderr).toContain("SIGKILL");
      if (existsSync(place.path(`${name}.csv`))) expectContinuous(`${name}.csv`);
    }
    expect(kills).toBeGreaterThan(0);
    const last = await place.run(...args, ...resume());
    expect(last.code).toBe(0);
    expectContinuous(`${name}.csv`);
    expect(place.read(`${name}.csv`)).toBe(place.read(`${name}-whole.csv`));
  });
});
