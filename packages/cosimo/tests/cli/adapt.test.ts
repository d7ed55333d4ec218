/**
 * `cosimo adapt` as a user meets it: a page, explicit form, a formatter, JSON, and exit codes; and
 * the examples, held to it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../src/base/diagnostic.ts";
import { describeAdaptationFile } from "../../src/host/load-adaptation.ts";
import { diskFiles } from "../../src/host/sources/files.ts";
import { TRUST_ALL } from "../../src/host/trust.ts";
import { formatSa } from "../../src/lang/sa/format-sa.ts";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();
const EXAMPLES = join(import.meta.dirname, "..", "..", "..", "..", "examples");
const LIBRARY = join(import.meta.dirname, "..", "..", "adaptations");

/** Listing 1 of the paper, with its erratum mended. */
const window = (source: string): string => `// The window speaks of centimetres.
semantic adaptation reactive mealy WindowSA windowSA
at "./WindowSA.fmu"
for inner fmu Window window at "${source}"
  with input ports displacement (rad), speed (rad/s), reaction_force (N)
  with output ports height (cm), reaction_torque (N.m)
output ports disp (m) <- window.height, tau
out rules { true -> {} --> { windowSA.tau := -window.reaction_torque; /* the other way */ }; }
`;
const WINDOW = fixture("fmi2/PowerWindowWindow");

const around = (source: string, more = ""): string =>
  `semantic adaptation reactive mealy Outer outer\nat "./Outer.fmu"\n\nfor inner fmu Inner inner\n  at "${source}"\n${more}`;

