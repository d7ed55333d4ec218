/**
 * `npm start`: sets everything up, then shows what Cosimo does. Simulates fixture FMUs through the command line a
 * user would type and leaves traces and plots in out/. Without a C compiler there are no fixture FMUs; then a unit
 * written in TypeScript runs instead.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, run, setup } from "./setup.mjs";

const OUT = "out";
const noFixtures = await setup();
mkdirSync(join(ROOT, OUT), { recursive: true });
const library = (name) =>
  import(pathToFileURL(join(ROOT, "packages", "cosimo", "dist", name)).href);

if (noFixtures) {
  console.log(`skipped the FMUs: ${noFixtures}\n`);
  await runTypeScriptUnit();
} else {
  await runFmu("fmi3/BouncingBall", ["--stop", "3", "--record", "h,v"], "bouncing-ball");
  await runFmu(
    "fmi2/VanDerPol",
    ["--stop", "20", "--step", "0.02", "--set", "mu=3"],
    "van-der-pol",
  );
  console.log("\nlook at out/*.html in a browser, or go on with 'npx cosimo --help'");
}

async function runFmu(fixture, options, name) {
  const files = ["csv", "svg", "html"].map((extension) => `${OUT}/${name}.${extension}`);
  const words = [
    "run",
    `fixtures/build/${fixture}.fmu`,
    ...options,
    "-o",
    files[0],
    "--plot",
    files[1],
    "--plot",
    files[2],
  ];
  console.log(`\n$ cosimo ${words.join(" ")}`);
  run(process.execPath, [join("packages", "cosimo", "bin", "cosimo.js"), ...words]);
  const { parseCsv, plotText } = await library("index.js");
  const { value } = parseCsv(readFileSync(join(ROOT, files[0]), "utf8"), files[0]);
  console.log(plotText(value, { width: 72, height: 12 }));
}

/** The same Van der Pol oscillator as an ODE unit: nothing but Node is needed. */
async function runTypeScriptUnit() {
  const { odeUnit, plotHtml, plotText, traceUnit } = await library("index.js");
  const oscillator = odeUnit({
    name: "VanDerPol",
    parameters: { mu: { start: 3 } },
    states: { x: { start: 2 }, y: { start: 0 } },
    derivatives: (_t, [x, y], _u, [mu], dx) => {
      dx[0] = y;
      dx[1] = mu * (1 - x * x) * y - x;
    },
  });
  const { trace } = await traceUnit(oscillator, { stop: 20, step: 0.02, record: ["x", "y"] });
  writeFileSync(join(ROOT, OUT, "van-der-pol.html"), plotHtml(trace));
  console.log(plotText(trace, { width: 72, height: 12 }));
  console.log("\nlook at out/van-der-pol.html in a browser, or go on with 'npx cosimo --help'");
}
