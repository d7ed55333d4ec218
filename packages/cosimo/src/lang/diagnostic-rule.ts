/** Rows of the tables of diagnostics, with the severity as their first word. */
import type { DiagnosticRule, DiagnosticText } from "../base/diagnostic.ts";

type TextOf<Params> = (params: Params) => DiagnosticText;

/** @param rule what holds in a text without this mistake. */
export function error<Params>(rule: string, text: TextOf<Params>): DiagnosticRule<Params> {
  return { severity: "error", rule, text };
}

export function warning<Params>(rule: string, text: TextOf<Params>): DiagnosticRule<Params> {
  return { severity: "warning", rule, text };
}
