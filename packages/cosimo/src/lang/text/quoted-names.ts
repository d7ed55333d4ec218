/**
 * Names that are words, or texts in double quotes where a word would not do (`"der(x)"`): how the coordination languages write them.
 */

const WORD = /^[_a-zA-ZÀ-ÖØ-öø-\u1FFF][_a-zA-ZÀ-ÖØ-öø-\u1FFF0-9]*$/;

/** The name that a token means. */
export function readQuotedName(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/gs, "$1") : text;
}

export function printQuoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** @param isReserved words that are no names where this one stands. */
export function printQuotedName(name: string, isReserved: (word: string) => boolean): string {
  return WORD.test(name) && !isReserved(name) ? name : printQuoted(name);
}
