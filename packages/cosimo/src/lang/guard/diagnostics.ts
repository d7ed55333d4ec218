/**
 * What can be wrong with a guard file beyond its matrices and its automaton (lang/switched has the codes for these).
 */
import type { RulesFor } from "../../base/diagnostic.ts";

interface GuardTextParams {
  "guard-missing": Record<never, never>;
  "guard-invalid": { readonly what: string };
  "guard-ambiguous": { readonly node: string; readonly mode: string };
}

export const GUARD_TEXT_RULES: RulesFor<GuardTextParams> = {
  "guard-missing": {
    severity: "error",
    rule: "A guard file has a part 'guard': where a run begins, and why all it allows is stable.",
    text: () => ({
      message: "it has matrices, but no 'guard'",
      fix: "make a guard from it: cosimo stability stabilize <file> -o guard.json",
    }),
  },
  "guard-invalid": {
    severity: "error",
    rule: "A guard file is as stabilization wrote it.",
    text: (p) => ({
      message: `the guard is damaged: ${p.what}`,
      fix: "make it again: cosimo stability stabilize <matrices> -o guard.json",
    }),
  },
  "guard-ambiguous": {
    severity: "error",
    rule: "A decision leads from a node to one node only.",
    text: (p) => ({
      message: `two edges leave node ${p.node} with '${p.mode}'`,
      fix: "give one of them another mode, or put together the nodes that they lead to",
    }),
  },
};
