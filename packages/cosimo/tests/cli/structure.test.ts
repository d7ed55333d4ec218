/**
 * Scenarios whose structure changes, with FMUs: units of both versions of FMI, events, formats,
 * options that need one plan.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
const [FAST, SLOW, STEP] = [2, 0.5, 0.1];
let file = "";
beforeAll(() => {
  file = place.write(
    "swap.yaml",
    `name: swap
units:
  fast: { fmu: ${fixture("fmi3/Dahlquist")}, set: { k: ${FAST} } }
  slow: { fmu: ${fixture("fmi2/Dahlquist")}, set: { k: ${SLOW} } }
  ball: ${fixture("fmi3/BouncingBall")}
experiment: { stop: 2 s, step: ${STEP} s }
structure:
  absent: [slow]
  rules:
    - when: fast.x < 0.2
      replace: fast
      with: slow
      transfer: { slow.x: fast.x }
    - { at: 1.3 s, remove: ball }
`,
  );
});

describe("a structure that changes, with FMUs", () => {
  it.each(["jacobi", "iterative", "adaptive"])(
    "[SI20] swaps an FMI 3 unit for an FMI 2 unit at a located condition: %s",
    async (master) => {
      const ended = await place.run("run", file, "--master", master, "-o", "out.csv", "--quiet");
      expect(ended.stderr).not.toContain("error");
      expect(ended.code).toBe(0);
      const { time, columns } = place.trace("out.csv");
      const column = (name: string) =>
        columns.find((one) => one.name === name)!.data as Float64Array;
      const first = column("slow.exists").indexOf(1);
      const gone = column("ball.exists").indexOf(0);
      expect(column("fast.x")[first - 1]).toBeCloseTo(0.2, 6);
      expect(column("slow.x")[first]).toBe(column("fast.x")[first - 1]);
      expect(time[gone]).toBe(1.3);
      expect(column("ball.h")[gone]).toBeNaN();
      expect(time.at(-1)).toBe(2);
      // The FMU takes explicit Euler steps: exact to first order.
      const exact = 0.2 * Math.exp(-SLOW * (2 - time[first]));
      expect(Math.abs(column("slow.x").at(-1)! - exact)).toBeLessThan(0.2 * SLOW * 0.1);
    },
  );

  it("[SI21] an FMU with events that persists bounces where it would have bounced", async () => {
    const alone = place.write(
      "alone.yaml",
      `units: { ball: ${fixture("fmi3/BouncingBall")} }\nexperiment: { stop: 1.3 s, step: ${STEP} s }\nmaster: iterative\n`,
    );
    await place.run("run", alone, "-o", "alone.csv");
    await place.run("run", file, "--master", "iterative", "-o", "swap.csv");
    const bounces = (name: string): number[] => {
      const { time, columns } = place.trace(name);
      const count = columns.find((one) => one.name === "ball.bounces")!.data;
      return [...time].filter((_, i) => i > 0 && Number(count[i]) > Number(count[i - 1]));
    };
    const expected = bounces("alone.csv");
    expect(expected.length).toBeGreaterThan(1);
    const found = bounces("swap.csv");
    expected.forEach((time, i) => {
      expect(found[i]).toBeCloseTo(time, 9);
    });
  });

  it("[SI33] is refused where one plan is needed, and every structure is explained", async () => {
    const checked = await place.run("check", file);
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain("when fast.x < 0.2: replaces 'fast' by 'slow'");
    expect(checked.stdout).toContain("swap, structure 4 of 4: slow");
    const { code, stderr } = await place.run("run", file, "--threads", "2", "-o", "no.csv");
    expect([code, stderr.includes("run-structure")]).toEqual([1, true]);
    const exported = await place.run("export", file, "-o", "no.fmu");
    expect([exported.code, exported.stderr.includes("structure-changes")]).toEqual([1, true]);
  });
});
