/**
 * The documents that an editor has open: their trees, what is known of their units, and their
 * findings. Checks run a moment after the last change, in the thread of the describer; answers
 * about names do not wait for them.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { TextDocument } from "langium";
import type { Diagnostic as ProtocolDiagnostic } from "vscode-languageserver/node.js";
import { isServed, languageOf, TEXT_LANGUAGES } from "../../lang/languages.ts";
import type { EditorDocument, KnownUnits } from "../../lang/text/editor-language.ts";
import { readAdaptationText } from "../adaptation-text.ts";
import type { Described, Describer } from "./describer.ts";
import { allToProtocol, byFile, type Finding } from "./protocol-findings.ts";
import { pathOf } from "./protocol-ranges.ts";

export interface OpenDocument {
  readonly path: string;
  readonly document: EditorDocument;
  readonly version: number;
}

interface Checked {
  readonly described: Described;
  /** Units as the text named them then. */
  readonly names: string;
  readonly version: number;
}

export interface WorkspaceOptions {
  readonly describer: Describer;
  readonly publish: (
    uri: string,
    diagnostics: readonly ProtocolDiagnostic[],
    version?: number,
  ) => void;
  /** Milliseconds from the last change to the check. */
  readonly delayMs: number;
  /**
   * For what should not happen: a check that fails leaves the editor without findings, not without
   * a server.
   */
  readonly log: (text: string) => void;
}

/** As long as a user waits for a list. */
const ANSWER_MS = 3000;

export class Workspace {
  isTrusted = true;
  showsRelated = false;
  private readonly options: WorkspaceOptions;
  private readonly texts = new Map<string, TextDocument>();
  private readonly parsed = new Map<string, OpenDocument>();
  private readonly checked = new Map<string, Checked>();
  private readonly waiting = new Map<string, NodeJS.Timeout>();
  /** Findings of texts that are not open, by the document that they were found from. */
  private readonly elsewhere = new Map<string, ReadonlyMap<string, readonly Finding[]>>();

  constructor(options: WorkspaceOptions) {
    this.options = options;
  }

  changed(text: TextDocument): void {
    this.texts.set(text.uri, text);
    this.schedule(text.uri, this.options.delayMs);
    this.checkAround(text.uri);
  }

  closed(uri: string): void {
    this.texts.delete(uri);
    this.parsed.delete(uri);
    this.checked.delete(uri);
    clearTimeout(this.waiting.get(uri));
    this.waiting.delete(uri);
    this.options.publish(uri, []);
    this.keepElsewhere(uri, new Map());
    this.elsewhere.delete(uri);
    this.checkAround(uri);
  }

  checkAll(): void {
    for (const uri of this.texts.keys()) this.schedule(uri, 0);
  }

  /** The document as it is now; undefined where it is not open. */
  at(uri: string): OpenDocument | undefined {
    const text = this.texts.get(uri);
    if (text === undefined) return undefined;
    const known = this.parsed.get(uri);
    if (known?.version === text.version) return known;
    const path = pathOf(uri);
    const made = { path, document: documentOf(text.getText(), path), version: text.version };
    this.parsed.set(uri, made);
    return made;
  }

  /** The text of a file, as the editor has it or from disk. */
  textOf(path: string): { readonly uri: string; readonly text: string } | undefined {
    for (const [uri, text] of this.texts)
      if (resolve(pathOf(uri)) === resolve(path)) return { uri, text: text.getText() };
    const { value } = readAdaptationText(path);
    return value === undefined ? undefined : { uri: pathToFileURL(path).href, text: value };
  }

  /** The document, where it is one that editors are answered about. */
  servedAt(uri: string): OpenDocument | undefined {
    const open = this.at(uri);
    return open && isServed(open.path, open.document.text) ? open : undefined;
  }

