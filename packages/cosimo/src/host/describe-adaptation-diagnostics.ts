/**
 * What can go wrong with a `.sa` file before its text is read. Its inner units fail as units of
 * scenarios do (scenario-diagnostics.ts).
 */

import { type RulesFor, rulesFrom } from "../base/diagnostic.ts";

interface AdaptationFileParams {
  "sa-file-unreadable": { readonly reason: string };
}

export const ADAPTATION_FILE_RULES: RulesFor<AdaptationFileParams> =
  rulesFrom<AdaptationFileParams>({
    "sa-file-unreadable": {
      rule: "A .sa file can be read.",
      message: (p) => `cannot read it: ${p.reason}`,
      fix: "check the path and its permissions",
    },
  });
