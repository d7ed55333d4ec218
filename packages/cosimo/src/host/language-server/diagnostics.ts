/**
 * What only an editor has to say: everything else comes from the tables that `cosimo adapt` reports
 * with.
 */

import { type RulesFor, rulesFrom } from "../../base/diagnostic.ts";

interface LanguageServerParams {
  "program-not-run": { readonly path: string };
}

export const LANGUAGE_SERVER_RULES: RulesFor<LanguageServerParams> =
  rulesFrom<LanguageServerParams>({
    "program-not-run": {
      severity: "note",
      rule: "In an editor, programs of a folder are run only where the folder is trusted.",
      message: (p) =>
        `${p.path} is not run in a folder that is not trusted, so its ports are not known`,
      fix: "trust the folder, or check with 'cosimo adapt'",
    },
  });
