/**
 * `npm start`: sets everything up, then shows what Cosimo does, through the command lines a user would type. Couples the five
 * units of an electric drive line (they are modules: no compiler is needed), then two FMUs. Leaves traces and plots in out/.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, run, setup } from "./setup.mjs";

const OUT = "out";
const noFixtures = await setup();
mkdirSync(join(ROOT, OUT), { recursive: true });
const { parseCsv, plotText } = await import(
  pathToFileURL(join(ROOT, "packages", "cosimo", "dist", "index.js")).href
);

couple("drive-line", ["driver.target", "vehicle.speed"]);
if (noFixtures) console.log(`\nskipped the FMUs: ${noFixtures}`);
else couple("coupled-masses", ["left.x_1", "right.x_2"]);
console.log(
  `\nlook at ${OUT}/drive-line.html in a browser; 'npx cosimo check examples/drive-line/scenario.yaml' explains it, ` +
    "docs/guide goes on from here",
);

/** Runs an example and draws some of its signals in the terminal. */
function couple(example, signals) {
  const csv = `${OUT}/${example}.csv`;
  const words = [
    "run",
    `examples/${example}/scenario.yaml`,
    "-o",
    csv,
    "--plot",
    `${OUT}/${example}.html`,
  ];
  console.log(`\n$ cosimo ${words.join(" ")}`);
  run(process.execPath, [join("packages", "cosimo", "bin", "cosimo.js"), ...words]);
  const { value } = parseCsv(readFileSync(join(ROOT, csv), "utf8"), csv);
  const columns = value.columns.filter((column) => signals.includes(column.name));
  console.log(plotText({ ...value, columns }, { width: 76, height: 9 }));
}
