/**
 * `cosimo plan`: correct orchestration algorithms for units that are described, in a scenario or on
 * their own.
 */
import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { type Checked, DiagnosticsError, hasErrors } from "../../base/diagnostic.ts";
import { scenarioInFolder } from "../../host/scenario-path.ts";
import { type Trust, userTrust } from "../../host/trust.ts";
import { parseOrchestration } from "../../lang/orchestration/parse-orchestration.ts";
import { printOrchestration } from "../../lang/orchestration/print-orchestration.ts";
import type { OrchestratedSystem } from "../../model/orchestration.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import { checkOrchestration } from "../../search/orchestration/check-orchestration.ts";
import { type AlgorithmCount, countAlgorithms } from "../../search/orchestration/count.ts";
import { synthesize } from "../../search/orchestration/synthesize.ts";
import { readOrchestration, systemInScenario } from "../check/orchestration-file.ts";
import { type Command, checkFormats, TRUST, UsageError } from "../command.ts";
import { counted, printFindings } from "../findings.ts";
import { checkWritable } from "../supervisor/write-outputs.ts";
import { print } from "../terminal.ts";

export const planCommand: Command = {
  name: "plan",
  summary: "Make a correct orchestration algorithm: the order in which a master calls its units.",
  usage: "cosimo plan <scenario or algorithm.yaml> [-o <algorithm.yaml>] [--json]",
  details:
    "From kinds of inputs (reactive, delayed), feed-through, steps that units may refuse and states that they can restore: the initialization,\n" +
    "the step, loops that negotiate its size, loops that solve algebraic loops. What is made passes 'cosimo check --orchestration'. Inputs of\n" +
    "no declared kind are read as delayed ones. The comment in the first lines says how many correct algorithms there are, where two are the\n" +
    "same if operations that commute are swapped (docs/spec/orchestration.md). Exit code 1: there is none, and why.",
  arguments: [
    {
      name: "<scenario>",
      help: "a scenario, its folder, or an algorithm.yaml that describes units",
    },
  ],
  options: {
    "-o, --out <file>": "write it into a file: .yaml",
    ...TRUST,
    "--json": "print it as JSON",
  },
  examples: {
    "cosimo plan scenario.yaml": "in which order may my units be called?",
    "cosimo plan units.yaml -o algorithm.yaml": "an algorithm for units that do not exist yet",
  },
  async run(args) {
    checkFormats(args.all("out"), [".yaml", ".yml"], "--out");
    const path = scenarioInFolder(args.first) ?? args.first;
    const out = args.one("out");
    if (out !== undefined && resolve(out) === resolve(path))
      throw new UsageError(`${path} is what is planned, and is not replaced`, "-o algorithm.yaml");
    const unwritable = checkWritable(args.all("out"));
    if (unwritable.length > 0) throw new DiagnosticsError(unwritable);
    const found = await systemAt(path, userTrust(args.has("trust")));
    printFindings(found.diagnostics);
    if (found.value === undefined || hasErrors(found.diagnostics)) return 1;
    const { system, scenario } = found.value;
    const made = synthesize(system);
    printFindings(made.diagnostics.map((d) => ({ ...d, place: { file: path } })));
    if (made.value === undefined) return 1;
    const wrong = checkOrchestration(system, made.value, { file: path });
    if (wrong.length > 0) throw new Error(`internal: ${wrong[0]?.message}`);
    const count = countAlgorithms(system);
    const near = (file: string): string =>
      relative(dirname(out ?? "."), file).replaceAll("\\", "/");
    const about =
      scenario === undefined ? system : { scenario: out === undefined ? scenario : near(scenario) };
    const text = `${countLines(system, count)}${printOrchestration(made.value, about)}`;
    if (out !== undefined) writeWholeFile(out, text);
    if (args.has("json")) print(JSON.stringify({ count, system, ...made.value }, undefined, 2));
    else if (out === undefined) print(text.trimEnd());
    else
      print(
        `${out}: ${counted(made.value.step.length, "operation")} in a step, ${stepCountText(count)}`,
      );
    return 0;
  },
};

async function systemAt(
  path: string,
  trust: Trust,
): Promise<Checked<{ readonly system: OrchestratedSystem; readonly scenario?: string }>> {
  if (isAlgorithm(path)) return readOrchestration(path, trust);
  const { value, diagnostics } = await systemInScenario(path, trust);
  return value === undefined
    ? { diagnostics }
    : { value: { system: value, scenario: path }, diagnostics };
}

/** Units of a scenario have sources, those of an algorithm have ports. */
function isAlgorithm(path: string): boolean {
  if (!/\.ya?ml$/i.test(path)) return false;
  try {
    const text = readFileSync(path, "utf8");
    return (
      !hasErrors(parseOrchestration(text, path).diagnostics) ||
      /^\s+(?:\S+:\s*\{\s*)?(?:in|out)puts:/m.test(text) ||
      /^(?:step|initialization):/m.test(text)
    );
  } catch {
    // The next reader reports why that is not possible.
    return false;
  }
}

function stepCountText({ step, isAtLeast }: AlgorithmCount): string {
  return `${isAtLeast ? "at least " : ""}${counted(step, "correct algorithm")}`;
}

function countLines({ units }: OrchestratedSystem, count: AlgorithmCount): string {
  const open = units.some(({ inputs }) => Object.values(inputs).includes("undeclared"));
  const how = open ? ", with inputs of no declared kind read either way" : "";
  return [
    `# ${stepCountText(count)} of a step up to commuting operations${how}; ${counted(count.initialization, "initialization")}.`,
    ...(open ? ["# In this one they are read as delayed ones."] : []),
    "",
  ].join("\n");
}
