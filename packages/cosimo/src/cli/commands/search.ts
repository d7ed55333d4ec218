/**
 * `cosimo search scenario`: masters that satisfy what a scenario requires, found from hints.
 */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DiagnosticsError, hasErrors } from "../../base/diagnostic.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import { scenarioInFolder } from "../../host/scenario-path.ts";
import { userTrust } from "../../host/trust.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import { explore } from "../../search/variants/explore.ts";
import { hintedScenario, spaceFromHints } from "../../search/variants/hint-rules.ts";
import { widerSpace } from "../../search/variants/knowledge.ts";
import { rankedVariants, variantCount } from "../../search/variants/variant-diagram.ts";
import {
  type Command,
  checkFormats,
  type ExitCode,
  type ParsedArguments,
  TRUST,
  UsageError,
} from "../command.ts";
import { printFindings } from "../findings.ts";
import { drawSvg } from "../plot-file.ts";
import { type PreparedVariant, prepareVariant } from "../search/prepare-variants.ts";
import { runVariant, withoutUnstable } from "../search/run-variants.ts";
import { drawFront, drawSchedule, foundText } from "../search/search-output.ts";
import { type SearchReport, searchJson, searchPage } from "../search/search-page.ts";
import { progressBar } from "../supervisor/progress.ts";
import { STOP_CODES } from "../supervisor/stop-signals.ts";
import { checkWritable } from "../supervisor/write-outputs.ts";
import { print, printError } from "../terminal.ts";

/** More than anyone waits for, and enough to be a mistake. */
const MOST_VARIANTS = 2000;

export const searchCommand: Command = {
  name: "search",
  summary: "Find a master that satisfies what a scenario requires, from hints about its units.",
  usage:
    "cosimo search <scenario> [-o <found.yaml>] [--plot <file>] [--list] [--graph <file>] [--rules <which>] [--json]",
  details:
    "Hints in the scenario's .hint file (software with a rate, power bonds) say what is decided; steps, rates, orders and corrections stay\n" +
    "open. Variants that cannot be executed or are proved unstable are never run; the others run in processes of their own, the cheapest\n" +
    "first, until nothing better is likely. They are ranked by how robustly they satisfy the requirements, against what they cost: the\n" +
    "number of steps that units take. Exit code 1: no variant satisfies everything.",
  arguments: [{ name: "<scenario>", help: "a scenario.yaml, or the folder of one" }],
  options: {
    "-o, --out <file>": "write what was found as a scenario.yaml, with the reasons as comments",
    "--plot <file>...": "draw robustness against cost: .svg or .png",
    "--list": "show the space and its variants in their order, and run nothing",
    "--graph <file>":
      "draw the operation schedule of a variant as .svg or .png, and run nothing: the first one, or that of --variant",
    "--variant <n>": "with --graph and --list: the variant with this number",
    "--rules <which>":
      "hints: only what the five rules give; all (default): also what Cosimo knows of the units",
    "--runs <n>": "run at most so many variants",
    "--budget <s>": "begin no run after this time (wall clock)",
    "--timeout <s>": "give up a run that takes longer (wall clock)",
    "--no-stability": "do not load the units to see which variants are unstable",
    ...TRUST,
    "--json": "print everything as JSON",
  },
  values: { rules: ["all", "hints"] },
  examples: {
    "cosimo search scenario.yaml --list": "what do my hints leave open?",
    "cosimo search scenario.yaml -o found.yaml --plot front.svg":
      "find a master, and see what robustness costs",
    "cosimo search scenario.yaml --graph schedule.svg --variant 2":
      "in which order would variant 2 call the units?",
  },
  async run(args) {
    checkFormats(args.all("plot"), [".svg", ".png"], "--plot");
    checkFormats(args.all("graph"), [".svg", ".png"], "--graph");
    checkFormats(args.all("out"), [".yaml", ".yml"], "--out");
    const path = scenarioInFolder(args.first) ?? args.first;
    if (!/\.ya?ml$/i.test(path))
      throw new UsageError(
        `'${path}' is not a scenario.yaml`,
        "variants are written as scenario.yaml: write one, or the folder of one",
      );
    const files = [...args.all("plot"), ...args.all("graph"), ...args.all("out")];
    if (files.some((file) => resolve(file) === resolve(path)))
      throw new UsageError(`${path} is what is searched, and is not replaced`, "-o found.yaml");
    const unwritable = checkWritable(files);
    if (unwritable.length > 0) throw new DiagnosticsError(unwritable);
    const temp = createTempFolder();
    try {
      return await search(path, args, temp.path);
    } finally {
      temp.remove();
    }
  },
};

