/** The search for a master, and orchestration algorithms, at the command line. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
for (const name of ["Environment", "Controller", "Plant", "Load"])
  copyFileSync(fixture(`fmi2/Servo${name}`), place.path(`${name}.fmu`));

const HINTS = readFileSync(
  join(import.meta.dirname, "../../../../examples/servo/servo.hint"),
  "utf8",
);
place.write("servo.hint", HINTS);
const servo = (name: string, requirements = "servo.hint"): string =>
  place.write(
    name,
    `units:
  environment: Environment.fmu
  controller: Controller.fmu
  plant: Plant.fmu
  load: Load.fmu
connections:
  - environment.ref -> controller.ref
  - environment.psu -> plant.psu
  - controller.u -> plant.u
  - plant.v -> controller.v
  - load.x -> controller.xaft
  - plant.f -> load.f # the joint
  - load.v -> plant.v_l
experiment: { stop: 2 ms, step: 1 us }
master: jacobi
requirements: ${requirements}
`,
  );

describe("cosimo search", () => {
  it("[SR1] [SR4] lists variants without running them, and draws the schedule of one", async () => {
    const scenario = servo("list.yaml");
    const graph = place.path("schedule.svg");
    const { code, stdout } = await place.run(
      ...["search", scenario, "--rules", "hints", "--graph", graph, "--variant", "3", "--json"],
    );
    expect(code).toBe(0);
    const { variants, points } = JSON.parse(stdout);
    expect(points.map(({ name }: { name: string }) => name)).toEqual(["H", "R of environment"]);
    expect(variants).toMatchObject([
      { rank: 3, label: "H = 1e-6 s, R of environment = 100", cost: 206_000 },
    ]);
    expect(variants[0].schedule.order).toContain("step plant");
    const drawn = readFileSync(graph, "utf8");
    expect(drawn).toContain("variant 3: H = 1e-6 s, R of environment = 100");
    expect(drawn).toMatch(/\d+\. step load/);
  });

  it("[SR1] [SR3] interpolates and extrapolates where units and masters can, and says where not", async () => {
    for (const name of ["Left", "Right"])
      copyFileSync(fixture(`fmi2/MassSpringDamper${name}`), place.path(`Masses${name}.fmu`));
    const scenario = place.write(
      "masses.yaml",
      `units: { left: MassesLeft.fmu, right: MassesRight.fmu }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 4 s, step: 1 s }
requirements: [always abs(left.x_1) < 1.01 m]
`,
    );
    const listed = await place.run("search", scenario, "--rules", "hints", "--list", "--json");
    const { variants } = JSON.parse(listed.stdout) as {
      variants: { choices: Record<string, string>; obstacle?: string; cost?: number }[];
    };
    expect(variants).toHaveLength(32);
    for (const { choices, obstacle, cost = 0 } of variants) {
      const [left, right] = [choices["inputs of left"], choices["inputs of right"]];
      if (left === "interpolated" && right === "interpolated")
        expect(obstacle).toMatch(/^the operations wait for each other: step left/);
      else {
        expect(obstacle).toBeUndefined();
        // R steps of each unit in each H.
        const steps = Number(choices["R of left"]) + Number(choices["R of right"]);
        expect(cost).toBeCloseTo((steps * 4) / Number.parseFloat(choices["H"] ?? ""), 6);
      }
    }
    const out = place.path("found-masses.yaml");
    const found = await place.run(
      ...["search", scenario, "--rules", "hints", "--runs", "1", "--no-stability", "-o", out],
    );
    expect([found.code, found.stderr]).toEqual([0, ""]);
    const text = readFileSync(out, "utf8");
    expect(text).toMatch(/kind: reactive \}.* # rule 4: interpolated/);
    expect(text).toContain("adapt: { multi-rate: { rate: 10 } }");
  });

  it("[SR5] [SR6] runs variants and writes the one that satisfies everything", async () => {
    const scenario = servo("servo.yaml");
    const [out, front] = [place.path("found.yaml"), place.path("front.svg")];
    const { code, stdout, stderr } = await place.run(
      ...["search", scenario, "--rules", "hints", "--runs", "1", "-o", out, "--plot", front],
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("found: H = 1e-6 s, R of environment = 10\n");
    expect(stdout).toContain("3 variants not run: after 1 runs, as requested");
    const text = readFileSync(out, "utf8");
    expect(text).toContain("environment: { fmu: Environment.fmu, step: 100 ns } # rule 4");
    expect(text).toContain("preserve: energy");
    expect(readFileSync(front, "utf8")).toContain("all satisfied");
    const again = await place.run("run", out, "--json");
    const { requirements } = JSON.parse(again.stdout);
    expect(requirements).toMatchObject([{ state: "satisfied" }, { state: "satisfied" }]);
    // What is written is what was run.
    const said = /smooth, (\S+) to spare/.exec(text)?.[1];
    expect(requirements[0].robustness.toPrecision(4)).toBe(Number(said).toPrecision(4));
  });

  it("[SR7] says when no variant satisfies a requirement, and writes nothing", async () => {
    const scenario = servo("never.yaml", "[servo.hint, always load.x < 100 nm as hopeless]");
    const out = place.path("none.yaml");
    const { code, stdout } = await place.run(
      ...["search", scenario, "--rules", "hints", "--runs", "1", "--no-stability", "-o", out],
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /no variant satisfies 'hopeless'; the closest one is violated: hopeless, by 9\S* m/,
    );
    expect(stdout).toContain("perhaps it is not the master but the model, or the requirement");
    expect(existsSync(out)).toBe(false);
  });

  it("[SR7] refuses what it cannot do with a reason", async () => {
    const none = await place.run("search", servo("nothing.yaml", "[]"));
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("it requires nothing")]);
    const usage = await place.run("search", "system.ssp");
    expect([usage.code, usage.stderr]).toEqual([
      2,
      expect.stringContaining("is not a scenario.yaml"),
    ]);
  });
});

describe("orchestration algorithms", () => {
  const UNITS = `units:
  controller: { inputs: { x: delayed }, outputs: { u: [] } }
  plant: { inputs: { u: reactive }, outputs: { x: [] }, mayRefuse: true }
connections: [controller.u -> plant.u, plant.x -> controller.x]
`;

  it("[OR9] [OR12] are made by plan, and found correct by check", async () => {
    const units = place.write("units.yaml", UNITS);
    const out = place.path("algorithm.yaml");
    const made = await place.run("plan", units, "-o", out);
    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(readFileSync(out, "utf8")).toMatch(
      /^# 1 correct algorithm of a step up to commuting operations/,
    );
    const checked = await place.run("check", "--orchestration", out);
    expect([checked.code, checked.stdout]).toEqual([0, `${out}: correct\n`]);
    const wrong = place.write(
      "wrong.yaml",
      `${UNITS}step: [get plant.x, set controller.x, step controller, set plant.u, step plant]\n`,
    );
    const bad = await place.run("check", "--orchestration", wrong, "--json");
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      isCorrect: false,
      diagnostics: [{ code: "orchestration-wrong", place: { line: 5, column: 69 } }],
    });
  });

  it("[OR13] of a scenario, or why there is none", async () => {
    const scenario = servo("plan.yaml");
    const algorithm = place.path("servo-algorithm.yaml");
    const made = await place.run("plan", scenario, "-o", algorithm);
    expect(made.code).toBe(0);
    expect(readFileSync(algorithm, "utf8")).toContain("scenario: plan.yaml\n");
    const checked = await place.run("check", "--orchestration", algorithm);
    expect(checked.stdout).toContain("correct");
    const stuck = place.write(
      "stuck.yaml",
      UNITS.replace("mayRefuse: true", "mayRefuse: true, rollback: false"),
    );
    const none = await place.run("plan", stuck);
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining(
        "there is no correct algorithm: 'plant' may refuse a step and cannot restore the state",
      ),
    ]);
    const bare = place.write("bare-algorithm.yaml", "step: [step plant]\n");
    const refused = await place.run("plan", bare);
    expect(refused.code).toBe(1);
    expect(refused.stderr).not.toContain("a scenario has no key");
  });
});
