/** Studies at the command line: real FMUs in real processes, which are killed. */
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../src/base/diagnostic.ts";
import { parseParquet } from "../../src/record/parquet-read.ts";
import { parseTable, type Table } from "../../src/record/table.ts";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
copyFileSync(fixture("fmi3/MassSpringDamperLeft"), place.path("left.fmu"));
copyFileSync(fixture("fmi2/MassSpringDamperRight"), place.path("right.fmu"));
copyFileSync(fixture("fmi2/Misbehaving"), place.path("misbehaving.fmu"));

place.write(
  "masses.yaml",
  `units: { left: left.fmu, right: right.fmu }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 2 s, step: 100 ms }
master: jacobi
requirements:
  - { name: near, require: always left.x_1 < 1.1 m }
`,
);
place.write(
  "trouble.yaml",
  "units: { m: misbehaving.fmu }\nconnections: []\nexperiment: { stop: 1 s, step: 100 ms }\nmaster: jacobi\n",
);

async function tableOf(folder: string): Promise<Table> {
  const file = join(place.path(folder), "runs.parquet");
  return unwrap(await parseTable(readFileSync(file), file));
}
const column = ({ columns }: Table, name: string): readonly (string | number)[] => [
  ...(columns.find((one) => one.name === name)?.data ?? []),
];

