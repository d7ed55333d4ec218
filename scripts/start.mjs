/**
 * `npm start`: sets everything up, then shows what Cosimo does, through the command lines a user
 * would type. Couples the five FMUs of a power window, which fit each other only because
 * adaptations make them; where no compiler can build them, the five units of an electric drive line
 * (they are modules). Leaves a trace and a plot in out/, and a picture of the power window as one
 * model, as its parts are, and adapted.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, run, setup } from "./setup.mjs";

const OUT = "out";
const noFixtures = await setup({ fixtures: "guide" });
mkdirSync(join(ROOT, OUT), { recursive: true });
const built = (entry) =>
  import(pathToFileURL(join(ROOT, "packages", "cosimo", "dist", entry)).href);
const [{ parseCsv }, { plotText }] = await Promise.all([built("index.js"), built("plot.js")]);

const shown = noFixtures
  ? couple("drive-line", "scenario.yaml", ["driver.target", "vehicle.speed"])
  : couple("power-window", "adapted.yaml", ["power.displacement", "power.armature_current"]);
if (noFixtures) console.log(`\nskipped the FMUs of the power window: ${noFixtures}`);
else compare();
console.log(
  `\nlook at ${shown.page} in a browser; 'npx cosimo check ${[shown.scenario, ...shown.trust].join(" ")}' explains the scenario, ` +
    `examples/${shown.example}/README.md tells its story, docs/guide goes on from here`,
);

/** The three runs of the power window in one picture. */
function compare() {
  const picture = `${OUT}/power-window-compared.svg`;
  run(process.execPath, [join("examples", "power-window", "plot.mjs"), picture]);
  console.log(`\n${picture} shows what would happen without adaptations, and what should happen`);
}

/** Runs an example and draws some of its signals in the terminal. */
function couple(example, file, signals) {
  const csv = `${OUT}/${example}.csv`;
  const page = `${OUT}/${example}.html`;
  const scenario = `examples/${example}/${file}`;
  // The drive line is made of modules, which are programs.
  const trust = example === "drive-line" ? ["--trust"] : [];
  const words = ["run", scenario, ...trust, "-o", csv, "--plot", page];
  console.log(`\n$ cosimo ${words.join(" ")}`);
  run(process.execPath, [join("packages", "cosimo", "bin", "cosimo.js"), ...words]);
  const { value } = parseCsv(readFileSync(join(ROOT, csv), "utf8"), csv);
  const columns = value.columns.filter((column) => signals.includes(column.name));
  console.log(plotText({ ...value, columns }, { width: 76, height: 9 }));
  return { example, scenario, page, trust };
}
