/**
 * `cosimo check scenario`: what a careful colleague would say before the run. Nothing is simulated
 * and no binary is loaded, unless --stability or --confluence ask for what only experiments with
 * the units can show; no module is run unless it is trusted.
 */

import { extname } from "node:path";
import { type Diagnostic, hasErrors } from "../../base/diagnostic.ts";
import { present } from "../../base/present.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import { scenarioInFolder } from "../../host/scenario-path.ts";
import { userTrust } from "../../host/trust.ts";
import { languageOf } from "../../lang/languages.ts";
import { MASTER_NAMES } from "../../model/masters.ts";
import { fileKind } from "../../model/source-kind.ts";
import { explanationText } from "../../plan/explain/explanation-text.ts";
import { unitLoops } from "../../plan/master-needs.ts";
import { planHash } from "../../plan/plan-hash.ts";
import { printPlan } from "../../plan/print-plan.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import { type CheckedScenario, checkScenario } from "../../run/check-scenario.ts";
import type { RunRequest } from "../../run/plan-run.ts";
import type { ConfluenceReport } from "../../unit/explore-orders.ts";
import { confluenceLines, runConfluence } from "../check/run-confluence.ts";
import {
  anyOf,
  type Command,
  checkFormats,
  type ParsedArguments,
  TRUST,
  UsageError,
} from "../command.ts";
import { FAULT_OPTIONS } from "../fault-options.ts";
import { withFaults } from "../faults.ts";
import { counted, findingTexts, verdictCounts } from "../findings.ts";
import { SERVER, useNetwork } from "../network-options.ts";
import { modelPath } from "../read-file.ts";
import { runSpectral } from "../stability/run-spectral.ts";
import type { AnalysisEnd } from "../supervisor/run-analysis.ts";
import { STOP_CODES, type StopSignal } from "../supervisor/stop-signals.ts";
import { print, printError } from "../terminal.ts";

