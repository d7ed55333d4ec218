/**
 * The highlighting of `.sa`, `.mci`, `.mcl` and `.hint` files (TextMate grammars), made from the
 * words and functions of the languages themselves, so that the two cannot drift apart. What is a
 * word of a language and belongs to no group below is a keyword.
 */

const GROUPS = {
  sa: [
    { scope: "keyword.control", words: ["if", "else", "for", "while", "break", "return"] },
    { scope: "keyword.operator.word", words: ["and", "or", "not"] },
    { scope: "constant.language.boolean", words: ["true", "false"] },
    { scope: "storage.type", words: ["real", "integer", "boolean", "string"] },
    { scope: "storage.modifier", words: ["reactive", "delayed", "mealy", "moore"] },
  ],
  mci: [
    { scope: "constant.language.boolean", words: ["true", "false"] },
    {
      scope: "storage.type",
      words: ["Real", "Integer", "Boolean", "String", "Enumeration", "Binary", "Clock"],
    },
    {
      scope: "storage.modifier",
      words: [
        "piecewise-continuous",
        "piecewise-constant",
        "piecewiseContinuous",
        "piecewiseConstant",
        "continuous",
        "constant",
        "transient",
        "INPUT",
        "OUTPUT",
        "time",
        "angle",
        "distance",
      ],
    },
    { scope: "constant.language.event", words: ["Updated", "ReadyToRead", "Triggered"] },
  ],
  mcl: [
    { scope: "keyword.control", words: ["when", "sync", "do", "within"] },
    { scope: "keyword.operator.word", words: ["not"] },
    { scope: "constant.language.event", words: ["Updated", "ReadyToRead"] },
    { scope: "storage.type", words: ["s", "ms", "us", "ns", "min", "h"] },
  ],
  hint: [
    { scope: "keyword.control", words: ["if", "then", "within", "for", "every"] },
    { scope: "keyword.operator.word", words: ["and", "or", "not", "implies", "iff"] },
    { scope: "storage.type", words: ["Hint", "Property", "Event", "FMUProperty"] },
    { scope: "storage.modifier", words: ["Globally", "Before", "After", "Between"] },
  ],
};

const NAMES = {
  sa: "Semantic adaptation",
  mci: "Model coordination interface",
  mcl: "Model coordination",
  hint: "Hints and requirements",
};

const NAME =
  "[_a-zA-Z°µ‰\\u00C0-\\u1FFFΩÅ][_a-zA-Z°µ‰\\u00C0-\\u1FFFΩÅ0-9]*|'(?:[^'\\\\\\r\\n]|\\\\.)+'";
const words = (list) => `(?<![_a-zA-Z0-9])(?:${list.join("|")})(?![_a-zA-Z0-9])`;

/**
 * @param {{ id: "sa" | "mci" | "mcl" | "hint", keywords: readonly string[], functions?: string[],
 * clocks?: string[] }} language
 */
export function textGrammar({ id, keywords, functions = [], clocks = [] }) {
  const groups = GROUPS[id];
  const grouped = new Set(groups.flatMap((group) => group.words));
  const strangers = [...grouped].filter((word) => !keywords.includes(word));
  if (strangers.length > 0) throw new Error(`no words of the language: ${strangers.join(", ")}`);
  const others = keywords.filter((word) => !grouped.has(word));
  return {
    $schema: "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
    name: NAMES[id],
    scopeName: `source.${id}`,
    patterns: [
      { name: `comment.line.double-slash.${id}`, match: "//.*$" },
      { name: `comment.block.${id}`, begin: "/\\*", end: "\\*/" },
      {
        name: `string.quoted.double.${id}`,
        match: '"(?:[^"\\\\\\r\\n]|\\\\.)*"?',
      },
      {
        match: `(${NAME})\\s*(\\.)(?!\\.)\\s*(${NAME})`,
        captures: {
          1: { name: `entity.name.namespace.${id}` },
          2: { name: `punctuation.accessor.${id}` },
          3: { name: `variable.other.property.${id}` },
        },
      },
      {
        name: `constant.numeric.${id}`,
        match: "(?<![_a-zA-Z0-9])[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?",
      },
      ...(functions.length === 0
        ? []
        : [{ name: `support.function.${id}`, match: `${words(functions)}(?=\\s*\\()` }]),
      ...groups.map(({ scope, words: list }) => ({ name: `${scope}.${id}`, match: words(list) })),
      { name: `keyword.other.${id}`, match: words(others) },
      ...(clocks.length === 0 ? [] : [{ name: `variable.language.${id}`, match: words(clocks) }]),
      { name: `variable.other.quoted.${id}`, match: "'(?:[^'\\\\\\r\\n]|\\\\.)+'" },
      { name: `keyword.operator.arrow.${id}`, match: "-->|->|→|=>|<-|←" },
      { name: `keyword.operator.assignment.${id}`, match: ":=" },
      { name: `keyword.operator.${id}`, match: "==|!=|<=|>=|<|>|\\+|-|\\*|/|%|\\?|:|\\.\\.|=" },
    ],
  };
}
