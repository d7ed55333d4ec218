/**
 * `cosimo check scenario`: what a careful colleague would say before the run. Nothing is simulated and no binary is loaded, unless
 * --stability asks for what only experiments with the units can tell; no module is run unless it is trusted.
 */

import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { type Diagnostic, hasErrors } from "../../base/diagnostic.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import { scenarioInFolder } from "../../host/scenario-path.ts";
import { userTrust } from "../../host/trust.ts";
import { explanationText } from "../../plan/explain/explanation-text.ts";
import { unitLoops } from "../../plan/master-needs.ts";
import { MASTER_NAMES } from "../../model/masters.ts";
import { planHash } from "../../plan/plan-hash.ts";
import { printPlan } from "../../plan/print-plan.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import type { RunRequest } from "../../run/plan-run.ts";
import { type CheckedScenario, checkScenario } from "../check/check-scenario.ts";
import {
  anyOf,
  type Command,
  type CommandSpec,
  type ExitCode,
  numberOption,
  type ParsedArguments,
  positiveOption,
  TRUST,
  UsageError,
} from "../command.ts";
import { findingTexts } from "../findings.ts";
import { runSpectral } from "../stability/run-spectral.ts";
import { STOP_CODES, type StopSignal } from "../stop-signals.ts";
import { print, printError } from "../terminal.ts";

const spec: CommandSpec = {
  name: "check",
  summary: "Explain a scenario before it is run.",
  usage:
    "cosimo check <scenario> [--plan] [--graph <file>] [--master <name>] [--step <s>] [--stability] [--json]",
  details:
    "Units with kinds and capabilities, who feeds whom, algebraic loops, inputs that nobody feeds, conversions, rates, the\n" +
    "order and why, what the master needs, and a recommendation. Every plan is checked against the conditions of a valid\n" +
    "co-simulation step. The exit code is 1 when there are errors.",
  arguments: [
    { name: "<scenario>", help: "a scenario.yaml, .ssp or .ssd, or the folder of a scenario.yaml" },
  ],
  options: {
    plan: { help: "print what will be executed, op by op" },
    graph: { value: "<file>", help: "draw units and connections: .svg or .html" },
    master: { value: "<name>", help: `as if the scenario said so: ${anyOf(MASTER_NAMES)}` },
    step: { value: "<s>", help: "as if the scenario said so: the communication step" },
    stability: {
      help: "load the units as well and say whether the step is stable ('cosimo stability spectral' says more)",
    },
    ...TRUST,
    timeout: {
      value: "<s>",
      help: "with --stability: give up when that takes longer (wall clock)",
    },
    json: { help: "print everything as JSON" },
  },
  examples: [
    { command: "cosimo check scenario.yaml", does: "is this what I meant, and will it work?" },
    { command: "cosimo check scenario.yaml --graph system.svg", does: "a picture for the report" },
    {
      command: "cosimo check scenario.yaml --master gauss-seidel --plan",
      does: "what exactly would gauss-seidel do?",
    },
  ],
};

export const checkCommand: Command = {
  spec,
  async run(args: ParsedArguments): Promise<ExitCode> {
    const graph = args.one("graph");
    if (graph !== undefined && ![".svg", ".html"].includes(extname(graph).toLowerCase()))
      throw new UsageError(
        `--graph cannot tell the format of '${graph}'`,
        "let the name end in .svg or .html",
      );
    const path = args.positionals[0]!;
    const temp = createTempFolder();
    try {
      const loaded = await loadScenario(
        scenarioInFolder(path) ?? path,
        userTrust(args.has("trust")),
        temp.path,
      );
      const checked = loaded.value && checkScenario(loaded.value.scenario, wishes(args));
      const findings = [...loaded.diagnostics, ...(checked?.diagnostics ?? [])];
      if (graph !== undefined && checked?.compiled) await writeGraph(graph, checked);
      const stability = await stabilityLines(path, args, checked, hasErrors(findings));
      if ("stoppedBy" in stability) return STOP_CODES[stability.stoppedBy];
      print(
        args.has("json")
          ? json(path, findings, checked, args.has("plan"), stability)
          : page(path, findings, checked, args.has("plan"), stability),
      );
      return hasErrors(findings) ? 1 : 0;
    } finally {
      temp.remove();
    }
  },
};

function wishes(args: ParsedArguments): Pick<RunRequest, "step" | "master"> {
  const step = numberOption(args, "step");
  const master = args.one("master");
  return {
    ...(step === undefined ? {} : { step }),
    ...(master === undefined ? {} : { master }),
  };
}

/** Coarser than the command of its own: the limit is located all the same. */
const POINTS_PER_DECADE = 6;

/** What is known of the stability of the step: the recommendation of an analysis, or how to get one. */
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
      { trust: args.has("trust"), set: [], options: { ...wishes(args), range } },
      positiveOption(args, "timeout"),
    );
    if (stoppedBy !== undefined) {
      printError(`cosimo: ${path}: ${failure}`);
      return { stoppedBy };
    }
    return report?.advice ?? [`not known: ${failure ?? "the units could not be looked at"}`];
  }
  if (unitLoops(checked.scenario).length === 0) return [];
  return [
    "not looked at, because that needs the units: add --stability, or see 'cosimo stability spectral'",
  ];
}

async function writeGraph(file: string, checked: CheckedScenario): Promise<void> {
  const { graphModel } = await import("../check/graph-model.ts");
  const model = graphModel(checked.scenario, checked.compiled!.explanation);
  const text =
    extname(file).toLowerCase() === ".html"
      ? await (await import("../../plot/graph-html.ts")).graphHtml(model)
      : await (await import("../../plot/graph-svg.ts")).graphSvg(model);
  await writeFile(file, text);
}

function page(
  path: string,
  findings: readonly Diagnostic[],
  checked: CheckedScenario | undefined,
  withPlan: boolean,
  stability: readonly string[],
): string {
  const parts: string[] = [];
  for (const { title, compiled, scenario } of checked ? [checked, ...checked.inside] : []) {
    if (!compiled) continue;
    parts.push(title, explanationText(compiled.explanation));
    if (withPlan) parts.push(printPlan(compiled.plan, scenario).trimEnd());
  }
  if (stability.length > 0)
    parts.push(["stability", ...stability.map((line) => `  ${line}`)].join("\n"));
  if (findings.length > 0) parts.push(["findings", ...findingTexts(findings)].join("\n"));
  parts.push(verdict(path, findings));
  return parts.join("\n\n");
}

function verdict(path: string, findings: readonly Diagnostic[]): string {
  const count = (severity: Diagnostic["severity"]): number =>
    findings.filter((d) => d.severity === severity).length;
  const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
  const errors = count("error");
  const warnings = count("warning");
  if (errors > 0)
    return `${path}: it will not run: ${plural(errors, "error")}, ${plural(warnings, "warning")}`;
  const ready = `${path}: ready to run; the plan satisfies all conditions of a valid step`;
  return warnings === 0 ? ready : `${ready}; ${plural(warnings, "warning")} to think about`;
}

function json(
  path: string,
  findings: readonly Diagnostic[],
  checked: CheckedScenario | undefined,
  withPlan: boolean,
  stability: readonly string[],
): string {
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
    stability,
    inside: checked?.inside.map((one) => ({ unit: one.title, explanation: facts(one) })),
  };
  // Op lists are typed arrays, which JSON would write as objects.
  const lists = (_: string, value: unknown): unknown =>
    value instanceof Int32Array || value instanceof Float64Array ? [...value] : value;
  return JSON.stringify(content, lists, 2);
}
