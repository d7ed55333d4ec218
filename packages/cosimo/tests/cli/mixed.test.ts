/**
 * Scenarios of FMUs and units in TypeScript from the command line: machine code for what can be,
 * and people are told.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../src/base/diagnostic.ts";
import { parseParquet } from "../../src/record/parquet-read.ts";
import { fixture, numbersOf, Workplace } from "./cosimo.ts";

const place = new Workplace();
const library = new URL("../../dist/index.js", import.meta.url).href;
place.write(
  "ramp.mjs",
  [
    `import { functionUnit } from "${library}";`,
    "export default () => functionUnit({",
    '  name: "ramp",',
    "  outputs: { y: {} },",
    "  evaluate: (t, _u, _p, y) => { y[0] = t; },",
    "});",
  ].join("\n"),
);

/** An FMU that follows a ramp in TypeScript, and one that behaves as it is told. */
function write(name: string, behaviour: string): string {
  return place.write(
    name,
    [
      "name: mixed",
      "units:",
      `  good: ${fixture("fmi2/MassSpringDamperLeft")}`,
      "  ramp: { module: ramp.mjs }",
      `  bad: { fmu: ${fixture("fmi2/Misbehaving")}, set: { behaviour: ${behaviour}, at: 70 } }`,
      "connections: [ramp.y -> good.F_e]",
      "experiment: { stop: 100, step: 0.1 }",
    ].join("\n"),
  );
}

describe("a scenario of FMUs and units in TypeScript", () => {
  it("[MC14] says what machine code does and what the interpreter does", async () => {
    const file = write("ok.yaml", "ok");
    const options = ["--executor", "machine-code"];
    const ended = await place.run("run", file, ...options, "-o", "ok.parquet");
    expect(ended.stdout).toContain("(machine code for 2 of 3 units)");
    expect(ended.stdout).toContain("  interpreter: ramp (not a native FMU)");
    const bytes = readFileSync(place.path("ok.parquet"));
    const { meta } = unwrap(await parseParquet(bytes, "ok.parquet"));
    expect(meta.entries).toMatchObject({
      executor: "machine code for 2 of 3 units",
      interpreted: "ramp (not a native FMU)",
    });
    const json = await place.run("run", file, ...options, "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      executor: "machine-code",
      interpreted: { units: [{ unit: "ramp", why: "not a native FMU" }], of: 3 },
    });
  });

  it("[MC14] says why nothing can be machine code where that is required", async () => {
    const file = place.write(
      "plain.yaml",
      "name: plain\nunits: { ramp: { module: ramp.mjs } }\nexperiment: { stop: 1, step: 0.1 }\n",
    );
    const ended = await place.run("run", file, "--trust", "--executor", "machine-code");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("cannot become machine code: 'ramp': not a native FMU");
    const left = await place.run("run", file, "--trust");
    expect(left.stdout).toContain("(interpreter)");
    expect(left.stdout).toContain("  interpreter: 'ramp': not a native FMU");
  });

  it("[MC18] says what ran under a master that decides at run time, why, and where the time went", async () => {
    const file = place.write(
      "iterative.yaml",
      [
        "name: masses",
        "units:",
        `  left: ${fixture("fmi2/MassSpringDamperLeft")}`,
        `  right: ${fixture("fmi2/MassSpringDamperRight")}`,
        "connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]",
        "experiment: { stop: 20, step: 0.01 }",
        "master: { name: iterative, corrections: 2 }",
      ].join("\n"),
    );
    const run = async (...options: string[]) =>
      JSON.parse((await place.run("run", file, "--json", ...options)).stdout);
    const long = await run();
    expect(long).toMatchObject({ executor: "machine-code" });
    expect(long.why).toBeUndefined();
    const short = await run("--stop", "0.2");
    const why = "no step was repeated often enough to become code";
    expect(short).toMatchObject({ executor: "interpreter", why });
    expect(await run("--executor", "interpreter")).not.toHaveProperty("why");
    const { units, ticks } = long.profile;
    expect(units.map(({ unit }: { unit: string }) => unit)).toEqual(["left", "right"]);
    expect(units.every(({ share }: { share: number }) => share > 0 && share < 1)).toBe(true);
    expect(ticks).toBeGreaterThan(5);
    const ended = await place.run("run", file, "--profile");
    expect(ended.stdout).toMatch(/ {2}time: (left|right) \d.*between them/);
  }, 60_000);

  it.each([
    ["error", "fmi2DoStep returned fmi2Error"],
    ["segfault", "fmi2DoStep ended with SIGSEGV"],
  ])("[CL4] [MC13] whose FMU does '%s' ends as under the interpreter", async (behaviour, how) => {
    const traces: string[] = [];
    for (const executor of ["interpreter", "machine-code"]) {
      const out = `${behaviour}-${executor}.csv`;
      const file = write(`${behaviour}.yaml`, behaviour);
      const ended = await place.run("run", file, "--executor", executor, "-o", out);
      expect(ended.code).toBe(3);
      expect(ended.stderr).toContain(`'bad' failed at t=70: ${how}`);
      expect(ended.stdout).toContain("700 steps");
      expect(numbersOf(place.trace(out), "ramp.y")).toHaveLength(701);
      traces.push(place.read(out));
    }
    expect(traces[1]).toBe(traces[0]);
  });
});
