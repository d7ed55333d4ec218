/**
 * `cosimo validate model.fmu` and `cosimo validate system.ssp`: everything that is not as the
 * standard says, with place, cause and fix.
 */
import { join } from "node:path";
import {
  append,
  type Checked,
  type Diagnostic,
  diagnose,
  hasErrors,
  type RulesFor,
} from "../../base/diagnostic.ts";
import { error, say } from "../../base/rule-text.ts";
import { archiveDiagnostic } from "../../fmi/archive-diagnostics.ts";
import { validateDescription, validateFiles } from "../../fmi/validate/validate.ts";
import { fmiVersionNames } from "../../fmi/versions/table.ts";
import { TRUST_NOBODY } from "../../host/trust.ts";
import { type FmuFile, openFmuFile } from "../../platform/node/fmu-file.ts";
import { loadSspFile } from "../../platform/node/ssp-file.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import { strictly, TOLERATED_WITH_FMUS } from "../../ssp/ssp-diagnostics.ts";
import type { Command, ParsedArguments } from "../command.ts";
import { counted, findingTexts, verdictCounts } from "../findings.ts";
import type { FromWorker, WorkerFailure } from "../protocol/protocol.ts";
import { WorkerBroken } from "../protocol/worker-failure.ts";
import { isolate } from "../supervisor/isolate.ts";
import { runMessage } from "../supervisor/message-shapes.ts";
import { STOP_CODES, StopRequests, type StopSignal } from "../supervisor/stop-signals.ts";
import { print, printJson } from "../terminal.ts";

export const BINARY_DIAGNOSTICS: RulesFor<{ "binary-crashed": { how: string } }> = {
  "binary-crashed": error(
    "The binary can be loaded and driven through its life cycle without ending its process.",
    (p) =>
      say(
        `the binary ended its process: ${p.how}`,
        "run it under a debugger, or send this to its supplier: it will crash in any tool",
      ),
  ),
};

const DEFAULT_TIMEOUT_S = 30;

export const validateCommand: Command = {
  name: "validate",
  summary: "Check an FMU or a package (SSP) against the standard.",
  usage: "cosimo validate <model.fmu | system.ssp> … [--run] [--json]",
  details:
    "Every finding has a code, the line of the file, the cause and the fix. What 'cosimo run' tolerates with a note\n" +
    "is an error here. The exit code is 1 when there are errors, 0 when there are at most warnings.",
  arguments: [
    {
      name: "<model.fmu>",
      help:
        `an FMU of ${fmiVersionNames("or")}, packed or unpacked, or a system structure (.ssp, .ssd); ` +
        "several of them one after the other",
      many: true,
    },
  ],
  options: {
    "--run": "also load the binary and compare it with the description",
    "--timeout <s>": "with --run: give the binary this long (default: 30)",
    "--json": "print the findings as JSON; of several FMUs a list",
  },
  examples: {
    "cosimo validate model.fmu": "check the archive and the description",
    "cosimo validate *.fmu": "all FMUs of a folder, and a line that counts what was found",
    "cosimo validate model.fmu --run":
      "also load the binary, initialize it, take a step, roll back",
    "cosimo validate system.ssp": "check a package and the system structure in it",
  },
  async run(args) {
    const paths = args.positionals;
    const checked: { readonly file: string; readonly findings: readonly Diagnostic[] }[] = [];
    for (const file of paths) {
      const findings = await findingsOf(file, args);
      if (!Array.isArray(findings)) return STOP_CODES[findings.stoppedBy];
      checked.push({ file, findings });
      if (!args.has("json")) print([...findingTexts(findings), verdict(file, findings)].join("\n"));
    }
    const all = checked.flatMap(({ findings }) => findings);
    if (args.has("json")) printJson(paths.length > 1 ? checked : checked[0]);
    else if (paths.length > 1) print(`${counted(paths.length, "file")}: ${verdictCounts(all)}`);
    return hasErrors(all) ? 1 : 0;
  },
};

