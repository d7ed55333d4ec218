/**
 * What a run takes in and what it leaves behind: values, signals, traces, pictures, summaries.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../src/base/diagnostic.ts";
import { parseParquet } from "../../src/record/parquet-read.ts";
import { type Ended, fixture, numbersOf, Workplace } from "./cosimo.ts";

const place = new Workplace();

async function run(name: string, ...options: string[]): Promise<Ended> {
  const ended = await place.run("run", fixture(name), ...options);
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
  return ended;
}

describe("--set", () => {
  const VALUES = {
    Float64_continuous_input: ["2.5e-3", "0.0025"],
    Float32_discrete_input: ["0.1", "0.10000000149011612"],
    Int8_input: ["-7", "-7"],
    UInt8_input: ["200", "200"],
    Int16_input: ["-300", "-300"],
    UInt16_input: ["60000", "60000"],
    Int32_input: ["+12", "12"],
    UInt32_input: ["4000000000", "4000000000"],
    Int64_input: ["-9007199254740993", "-9007199254740993"],
    UInt64_input: ["18446744073709551614", "18446744073709551614"],
    Boolean_input: ["false", "0"],
    String_input: ["a=b, c", '"a=b, c"'],
    Binary_input: ["00ff7a", '"00ff7a"'],
    Enumeration_input: ["3", "3"],
  } as const;

  it("[CL9] takes every type in its own way, to the last digit", async () => {
    const sets = Object.entries(VALUES).flatMap(([name, [text]]) => ["--set", `${name}=${text}`]);
    const outputs = Object.keys(VALUES).map((name) => name.replace("_input", "_output"));
    await run("fmi3/Feedthrough", ...sets, "--record", outputs.join(","), "-o", "set.csv");
    const [header, first] = place.read("set.csv").split("\n");
    const names = header!.split(",").map((name) => name.replaceAll('"', ""));
    // The comma inside a quoted cell is the only one that does not separate.
    const cells = first!.match(/"(?:[^"]|"")*"|[^,]+/g)!;
    const got = Object.fromEntries(names.map((name, i) => [name, cells[i]]));
    for (const [name, [, text]] of Object.entries(VALUES))
      expect(got[name.replace("_input", "_output")], name).toBe(text);
  });

  it("[CL9] takes arrays as all values, as one value, and element by element", async () => {
    const record = ["--record", "x0,A,x", "--stop", "0.1"];
    const sets = ["--set", "A=-1,0,0,-2", "--set", "x0=3", "--set", "x0[2]=5"];
    await run("fmi3/StateSpace", ...record, ...sets, "-o", "array.csv");
    const trace = place.trace("array.csv");
    const first = Object.fromEntries(trace.columns.map(({ name, data }) => [name, data[0]]));
    expect(first).toMatchObject({ "A[1,1]": -1, "A[2,2]": -2, "x0[1]": 3, "x0[2]": 5, "x[2]": 5 });
  });

  it("[CL9] resizes arrays through structural parameters", async () => {
    const sets = ["--set", "n=1", "--set", "r=1", "--set", "A=-1", "--set", "C=1", "--set", "x0=1"];
    await run("fmi3/StateSpace", ...sets, "--stop", "1", "-o", "small.csv");
    const trace = place.trace("small.csv");
    expect(trace.columns.map((column) => column.name)).toEqual(["y[1]"]);
    expect(numbersOf(trace, "y[1]").at(-1)).toBeCloseTo(Math.exp(-1), 12);
  });

  it("[FD50] refuses structural parameters that ask for too many elements, before it takes memory", async () => {
    const sets = ["--set", "m=4294967295"];
    const ended = await place.run("run", fixture("fmi3/StateSpace"), ...sets, "--stop", "1");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("too-many-elements: with 'B' (2 × 4294967295)");
    expect(ended.stderr).toContain("fix: make the dimensions smaller");
  });

  it("[CL9] answers a wrong value with the way to write it", async () => {
    const args = ["--set", "Int8_input=300", "--set", "Boolean_input=maybe", "--set", "A=1"];
    const ended = await place.run("run", fixture("fmi3/Feedthrough"), ...args);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("write a whole number between -128 and 127");
    expect(ended.stderr).toContain("write true or false");
    const count = await place.run("run", fixture("fmi3/StateSpace"), "--set", "A=1,2,3");
    expect(count).toMatchObject({ code: 1 });
    expect(count.stderr).toContain("'A' has 4 elements, 3 values were given");
  });

  it("warns of a value out of range and runs all the same", async () => {
    const ended = await place.run("run", fixture("fmi2/BouncingBall"), "--set", "e=1.5", "-q");
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("e = 1.5 is outside [0, 1]");
  });
});

describe("--input", () => {
  it("[RU3] interpolates continuous inputs, holds discrete ones, jumps at events", async () => {
    const input = place.write(
      "in.csv",
      "time,Float64_continuous_input,Float64_discrete_input,Boolean_input\n" +
        "0,0,1,0\n0.25,0.25,1,0\n0.25,5,2,1\n0.5,5,2,1\n",
    );
    await run("fmi2/Feedthrough", "--input", input, "--stop", "0.5", "-o", "fed.csv");
    const trace = place.trace("fed.csv");
    const rows = (time: number): number[] =>
      [...trace.time.keys()].filter((row) => Math.abs(trace.time[row]! - time) < 1e-9);
    const at = (time: number, name: string): number[] =>
      rows(time).map((row) => numbersOf(trace, name)[row]!);
    expect(rows(0.25)).toHaveLength(2);
    expect(at(0.25, "Float64_discrete_output")).toEqual([1, 2]);
    expect(at(0.25, "Boolean_output")).toEqual([0, 1]);
    expect(at(0.25, "Float64_continuous_output")[1]).toBe(5);
    expect(at(0.5, "Float64_continuous_output").at(-1)).toBe(5);
  });

  it("refuses a parameter in the file and a file without signals", async () => {
    const mass = fixture("fmi2/MassSpringDamperLeft");
    const wrong = await place.run("run", mass, "--input", place.write("p.csv", "time,m\n0,1\n"));
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("column 'm' is a parameter, not an input");
    const empty = await place.run("run", mass, "--input", place.write("e.csv", "time\n0\n"));
    expect(empty.code).toBe(1);
    expect(empty.stderr).toContain("input-empty");
  });
});

describe("results", () => {
  it("are written in every format that was asked for", async () => {
    const names = ["a.csv", "a.parquet", "deep/er/a.svg", "a.png", "a.html"];
    const options = names.flatMap((name) => [/csv|parquet/.test(name) ? "-o" : "--plot", name]);
    const { stdout } = await run("fmi3/BouncingBall", ...options);
    for (const name of names) expect(stdout).toContain(`  ${name}\n`.trimEnd());
    const trace = place.trace("a.csv");
    const bytes = new Uint8Array(readFileSync(place.path("a.parquet")));
    const parquet = unwrap(await parseParquet(bytes, "a.parquet"));
    expect(parquet.time).toEqual(trace.time);
    expect(parquet.columns.find((column) => column.name === "h")).toMatchObject({
      unit: "m",
      data: trace.columns.find((column) => column.name === "h")!.data,
    });
    expect(parquet.meta.entries).toMatchObject({
      model: "BouncingBall",
      outcome: "completed",
    });
    expect(place.read("deep/er/a.svg")).toMatch(/^<svg|^<\?xml/);
    expect(readFileSync(place.path("a.png")).subarray(1, 4).toString("latin1")).toBe("PNG");
    expect(place.read("a.html")).toMatch(/^<!doctype html>/i);
  });

  it("[RC18] hold what --record chose, in its order", async () => {
    const options = ["--record", "v,h", "--record", "boun*", "--stop", "0.1"];
    await run("fmi2/BouncingBall", ...options, "-o", "chosen.csv");
    expect(place.trace("chosen.csv").columns.map((c) => c.name)).toEqual(["v", "h", "bounces"]);
  });

  it("[RC22] keep units, types and items beside CSV, and a plot of it has the panels of the run", async () => {
    const model = "fmi3/BouncingBall";
    await run(model, "--record", "h,v", "-o", "noted.csv", "--plot", "direct.svg");
    const notes = JSON.parse(place.read("noted.csv.meta.json")) as Record<string, object>;
    expect(notes["cosimo.units"]).toEqual({ time: "s", h: "m", v: "m/s" });
    expect(notes["cosimo.run"]).toMatchObject({ entries: { outcome: "completed" } });
    const plot = (name: string) => place.run("plot", "noted.csv", "-o", name);
    expect(await plot("noted.svg")).toMatchObject({ code: 0, stderr: "" });
    const panels = (name: string): number => place.read(name).split('class="panel"').length - 1;
    expect([panels("noted.svg"), panels("direct.svg")]).toEqual([2, 2]);
    // A table without its notes is as good as any.
    rmSync(place.path("noted.csv.meta.json"));
    expect(await plot("bare.svg")).toMatchObject({ code: 0, stderr: "" });
    expect(panels("bare.svg")).toBe(1);
    place.write("noted.csv.meta.json", "not JSON");
    const { code, stderr } = await plot("broken.svg");
    expect(code).toBe(0);
    expect(stderr).toContain("noted.csv.meta.json warning csv-notes-unreadable");
  });

  it("[CL7] appear whole or not at all, and unwritable places are told before the run", async () => {
    place.write("file", "in the way");
    mkdirSync(place.path("folder.csv"));
    const before = readdirSync(place.files);
    const outs = ["-o", "file/x.csv", "-o", "folder.csv", "--plot", "file/x.svg"];
    const calls = ["--log-calls", "file/calls.txt"];
    const ended = await place.run("run", fixture("fmi2/BouncingBall"), ...outs, ...calls);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr.match(/file-unwritable/g)).toHaveLength(4);
    expect(readdirSync(place.files)).toEqual(before);
  });

  it("are summed up on a terminal when no file is asked for", async () => {
    const { stdout } = await run("fmi3/Feedthrough");
    expect(stdout).toMatch(
      /^Feedthrough: 20 steps, 2 s simulated in .+ real time\), 21 rows: completed at t=2\n/,
    );
    expect(stdout).toContain("UInt64_output              = 18446744073709551615");
    expect(stdout).toContain("… and 4 more: --out keeps all");
    const single = await run("fmi2/Dahlquist", "--stop", "0.1");
    expect(single.stdout).toContain("1 step, 100 ms simulated");
  });

  it("are the moving locals of an FMU without outputs", async () => {
    const mute = place.edited("fmi2/Misbehaving", (xml) =>
      xml
        .replaceAll('causality="output"', 'causality="local"')
        .replace(/<Outputs>[\s\S]*?<\/Outputs>/, ""),
    );
    const ended = await place.run("run", mute, "-o", "mute.csv");
    expect(ended.code).toBe(0);
    const names = place.trace("mute.csv").columns.map((column) => column.name);
    expect(names).toEqual(["x", "der(x)"]);
  });

  it("[CL8] leave standard output empty with --quiet", async () => {
    expect((await run("fmi2/Stair", "--quiet", "-o", "quiet.csv")).stdout).toBe("");
    expect(existsSync(place.path("quiet.csv"))).toBe(true);
  });
});

describe("--json", () => {
  it.each(["fmi2", "fmi3"])(
    "[CL8] is all of standard output, even when an %s FMU prints",
    async (version) => {
      const set = ["--set", "behaviour=print-to-stdout"];
      const ended = await place.run("run", fixture(`${version}/Misbehaving`), ...set, "--json");
      expect(ended.code).toBe(0);
      expect(ended.stderr).toContain("Misbehaving prints to stdout");
      expect(JSON.parse(ended.stdout)).toMatchObject({
        outcome: { kind: "completed", time: 1, steps: 10 },
        experiment: { start: 0, stop: 1, step: 0.1 },
        columns: ["x", "steps"],
        rows: 11,
        diagnostics: [],
      });
    },
  );

  it("[CL8] tells failures and refusals too", async () => {
    const failed = await place.run(
      "run",
      fixture("fmi2/Misbehaving"),
      "--set",
      "behaviour=error",
      "--json",
    );
    expect(failed.code).toBe(3);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      outcome: { kind: "failed", failure: { call: "fmi2DoStep", status: "fmi2Error" } },
    });
    const refused = await place.run(
      "run",
      fixture("fmi2/Misbehaving"),
      "--set",
      "nothing=1",
      "--json",
    );
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      outcome: { kind: "rejected" },
      diagnostics: [{ code: "unknown-variable" }],
    });
  });

  it("[CL8] gives descriptions and findings to programs", async () => {
    const info = await place.run("info", fixture("fmi3/Feedthrough"), "--json");
    expect(info.code).toBe(0);
    const description = JSON.parse(info.stdout);
    expect(description.variables).toHaveLength(36);
    const uint64 = description.variables.find((v: { name: string }) => v.name === "UInt64_input");
    expect(uint64.start).toEqual(["18446744073709551615"]);
    const findings = await place.run("validate", fixture("fmi3/Feedthrough"), "--run", "--json");
    expect(findings.code).toBe(0);
    expect(JSON.parse(findings.stdout).findings).toEqual([]);
  });
});

describe("--log-calls and --debug", () => {
  it("write every call with its arguments and status, and what the FMU says", async () => {
    const options = ["--log-calls", "calls.txt", "--stop", "0.3", "-q"];
    await run("fmi2/Dahlquist", ...options);
    const calls = place.read("calls.txt").trimEnd().split("\n");
    expect(calls[0]).toMatch(/^fmi2Instantiate\(name="Dahlquist".* -> instance$/);
    expect(calls.filter((line) => line.startsWith("fmi2DoStep("))).toHaveLength(3);
    expect(calls.at(-1)).toMatch(/^fmi2FreeInstance/);
    const debug = await place.run("run", fixture("fmi2/Misbehaving"), "--debug", "-q");
    expect(debug.code).toBe(0);
  });
});
