/**
 * Scenarios from the command line: what `run` can do for one FMU it can do for several, also when
 * one of them fails.
 */
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixture, numbersOf, Workplace } from "./cosimo.ts";

const place = new Workplace();

/** Two units that know nothing of each other; one behaves as it is told. */
function write(name: string, behaviour: string): string {
  const text = [
    "name: two",
    "units:",
    `  good: ${fixture("fmi2/Dahlquist")}`,
    "  bad:",
    `    fmu: ${fixture("fmi2/Misbehaving")}`,
    `    set: { behaviour: ${behaviour} }`,
    "experiment: { stop: 1, step: 0.1 }",
  ].join("\n");
  writeFileSync(place.path(name), text);
  return name;
}

describe("a scenario", () => {
  it.each([
    ["error", "interpreter", /'bad' failed at t=0.4: fmi2DoStep returned fmi2Error/],
    ["error", "machine-code", /'bad' failed at t=0.4: fmi2DoStep returned fmi2Error/],
    ["segfault", "interpreter", /'bad' failed at t=0.4: fmi2DoStep ended with SIGSEGV/],
    ["abort", "interpreter", /'bad' failed at t=0.4: fmi2DoStep ended with SIGABRT/],
    ["discard", "machine-code", /'bad'.*stopped at t=0.45/],
  ])(
    "[CL4] whose unit does '%s' under the %s names it and keeps the rows",
    async (behaviour, executor, how) => {
      const out = `${behaviour}-${executor}.csv`;
      const file = write(`${behaviour}-${executor}.yaml`, behaviour);
      const ended = await place.run("run", file, "--executor", executor, "-o", out);
      expect(ended.code).toBe(3);
      expect(ended.stderr).toMatch(how);
      expect(numbersOf(place.trace(out), "bad.x")).toEqual([0, 0.1, 0.2, 0.30000000000000004, 0.4]);
    },
  );

  it.each([
    ["jacobi", "0.8999999999999999", true],
    ["iterative", "1", false],
    ["event-driven", "1", false],
  ])(
    "[RU2] under %s ends at t=%s where steps do not fit, and says so before if that is not the stop time",
    async (master, last, warns) => {
      const file = write(`stop-${master}.yaml`, "ok");
      const args = ["--step", "0.3", "--master", master, "-o", `stop-${master}.csv`];
      const ended = await place.run("run", file, ...args);
      expect(ended.code).toBe(0);
      expect(ended.stderr.includes("scenario-incomplete-stop")).toBe(warns);
      expect(ended.stdout).toContain(`completed at t=${last}`);
    },
  );

  it.each(["auto", "interpreter"])(
    "[IT23] under a master that decides at run time ends with what that did, and its notes (%s)",
    async (executor) => {
      const text = [
        "units:",
        `  left: ${fixture("fmi2/GriddedMass")}`,
        `  right: ${fixture("fmi2/MassSpringDamperRight")}`,
        "connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]",
        "master: iterative",
        "experiment: { stop: 1, step: 0.1 }",
      ].join("\n");
      writeFileSync(place.path(`own-${executor}.yaml`), text);
      const args = [`own-${executor}.yaml`, "--executor", executor];
      const ended = await place.run("run", ...args, "-o", `own-${executor}.csv`);
      expect(ended.code).toBe(0);
      expect(ended.stdout).toMatch(/master: 10 steps, .* iterations per step/);
      expect(ended.stdout).toMatch(/note: 'left' moves only about every 0\.1 s/);
      const json = await place.run("run", ...args, "--json", "-o", `own-${executor}.csv`);
      expect(JSON.parse(json.stdout).master).toMatchObject({
        steps: 10,
        notes: [expect.stringContaining("left")],
      });
    },
  );

  it.each([
    ["Dahlquist", [0.45]],
    ["MassSpringDamperLeftPlain", []],
  ])(
    "[EV8] lets an FMI 3 unit without event mode return early beside %s: where all can go back to meet it",
    async (other, between) => {
      const text = [
        "name: early",
        "units:",
        `  other: ${fixture(`fmi2/${other}`)}`,
        `  bad: { fmu: ${fixture("fmi3/Misbehaving")}, set: { behaviour: early-return } }`,
        "experiment: { stop: 1, step: 0.1 }",
        "master: iterative",
      ];
      const file = place.write(`early-${other}.yaml`, text.join("\n"));
      const ended = await place.run("run", file, "-o", `early-${other}.csv`);
      expect(ended.code).toBe(0);
      const times = numbersOf(place.trace(`early-${other}.csv`), "bad.x"); // x = t
      expect(times.filter((time) => time > 0.41 && time < 0.49)).toEqual(between);
    },
  );

  it("[CL4] loses no row of machine code to a crash", async () => {
    const file = place.write(
      "late.yaml",
      [
        "name: two",
        "units:",
        `  good: ${fixture("fmi2/Dahlquist")}`,
        `  bad: { fmu: ${fixture("fmi2/Misbehaving")}, set: { behaviour: segfault, at: 700 } }`,
        "experiment: { stop: 1000, step: 0.1 }",
      ].join("\n"),
    );
    const traces: string[] = [];
    for (const executor of ["interpreter", "machine-code"]) {
      const ended = await place.run(
        "run",
        file,
        "--executor",
        executor,
        "-o",
        `late-${executor}.csv`,
      );
      expect(ended.code).toBe(3);
      expect(ended.stderr).toContain("'bad' failed at t=700: fmi2DoStep ended with SIGSEGV");
      expect(ended.stdout).toContain("7,000 steps");
      traces.push(place.read(`late-${executor}.csv`));
    }
    expect(traces[1]).toBe(traces[0]);
    expect(traces[0]!.trim().split("\n")).toHaveLength(7002);
  });

  it("takes values, patterns, input signals and another master on the command line", async () => {
    const file = place.path("mass.yaml");
    writeFileSync(
      file,
      `name: mass\nunits: { left: ${fixture("fmi2/MassSpringDamperLeft")} }\nexperiment: { stop: 1, step: 0.1 }\n`,
    );
    writeFileSync(place.path("force.csv"), "time,left.F_e\n0,2\n1,2\n");
    const ended = await place.run(
      ...["run", file, "--set", "left.x_0=25 cm", "--input", place.path("force.csv")],
      ...["--record", "left.x_1", "--master", "gauss-seidel", "-o", "mass.csv"],
    );
    expect(ended.stderr).toBe("");
    expect(ended.code).toBe(0);
    const [first, , , last] = [...numbersOf(place.trace("mass.csv"), "left.x_1")].filter(
      (_, i) => i % 3 === 0,
    );
    expect(first).toBe(0.25);
    expect(last).toBeGreaterThan(0.25);
  });

  it.each([
    [["--set", "left.x_00=1"], /did you mean 'left.x_0'/],
    [["--record", "left.x1"], /did you mean 'left.x_1'/],
    [["--master", "gaus-seidel"], /did you mean 'gauss-seidel'/],
    [["--step", "0"], /step/],
  ])("[CL2] answers %j with the fix", async (options, text) => {
    const ended = await place.run("run", place.path("mass.yaml"), ...options);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(text);
  });
});