/** Everything that is found in one FMU, or the signal that stopped the search. */
async function findingsOf(
  path: string,
  args: ParsedArguments,
): Promise<Diagnostic[] | { readonly stoppedBy: StopSignal }> {
  if (/\.ss[pd](#.*)?$/i.test(path)) return [...(await packageFindings(path))];
  const opened = openFmuFile(path);
  const findings = fmuFindings(path, opened);
  if (opened.value) {
    const { description } = opened.value;
    if (args.has("run") && (description.coSimulation || description.modelExchange)) {
      const timeout = args.positive("timeout") ?? DEFAULT_TIMEOUT_S;
      const signal = await tryBinary(path, timeout, findings);
      if (signal !== undefined) return { stoppedBy: signal };
    }
  }
  return findings;
}

/** What does not conform to the standard, in the archive and the description. */
export function fmuFindings(path: string, opened: Checked<FmuFile>): Diagnostic[] {
  const findings: Diagnostic[] = [];
  append(findings, opened.diagnostics);
  const { value: fmu } = opened;
  if (fmu === undefined) return findings;
  const { description, contents } = fmu;
  append(findings, validateDescription(description, fmu.descriptionFile));
  const read = (name: string): string | undefined => fmu.readText(name);
  append(findings, validateFiles(contents, description, { file: path, read }));
  return findings;
}

/**
 * What is wrong with a system structure, as the standard sees it; what Cosimo does not use is no
 * finding.
 */
async function packageFindings(path: string): Promise<Diagnostic[]> {
  const temp = createTempFolder();
  try {
    const { value, diagnostics } = await loadSspFile(path, { target: join(temp.path, "ssp") });
    const whole = value === undefined ? [] : await withItsFmus(path, join(temp.path, "whole"));
    return strictly([...diagnostics, ...whole]).filter(({ code }) => code !== "ssp-unused");
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    const reason =
      (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : error.message;
    return [archiveDiagnostic("archive-unreadable", { reason }, { file: path })];
  } finally {
    temp.remove();
  }
}

/** What a run tolerates and only the FMUs show: interfaces, types and units that they lack. */
async function withItsFmus(path: string, target: string): Promise<readonly Diagnostic[]> {
  const { loadScenario } = await import("../../host/load-scenario.ts");
  const { diagnostics } = await loadScenario(path, TRUST_NOBODY, target);
  return diagnostics.filter(({ code }) => TOLERATED_WITH_FMUS.has(code));
}

/**
 * In a process of its own: a binary that crashes is a finding, not our end. @returns a signal when
 * the person stopped it.
 */
async function tryBinary(
  path: string,
  timeoutSeconds: number,
  findings: Diagnostic[],
): Promise<StopSignal | undefined> {
  const temp = createTempFolder();
  const stop = new StopRequests();
  let broken: WorkerFailure | undefined;
  const report = (how: string): void =>
    void findings.push(diagnose(BINARY_DIAGNOSTICS, "binary-crashed", { how }, { file: path }));
  try {
    const end = await isolate<FromWorker>(
      { kind: "check-binary", fmu: path, folder: temp.path },
      {
        timeoutMs: timeoutSeconds * 1000,
        stop,
        read: runMessage,
        onMessage: (message) => {
          if (message.kind === "diagnostics") append(findings, message.diagnostics);
          if (message.kind === "broken") broken ??= message;
          return false;
        },
      },
    );
    if (end.asked === "cancelled") return stop.signal;
    if (broken !== undefined) throw new WorkerBroken(broken);
    if (end.killed === "timeout") report(`no answer within ${timeoutSeconds} s`);
    else if (end.killed === "unfinished") report("it does not end when all work is done");
    else if (end.code !== 0 || !end.isThrough)
      report(String(end.signal ?? `exit code ${end.code}`));
    if (end.leftProcesses) report("processes that it started were still there, and were ended");
    return undefined;
  } finally {
    stop.close();
    temp.remove();
  }
}

function verdict(path: string, findings: readonly Diagnostic[]): string {
  if (findings.length === 0) return `${path}: no problems found`;
  return `${path}: ${verdictCounts(findings)}`;
}