describe("cosimo adapt", () => {
  it("[SA30] tells what an adaptation is, without running anything", async () => {
    const reported = await place.run("adapt", place.write("window.sa", window(WINDOW)));
    expect(reported).toMatchObject({ code: 0, stderr: "" });
    for (const words of [
      /^WindowSA {2}\(semantic adaptation, reactive Mealy\)$/m,
      /^ {2}window {2}Window {2}FMI 2\.0 FMU {2}delayed Mealy {2}can roll back {2}\S+$/m,
      /^ {2}speed +real +\(rad\/s\) +→ window\.speed +added$/m,
      /^ {2}disp +real +\(m\) +← window\.height \(cm\)$/m,
      /^ {2}tau +real +by rules$/m,
      /^ {2}INIT_WINDOW_HEIGHT +:= 0 +added$/m,
      /^ {2}out +2 added$/m,
      /no problems found, it fits its inner units$/m,
    ])
      expect(reported.stdout).toMatch(words);
    expect(place.leftovers()).toEqual([]);
  });

  it("[SA30] gives the same as data", async () => {
    const { code, stdout } = await place.run(
      "adapt",
      place.write("data.sa", window(WINDOW)),
      "--json",
      "--explicit",
    );
    expect(code).toBe(0);
    const { adaptation, findings, explicit } = JSON.parse(stdout);
    expect(findings).toEqual([]);
    expect(explicit).toContain("windowSA.disp := stored_window_height / 100;");
    expect(adaptation).toMatchObject({
      type: "WindowSA",
      kind: { input: "reactive", output: "mealy" },
      inner: [{ name: "window", unit: { name: "PowerWindowWindow", rollback: true } }],
      outputs: [
        { name: "disp", unit: "m", binding: { port: "window.height", unit: "cm" }, added: false },
        { name: "tau", added: false },
      ],
    });
    expect(adaptation.outputs[1]).not.toHaveProperty("binding");
    expect(adaptation.inputs.map(({ name }: { name: string }) => name)).toEqual([
      "displacement",
      "speed",
      "reaction_force",
    ]);
  });

  it("[SA30] looks into inner adaptations, and reports what is wrong there once, in their file", async () => {
    place.write("inner.sa", window(WINDOW).replace("window.reaction_torque", "window.torque"));
    const outer = place.write(
      "outer.sa",
      around("inner.sa", 'for inner fmu Inner other\n  at "./inner.sa"\n'),
    );
    const wrong = await place.run("adapt", outer);
    expect(wrong.code).toBe(1);
    expect(wrong.stdout.match(/inner\.sa:8:\d+ error sa-unknown-port/g)).toHaveLength(1);
    place.write("inner.sa", window(WINDOW));
    const right = await place.run("adapt", outer);
    expect(right.code).toBe(0);
    expect(right.stdout).toMatch(/^ {2}inner {2}Inner {2}adaptation {2}reactive Mealy/m);
    expect(right.stdout).toMatch(/^ {2}inner_disp +real +\(m\) +← inner\.disp +added$/m);
  });

  it("[SA30] describes modules and scenarios as inner units", async () => {
    const library = join(import.meta.dirname, "..", "..", "dist", "index.js");
    place.write(
      "gain.mjs",
      `import { functionUnit } from ${JSON.stringify(library)};
export default () => functionUnit({ name: "Gain", inputs: { u: {} }, outputs: { y: { feedThrough: ["u"] } },
  evaluate: (t, u, p, y) => { y[0] = 2 * u[0]; } });
`,
    );
    place.write(
      "inside.yaml",
      `units: { window: ${WINDOW} }
ports: { speed: window.speed, height: window.height }
experiment: { stop: 1 s, step: 0.1 s }
`,
    );
    const file = place.write(
      "mixed.sa",
      around("./gain.mjs", 'for inner fmu Inside inside\n  at "./inside.yaml"\n'),
    );
    const { code, stdout } = await place.run("adapt", file);
    expect(stdout).toMatch(/^ {2}inner +Inner +TypeScript unit /m);
    expect(stdout).toMatch(/^ {2}inside +Inside +scenario /m);
    expect(stdout).toMatch(/^ {2}u +real +→ inner\.u +added$/m);
    expect(stdout).toMatch(/^ {2}height +real +\(cm\) +← inside\.height +added$/m);
    expect(code).toBe(0);
  });

  it("[SA31] says which inner unit cannot be opened, and goes on with what the author declares", async () => {
    const text = window("./nowhere.fmu").replace("window.height", "window.hight");
    const reported = await place.run("adapt", place.write("missing.sa", text));
    expect(reported.code).toBe(1);
    expect(reported.stdout).toMatch(/missing\.sa:4:1 error unit-source-broken: .*nowhere\.fmu/);
    expect(reported.stdout).toContain("did you mean 'height'?");
    expect(reported.stdout).toMatch(/^ {2}window {2}Window {2}not known {2}\.\/nowhere\.fmu$/m);
  });

  it.each([
    ["a file that tells nothing", "./notes.txt", "adaptation-inner-source"],
    ["an FMU that is none", "./broken.fmu", "unit-source-broken"],
    ["a module without unit", "./empty.mjs", "module-not-a-unit"],
    ["a scenario without step", "./stepless.yaml", "adaptation-inner-step"],
    ["itself", "./self.sa", "adaptation-nests-itself"],
  ])("[SA31] refuses %s as an inner unit", async (_, source, code) => {
    for (const name of ["notes.txt", "broken.fmu", "empty.mjs"]) place.write(name, "");
    place.write("stepless.yaml", `units: { window: ${WINDOW} }\nports: { speed: window.speed }\n`);
    const reported = await place.run("adapt", place.write("self.sa", around(source)));
    expect(reported.code).toBe(1);
    expect(reported.stdout).toMatch(new RegExp(`self\\.sa:4:1 error ${code}: `));
    expect(reported.stdout).toContain("fix: ");
  });

  it("[SA32] prints explicit form alone, and leaves it as it is", async () => {
    const first = await place.run("adapt", place.write("short.sa", window(WINDOW)), "--explicit");
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(/^semantic adaptation reactive mealy WindowSA windowSA\n/);
    for (const statement of [
      "var H_window := do_step(window, t, H);",
      "stored_windowSA_speed := windowSA.speed;",
      "window.speed := stored_windowSA_speed;",
      "windowSA.disp := stored_window_height / 100;",
      "windowSA.tau := -stored_window_reaction_torque;",
    ])
      expect(first.stdout).toContain(statement);
    const file = place.write("long.sa", first.stdout);
    expect(await place.run("adapt", file, "--explicit")).toMatchObject({
      code: 0,
      stdout: first.stdout,
    });
    expect(await place.run("adapt", file, "--format", "--check")).toMatchObject({ code: 0 });
  });

  it("[SA32] keeps findings out of explicit form", async () => {
    const file = place.write("lost.sa", window("./nowhere.fmu"));
    const reported = await place.run("adapt", file, "--explicit");
    expect(reported.code).toBe(1);
    expect(reported.stderr).toContain("error unit-source-broken");
    expect(unwrap(formatSa(reported.stdout, "explicit.sa"))).toBe(reported.stdout);
  });

  it("[SA33] formats a file without losing a comment, and tells before what it would do", async () => {
    const text = window(WINDOW);
    const file = place.write("untidy.sa", text);
    const asked = await place.run("adapt", file, "--format", "--check");
    expect(asked.code).toBe(1);
    expect(asked.stdout).toContain(`fix: cosimo adapt ${file} --format`);
    expect(place.read("untidy.sa")).toBe(text);
    expect(await place.run("adapt", file, "--format")).toMatchObject({ code: 0, stderr: "" });
    const tidy = place.read("untidy.sa");
    expect(tidy).toBe(unwrap(formatSa(text, file)));
    expect(tidy).toContain("// The window speaks of centimetres.");
    expect(tidy).toContain("/* the other way */");
    expect(await place.run("adapt", file, "--format", "--check")).toMatchObject({ code: 0 });
  });

  it("[SA33] does not touch what it cannot read", async () => {
    const text = window(WINDOW).replace("\noutput ports", "\noutput prots");
    const file = place.write("typo.sa", text);
    const reported = await place.run("adapt", file, "--format");
    expect(reported.code).toBe(1);
    expect(reported.stderr).toMatch(/typo\.sa:7:8 error sa-syntax/);
    expect(place.read("typo.sa")).toBe(text);
    const missing = await place.run("adapt", "nowhere.sa", "--format");
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("sa-file-unreadable: cannot read it: there is no such file");
  });

  it("[SA41] lists the library, a line for each", async () => {
    const { code, stdout } = await place.run("adapt", "--list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}multi-rate +Several steps for one, .*\.$/m);
    const data = JSON.parse((await place.run("adapt", "--list", "--json")).stdout);
    const names = data.adaptations.map(({ name }: { name: string }) => name);
    expect(names.map((name: string) => `${name}.sa`)).toEqual(library);
  });

  it("[SA41] tells what an adaptation of the library is given", async () => {
    const { code, stdout } = await place.run("adapt", "iterate");
    expect(code).toBe(0);
    for (const words of [
      /^Two units that need each other's output/,
      /^ {2}other +the file of a further unit$/m,
      /^ {2}back +an input of 'unit' +real +unless given: the one of this name, or the only one$/m,
      /^ {2}answers +an output of 'other' /m,
      /^ {2}rounds +a parameter +integer +unless given: 50$/m,
      /^ {2}unit +Unit +open +given where it is applied$/m,
      /no problems found, it can be applied$/m,
    ])
      expect(stdout).toMatch(words);
    const reported = JSON.parse((await place.run("adapt", "hold", "--json")).stdout);
    expect(reported.adaptation.arguments).toEqual([
      { name: "signal", is: "output", of: "unit", type: "real" },
      { name: "period", is: "parameter", otherwise: "1.0" },
    ]);
  });

  it("[SA41] refuses explicit form of what is open, and an open adaptation inside of another", async () => {
    const reported = await place.run("adapt", "hold", "--explicit");
    expect(reported).toMatchObject({ code: 1, stdout: "" });
    expect(reported.stderr).toContain("it leaves its inner unit open");
    const inside = join(LIBRARY, "hold.sa");
    const wrong = await place.run("adapt", place.write("around.sa", around(inside)));
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toContain("around.sa:4:1 error adaptation-open");
  });

  it.each([
    [["adapt", "multirate"], "did you mean 'multi-rate'?"],
    [["adapt", "hold", "--format"], "'hold' is of the library"],
    [["adapt", "hold", "--list"], "--list lists all of the library"],
    [["adapt"], "<file.sa|name> is missing"],
    [["adapt", "model.fmu"], "give a file that ends in .sa"],
    [["adapt", "x.sa", "--check"], "--check belongs to --format"],
    [["adapt", "x.sa", "--format", "--explicit"], "--format does not go with --explicit"],
    [["adapt", "x.sa", "--format", "--json"], "--format does not go with --json"],
  ])("%j is a mistake of usage", async (args, words) => {
    const reported = await place.run(...args);
    expect(reported.code).toBe(2);
    expect(reported.stderr).toContain(words);
  });
});

const examples = readdirSync(EXAMPLES, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".sa"))
  .sort();