export const checkCommand: Command = {
  name: "check",
  summary: "Explain a scenario before it is run.",
  usage:
    "cosimo check <scenario> [--plan] [--graph <file>] [--master <name>] [--step <s>] [--stability] [--confluence] [--orchestration <file>] [--json]",
  details:
    "Units with kinds and capabilities, which unit feeds which, algebraic loops, inputs without a source, conversions, rates, the\n" +
    "order and why, what the master needs, and a recommendation. Every plan is checked against the conditions of a valid\n" +
    "co-simulation step. The exit code is 1 when there are errors, and when --confluence finds two orders that differ.",
  arguments: [
    {
      name: "<scenario>",
      help: "a scenario.yaml, .mcl, .ssp or .ssd, the folder of a scenario.yaml, a .machine.yaml or an .mci;\n- is a scenario.yaml on standard input; not needed with --orchestration",
      optional: true,
    },
  ],
  options: {
    "--plan": "print what will be executed, op by op",
    "--graph <file>":
      "draw units and connections: .svg or .html; of a state machine its states: .svg",
    "--master <name>": `as if the scenario said so: ${anyOf(MASTER_NAMES)}`,
    "--step <s>": "as if the scenario said so: the communication step",
    ...FAULT_OPTIONS,
    "--stability":
      "load the units as well and say whether the step is stable ('cosimo stability spectral' says more)",
    "--confluence":
      "run the units under different orders of simultaneous events and show the first difference",
    "--orders <n>": "with --confluence: orders to try at most; default: 100",
    "--seed <n>":
      "with --confluence: of the orders that are drawn where there are many; default: 1",
    "--orchestration <file>":
      "check an orchestration algorithm (.yaml) instead: is every operation right, and if not, which is the first wrong one\nand why? It describes its units, or names their scenario, or is about <scenario>",
    ...SERVER,
    ...TRUST,
    "--timeout <s>":
      "with --stability and --confluence: give up when that takes longer (wall clock)",
    "--json": "print everything as JSON",
  },
  values: { master: MASTER_NAMES },
  examples: {
    "cosimo check scenario.yaml": "is this what I meant, and will it work?",
    "cosimo check scenario.yaml --graph system.svg": "a picture for the report",
    "cosimo check controller.machine.yaml --graph states.svg": "a state machine, drawn",
    "cosimo check scenario.yaml --confluence": "does the order of simultaneous events matter?",
    "cosimo check --orchestration algorithm.yaml": "is my own master algorithm correct?",
    "cosimo check scenario.yaml --master gauss-seidel --plan":
      "what exactly would gauss-seidel do?",
  },
  async run(args) {
    useNetwork(args);
    const algorithm = args.one("orchestration");
    if (algorithm !== undefined) {
      const { checkOrchestrationFile } = await import("../check/orchestration-file.ts");
      const scenario = args.positionals[0];
      return checkOrchestrationFile(algorithm, userTrust(args.has("trust")), {
        json: args.has("json"),
        ...present({ scenario }),
      });
    }
    if (args.positionals.length === 0)
      throw new UsageError("<scenario> is missing", "for instance cosimo check scenario.yaml");
    const graph = args.one("graph");
    checkFormats(args.all("graph"), [".svg", ".html"], "--graph");
    const path = modelPath(args.first);
    if (fileKind(path) === "machine") {
      const { checkMachineFile } = await import("../check/check-machine-file.ts");
      checkFormats(args.all("graph"), [".svg"], "--graph of a state machine");
      return checkMachineFile(path, { json: args.has("json"), ...present({ graph }) });
    }
    if (languageOf(path)?.id === "mci") {
      const { checkInterfaceFile } = await import("../check/check-interface-file.ts");
      return checkInterfaceFile(path, userTrust(args.has("trust")), args.has("json"));
    }
    const temp = createTempFolder();
    try {
      const loaded = await loadScenario(
        scenarioInFolder(path) ?? path,
        userTrust(args.has("trust")),
        temp.path,
      );
      const { value: scenario, diagnostics: faults } = loaded.value
        ? withFaults(loaded.value.scenario, {
            faults: args.all("fault"),
            faultFiles: args.all("faults"),
          })
        : { diagnostics: [] };
      const checked = scenario && checkScenario(scenario, request(args));
      const findings = [...loaded.diagnostics, ...faults, ...(checked?.diagnostics ?? [])];
      if (graph !== undefined && checked?.compiled) await writeGraph(graph, checked);
      const stability = await stabilityLines(path, args, checked, hasErrors(findings));
      if ("stoppedBy" in stability) return STOP_CODES[stability.stoppedBy];
      const confluence = await confluenceOf(path, args, checked, hasErrors(findings));
      if (confluence?.stoppedBy !== undefined) return STOP_CODES[confluence.stoppedBy];
      findings.push(...(confluence?.diagnostics ?? []));
      const show = args.has("json") ? json : page;
      const withPlan = args.has("plan");
      print(show({ path, findings, checked, withPlan, stability, ...present({ confluence }) }));
      if (confluence?.failure !== undefined) return 3;
      const isOpen = confluence?.report?.verdict === "order-matters";
      return hasErrors(findings) || isOpen ? 1 : 0;
    } finally {
      temp.remove();
    }
  },
};

function request(args: ParsedArguments): Pick<RunRequest, "step" | "master"> {
  return present({ step: args.number("step"), master: args.one("master") });
}

/** Coarser than the command of its own: the limit is located all the same. */
const POINTS_PER_DECADE = 6;

/**
 * What is known of the stability of the step: the recommendation of an analysis, or how to get one.
 */
async function stabilityLines(
  path: string,
  args: ParsedArguments,
  checked: CheckedScenario | undefined,
  isBroken: boolean,
): Promise<readonly string[] | { readonly stoppedBy: StopSignal }> {
  if (checked?.compiled === undefined || isBroken) return [];
  if (args.has("stability")) {
    const range = { perDecade: POINTS_PER_DECADE };
    const { report, failure, stoppedBy } = await runSpectral(
      path,
      { trust: args.has("trust"), set: [], options: { ...request(args), range } },
      args.positive("timeout"),
    );
    if (stoppedBy !== undefined) {
      printError(`cosimo: ${path}: ${failure}`);
      return { stoppedBy };
    }
    return report?.advice ?? [`not known: ${failure ?? "the units could not be analysed"}`];
  }
  if (unitLoops(checked.scenario).length === 0) return [];
  return [
    "not analysed, because that needs the units: add --stability, or see 'cosimo stability spectral'",
  ];
}

