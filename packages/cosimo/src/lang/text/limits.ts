/**
 * How deep and how long an adaptation may be. Parser, checks, formatter and exports walk over trees
 * by recursion, so a text that nests further than real ones do would end them all; its tokens are
 * counted before one of them begins.
 */

/** What is needed of a token. */
export interface Token {
  readonly image: string;
  readonly startOffset: number;
  readonly startLine?: number;
  readonly startColumn?: number;
}

/** Brackets, blocks, signs, `not`, `? :` and `else if` inside of each other. */
export const MOST_NESTED = 60;
/** Operators in one expression. */
export const MOST_OPERATORS = 1000;
/** Dots in one expression or physical unit: of the names between so many operators, and more. */
const MOST_DOTS = 4 * MOST_OPERATORS;
/** Characters of a name, a number or a text in quotes. */
export const MOST_CHARACTERS = 1000;

/**
 * Syntax errors that are listed one by one; a text with more of them is probably not an adaptation.
 */
export const MOST_ERRORS = 100;

/** Mistakes behind which the parser gives up: going on behind one takes it a millisecond. */
export const MOST_RECOVERIES = 250;

export interface BeyondLimit {
  readonly token: Token;
  readonly limit: "nested" | "operators" | "characters";
}

const OPENS = new Set(["(", "{"]);
const CLOSES = new Set([")", "}"]);
const OPERATORS = new Set("+ - * / % < <= > >= == != and or".split(" "));
/** What begins another expression or statement. */
const ENDS = new Set([";", ",", ":=", "{", "}", "return", "->", "-->", "→", "=>"]);

/** The first token behind which a limit is passed. */
export function beyondLimit(tokens: readonly Token[]): BeyondLimit | undefined {
  let brackets = 0;
  /**
   * Signs and conditionals that are open: within the brackets around them, within the innermost
   * ones, and in all.
   */
  const open: number[] = [];
  let ofThese = 0;
  let inside = 0;
  let operators = 0;
  let dots = 0;
  let alternatives = 0;
  for (const [k, token] of tokens.entries()) {
    const { image } = token;
    const before = tokens[k - 1]?.image ?? "";
    if (ENDS.has(image)) {
      operators = 0;
      dots = 0;
      inside -= ofThese;
      ofThese = 0;
    }
    if (OPENS.has(image)) {
      brackets++;
      open.push(ofThese);
      ofThese = 0;
    } else if (CLOSES.has(image)) {
      if (brackets === 0) continue;
      brackets--;
      inside -= ofThese;
      ofThese = open.pop() ?? 0;
    } else if (image === "if") alternatives = before === "else" ? alternatives + 1 : 0;
    else if (image === "not" || image === "?" || (image === "-" && isSign(before))) {
      ofThese++;
      inside++;
    }
    if (OPERATORS.has(image)) operators++;
    if (image === ".") dots++;
    if (brackets + inside + alternatives > MOST_NESTED) return { token, limit: "nested" };
    if (image.length > MOST_CHARACTERS) return { token, limit: "characters" };
    if (operators > MOST_OPERATORS || dots > MOST_DOTS) return { token, limit: "operators" };
  }
  return undefined;
}

/** Whether a minus behind this is a sign. */
function isSign(before: string): boolean {
  return (
    before === "(" ||
    before === "?" ||
    before === ":" ||
    OPERATORS.has(before) ||
    before === "not" ||
    ENDS.has(before)
  );
}
