/**
 * Interfaces (.mci) and specifications (.mcl) as a user meets them: written, checked, formatted,
 * run.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../src/base/diagnostic.ts";
import { diskFiles } from "../../src/host/sources/files.ts";
import { SourceTree } from "../../src/host/sources/tree.ts";
import { trustOf } from "../../src/host/trust.ts";
import { formatMci } from "../../src/lang/mci/format-mci.ts";
import { parseMci } from "../../src/lang/mci/parse-mci.ts";
import { formatMcl } from "../../src/lang/mcl/format-mcl.ts";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
const EXAMPLE = join(import.meta.dirname, "../../../../examples/cpu-cooling");

describe("the CPU cooling example", () => {
  it("[ML11] as connectors gives the trace of its scenario.yaml, bit for bit", async () => {
    const traces: Buffer[] = [];
    for (const file of ["scenario.yaml", "system.mcl"]) {
      const out = place.path(`${file}.csv`);
      const ended = await place.run("run", join(EXAMPLE, file), "-o", out);
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      expect(ended.stdout).toContain("6000 every 5 s");
      traces.push(readFileSync(out));
    }
    expect(traces[0]!.byteLength).toBeGreaterThan(100_000);
    expect(traces[1]!.equals(traces[0]!)).toBe(true);
  }, 120_000);

  it("[ML3] is checked as its scenario.yaml is", async () => {
    const checked = await Promise.all(
      ["scenario.yaml", "system.mcl"].map((file) => place.run("check", join(EXAMPLE, file))),
    );
    const exchanges = checked.map(({ code, stdout }) => {
      expect(code).toBe(0);
      return /^exchanges\n(?: {2}.*\n)+/m.exec(stdout)?.[0];
    });
    expect(exchanges[0]).toContain("when ready-to-read");
    expect(exchanges[1]).toBe(exchanges[0]);
  });

  it.each(readdirSync(EXAMPLE).filter((name) => /\.mc[il]$/.test(name)))(
    "[MI2] %s is formatted and free of findings",
    async (name) => {
      const file = join(EXAMPLE, name);
      const text = readFileSync(file, "utf8");
      const format = name.endsWith(".mci") ? formatMci : formatMcl;
      expect(unwrap(format(text, name))).toBe(text);
      const checked = await place.run("check", file);
      expect(checked.code).toBe(0);
      expect(checked.stdout).not.toContain("findings");
    },
  );
});

describe("cosimo mci", () => {
  const units = [
    "fmi2/CpuBox",
    "fmi3/CpuBox",
    "fmi2/Feedthrough",
    "fmi3/Feedthrough",
    "fmi3/Clocks",
    "fmi3/StateSpace",
    "fmi2/BouncingBall",
  ].map(fixture);

  it.each([...units, join(EXAMPLE, "over-heat.machine.yaml")])(
    "[MI9] writes an interface of %s that fits it",
    async (unit) => {
      const out = place.path("unit.mci");
      expect(await place.run("mci", unit, "-o", out)).toMatchObject({ code: 0, stderr: "" });
      const text = readFileSync(out, "utf8");
      expect(unwrap(formatMci(text, out))).toBe(text);
      const { ports, source } = unwrap(parseMci(text, out));
      expect(source?.path).toBe(relative(place.files, unit));
      expect(ports.length).toBeGreaterThan(0);
      const checked = await place.run("check", out);
      expect(checked).toMatchObject({ code: 0, stderr: "" });
      expect(checked.stdout).toContain("it fits its unit");
      // Without -o it is the same text, with a path from here.
      const printed = await place.run("mci", unit);
      expect(withoutPath(printed.stdout)).toBe(withoutPath(text));
    },
  );

  const withoutPath = (text: string): string => text.replace(/Path ".*"/, "Path");

  it("[MI9] says natures, arrays, clocks and events as descriptions have them", async () => {
    const clocks = (await place.run("mci", fixture("fmi3/Clocks"))).stdout;
    expect(clocks).toMatch(
      /Port alarm \{\n {6}direction OUTPUT\n {6}nature transient\n {6}type Clock/,
    );
    expect((await place.run("mci", fixture("fmi3/StateSpace"))).stdout).toContain("type Real [3]");
    const machine = (await place.run("mci", join(EXAMPLE, "over-heat.machine.yaml"))).stdout;
    expect(machine).toContain("Triggered");
    expect(machine).toContain("ReadyToRead");
  });

  it("refuses what is not a unit, and other endings", async () => {
    const nothing = await place.run("mci", "nothing.fmu");
    expect(nothing).toMatchObject({ code: 1, stdout: "" });
    expect(nothing.stderr).toContain("there is no such file");
    expect(await place.run("mci", fixture("fmi2/CpuBox"), "-o", "x.txt")).toMatchObject({
      code: 2,
    });
  });
});

describe("cosimo check of an interface", () => {
  it("[MI11] finds what does not fit, and exits with 1", async () => {
    const text = `Interface A { FMUPath "${fixture("fmi2/CpuBox")}"\nports { Port cpuTemp { direction INPUT } } }`;
    const file = place.write("wrong.mci", text);
    const ended = await place.run("check", file);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain(`${file}:2:9 error interface-unknown-port`);
    const json = JSON.parse((await place.run("check", file, "--json")).stdout);
    expect(json.diagnostics[0].code).toBe("interface-unknown-port");
    expect((await place.run("check", place.path("none.mci"))).stdout).toContain("no such file");
  });
});

describe("cosimo format", () => {
  it("[MI2] rewrites interfaces and specifications, and says before what it would do", async () => {
    const mci = place.write(
      "a.mci",
      "Interface A { ports { Port x { nature constant direction INPUT } } }",
    );
    const mcl = place.write("a.mcl", 'load "a.mci" Connector c do a.x -> a.x // odd\n');
    const asked = await place.run("format", mci, mcl, "--check");
    expect(asked.code).toBe(1);
    expect(asked.stdout).toContain(`fix: cosimo format ${mcl}`);
    expect(await place.run("format", mci, mcl)).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(mcl, "utf8")).toBe(
      'load "a.mci"\n\nConnector c\n  do\n    a.x -> a.x // odd\n',
    );
    expect(await place.run("format", mci, mcl, "--check")).toMatchObject({ code: 0 });
    expect(await place.run("format", "x.yaml")).toMatchObject({ code: 2 });
    const broken = place.write("b.mci", "Interface {");
    expect((await place.run("format", broken)).stderr).toContain("text-syntax");
  });
});

describe("an interface in scenario.yaml", () => {
  const folder = place.path("scenario");
  mkdirSync(folder);
  copyFileSync(fixture("fmi2/CpuBox"), join(folder, "box.fmu"));
  const scenario = (extra: string): string =>
    place.write(
      "scenario/s.yaml",
      `units: { box: { fmu: box.fmu, interface: box.mci${extra} } }\nexperiment: { stop: 10 s, step: 5 s }\nrecord: [box.fanSpeedCommand]\n`,
    );
  const write = (ports: string): string =>
    place.write("scenario/box.mci", `Interface Box { ports { ${ports} } }`);
  const recorded = async (file: string): Promise<string> => {
    const out = place.path("s.csv");
    expect(await place.run("run", file, "-o", out)).toMatchObject({ code: 0 });
    return readFileSync(out, "utf8").trim().split("\n").at(-1)!;
  };

  it("[MI8] gives initial values, unless the scenario sets them", async () => {
    write('Port fanSpeedCommand { direction INPUT initialValue "7" }');
    expect(await recorded(scenario(""))).toBe("10,7");
    expect(await recorded(scenario(", set: { fanSpeedCommand: 3 }"))).toBe("10,3");
  });

  it("[MI8] is held to its unit", async () => {
    write("Port fanSpeed { direction INPUT }");
    const ended = await place.run("check", scenario(""));
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("box.mci:1:25 error interface-unknown-port");
    const missing = place.write(
      "scenario/t.yaml",
      "units: { box: { fmu: box.fmu, interface: none.mci } }",
    );
    expect((await place.run("check", missing)).stdout).toContain(
      "t.yaml:1:31 error interface-unusable: cannot use the interface 'none.mci': there is no such file",
    );
  });

  it("[MI7] decides by its natures when connections exchange", async () => {
    const fan = fixture("fmi3/FanController");
    const yaml = `units:
  box: { fmu: box.fmu, interface: box.mci }
  fan: ${fan}
connections: [box.cpuTemperature -> fan.cpuTemperature, { from: fan.fanSpeedCommand, to: box.fanSpeedCommand, every: 5 s }]
experiment: { stop: 10 s, step: 5 s }`;
    const reason = async (nature: string): Promise<string> => {
      write(`Port cpuTemperature { direction OUTPUT nature ${nature} }`);
      const { stdout } = await place.run("check", place.write("scenario/n.yaml", yaml));
      return /box.cpuTemperature → fan.*/.exec(stdout)?.[0] ?? stdout;
    };
    expect(await reason("continuous")).toContain("the source is continuous");
    expect(await reason("piecewise-constant")).toContain("the source is piecewise constant");
  });
});

