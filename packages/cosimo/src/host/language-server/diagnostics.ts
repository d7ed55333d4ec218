/**
 * What only an editor has to say: everything else comes from the tables that `cosimo adapt` reports with.
 */

import type { RulesFor } from "../../base/diagnostic.ts";
import { note, say } from "../../base/rule-text.ts";

interface LanguageServerParams {
  "program-not-run": { readonly path: string };
}

export const LANGUAGE_SERVER_RULES: RulesFor<LanguageServerParams> = {
  "program-not-run": note(
    "In an editor, programs of a folder are run only where the folder is trusted.",
    (p) =>
      say(
        `${p.path} is not run in a folder that is not trusted, so its ports are not known`,
        "trust the folder, or check with 'cosimo adapt'",
      ),
  ),
};
