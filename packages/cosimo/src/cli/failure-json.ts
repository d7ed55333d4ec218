/** What `--json` says of a command that failed, the same for all commands. */
import type { Diagnostic } from "../base/diagnostic.ts";
import { EXIT_CODES, type ExitCode } from "./command.ts";

export interface Problem {
  readonly message: string;
  readonly fix?: string;
}

/** @param problem why there is no answer; absent: the first error says it. */
export function failureJson(
  code: ExitCode,
  diagnostics: readonly Diagnostic[],
  problem?: Problem,
): Record<string, unknown> {
  const first = diagnostics.find(({ severity }) => severity === "error");
  const { message, fix } = problem ?? first ?? { message: EXIT_CODES[code] };
  return { exitCode: code, meaning: EXIT_CODES[code], message, fix };
}
