/**
 * The highlighting of `.sa` files (a TextMate grammar), made from the words and functions of the language itself, so that the two cannot
 * drift apart. What is a word of the language and belongs to no group below is a keyword.
 */

const GROUPS = [
  { scope: "keyword.control.sa", words: ["if", "else", "for", "while", "break", "return"] },
  { scope: "keyword.operator.word.sa", words: ["and", "or", "not"] },
  { scope: "constant.language.boolean.sa", words: ["true", "false"] },
  { scope: "storage.type.sa", words: ["real", "integer", "boolean", "string"] },
  { scope: "storage.modifier.sa", words: ["reactive", "delayed", "mealy", "moore"] },
];

const NAME =
  "[_a-zA-Z°µ‰\\u00C0-\\u1FFFΩÅ][_a-zA-Z°µ‰\\u00C0-\\u1FFFΩÅ0-9]*|'(?:[^'\\\\\\r\\n]|\\\\.)+'";
const words = (list) => `(?<![_a-zA-Z0-9])(?:${list.join("|")})(?![_a-zA-Z0-9])`;

/** @param {{ keywords: string[], functions: string[], clocks: string[] }} language */
export function saGrammar({ keywords, functions, clocks }) {
  const grouped = new Set(GROUPS.flatMap((group) => group.words));
  const strangers = [...grouped].filter((word) => !keywords.includes(word));
  if (strangers.length > 0) throw new Error(`no words of the language: ${strangers.join(", ")}`);
  const others = keywords.filter((word) => !grouped.has(word));
  return {
    $schema: "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
    name: "Semantic adaptation",
    scopeName: "source.sa",
    patterns: [
      { name: "comment.line.double-slash.sa", match: "//.*$" },
      { name: "comment.block.sa", begin: "/\\*", end: "\\*/" },
      {
        name: "string.quoted.double.sa",
        match: '"(?:[^"\\\\\\r\\n]|\\\\.)*"?',
      },
      {
        match: `(${NAME})\\s*(\\.)(?!\\.)\\s*(${NAME})`,
        captures: {
          1: { name: "entity.name.namespace.sa" },
          2: { name: "punctuation.accessor.sa" },
          3: { name: "variable.other.property.sa" },
        },
      },
      {
        name: "constant.numeric.sa",
        match: "(?<![_a-zA-Z0-9])[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?",
      },
      { name: "support.function.sa", match: `${words(functions)}(?=\\s*\\()` },
      ...GROUPS.map(({ scope, words: list }) => ({ name: scope, match: words(list) })),
      { name: "keyword.other.sa", match: words(others) },
      { name: "variable.language.sa", match: words(clocks) },
      { name: "variable.other.quoted.sa", match: "'(?:[^'\\\\\\r\\n]|\\\\.)+'" },
      { name: "keyword.operator.arrow.sa", match: "-->|->|→|=>|<-|←" },
      { name: "keyword.operator.assignment.sa", match: ":=" },
      { name: "keyword.operator.sa", match: "==|!=|<=|>=|<|>|\\+|-|\\*|/|%|\\?|:|\\.\\." },
    ],
  };
}
