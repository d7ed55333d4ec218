/**
 * The package as users get it: packed, installed in an empty project, every entry point imported
 * from there, types checked, the command run. What works in the checkout only (sources, links, test
 * folders) is not there. scripts/runtimes.mjs does the same under other runtimes.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
// @ts-expect-error: a script.
import { pack } from "../../../scripts/pack.mjs";
// @ts-expect-error: a script.
import { installedRuntimes } from "../../../scripts/runtimes.mjs";
// @ts-expect-error: a script.
import { buildExamples } from "../../../scripts/setup.mjs";
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
let installed: readonly { readonly bytes: number; readonly blocks: number }[] = [];

beforeAll(async () => {
  mkdirSync(project);
  file("package.json", '{ "name": "empty", "private": true, "type": "module" }\n');
  buildExamples();
  const tarball: string = await pack(folder);
  packed = run("tar", ["-tzf", tarball])
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
  install(tarball);
  installed = filesBelow(join(project, "node_modules"));
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  install(`vitest@${devDependencies.vitest}`, `vite@${devDependencies.vite}`);
}, INSTALLING);

function install(...packages: readonly string[]): void {
  const quiet = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  run("npm", ["install", ...quiet, "--loglevel=error", ...packages]);
}

/** Sizes of all files; `blocks`: as the disk counts them. */
function filesBelow(root: string): { readonly bytes: number; readonly blocks: number }[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) => {
    const stats = lstatSync(join(root, path));
    return { bytes: stats.isFile() ? stats.size : 0, blocks: 512 * stats.blocks };
  });
}

