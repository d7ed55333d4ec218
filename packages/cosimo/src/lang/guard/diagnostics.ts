/**
 * What can be wrong with a guard file beyond its matrices and its automaton (lang/switched has the
 * codes for these).
 */
import type { RulesFor } from "../../base/diagnostic.ts";
import { error } from "../diagnostic-rule.ts";

interface GuardTextParams {
  "guard-missing": Record<never, never>;
  "guard-invalid": { what: string };
  "guard-ambiguous": { node: string; mode: string };
}

export const GUARD_TEXT_RULES: RulesFor<GuardTextParams> = {
  "guard-missing": error(
    "A guard file has a part 'guard': where a run begins, and why all it allows is stable.",
    () => ({
      message: "it has matrices, but no 'guard'",
      fix: "make a guard from it: cosimo stability stabilize <file> -o guard.json",
    }),
  ),
  "guard-invalid": error("A guard file is as stabilization wrote it.", (p) => ({
    message: `the guard is damaged: ${p.what}`,
    fix: "make it again: cosimo stability stabilize <matrices> -o guard.json",
  })),
  "guard-ambiguous": error("A decision leads from a node to one node only.", (p) => ({
    message: `two edges leave node ${p.node} with '${p.mode}'`,
    fix: "give one of them another mode, or put together the nodes that they lead to",
  })),
};
