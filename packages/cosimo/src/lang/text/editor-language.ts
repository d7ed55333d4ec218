/**
 * What an editor may ask of a language. One of these per language (lang/languages.ts lists them);
 * the language server turns questions of the protocol into calls of this, and knows nothing of any
 * language.
 */
import type { Checked, Diagnostic } from "../../base/diagnostic.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import type { Edit, Span } from "./span.ts";

export interface EditorLanguage {
  readonly id: string;
  open(text: string, file: string): EditorDocument;
  /**
   * Absent: its texts are not formatted.
   * @param files where texts are found that it needs; absent: it stands alone.
   * @returns no value where mistakes keep the text from being read.
   */
  readonly format?: (text: string, file: string, files?: TextFiles) => Checked<string>;
}

/** Where texts are read from. */
export interface TextFiles {
  exists(path: string): boolean;
  /** @throws what the system says. */
  text(path: string): string;
  /**
   * Names of the files of a folder; absent: modules are found by the names of their files alone.
   */
  list?(folder: string): readonly string[];
}

/**
 * What is known of the units that a text names, by their names there; those that cannot be opened
 * are absent.
 */
export type KnownUnits = ReadonlyMap<string, UnitDescription>;

/** A text as an editor has it: mostly unfinished. */
export interface EditorDocument {
  readonly text: string;
  /** The units that it names and where they are: when this changes, they are described again. */
  readonly names: string;
  complete(units: KnownUnits, offset: number): Candidate[];
  /** The text in quotes that the cursor is in, where that is not a name. */
  insideText(offset: number): InsideText | undefined;
  hover(units: KnownUnits, offset: number): Hover | undefined;
  definition(offset: number): Target | undefined;
  uses(offset: number): readonly Use[];
  /** Where it declares a port that other texts name. */
  declarationOf(port: string): Span | undefined;
  outline(): OutlineItem[];
  signature?(offset: number): Signature | undefined;
  renamable(offset: number): Renamable | Refusal;
  rename(units: KnownUnits, offset: number, to: string): readonly Edit[] | Refusal;
  /** What a finding is about: it begins where the finding says. */
  spanOf(finding: Diagnostic): Span;
  /** The edit that a fix describes, where there is nothing left to decide. */
  fix(finding: Diagnostic): QuickFix | undefined;
}

export interface Candidate {
  readonly label: string;
  readonly kind: "port" | "variable" | "parameter" | "function" | "unit" | "measure" | "keyword";
  readonly span: Span;
  /** What is written; the label where it is absent. */
  readonly insert?: string;
  /** Behind the label, in a line. */
  readonly detail?: string;
  /** Markdown. */
  readonly documentation?: string;
  /** Smaller comes first; 0 where it is absent. */
  readonly rank?: number;
}

export interface InsideText {
  readonly span: Span;
  /** Endings of the files whose paths may stand here; empty: it is not a path. */
  readonly endings: readonly string[];
}

export interface Hover {
  readonly span: Span;
  readonly markdown: string;
}

export type Target =
  | { readonly kind: "here"; readonly from: Span; readonly span: Span }
  /** In another file: its begin, or one of its ports. */
  | {
      readonly kind: "there";
      readonly from: Span;
      readonly source: string;
      readonly port?: string;
    };

export interface Use {
  readonly span: Span;
  readonly isDeclaration: boolean;
}

export interface OutlineItem {
  readonly name: string;
  readonly detail: string;
  readonly kind: "adaptation" | "unit" | "port" | "parameter" | "variable" | "rules" | "connector";
  readonly whole: Span;
  /** Its name: a part of the whole. */
  readonly span: Span;
  readonly children: readonly OutlineItem[];
}

export interface Signature {
  readonly label: string;
  readonly documentation: string;
  readonly parameters: readonly string[];
  /** The one that the cursor is in. */
  readonly active: number;
}

export interface Renamable {
  readonly span: Span;
  readonly name: string;
}

/** Why something cannot be renamed, as a sentence. */
export interface Refusal {
  readonly refused: string;
}

export interface QuickFix {
  readonly title: string;
  readonly edit: Edit;
}
