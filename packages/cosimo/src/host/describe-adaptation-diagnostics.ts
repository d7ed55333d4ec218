/**
 * What can go wrong with a `.sa` file before its text is read. Its inner units fail as units of scenarios do (scenario-diagnostics.ts).
 */

import type { RulesFor } from "../base/diagnostic.ts";
import { error, say } from "../base/rule-text.ts";

interface AdaptationFileParams {
  "sa-file-unreadable": { readonly reason: string };
}

export const ADAPTATION_FILE_RULES: RulesFor<AdaptationFileParams> = {
  "sa-file-unreadable": error("A .sa file can be read.", (p) =>
    say(`cannot read it: ${p.reason}`, "check the path and its permissions"),
  ),
};
