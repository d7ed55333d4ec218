/**
 * A language with a Langium grammar, as compilers and editors of this package use it: tokens, the
 * syntax tree of any text however unfinished, and syntax errors in words. One of these per
 * language; the parser is made when the first text is read. No files, no language server: what
 * Langium needs of a host is the empty file system.
 */
import {
  AbstractAstReflection,
  type AstMetaData,
  type AstNode,
  createDefaultCoreModule,
  createDefaultSharedCoreModule,
  EmptyFileSystem,
  inject,
  type LangiumCoreServices,
  type LexerResult,
  loadGrammarFromJson,
  type ParseResult,
} from "langium";
import type { Checked, Diagnostic, Place } from "../../base/diagnostic.ts";
import { type BeyondLimit, beyondLimit, MOST_RECOVERIES } from "./limits.ts";
import { LiteralTexts } from "./quoted-texts.ts";
import { ErrorTexts, type SyntaxWords, syntaxErrors, TooManyErrors } from "./syntax-errors.ts";

export interface LanguageDefinition {
  /** Also the ending of its files. */
  readonly id: string;
  /** As scripts/grammars.mjs made them. */
  readonly grammar: string;
  readonly types: Readonly<AstMetaData>;
  readonly words: SyntaxWords;
  /**
   * Backslashes in texts stand for other characters (`\\n`); otherwise only in front of `"` and
   * `\\`.
   */
  readonly hasEscapes?: boolean;
  /** A text beyond a limit: of what kind, and where. */
  readonly reportLimit: (limit: BeyondLimit["limit"], place: Place) => Diagnostic;
}

export class TextLanguage<Tree extends AstNode> {
  readonly id: string;
  private readonly definition: LanguageDefinition;
  private readonly errorTexts: ErrorTexts;
  private made: LangiumCoreServices | undefined;

  constructor(definition: LanguageDefinition) {
    this.id = definition.id;
    this.definition = definition;
    this.errorTexts = new ErrorTexts(definition.words);
  }

  /** Words that the grammar has, as Langium's lexer knows them. */
  get keywords(): readonly string[] {
    return Object.keys(this.services.parser.Lexer.definition).filter(
      (name) => /^[a-z][-a-z]*$/i.test(name) && !TERMINALS.has(name),
    );
  }

  tokenize(text: string): LexerResult {
    return this.services.parser.Lexer.tokenize(text);
  }

  /** The tree of a text that follows the grammar, and whatever keeps it from doing so. */
  parse(text: string, file: string): Checked<Tree> {
    const beyond = beyondLimit(this.tokenize(text).tokens);
    if (beyond !== undefined) {
      const { startLine: line = 1, startColumn: column = 1 } = beyond.token;
      return { diagnostics: [this.definition.reportLimit(beyond.limit, { file, line, column })] };
    }
    const result = this.bounded(text);
    const diagnostics = syntaxErrors(this.definition.words, result, text, file);
    return diagnostics.length > 0 ? { diagnostics } : { value: result.value, diagnostics };
  }

  /**
   * The syntax tree, for tools that work on unfinished texts. Of a text that goes beyond a limit
   * only what comes before is read, and of one with very many mistakes what comes before the last
   * that is counted.
   */
  parseTree(text: string): ParseResult<Tree> {
    const beyond = beyondLimit(this.tokenize(text).tokens);
    return this.bounded(beyond === undefined ? text : text.slice(0, beyond.token.startOffset));
  }

  /** Of a text within all limits. */
  private bounded(read: string): ParseResult<Tree> {
    try {
      return this.parsed(read, MOST_RECOVERIES);
    } catch (error) {
      if (!(error instanceof TooManyErrors)) throw error;
      // The parser stands in the middle of a text: the next one needs another.
      this.made = undefined;
      // Up to there it met a bounded number of mistakes.
      const end = Number.isNaN(error.offset) ? read.length : error.offset;
      return this.parsed(read.slice(0, end), Number.POSITIVE_INFINITY);
    }
  }

  private parsed(text: string, recoveries: number): ParseResult<Tree> {
    this.errorTexts.recoveriesLeft = recoveries;
    return this.services.parser.LangiumParser.parse<Tree>(text);
  }

  private get services(): LangiumCoreServices {
    if (this.made !== undefined) return this.made;
    const { id, grammar, types, hasEscapes = false } = this.definition;
    class Reflection extends AbstractAstReflection {
      override readonly types: AstMetaData = types;
    }
    const shared = inject(createDefaultSharedCoreModule(EmptyFileSystem), {
      AstReflection: () => new Reflection(),
    });
    this.made = inject(createDefaultCoreModule({ shared }), {
      Grammar: () => loadGrammarFromJson(grammar),
      LanguageMetaData: () => ({
        languageId: id,
        fileExtensions: [`.${id}`],
        caseInsensitive: false,
        mode: "production" as const,
      }),
      parser: {
        ParserErrorMessageProvider: () => this.errorTexts,
        ...(!hasEscapes && { ValueConverter: () => new LiteralTexts() }),
      },
    });
    shared.ServiceRegistry.register(this.made);
    skipEmptySearches(this.made.parser.LangiumParser);
    return this.made;
  }
}

/**
 * Before every token, Langium looks for the place of the comments in front of it, by searching the
 * list that the token stands in, also where there are none: long lists took time in proportion to
 * the square of their length.
 */
function skipEmptySearches(parser: object): void {
  const { nodeBuilder } = parser as { nodeBuilder: { addHiddenNodes(tokens: unknown[]): void } };
  const add = nodeBuilder.addHiddenNodes.bind(nodeBuilder);
  nodeBuilder.addHiddenNodes = (tokens) => {
    if (tokens.length > 0) add(tokens);
  };
}

/** Tokens of the grammars that are not words. */
const TERMINALS: ReadonlySet<string> = new Set(["ID", "QUOTED", "STRING", "NUMBER", "WS", "EOF"]);

export function placeOf(node: AstNode, file: string): Place {
  const start = node.$cstNode?.range.start ?? { line: 0, character: 0 };
  return { file, line: start.line + 1, column: start.character + 1 };
}