const library = readdirSync(LIBRARY).sort();

describe("the adaptations among the examples", () => {
  it("are seen", () => {
    expect(examples).toContain(join("power-window", "window.sa"));
  });

  it.each(examples)("[SA34] %s is formatted and free of findings", async (name) => {
    const file = join(EXAMPLES, name);
    const text = readFileSync(file, "utf8");
    expect(unwrap(formatSa(text, file))).toBe(text);
    const { value, diagnostics } = await describeAdaptationFile(
      file,
      place.temp,
      diskFiles(TRUST_ALL),
    );
    expect(diagnostics).toEqual([]);
    expect(value?.description).toBeDefined();
  });

  it.each(library)("[SA34] %s of the library is formatted and free of findings", async (name) => {
    const file = join(LIBRARY, name);
    const text = readFileSync(file, "utf8");
    expect(unwrap(formatSa(text, file))).toBe(text);
    expect(
      (await describeAdaptationFile(file, place.temp, diskFiles(TRUST_ALL))).diagnostics,
    ).toEqual([]);
  });
});

describe("out rules that say the same in other words", { timeout: 120_000 }, () => {
  const through = (rules: string, before = ""): string => `semantic adaptation Seen seen
for inner fmu Mass mass
  at "${fixture("fmi3/MassSpringDamperLeft")}"
  with input ports F_e
  with output ports x_1, v_1
input ports F_e -> mass.F_e
output ports x_1, v_1
${before}out rules {
  ${rules}
}
`;
  const SPELLINGS: Readonly<Record<string, string>> = {
    plain: through("true -> {} --> { seen.x_1 := mass.x_1; seen.v_1 := mass.v_1; };"),
    local: through(
      "true -> {} --> { var k := mass.x_1; seen.x_1 := k; seen.v_1 := 1 * mass.v_1; };",
    ),
    chosen: through(
      "true -> {} --> { seen.x_1 := (true ? mass.x_1 : 0.0); seen.v_1 := mass.v_1 + 0; };",
    ),
    cases: through(
      "mass.x_1 >= 0 -> {} --> { seen.x_1 := mass.x_1; seen.v_1 := mass.v_1; }; mass.x_1 < 0 -> {} --> { seen.x_1 := mass.x_1; seen.v_1 := mass.v_1; };",
    ),
    kept: through(
      "true -> { x := mass.x_1; } --> { seen.x_1 := x; seen.v_1 := mass.v_1; };",
      "out var x := 0.0;\n",
    ),
  };

  it.each(["jacobi", "gauss-seidel", "iterative", "adaptive"])(
    "[AU24] give the same bytes under %s",
    async (master) => {
      const traces: string[] = [];
      for (const [name, text] of Object.entries(SPELLINGS)) {
        place.write(`${name}.sa`, text);
        const scenario = place.write(
          "spelled.yaml",
          `units: { left: ${name}.sa, right: ${fixture("fmi3/MassSpringDamperRight")} }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 1 s, step: 0.1 s }
master: ${master}
`,
        );
        const ended = await place.run("run", scenario, "-q", "-o", "spelled.csv");
        expect(ended.code, ended.stderr).toBe(0);
        traces.push(place.read("spelled.csv"));
      }
      expect(traces[0]!.trim().split("\n").length).toBeGreaterThan(3);
      for (const trace of traces) expect(trace).toBe(traces[0]);
    },
  );
});
