/**
 * The languages that editors and formatters serve, by the ending of their files. A new one is a row
 * here, its folder, and what describes its units to editors
 * (host/language-server/describe-texts.ts).
 */
import { fileKind } from "../model/source-kind.ts";
import { HINT_LANGUAGE } from "./hint/ide/hint-language.ts";
import { MACHINE_LANGUAGE } from "./machine/ide/machine-language.ts";
import { MCI_LANGUAGE } from "./mci/ide/mci-language.ts";
import { MCL_LANGUAGE } from "./mcl/ide/mcl-language.ts";
import { SA_LANGUAGE } from "./sa/ide/sa-language.ts";
import { SCENARIO_LANGUAGE } from "./scenario/ide/scenario-language.ts";
import type { EditorLanguage } from "./text/editor-language.ts";

export const TEXT_LANGUAGES: Readonly<Record<string, EditorLanguage>> = {
  sa: SA_LANGUAGE,
  mci: MCI_LANGUAGE,
  // As chapter 5 of the thesis names interfaces.
  mbi: MCI_LANGUAGE,
  mcl: MCL_LANGUAGE,
  hint: HINT_LANGUAGE,
  yaml: SCENARIO_LANGUAGE,
  yml: SCENARIO_LANGUAGE,
};

/** The language of a file; undefined where it has none of these endings. */
export function languageOf(path: string): EditorLanguage | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  if (ending === undefined || !Object.hasOwn(TEXT_LANGUAGES, ending)) return undefined;
  const language = TEXT_LANGUAGES[ending];
  if (fileKind(path) === "machine") return MACHINE_LANGUAGE;
  return language === SCENARIO_LANGUAGE && fileKind(path) !== "scenario-file"
    ? undefined
    : language;
}

/** A text that is a scenario says so by its name, or by the keys that every scenario has. */
const NAMED = /(^|[\\/.])scenario\.ya?ml$/i;
const KEYS = /^(?:units|connections)[ \t]*:/m;

/**
 * Whether editors are answered about a file: YAML is for many things, and most of them are none of
 * ours.
 */
export function isServed(path: string, text: string): boolean {
  if (languageOf(path) === SCENARIO_LANGUAGE) return NAMED.test(path) || KEYS.test(text);
  return true;
}
