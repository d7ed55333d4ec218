/**
 * What the parser expected, in words for people. The parser speaks of token types; an author who
 * forgot a semicolon should read "expected ';'", and not a list of all twenty tokens that can begin
 * an expression.
 */
import type { LangiumCoreServices, ParseResult } from "langium";
import type { Diagnostic, Place } from "../../base/diagnostic.ts";
import { MOST_ERRORS, MOST_RECOVERIES } from "./limits.ts";
import { positionsIn } from "./text-positions.ts";

type Provider = LangiumCoreServices["parser"]["ParserErrorMessageProvider"];

/** How a language speaks of its syntax. */
export interface SyntaxWords {
  /** What may come where the parser would also take the end of the text. */
  readonly more: string;
  /** Tokens in a word: `an expression`; undefined: they are listed. */
  readonly group: (tokens: ReadonlySet<string>) => string | undefined;
  /**
   * Tokens whose names say nothing to people; an empty text: one that nobody should be told to
   * write.
   */
  readonly tokens?: Readonly<Record<string, string>>;
  /** What a text in double quotes is for, with an example. */
  readonly string: string;
  /** Words that are never names, so that a name like these needs quotes. */
  readonly isReserved: (word: string) => boolean;
  /** A fix that the token found suggests; undefined: the general one. */
  readonly fixFor: (found: string, expected: string) => string | undefined;
  readonly reportCharacter: (found: string, place: Place) => Diagnostic;
  readonly reportSyntax: (
    mistake: { readonly expected: string; readonly found: string; readonly fix: string },
    place: Place,
  ) => Diagnostic;
  readonly reportMore: (count: number, place: Place) => Diagnostic;
}

/** Ends a parse that meets too many mistakes. */
export class TooManyErrors extends Error {
  /** Where the last one was met. */
  readonly offset: number;
  constructor(offset: number) {
    super("too many syntax errors");
    this.offset = offset;
  }
}

/**
 * Each text is what was expected; `syntaxErrors` makes sentences of them. The parser calls this for
 * every mistake, which makes it the place to count them.
 */
export class ErrorTexts implements Provider {
  recoveriesLeft: number = MOST_RECOVERIES;
  private readonly words: SyntaxWords;

  constructor(words: SyntaxWords) {
    this.words = words;
  }

  buildMismatchTokenMessage: Provider["buildMismatchTokenMessage"] = ({ expected, actual }) =>
    this.counted(
      expected.name === "EOF" ? this.words.more : this.describe([expected.name]),
      actual,
    );

  buildNotAllInputParsedMessage: Provider["buildNotAllInputParsedMessage"] = ({ firstRedundant }) =>
    this.counted(this.words.more, firstRedundant);

  buildNoViableAltMessage: Provider["buildNoViableAltMessage"] = ({
    expectedPathsPerAlt,
    actual: [first],
  }) =>
    this.counted(
      this.describe(expectedPathsPerAlt.flat().map((path) => path[0]?.name ?? "EOF")),
      first,
    );

  buildEarlyExitMessage: Provider["buildEarlyExitMessage"] = ({
    expectedIterationPaths,
    actual: [first],
  }) =>
    this.counted(
      this.describe(expectedIterationPaths.map((path) => path[0]?.name ?? "EOF")),
      first,
    );

  private counted(text: string, at: { readonly startOffset: number } | undefined): string {
    if (--this.recoveriesLeft < 0) throw new TooManyErrors(at?.startOffset ?? Number.NaN);
    return text;
  }

  /**
   * Names of tokens → words. Where a name may stand, so may the words of the language that are no
   * keywords there.
   */
  private describe(tokens: readonly string[]): string {
    const found = new Set(tokens);
    const group = this.words.group(found);
    if (group !== undefined) return group;
    const shown = found.has("ID")
      ? [...found].filter((name) => !QUOTED.has(name) && !this.isSoft(name))
      : [...found];
    const words = shown.map((name) => this.word(name)).filter((word) => word !== "");
    if (words.length < 2) return words.join("");
    return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  }

  private word(token: string): string {
    if (token === "STRING") return this.words.string;
    return this.words.tokens?.[token] ?? WORDS[token] ?? `'${token}'`;
  }

  private isSoft(token: string): boolean {
    return /^[a-z][-a-z]*$/i.test(token) && !(token in WORDS) && !this.words.isReserved(token);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ID: "a name",
  NUMBER: "a number",
  EOF: "the end",
};

/** Other ways to write a name. */
const QUOTED: ReadonlySet<string> = new Set(["QUOTED"]);

/** One diagnostic a place: what follows from an error at the same token explains nothing. */
export function syntaxErrors(
  words: SyntaxWords,
  result: ParseResult,
  text: string,
  file: string,
): Diagnostic[] {
  const strange = result.lexerErrors.slice(0, MOST_ERRORS).map(({ offset, length, line, column }) =>
    words.reportCharacter(text.slice(offset, offset + length), {
      file,
      line: line ?? 1,
      column: column ?? 1,
    }),
  );
  if (strange.length > 0) return withRest(words, strange, result.lexerErrors.length);
  const positionAt = positionsIn(text);
  const found = new Map<number, Diagnostic>();
  let count = 0;
  let last = -1;
  for (const error of result.parserErrors) {
    const { token } = error;
    const offset = Number.isNaN(token.startOffset) ? text.length : token.startOffset;
    if (offset === last || found.has(offset)) continue;
    last = offset;
    if (++count > MOST_ERRORS) continue;
    const expected = error.message;
    const previous = (error as { previousToken?: typeof token }).previousToken;
    // What is missing belongs behind what is there, not in front of the next line.
    const { endLine: line, endColumn: column } = previous ?? {};
    const place =
      expected === "';'" && line !== undefined && column !== undefined
        ? { file, line, column: column + 1 }
        : { file, ...positionAt(offset) };
    const mistake = { expected, ...explain(words, expected, token.image) };
    found.set(offset, words.reportSyntax(mistake, place));
  }
  const sorted = [...found.entries()].sort(([a], [b]) => a - b);
  return withRest(
    words,
    sorted.map(([, diagnostic]) => diagnostic),
    count,
  );
}

/** With a last one that counts the rest. */
function withRest(words: SyntaxWords, listed: readonly Diagnostic[], count: number): Diagnostic[] {
  const last = listed.at(-1);
  if (last === undefined || count <= listed.length) return [...listed];
  return [...listed, words.reportMore(count - listed.length, last.place)];
}

function explain(
  words: SyntaxWords,
  expected: string,
  image: string,
): { readonly found: string; readonly fix: string } {
  if (image === "") return { found: "the end of the text", fix: `write ${expected}` };
  const found = `'${image}'`;
  const fix =
    words.fixFor(image, expected) ??
    (expected.includes("a name") && words.isReserved(image)
      ? `'${image}' is a word of the language: as a name it needs its quotes`
      : `write ${expected} here, or remove '${image}'`);
  return { found, fix };
}
