/**
 * The package as users get it: packed, installed in an empty project, every entry point imported from there, types checked,
 * the command run. What works in the checkout only (sources, links, test folders) is not there.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixture } from "./cli/cosimo.ts";

const PACKAGE = join(import.meta.dirname, "..");
const ROOT = join(PACKAGE, "..", "..");
const INSTALLING = 300_000;

const folder = mkdtempSync(join(tmpdir(), "cosimo-package-test-"));
const project = join(folder, "project");
afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000);

function run(program: string, args: readonly string[], cwd: string = project): string {
  const done = spawnSync(program, args, { cwd, encoding: "utf8" });
  expect(done.status, `${program} ${args.join(" ")}\n${done.stdout}${done.stderr}`).toBe(0);
  return done.stdout;
}

function file(name: string, text: string): string {
  writeFileSync(join(project, name), text);
  return name;
}

let packed: readonly string[] = [];

beforeAll(() => {
  mkdirSync(project);
  file("package.json", '{ "name": "empty", "private": true, "type": "module" }\n');
  const answer = run("npm", ["pack", "--json", "--pack-destination", folder], PACKAGE);
  // The build that npm runs first may print before the answer.
  const [tarball] = JSON.parse(answer.slice(answer.indexOf("[\n"))) as [
    { filename: string; files: { path: string }[] },
  ];
  packed = tarball.files.map(({ path }) => path);
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  run("npm", [
    "install",
    "--prefer-offline",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    join(folder, tarball.filename),
    `vitest@${devDependencies.vitest}`,
    `vite@${devDependencies.vite}`,
  ]);
}, INSTALLING);

describe("the installed package", { timeout: 120_000 }, () => {
  it("[PK1] holds README, LICENSE and every file that an entry point names", () => {
    const { exports, bin } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
    const named = Object.values<Record<string, string>>(exports).flatMap((entry) => [
      entry["types"],
      entry["default"],
    ]);
    const expected = ["./README.md", "./LICENSE", ...Object.values<string>(bin), ...named];
    expect(expected.length).toBeGreaterThan(8);
    for (const path of expected) expect(packed).toContain(path?.replace(/^\.\//, ""));
    expect(readFileSync(join(PACKAGE, "LICENSE"), "utf8")).toBe(
      readFileSync(join(ROOT, "LICENSE"), "utf8"),
    );
  });

  it("[PK2] holds no sources and no test helpers but those of cosimo/testing", () => {
    expect(packed.filter((path) => path.startsWith("src/") || path.includes(".test."))).toEqual([]);
    const helpers = packed.filter((path) => /\/testing\//.test(path));
    expect(helpers.filter((path) => !path.startsWith("dist/unit/testing/"))).toEqual([]);
  });

  it("[PK3] couples units in code: cosimo", () => {
    const program = file(
      "scenario.mjs",
      `import { defineScenario, functionUnit, odeUnit, simulateScenario } from "cosimo";
const decay = odeUnit({
  name: "decay",
  inputs: { u: {} },
  states: { x: { start: 1 } },
  derivatives: (_t, [x], [u], _p, dx) => { dx[0] = u - x; },
}, "decay");
const zero = functionUnit({ name: "zero", outputs: { y: {} }, evaluate: (_t, _u, _p, y) => { y[0] = 0; } }, "zero");
const scenario = defineScenario({
  units: { decay, zero },
  connections: ["zero.y -> decay.u"],
  experiment: { stop: 1, step: 0.1 },
  record: ["decay.x"],
});
const { outcome, trace } = await simulateScenario(scenario);
console.log(outcome.kind, trace.columns[0].data.at(-1));
`,
    );
    const [kind, x] = run(process.execPath, [program]).trim().split(" ");
    expect(kind).toBe("completed");
    expect(Math.abs(Number(x) - Math.exp(-1))).toBeLessThan(1e-6);
  });

  it("[PK3] finds what belongs together: cosimo/unit, /plan, /stability, /plot", () => {
    const program = file(
      "parts.mjs",
      `import { defineScenario, simulateScenario, unwrap } from "cosimo";
import { compilePlan, explainScenario } from "cosimo/plan";
import { plotText } from "cosimo/plot";
import { freeSystem, jsrBounds } from "cosimo/stability";
import { linearUnit } from "cosimo/unit";
const decay = linearUnit({ name: "decay", a: [[-1]], states: { x: { start: 1 } }, c: [[1]], outputs: { y: {} } }, "decay");
const defined = defineScenario({ units: { decay }, experiment: { stop: 1, step: 0.1 } });
const compiled = compilePlan(defined.scenario, { record: [] });
console.log(explainScenario(defined.scenario, unwrap(compiled)).units.length);
console.log(plotText((await simulateScenario(defined)).trace).length > 40);
console.log(jsrBounds(freeSystem([[[0.5]]])).upper.value < 1);
`,
    );
    expect(run(process.execPath, [program]).trim().split("\n")).toEqual(["1", "true", "true"]);
  });

  it("[PK3] runs discrete events: cosimo/devs", () => {
    const program = file(
      "events.mjs",
      `import { devsUnit, periodicSource, runDevs } from "cosimo/devs";
const source = periodicSource({ period: 0.1, border: { type: "int32" } });
console.log(runDevs(source, { stop: 0.3 }).events.map(({ time }) => time).join());
console.log(devsUnit(source).description.ports.length);
`,
    );
    expect(run(process.execPath, [program]).trim().split("\n")).toEqual(["0,0.1,0.2,0.3", "2"]);
  });

  it("[PK3] opens an FMU: cosimo/node", () => {
    const program = file(
      "fmu.mjs",
      `import { unwrap } from "cosimo";
import { createTempFolder, openFmuFile, openNativeUnit } from "cosimo/node";
const fmu = unwrap(openFmuFile(${JSON.stringify(fixture("fmi3/BouncingBall"))}));
const temp = createTempFolder();
const unit = openNativeUnit({ folder: unwrap(await fmu.extract(temp.path)), description: fmu.description });
console.log(unit.description.name ?? fmu.description.name);
unit.dispose();
temp.remove();
`,
    );
    expect(run(process.execPath, [program])).toContain("BouncingBall");
  });

  it("[PK3] runs the contract suite on a unit: cosimo/testing", () => {
    file("vitest.config.js", "export default {};\n");
    const page = readFileSync(join(ROOT, "docs", "guide", "units.md"), "utf8");
    file("tank.test.js", /^```js file=tank\.test\.js\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "");
    const vitest = join(project, "node_modules", "vitest", "vitest.mjs");
    const answer = spawnSync(process.execPath, [vitest, "run", "--reporter=json"], {
      cwd: project,
      encoding: "utf8",
    });
    const report = JSON.parse(answer.stdout.slice(answer.stdout.indexOf("{")));
    expect(report.numFailedTests, answer.stdout).toBe(0);
    expect(report.numPassedTests).toBeGreaterThan(5);
  });

  it("[PK4] has types for every entry point", () => {
    const program = file(
      "types.ts",
      `import { type Outcome, simulateScenario } from "cosimo";
import { openScenarioFile } from "cosimo/node";
import { compilePlan } from "cosimo/plan";
import { plotSvg } from "cosimo/plot";
import { jsrBounds } from "cosimo/stability";
import { unitContract } from "cosimo/testing";
import { odeUnit } from "cosimo/unit";
export const used: readonly unknown[] = [simulateScenario, openScenarioFile, unitContract];
export const more: readonly unknown[] = [compilePlan, plotSvg, jsrBounds, odeUnit];
export const kind = (outcome: Outcome): string => outcome.kind;
// @ts-expect-error: the types are really there
export const wrong: number = simulateScenario;
`,
    );
    const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023"];
    run(join(ROOT, "node_modules", ".bin", "tsc"), [...options, "--skipLibCheck", program]);
  });

  it("[PK5] runs the command, the library of adaptations included", () => {
    const npx = (...args: string[]): string => run("npx", ["--no-install", "cosimo", ...args]);
    expect(npx("info", fixture("fmi2/BouncingBall"))).toContain("BouncingBall");
    expect(npx("adapt", "--list")).toContain("multi-rate");
    npx("run", fixture("fmi2/BouncingBall"), "-o", "ball.csv", "--plot", "ball.svg", "--quiet");
    expect(readFileSync(join(project, "ball.csv"), "utf8").split("\n").length).toBeGreaterThan(10);
    expect(readFileSync(join(project, "ball.svg"), "utf8")).toContain("<svg");
    npx("plot", "ball.csv", "-o", "ball.html");
    expect(readFileSync(join(project, "ball.html"), "utf8")).toContain("/*! uplot");
  });

  it("[PK5] draws coupled units, with the layout and the script of the page", () => {
    const program = file(
      "graph.mjs",
      `import { graphHtml } from "cosimo/plot";
const unit = (name) => ({ name, caption: "", about: [], inputs: [{ name: "u", solid: false, about: [] }], outputs: [{ name: "y", solid: false, about: [] }] });
const wire = { from: { unit: 0, port: 0 }, to: { unit: 1, port: 0 }, inLoop: false, late: false, varying: false, about: [] };
const page = await graphHtml({ title: "two", subtitle: "", units: [unit("a"), unit("b")], wires: [wire] });
console.log(page.includes("data-wire") && page.includes("<script>"));
`,
    );
    expect(run(process.execPath, [program]).trim()).toBe("true");
  });
});
