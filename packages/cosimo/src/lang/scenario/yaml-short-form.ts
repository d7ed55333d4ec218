/**
 * `adapt: multi-rate { rate: 10 }` reads well and is not valid YAML: a plain text cannot hold ': ',
 * and inside of braces it cannot hold a brace. Where a text is not valid YAML for such a reason, it
 * is read as `adapt: {multi-rate: { rate: 10 }}`.
 *
 * Only texts that YAML refuses are rewritten, so this never changes what YAML means.
 */

export interface LongForm {
  readonly text: string;
  /** Where something in `text` stands in what was written. */
  readonly origin: (offset: number) => number;
}

const USE = String.raw`[\p{L}_.][\p{L}\p{N}_./\\-]*[ \t]*\{[^{}\n]*\}`;
/** What follows `adapt:`: one use, a list on the same line, or a list on lines of their own. */
const VALUE = new RegExp(
  String.raw`(?<![\p{L}\p{N}_-])adapt:(?:[ \t]+(?:${USE}|\[[^\]\n]*\])|[ \t]*(?:#[^\n]*)?(?:\n[ \t]*-[^\n]*)+)`,
  "gu",
);
/** A use where an item begins. */
const ITEM = new RegExp(String.raw`(?<=(?:adapt:|\[|,|\n[ \t]*-)[ \t]*)${USE}`, "gu");

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** @returns undefined where nothing is written in the short form. */
export function longForm(text: string): LongForm | undefined {
  const insertions: Insertion[] = [];
  for (const value of text.matchAll(VALUE)) {
    for (const item of value[0].matchAll(ITEM)) {
      const at = value.index + item.index;
      const name = item[0].search(/[ \t{]|$/);
      insertions.push(
        { at, text: "{" },
        { at: at + name, text: ": " },
        { at: at + item[0].length, text: "}" },
      );
    }
  }
  if (insertions.length === 0) return undefined;
  let long = "";
  let done = 0;
  /** Where insertions end in the long text, and how much was put in by then. */
  const ends: { readonly at: number; readonly added: number }[] = [];
  let added = 0;
  for (const one of insertions) {
    long += text.slice(done, one.at) + one.text;
    done = one.at;
    added += one.text.length;
    ends.push({ at: long.length, added });
  }
  long += text.slice(done);
  return {
    text: long,
    origin: (offset) => offset - (ends.findLast(({ at }) => at <= offset)?.added ?? 0),
  };
}
