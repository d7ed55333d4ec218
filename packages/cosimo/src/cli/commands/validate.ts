/**
 * `cosimo validate model.fmu`: everything that is not as the standard says, with place, cause and fix.
 */
import {
  type Diagnostic,
  diagnose,
  formatDiagnostic,
  hasErrors,
  type RulesFor,
} from "../../base/diagnostic.ts";
import { validateDescription, validateFiles } from "../../fmi/validate/validate.ts";
import { openFmuFile } from "../../platform/node/fmu-file.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import {
  type Command,
  type CommandSpec,
  type ExitCode,
  numberOption,
  type ParsedArguments,
} from "../command.ts";
import { isolate } from "../isolate.ts";

const spec: CommandSpec = {
  name: "validate",
  summary: "Check an FMU against the standard.",
  usage: "cosimo validate <model.fmu> [--run] [--json]",
  details:
    "Every finding has a code, the line of modelDescription.xml, the cause and the fix. The exit code is 1 when\n" +
    "there are errors, 0 when there are at most warnings.",
  arguments: [{ name: "<model.fmu>", help: "an FMU of FMI 2.0 or 3.0, packed or unpacked" }],
  options: {
    run: { help: "also load the binary and compare it with the description" },
    timeout: { value: "<s>", help: "with --run: give the binary this long (default 30)" },
    json: { help: "print the findings as JSON" },
  },
  examples: [
    { command: "cosimo validate model.fmu", does: "check the archive and the description" },
    {
      command: "cosimo validate model.fmu --run",
      does: "also load the binary, initialize it, take a step, roll back",
    },
  ],
};

export const BINARY_DIAGNOSTICS: RulesFor<{ "binary-crashed": { how: string } }> = {
  "binary-crashed": {
    severity: "error",
    rule: "The binary can be loaded and driven through its life cycle without ending its process.",
    text: (p) => ({
      message: `the binary ended its process: ${p.how}`,
      fix: "run it under a debugger, or send this to its supplier: it will crash in any tool",
    }),
  },
};

const DEFAULT_TIMEOUT_S = 30;

export const validateCommand: Command = {
  spec,
  async run(args: ParsedArguments): Promise<ExitCode> {
    const path = args.positionals[0]!;
    const findings: Diagnostic[] = [];
    const opened = openFmuFile(path);
    findings.push(...opened.diagnostics);
    if (opened.value) {
      const fmu = opened.value;
      const { description, contents } = fmu;
      findings.push(
        ...validateDescription(description, fmu.descriptionFile),
        ...validateFiles(contents, description, { file: path, read: (name) => fmu.readText(name) }),
      );
      if (args.has("run") && description.coSimulation) {
        findings.push(
          ...(await tryBinary(path, numberOption(args, "timeout") ?? DEFAULT_TIMEOUT_S)),
        );
      }
    }
    if (args.has("json")) console.log(JSON.stringify({ file: path, findings }, undefined, 2));
    else console.log([...findings.map(formatDiagnostic), verdict(path, findings)].join("\n"));
    return hasErrors(findings) ? 1 : 0;
  },
};

/** In a process of its own: a binary that crashes is a finding, not our end. */
async function tryBinary(path: string, timeoutSeconds: number): Promise<Diagnostic[]> {
  const temp = createTempFolder();
  const findings: Diagnostic[] = [];
  let bug: string | undefined;
  let answered = false;
  try {
    const end = await isolate(
      { kind: "check-binary", fmu: path, folder: temp.path },
      {
        timeoutMs: timeoutSeconds * 1000,
        onMessage: (message) => {
          if (message.kind === "diagnostics") {
            answered = true;
            findings.push(...message.diagnostics);
          }
          if (message.kind === "bug") bug = message.stack;
        },
      },
    );
    if (bug !== undefined) throw new Error(`internal: ${bug}`);
    if (end.code !== 0 || !answered) {
      const how =
        end.killed === "timeout"
          ? `no answer within ${timeoutSeconds} s`
          : String(end.signal ?? `exit code ${end.code}`);
      findings.push(diagnose(BINARY_DIAGNOSTICS, "binary-crashed", { how }, { file: path }));
    }
  } finally {
    temp.remove();
  }
  return findings;
}

function verdict(path: string, findings: readonly Diagnostic[]): string {
  const count = (severity: Diagnostic["severity"]): number =>
    findings.filter((d) => d.severity === severity).length;
  const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
  if (findings.length === 0) return `${path}: nothing found, it is as the standard says`;
  return `${path}: ${plural(count("error"), "error")}, ${plural(count("warning"), "warning")}`;
}
