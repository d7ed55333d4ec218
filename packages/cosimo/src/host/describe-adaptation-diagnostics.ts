/**
 * What can go wrong with a `.sa` file before its text is read. Its inner units fail as units of scenarios do (scenario-diagnostics.ts).
 */
import type { RulesFor } from "../base/diagnostic.ts";

interface AdaptationFileParams {
  "sa-file-unreadable": { readonly reason: string };
}

export const ADAPTATION_FILE_RULES: RulesFor<AdaptationFileParams> = {
  "sa-file-unreadable": {
    severity: "error",
    rule: "A .sa file can be read.",
    text: (p) => ({
      message: `cannot read it: ${p.reason}`,
      fix: "check the path and its permissions",
    }),
  },
};
