/** Requirements at the command line: verdicts, exit codes, runs that stop, mistakes. */
import { copyFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
for (const name of ["MassSpringDamperLeft", "MassSpringDamperRight"])
  copyFileSync(fixture(`fmi2/${name}`), place.path(`${name}.fmu`));

const masses = (name: string, requirements: readonly string[], more = ""): string =>
  place.write(
    `${name}.yaml`,
    `units: { left: MassSpringDamperLeft.fmu, right: MassSpringDamperRight.fmu }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 2 s, step: 10 ms }
master: jacobi
${more}
requirements:
${requirements.map((one) => `  - ${one}\n`).join("")}`,
  );

describe("requirements of a run", () => {
  it("[RQ17] have a verdict each in the summary, with amount, signal and instant", async () => {
    const scenario = masses("both", [
      "always left.x_1 < 100 m as far",
      "always left.x_1 > 0.9 m as near",
      "always left.v_1 < 1 m/s after left.x_1 > 50 m as never",
    ]);
    const { code, stdout, stderr } = await place.run("run", scenario);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/ {2}satisfied: far, [\d.]+ m to spare \(left\.x_1 at t=[\d.]+\)\n/);
    expect(stdout).toMatch(
      / {2}violated: near, by [\d.]+ m \(left\.x_1 at t=[\d.]+\)(, first at t=[\d.]+)?\n/,
    );
    expect(stdout).toContain("  satisfied: never, its scope never began\n");
    const required = await place.run("run", scenario, "--require", "--quiet");
    expect([required.code, required.stdout]).toEqual([1, ""]);
  });

  it("[RQ17] that are asked for and are not there are missed aloud", async () => {
    const { code, stderr } = await place.run("run", fixture("fmi2/Dahlquist"), "--require", "-q");
    expect([code, stderr]).toEqual([0, expect.stringContaining("nothing was checked")]);
  });

  it("[RQ17] are in --json, in metadata, and about signals that 'record' does not name", async () => {
    const scenario = masses("json", ["always left.x_1 < 100 m as far"], "record: [right.*]");
    const out = place.path("json.csv");
    const { code, stdout } = await place.run("run", scenario, "--require", "--json", "-o", out);
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    const trace = place.trace("json.csv");
    const x = trace.columns.find(({ name }) => name === "left.x_1")?.data as Float64Array;
    const highest = Math.max(...x);
    expect(report.requirements).toMatchObject([
      {
        name: "far",
        state: "satisfied",
        unit: "m",
        robustness: 100 - highest,
        decision: { time: trace.time[x.indexOf(highest)], signals: ["left.x_1"] },
        isVacuous: false,
        violations: [],
      },
    ]);
  });

  it("[RQ16] end a run that is coordinated by events, too", async () => {
    copyFileSync(fixture("fmi3/BouncingBallClocked"), place.path("ball.fmu"));
    copyFileSync(fixture("fmi3/Counter"), place.path("counter.fmu"));
    const scenario = place.write(
      "events.yaml",
      `units: { ball: ball.fmu, counter: counter.fmu }
connections: [ball.bounce -> counter.tick, ball.bounces -> counter.u]
experiment: { stop: 3 s, step: 100 ms }
master: event-driven
requirements: [always ball.bounces < 3]
`,
    );
    const { code, stdout } = await place.run("run", scenario, "--stop-on-violation", "--json");
    const { outcome, requirements } = JSON.parse(stdout);
    expect([code, outcome.kind]).toEqual([1, "violated"]);
    expect(requirements[0].violations[0].from).toBeCloseTo(1.526, 2);
    expect(outcome.time).toBeLessThan(2.6);
  });

  it("[RQ16] end a run where one is violated", async () => {
    const scenario = masses("stop", ["always left.x_1 > 0.9 m as near"]);
    const whole = JSON.parse((await place.run("run", scenario, "--json")).stdout);
    const { code, stdout } = await place.run("run", scenario, "--stop-on-violation", "--json");
    const { outcome, requirements } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(outcome).toMatchObject({ kind: "violated", requirement: "near" });
    const first = whole.requirements[0].violations[0].from;
    expect(requirements[0].violations[0].from).toBe(first);
    // Some steps of 10 ms later, long before the end.
    expect(outcome.time).toBeGreaterThanOrEqual(first);
    expect(outcome.time).toBeLessThan(first + 0.3);
    const said = await place.run("run", scenario, "--stop-on-violation");
    expect(said.stdout).toMatch(/stopped at t=[\d.]+, where 'near' is violated/);
    const both = await place.run(
      "run",
      scenario,
      "--stop-on-violation",
      "--checkpoint",
      "every=1s",
      "-o",
      place.path("x.csv"),
    );
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining("--stop-on-violation cannot be used with --checkpoint"),
    ]);
  });

  it("[RQ15] that name what is not there are refused with a place", async () => {
    const scenario = masses("wrong", ["always left.x_2 < 100 m", "always left.x_1 < 5 kg"]);
    const { code, stderr } = await place.run("run", scenario);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "wrong.yaml:7:12 error unknown-port: 'left' has no port 'x_2'\n  fix: did you mean 'x_1'?",
    );
    expect(stderr).toContain(
      "error requirement-units: the two sides of '<': 'kg' and 'm' measure different things",
    );
  });

  it("[RQ15] may name what the run reports of itself, if it does", async () => {
    const scenario = masses("statistic", ["always master.iterations < 100"]);
    const { code, stderr } = await place.run("run", scenario);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("requirement-no-column: the run has no 'master.iterations'"),
    ]);
    const iterated = await place.run("run", scenario, "--master", "iterative", "--require");
    expect([iterated.code, iterated.stdout]).toEqual([
      0,
      expect.stringContaining("satisfied: always master.iterations < 100"),
    ]);
  });

  it("[RQ19] may stand in a file of hints; facts about units are not checked", async () => {
    const hints = (bond: string): string => `Hint near {
  description "It stays where it is."
  statements { Property near := left.x_1 > 0.9 m Event moved := left.v_1 < -0.1 m/s }
  scope After moved
  pattern Universality: always-the-case-that near holds
}
Hint bond {
  statements { Property bond := left.v_1 == PowerBondSuggestions with right.${bond} }
  scope Globally
  pattern Universality: always-the-case-that bond holds
}
`;
    place.write("expected.hint", hints("F_c"));
    const scenario = masses("hinted", ["expected.hint"]);
    const { code, stdout, stderr } = await place.run("run", scenario, "--require");
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(/ {2}violated: near, by [\d.]+ m \(left\.x_1 at t=/);
    expect(stdout).not.toContain("bond:");
    place.write("expected.hint", hints("F_x"));
    const wrong = await place.run("run", scenario);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining("expected.hint:8:16 error unknown-port: 'right' has no port 'F_x'"),
    ]);
    const missing = await place.run("run", masses("missing", ["nowhere.hint"]));
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining(
        "requirements-unreadable: cannot read the requirements 'nowhere.hint': there is no such file",
      ),
    ]);
  });
});
