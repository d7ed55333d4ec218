/**
 * What an exported FMU consists of, what cannot become one, and the command that does it.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { COMPILING, EXAMPLES, ExportLab, fmu } from "./export-lab.ts";

const lab = new ExportLab();
const BIN = join(import.meta.dirname, "..", "bin", "cosimo.js");

function cosimo(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly code: number | null; readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
    cwd: lab.folder,
  });
  return { code: status, out: stdout, err: stderr };
}

const contents = (path: string): Record<string, Uint8Array> => unzipSync(readFileSync(path));
const MASSES = `${EXAMPLES}/coupled-masses/scenario.yaml`;
const ARRAYS = lab.write(
  "arrays.yaml",
  `name: arrays & "more"
units:
  s:
    fmu: ${fmu("fmi3/StateSpace")}
    set: { n: 2, m: 2, r: 2, A: [-1, 0.5, 0, -2], B: [1, 0, 0, 1], C: [1, 0, 0, 1], u: [3, 4] }
experiment: { stop: 2 s, step: 100 ms }
master: jacobi
`,
);

describe("an exported FMU", { timeout: COMPILING }, () => {
  it.each([2, 3] as const)(
    "[EX11] has a description of FMI %d in which nothing is wrong",
    async (version) => {
      for (const source of [MASSES, ARRAYS, `${EXAMPLES}/power-window/controller.sa`]) {
        const { path } = await lab.export(source, version);
        const { code, out } = cosimo(["validate", path, "--run"]);
        expect(out).toContain("no problems found");
        expect(code).toBe(0);
      }
    },
  );

  it("[EX11] describes ports as the units inside do", async () => {
    const { variables, structure, experiment, units } = await lab.describe(MASSES, 3);
    const at = (name: string) => variables.find((variable) => variable.name === name)!;
    expect(at("left.m")).toMatchObject({
      causality: "parameter",
      variability: "fixed",
      type: "float64",
      unit: "kg",
      min: 1e-9,
      start: [1],
    });
    expect(at("right.F_c")).toMatchObject({
      causality: "output",
      unit: "N",
      initial: "calculated",
    });
    expect(units.find(({ unit }) => unit.name === "N/m")!.unit.base).toMatchObject({
      dimension: [1, 0, -2, 0, 0, 0, 0, 0],
      factor: 1,
    });
    expect(experiment).toMatchObject({ start: 0, stop: 10, step: 0.1 });
    const outputs = structure.outputs.map(({ variable }) => variables[variable]!.name);
    expect(outputs).toEqual(["left.x_1", "left.v_1", "right.F_c", "right.x_2", "right.v_2"]);
    expect(structure.outputs.every(({ dependencies }) => dependencies?.length === 0)).toBe(true);
  });

  it("[EX12] has a variable for each element of an array in FMI 2, and arrays in FMI 3", async () => {
    const two = await lab.describe(ARRAYS, 2);
    const names = two.variables.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["s.A[1,1]", "s.A[1,2]", "s.A[2,1]", "s.u[2]"]));
    const start = (name: string) => two.variables.find((one) => one.name === name)!.start;
    expect([start("s.A[1,2]"), start("s.A[2,1]"), start("s.A[2,2]")]).toEqual([[0.5], [0], [-2]]);
    expect([start("s.u[1]"), start("s.u[2]")]).toEqual([[3], [4]]);
    // Nobody says what it starts with in this shape.
    expect(names.filter((name) => name.startsWith("s.x0"))).toEqual([]);
    const three = await lab.describe(ARRAYS, 3);
    const a = three.variables.find(({ name }) => name === "s.A")!;
    expect(a.dimensions.map(({ size }) => size)).toEqual([2, 2]);
    expect(a.start).toEqual([-1, 0.5, 0, -2]);
  });

  it("[EX12] is refused as FMI 2 where that has no type for a port", async () => {
    const source = lab.write(
      "long.yaml",
      `units: { it: ${fmu("fmi3/Feedthrough")} }
ports: { u: it.Int64_input, bytes: it.Binary_output }
experiment: { step: 100 ms }
master: jacobi
`,
    );
    const { code, err } = cosimo(["export", source, "-o", "long.fmu"]);
    expect(code).toBe(1);
    expect(err).toMatch(/export-type: 'u' is int64/);
    expect(err).toMatch(/export-type: 'bytes' is binary/);
    expect(err).toContain("--fmi 3");
    expect(existsSync(join(lab.folder, "long.fmu"))).toBe(false);
  });

  it.each([2, 3] as const)(
    "[EX13] lists its sources in the way of FMI %d, and they compile without a word",
    async (version) => {
      const path = lab.write(
        "all.yaml",
        `name: all
units:
  two: ${fmu("fmi2/MassSpringDamperLeft")}
  three: { fmu: ${fmu("fmi3/MassSpringDamperRight")}, adapt: { multi-rate: { rate: 2 } } }
  window: ${EXAMPLES}/power-window/window.sa
connections:
  - two.x_1 -> three.x_c
experiment: { step: 100 ms }
master: jacobi
`,
      );
      const files = contents((await lab.export(path, version, true)).path);
      const text = (name: string): string => strFromU8(files[name]!);
      const list =
        version === 2 ? text("modelDescription.xml") : text("sources/buildDescription.xml");
      const listed = [...list.matchAll(/<(?:File|SourceFile) name="([^"]+)"/g)].map((m) => m[1]!);
      const present = Object.keys(files).filter((name) => /^sources\/[^/]+\.c$/.test(name));
      expect(listed.map((name) => `sources/${name}`).sort()).toEqual(present.sort());
      for (const name of Object.keys(files).filter((one) => /^sources\/[^/]+\.[ch]$/.test(one)))
        writeFileSync(join(lab.folder, name.slice("sources/".length)), files[name]!);
      const warnings = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fPIC"];
      const { status, stderr } = spawnSync("cc", [...warnings, "-c", ...listed], {
        cwd: lab.folder,
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      expect(status).toBe(0);
    },
  );

  it("[EX14] holds an FMU that is used twice once", async () => {
    const source = lab.write(
      "twice.yaml",
      `units:
  a: ${fmu("fmi2/Dahlquist")}
  b: ${fmu("fmi2/Dahlquist")}
  c: ${fmu("fmi3/Dahlquist")}
experiment: { step: 100 ms }
master: jacobi
`,
    );
    const { path, facts } = await lab.export(source, 2, true);
    expect(facts.inner).toEqual(["Dahlquist", "Dahlquist-2"]);
    const names = Object.keys(contents(path));
    expect(names).toContain("resources/Dahlquist/modelDescription.xml");
    expect(names).toContain("resources/Dahlquist-2/modelDescription.xml");
  });

  it("[EX15] is the same for the same input, and has another token for another one", async () => {
    const one = await lab.export(MASSES, 2, true);
    const again = await lab.export(MASSES, 2, true);
    expect(readFileSync(again.path).equals(readFileSync(one.path))).toBe(true);
    const text = readFileSync(MASSES, "utf8").replaceAll(
      "../../fixtures/build",
      join(fmu("x"), ".."),
    );
    const other = await lab.export(
      lab.write("other.yaml", text.replace("step: 100 ms", "step: 50 ms")),
      2,
      true,
    );
    expect(other.facts.token).not.toBe(one.facts.token);
    expect(one.facts.token).toMatch(/^\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$/);
  });
});

describe("what cannot be exported", { timeout: COMPILING }, () => {
  it("[EX16] says which unit is a module", () => {
    const { code, err } = cosimo([
      "export",
      `${EXAMPLES}/drive-line/scenario.yaml`,
      "--trust",
      "-o",
      "d.fmu",
    ]);
    expect(code).toBe(1);
    for (const unit of ["driver", "controller", "motor", "shaft", "vehicle"])
      expect(err).toMatch(
        new RegExp(`scenario.yaml:\\d+:\\d+ error export-module: the unit '${unit}'`),
      );
  });

  it.each([
    ["iterative", "master: iterative", "master: iterative"],
    ["events", "events: [{ when: left.x_1, crosses: 0 }]\nmaster: jacobi", "'events:'"],
  ])("[EX16] says that fixed steps are needed: %s", (_, master, why) => {
    const source = lab.write(
      "run-time.yaml",
      `units: { left: ${fmu("fmi3/MassSpringDamperLeft")} }
experiment: { stop: 1 s, step: 100 ms }
${master}
`,
    );
    const { code, err } = cosimo(["export", source, "-o", "x.fmu"]);
    expect(code).toBe(1);
    expect(err).toContain("export-run-time-master");
    expect(err).toContain(why);
    expect(err).toMatch(/fix: .*jacobi/);
  });

  it("[EX16] says which FMU inside has no binary for this machine, unless nobody asks for one", () => {
    const kept = Object.entries(contents(fmu("fmi2/Dahlquist"))).map(([name, bytes]) => [
      name.replace(/^binaries\/[^/]+/, "binaries/aarch64-elsewhere"),
      bytes,
    ]);
    writeFileSync(join(lab.folder, "elsewhere.fmu"), zipSync(Object.fromEntries(kept)));
    const source = lab.write(
      "elsewhere.yaml",
      "units: { far: elsewhere.fmu }\nexperiment: { step: 100 ms }\nmaster: jacobi\n",
    );
    const { code, err } = cosimo(["export", source, "-o", "e.fmu"]);
    expect(code).toBe(1);
    expect(err).toMatch(/elsewhere\.yaml:1:\d+ error export-inner-platform: the FMU of 'far'/);
    expect(err).toContain("it offers aarch64-elsewhere");
    expect(cosimo(["export", source, "-o", "e.fmu", "--sources-only"]).code).toBe(0);
  });

  it("[EX16] names a unit that may refuse steps, and the way out", () => {
    const { code, err } = cosimo([
      "export",
      `${EXAMPLES}/power-window/adapted.yaml`,
      "-o",
      "x.fmu",
    ]);
    expect(code).toBe(1);
    expect(err).toMatch(/export-run-time-master: .*'controller' may refuse steps/);
    expect(err).toMatch(/fix: export 'controller' by itself/);
  });

  it.each([
    [
      "an FMU with clocks",
      "fmi3/BouncingBallClocked",
      "",
      /has clocks.*\n *fix: leave 'u' outside/,
    ],
    [
      "an adaptation that is applied in a line",
      "fmi3/MassSpringDamperRight",
      ", adapt: crossing { above: x_c }",
      /may refuse steps.*\n *fix: write what is applied to 'u' as an .sa file/,
    ],
  ])("[EX16] says what to do with %s", (_, file, adapt, words) => {
    const source = lab.write(
      "refusing.yaml",
      `units:\n  u: { fmu: ${fmu(file)}${adapt} }\nexperiment: { stop: 1 s, step: 100 ms }\n`,
    );
    const { code, err } = cosimo(["export", source, "-o", "x.fmu"]);
    expect(code).toBe(1);
    expect(err).toMatch(words);
  });

  it("[EX17] [EX18] tells which compilers it tried, leaves what was there, and can do without", () => {
    const out = lab.write("kept.fmu", "an older one");
    const missing = cosimo(["export", MASSES, "-o", out], { CC: "no-such-compiler" });
    expect(missing.code).toBe(1);
    expect(missing.err).toMatch(
      /export-no-compiler: there is no C compiler: tried no-such-compiler/,
    );
    expect(missing.err).toContain("--sources-only");
    expect(readFileSync(out, "utf8")).toBe("an older one");
    const failing = cosimo(["export", MASSES, "-o", out], { CC: "false" });
    expect(failing.code).toBe(1);
    expect(failing.err).toContain("export-compiler-failed: 'false' could not build the FMU");
    expect(readFileSync(out, "utf8")).toBe("an older one");
    const sources = cosimo(["export", MASSES, "-o", out, "--sources-only"], { CC: "no-such" });
    expect(sources.code).toBe(0);
    const names = Object.keys(contents(out));
    expect(names.some((name) => name.startsWith("binaries/"))).toBe(false);
    expect(names).toContain("sources/model.c");
  });

  it("[EX17] takes a compiler with options, and from a path", () => {
    const options = cosimo(["export", MASSES, "-o", "o.fmu"], { CC: " cc  -DWITH_OPTIONS " });
    expect(options).toMatchObject({ code: 0 });
    const own = lab.write("own-cc", "#!/bin/sh\nexit 7\n");
    chmodSync(own, 0o755);
    const silent = cosimo(["export", MASSES, "-o", "o.fmu"], { CC: "./own-cc" });
    expect(silent).toMatchObject({ code: 1 });
    expect(silent.err).toContain("'./own-cc' could not build the FMU: exit code 7");
  });

  it("[EX18] makes folders that are missing, and says why a file cannot be written", () => {
    for (const ending of ["fmu", "ssp"]) {
      const inFolder = ["export", MASSES, "-o", `new/folder/a.${ending}`];
      if (ending === "fmu") inFolder.push("--sources-only");
      expect(cosimo(inFolder)).toMatchObject({ code: 0, err: "" });
      const taken = `taken.${ending}`;
      mkdirSync(join(lab.folder, taken));
      const refused = cosimo(["export", MASSES, "-o", taken]);
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.err).toMatch(
        new RegExp(`^${taken} error file-unwritable: cannot write it: EISDIR.*\\n {2}fix: `),
      );
    }
  });
});

describe("the export command", { timeout: COMPILING }, () => {
  it("[EX19] lets the ending decide, and refuses options of the other format", () => {
    expect(cosimo(["export", MASSES, "-o", "a.ssp"]).code).toBe(0);
    expect(Object.keys(contents(join(lab.folder, "a.ssp")))).toContain("SystemStructure.ssd");
    for (const args of [
      ["-o", "a.ssp", "--fmi", "3"],
      ["-o", "a.ssp", "--sources-only"],
      ["-o", "a.fmu", "--ssp", "2.0"],
      ["-o", "a.fmu", "--fmi", "1"],
      ["-o", "a.zip"],
      [],
    ]) {
      const { code, err } = cosimo(["export", MASSES, ...args]);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(err).toMatch(/fix|leave|write|say/);
    }
  });

  it("[EX20] goes where an adaptation says itself, and needs -o where it says nothing", () => {
    const text = (header: string): string =>
      `semantic adaptation delayed moore Passing passing ${header}\n\n` +
      `for inner fmu Left left\n  at "${fmu("fmi2/MassSpringDamperLeft")}"\n`;
    const reported = lab.write("reported.sa", text('at "./made/Passing.fmu"'));
    const untold = lab.write("untold.sa", text(""));
    expect(cosimo(["export", reported, "--sources-only"]).code).toBe(0);
    expect(Object.keys(contents(join(lab.folder, "made", "Passing.fmu")))).toContain(
      "modelDescription.xml",
    );
    expect(cosimo(["export", untold])).toMatchObject({
      code: 2,
      err: expect.stringContaining("-o is missing"),
    });
    const elsewhere = join(lab.folder, "elsewhere.fmu");
    const absolute = lab.write("absolute.sa", text(`at "${elsewhere}"`));
    expect(cosimo(["export", absolute, "--sources-only"]).code).toBe(0);
    expect(existsSync(elsewhere)).toBe(true);
    // What is wrong with the file is said, not that nobody knows where it goes.
    const broken = cosimo(["export", lab.write("broken.sa", text("ports"))]);
    expect(broken).toMatchObject({ code: 1, err: expect.stringContaining("sa-syntax") });
    const missing = cosimo(["export", "missing.sa"]);
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("no such file") });
  });

  it("[EX19] tells what was written, as JSON too", () => {
    const { code, out } = cosimo(["export", MASSES, "-o", "j.fmu", "--sources-only", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      file: "j.fmu",
      fmi: "2",
      modelName: "coupled masses",
      modelIdentifier: "coupled_masses",
      inner: ["MassSpringDamperLeft", "MassSpringDamperRight"],
      canSerializeState: true,
    });
    const plain = cosimo(["export", MASSES, "-o", "j.fmu", "--sources-only"]);
    expect(plain.out).toMatch(/^j\.fmu: 'coupled masses' as FMI 2\.0 Co-Simulation/);
  });
});
