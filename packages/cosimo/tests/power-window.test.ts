/**
 * A power window of five FMUs that do not fit each other, made to fit by six adaptations around
 * them: what the whole has to do, against the motor's steady state and against one model of
 * everything that nobody coupled.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { simulateScenarioFile } from "../src/host/scenario-file.ts";

const EXAMPLE = join(import.meta.dirname, "..", "..", "..", "examples", "power-window");

/** Motor, window and obstacle as their FMUs start. */
const [B, K, R, V] = [5, 7.45, 0.15, 12];
const [RADIUS, FRICTION, POSITION] = [0.11, 10, 0.45];
const SPEED = (K * V) / (R * (B + RADIUS * FRICTION) + K ** 2);
const CURRENT = ((B + RADIUS * FRICTION) * SPEED) / K;
/**
 * controller.sa: the threshold, and how close to it counts as at it. The greatest value that
 * is_close takes for 5 A is 5 A / (1 - RTOL).
 */
const [THRESHOLD, RTOL] = [5, 1e-4];
const HIGHEST = THRESHOLD / (1 - RTOL);
const [STEP, STOP, BEYOND_CONTACT] = [0.002, 5, 3.3];

interface Run {
  readonly time: readonly number[];
  readonly of: (name: string) => readonly number[];
}

async function run(name: string, step: number, stop: number): Promise<Run> {
  const { outcome, trace } = await simulateScenarioFile(join(EXAMPLE, name), {
    step,
    stop,
    trust: true,
  });
  expect(outcome.kind).toBe("completed");
  const columns = new Map(
    trace.columns.map((column) => [column.name, Array.from(column.data, Number)]),
  );
  return { time: Array.from(trace.time), of: (column) => columns.get(column)! };
}

/** When `height` gets to the obstacle, on the line between the points around it. */
function contact({ time }: Run, height: readonly number[]): number {
  const k = height.findIndex((value) => value >= POSITION);
  const part = (POSITION - height[k - 1]!) / (height[k]! - height[k - 1]!);
  return time[k - 1]! + part * (time[k]! - time[k - 1]!);
}

/** The greatest difference of the currents at the times that are multiples of `STEP`. */
function error(adapted: Run, monolithic: Run): number {
  const exact = byTime(monolithic, "window.i");
  const found = byTime(adapted, "power.armature_current");
  const points = Array.from({ length: Math.round(BEYOND_CONTACT / STEP) + 1 }, (_, n) => n);
  return Math.max(...points.map((n) => Math.abs(found.get(n)! - exact.get(n)!)));
}

function byTime({ time, of }: Run, column: string): Map<number, number> {
  const at = (k: number): number => Math.round(time[k]! / STEP);
  const onGrid = time.map((_, k) => k).filter((k) => Math.abs(time[k]! - at(k) * STEP) < 1e-12);
  return new Map(onGrid.map((k) => [at(k), of(column)[k]!]));
}

describe("the power window", () => {
  let adapted: Run;
  let monolithic: Run;
  beforeAll(async () => {
    adapted = await run("adapted.yaml", STEP, STOP);
    monolithic = await run("monolithic.yaml", STEP, STOP);
  }, 60_000);

  it("[AU60] rises, and falls, with the speed and the current of the steady state", () => {
    for (const [at, direction] of [
      [3, 1],
      [4.1, -1],
    ] as const) {
      const row = adapted.time.findIndex((time) => Math.abs(time - at) < 1e-9);
      const current = adapted.of("power.armature_current")[row]!;
      expect(Math.abs(current - direction * CURRENT)).toBeLessThan(1e-6);
      expect(Math.abs(adapted.of("power.speed")[row]! - direction * SPEED)).toBeLessThan(1e-6);
    }
  });

  it("[AU61] meets the obstacle within a step of when one model of everything does", () => {
    const height = adapted.of("power.displacement").map((angle) => RADIUS * angle);
    const expected = contact(monolithic, monolithic.of("window.height"));
    expect(Math.abs(contact(adapted, height) - expected)).toBeLessThan(STEP);
  });

  it("[AU62] turns round at 5 A within the tolerance of the crossing, and the current goes no higher", () => {
    const current = adapted.of("power.armature_current");
    const down = adapted.of("controller.d").indexOf(1);
    expect(adapted.of("controller.u")[down - 1]).toBe(1);
    expect(current[down]).toBeGreaterThanOrEqual(THRESHOLD * (1 - RTOL));
    expect(Math.max(...current)).toBeLessThanOrEqual(HIGHEST);
  });

  it("[AU63] retracts for a second, whatever the button says, and rests where one model of everything does", () => {
    const [up, down] = [adapted.of("controller.u"), adapted.of("controller.d")];
    const begin = down.indexOf(1);
    const end = down.indexOf(0, begin);
    expect(adapted.time[end]! - adapted.time[begin]!).toBeCloseTo(1, 9);
    expect(up.slice(begin)).not.toContain(1);
    expect(down.slice(end)).not.toContain(1);
    const turned = adapted.time.findIndex((time) => time > adapted.time[begin]! + 0.1);
    expect(Math.max(...adapted.of("power.speed").slice(turned, end))).toBeLessThan(0);
    expect(Math.abs(adapted.of("power.speed").at(-1)!)).toBeLessThan(1e-6);
    // A step of the steady speed: what being late by a step comes to.
    const height = RADIUS * adapted.of("power.displacement").at(-1)!;
    const expected = monolithic.of("window.height").at(-1)!;
    expect(Math.abs(height - expected)).toBeLessThan(RADIUS * SPEED * STEP);
  });

  it("[AU64] is wrong by half as much with half the step", async () => {
    const errors = [error(adapted, monolithic)];
    for (const part of [2, 4])
      errors.push(error(await run("adapted.yaml", STEP / part, BEYOND_CONTACT), monolithic));
    for (const [coarse, fine] of [errors.slice(0, 2), errors.slice(1)]) {
      const order = Math.log2(coarse! / fine!);
      expect(order).toBeGreaterThan(0.9);
      expect(order).toBeLessThan(1.1);
    }
  });

  it("[AU65] takes adaptations of a tenth of the 3,510 lines that five of them took in C", () => {
    const names = ["lazy", "controller", "power", "window", "loop", "rate"];
    const lines = names.map((name) => {
      return readFileSync(join(EXAMPLE, `${name}.sa`), "utf8")
        .trimEnd()
        .split("\n").length;
    });
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(3510 / 10);
  });
});
