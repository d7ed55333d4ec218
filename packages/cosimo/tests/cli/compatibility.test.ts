/**
 * What other tools make, through the built command: FMUs of FMI 1.0, packages, tables, aliases and
 * tunable parameters.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packZip } from "../../src/ssp/pack-ssp.ts";
import {
  bindings,
  component,
  connections,
  elements,
  ssd,
  system,
} from "../../src/ssp/testing/ssd-text.ts";
import { BIN, fixture, ROOT, Workplace } from "./cosimo.ts";

const place = new Workplace();

const column = (file: string, name: string): number[] => {
  const { columns } = place.trace(file);
  const found = columns.find((one) => one.name === name);
  expect(found, `${name} of ${columns.map((one) => one.name).join(", ")}`).toBeDefined();
  return Array.from(found!.data as Float64Array);
};

describe("FMUs of FMI 1.0", () => {
  it("[NA111] run alone, and give the trace of their sibling of FMI 2.0", async () => {
    for (const version of ["fmi1", "fmi2"]) {
      const out = `${version}.csv`;
      const step = ["--step", "0.1", "--stop", "2", "--record", "x", "-o", place.path(out)];
      const { code, stderr } = await place.run("run", fixture(`${version}/Dahlquist`), ...step);
      expect(code, stderr).toBe(0);
    }
    expect(column("fmi1.csv", "x")).toEqual(column("fmi2.csv", "x"));
  });

  it("[NA111] are coupled, by the interpreter and as machine code with the same trace", async () => {
    const scenario = place.write(
      "masses.yaml",
      `units: { left: ${fixture("fmi1/MassSpringDamperLeft")}, right: ${fixture("fmi1/MassSpringDamperRight")} }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 2, step: 0.01 }
master: jacobi
`,
    );
    for (const executor of ["interpreter", "machine-code"]) {
      const out = ["-o", place.path(`${executor}.csv`), "--executor", executor];
      const { code, stderr } = await place.run("run", scenario, ...out);
      expect(code, stderr).toBe(0);
    }
    expect(place.read("machine-code.csv")).toBe(place.read("interpreter.csv"));
  });
});

describe("packages of other tools", () => {
  const feedthrough = readFileSync(fixture("fmi2/Feedthrough"));
  const inner = component("f", "Float64_continuous_input< Float64_continuous_output>").replace(
    "f.fmu",
    "resources\\Feedthrough.fmu",
  );
  const text = ssd(
    elements(
      system(
        "sys",
        "y>",
        `${elements(inner)}${connections("f.Float64_continuous_output -> y")}`.replace(
          'endConnector="y"',
          'endElement="" endConnector="y"',
        ),
      ),
    ),
    { tail: '<ssd:DefaultExperiment stopTime="1"/>' },
  );

  it("[SS29] run with notes, where the FMUs or the command say the step, and are errors of validate", async () => {
    const path = place.path("system.ssp");
    const files = new Map<string, Uint8Array>([
      ["SystemStructure.ssd", Buffer.from(text)],
      ["resources/Feedthrough.fmu", feedthrough],
    ]);
    writeFileSync(path, packZip(files));
    const name = "sys.f.Float64_continuous_input";
    const out = ["--step", "0.5", "--set", `${name}=4`, "--record", `sys.y,${name}`];
    const ran = await place.run("run", path, ...out, "-o", place.path("system.csv"));
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).not.toContain(place.temp);
    expect(column("system.csv", name)).toEqual([4, 4, 4]);
    expect(column("system.csv", "sys.y")).toEqual([4, 4, 4]);
    const validated = await place.run("validate", path, "--json");
    expect(validated.code).toBe(1);
    const { findings } = JSON.parse(validated.stdout) as { findings: { code: string }[] };
    expect(findings.map(({ code }) => code).sort()).toEqual([
      "ssp-empty-attribute",
      "ssp-source-spelling",
    ]);
  });

  it("[SS29] [SS31] [SS14] run with notes where their FMUs say otherwise, and validate lists them", async () => {
    const ports = "Int32_output> Enumeration_input< Float64_continuous_output>";
    const values = bindings("Float64_fixed_parameter=2_bar Float64_continuous_output=1");
    const f = component("f", ports, values).replace(
      "f.fmu",
      'resources/Feedthrough.fmu" implementation="ModelExchange',
    );
    const structure = ssd(elements(f) + connections("f.Int32_output -> f.Enumeration_input"));
    const path = place.path("otherwise.ssp");
    const files = new Map<string, Uint8Array>([
      ["SystemStructure.ssd", Buffer.from(structure)],
      ["resources/Feedthrough.fmu", feedthrough],
    ]);
    writeFileSync(path, packZip(files));
    const codes = [
      "connection-unchecked",
      "ssp-unknown-unit",
      "unit-other-interface",
      "value-unit-unused",
      "value-without-effect",
    ];
    const ran = await place.run("run", path, "--stop", "0.1", "--step", "0.1");
    expect(ran.code, ran.stderr).toBe(0);
    for (const code of codes) expect(ran.stderr).toContain(code);
    const validated = await place.run("validate", path, "--json");
    const { findings } = JSON.parse(validated.stdout) as {
      findings: { code: string; severity: string }[];
    };
    expect(findings.map(({ code }) => code).sort()).toEqual(codes);
    expect(new Set(findings.map(({ severity }) => severity))).toEqual(new Set(["error"]));
  });

  it("[SS32] a misspelt name inside a nested system is answered with the one that is near", async () => {
    const path = place.path("near.ssp");
    const files = new Map<string, Uint8Array>([
      ["SystemStructure.ssd", Buffer.from(text)],
      ["resources/Feedthrough.fmu", feedthrough],
    ]);
    writeFileSync(path, packZip(files));
    const set = ["--step", "0.5", "--set", "sys.f.Float64_continuous_inptu=4"];
    const ran = await place.run("run", path, ...set);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("did you mean 'sys.f.Float64_continuous_input'?");
  });

  it("npm run compatibility tells a package that cannot be read from one that cannot run, and lists both", () => {
    const folder = place.path("many");
    mkdirSync(folder);
    const pack = (name: string, files: Readonly<Record<string, string>>): void => {
      const entries = Object.entries(files).map(
        ([path, text]) => [path, Buffer.from(text)] as const,
      );
      writeFileSync(join(folder, name), packZip(new Map<string, Uint8Array>(entries)));
    };
    pack("empty.ssp", { "readme.txt": "nothing else" });
    pack("absent.ssp", { "SystemStructure.ssd": text });
    const program = join(ROOT, "scripts", "compatibility.mjs");
    const words = [program, folder, "--json", "--command", BIN];
    const printed = execFileSync(process.execPath, words, { encoding: "utf8" });
    expect(JSON.parse(printed)).toMatchObject([
      { name: "absent.ssp", opened: true, ran: false },
      { name: "empty.ssp", opened: false, ran: false },
    ]);
  });
});

describe("what a run takes and records", () => {
  it("[SC20] a connection begins at a local variable, with the trace of the output that is the same", async () => {
    const masses = (velocity: string): string => `
units: { left: ${fixture("fmi2/MassSpringDamperLeft")}, right: ${fixture("fmi3/MassSpringDamperRight")} }
connections: [left.x_1 -> right.x_c, { from: "left.${velocity}", to: right.v_c }, right.F_c -> left.F_e]
experiment: { stop: 2, step: 0.01 }
master: gauss-seidel
`;
    for (const [name, velocity] of [
      ["output", "v_1"],
      ["local", "der(x_1)"],
    ] as const) {
      const scenario = place.write(`${name}.yaml`, masses(velocity));
      const out = ["--record", "right.*", "-o", place.path(`${name}.csv`)];
      const { code, stderr } = await place.run("run", scenario, ...out);
      expect(code, stderr).toBe(0);
    }
    expect(place.read("local.csv")).toBe(place.read("output.csv"));
  });

  it("[RU3] a tunable parameter follows its column of --input, alone and in a scenario", async () => {
    const parameter = "Float64_tunable_parameter";
    const input = place.write("in.csv", `time,${parameter}\n0,1\n0.5,3\n`);
    const rest = ["--step", "0.25", "--stop", "1", "--record", parameter];
    const alone = await place.run(
      "run",
      fixture("fmi2/Feedthrough"),
      "--input",
      input,
      ...rest,
      "-o",
      place.path("alone.csv"),
    );
    expect(alone.code, alone.stderr).toBe(0);
    expect(column("alone.csv", parameter).at(-1)).toBe(3);
    const scenario = place.write(
      "one.yaml",
      `units: { f: ${fixture("fmi2/Feedthrough")} }\nexperiment: { stop: 1, step: 0.25 }\n`,
    );
    const driven = place.write("driven.csv", `time,f.${parameter}\n0,1\n0.5,3\n`);
    const coupled = await place.run(
      "run",
      scenario,
      "--input",
      driven,
      "--record",
      `f.${parameter}`,
      "-o",
      place.path("coupled.csv"),
    );
    expect(coupled.code, coupled.stderr).toBe(0);
    expect(column("coupled.csv", `f.${parameter}`).at(-1)).toBe(3);
  });

  it("[RC18] an alias of FMI 3 is recorded under its own name, alone and in a scenario", async () => {
    const ball = fixture("fmi3/BouncingBall");
    const rest = ["--stop", "0.2", "--step", "0.1", "-o"];
    const alone = await place.run(
      "run",
      ball,
      "--record",
      "height,h",
      ...rest,
      place.path("a.csv"),
    );
    expect(alone.code, alone.stderr).toBe(0);
    expect(column("a.csv", "height")).toEqual(column("a.csv", "h"));
    const scenario = place.write(
      "ball.yaml",
      `units: { ball: ${ball} }\nexperiment: { stop: 0.2, step: 0.1 }\n`,
    );
    const record = ["--record", "ball.height", "-o", place.path("b.csv")];
    const coupled = await place.run("run", scenario, ...record);
    expect(coupled.code, coupled.stderr).toBe(0);
    expect(column("b.csv", "ball.height")[0]).toBe(1);
  });
});
