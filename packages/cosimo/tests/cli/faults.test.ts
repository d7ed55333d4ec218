/** Faults at the command line: options, files, tracks, counts, executors, mistakes. */
import { copyFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixture, numbersOf, Workplace } from "./cosimo.ts";

const place = new Workplace();
for (const name of [
  "MassSpringDamperLeft",
  "MassSpringDamperRight",
  "Heavy",
  "GriddedMass",
  "CpuBox",
])
  copyFileSync(fixture(`fmi2/${name}`), place.path(`${name}.fmu`));
for (const name of ["Stair", "Counter"])
  copyFileSync(fixture(`fmi3/${name}`), place.path(`${name}.fmu`));

const masses = (name: string, more = ""): string =>
  place.write(
    `${name}.yaml`,
    `units: { left: MassSpringDamperLeft.fmu, right: MassSpringDamperRight.fmu }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 2 s, step: 10 ms }
master: jacobi
${more}`,
  );

/** Under a name of its own: tests of a file run one after the other, but write side by side. */
async function traced(name: string, ...args: string[]) {
  const ended = await place.run("run", ...args, "-o", `${name}.csv`);
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
  return { ...ended, trace: place.trace(`${name}.csv`) };
}

describe("cosimo run --fault", () => {
  it("[FA14] has a column per fault, and says how often each acted", async () => {
    const { trace, stdout } = await traced(
      "stuck",
      masses("stuck"),
      ...["--fault", "left.x_1 stuck 0.5 at 1 s for 0.5 s"],
      ...["--fault", "right frozen while left.x_1 > 100 as never"],
      ...["--record", "left.x_1"],
    );
    const shown = numbersOf(trace, "left.x_1");
    const track = numbersOf(trace, "fault.left.x_1");
    trace.time.forEach((time, row) => {
      if (trace.time[row + 1] === time) return;
      const acts = time >= 1 - 1e-9 && time < 1.5 - 1e-9;
      expect([time, track[row]]).toEqual([time, acts ? 1 : 0]);
      if (acts) expect(shown[row]).toBe(0.5);
    });
    expect(numbersOf(trace, "fault.never").every((value) => value === 0)).toBe(true);
    expect(stdout).toContain("  fault left.x_1: acted once\n  fault never: did not act");
  });

  it("[FA16] a scenario and --faults may name files: lines, the thesis' script, YAML", async () => {
    place.write("script.faults", "# the spring breaks\n@0.5 F_e 0\n@1.5 left.F_e 1\n");
    place.write("more.yaml", "- { port: right.F_c, gain: 0, at: 1 s, name: loose }\n");
    const scenario = masses("files", "faults: script.faults\n");
    const { trace } = await traced("files", scenario, "--faults", place.path("more.yaml"));
    const names = trace.columns.map(({ name }) => name).filter((name) => name.startsWith("fault."));
    expect(names.sort()).toEqual(["fault.F_e@0.5", "fault.left.F_e@1.5", "fault.loose"]);
    const json = await place.run("run", scenario, "--json", "-q");
    expect(JSON.parse(json.stdout).faults).toEqual([
      { name: "F_e@0.5", activations: 1 },
      { name: "left.F_e@1.5", activations: 1 },
    ]);
  });

  it("[FA20] gives the same bytes whatever executes the plan", async () => {
    const scenario = place.write(
      "heavy.yaml",
      `units: { a: { fmu: Heavy.fmu, set: { work: 500 } }, b: { fmu: Heavy.fmu, set: { work: 500 } }, c: Heavy.fmu }
connections: [a.x -> b.u, { from: b.x, to: a.u, factor: 0.5 }, b.x -> c.u]
experiment: { stop: 2 s, step: 10 ms }
master: jacobi
faults: [c.x noise 0.1 seed 3 at 0.5 s, b.u stuck 1 at 1 s until 1.5 s]
`,
    );
    const runs = [
      ["--executor", "interpreter"],
      ["--executor", "machine-code"],
      ["--threads", "2"],
    ];
    const texts: string[] = [];
    for (const [k, options] of runs.entries()) {
      const { stdout } = await traced(`heavy-${k}`, scenario, ...options);
      if (k === 1) expect(stdout).toContain("machine code for 1 of 3 units");
      texts.push(place.read(`heavy-${k}.csv`));
    }
    expect(texts[1]).toBe(texts[0]);
    expect(texts[2]).toBe(texts[0]);
  });

  it("[FA11] an FMU that runs alone has faults too, its ports by their own names", async () => {
    const { trace } = await traced(
      "alone",
      "CpuBox.fmu",
      ...["--stop", "20", "--step", "5", "--fault", "isStopped stuck true at 7.5 s"],
      ...["--record", "cpuTemperature"],
    );
    const rows = [...trace.time].flatMap((time, row) => (time === 7.5 ? [row] : []));
    expect(rows.map((row) => numbersOf(trace, "fault.isStopped")[row])).toEqual([0, 1]);
    const [before, hot, cooler] = [5, 7.5, 20].map(
      (time) => numbersOf(trace, "cpuTemperature")[[...trace.time].lastIndexOf(time)] as number,
    );
    expect(hot).toBeGreaterThan(before as number);
    expect(cooler).toBeLessThan(hot as number);
  });

  it("[FA10] a discrete input of an FMU with event mode changes in event mode, an output as any other", async () => {
    const scenario = place.write(
      "counter.yaml",
      `units: { counter: Counter.fmu, stair: Stair.fmu }
experiment: { stop: 5 s, step: 0.4 s }
master: iterative
faults: [counter.u stuck 5 at 1.3 s until 2.1 s, stair.counter stuck 7 at 2.3 s until 3.1 s]
`,
    );
    const { trace } = await traced("counter", scenario);
    const [changes, shown] = ["counter.changes", "stair.counter"].map((name) =>
      numbersOf(trace, name),
    );
    trace.time.forEach((time, row) => {
      if (trace.time[row + 1] === time) return;
      expect([time, changes?.[row]]).toEqual([time, time < 1.3 ? 0 : time < 2.1 ? 1 : 2]);
      if (time >= 2.3 && time < 3.1) expect(shown?.[row]).toBe(7);
      else expect(shown?.[row]).not.toBe(7);
    });
    expect([...trace.time]).toEqual(expect.arrayContaining([1.3, 2.1, 2.3, 3.1]));
  });

  it("[FA9] a unit that fails is a failure of that unit, and the trace up to there is kept", async () => {
    const args = [masses("fails"), "--fault", "right fails at 0.7 s", "-o", "fails.csv"];
    const ended = await place.run("run", ...args);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("'right'");
    expect(ended.stderr).toContain("right fails at 0.7 s");
    expect(place.trace("fails.csv").time.at(-1)).toBeCloseTo(0.7, 12);
  });

  it("[FA17] what is wrong has a place, a cause and a fix", async () => {
    const scenario = masses("wrong");
    const mistakes = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await place.run("run", scenario, ...args);
      expect(code).toBe(1);
      return stderr;
    };
    const port = await mistakes("--fault", "left.x1 stuck 0 at 3 s");
    expect(port).toContain("--fault");
    expect(port).toContain("'left' has no port 'x1'");
    expect(port).toContain("did you mean 'x_1'?");
    expect(await mistakes("--faults", "nowhere.faults")).toContain("there is no such file");
    place.write("bad.faults", "left.x_1 stuck 0 at 1 s\n\nleft.x_1 stuk 0\n");
    const kind = await mistakes("--faults", place.path("bad.faults"));
    expect(kind).toContain("bad.faults:3:1");
    expect(kind).toContain("did you mean 'stuck'?");
  });

  it("[FA11] an instant that a unit with constant steps cannot meet is refused", async () => {
    const rigid = place.edited("fmi2/MassSpringDamperLeft", (xml) =>
      xml.replace(/canHandleVariableCommunicationStepSize="true"/, ""),
    );
    const scenario = place.write(
      "rigid.yaml",
      `units: { mass: { fmu: ${rigid} } }
experiment: { stop: 1 s, step: 100 ms }
master: jacobi
`,
    );
    const refused = await place.run("run", scenario, "--fault", "mass frozen at 0.25 s");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "the fault 'mass' changes at 0.25 s between communication points, and 'mass' cannot end a step of 0.1 s there",
    );
    await traced("rigid", scenario, "--fault", "mass frozen at 0.3 s");
  });
});