  /** What the units of the text, as it is now, say of themselves. */
  async unitsOf(uri: string): Promise<KnownUnits> {
    const open = this.servedAt(uri);
    const known = this.checked.get(uri);
    if (open !== undefined && known?.names !== open.document.names) {
      const check = this.check(uri);
      await Promise.race([check, new Promise((done) => setTimeout(done, ANSWER_MS).unref())]);
    }
    return this.checked.get(uri)?.described.units ?? new Map();
  }

  /** The findings of the text as it is now; undefined where it was not checked yet. */
  findingsOf(uri: string): readonly Finding[] | undefined {
    const open = this.at(uri);
    const known = this.checked.get(uri);
    if (open === undefined || known?.version !== open.version) return undefined;
    return byFile(known.described.diagnostics).get(open.path) ?? [];
  }

  /** Documents that were read together with this one, and those of which it is not known yet. */
  private checkAround(changed: string): void {
    const path = resolve(pathOf(changed));
    for (const uri of this.texts.keys()) {
      const reads = this.checked.get(uri)?.described.texts;
      if (uri !== changed && (reads === undefined || reads.has(path)))
        this.schedule(uri, this.options.delayMs);
    }
  }

  private schedule(uri: string, delayMs: number): void {
    clearTimeout(this.waiting.get(uri));
    this.waiting.set(
      uri,
      setTimeout(() => void this.check(uri), delayMs),
    );
  }

  private async check(uri: string): Promise<void> {
    clearTimeout(this.waiting.get(uri));
    this.waiting.delete(uri);
    try {
      await this.checkNow(uri);
    } catch (error) {
      this.options.log((error as Error).stack ?? String(error));
    }
  }

  private async checkNow(uri: string): Promise<void> {
    const open = this.at(uri);
    if (open === undefined) return;
    const { path, document, version } = open;
    const text = this.texts.get(uri);
    if (!isServed(path, document.text)) {
      this.forget(uri);
      return;
    }
    // Closed or changed meanwhile: the question is about a text that is gone.
    const isCurrent = (): boolean => this.texts.get(uri) === text && text?.version === version;
    const described = await this.options.describer.describe(() =>
      isCurrent() ? { path, texts: this.openTexts(), isTrusted: this.isTrusted } : undefined,
    );
    if (described === undefined || !isCurrent()) return;
    this.checked.set(uri, { described, names: document.names, version });
    const files = byFile(described.diagnostics);
    const own = files.get(path) ?? [];
    files.delete(path);
    this.options.publish(uri, allToProtocol(own, document, this.showsRelated), version);
    this.keepElsewhere(uri, files);
  }

  /** It was a scenario and is none any more. */
  private forget(uri: string): void {
    if (!this.checked.delete(uri)) return;
    this.options.publish(uri, []);
    this.keepElsewhere(uri, new Map());
  }

  private openTexts(): Map<string, string> {
    return new Map([...this.texts].map(([uri, text]) => [resolve(pathOf(uri)), text.getText()]));
  }

  /**
   * Publishes what was found in files that are not open, each finding once, and withdraws what is
   * no longer there.
   */
  private keepElsewhere(uri: string, files: ReadonlyMap<string, readonly Finding[]>): void {
    const before = this.elsewhere.get(uri) ?? new Map();
    this.elsewhere.set(uri, files);
    const open = new Set([...this.texts.keys()].map((one) => resolve(pathOf(one))));
    for (const file of new Set([...before.keys(), ...files.keys()])) {
      if (open.has(resolve(file))) continue;
      const found = new Map<string, Finding>();
      for (const list of this.elsewhere.values())
        for (const one of list.get(file) ?? []) found.set(JSON.stringify(one.finding), one);
      const text = readAdaptationText(file).value ?? "";
      const document = documentOf(text, file);
      this.options.publish(
        pathToFileURL(file).href,
        allToProtocol([...found.values()], document, this.showsRelated),
      );
    }
  }
}

/** A document that was never saved is an adaptation. */
function documentOf(text: string, path: string): EditorDocument {
  return (languageOf(path) ?? TEXT_LANGUAGES["sa"]!).open(text, path);
}
