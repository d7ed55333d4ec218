/**
 * `cosimo check` as a user meets it: a page, a plan, a picture, JSON, and exit codes.
 */
import { describe, expect, it } from "vitest";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();

function scenario(name: string, more = "", wires = ""): string {
  return place.write(
    name,
    `units:
  left: ${fixture("fmi3/MassSpringDamperLeft")}
  right: ${fixture("fmi2/MassSpringDamperRight")}
connections:
  - left.x_1 -> right.x_c
  - left.v_1 -> right.v_c
  - right.F_c -> left.F_e
${wires}experiment: { stop: 1 s, step: 0.1 s }
${more}`,
  );
}

describe("cosimo check", () => {
  it("[PN80] says what a careful colleague would say, without running anything", async () => {
    const checked = await place.run("check", scenario("masses.yaml", "master: gauss-seidel\n"));
    expect(checked).toMatchObject({ code: 0, stderr: "" });
    for (const words of [
      "left: FMI 3.0 FMU 'MassSpringDamperLeft'",
      "reactive inputs: x_c, v_c",
      "left   → right (2)",
      "through interpolation: left.x_1",
      "left.x_1 → right.x_c  interpolation  by slopes",
      "1. left   breaks a loop of inputs that wait for each other: it has no feed-through",
      "master gauss-seidel",
      "ready to run; the plan satisfies all conditions of a valid step",
    ])
      expect(checked.stdout).toContain(words);
    expect(place.leftovers()).toEqual([]);
  });

  it("[PN80] takes another master and step for a try, and prints the plan", async () => {
    const file = scenario("try.yaml");
    const checked = await place.run(
      "check",
      file,
      "--master",
      "jacobi",
      "--step",
      "0.05",
      "--plan",
    );
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain("what jacobi needs");
    expect(checked.stdout).toContain("jacobi from 0 s in ticks of 0.05 s");
    expect(checked.stdout).toMatch(/^ {3}0 {2}advance left$/m);
  });

  it("[PN80] draws the scenario", async () => {
    const file = scenario("drawn.yaml");
    expect(await place.run("check", file, "--graph", "out.svg")).toMatchObject({ code: 0 });
    expect(place.read("out.svg")).toMatch(/^<svg .*data-wire="2"/s);
    expect(await place.run("check", file, "--graph", "out.html")).toMatchObject({ code: 0 });
    expect(place.read("out.html")).toMatch(/^<!doctype html>/);
    // In sequence the right one holds what the left one has reached, unless its connection says
    // otherwise.
    const plain = place.write(
      "held.yaml",
      `units:
  left: ${fixture("fmi2/MassSpringDamperLeftPlain")}
  right: ${fixture("fmi2/MassSpringDamperRightPlain")}
connections:
  - left.x_1 -> right.x_c
  - { from: left.v_1, to: right.v_c, kind: delayed }
experiment: { stop: 1 s, step: 0.1 s }
master: gauss-seidel
`,
    );
    expect(await place.run("check", plain, "--graph", "held.svg")).toMatchObject({ code: 0 });
    for (const words of [
      "held over a step, at the value of its end",
      "held over a step, at the value of its start",
      "the connection declares the input delayed",
    ])
      expect(place.read("held.svg")).toContain(words);
    const wrong = await place.run("check", file, "--graph", "out.bmp");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("--graph cannot tell the format of 'out.bmp'");
  });

  it("[PN80] gives everything as JSON, the plan as lists", async () => {
    const { code, stdout } = await place.run("check", scenario("json.yaml"), "--json", "--plan");
    expect(code).toBe(0);
    const facts = JSON.parse(stdout);
    expect(facts.explanation.units.map((unit: { name: string }) => unit.name)).toEqual([
      "left",
      "right",
    ]);
    expect(facts.explanation.plan.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(facts.explanation.plan.segments.step[0]).toBe(4);
    expect(facts.findings).toEqual([]);
  });

  it("[PN80] exits with 1 and the reason when the scenario cannot run", async () => {
    const missing = await place.run("check", "nowhere.yaml");
    expect(missing.code).toBe(1);
    const typo = await place.run("check", scenario("typo.yaml", "", "  - left.x_2 -> right.x_c\n"));
    expect(typo.code).toBe(1);
    expect(typo.stdout).toContain("it will not run");
    expect(typo.stdout).toContain("did you mean 'x_1'");
    const master = await place.run("check", scenario("master.yaml"), "--master", "jakobi");
    expect(master.code).toBe(1);
    expect(master.stdout).toContain("did you mean 'jacobi'?");
  });
});
