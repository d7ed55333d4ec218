/**
 * The monitor as people meet it: a coupling that diverges is named, can be stopped, and tells the
 * same whatever executes it.
 */
import { describe, expect, it } from "vitest";
import { fixture, numbersOf, Workplace } from "./cosimo.ts";

const place = new Workplace();
const scenario = place.write(
  "masses.yaml",
  [
    "units:",
    `  left: ${fixture("fmi3/MassSpringDamperLeft")}`,
    `  right: ${fixture("fmi2/MassSpringDamperRight")}`,
    "connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]",
    "experiment: { stop: 200, step: 2 }",
    "master: jacobi",
    "record: [left.x_1, master.growth]",
  ].join("\n"),
);

describe("cosimo run of a coupling that diverges", () => {
  it("[MO1] warns at the end, at the line of the connection", async () => {
    const { code, stderr } = await place.run("run", scenario, "--quiet");
    expect(code).toBe(0);
    expect(stderr).toMatch(/masses\.yaml:4.* warning run-diverges: .*'right\.F_c'/);
  });

  it("[MO7] ends there with --stop-on-divergence: exit code 3, the rows up to there are written", async () => {
    const ended = await place.run("run", scenario, "--stop-on-divergence", "-o", "ended.csv");
    expect(ended.code).toBe(3);
    expect(ended.stdout).toMatch(/rows: unstable/);
    expect(ended.stderr).toMatch(/cosimo: stopped at t=\d+: the coupling diverges/);
    const trace = place.trace("ended.csv");
    expect(trace.time.at(-1)).toBeGreaterThan(10);
    expect(trace.time.at(-1)).toBeLessThan(100);
  });

  it("[MO8] tells the same growth whatever executes the plan", async () => {
    await place.run("run", scenario, "--executor", "interpreter", "-o", "a.csv", "--quiet");
    await place.run("run", scenario, "--executor", "machine-code", "-o", "b.csv", "--quiet");
    const rates = numbersOf(place.trace("a.csv"), "master.growth");
    expect(numbersOf(place.trace("b.csv"), "master.growth")).toEqual(rates);
    expect(rates.at(-1)).toBeGreaterThan(0.1);
  });
});
