/**
 * What `cosimo check` finds beyond the languages, the resolver and the compiler.
 */
import type { RulesFor } from "../../base/diagnostic.ts";

interface CheckParams {
  "master-need-unmet": { readonly master: string; readonly need: string; readonly detail: string };
}

export const CHECK_DIAGNOSTICS: RulesFor<CheckParams> = {
  "master-need-unmet": {
    severity: "error",
    rule: "Every unit can do what the chosen master needs.",
    text: ({ master, need, detail }) => ({
      message: `${master} needs ${need}: ${detail}`,
      fix: "change the unit, its step or the master as said",
    }),
  },
};