async function search(path: string, args: ParsedArguments, folder: string): Promise<ExitCode> {
  const trust = userTrust(args.has("trust"));
  const loaded = await loadScenario(path, trust, folder);
  printFindings(loaded.diagnostics);
  if (loaded.value === undefined || hasErrors(loaded.diagnostics)) return 1;
  const { scenario } = loaded.value;
  const isRun = !args.has("list") && !args.has("graph");
  if (isRun && (scenario.requirements ?? []).length === 0) {
    printError(
      `cosimo: ${path}: it requires nothing, so no variant is better than another\n  fix: state what must hold under 'requirements', or show the variants with --list`,
    );
    return 1;
  }
  const hinted = hintedScenario(scenario);
  const space =
    args.choice("rules", ["all", "hints"]) === "hints"
      ? spaceFromHints(hinted)
      : widerSpace(hinted);
  const count = variantCount(space);
  if (count > MOST_VARIANTS) {
    printError(
      `cosimo: ${path}: there are ${count} variants, which are more than ${MOST_VARIANTS}\n  fix: give hints about more units, or --rules hints`,
    );
    return 1;
  }
  const text = readFileSync(path, "utf8");
  const request = { path, text, trust, folder };
  const progress = progressBar(process.stderr);
  let variants: PreparedVariant[] = [];
  for (const variant of rankedVariants(space)) {
    progress.update(variant.rank / count, `planning variant ${variant.rank} of ${count}`);
    variants.push(await prepareVariant(space, variant, request));
  }
  progress.clear();
  const report: SearchReport = { path, space, variants };
  if (!isRun) return list(report, args);
  if (!args.has("no-stability")) {
    const analysed = await withoutUnstable(variants, path, args.has("trust"));
    if ("stoppedBy" in analysed) return STOP_CODES[analysed.stoppedBy];
    variants = analysed.variants;
  }
  return explored({ ...report, variants }, text, args);
}

async function list(report: SearchReport, args: ParsedArguments): Promise<ExitCode> {
  const wanted = args.positive("variant") ?? 1;
  const one = report.variants.find(({ variant }) => variant.rank === wanted);
  if (one === undefined)
    throw new UsageError(
      `--variant ${wanted} does not exist`,
      `they are numbered from 1 to ${report.variants.length}`,
    );
  const graph = args.one("graph");
  if (graph !== undefined) {
    if (one.schedule === undefined) {
      printError(`cosimo: variant ${wanted} has no schedule: ${one.obstacle}`);
      return 1;
    }
    writeWholeFile(graph, await drawSvg(graph, drawSchedule(one)));
  }
  const shown = args.has("variant") ? { ...report, variants: [one] } : report;
  print(args.has("json") ? JSON.stringify(searchJson(shown), undefined, 2) : searchPage(shown));
  return 0;
}

async function explored(
  report: SearchReport,
  text: string,
  args: ParsedArguments,
): Promise<ExitCode> {
  const { path, variants } = report;
  const begun = performance.now();
  const budget = args.positive("budget");
  const candidates = variants.filter(({ obstacle }) => obstacle === undefined);
  const progress = progressBar(process.stderr);
  let stoppedBy: keyof typeof STOP_CODES | undefined;
  let done = 0;
  const exploration = await explore(candidates, {
    ...(args.has("runs") && { runs: args.positive("runs") ?? 1 }),
    isOver: () => budget !== undefined && performance.now() - begun > 1000 * budget,
    run: async ({ variant }) => {
      progress.update(done / candidates.length, `running variant ${variant.rank}`);
      const prepared = variants.find((one) => one.variant === variant) as PreparedVariant;
      const ran = await runVariant(path, prepared, {
        trust: args.has("trust"),
        timeoutSeconds: args.positive("timeout"),
      });
      stoppedBy = ran.stoppedBy;
      return ran.run;
    },
    onRun: () => {
      done++;
    },
  });
  progress.clear();
  const found: SearchReport = { ...report, exploration };
  for (const file of args.all("plot")) writeWholeFile(file, await drawFront(file, found));
  const out = args.one("out");
  const { winner } = exploration;
  if (out !== undefined && winner !== undefined) {
    const way = { from: dirname(resolve(path)), to: dirname(resolve(out)) };
    writeWholeFile(out, foundText(text, found, winner, { way, command: path }));
  }
  print(args.has("json") ? JSON.stringify(searchJson(found), undefined, 2) : searchPage(found));
  if (out !== undefined && winner === undefined)
    printError(`cosimo: ${out} was not written: no variant satisfies everything`);
  if (stoppedBy !== undefined) return STOP_CODES[stoppedBy];
  if (exploration.tried.length > 0 && exploration.tried.every(({ run }) => !run.isCompleted))
    return 3;
  return winner === undefined ? 1 : 0;
}
