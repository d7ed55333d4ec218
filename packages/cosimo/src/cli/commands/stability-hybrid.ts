/**
 * `cosimo stability hybrid file.yaml`: how late may a controller switch between two modes, how
 * rarely may it look?
 */

import { extname } from "node:path";
import {
  append,
  type Diagnostic,
  DiagnosticsError,
  diagnose,
  hasErrors,
} from "../../base/diagnostic.ts";
import { userTrust } from "../../host/trust.ts";
import { parseHybridYaml } from "../../lang/hybrid/parse-hybrid.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import { phaseSvg } from "../../plot/phase.ts";
import { HYBRID_DIAGNOSTICS } from "../../stability/hybrid-diagnostics.ts";
import { constantOf } from "../../stability/hybrid-from-description.ts";
import { type Command, checkFormats, type ParsedArguments, TRUST } from "../command.ts";
import { printFindings } from "../findings.ts";
import { drawSvg } from "../plot-file.ts";
import { readText } from "../read-file.ts";
import { analyzeHybrid, type HybridAnswers } from "../stability/hybrid-analysis.ts";
import { openModeUnits } from "../stability/hybrid-modules.ts";
import {
  assumptionsHold,
  hybridFigures,
  hybridJson,
  hybridPage,
} from "../stability/hybrid-page.ts";
import { TIMEOUT, timeLimit } from "../stability/time-limit.ts";
import { checkWritable } from "../supervisor/write-outputs.ts";
import { print } from "../terminal.ts";

export const stabilityHybridCommand: Command = {
  name: "stability hybrid",
  summary: "How late may a controller switch between two modes before the system never rests?",
  usage: "cosimo stability hybrid <file> [--no-run] [--plot <file>] [--timeout <s>] [--json]",
  details:
    "The file describes a system in the plane with two modes and a surface between them. For a delay, the command looks for\n" +
    "the smallest one with which the system can go round for ever, and checks what that answer takes for granted. For a step,\n" +
    "it follows the energies of both modes from entry to entry. Then it co-simulates plant and controller just below and just\n" +
    "above the bound. The exit code is 1 when the file is wrong or an assumption or every step fails, 3 when a co-simulation contradicts\n" +
    "or the time was up.",
  arguments: [{ name: "<file>", help: "description of the system, YAML" }],
  options: {
    "--no-run": "analyse only, without co-simulations",
    "--plot <file>":
      "phase plots just below and just above the bound: .svg or .png;\na second question gets a file of its own, with '-step' in its name",
    ...TRUST,
    ...TIMEOUT,
    "--json": "print everything as JSON",
  },
  examples: {
    "cosimo stability hybrid ball.yaml":
      "the bound, its assumptions, and what co-simulations around it do",
    "cosimo stability hybrid ball.yaml --plot ball.svg": "with a picture of both",
    "cosimo stability hybrid ball.yaml --timeout 30": "what can be said within half a minute",
    "cosimo stability hybrid ball.yaml --no-run --json": "numbers for a script",
  },
  async run(args) {
    const plot = args.one("plot");
    checkFormats(args.all("plot"), [".svg", ".png"], "--plot");
    timeLimit(args);
    const file = args.first;
    const unwritable = checkWritable(args.all("plot"));
    if (unwritable.length > 0) throw new DiagnosticsError(unwritable);
    const findings: Diagnostic[] = [];
    const answers = await answersFor(file, args, findings);
    printFindings(findings);
    if (answers === undefined) return 1;
    if (plot !== undefined) await writePlots(plot, answers);
    print(args.has("json") ? hybridJson(answers, file) : hybridPage(answers));
    if (answers.timeIsUp !== undefined) return hasErrors(findings) ? 1 : 3;
    if (hasErrors(findings) || !assumptionsHold(answers.delay?.assumptions ?? [])) return 1;
    // Energies with which no step is safe are not energies of this system.
    if (answers.step?.result.bound === 0) return 1;
    return contradicted(answers) ? 3 : 0;
  },
};

async function answersFor(
  file: string,
  args: ParsedArguments,
  findings: Diagnostic[],
): Promise<HybridAnswers | undefined> {
  const text = readText(file, (d) => findings.push(d));
  if (text === undefined) return undefined;
  const parsed = parseHybridYaml(text, file, constantOf);
  append(findings, parsed.diagnostics);
  const description = parsed.value;
  if (description === undefined) return undefined;
  const { name, place } = description;
  const simulate = !args.has("no-run");
  if (simulate && description.simulate === undefined)
    findings.push(diagnose(HYBRID_DIAGNOSTICS, "hybrid-no-simulation", { name }, place));
  const units = await openModeUnits(file, description, userTrust(args.has("trust")), findings);
  if (hasErrors(findings)) return undefined;
  const { isTTY } = process.stderr;
  const report = (doing: string): void => {
    if (isTTY) process.stderr.write(`\r\x1b[2K${doing} …`);
  };
  const answers = await analyzeHybrid(
    description,
    units,
    simulate,
    report,
    timeLimit(args).keepGoing,
  );
  if (isTTY) process.stderr.write("\r\x1b[2K");
  if (answers.delay === null) {
    const at = description.delay?.place ?? place;
    findings.push(diagnose(HYBRID_DIAGNOSTICS, "hybrid-no-equilibrium", { name }, at));
  }
  return answers;
}

/**
 * A bound is contradicted when the system does not come to rest below it. Above it, it may: delays
 * need not be at their worst.
 */
function contradicted({ delay, step }: HybridAnswers): boolean {
  return [...(delay?.trials ?? []), ...(step?.trials ?? [])].some(
    ({ place, run }) => place === "below" && !run.settles,
  );
}

/** One figure per question; a second one gets its subject into the file's name. */
async function writePlots(file: string, answers: HybridAnswers): Promise<void> {
  for (const [i, figure] of hybridFigures(answers).entries()) {
    const extension = extname(file);
    const path = i === 0 ? file : `${file.slice(0, -extension.length)}-step${extension}`;
    writeWholeFile(path, await drawSvg(path, phaseSvg(figure)));
  }
}
