/**
 * What may stand at the cursor. The parser cannot say: instead a name is inserted there, and the tree shows what it became; and the words of the
 * language are tried one after the other. So what is offered is what the parser takes, also behind mistakes.
 */
import { type AstNode, AstUtils, CstUtils, GrammarAST, type LeafCstNode } from "langium";
import type * as ast from "../ast.ts";
import { parseTree } from "../parse-sa.ts";
import { saServices } from "../services.ts";
import type { Span } from "./span.ts";

export interface Expectation {
  /** What was typed of the word already: what is chosen takes its place. */
  readonly span: Span;
  /** The node that a name at the cursor would belong to. */
  readonly node?: AstNode;
  /** What it would be of that node. */
  readonly property?: string;
  /** The text with that name. */
  readonly tree: ast.SemanticAdaptation;
  readonly keywords: readonly string[];
}

/** Inside of a text in quotes: a path, if it says where an inner unit comes from. */
export interface InsideText {
  readonly span: Span;
  readonly isSource: boolean;
}

const HERE = "zzHERE";
const PARTIAL = /[_a-zA-Z°µ‰À-ÖØ-öø-\u1FFFΩÅ][_a-zA-Z°µ‰À-ÖØ-öø-\u1FFFΩÅ0-9²³¹⁰-ₜ]*$/;

/** What closes statements and calls that are not finished yet. */
const CLOSINGS = ["", ";", ":= 0;", ");", ") {}"];

export function expectationAt(text: string, offset: number): Expectation | undefined {
  if (isInComment(text, offset)) return undefined;
  const before = text.slice(0, offset);
  const partial = openQuote(before) ?? PARTIAL.exec(before)?.[0] ?? "";
  const span = { offset: offset - partial.length, end: offset };
  const start = text.slice(0, span.offset);
  const name = nameBehind(start, text.slice(offset));
  const isAfterDot = /\.\s*$/.test(start);
  const keywords = isAfterDot ? [] : keywordsBehind(start, partial);
  if (name === undefined) return { span, tree: parseTree(text).value, keywords };
  const property = propertyOf(name.leaf);
  return {
    span,
    tree: name.tree,
    keywords,
    node: name.leaf.astNode,
    ...(property && { property }),
  };
}

interface NameBehind {
  readonly tree: ast.SemanticAdaptation;
  readonly leaf: LeafCstNode;
}

/** The text with a name at the cursor, closed in the way that makes the fewest errors. */
function nameBehind(start: string, rest: string): NameBehind | undefined {
  let best: NameBehind | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const behind of [...CLOSINGS.map((closing) => closing + rest), "", ...CLOSINGS]) {
    const { value: tree, parserErrors } = parseTree(`${start}${HERE} ${behind}`);
    const leaf = leafAt(tree, start.length);
    if (leaf === undefined || leaf.offset !== start.length) continue;
    const early = parserErrors.filter(({ token }) => token.startOffset <= start.length).length;
    const errors = early * 1000 + parserErrors.length;
    if (errors >= fewest) continue;
    best = { tree, leaf };
    fewest = errors;
    if (fewest === 0) break;
  }
  return best;
}

function leafAt(tree: AstNode, offset: number): LeafCstNode | undefined {
  return tree.$cstNode && CstUtils.findLeafNodeAtOffset(tree.$cstNode, offset);
}

/** The property that a name was read for: the rule of names stands between its sign and that. */
function propertyOf(leaf: LeafCstNode): string | undefined {
  for (
    let node: typeof leaf.container = leaf.container;
    node !== undefined;
    node = node.container
  ) {
    const assignment = AstUtils.getContainerOfType(node.grammarSource, GrammarAST.isAssignment);
    if (assignment !== undefined) return assignment.feature;
    if (node.astNode !== leaf.astNode) return undefined;
  }
  return undefined;
}

/** Words that go together, so that they are offered together. */
const PHRASES = [
  "semantic adaptation",
  "for inner fmu",
  "with input ports",
  "with output ports",
  "input ports",
  "output ports",
  "control var",
  "control rules",
  "in var",
  "in rules",
  "out var",
  "out rules",
];

