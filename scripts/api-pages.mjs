/**
 * Reference pages of the library, one per entry point, from the declarations and comments of its
 * types as api-extractor reads them (its `.api.json` model): what there is, with its signature and
 * what its author says of it.
 */

/** Kinds in the order of a page. */
const SECTIONS = [
  ["Function", "Functions"],
  ["Class", "Classes"],
  ["Variable", "Constants"],
  ["Interface", "Interfaces"],
  ["TypeAlias", "Types"],
];

/**
 * @param model of one entry point, parsed.
 * @param {string} entry as it is imported: `cosimo/plot`.
 * @param {string} header what the entry point says of itself.
 */
export function apiPage(model, entry, header) {
  const members = model.members[0].members.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const parts = [
    `# ${entry}`,
    header,
    `Made from the types by \`npm run api -- --write\`; the source of a declaration is in \`packages/cosimo/src\`.`,
  ];
  for (const [kind, title] of SECTIONS) {
    const found = members.filter((member) => member.kind === kind);
    if (found.length === 0) continue;
    parts.push(`## ${title}`, ...groupByName(found).map(memberText));
  }
  return `${parts.join("\n\n")}\n`;
}

/** The overloads of a function are one entry. */
function groupByName(members) {
  const groups = new Map();
  for (const member of members)
    groups.set(member.name, [...(groups.get(member.name) ?? []), member]);
  return [...groups.values()];
}

function memberText(overloads) {
  const [first] = overloads;
  const code = overloads.map(declaration).join("\n");
  const text = overloads.map(({ docComment }) => proseOf(docComment)).find((one) => one !== "");
  return [`### ${first.name}`, ...(text ? [text] : []), `\`\`\`ts\n${code}\n\`\`\``].join("\n\n");
}

/**
 * A declaration; members of interfaces and classes with their comments, in a line each where they
 * fit.
 */
function declaration({ kind, excerptTokens, members = [] }) {
  const head = excerpt(excerptTokens).replace(/^export (declare )?/, "");
  if (kind !== "Interface" && kind !== "Class") return head;
  const lines = members.flatMap((member) => {
    const comment = plainText(member.docComment);
    const code = indented(excerpt(member.excerptTokens));
    return comment === "" ? [code] : [...commentLines(comment), code];
  });
  return lines.length === 0 ? `${head.trim()} {}` : `${head.trim()} {\n${lines.join("\n")}\n}`;
}

function excerpt(tokens) {
  return tokens
    .map(({ text }) => text)
    .join("")
    .trim();
}

function indented(code) {
  return code.replace(/^/gm, "  ");
}

const WIDTH = 110;

function commentLines(text) {
  const lines = wrapped(text, WIDTH - 5);
  if (lines.length === 1) return [`  /** ${lines[0]} */`];
  return ["  /**", ...lines.map((line) => `   * ${line}`), "   */"];
}

function wrapped(text, width) {
  const lines = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The text between the signs of a comment. */
function inside(comment = "") {
  return comment
    .replace(/^\s*\/\*\*?|\*\/\s*$/g, "")
    .replace(/^[ \t]*\* ?/gm, "")
    .replace(/\{@link ([^}|]+)(?:\|[^}]*)?\}/g, "`$1`")
    .replace(/\r/g, "")
    .trim();
}

function plainText(comment) {
  return inside(comment)
    .replace(/@(param|returns|throws)\b/g, "· $1")
    .replace(/\s+/g, " ");
}

/** Paragraphs; parameters as a list. */
function proseOf(comment) {
  const [summary = "", ...tags] = inside(comment).split(/^(?=@\w+)/m);
  const listed = tags.map((tag) => {
    const text = tag.trim().replace(/\s*\n\s*/g, " ");
    const [, name, rest] = /^@param (\S+)\s*-?\s*(.*)$/.exec(text) ?? [];
    if (name !== undefined) return `- \`${name}\`: ${rest}`;
    return `- ${text.replace(/^@(\w+)\s*/, (_, word) => `${word}: `)}`;
  });
  return [summary.trim(), listed.join("\n")].filter((part) => part !== "").join("\n\n");
}
