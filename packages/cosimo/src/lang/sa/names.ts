/**
 * How names are written: as words, or in quotes where a word would not do (`'der(x)'`, `'in'`).
 */

/**
 * Words that open a section, a statement or an operator, so that a name like these needs quotes.
 */
const RESERVED: ReadonlySet<string> = new Set([
  "for",
  "with",
  "input",
  "output",
  "param",
  "control",
  "in",
  "out",
  "var",
  "if",
  "else",
  "while",
  "break",
  "return",
  "true",
  "false",
  "and",
  "or",
  "not",
]);

const WORD = /^[_a-zA-Z°µ‰À-ÖØ-öø-\u1FFFΩÅ][_a-zA-Z°µ‰À-ÖØ-öø-\u1FFFΩÅ0-9²³¹⁰-ₜ]*$/;

export function isReserved(word: string): boolean {
  return RESERVED.has(word);
}

export function printName(name: string): string {
  if (WORD.test(name) && !RESERVED.has(name)) return name;
  return `'${name.replace(/['\\]/g, "\\$&")}'`;
}

/** The name that a token means. */
export function readName(text: string): string {
  return text.startsWith("'") ? text.slice(1, -1).replace(/\\(.)/gs, "$1") : text;
}
