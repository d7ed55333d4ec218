/**
 * What is told of a failure or a note to a caller on another computer: texts without what is nobody
 * else's business, no places in files.
 */
import type { Diagnostic } from "../base/diagnostic.ts";
import type { Failure, Note } from "./protocol.ts";

export type Tell = (text: string) => string;

/** The caller knows a better one: where its scenario names the unit. */
const ELSEWHERE = { file: "elsewhere" };

export function toldFailure(failure: Failure, tell: Tell): Failure {
  switch (failure.kind) {
    case "unit": {
      const { problem, log, ...rest } = failure.failure;
      const told = { ...rest, ...(problem !== undefined && { problem: tell(problem) }) };
      return { kind: "unit", failure: { ...told, log: log.map(tell) } };
    }
    case "diagnostics":
      return { ...failure, diagnostics: failure.diagnostics.map((one) => toldOf(one, tell)) };
    default:
      return { ...failure, message: tell(failure.message) };
  }
}

export function toldNote(note: Note, tell: Tell): Note {
  switch (note.kind) {
    case "log":
      return { ...note, message: tell(note.message) };
    case "call":
      return { ...note, line: tell(note.line) };
    case "diagnostic":
      return { ...note, diagnostic: toldOf(note.diagnostic, tell) };
  }
}

function toldOf({ code, severity, message, fix }: Diagnostic, tell: Tell): Diagnostic {
  return { code, severity, message: tell(message), fix: tell(fix), place: ELSEWHERE };
}