/** Undefined: it is not requested, or there is nothing to run. */
async function confluenceOf(
  path: string,
  args: ParsedArguments,
  checked: CheckedScenario | undefined,
  isBroken: boolean,
): Promise<AnalysisEnd<ConfluenceReport> | undefined> {
  if (!args.has("confluence") || checked?.compiled === undefined || isBroken) return undefined;
  const [orders, seed] = [args.positive("orders"), args.number("seed")];
  if (orders !== undefined && !Number.isInteger(orders))
    throw new UsageError("--orders wants a whole number", "for instance --orders 1000");
  const end = await runConfluence(
    path,
    { trust: args.has("trust"), options: { ...request(args), ...present({ orders, seed }) } },
    args.positive("timeout"),
  );
  if (end.failure !== undefined) printError(`cosimo: ${path}: ${end.failure}`);
  // What the scenario is warned about was found before its units ran.
  return { ...end, diagnostics: end.diagnostics.filter(({ severity }) => severity === "error") };
}

async function writeGraph(file: string, checked: CheckedScenario): Promise<void> {
  const { graphModel } = await import("../check/graph-model.ts");
  const model = graphModel(checked.scenario, checked.compiled!.explanation);
  const text =
    extname(file).toLowerCase() === ".html"
      ? await (await import("../../plot/graph-html.ts")).graphHtml(model)
      : await (await import("../../plot/graph-svg.ts")).graphSvg(model);
  writeWholeFile(file, text);
}

interface CheckReport {
  readonly path: string;
  readonly findings: readonly Diagnostic[];
  readonly checked: CheckedScenario | undefined;
  readonly withPlan: boolean;
  readonly stability: readonly string[];
  readonly confluence?: AnalysisEnd<ConfluenceReport>;
}

function page(report: CheckReport): string {
  const { path, findings, checked, withPlan, stability, confluence } = report;
  const parts: string[] = [];
  if (checked?.rules)
    parts.push(["changes of structure", ...checked.rules.map((line) => `  ${line}`)].join("\n"));
  for (const { title, compiled, scenario } of checked ? [checked, ...checked.inside] : []) {
    if (!compiled) continue;
    parts.push(title, explanationText(compiled.explanation));
    if (withPlan) parts.push(printPlan(compiled.plan, scenario).trimEnd());
  }
  if (stability.length > 0)
    parts.push(["stability", ...stability.map((line) => `  ${line}`)].join("\n"));
  if (confluence?.report)
    parts.push(
      ["confluence", ...confluenceLines(confluence.report).map((line) => `  ${line}`)].join("\n"),
    );
  if (confluence?.failure !== undefined)
    parts.push(
      [
        "confluence",
        `  no verdict: the run ended`,
        `  ${confluence.failure.replaceAll("\n", "\n  ")}`,
      ].join("\n"),
    );
  if (findings.length > 0) parts.push(["findings", ...findingTexts(findings)].join("\n"));
  parts.push(verdict(path, findings, confluence?.failure !== undefined));
  return parts.join("\n\n");
}

/** @param hasFailed a unit did, while orders were compared. */
function verdict(path: string, findings: readonly Diagnostic[], hasFailed: boolean): string {
  if (hasFailed) return `${path}: it begins to run, and fails`;
  if (hasErrors(findings)) return `${path}: it will not run: ${verdictCounts(findings)}`;
  const warnings = findings.filter(({ severity }) => severity === "warning").length;
  const ready = `${path}: ready to run; the plan satisfies all conditions of a valid step`;
  return warnings === 0 ? ready : `${ready}; ${counted(warnings, "warning")} to think about`;
}

function json(report: CheckReport): string {
  const { path, findings, checked, withPlan, stability, confluence } = report;
  const facts = ({ compiled, scenario }: CheckedScenario): object | undefined =>
    compiled && {
      ...compiled.explanation,
      plan: {
        hash: planHash(compiled.plan),
        ...(withPlan ? { ...compiled.plan, text: printPlan(compiled.plan, scenario) } : {}),
      },
    };
  const content = {
    file: path,
    findings,
    explanation: checked && facts(checked),
    ...present({ rules: checked?.rules }),
    stability,
    ...(confluence && {
      confluence: confluence.report ?? { verdict: "unknown", failure: confluence.failure },
    }),
    inside: checked?.inside.map((one) => ({ unit: one.title, explanation: facts(one) })),
  };
  // Op lists are typed arrays, which JSON would write as objects.
  const lists = (_: string, value: unknown): unknown =>
    value instanceof Int32Array || value instanceof Float64Array ? [...value] : value;
  return JSON.stringify(content, lists, 2);
}
