/**
 * Files that a person named on the command line.
 */
import { readFileSync } from "node:fs";
import { type Checked, type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { provideStandardInput, STANDARD_INPUT } from "../host/standard-input.ts";
import { STDIO, UsageError } from "./command.ts";
import { printFindings } from "./findings.ts";
import { RUN_DIAGNOSTICS } from "./run-diagnostics.ts";
import { printVerbose } from "./terminal.ts";

/** Its bytes, or why there are none; `-` is standard input. */
export function readBytes(file: string): Checked<Buffer> {
  try {
    printVerbose(`reads ${file}`);
    return { value: readFileSync(file === STDIO ? 0 : file), diagnostics: [] };
  } catch (error) {
    const reason = unreadableReason(error as NodeJS.ErrnoException);
    return { diagnostics: [diagnose(RUN_DIAGNOSTICS, "file-unreadable", { reason }, { file })] };
  }
}

/** Its text, or undefined after a report. */
export function readText(file: string, report: (d: Diagnostic) => void): string | undefined {
  const { value, diagnostics } = readBytes(file);
  diagnostics.forEach(report);
  return value?.toString("utf8");
}

/** What `parse` makes of a file; undefined after its findings were printed. */
export function readParsed<T>(
  file: string,
  parse: (text: string, file: string) => Checked<T>,
): T | undefined {
  const text = readText(file, (d) => printFindings([d]));
  if (text === undefined) return undefined;
  const { value, diagnostics } = parse(text, file);
  printFindings(diagnostics);
  return value;
}

/**
 * What a command was given as a model: `-` is a scenario.yaml on standard input, whose paths start
 * at the working folder.
 * @throws UsageError where there is nothing on standard input.
 */
export function modelPath(given: string): string {
  if (given !== STDIO) return given;
  if (process.stdin.isTTY === true)
    throw new UsageError(
      "nothing comes in on standard input",
      "cosimo run - < scenario.yaml, or name a file",
    );
  provideStandardInput(readFileSync(0, "utf8"));
  return STANDARD_INPUT;
}

/** In plain words, without the call that failed. */
function unreadableReason({ code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  return message;
}
