/**
 * What may stand at the cursor. The parser cannot say: instead a name is inserted there, and the
 * tree shows what it became; and the words of the language are tried one after the other. So what
 * is offered is what the parser takes, also behind mistakes.
 */
import { type AstNode, AstUtils, CstUtils, GrammarAST, type LeafCstNode } from "langium";
import type { Span } from "./span.ts";
import type { TextLanguage } from "./text-language.ts";

export interface Expectation<Tree extends AstNode> {
  /** What was typed of the word already: what is chosen takes its place. */
  readonly span: Span;
  /** The node that a name at the cursor would belong to. */
  readonly node?: AstNode;
  /** What it would be of that node. */
  readonly property?: string;
  /** The text with that name. */
  readonly tree: Tree;
  readonly keywords: readonly string[];
}

/** What completion needs to know of a language. */
export interface CompletionStyle<Tree extends AstNode> {
  readonly language: TextLanguage<Tree>;
  /** Words that go together, so that they are offered together. */
  readonly phrases: readonly string[];
  /** What closes parts that are not finished yet. */
  readonly closings: readonly string[];
  /** Rules of the grammar in which a word is not a word of the language. */
  readonly nameRules: ReadonlySet<string>;
  /** What may follow a phrase, where only that tells it from a name. */
  readonly behind: (phrase: string) => string;
  /** The quote of names that are not words. */
  readonly quote: "'" | '"';
}

export const HERE = "zzHERE";
const PARTIAL = /[_a-zA-Z°µ‰À-ÖØ-öø-\u1FFFΩÅ][_a-zA-Z°µ‰À-ÖØ-öø-\u1FFFΩÅ0-9²³¹⁰-ₜ]*$/;

export function expectationAt<Tree extends AstNode>(
  style: CompletionStyle<Tree>,
  text: string,
  offset: number,
): Expectation<Tree> | undefined {
  const { language } = style;
  if (isInComment(language, text, offset)) return undefined;
  const before = text.slice(0, offset);
  const partial = openQuote(before, style.quote) ?? PARTIAL.exec(before)?.[0] ?? "";
  const span = { offset: offset - partial.length, end: offset };
  const start = text.slice(0, span.offset);
  const name = nameBehind(style, start, text.slice(offset));
  const isAfterDot = /\.\s*$/.test(start);
  const keywords = isAfterDot ? [] : keywordsBehind(style, start, partial);
  if (name === undefined) return { span, tree: language.parseTree(text).value, keywords };
  const property = propertyOf(name.leaf);
  return {
    span,
    tree: name.tree,
    keywords,
    node: name.leaf.astNode,
    ...(property && { property }),
  };
}

interface NameBehind<Tree> {
  readonly tree: Tree;
  readonly leaf: LeafCstNode;
}

/** The text with a name at the cursor, closed in the way that makes the fewest errors. */
function nameBehind<Tree extends AstNode>(
  { language, closings }: CompletionStyle<Tree>,
  start: string,
  rest: string,
): NameBehind<Tree> | undefined {
  let best: NameBehind<Tree> | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const behind of [...closings.map((closing) => closing + rest), "", ...closings]) {
    const { value: tree, parserErrors } = language.parseTree(`${start}${HERE} ${behind}`);
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

export function leafAt(tree: AstNode, offset: number): LeafCstNode | undefined {
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

/**
 * Behind a mistake the parser restarts wherever it can. So a word counts only if it makes no more
 * errors than any other word, or a name, would: those are there already.
 */
function keywordsBehind<Tree extends AstNode>(
  style: CompletionStyle<Tree>,
  start: string,
  partial: string,
): string[] {
  const tried = [...style.phrases, ...style.language.keywords]
    .filter((phrase) => phrase.startsWith(partial))
    .map((phrase) => ({ phrase, ...tryBehind(style, start, phrase) }));
  const least = Math.min(
    tryBehind(style, start, HERE).errors,
    ...tried.map(({ errors }) => errors),
  );
  const found = tried
    .filter(({ isKeyword, errors }) => isKeyword && errors === least)
    .map(({ phrase }) => phrase);
  const begun = new Set(
    found.filter((one) => one.includes(" ")).map((one) => one.split(" ", 1)[0]),
  );
  return found.filter((phrase) => !begun.has(phrase));
}

/** `errors`: how many there are up to the end of `phrase`. */
function tryBehind<Tree extends AstNode>(
  style: CompletionStyle<Tree>,
  start: string,
  phrase: string,
): { readonly isKeyword: boolean; readonly errors: number } {
  const { value, parserErrors } = style.language.parseTree(
    `${start}${phrase}${style.behind(phrase)}`,
  );
  const end = start.length + phrase.length;
  const errors = parserErrors.filter(({ token }) => token.startOffset < end);
  let offset = start.length;
  const isKeyword = phrase.split(" ").every((word) => {
    const here = offset;
    offset += word.length + 1;
    return (
      isKeywordAt(style, value, here, word) &&
      !errors.some(({ token }) => token.startOffset === here)
    );
  });
  return { isKeyword, errors: errors.length };
}

function isKeywordAt<Tree extends AstNode>(
  { nameRules }: CompletionStyle<Tree>,
  tree: AstNode,
  offset: number,
  word: string,
): boolean {
  const leaf = leafAt(tree, offset);
  const source = leaf?.grammarSource;
  // Words that are one token together, so that each of them stays a name.
  if (GrammarAST.isRuleCall(source) && source.rule.$refText.endsWith("_PHRASE"))
    return leaf?.text.split(/\s+/).includes(word) === true;
  if (!GrammarAST.isKeyword(source) || source.value !== word) return false;
  const rule = AstUtils.getContainerOfType(source, GrammarAST.isParserRule)?.name;
  return rule === undefined || !nameRules.has(rule);
}

export function isInComment<Tree extends AstNode>(
  language: TextLanguage<Tree>,
  text: string,
  offset: number,
): boolean {
  return language.tokenize(text).hidden.some(({ image, startOffset }) => {
    const end = startOffset + image.length;
    return startOffset < offset && (image.startsWith("//") ? offset <= end : offset < end);
  });
}

/** A name in quotes that is not closed yet, with its quote. */
function openQuote(before: string, quote: "'" | '"'): string | undefined {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const quoted = line.replace(/'([^'\\]|\\.)+'|"([^"\\]|\\.)*"/g, (found) =>
    " ".repeat(found.length),
  );
  const at = quoted.indexOf(quote);
  return at < 0 ? undefined : line.slice(at);
}

/** A text in double quotes, closed or not, and the words before it. */
export interface QuotedText {
  readonly span: Span;
  readonly before: readonly string[];
}

/** The text in double quotes that the cursor is in. */
export function quotedTextAt<Tree extends AstNode>(
  language: TextLanguage<Tree>,
  text: string,
  offset: number,
): QuotedText | undefined {
  if (isInComment(language, text, offset)) return undefined;
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  const line = text.slice(begin, offset);
  const quoted = line.replace(/"([^"\\]|\\.)*"/g, (found) => " ".repeat(found.length));
  const quote = quoted.indexOf('"');
  if (quote < 0) return undefined;
  const start = begin + quote + 1;
  const rest = /^[^"\n]*(?=")/.exec(text.slice(offset))?.[0] ?? "";
  const before = language.tokenize(text.slice(0, start - 1)).tokens.map(({ image }) => image);
  return { span: { offset: start, end: offset + rest.length }, before };
}