describe("cosimo check and export", () => {
  it("[FA14] check lists faults and when they act", async () => {
    const scenario = masses("checked", "faults: [left.x_1 stuck 0 at 1 s for 0.5 s]\n");
    const { stdout, code } = await place.run("check", scenario, "--fault", "right fails at 1.25 s");
    expect(code).toBe(0);
    expect(stdout).toMatch(/faults \(2\)\n {2}left\.x_1 +from 1 s until 1\.5 s +left\.x_1 stuck 0/);
    expect(stdout).toMatch(/right +from 1\.25 s +right fails at 1\.25 s/);
    const json = await place.run("check", scenario, "--json");
    expect(JSON.parse(json.stdout).explanation.faults).toEqual([
      {
        name: "left.x_1",
        text: "left.x_1 stuck 0 at 1 s for 0.5 s",
        when: "from 1 s until 1.5 s",
        instants: [1, 1.5],
      },
    ]);
  });

  it("[FA20] a scenario with faults cannot become an FMU, which would not have them", async () => {
    const scenario = masses("exported", "faults: [left.x_1 stuck 0 at 1 s]\n");
    const { code, stderr, stdout } = await place.run("export", scenario, "-o", "exported.fmu");
    expect(code).toBe(1);
    expect(stderr + stdout).toContain("'faults:'");
    const ssp = await place.run("export", scenario, "-o", "exported.ssp");
    expect([ssp.code, ssp.stderr]).toEqual([0, expect.stringContaining("ssp-export-faults")]);
  });
});