describe("the installed package", { timeout: 120_000 }, () => {
  const manifest = (): Record<string, Record<string, Record<string, string>>> =>
    JSON.parse(readFileSync(join(project, "node_modules", "cosimo", "package.json"), "utf8"));

  it("[PK1] holds README, LICENSE and every file that an entry point names", () => {
    const { exports = {}, bin = {} } = manifest();
    const source = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
    expect(Object.keys(exports)).toEqual(Object.keys(source.exports));
    const named = Object.values(exports).flatMap((entry) => [entry["types"], entry["default"]]);
    const expected = [
      "./README.md",
      "./LICENSE",
      "./THIRD-PARTY-LICENSES",
      bin["cosimo"],
      ...named,
    ];
    expect(expected.length).toBeGreaterThan(8);
    for (const path of expected) expect(packed).toContain(String(path).replace(/^\.\//, ""));
    expect(readFileSync(join(PACKAGE, "LICENSE"), "utf8")).toBe(
      readFileSync(join(ROOT, "LICENSE"), "utf8"),
    );
  });

  it("[PK2] holds no sources, no tests, and of the helpers for tests those of cosimo/testing", () => {
    expect(packed.filter((path) => path.startsWith("src/") || path.includes(".test."))).toEqual([]);
    const helpers = packed.filter((path) => /\/testing\//.test(path));
    expect(helpers.filter((path) => !path.startsWith("dist/unit/testing/"))).toEqual([]);
  });

  it("[PK9] takes less than 15 MB on the disk, with all that it depends on", () => {
    const total = (key: "bytes" | "blocks"): number =>
      installed.reduce((sum, one) => sum + one[key], 0);
    expect(installed.length).toBeGreaterThan(200);
    expect(total("bytes")).toBeGreaterThan(5e6);
    expect(total("blocks")).toBeLessThan(15e6);
    expect(total("bytes")).toBeLessThan(15e6);
    expect(Object.keys(manifest()["dependencies"] ?? {})).toEqual(["koffi"]);
    const licences = readFileSync(
      join(project, "node_modules/cosimo/THIRD-PARTY-LICENSES"),
      "utf8",
    );
    for (const name of ["langium", "elkjs", "yaml", "dejavu-fonts-ttf", "@resvg/resvg-wasm"])
      expect(licences).toContain(`${name} `);
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

  it("[PK3] is loaded by require as well: CommonJS", () => {
    const program = file(
      "common.cjs",
      `const names = ["", "/unit", "/devs", "/plan", "/stability", "/plot", "/node"];
console.log(names.map((name) => Object.keys(require("cosimo" + name)).length > 0).join());
const { fmu } = require("cosimo/node");
const { defineScenario, simulateScenario } = require("cosimo");
const scenario = defineScenario({ units: { ball: fmu(${JSON.stringify(fixture("fmi2/BouncingBall"))}) }, experiment: { stop: 0.1, step: 0.01 } });
simulateScenario(scenario).then(({ outcome }) => console.log(outcome.kind));
`,
    );
    const done = spawnSync(process.execPath, [program], { cwd: project, encoding: "utf8" });
    expect(done.stdout).toBe(`${Array(7).fill("true").join()}\ncompleted\n`);
    expect(done.stderr).toBe("");
  });

  const TYPES = `import { defineScenario, type Outcome, simulateScenario } from "cosimo";
import { devsUnit } from "cosimo/devs";
import { fmu, openScenarioFile } from "cosimo/node";
import { compilePlan } from "cosimo/plan";
import { plotSvg } from "cosimo/plot";
import { jsrBounds } from "cosimo/stability";
import { odeUnit } from "cosimo/unit";
export const used: readonly unknown[] = [simulateScenario, openScenarioFile, devsUnit];
export const more: readonly unknown[] = [compilePlan, plotSvg, jsrBounds, odeUnit];
export const make = () => defineScenario({ units: { a: fmu("a.fmu", { set: { k: 2 } }) } });
export const kind = (outcome: Outcome): string => outcome.kind;
// @ts-expect-error: the types are really there
export const wrong: number = simulateScenario;
`;
  const STRICT = [
    "--strict",
    "--noEmit",
    "--noUncheckedIndexedAccess",
    "--exactOptionalPropertyTypes",
    "--noPropertyAccessFromIndexSignature",
    ...["--target", "es2023"],
  ];

  it.each([
    ["a module", "types.mts", "nodenext", "nodenext"],
    ["a module", "types.mts", "node16", "node16"],
    ["a bundled module", "types.ts", "preserve", "bundler"],
    ["a bundled module", "types.ts", "esnext", "bundler"],
    ["CommonJS", "types.cts", "nodenext", "nodenext"],
  ])(
    "[PK4] has types for every entry point: %s, %s, module %s, resolution %s",
    (_, name, module, resolution) => {
      const how = ["--module", module, "--moduleResolution", resolution, "--skipLibCheck", "false"];
      const tsc = join(ROOT, "node_modules", ".bin", "tsc");
      run(tsc, [...STRICT, ...how, file(name, TYPES)]);
    },
  );

  it("[PK4] has types for cosimo/testing, beside those of vitest", () => {
    const text =
      'import { unitContract } from "cosimo/testing";\nexport const used: unknown = unitContract;\n';
    const how = ["--module", "nodenext", "--skipLibCheck"];
    run(join(ROOT, "node_modules", ".bin", "tsc"), [...STRICT, ...how, file("testing.mts", text)]);
  });

  it("[PK5] runs the command, the library of adaptations included", () => {
    const npx = (...args: string[]): string => run("npx", ["--no-install", "cosimo", ...args]);
    expect(npx("info", fixture("fmi2/BouncingBall"))).toContain("BouncingBall");
    expect(npx("adapt", "--list")).toContain("multi-rate");
    npx("run", fixture("fmi2/BouncingBall"), "-o", "ball.csv", "--plot", "ball.svg", "--quiet");
    expect(readFileSync(join(project, "ball.csv"), "utf8").split("\n").length).toBeGreaterThan(10);
    expect(readFileSync(join(project, "ball.svg"), "utf8")).toContain("<svg");
    npx("plot", "ball.csv", "-o", "ball.html", "-o", "ball.png");
    expect(readFileSync(join(project, "ball.png")).subarray(1, 4).toString()).toBe("PNG");
    expect(readFileSync(join(project, "ball.html"), "utf8")).toContain("/*! uplot");
  });

  it("[PK5] serves the studio with its page", async () => {
    const main = join("node_modules", "cosimo", "bin", "cosimo.js");
    const args = [main, "studio", project, "--no-open", "--json"];
    const studio = spawn(process.execPath, args, { cwd: project });
    try {
      const { link } = await new Promise<{ link: string }>((resolve, reject) => {
        let text = "";
        studio.stdout.on("data", (bytes) => {
          text += bytes;
          if (/\}\s*$/.test(text)) resolve(JSON.parse(text));
        });
        studio.on("exit", (code) => reject(new Error(`the studio ended with ${code}`)));
      });
      const { origin } = new URL(link);
      const page = await (await fetch(origin)).text();
      const named = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => path);
      expect(named).toContainEqual(expect.stringMatching(/\.js$/));
      expect(named).toContainEqual(expect.stringMatching(/\.css$/));
      for (const path of named) {
        const answer = await fetch(`${origin}/${path}`);
        expect([path, answer.status]).toEqual([path, 200]);
        expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100);
      }
    } finally {
      const ended = new Promise((resolve) => studio.on("exit", resolve));
      studio.kill("SIGINT");
      await ended;
    }
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

  describe.each<[string, string]>([["the Node at hand", process.execPath], ...installedRuntimes()])(
    "under %s",
    (_, program) => {
      const main = join("node_modules", "cosimo", "bin", "cosimo.js");

      it("[PK10] runs units in code and FMUs in the same process", () => {
        const text = `import { defineScenario, odeUnit, simulateScenario } from "cosimo";
import { fmu } from "cosimo/node";
import { plotSvg } from "cosimo/plot";
const decay = odeUnit({ name: "decay", states: { x: { start: 1 } }, derivatives: (_t, [x], _u, _p, dx) => { dx[0] = -x; } }, "decay");
const ball = fmu(${JSON.stringify(fixture("fmi3/BouncingBall"))});
const { outcome, trace } = await simulateScenario(defineScenario({ units: { decay, ball }, experiment: { stop: 1, step: 0.1 }, record: ["decay.x", "ball.h"] }));
console.log(outcome.kind, trace.columns.length, Math.abs(trace.columns[0].data.at(-1) - Math.exp(-1)) < 1e-6, plotSvg(trace).includes("<svg"));
`;
        expect(run(program, [file("both.mjs", text)]).trim()).toBe("completed 2 true true");
      });

      it("[PK10] runs the command, with an FMU and a module in a process of their own", () => {
        file("unit.mjs", UNIT);
        const scenario = `units: { one: unit.mjs, ball: ${fixture("fmi2/BouncingBall")} }\nexperiment: { stop: 1, step: 0.5 }\n`;
        const args = ["run", file("one.yaml", scenario), "--trust", "-o", "one.csv", "--quiet"];
        run(program, [main, ...args]);
        expect(readFileSync(join(project, "one.csv"), "utf8")).toContain("\n1,2,");
      });
    },
  );
});

const UNIT = `import { functionUnit } from "cosimo/unit";
export default (name) => functionUnit({ name, outputs: { y: {} }, evaluate: (t, u, p, y) => { y[0] = 2 * t; } }, name);
`;