describe("cosimo study", () => {
  it("[SU9] tells mistakes in factors, levels and what is kept together", async () => {
    const head = "scenario: masses.yaml\nfactors:\n";
    place.write(
      "both.yaml",
      `${head}  left.nope: [1, 2]\ndesign: { method: grid }\nkeep: [left.wrong]\n`,
    );
    const both = await place.run("study", "both.yaml");
    expect(both.code).toBe(1);
    expect(both.stderr).toContain("'left' has no port 'wrong'");
    expect(both.stderr).toContain("study-unknown-port");
    place.write(
      "levels.yaml",
      `${head}  broken: { fault: "{}", values: [none, left.q stuck 1 at 0.5 s] }\ndesign: { method: grid }\nkeep: [left.x_1]\n`,
    );
    const levels = await place.run("study", "levels.yaml");
    expect(levels.code).toBe(1);
    expect(levels.stderr).toContain("with 'left.q stuck 1 at 0.5 s': 'left' has no port 'q'");
  });

  it("[SU12] [SU13] runs a design: a table, a report, traces; what matters", async () => {
    place.write(
      "design.yaml",
      `scenario: masses.yaml
factors:
  left.c: { from: 0.5, to: 2 }
  master: [jacobi, gauss-seidel]
  step: [50 ms, 100 ms]
design: { method: latin-hypercube, runs: 12 }
keep: [left.x_1, maximum(abs(right.F_c)) as force, robustness, traces]
`,
    );
    const { code, stdout, stderr } = await place.run(
      "study",
      "design.yaml",
      "--json",
      "--jobs",
      "2",
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ runs: 12, failed: 0, isFinished: true });
    const table = await tableOf("design.results");
    expect(table.columns.map(({ name }) => name)).toEqual([
      ...["run", "left.c", "master", "step", "left.x_1", "force"],
      ...["robustness of near", "outcome", "reason"],
    ]);
    expect(column(table, "run")).toEqual(Array.from({ length: 12 }, (_, i) => i));
    expect(new Set(column(table, "master"))).toEqual(new Set(["jacobi", "gauss-seidel"]));
    expect(column(table, "outcome").every((one) => one === "completed")).toBe(true);
    // Every row is what a run by itself gives, bit for bit.
    const row = 7;
    const [c, master, step] = ["left.c", "master", "step"].map((name) => column(table, name)[row]);
    const alone = await place.run(
      ...["run", "masses.yaml", "--set", `left.c=${c}`, "--master", String(master)],
      ...["--step", String(step), "-o", "alone.csv", "--record", "left.x_1", "--quiet"],
    );
    expect(alone.code).toBe(0);
    const [x] = place.trace("alone.csv").columns;
    expect(column(table, "left.x_1")[row]).toBe(Array.from(x?.data ?? [], Number).at(-1));
    const traces = readdirSync(join(place.path("design.results"), "traces"));
    expect(traces).toHaveLength(12);
    const file = join(place.path("design.results"), "traces", "run-000007.parquet");
    const trace = unwrap(await parseParquet(readFileSync(file), file));
    expect(trace.meta.entries["run"]).toBe("7");
    const html = place.read("design.results/report.html");
    for (const text of [
      "Scatter matrix",
      "Parallel coordinates",
      "Main effects",
      "traces/run-000007.parquet",
    ])
      expect(html).toContain(text);
    expect(html).not.toContain("<script");
    expect(place.leftovers()).toEqual([]);
  });

  it("[SU14] a run that fails, crashes, hangs or takes too long is a row with its reason", async () => {
    place.write(
      "trouble-study.yaml",
      `scenario: trouble.yaml
factors:
  m.behaviour: [ok, error, segfault, abort, terminate, hang, ok]
design: { method: grid }
keep: [m.x]
limits: { time: 2 s }
`,
    );
    const { code } = await place.run("study", "trouble-study.yaml", "-q", "--jobs", "1");
    expect(code).toBe(0);
    const table = await tableOf("trouble-study.results");
    expect(column(table, "outcome")).toEqual([
      ...["completed", "failed", "crashed", "crashed", "stopped-by-unit", "timed-out", "completed"],
    ]);
    const reasons = column(table, "reason");
    expect(reasons[1]).toContain("'m'");
    expect(reasons[2]).toMatch(/SIGSEGV.* while 'm' was in fmi2DoStep/);
    expect(reasons[5]).toContain("longer than 2 s");
    expect(column(table, "m.x")[0]).toBeCloseTo(1, 12);
    expect(column(table, "m.x")[2]).toBeNaN();
    // Where no run has a value, there is no least one.
    place.write(
      "hopeless.yaml",
      "scenario: trouble.yaml\nfactors: { m.behaviour: [error] }\ndesign: { method: grid }\nkeep: [m.x]\n",
    );
    const hopeless = await place.run("study", "hopeless.yaml");
    expect(hopeless.code).toBe(3);
    expect(hopeless.stdout).toContain("m.x: no values\n");
    expect(hopeless.stdout).not.toMatch(/NaN|Infinity|what matters/);
    // No process of Node gets by with so little, and one that hangs is seen in any case.
    place.write(
      "memory.yaml",
      "scenario: trouble.yaml\nfactors: { m.behaviour: [hang] }\ndesign: { method: grid }\nlimits: { memory: 5 MB }\n",
    );
    expect((await place.run("study", "memory.yaml", "-q")).code).toBe(3);
    expect(column(await tableOf("memory.results"), "outcome")).toEqual(["out-of-memory"]);
    expect(place.leftovers()).toEqual([]);
  });

  it("[SU15] killed at random moments it goes on: the same table, no run twice", async () => {
    const study = `name: killed
scenario: masses.yaml
factors: { left.c: { from: 0.5, to: 2 }, right.m: { distribution: normal, mean: 1, deviation: 0.1 } }
design: { method: monte-carlo, runs: 1200, seed: 5 }
keep: [left.x_1, maximum(right.F_c) as force]
`;
    place.write("whole.yaml", study);
    place.write("killed.yaml", study);
    expect((await place.run("study", "whole.yaml", "-q")).code).toBe(0);
    const journal = place.path("killed.results/journal.jsonl");
    const lines = (): number =>
      existsSync(journal) ? readFileSync(journal, "utf8").split("\n").length - 2 : 0;
    // By the number of rows, not by the clock: a busy machine makes the same test.
    let [seed, kills] = [12345, 0];
    for (let k = 0; k < 10; k++) {
      seed = (seed * 48271) % 2147483647;
      const rows = lines() + (k === 0 ? 0 : 1 + (seed % 40));
      const running = place.start("study", "killed.yaml", "-q", ...(k === 0 ? [] : ["--resume"]));
      let isOver = false;
      void running.ended.then(() => {
        isOver = true;
      });
      while (!isOver && lines() < rows) await sleep(5);
      kills += running.process.kill("SIGKILL") && !isOver ? 1 : 0;
      await running.ended;
      // Workers end with their supervisor; what is left of the folders goes with the next command.
    }
    expect(kills).toBe(10);
    const { code, stdout } = await place.run("study", "killed.yaml", "--resume", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ runs: 1200, isFinished: true });
    const runs = readFileSync(journal, "utf8")
      .split("\n")
      .slice(1, -1)
      .map((line) => JSON.parse(line).run);
    expect(runs).toHaveLength(1200);
    expect(new Set(runs).size).toBe(1200);
    const compared = await place.run(
      "study",
      "compare",
      "whole.results",
      "killed.results",
      "--json",
    );
    expect(compared.code).toBe(0);
    expect(JSON.parse(compared.stdout)).toMatchObject({ isEqual: true, runs: 1200, missing: 0 });
    expect(readFileSync(place.path("whole.results/runs.parquet"))).toEqual(
      readFileSync(place.path("killed.results/runs.parquet")),
    );
  }, 300_000);

  it("[SU15] one that is interrupted before its first row reports nothing, and goes on", async () => {
    place.write(
      "slow.yaml",
      "scenario: trouble.yaml\nfactors: { m.behaviour: [hang, ok] }\ndesign: { method: grid }\nkeep: [m.x]\n",
    );
    const running = place.start("study", "slow.yaml", "--jobs", "1");
    while (!existsSync(place.path("slow.results/journal.jsonl"))) await sleep(10);
    process.kill(-(running.process.pid ?? 0), "SIGINT");
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(stdout).toContain("not finished: 2 left");
    expect(stdout).toContain("m.x: no values");
    expect(stdout).not.toMatch(/NaN|Infinity|wrote/);
    expect(readdirSync(place.path("slow.results"))).toEqual(["journal.jsonl"]);
  }, 60_000);

  it("[SU15] Ctrl-C keeps what was run, and --resume makes a study longer", async () => {
    const study = (runs: number): string => `scenario: masses.yaml
factors: { left.c: { from: 0.5, to: 2 } }
design: { method: sobol, runs: ${runs} }
keep: [left.x_1]
`;
    place.write("longer.yaml", study(100_000));
    const running = place.start("study", "longer.yaml");
    const journal = place.path("longer.results/journal.jsonl");
    while (!existsSync(journal) || readFileSync(journal, "utf8").split("\n").length < 40)
      await sleep(10);
    process.kill(-(running.process.pid ?? 0), "SIGINT");
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stderr).toContain("--resume");
    const before = (await tableOf("longer.results")).columns[0]?.data.length ?? 0;
    expect(before).toBeGreaterThan(30);
    place.write("longer.yaml", study(before + 20));
    expect((await place.run("study", "longer.yaml")).code).toBe(2);
    const again = await place.run("study", "longer.yaml", "--resume", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ runs: before + 20, isFinished: true });
    // Another scenario has other rows.
    place.write("longer.yaml", study(5).replace("to: 2", "to: 3"));
    const other = await place.run("study", "longer.yaml", "--resume");
    expect(other.code).toBe(2);
    expect(other.stderr).toContain("was changed since these runs were made");
    expect((await place.run("study", "longer.yaml", "--restart", "-q")).code).toBe(0);
    const differing = await place.run("study", "compare", "longer.results", "whole.results");
    expect(differing.code).toBe(5);
  }, 120_000);

  it("[SU16] finds the optimum within constraints, and resumes a search as it was", async () => {
    place.write(
      "best.yaml",
      `scenario: masses.yaml
factors: { c: { port: left.c, from: 0.5, to: 4 }, d: { port: left.d, from: 0.1, to: 4 } }
minimize: maximum(abs(left.v_1))
constraints: [always left.x_1 > -0.02 m]
optimizer: { method: nelder-mead, runs: 120, tolerance: 1e-3 }
`,
    );
    const { code, stdout } = await place.run("study", "best.yaml", "--json");
    expect(code).toBe(0);
    const { found, runs } = JSON.parse(stdout);
    expect(found.isFeasible).toBe(true);
    // The softest spring with the strongest damper moves slowest.
    expect(found.point.c).toBeLessThan(1);
    expect(found.point.d).toBeGreaterThan(3);
    const again = JSON.parse((await place.run("study", "best.yaml", "--resume", "--json")).stdout);
    expect(again).toMatchObject({ runs, resumed: runs });
    expect(again.found).toEqual(found);
  });

  it("[SU17] calibrates two parameters of the coupled masses to 1e-6", async () => {
    const recorded = await place.run(
      ...["run", "masses.yaml", "--set", "left.c=1.7", "--set", "right.d_c=0.6"],
      ...["-o", "measured.csv", "--record", "*.x_?", "--quiet"],
    );
    expect(recorded.stderr).toBe("");
    place.write(
      "fit.yaml",
      `scenario: masses.yaml
factors: { stiffness: { port: left.c, from: 0.1, to: 5 }, damping: { port: right.d_c, from: 0.1, to: 5 } }
calibrate: { data: measured.csv, signals: { left.x_1: left.x_1, right.x_2: { signal: right.x_2, scale: 0.1 } } }
`,
    );
    const { code, stdout } = await place.run("study", "fit.yaml", "--json");
    expect(code).toBe(0);
    const { found } = JSON.parse(stdout);
    expect(found.why).toBe("converged");
    expect(Math.abs(found.point.stiffness - 1.7)).toBeLessThan(1e-6);
    expect(Math.abs(found.point.damping - 0.6)).toBeLessThan(1e-6);
    // What is measured in another unit is converted.
    const [head, ...rows] = place.read("measured.csv").trim().split("\n");
    const [time, x] = ["time", "left.x_1"].map(
      (name) => head?.split(",").indexOf(`"${name}"`) ?? 0,
    );
    const inUnit = (unit: string, file: string): string => {
      const lines = rows.map((row) => {
        const cells = row.split(",");
        return `${cells[time ?? 0]},${1000 * Number(cells[x ?? 1])}`;
      });
      place.write(file.replace("yaml", "csv"), [`time,x [${unit}]`, ...lines, ""].join("\n"));
      return place.write(
        file,
        `scenario: masses.yaml
factors: { left.c: { from: 0.1, to: 5 } }
calibrate: { data: ${file.replace("yaml", "csv")}, signals: { x: left.x_1 } }
`,
      );
    };
    const small = await place.run("study", inUnit("mm", "small.yaml"), "--json");
    const c = JSON.parse(small.stdout).found.point["left.c"];
    expect(Math.abs(c - 1.7)).toBeLessThan(0.3);
    const odd = await place.run("study", inUnit("kg", "odd.yaml"));
    expect([odd.code, odd.stderr]).toEqual([
      1,
      expect.stringContaining("the column 'x' of odd.csv: 'kg' and 'm' measure different things"),
    ]);
    place.write(
      "fit2.yaml",
      place.read("fit.yaml").replace("left.x_1: left.x_1", "left.y: left.x_1"),
    );
    const wrong = await place.run("study", "fit2.yaml");
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("study-calibration");
  });

  it("[SU9] bad input is told with place, cause and fix, and nothing runs", async () => {
    const head = "scenario: masses.yaml\ndesign: { method: grid }\n";
    const wrong = {
      "factors: { left.k: [1] }": "3:12 error study-unknown-port",
      "factors: { left.c: { distribution: normal, mean: 1, deviation: -1 } }": "study-width",
      "factors: { left.c: [1] }\nkeep: [left.x_1 + left.v_1]": "requirement-units",
      "factors: { left.c: [1] }\nkeep: [left.q]": "unknown-port",
      "factors: { left.c: [1] }\nkeep: [robustness of neer]": "did you mean 'near'?",
    };
    for (const [text, message] of Object.entries(wrong)) {
      place.write("wrong.yaml", head + text);
      const { code, stderr } = await place.run("study", "wrong.yaml");
      expect([code, stderr], text).toEqual([1, expect.stringContaining(message)]);
      expect(stderr).toMatch(/wrong\.yaml:\d+:\d+ error/);
    }
    expect(existsSync(place.path("wrong.results"))).toBe(false);
    const { stdout } = await place.run("study", "whole.yaml", "--list", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ planned: 1200 });
  });
});
