/**
 * What a newcomer does in the first minutes: a scenario from FMUs, pipes, several files, comparing,
 * a unit of one's own anywhere.
 */
import { mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Ended, fixture, numbersOf, Workplace } from "./cosimo.ts";

const place = new Workplace();
const BALL = fixture("fmi2/BouncingBall");
const LEFT = fixture("fmi2/MassSpringDamperLeft");
const RIGHT = fixture("fmi3/MassSpringDamperRight");
const SCENARIO = `
units: { left: ${LEFT}, right: ${RIGHT} }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 1 s, step: 100 ms }
`;

const under = (input: string, ...args: readonly string[]): Promise<Ended> =>
  place.startUnder({ input }, ...args).ended;

describe("cosimo init", () => {
  it("[IN1] connects outputs to inputs of their name and unit, and the result runs", async () => {
    const made = await place.run(
      "init",
      LEFT,
      RIGHT,
      fixture("fmi2/Feedthrough"),
      "-o",
      "new.yaml",
    );
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toMatch(/new\.yaml: 3 units, 0 connections, \d+ inputs left open/);
    const text = place.read("new.yaml");
    expect(text).toContain("# - MassSpringDamperLeft.x_1 -> MassSpringDamperRight.x_c");
    expect(await place.run("run", "new.yaml", "--quiet")).toMatchObject({ code: 0, stderr: "" });
    expect(await place.run("check", "new.yaml")).toMatchObject({ code: 0 });
  });

  it("[IN2] replaces no file unless --force says so, and says what is wrong with an FMU", async () => {
    place.write("kept.yaml", "mine");
    const refused = await place.run("init", BALL, "-o", "kept.yaml");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("--force");
    const broken = await place.run("init", BALL, "nowhere.fmu", "-o", "kept.yaml", "--force");
    expect(broken).toMatchObject({ code: 1, stdout: "" });
    expect(broken.stderr).toContain("nowhere.fmu");
    expect(place.read("kept.yaml")).toBe("mine");
    expect(await place.run("init", BALL, "-o", "kept.yaml", "--force")).toMatchObject({ code: 0 });
    expect(place.read("kept.yaml")).toContain("BouncingBall:");
  });

  it("[IN1] goes through a pipe into a run, with unpacked FMUs and one FMU twice", async () => {
    const folder = place.edited("fmi2/BouncingBall", (xml) => xml);
    const made = await place.run("init", folder, BALL, BALL, "-o", "-");
    expect(made.stdout).toMatch(/BouncingBall_2: /);
    const ran = await under(made.stdout, "run", "-", "--stop", "0.1 s", "--quiet");
    expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("[IN1] lists everything as JSON", async () => {
    const { stdout } = await place.run("init", LEFT, RIGHT, "-o", "j.yaml", "--json");
    const { units, inputs } = JSON.parse(stdout);
    expect(units.map(({ name }: { name: string }) => name)).toEqual([
      "MassSpringDamperLeft",
      "MassSpringDamperRight",
    ]);
    expect(inputs).toHaveLength(3);
  });
});

describe("pipes", () => {
  it("[CL41] a scenario comes in on standard input, its paths start at the working folder", async () => {
    place.write("scenario-in-pipe.yaml", SCENARIO);
    const file = await place.run("run", "scenario-in-pipe.yaml", "-o", "file.csv", "--quiet");
    expect(file.code).toBe(0);
    const piped = await under(SCENARIO, "run", "-", "-o", "-");
    expect(piped.code).toBe(0);
    expect(piped.stdout).toBe(place.read("file.csv"));
    expect(piped.stderr).toContain("10 steps, 1 s simulated");
    expect((await under(SCENARIO, "check", "-")).code).toBe(0);
    expect((await under(SCENARIO, "stability", "spectral", "-")).code).toBe(0);
  });

  it("[CL41] what is wrong in it has a line, and modules need --trust", async () => {
    const wrong = await under(SCENARIO.replace("left.v_1", "left.w"), "run", "-");
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("<stdin>.yaml:3:");
    place.write("unit.mjs", UNIT);
    const module = "units: { one: unit.mjs }\nexperiment: { stop: 1, step: 0.5 }\n";
    const untrusted = await under(module, "run", "-");
    expect(untrusted.code).toBe(1);
    expect(untrusted.stderr).toContain("on standard input lies in no trusted folder");
    expect((await under(module, "run", "-", "--trust", "--quiet")).code).toBe(0);
  });

  it("[CL41] traces and pictures go through", async () => {
    const trace = "time,x\n0,1\n1,2\n";
    const svg = await under(trace, "plot", "-", "-o", "-");
    expect(svg).toMatchObject({ code: 0, stderr: "" });
    expect(svg.stdout).toContain("<svg");
    for (const command of [
      ["run", BALL],
      ["plot", "x.csv"],
    ]) {
      const both = await place.run(...command, "-o", "-", "--json");
      expect(both.code).toBe(2);
      expect(JSON.parse(both.stdout).error.message).toContain("standard output");
    }
  });
});

describe("several files", () => {
  it("[CL44] info explains one after the other, and one that is broken does not hide the rest", async () => {
    const pages = await place.run("info", BALL, LEFT);
    expect(pages).toMatchObject({ code: 0, stderr: "" });
    expect(pages.stdout).toMatch(new RegExp(`^== ${BALL}\n[\\s\\S]*\n\n== ${LEFT}\n`));
    const some = await place.run("info", "nowhere.fmu", LEFT, "--json");
    expect(some.code).toBe(1);
    const [first, second] = JSON.parse(some.stdout);
    expect(first.diagnostics[0].code).toBe("archive-unreadable");
    expect(second.modelName).toBe("MassSpringDamperLeft");
  });

  it("[CL44] validate checks all, counts the findings and ends with the worst", async () => {
    const fine = await place.run("validate", BALL, LEFT);
    expect(fine).toMatchObject({ code: 0, stderr: "" });
    expect(fine.stdout).toMatch(/2 files: 0 errors, \d+ warnings?\n$/);
    const mixed = await place.run("validate", "nowhere.fmu", LEFT, "--json");
    expect(mixed.code).toBe(1);
    expect(JSON.parse(mixed.stdout).map(({ file }: { file: string }) => file)).toEqual([
      "nowhere.fmu",
      LEFT,
    ]);
  });
});

describe("--quiet", () => {
  it("[CL48] prints errors and warnings, and no notes", async () => {
    const args = ["run", fixture("fmi2/ExchangeRobertson"), "--stop", "10"];
    expect((await place.run(...args)).stderr).toContain("note integrator-stiff: ");
    expect(await place.run(...args, "-q")).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const failed = await place.run(...args, "-q", "--record", "heigth");
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("error record-no-match");
  });
});

describe("clocks", () => {
  it("[IN1] lists the clocks that the caller has to tick, and not those that the run does", async () => {
    const made = await place.run("init", fixture("fmi3/Partitions"), "-o", "clocks.yaml");
    expect(made.code).toBe(0);
    const text = place.read("clocks.yaml");
    expect(text).toContain("# Partitions.urgent: ");
    for (const clock of ["slow", "fast", "growing", "timeout"])
      expect(text).not.toContain(`Partitions.${clock}:`);
  });

  it("[CL3] an interval that the FMU fixes is refused before the run", async () => {
    const fixed = await place.run("run", fixture("fmi3/Partitions"), "--clock", "slow=0.5");
    expect(fixed.code).toBe(1);
    expect(fixed.stderr).toContain("error clock-not-chosen: 'slow' takes no interval");
  });
});

describe("quantities", () => {
  it("[CL40] times and values have units", async () => {
    const args = ["--stop", "0.002 min", "--step", "10 ms", "--set", "h=200 cm", "-o", "q.csv"];
    expect((await place.run("run", BALL, ...args, "--quiet")).code).toBe(0);
    const trace = place.trace("q.csv");
    expect(trace.time.at(-1)).toBe(0.12);
    expect(trace.time[1]).toBe(0.01);
    expect(numbersOf(trace, "h")[0]).toBe(2);
    const wrong = await place.run("run", BALL, "--stop", "5 km");
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toContain("--stop wants a time, not '5 km'");
  });
});

describe("cosimo compare", () => {
  place.write("a.csv", "time,x,y\n0,0,1\n1,1,1\n2,2,1\n");
  place.write("b.csv", "time,x,y\n0,0,1\n2,2.001,1\n");

  it("[CM9] answers with its exit code, a table and JSON", async () => {
    const apart = await place.run("compare", "a.csv", "b.csv");
    expect(apart).toMatchObject({ code: 5, stderr: "" });
    expect(apart.stdout).toMatch(/x +0\.001 +2 s +0\.000002 +differs from t=1 s on/);
    expect(apart.stdout).toContain("a and b differ: 1 of 2 signals, 3 instants from 0 s to 2 s");
    const json = await place.run("compare", "a.csv", "b.csv", "--json");
    expect(json.code).toBe(5);
    expect(JSON.parse(json.stdout)).toMatchObject({ isSame: false, signals: [{ name: "x" }, {}] });
    const near = await place.run("compare", "a.csv", "b.csv", "--tolerance", "x=1e-3", "--quiet");
    expect(near).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
    const absolute = await place.run("compare", "a.csv", "b.csv", "--absolute", "0.0011");
    expect(absolute.code).toBe(0);
  });

  it("[CM9] reads what a run wrote in every format, through a pipe too", async () => {
    const files = ["-o", "ball.csv", "-o", "ball.parquet"];
    expect((await place.run("run", BALL, ...files, "--quiet")).code).toBe(0);
    const same = await place.run("compare", "ball.csv", "ball.parquet", "--tolerance", "0");
    expect(same).toMatchObject({ code: 0 });
    expect((await under(place.read("ball.csv"), "compare", "ball.parquet", "-")).code).toBe(0);
    const unit = ["--absolute", "h=1 mm", "--absolute", "v=1 km/h"];
    expect((await place.run("compare", "ball.parquet", "ball.csv", ...unit)).code).toBe(0);
    const wrong = await place.run("compare", "ball.parquet", "ball.csv", "--absolute", "h=1 s");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("measure different things");
  });

  it("[CM7] counts what is missing unless --common is given", async () => {
    place.write("part.csv", "time,x\n0,0\n1,1\n");
    const part = await place.run("compare", "a.csv", "part.csv");
    expect(part.code).toBe(5);
    expect(part.stdout).toContain("y is not in part");
    expect(part.stdout).toContain("part goes from 0 s to 1 s");
    expect((await place.run("compare", "a.csv", "part.csv", "--common")).code).toBe(0);
    expect((await place.run("compare", "a.csv", "nowhere.csv", "--common")).code).toBe(1);
  });

  it("draws both and what lies between them", async () => {
    await place.run("compare", "a.csv", "b.csv", "--plot", "apart.svg", "--signals", "x");
    const svg = place.read("apart.svg");
    expect(svg).toContain("difference");
    expect(svg).toContain("b − a");
  });
});

const UNIT = `
import { functionUnit } from "cosimo/unit";
import { twice } from "./helper/twice.mjs";
export default (name) =>
  functionUnit({ name, outputs: { y: {} }, evaluate: (t, u, p, y) => { y[0] = twice(t); } }, name);
`;
const HELPER = `
import { RK4 } from "cosimo";
export const twice = (t) => (RK4 ? 2 * t : NaN);
`;
const COMMON = `
const { functionUnit } = require("cosimo");
module.exports = (name) =>
  functionUnit({ name, outputs: { y: {} }, evaluate: (t, u, p, y) => { y[0] = 2 * t; } }, name);
`;

describe("a module far from any node_modules", () => {
  mkdirSync(place.path("helper"), { recursive: true });
  place.write("helper/twice.mjs", HELPER);
  place.write("unit.mjs", UNIT);
  place.write("common.js", COMMON);
  const scenario = (file: string): string =>
    `units: { one: ${file} }\nexperiment: { stop: 1, step: 0.5 }\n`;

  it.each(["unit.mjs", "common.js"])("[PK8] %s imports the running package", async (file) => {
    place.write("one.yaml", scenario(file));
    const ran = await place.run("run", "one.yaml", "-o", "one.csv", "--quiet");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(numbersOf(place.trace("one.csv"), "one.y").at(-1)).toBe(2);
    expect((await place.run("check", "one.yaml")).code).toBe(0);
  });

  it("[PK8] other packages that are missing are missed by their names", async () => {
    place.write("lost.mjs", 'import "cosimo-not-there";\n');
    place.write("lost.yaml", scenario("lost.mjs"));
    const ended = await place.run("check", "lost.yaml");
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("cosimo-not-there");
  });
});

describe("what every command has", () => {
  it("[CL45] prints its failure as JSON under --json, and nothing else on standard output", async () => {
    const { commands } = JSON.parse((await place.run("completion", "bash", "--json")).stdout);
    expect(commands.length).toBeGreaterThan(15);
    for (const { words } of commands as { words: string[] }[]) {
      const usage = await place.run(...words, "--json", "--no-such-option");
      expect(usage.code, words.join(" ")).toBe(2);
      expect(JSON.parse(usage.stdout).error).toMatchObject({ exitCode: 2, meaning: "usage" });
      if (["completion", "language-server", "trust", "init"].includes(words[0]!)) continue;
      const file = ["format", "adapt"].includes(words[0]!) ? "nowhere.sa" : "nowhere";
      const two = words[0] === "compare" ? [file, file] : [file];
      const more: Readonly<Record<string, readonly string[]>> = {
        export: ["-o", "x.ssp"],
        // Nobody listens there.
        watch: ["--server", "nats://127.0.0.1:1"],
      };
      const out = more[words[0]!] ?? [];
      const missing = await place.run(...words, ...two, ...out, "--json");
      const answer = JSON.parse(missing.stdout);
      expect([1, 2], words.join(" ")).toContain(missing.code);
      const found = answer.diagnostics ?? answer.findings;
      if (missing.code === 1) expect(found.length, words.join(" ")).toBeGreaterThan(0);
      else expect(answer.error.message).toContain("nowhere");
    }
  });

  it("[CL45] a run that fails has the same error beside its outcome", async () => {
    const answerTo = async (...args: string[]): Promise<Record<string, unknown>> =>
      JSON.parse((await place.run("run", ...args, "--json")).stdout);
    const none = await answerTo("nowhere.fmu");
    expect(none).toMatchObject({ error: { exitCode: 1 }, outcome: { kind: "rejected" } });
    expect(none["error"]).toMatchObject({
      message: (none["diagnostics"] as { message: string }[])[0]!.message,
    });
    const failed = await answerTo(fixture("fmi2/Hostile"), "--set", "behaviour=16", "--stop", "1");
    expect(failed).toMatchObject({
      error: { exitCode: 3, meaning: "the simulation failed", message: expect.any(String) },
    });
    expect(await answerTo(BALL, "--stop", "0.1")).not.toHaveProperty("error");
  });

  it("[CL46] says with --verbose what it does and when, and answers the same", async () => {
    const plain = await place.run("run", BALL, "--stop", "0.1", "-o", "v.csv", "--json");
    const verbose = await place.run(
      "run",
      BALL,
      "--stop",
      "0.1",
      "-o",
      "v.csv",
      "--json",
      "--verbose",
    );
    expect(Object.keys(JSON.parse(verbose.stdout))).toEqual(Object.keys(JSON.parse(plain.stdout)));
    for (const part of [
      /^\[\d+\.\d{3} s\] cosimo 0/m,
      /loads .*\.so/,
      /wrote v\.csv/,
      /exit code 0/,
    ])
      expect(verbose.stderr).toMatch(part);
    expect(plain.stderr).toBe("");
  });

  it("[CL43] colours findings when told to, and never files or JSON", async () => {
    const env = { FORCE_COLOR: "1" };
    const shown = await place.startUnder({ env }, "info", "nowhere.fmu").ended;
    expect(shown.stderr).toContain("\x1b[31merror\x1b[0m");
    const json = await place.startUnder({ env }, "validate", "nowhere.fmu", "--json").ended;
    expect(json.stdout).not.toContain("\x1b");
    expect((await place.run("info", "nowhere.fmu")).stderr).not.toContain("\x1b");
  });
});
