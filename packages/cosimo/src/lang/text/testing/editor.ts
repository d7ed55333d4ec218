/**
 * An editor without a protocol: a text with a cursor (`a.‸`), and what its language answers there.
 */
import type { Candidate, EditorDocument, EditorLanguage, KnownUnits } from "../editor-language.ts";
import { applyEdits } from "../span.ts";

export interface AtCursor {
  readonly document: EditorDocument;
  readonly offset: number;
}

export function atCursor(language: EditorLanguage, marked: string): AtCursor {
  const offset = marked.indexOf("‸");
  if (offset < 0) throw new Error("there is no cursor in the text");
  const text = marked.replace("‸", "");
  return { document: language.open(text, `test.${language.id}`), offset };
}

export function offered(language: EditorLanguage, units: KnownUnits, marked: string): Candidate[] {
  const { document, offset } = atCursor(language, marked);
  return document.complete(units, offset);
}

/** The text after `label` was chosen. */
export function chosen(
  language: EditorLanguage,
  units: KnownUnits,
  marked: string,
  label: string,
): string {
  const one = offered(language, units, marked).find((candidate) => candidate.label === label);
  if (one === undefined) throw new Error(`'${label}' is not offered`);
  return applyEdits(marked.replace("‸", ""), [{ span: one.span, text: one.insert ?? one.label }]);
}
