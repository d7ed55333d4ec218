/**
 * Short forms for the tables of validation rules, so that a rule reads as one sentence, one message and one fix.
 */
import type { DiagnosticRule, DiagnosticText } from "../../base/diagnostic.ts";

type Text<Params> = (params: Params) => DiagnosticText;

export function error<Params>(rule: string, text: Text<Params>): DiagnosticRule<Params> {
  return { severity: "error", rule, text };
}

export function warning<Params>(rule: string, text: Text<Params>): DiagnosticRule<Params> {
  return { severity: "warning", rule, text };
}

export function say(message: string, fix: string): DiagnosticText {
  return { message, fix };
}

/** "did you mean …" where a close name is known, else `otherwise`. */
export function didYouMean(nearest: string | undefined, otherwise: string): string {
  return nearest === undefined ? otherwise : `did you mean '${nearest}'?`;
}

/** What a rule about one named item needs. */
export interface Named {
  readonly name: string;
}

/** What a rule about a reference to something that is not there needs. */
export interface Dangling extends Named {
  readonly missing: string;
  readonly nearest: string | undefined;
}
