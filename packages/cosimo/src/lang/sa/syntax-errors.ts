/**
 * What the parser expected, in words for people. The parser speaks of token types; an author who forgot a semicolon should read
 * "expected ';'", and not a list of all twenty tokens that can begin an expression.
 */
import type { LangiumCoreServices, ParseResult } from "langium";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { report } from "./diagnostics.ts";
import { MOST_ERRORS, MOST_RECOVERIES } from "./limits.ts";
import { isReserved } from "./names.ts";
import { positionsIn } from "./text-positions.ts";

type ErrorTexts = LangiumCoreServices["parser"]["ParserErrorMessageProvider"];

const MORE = "a section (input ports, param, control rules, …) or the end";

/** Ends a parse that meets too many mistakes. */
export class TooManyErrors extends Error {
  /** Where the last one was met. */
  readonly offset: number;
  constructor(offset: number) {
    super("too many syntax errors");
    this.offset = offset;
  }
}

let recoveriesLeft: number = MOST_RECOVERIES;

/** Before a text is parsed. */
export function allowRecoveries(count: number): void {
  recoveriesLeft = count;
}

/** Called by the parser for every mistake, which makes this the place to count them. */
function counted(text: string, at: { readonly startOffset: number } | undefined): string {
  if (--recoveriesLeft < 0) throw new TooManyErrors(at?.startOffset ?? Number.NaN);
  return text;
}

/** Each text is what was expected; `syntaxErrors` makes sentences of them. */
export const EXPECTATIONS: ErrorTexts = {
  buildMismatchTokenMessage: ({ expected, actual }) =>
    counted(expected.name === "EOF" ? MORE : describe([expected.name]), actual),
  buildNotAllInputParsedMessage: ({ firstRedundant }) => counted(MORE, firstRedundant),
  buildNoViableAltMessage: ({ expectedPathsPerAlt, actual: [first] }) =>
    counted(describe(expectedPathsPerAlt.flat().map((path) => path[0]?.name ?? "EOF")), first),
  buildEarlyExitMessage: ({ expectedIterationPaths, actual: [first] }) =>
    counted(describe(expectedIterationPaths.map((path) => path[0]?.name ?? "EOF")), first),
};

const WORDS: Readonly<Record<string, string>> = {
  ID: "a name",
  STRING: 'a text in double quotes ("./window.fmu")',
  NUMBER: "a number",
  EOF: "the end",
};

/** Names of tokens → words. Where a name may stand, so may the words of the language that are no keywords there. */
function describe(tokens: readonly string[]): string {
  const found = new Set(tokens);
  if (found.has("ID") && found.has("NUMBER") && found.has("true")) return "an expression";
  if (found.has("ID") && found.has("return")) return "a statement or '}'";
  if (found.has("control") && found.has("param")) return "a section (input ports, param, …)";
  const shown = found.has("ID")
    ? [...found].filter((name) => name !== "QUOTED" && !isSoft(name))
    : [...found];
  const words = shown.map((name) => WORDS[name] ?? `'${name}'`);
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function isSoft(token: string): boolean {
  return /^[a-z]+$/.test(token) && !isReserved(token);
}

/** One diagnostic a place: what follows from an error at the same token explains nothing. */
export function syntaxErrors(result: ParseResult, text: string, file: string): Diagnostic[] {
  const strange = result.lexerErrors
    .slice(0, MOST_ERRORS)
    .map(({ offset, length, line, column }) =>
      report(
        "sa-character",
        { found: text.slice(offset, offset + length) },
        { file, line: line ?? 1, column: column ?? 1 },
      ),
    );
  if (strange.length > 0) return withRest(strange, result.lexerErrors.length);
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
    found.set(offset, report("sa-syntax", { expected, ...explain(expected, token.image) }, place));
  }
  const sorted = [...found.entries()].sort(([a], [b]) => a - b);
  return withRest(
    sorted.map(([, diagnostic]) => diagnostic),
    count,
  );
}

/** With a last one that counts the rest. */
function withRest(listed: readonly Diagnostic[], count: number): Diagnostic[] {
  const last = listed.at(-1);
  if (last === undefined || count <= listed.length) return [...listed];
  return [...listed, report("sa-more-errors", { count: count - listed.length }, last.place)];
}

function explain(
  expected: string,
  image: string,
): { readonly found: string; readonly fix: string } {
  if (image === "") return { found: "the end of the text", fix: `write ${expected}` };
  const found = `'${image}'`;
  if (image === "<-") return { found, fix: "'<-' is an arrow: write '< -' to compare" };
  // The parser gives up a list where its next item makes no sense.
  if (image === "," && expected === MORE) {
    return { found, fix: "complete or remove what stands behind it: 'NAME := value', or a port" };
  }
  if (expected.includes("a name") && isReserved(image)) {
    return { found, fix: `'${image}' is a word of the language: as a name it needs its quotes` };
  }
  return { found, fix: `write ${expected} here, or remove '${image}'` };
}
