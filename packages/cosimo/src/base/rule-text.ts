/**
 * Short forms for tables of diagnostics, so that a rule reads as one sentence, one message and one
 * fix.
 */
import type { DiagnosticRule, DiagnosticText } from "./diagnostic.ts";

type Text<Params> = (params: Params) => DiagnosticText;

export function error<Params>(rule: string, text: Text<Params>): DiagnosticRule<Params> {
  return { severity: "error", rule, text };
}

export function note<Params>(rule: string, text: Text<Params>): DiagnosticRule<Params> {
  return { severity: "note", rule, text };
}

export function say(message: string, fix: string): DiagnosticText {
  return { message, fix };
}

/** "did you mean …" where a close name is known, else `otherwise`. */
export function didYouMean(nearest: string | undefined, otherwise: string): string {
  return nearest === undefined ? otherwise : `did you mean '${nearest}'?`;
}
