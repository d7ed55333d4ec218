/**
 * Names that are words, or texts in double quotes where a word would not do (`"der(x)"`): how the
 * coordination languages write them. The parser reads both: a text in quotes arrives without them.
 */

const WORD = /^[_a-zA-ZÀ-ÖØ-öø-\u1FFF][_a-zA-ZÀ-ÖØ-öø-\u1FFF0-9]*$/;

export function printQuoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** @param isReserved words that are not names where this one stands. */
export function printQuotedName(name: string, isReserved: (word: string) => boolean): string {
  return WORD.test(name) && !isReserved(name) ? name : printQuoted(name);
}
