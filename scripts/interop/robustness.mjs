/**
 * Robustness of formulas at every row, for temporal.py: reads cases as JSON, `[{ formula, time, x,
 * y }]`, and prints a list of numbers per case. Windows end where the rows do, as in the discrete
 * time of other tools ("nothing" lies beyond).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const DIST = join(import.meta.dirname, "..", "..", "packages", "cosimo", "dist");
const load = (path) => import(pathToFileURL(join(DIST, path)).href);
const { parseRequirement } = await load("lang/requirement/parse-requirement.js");
const { resolveRequirement } = await load("model/resolve-requirement.js");
const { ExpressionValues } = await load("requirements/sampled-signals.js");
const { Robustness } = await load("requirements/robustness.js");

const lookup = {
  signal: (name) => ({ name, type: "float64", isStepwise: false }),
  power: () => undefined,
};

const answers = JSON.parse(readFileSync(0, "utf8")).map(({ formula, time, x, y }) => {
  const fail = (what) => {
    throw new Error(`${formula}: ${what}`);
  };
  const { value, diagnostics } = parseRequirement(formula, { file: "case" });
  if (value === undefined) fail(diagnostics[0].message);
  const found = resolveRequirement(value, "case", lookup, (code) => fail(code));
  const columns = { "u.x": x, "u.y": y };
  const signals = {
    time: Float64Array.from(time),
    values: found.signals.map(({ name }) => Float64Array.from(columns[name])),
    isStepwise: found.signals.map(() => false),
  };
  const rows = { begin: 0, end: time.length };
  const values = new Robustness(new ExpressionValues(signals), rows, "nothing").of(found.formula);
  // JSON has no infinities.
  return [...values].map((one) => (Number.isFinite(one) ? one + 0 : String(one)));
});
process.stdout.write(JSON.stringify(answers));
