/**
 * A text file that is open: its editor is the one place where the text and its history live,
 * whether a person types or a drawing changes it. So undo and redo are the same for both, and the
 * diagram is another way to edit the file.
 */
import { isolateHistory, redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { type Diagnostic as Mark, setDiagnostics } from "@codemirror/lint";
import { type ChangeSpec, EditorState, Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Severity } from "@cosimo/base/diagnostic.ts";
import { api, Refused } from "../api/client.ts";
import {
  LanguageClient,
  type LspAction,
  type LspDiagnostic,
  type LspPosition,
  type LspTextEdit,
  language,
} from "../api/language.ts";
import { Store } from "../base/store.ts";
import { editorExtensions } from "../editor/extensions.ts";
import { type FileForm, inForm, readForm } from "./file-form.ts";
import { type Move, moveEffect, movesHistory } from "./moves.ts";

/** A finding at a line of the text. Lines and columns count from 1. */
export interface Finding {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  /** Another file than the one that is open. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
}

/** What can be clicked to repair a finding. */
export interface Fix {
  readonly title: string;
  apply(): void;
}

export interface DocumentState {
  readonly isDirty: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** The file was changed elsewhere while it has changes here. */
  readonly isBehind: boolean;
}

const MOVE = "graph.move";

const SERVED = /\.(sa|mci|mbi|mcl|hint|ya?ml)$/i;

export class TextDocument {
  readonly path: string;
  readonly view: EditorView;
  readonly state: Store<DocumentState>;
  readonly findings = new Store<readonly Finding[]>([]);
  /** How often the language server has looked at the text: it knows repairs only then. */
  readonly looks = new Store(0);
  private etag: string;
  private savedText: string;
  private form: FileForm;
  private version = 1;
  protected isClosed = false;
  /** Gets moves that undo and redo make. */
  onMove: (move: Move) => void = () => undefined;

  constructor(path: string, written: string, etag: string) {
    const { text, form } = readForm(written);
    this.path = path;
    this.etag = etag;
    this.form = form;
    this.savedText = text;
    this.state = new Store<DocumentState>({
      isDirty: false,
      canUndo: false,
      canRedo: false,
      isBehind: false,
    });
    this.view = new EditorView({
      state: EditorState.create({
        doc: text,
        extensions: [editorExtensions(path), movesHistory()],
      }),
      dispatchTransactions: (transactions) => this.dispatched(transactions),
    });
    if (this.isServed)
      language
        .open(
          path,
          () => this.text,
          (found) => this.received(found),
        )
        .catch(() => undefined);
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get isServed(): boolean {
    return SERVED.test(this.path);
  }

  /** Whether the language server's findings are shown; scenarios have those of the whole check. */
  protected get showsLanguageFindings(): boolean {
    return true;
  }

  protected textChanged(): void {}

  close(): void {
    this.isClosed = true;
    if (this.isServed) language.close(this.path);
    this.view.destroy();
  }

  undo(): void {
    undo(this.view);
  }

  redo(): void {
    redo(this.view);
  }

  /** One step for undo. */
  change(changes: ChangeSpec): void {
    this.view.dispatch({ changes, annotations: isolateHistory.of("full"), userEvent: "graph" });
  }

  /** Boxes were moved by a person: one step for undo. */
  moved(move: Move): void {
    this.view.dispatch({
      effects: moveEffect.of(move),
      annotations: [isolateHistory.of("full"), Transaction.userEvent.of(MOVE)],
    });
  }

  /** @returns false where the file was changed elsewhere. */
  async save(): Promise<boolean> {
    const { text } = this;
    const written = inForm(text, this.form);
    try {
      const { etag } = await api.write(this.path, written, this.etag);
      this.etag = etag;
      this.form = readForm(written).form;
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 412) throw error;
      this.state.update({ isBehind: true });
      return false;
    }
    this.savedText = text;
    this.state.update({ isBehind: false });
    this.updateState();
    return true;
  }

  /**
   * What is on the disk: taken over where there are no changes here, otherwise a person decides.
   */
  async diskChanged(): Promise<void> {
    const { text, etag } = await api.read(this.path);
    if (this.isClosed || etag === this.etag) return;
    if (this.state.get().isDirty) this.state.update({ isBehind: true });
    else this.replace(text, etag);
  }

  async takeTheirs(): Promise<void> {
    const { text, etag } = await api.read(this.path);
    this.replace(text, etag);
  }

  async keepMine(): Promise<void> {
    const { etag } = await api.read(this.path);
    this.etag = etag;
    await this.save();
  }

  private replace(written: string, etag: string): void {
    const { text, form } = readForm(written);
    this.etag = etag;
    this.form = form;
    this.savedText = text;
    this.state.update({ isBehind: false });
    if (text !== this.text) this.change({ from: 0, to: this.view.state.doc.length, insert: text });
    this.updateState();
  }

  private dispatched(transactions: readonly Transaction[]): void {
    this.view.update(transactions);
    for (const transaction of transactions)
      for (const effect of transaction.effects)
        if (effect.is(moveEffect)) {
          this.updateState();
          if (!transaction.isUserEvent(MOVE)) this.onMove(effect.value);
        }
    if (!transactions.some(({ docChanged }) => docChanged)) return;
    this.version++;
    if (this.isServed) language.changed(this.path, this.version, this.text);
    this.updateState();
    this.textChanged();
  }

  private updateState(): void {
    const { state } = this.view;
    this.state.update({
      isDirty: this.text !== this.savedText,
      canUndo: undoDepth(state) > 0,
      canRedo: redoDepth(state) > 0,
    });
  }

  private received(found: readonly LspDiagnostic[]): void {
    this.looks.set(this.looks.get() + 1);
    if (!this.showsLanguageFindings || this.isClosed) return;
    this.show(
      found.map(({ range, severity = 1, code, message }) => {
        const [text = "", fix = ""] = message.split(/\n(?:fix: )?/, 2);
        return {
          severity: severity === 1 ? "error" : severity === 2 ? "warning" : "note",
          code: String(code ?? ""),
          message: text,
          fix,
          line: range.start.line + 1,
          column: range.start.character + 1,
          endLine: range.end.line + 1,
          endColumn: range.end.character + 1,
        };
      }),
    );
  }

  /** Findings in the list and at their lines. */
  protected show(findings: readonly Finding[]): void {
    this.findings.set(findings);
    const { doc } = this.view.state;
    const marks = findings.flatMap((finding): Mark[] => {
      const { line, column, endLine, endColumn, severity, message, fix } = finding;
      if (line === undefined || line > doc.lines || finding.file !== undefined) return [];
      const at = doc.line(line);
      const from = Math.min(at.from + (column ?? 1) - 1, at.to);
      const to =
        endLine !== undefined && endLine <= doc.lines
          ? Math.min(doc.line(endLine).from + (endColumn ?? 1) - 1, doc.length)
          : wordEnd(at.text, from - at.from) + at.from;
      return [
        {
          from,
          to: Math.max(from, to),
          severity: severity === "note" ? "info" : severity,
          message: fix === "" ? message : `${message}\n${fix}`,
        },
      ];
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  /** What the language server offers to repair at a finding. */
  async fixesFor({ line = 1, column = 1, file }: Finding): Promise<Fix[]> {
    if (!this.isServed || file !== undefined) return [];
    const end = { line: line - 1, character: this.lineLength(line) };
    const start = { line: line - 1, character: Math.min(column - 1, end.character) };
    const context = { diagnostics: [] };
    const range = { start, end: column > 1 ? start : end };
    const actions = await language.ask<LspAction[]>("codeAction", this.path, { range, context });
    const uri = LanguageClient.uriOf(this.path);
    return (actions ?? []).flatMap(({ title, edit }) => {
      const edits = edit?.changes?.[uri];
      return edits ? [{ title, apply: () => this.applyEdits(edits) }] : [];
    });
  }

  applyEdits(edits: readonly LspTextEdit[]): void {
    this.change(
      edits.map(({ range, newText }) => ({
        from: this.offsetOf(range.start),
        to: this.offsetOf(range.end),
        insert: newText,
      })),
    );
  }

  offsetOf({ line, character }: LspPosition): number {
    const { doc } = this.view.state;
    if (line >= doc.lines) return doc.length;
    const at = doc.line(line + 1);
    return Math.min(at.from + character, at.to);
  }

  /** Shows a line, with the cursor in it. */
  reveal(line: number, column = 1): void {
    const offset = this.offsetOf({ line: line - 1, character: column - 1 });
    this.view.dispatch({
      selection: { anchor: offset },
      effects: EditorView.scrollIntoView(offset, { y: "center" }),
    });
  }

  private lineLength(line: number): number {
    const { doc } = this.view.state;
    return line > doc.lines ? 0 : doc.line(line).length;
  }
}

/** End of the word that begins at `from`, at least one character. */
function wordEnd(text: string, from: number): number {
  const rest = /^[^\s,}\]]+/.exec(text.slice(from))?.[0] ?? " ";
  return Math.min(text.length, from + rest.length);
}
