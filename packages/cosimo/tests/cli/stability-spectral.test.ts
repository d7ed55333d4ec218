/**
 * `cosimo stability spectral` as a user meets it: a page, JSON, a table, a picture, and exit codes.
 */
import { describe, expect, it } from "vitest";
import { fixture, Workplace } from "./cosimo.ts";
import { steppedMasses } from "./stepped-masses.ts";

const place = new Workplace();

function scenario(name: string, step: number): string {
  return place.write(
    name,
    `name: two masses
units:
  left: ${fixture("fmi3/MassSpringDamperLeft")}
  right: { fmu: "${fixture("fmi2/MassSpringDamperRight")}", set: { d: 2 } }
connections:
  - left.x_1 -> right.x_c
  - left.v_1 -> right.v_c
  - right.F_c -> left.F_e
experiment: { stop: 1 s, step: ${step} s }
master: jacobi
`,
  );
}

const COARSE = ["--from", "0.5", "--to", "2", "--points", "8"];

describe("cosimo stability spectral", () => {
  it("[ST14] prints a page, and writes a picture and a table", async () => {
    const ended = await place.run(
      "stability",
      "spectral",
      scenario("masses.yaml", 0.1),
      ...COARSE,
      ...[
        "--plot",
        place.path("r.svg"),
        "--plot",
        place.path("r.png"),
        "--csv",
        place.path("r.csv"),
      ],
    );
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    for (const words of [
      "two masses: small deviations from where it is at t = 0 s, with fixed steps of 0.1 s",
      "left   2 states (x_1, v_1)",
      "* jacobi                             0.925040  stable  1.247 s, 12 times the step",
      "iterative                          0.926119  stable  no limit from 0.5 s to 2 s",
      "left.x_1 -> right.x_c",
      "jacobi is stable with steps of 0.1 s",
    ])
      expect(ended.stdout).toContain(words);
    expect(place.read("r.svg")).toContain("jacobi: 1.247 s (chosen)");
    const [head, first] = place.read("r.csv").split("\n");
    expect(head).toContain('step,"jacobi","gauss-seidel left → right"');
    // Theory at H = 0.5.
    expect(first).toMatch(/^0\.5,0\.66002\d*,0\.655043\d*,0\.658908\d*,/);
    expect(place.leftovers()).toEqual([]);
  });

  it("[ST14] prints everything as JSON", async () => {
    const ended = await place.run(
      "stability",
      "spectral",
      scenario("json.yaml", 2),
      ...COARSE,
      "--json",
    );
    const report = JSON.parse(ended.stdout) as { masters: { radius: number; isStable: boolean }[] };
    expect(report.masters[0]!.radius).toBeCloseTo(1.683953, 6);
    expect(report.masters[0]!.isStable).toBe(false);
  });

  it("[ST15] writes maps that 'stability jsr' reads", async () => {
    const maps = place.path("maps.json");
    const path = scenario("maps.yaml", 0.1);
    const wrong = await place.run("stability", "spectral", path, "--maps", maps, "--sizes", "1,x");
    expect(wrong).toMatchObject({ code: 2 });
    const made = await place.run(
      ...["stability", "spectral", path, ...COARSE, "--maps", maps, "--sizes", "0.5,1"],
    );
    expect(made.code).toBe(0);
    const bounded = await place.run("stability", "jsr", maps, "--budget", "2s");
    expect(bounded.code).toBe(0);
    // Nothing is slower than jacobi at H = 1, or at 0.5: theory has 0.67357 and 0.678642 for the
    // slowest of all maps.
    expect(bounded.stdout).toContain("at least  0.67864");
    expect(bounded.stdout).toContain("stable: every allowed sequence tends to zero");
  });

  it("[ST6] says which policy of an adaptive master the units were looked at with", async () => {
    const file = place.write(
      "policies.yaml",
      steppedMasses(
        fixture("fmi2/SteppedMassLeft"),
        fixture("fmi2/SteppedMassRight"),
        "{ stop: 1 s, step: 0.1 s }",
      ),
    );
    const narrow = ["--from", "0.1", "--to", "0.2", "--points", "2"];
    const page = await place.run("stability", "spectral", file, ...narrow);
    expect(page.stdout).toMatch(/\* jacobi, hold, steps fixed +0\.99\d+ +stable/);
    expect(page.stdout).toContain("units are as the policy 'careful' sets them");
    // Without decisions units are as their files say, with one step inside: theory has 1.002506.
    const plain = await place.run("stability", "spectral", file, ...narrow, "--master", "jacobi");
    expect(plain.stdout).toMatch(/\* jacobi, hold +1\.002506 +unstable/);
    expect(plain.stdout).not.toContain("as the policy");
  });

  it("[ST14] is quoted by check where it is asked to, and otherwise said to be unknown", async () => {
    const path = scenario("check.yaml", 2);
    const asked = await place.run("check", path, "--stability");
    expect(asked.code).toBe(0);
    expect(asked.stdout).toContain(
      "jacobi is unstable with steps of 2 s: a deviation doubles every 2.66 s",
    );
    const plain = await place.run("check", path);
    expect(plain.stdout).toContain("stability\n  not analysed");
  });

  it("[ST14] tells usage, the scenario's mistakes and failing units apart", async () => {
    const path = scenario("wrong.yaml", 0.1);
    const usage = await place.run("stability", "spectral", path, "--jitter", "1.5");
    expect(usage.code).toBe(2);
    expect(usage.stderr).toContain("--jitter is a part of the step below 1, not 1.5");
    const unknown = await place.run("stability", "spectral", path, "--master", "jakobi");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain("did you mean 'jacobi'?");
    const crash = place.write(
      "crash.yaml",
      `units: { bad: ${fixture("fmi2/Misbehaving")} }
experiment: { stop: 1 s, step: 0.1 s }
`,
    );
    const failing = await place.run(
      "stability",
      "spectral",
      crash,
      "--set",
      "bad.behaviour=segfault",
      "--set",
      "bad.at=0.05",
    );
    expect(failing.code).toBe(3);
    expect(failing.stderr).toMatch(/cosimo: .*crash.yaml: .*\n {2}fix: /);
  });
});
