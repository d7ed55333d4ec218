/**
 * The languages that have a grammar of their own, by the ending of their files: what editors and formatters serve. A new one is a row here, its
 * folder, and what describes its units to editors (host/language-server/describe-texts.ts).
 */
import { MCI_LANGUAGE } from "./mci/ide/mci-language.ts";
import { MCL_LANGUAGE } from "./mcl/ide/mcl-language.ts";
import { SA_LANGUAGE } from "./sa/ide/sa-language.ts";
import type { EditorLanguage } from "./text/editor-language.ts";

export const TEXT_LANGUAGES: Readonly<Record<string, EditorLanguage>> = {
  sa: SA_LANGUAGE,
  mci: MCI_LANGUAGE,
  // As chapter 5 of the thesis names interfaces.
  mbi: MCI_LANGUAGE,
  mcl: MCL_LANGUAGE,
};

/** The language of a file; undefined where it has none of these endings. */
export function languageOf(path: string): EditorLanguage | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(TEXT_LANGUAGES, ending)
    ? TEXT_LANGUAGES[ending]
    : undefined;
}
