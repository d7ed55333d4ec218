/**
 * A text file that a person named on the command line.
 */
import { readFileSync } from "node:fs";
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { RUN_DIAGNOSTICS } from "./run-diagnostics.ts";

/** Its text, or undefined after a report. */
export function readText(path: string, report: (d: Diagnostic) => void): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    report(
      diagnose(
        RUN_DIAGNOSTICS,
        "file-unreadable",
        { reason: (error as Error).message },
        { file: path },
      ),
    );
    return undefined;
  }
}
