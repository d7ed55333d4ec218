/**
 * A text file that a person named on the command line.
 */
import { readFileSync } from "node:fs";
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { RUN_DIAGNOSTICS } from "../run-diagnostics.ts";

/** Its text, or undefined after a report. */
export function readText(path: string, report: (d: Diagnostic) => void): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    report(
      diagnose(
        RUN_DIAGNOSTICS,
        "file-unreadable",
        { reason: unreadableReason(error as NodeJS.ErrnoException) },
        { file: path },
      ),
    );
    return undefined;
  }
}

/** In words for people, without the call that failed. */
export function unreadableReason({ code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  return message;
}
