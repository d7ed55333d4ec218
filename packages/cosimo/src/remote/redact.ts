/**
 * Failures and notes as a caller on another computer may see them: texts without paths of this one,
 * no places in files.
 */
import type { Diagnostic } from "../base/diagnostic.ts";
import type { Failure, Note } from "./protocol.ts";

export type Redact = (text: string) => string;

/** The caller knows a better one: where its scenario names the unit. */
const ELSEWHERE = { file: "elsewhere" };

export function redactedFailure(failure: Failure, redact: Redact): Failure {
  switch (failure.kind) {
    case "unit": {
      const { problem, log, ...rest } = failure.failure;
      const redacted = { ...rest, ...(problem !== undefined && { problem: redact(problem) }) };
      return { kind: "unit", failure: { ...redacted, log: log.map(redact) } };
    }
    case "diagnostics":
      return {
        ...failure,
        diagnostics: failure.diagnostics.map((one) => redactedDiagnostic(one, redact)),
      };
    default:
      return { ...failure, message: redact(failure.message) };
  }
}

export function redactedNote(note: Note, redact: Redact): Note {
  switch (note.kind) {
    case "log":
      return { ...note, message: redact(note.message) };
    case "call":
      return { ...note, line: redact(note.line) };
    case "diagnostic":
      return { ...note, diagnostic: redactedDiagnostic(note.diagnostic, redact) };
  }
}

function redactedDiagnostic(
  { code, severity, message, fix }: Diagnostic,
  redact: Redact,
): Diagnostic {
  return { code, severity, message: redact(message), fix: redact(fix), place: ELSEWHERE };
}
