/** `cosimo test`: what it runs, what passes, what it writes. */
import { copyFileSync, mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
mkdirSync(place.path("all/inner"), { recursive: true });
for (const name of ["MassSpringDamperLeft", "MassSpringDamperRight"])
  copyFileSync(fixture(`fmi2/${name}`), place.path(`all/${name}.fmu`));

const masses = (
  file: string,
  more = "",
  folder = "",
  experiment = "{ stop: 1 s, step: 10 ms }",
): string =>
  place.write(
    file,
    `units: { left: ${folder}MassSpringDamperLeft.fmu, right: ${folder}MassSpringDamperRight.fmu }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: ${experiment}
master: jacobi
${more}`,
  );

masses(
  "all/fine.yaml",
  "requirements: [always left.x_1 < 100 m as far, 'always left.x_1 > -100 m']\n",
);
masses("all/violated.yaml", "requirements: [always left.x_1 < 0.1 m as near]\n");
masses("all/inner/plain.yaml", "", "../");
masses("all/inner/compared.yaml", "record: [left.x_1]\n", "../");
masses("all/inner/differs.yaml", "record: [left.x_1]\n", "../");
masses("all/broken.yaml", "requirements: [always left.x_9 < 100 m]\n");
// Neither a machine nor a scenario without an experiment is a test.
place.write("all/part.yaml", "units: { left: MassSpringDamperLeft.fmu }\n");
place.write("all/light.machine.yaml", "machine: light\n");

describe("cosimo test", () => {
  it("[RQ18] runs what a folder holds, and says what is wrong with what failed", async () => {
    const expected = place.path("all/inner/compared.expected.csv");
    const made = await place.run(
      "run",
      place.path("all/inner/compared.yaml"),
      "-q",
      "-o",
      expected,
    );
    expect(made.code).toBe(0);
    const lines = place.read("all/inner/compared.expected.csv").split("\n");
    // Some rows are enough; one of them is wrong here.
    const wrong = [lines[0], lines[1], lines[3]?.replace(/,.*/, ",7"), ""].join("\n");
    place.write("all/inner/differs.expected.csv", wrong);
    const junit = place.path("results.xml");
    const { code, stdout, stderr } = await place.run("test", place.path("all"), "--junit", junit);
    expect([code, stderr]).toEqual([1, ""]);
    for (const name of ["fine.yaml", "inner/plain.yaml", "inner/compared.yaml"])
      expect(stdout).toContain(`passed  ${place.path(`all/${name}`)} (`);
    expect(stdout).toMatch(
      /FAILED {2}\S+violated\.yaml \([\d.]+ s, 1 check\)\n {2}near: violated, by [\d.]+ m/,
    );
    expect(stdout).toMatch(
      /FAILED {2}\S+broken\.yaml \([\d.]+ s\)\n {2}run: [^\n]*unknown-port: 'left' has no port 'x_9'/,
    );
    expect(stdout).toMatch(
      /FAILED {2}\S+differs\.yaml[^\n]*\n {2}trace as in \S+: left\.x_1 is [\d.]+ at t=0\.02, expected 7/,
    );
    expect(stdout).toContain("6 scenarios, 3 failed");
    expect(stdout).not.toContain("part.yaml");
    expect(place.leftovers()).toEqual([]);

    const written = place.read("results.xml");
    expect(written).toMatch(
      /^<\?xml [^\n]*\n<testsuites name="cosimo test" tests="11" failures="2" errors="1" /,
    );
    expect(written.match(/<testsuite /g)).toHaveLength(6);
    expect(written).toMatch(
      /<testsuite name="\S*violated\.yaml" tests="2" failures="1" errors="0" time="[\d.]+" skipped="0">/,
    );
    expect(written).toMatch(
      /<testcase classname="\S*violated\.yaml" name="near" time="0\.000">\s*<failure message="violated, by [^"]*"\/>/,
    );
    expect(written).toMatch(/<error message="[^"]*unknown-port: 'left' has no port 'x_9'&#10;/);
  }, 120_000);

  it("[RQ18] a scenario that is named is run; --json has all of it; --quiet only failures", async () => {
    const fine = place.path("all/fine.yaml");
    const { code, stdout } = await place.run("test", fine, "--json", "--jobs", "1");
    expect(code).toBe(0);
    const { scenarios, failed } = JSON.parse(stdout);
    expect(failed).toBe(0);
    expect(
      scenarios[0].cases.map(({ name, state }: { name: string; state: string }) => [name, state]),
    ).toEqual([
      ["run", "passed"],
      ["far", "passed"],
      ["always left.x_1 > -100 m", "passed"],
    ]);
    expect((await place.run("test", fine, "-q")).stdout).toBe("");
  });

  it("[RQ18] what holds until a run fails has not passed", async () => {
    copyFileSync(fixture("fmi2/Misbehaving"), place.path("misbehaving.fmu"));
    const path = place.write(
      "failing.yaml",
      "units: { m: { fmu: misbehaving.fmu, set: { behaviour: error } } }\nconnections: []\nexperiment: { stop: 1 s, step: 100 ms }\nmaster: jacobi\nrequirements: [always m.x < 100 as small]\n",
    );
    const junit = place.path("failing.xml");
    const { code, stdout } = await place.run("test", path, "--junit", junit);
    expect(code).toBe(1);
    expect(stdout).not.toContain("small:");
    expect(place.read("failing.xml")).toMatch(/tests="2" failures="0" errors="1" .*skipped="1"/);
    expect(place.read("failing.xml")).toMatch(/name="small" time="0\.000">\s*<skipped message="/);
  });

  it("[RQ18] nothing to test is a mistake of the command line", async () => {
    mkdirSync(place.path("empty"), { recursive: true });
    const empty = await place.run("test", place.path("empty"));
    expect([empty.code, empty.stderr]).toEqual([
      2,
      expect.stringContaining("there are no scenarios in there"),
    ]);
    const nowhere = await place.run("test", place.path("nowhere"));
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining("there is no '")]);
  });
});