/** These are names where no two names follow. */
const KINDS: ReadonlySet<string> = new Set(["reactive", "delayed", "mealy", "moore"]);

/** Rules of the grammar in which a word is no word of the language. */
const NAMES: ReadonlySet<string> = new Set(["Name", "UnitPart"]);

/**
 * Behind a mistake the parser restarts wherever it can. So a word counts only if it makes no more errors than any other word, or a
 * name, would: those are there already.
 */
function keywordsBehind(start: string, partial: string): string[] {
  const words = Object.keys(saServices().parser.Lexer.definition).filter((name) =>
    /^[a-z]+$/.test(name),
  );
  const tried = [...PHRASES, ...words]
    .filter((phrase) => phrase.startsWith(partial))
    .map((phrase) => ({ phrase, ...tryBehind(start, phrase) }));
  const least = Math.min(tryBehind(start, HERE).errors, ...tried.map(({ errors }) => errors));
  const found = tried
    .filter(({ isKeyword, errors }) => isKeyword && errors === least)
    .map(({ phrase }) => phrase);
  const begun = new Set(
    found.filter((one) => one.includes(" ")).map((one) => one.split(" ", 1)[0]),
  );
  return found.filter((phrase) => !begun.has(phrase));
}

/** `errors`: how many there are up to the end of `phrase`. */
function tryBehind(
  start: string,
  phrase: string,
): { readonly isKeyword: boolean; readonly errors: number } {
  // What begins with 'with' is distinguished by what follows.
  const { value, parserErrors } = parseTree(
    `${start}${phrase}${KINDS.has(phrase) ? ` ${HERE} ${HERE}` : phrase.includes(" ") ? ` ${HERE}` : ""}`,
  );
  const end = start.length + phrase.length;
  const errors = parserErrors.filter(({ token }) => token.startOffset < end);
  let offset = start.length;
  const isKeyword = phrase.split(" ").every((word) => {
    const here = offset;
    offset += word.length + 1;
    return (
      isKeywordAt(value, here, word) && !errors.some(({ token }) => token.startOffset === here)
    );
  });
  return { isKeyword, errors: errors.length };
}

function isKeywordAt(tree: AstNode, offset: number, word: string): boolean {
  const source = leafAt(tree, offset)?.grammarSource;
  if (!GrammarAST.isKeyword(source) || source.value !== word) return false;
  const rule = AstUtils.getContainerOfType(source, GrammarAST.isParserRule)?.name;
  return rule === undefined || !NAMES.has(rule);
}

export function isInComment(text: string, offset: number): boolean {
  const { hidden } = saServices().parser.Lexer.tokenize(text);
  return hidden.some(({ image, startOffset }) => {
    const end = startOffset + image.length;
    return startOffset < offset && (image.startsWith("//") ? offset <= end : offset < end);
  });
}

/** A name in single quotes that is not closed yet, with its quote. */
function openQuote(before: string): string | undefined {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const quoted = line.replace(/'([^'\\]|\\.)+'|"([^"\\]|\\.)*"/g, (found) =>
    " ".repeat(found.length),
  );
  const at = quoted.indexOf("'");
  return at < 0 ? undefined : line.slice(at);
}

/** The text in double quotes that the cursor is in, closed or not. */
export function insideText(text: string, offset: number): InsideText | undefined {
  if (isInComment(text, offset)) return undefined;
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  const line = text.slice(begin, offset);
  const quoted = line.replace(/"([^"\\]|\\.)*"/g, (found) => " ".repeat(found.length));
  const quote = quoted.indexOf('"');
  if (quote < 0) return undefined;
  const start = begin + quote + 1;
  const rest = /^[^"\n]*(?=")/.exec(text.slice(offset))?.[0] ?? "";
  const { tokens } = saServices().parser.Lexer.tokenize(text.slice(0, start - 1));
  const opens = tokens.findLast(({ image }) => image === "for" || image === "semantic");
  const isSource = tokens.at(-1)?.image === "at" && opens?.image === "for";
  return { span: { offset: start, end: offset + rest.length }, isSource };
}
