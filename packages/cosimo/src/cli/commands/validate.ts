/**
 * `cosimo validate model.fmu`: everything that is not as the standard says, with place, cause and fix.
 */
import {
  append,
  type Diagnostic,
  diagnose,
  hasErrors,
  type RulesFor,
} from "../../base/diagnostic.ts";
import { error, say } from "../../base/rule-text.ts";
import { validateDescription, validateFiles } from "../../fmi/validate/validate.ts";
import { openFmuFile } from "../../platform/node/fmu-file.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import type { Command } from "../command.ts";
import { findingTexts, verdictCounts } from "../findings.ts";
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
  summary: "Check an FMU against the standard.",
  usage: "cosimo validate <model.fmu> [--run] [--json]",
  details:
    "Every finding has a code, the line of modelDescription.xml, the cause and the fix. The exit code is 1 when\n" +
    "there are errors, 0 when there are at most warnings.",
  arguments: [{ name: "<model.fmu>", help: "an FMU of FMI 2.0 or 3.0, packed or unpacked" }],
  options: {
    "--run": "also load the binary and compare it with the description",
    "--timeout <s>": "with --run: give the binary this long (default: 30)",
    "--json": "print the findings as JSON",
  },
  examples: {
    "cosimo validate model.fmu": "check the archive and the description",
    "cosimo validate model.fmu --run":
      "also load the binary, initialize it, take a step, roll back",
  },
  async run(args) {
    const path = args.first;
    const findings: Diagnostic[] = [];
    const opened = openFmuFile(path);
    append(findings, opened.diagnostics);
    if (opened.value) {
      const fmu = opened.value;
      const { description, contents } = fmu;
      findings.push(
        ...validateDescription(description, fmu.descriptionFile),
        ...validateFiles(contents, description, { file: path, read: (name) => fmu.readText(name) }),
      );
      if (args.has("run") && description.coSimulation) {
        const timeout = args.positive("timeout") ?? DEFAULT_TIMEOUT_S;
        const signal = await tryBinary(path, timeout, findings);
        if (signal !== undefined) return STOP_CODES[signal];
      }
    }
    if (args.has("json")) printJson({ file: path, findings });
    else print([...findingTexts(findings), verdict(path, findings)].join("\n"));
    return hasErrors(findings) ? 1 : 0;
  },
};

/** In a process of its own: a binary that crashes is a finding, not our end. @returns a signal when the person stopped it. */
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
  if (findings.length === 0) return `${path}: nothing found, it is as the standard says`;
  return `${path}: ${verdictCounts(findings)}`;
}