describe("thresholds and tolerances", () => {
  it("[ML7] reach the connections of the scenario", async () => {
    const loads = ["plant", "fan"].map(
      (name) => `load "${join(EXAMPLE, `${name}.mci`)}" as ${name}`,
    );
    const file = place.write(
      "threshold.mcl",
      `${loads.join("\n")}\nexperiment { stop 100 step 5 }
Connector a
  when value on plant.cpuTemperature rises above 22
  sync plant.t = fan.t within 2
  do plant.cpuTemperature -> fan.cpuTemperature
Connector b when every 5 do fan.fanSpeedCommand -> plant.fanSpeedCommand\n`,
    );
    const checked = await place.run("check", file);
    expect(checked.stdout).toContain("when plant.cpuTemperature > 22");
    const ended = await place.run("run", file);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/1 when plant.cpuTemperature > 22/);
    const tree = new SourceTree(diskFiles(trustOf(undefined)), place.temp);
    const draft = await tree.readDraft(file);
    expect(draft?.connections[0]).toMatchObject({ tolerance: 2, trigger: { kind: "threshold" } });
  });
});

describe("a cycle of updates, as in listing 4.3", () => {
  const machine = (name: string): string =>
    `machine: ${name}\ninputs: { u: 0 }\noutputs: { y: 0 }\ninitial: a\nstates:\n  a:\n    - { after: 1 s, do: "y := u + 1", to: a }\n`;
  const system = (rollback: boolean): string => {
    for (const name of ["Software", "Controller"]) {
      place.write(`${name}.machine.yaml`, machine(name));
      place.write(
        `${name}.mci`,
        `Interface ${name} { SUPath "${name}.machine.yaml" ports {
          Port u { direction INPUT nature piecewise-constant type Real }
          Port y { direction OUTPUT nature piecewise-constant type Real ioevents { Updated } } }
          properties { rollback ${rollback} } }`,
      );
    }
    return place.write(
      "cycle.mcl",
      `load "Software.mci"\nload "Controller.mci"\nexperiment { stop 10 step 1 }
Connector Ctrl (from Software.y to Controller.u)
  when value on Software.y has been Updated do Software.y -> Controller.u
Connector Software (from Controller.y to Software.u)
  when value on Controller.y has been Updated do Controller.y -> Software.u\n`,
    );
  };

  it("[ML13] is refused where interfaces say that no unit rolls back, and runs where they do", async () => {
    const refused = await place.run("check", system(false));
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("cycle.mcl:1:1 error trigger-cycle");
    expect(await place.run("run", system(true))).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a specification that cannot run", () => {
  it("[ML8] is refused with all places, each once", async () => {
    place.write(
      "c.mci",
      `Interface C { SUPath "${join(EXAMPLE, "over-heat.machine.yaml")}" ports { Port switchCPUState { direction OUTPUT nature transient } } }`,
    );
    place.write(
      "p.mci",
      `Interface P { FMUPath "${fixture("fmi2/CpuBox")}" ports { Port fanSpeedCommand { direction INPUT nature continuous } } }`,
    );
    const file = place.write(
      "bad.mcl",
      'load "p.mci"\nload "c.mci"\nConnector x\n  when event on c.switchCPUState occurs\n  do c.switchCPUState -> p.fanSpeedCommand\n',
    );
    const ended = await place.run("run", file);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain(`${file}:5:6 error mcl-nature`);
    expect(ended.stderr.match(/ error /g)).toHaveLength(1);
  });

  it("[ML4] names interfaces that are not there", async () => {
    const ended = await place.run("check", place.write("gone.mcl", 'load "gone.mci"\n'));
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("gone.mcl:1:1 error interface-unusable");
  });
});
