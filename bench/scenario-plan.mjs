/**
 * One planning of a scenario in a process of its own: node scenario-plan.mjs <scenario>
 * <parse|plan> Prints JSON: milliseconds from the file to the parsed text, or to a plan whose
 * conditions were checked. Nothing is run.
 */
import { readFileSync } from "node:fs";
import { loadScenario } from "../packages/cosimo/dist/host/load-scenario.js";
import { parseScenarioYaml } from "../packages/cosimo/dist/lang/scenario/parse-scenario.js";
import { checkPlan } from "../packages/cosimo/dist/plan/check-plan.js";
import { compilePlan } from "../packages/cosimo/dist/plan/compile.js";

const [file, what] = process.argv.slice(2);
const began = performance.now();
const result = what === "parse" ? parse() : await plan();
console.log(JSON.stringify({ ...result, milliseconds: performance.now() - began }));

function parse() {
  const { diagnostics } = parseScenarioYaml(readFileSync(file, "utf8"), file);
  if (diagnostics.length > 0) throw new Error(diagnostics[0].message);
  return {};
}

async function plan() {
  const loaded = await loadScenario(file, { all: true, folders: [] });
  if (loaded.value === undefined) throw new Error(loaded.diagnostics[0].message);
  const { scenario } = loaded.value;
  const compiled = compilePlan(scenario, { record: [] });
  if (compiled.value === undefined) throw new Error(compiled.diagnostics[0].message);
  const findings = checkPlan(compiled.value.plan, scenario);
  if (findings.length > 0) throw new Error(findings[0].message);
  return { units: scenario.units.length, connections: scenario.connections.length };
}
