/**
 * `cosimo test scenarios/`: regression tests of co-simulations. Every scenario is run, its
 * requirements are checked, and its trace is compared with the expected one, several at a time.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { DiagnosticsError } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import { type Command, TRUST, UsageError } from "../command.ts";
import { counted } from "../findings.ts";
import { checkWritable } from "../supervisor/write-outputs.ts";
import { print, printJson } from "../terminal.ts";
import { findScenarios } from "../test/find-scenarios.ts";
import { junitXml } from "../test/junit.ts";
import { type TestedScenario, testScenario } from "../test/test-scenario.ts";

export const testCommand: Command = {
  name: "test",
  summary: "Run scenarios and check their requirements and expected traces.",
  usage: "cosimo test <scenario|folder>... [options]",
  details:
    "Of a folder, all scenarios in it are tested (YAML files with units and an experiment, .mcl, .ssp and .ssd). A scenario passes if it\n" +
    "runs to its end, if none of its requirements is violated, and if its trace agrees with the expected one: 'drive.expected.csv' beside\n" +
    "'drive.yaml', or 'expected.csv' beside 'scenario.yaml', with some of its columns and rows. The exit code is 1 where one fails.",
  arguments: [{ name: "<scenario>", help: "a scenario, or a folder of scenarios", many: true }],
  options: {
    "--jobs <n>": "how many scenarios run at a time (default: one per core)",
    "--tolerance <x>":
      "how far numbers may be from the expected ones, relative to the largest of their column\n(default: 1e-6)",
    "--timeout <s>": "give up a scenario that takes longer than this (wall clock)",
    "--junit <file>": "write the results as JUnit XML, for continuous integration",
    ...TRUST,
    "--json": "print the results as JSON",
    "-q, --quiet": "print failures only",
  },
  examples: {
    "cosimo test scenarios/": "run them all, on all cores",
    "cosimo test scenarios/ --junit results.xml": "the same in continuous integration",
    "cosimo test drive.yaml --tolerance 1e-3": "one of them, with a wider tolerance of its trace",
  },
  async run(args) {
    const jobs = args.positive("jobs") ?? availableParallelism();
    if (!Number.isInteger(jobs)) throw new UsageError("--jobs wants a whole number", "--jobs 2");
    const junit = args.one("junit");
    const unwritable = checkWritable(junit === undefined ? [] : [junit]);
    if (unwritable.length > 0) throw new DiagnosticsError(unwritable);
    const scenarios = findScenarios(args.positionals);
    if (scenarios.length === 0)
      throw new UsageError("there are no scenarios in there", "name a folder with scenarios");
    const options = {
      tolerance: args.positive("tolerance") ?? 1e-6,
      trust: args.has("trust"),
      ...present({ timeoutSeconds: args.positive("timeout") }),
    };
    const isSilent = args.has("json");
    const temp = createTempFolder();
    const tested: TestedScenario[] = [];
    try {
      let next = 0;
      const work = async (): Promise<void> => {
        for (let i = next++; i < scenarios.length; i = next++) {
          const scenario = scenarios[i];
          if (scenario === undefined) return;
          const one = await testScenario(scenario, options, join(temp.path, String(i)));
          tested[i] = one;
          if (!isSilent && (!args.has("quiet") || !isPassed(one))) print(resultText(one));
        }
      };
      await Promise.all(Array.from({ length: Math.min(jobs, scenarios.length) }, work));
    } finally {
      temp.remove();
    }
    if (junit !== undefined) writeFileSync(junit, junitXml(tested));
    const failed = tested.filter((one) => !isPassed(one)).length;
    if (isSilent) printJson({ scenarios: tested, failed });
    else if (!args.has("quiet"))
      print(
        `${counted(tested.length, "scenario")}, ${failed === 0 ? "all passed" : `${failed} failed`}`,
      );
    return failed > 0 ? 1 : 0;
  },
};

function isPassed({ cases }: TestedScenario): boolean {
  return cases.every(({ state }) => state === "passed");
}

/** A line per scenario, and one per thing that is wrong with it. */
function resultText(one: TestedScenario): string {
  const { path, cases, seconds } = one;
  const wrong = cases.filter(({ state }) => state === "failed" || state === "error");
  const checks = cases.length === 1 ? "" : `, ${counted(cases.length - 1, "check")}`;
  const head = `${wrong.length === 0 ? "passed" : "FAILED"}  ${path} (${seconds.toFixed(1)} s${checks})`;
  const lines = wrong.map(({ name, detail }) => `  ${name}: ${detail.replaceAll("\n", "\n  ")}`);
  return [head, ...lines].join("\n");
}
