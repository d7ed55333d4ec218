/**
 * The syntax of structured variable names, the same in FMI 2 and 3: a.'b c'.d[1,2], der(x),
 * der(x,2).
 */

const PLAIN = "[A-Za-z_][A-Za-z0-9_]*";
const QUOTED_CHARACTER = "[A-Za-z0-9_!#$%&()*+,\\-./:;<>=?@[\\]^{}|~ ]";
const ESCAPE = "\\\\['\"?\\\\abfnrtv]";
const QUOTED = `'(?:${QUOTED_CHARACTER}|${ESCAPE})+'`;
const PART = `(?:${PLAIN}|${QUOTED})(?:\\[\\d+(?:,\\d+)*\\])?`;
const IDENTIFIER = `${PART}(?:\\.${PART})*`;
const NAME = new RegExp(`^(?:${IDENTIFIER}|der\\(${IDENTIFIER}(?:,\\d+)?\\))$`);

export function isStructuredName(name: string): boolean {
  return NAME.test(name);
}
