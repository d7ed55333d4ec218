/**
 * One line of text, token by token, and mistakes in it by their place: what readers of formulas and
 * of rules have in common.
 */

/** What is wrong with a text, and at which of its characters (from 0). */
export interface FormulaMistake {
  readonly at: number;
  readonly message: string;
  readonly fix: string;
}

class Mistake extends Error {
  readonly what: FormulaMistake;
  constructor(what: FormulaMistake) {
    super(what.message);
    this.what = what;
  }
}

/** What `read` gives, or the mistake that it throws. */
export function attempt<Result>(read: () => Result): Result | { readonly mistake: FormulaMistake } {
  try {
    return read();
  } catch (error) {
    if (error instanceof Mistake) return { mistake: error.what };
    throw error;
  }
}

export abstract class LineReader {
  /** The token at hand: a number, a name, a symbol; all empty at the end. */
  protected number = "";
  protected name = "";
  protected symbol = "";
  /** Where it begins. */
  protected start = 0;
  /** Where what follows it begins. */
  protected next = 0;
  protected readonly text: string;
  private readonly token: RegExp;

  /** @param token sticky, with groups for a number, a name and a symbol. */
  constructor(text: string, token: RegExp) {
    this.text = text;
    this.token = token;
    this.read();
  }

  /**
   * The sentence that the text `ends` or `has 'x'` where something else should be, and what to do.
   */
  protected abstract misplaced(found: string, wanted: string): Omit<FormulaMistake, "at">;

  protected get hasEnded(): boolean {
    return this.number === "" && this.name === "" && this.symbol === "";
  }

  protected read(): void {
    this.token.lastIndex = this.next;
    const match = this.token.exec(this.text);
    this.number = match?.[1] ?? "";
    this.name = match?.[2] ?? "";
    this.symbol = match?.[3]?.trim() ?? "";
    this.next = match === null ? this.text.length : this.token.lastIndex;
    this.start = this.next - (this.number + this.name + this.symbol).length;
  }

  protected expect(symbol: string): void {
    if (this.symbol !== symbol) throw this.unexpected(`'${symbol}'`);
    this.read();
  }

  protected unexpected(wanted: string): Mistake {
    const found = this.hasEnded ? "ends" : `has '${this.number}${this.name}${this.symbol}'`;
    const { message, fix } = this.misplaced(found, wanted);
    return this.mistake(message, fix);
  }

  protected mistake(message: string, fix: string, at: number = this.start): Mistake {
    return new Mistake({ at, message, fix });
  }
}
