/**
 * What the command answers to people who are still finding out how it works.
 */
import { describe, expect, it } from "vitest";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
const BALL = fixture("fmi2/BouncingBall");

describe("cosimo", () => {
  it("[CL1] says what it can do, and that doing nothing is no use", async () => {
    const help = await place.run("--help");
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const word of ["info", "validate", "run", "examples:", "Exit codes"])
      expect(help.stdout).toContain(word);
    expect(await place.run()).toMatchObject({ code: 2, stdout: help.stdout });
    expect(await place.run("help")).toMatchObject({ code: 0, stdout: help.stdout });
  });

  it.each(["info", "validate", "run"])("explains %s with options and examples", async (command) => {
    const help = await place.run(command, "--help");
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const word of [`usage: cosimo ${command} <model`, "--json", "--help", "examples:"])
      expect(help.stdout).toContain(word);
    expect(await place.run("help", command)).toMatchObject({ code: 0, stdout: help.stdout });
  });

  it("tells its version", async () => {
    expect(await place.run("--version")).toMatchObject({ code: 0, stdout: "0.1.0\n" });
  });
});

describe("a slip of the fingers", () => {
  it.each([
    ["a command", 2, ["rnu", BALL], "did you mean 'cosimo run'?"],
    ["an option", 2, ["run", BALL, "--stpo", "3"], "did you mean --stop?"],
    ["a variable to set", 1, ["run", BALL, "--set", "gg=9"], "did you mean 'g'?"],
    ["a variable to record", 1, ["run", BALL, "--record", "bouncse"], "did you mean 'bounces'?"],
  ])("[CL2] in %s is answered with the word that was meant", async (_, code, args, hint) => {
    const ended = await place.run(...args);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toContain(hint);
  });

  it("[CL2] in an input column or a clock is answered too", async () => {
    const input = place.write("wrong.csv", "time,F_ee\n0,1\n");
    const mass = await place.run("run", fixture("fmi2/MassSpringDamperLeft"), "--input", input);
    expect(mass.code).toBe(1);
    expect(mass.stderr).toContain("wrong.csv:1 error unknown-variable");
    expect(mass.stderr).toContain("did you mean 'F_e'?");
    const clock = await place.run("run", fixture("fmi3/Clocks"), "--clock", "hartbeat=0.1");
    expect(clock.code).toBe(1);
    expect(clock.stderr).toContain("did you mean 'heartbeat'?");
  });

  it.each([
    ["a missing FMU", ["info"], "<model.fmu> is missing"],
    ["an argument too many", ["run", BALL, "more"], "'more' is one argument too many"],
    ["text for a number", ["run", BALL, "--stop", "soon"], "--stop wants a number, not 'soon'"],
    ["an option without its value", ["run", BALL, "--stop"], "--stop needs a value"],
    ["an option twice", ["run", BALL, "--stop", "1", "--stop", "2"], "--stop is given twice"],
    ["a value for a switch", ["run", BALL, "--quiet=yes"], "--quiet takes no value"],
    ["an unknown format", ["run", BALL, "-o", "x.xls"], ".csv, .parquet"],
    ["an unknown picture", ["run", BALL, "--plot", "x.bmp"], ".svg, .png, .html"],
    ["an unknown way of events", ["run", BALL, "--events", "on"], "--events is auto or off"],
    ["a timeout of nothing", ["run", BALL, "--timeout", "0"], "wants a positive number"],
  ])("[CL1] %s is a usage error", async (_, args, message) => {
    const ended = await place.run(...args);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).toContain("fix:");
  });
});

describe("wrong input", () => {
  it("[CL3] is told all at once, and nothing is run", async () => {
    const ended = await place.run(
      ...["run", BALL, "--set", "gg=1", "--set", "e=much", "--stop", "-1", "--record", "zz"],
      ...["--input", "nowhere.csv", "-o", "never.csv", "--log-calls", "never.txt"],
    );
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    const codes = [...ended.stderr.matchAll(/ error ([a-z-]+):/g)].map((match) => match[1]);
    expect(codes.sort()).toEqual([
      "bad-value",
      "file-unreadable",
      "record-no-match",
      "run-experiment-invalid",
      "unknown-variable",
    ]);
    expect(() => place.read("never.csv")).toThrow();
    expect(() => place.read("never.txt")).toThrow();
  });

  it("is placed in the FMU, not in the folder that it was unpacked into for a moment", async () => {
    const fmu = fixture("gotchas/fmi2/BinaryName");
    const ran = await place.run("run", fmu, "--quiet");
    expect(ran.stderr).toContain(
      `${fmu}/binaries/linux64/something-else.so warning binary-name-differs`,
    );
    const checked = await place.run("validate", fmu, "--run");
    expect(checked.stdout).toContain("0 errors, 1 warning");
  });

  it("in an input file is told with its value and its time", async () => {
    place.write("word.csv", "time,F_e\n2,much\n");
    const ended = await place.run(
      "run",
      fixture("fmi2/MassSpringDamperLeft"),
      "--input",
      "word.csv",
    );
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("input-unusable: 'much' at t=2 is not a value of F_e (float64)");
  });

  it("[CL2] a name that no variable has is answered with the nearest", async () => {
    const { stdout } = await place.run("info", BALL, "--variables", "bounce");
    expect(stdout).toMatch(/^0 of \d+ variables; did you mean 'bounces'\?$/m);
  });

  it.each(["info", "validate", "run"])(
    "[CL1] %s refuses a version of FMI that it does not know with one sentence",
    async (command) => {
      const { code, stdout, stderr } = await place.run(command, fixture("gotchas/OtherVersion"));
      expect(code).toBe(1);
      expect(stdout + stderr).toContain("fmiVersion is '0.9'; Cosimo reads FMI 1.0, 2.0 and 3.0");
      expect((stdout + stderr).match(/ error /g)).toHaveLength(1);
    },
  );

  it.each([
    ["no file", "nowhere.fmu", "archive-unreadable"],
    ["no archive", "text.fmu", "archive-not-zip"],
  ])("[CL1] %s is an error of every command", async (_, file, wanted) => {
    place.write("text.fmu", "This is not an archive.");
    for (const command of ["info", "validate", "run"]) {
      const { code, stdout, stderr } = await place.run(command, file);
      expect(code).toBe(1);
      expect(stdout + stderr).toContain(wanted);
    }
  });

  it.each([
    ["unit.mjs", "a unit in JavaScript"],
    ["signals.csv", "a table of signals"],
  ])("[CL1] %s alone is not a model, and the message says how it runs", async (file, what) => {
    place.write(file, "time,x\n0,1\n");
    const { code, stderr } = await place.run("run", file, "--trust");
    expect(code).toBe(1);
    expect(stderr).toContain(`run-needs-scenario: it is ${what}`);
    expect(stderr).toContain(`: ${file} }`);
  });

  it("[CL1] an FMU without an interface that can be driven is explained, but not run", async () => {
    const nothing = place.edited("fmi3/Dahlquist", (xml) =>
      xml
        .replace(/<CoSimulation[\s\S]*?(\/>|<\/CoSimulation>)/, "")
        .replace(/<ModelExchange[\s\S]*?(\/>|<\/ModelExchange>)/, ""),
    );
    const info = await place.run("info", nothing);
    expect(info.code).toBe(0);
    expect(info.stdout).toContain("cannot take part: it offers no interface");
    const run = await place.run("run", nothing);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("run-no-co-simulation");
  });
});
