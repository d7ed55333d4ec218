/**
 * Everything that can be wrong with a semantic adaptation: its text, the names in it, and what its rules may do.
 */
import { type Diagnostic, diagnose, type Place, type RulesFor } from "../../base/diagnostic.ts";

interface SaParams {
  "sa-character": { readonly found: string };
  "sa-syntax": { readonly expected: string; readonly found: string; readonly fix: string };
  "sa-number": { readonly text: string };
  "sa-duplicate-section": { readonly section: string; readonly line: number };
  "sa-binding": { readonly port: string; readonly fix: string };
  "sa-no-inner": Record<never, never>;
  "sa-binding-unknown": { readonly unit: string; readonly port: string; readonly what: string };
  "sa-unit": { readonly from: string; readonly to: string; readonly why: string };
  "sa-unit-unknown": { readonly from: string; readonly to: string; readonly why: string };
  "sa-loop": { readonly units: readonly string[] };
}

export const SA_RULES: RulesFor<SaParams> = {
  "sa-character": {
    severity: "error",
    rule: "An adaptation consists of the words and signs of its language.",
    text: (p) => ({
      message: `'${p.found}' is no sign of this language`,
      fix:
        p.found === "="
          ? "write ':=' to assign and '==' to compare"
          : `remove it; a name with such signs is written in quotes: 'x${p.found}'`,
    }),
  },
  "sa-syntax": {
    severity: "error",
    rule: "An adaptation follows the grammar of its language.",
    text: (p) => ({ message: `expected ${p.expected}, found ${p.found}`, fix: p.fix }),
  },
  "sa-number": {
    severity: "error",
    rule: "A number fits into a double.",
    text: (p) => ({
      message: `${p.text} is too large for a floating-point number`,
      fix: "write a number below 1.8e308",
    }),
  },
  "sa-duplicate-section": {
    severity: "error",
    rule: "An adaptation has one block of control rules.",
    text: (p) => ({
      message: `there are '${p.section}' already, in line ${p.line}`,
      fix: "write all of them in one block, in the order in which they are to happen",
    }),
  },
  "sa-binding": {
    severity: "error",
    rule: "An input is bound with '-> unit.port', an output with '<- unit.port', and ports of inner units are not bound.",
    text: (p) => ({ message: `the arrow of '${p.port}' does not fit here`, fix: p.fix }),
  },
  "sa-no-inner": {
    severity: "error",
    rule: "An adaptation has an inner unit.",
    text: () => ({
      message: "there is no inner unit to adapt",
      fix: 'name one: for inner fmu Window window at "./window.fmu"',
    }),
  },
  "sa-binding-unknown": {
    severity: "error",
    rule: "A port is bound to a port of an inner unit, an input to an input and an output to an output.",
    text: (p) => ({
      message: `there is no ${p.what} '${p.unit}.${p.port}'`,
      fix: `bind it to an ${p.what} of an inner unit`,
    }),
  },
  "sa-unit": {
    severity: "error",
    rule: "What is bound or connected measures the same thing.",
    text: (p) => ({
      message: `from '${p.from}' to '${p.to}': ${p.why}`,
      fix: "correct the unit of one of the ports, or convert in a rule",
    }),
  },
  "sa-unit-unknown": {
    severity: "warning",
    rule: "Physical units are known, so that values can be converted.",
    text: (p) => ({
      message: `from '${p.from}' to '${p.to}': ${p.why}; values are passed on as they are`,
      fix: "write a unit that is known, or the same one at both ends",
    }),
  },
  "sa-loop": {
    severity: "error",
    rule: "Inner units that depend on each other in a circle need control rules.",
    text: (p) => ({
      message: `there is no order in which to step ${p.units.map((name) => `'${name}'`).join(", ")}: they depend on each other in a circle`,
      fix: "write control rules that iterate, or that begin with a value of the last step",
    }),
  },
};

export function report<Code extends keyof SaParams>(
  code: Code,
  params: SaParams[Code],
  place: Place,
): Diagnostic {
  return diagnose(SA_RULES, code, params as never, place);
}
