/**
 * A scenario that is open: its text, what the checks know of it, and edits of its diagram, which
 * are edits of its text.
 */
import type { Diagnostic } from "@cosimo/base/diagnostic.ts";
import { editScenarioText, ScenarioText } from "@cosimo/lang/scenario/edit/edit-text.ts";
import type { ScenarioEdit } from "@cosimo/lang/scenario/edit/scenario-edit.ts";
import type { Described, DescribeRequest } from "@cosimo/serve/protocol.ts";
import { api } from "../api/client.ts";
import { shared } from "../base/shared.ts";
import { Store } from "../base/store.ts";
import { predicted } from "./predict.ts";
import { type Finding, TextDocument } from "./text-document.ts";

const DELAY_MS = 120;
const MAX_KNOWN = 12;

export class ScenarioDocument extends TextDocument {
  readonly described = new Store<Described | undefined>(undefined);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  private answer: Promise<void> | undefined;
  /** What was known of texts that undo and redo may bring back, the newest last. */
  private readonly known = new Map<string, Described>();
  private prepared: ScenarioText | undefined;

  /** Packages (.ssp, .ssd) are shown, not edited. */
  readonly isReadOnly: boolean;
  /**
   * Its graph is edited too: edits are made in YAML. A specification (.mcl) is edited as text, and
   * its graph follows.
   */
  readonly isDrawn: boolean;

  constructor(path: string, text: string, etag: string, isReadOnly: boolean) {
    super(path, text, etag);
    this.isReadOnly = isReadOnly;
    this.isDrawn = !isReadOnly && /\.ya?ml$/i.test(path);
  }

  protected override get showsLanguageFindings(): boolean {
    return false;
  }

  protected override textChanged(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.describe(), DELAY_MS);
    const known = this.known.get(this.text);
    if (known !== undefined) this.described.set(shared(this.described.get(), known));
  }

  /** Asks the checks what they know of the text as it is now. */
  describe(): Promise<void> {
    clearTimeout(this.timer);
    this.asked++;
    this.answer ??= this.ask().finally(() => {
      this.answer = undefined;
    });
    return this.answer;
  }

  /** One request at a time: what is asked meanwhile is asked once, of the last text. */
  private async ask(): Promise<void> {
    for (;;) {
      const number = this.asked;
      const { text } = this;
      if (this.isDrawn) whenIdle(() => !this.isClosed && this.prepare());
      const described = await api.describe(this.request({ isBrief: true }));
      if (this.isClosed) return;
      if (number !== this.asked) continue;
      this.show(described.diagnostics.map((one) => findingOf(one, this.path)));
      this.learn(text, shared(this.described.get(), described));
      return;
    }
  }

  /** Of the text as it is now. */
  request(options: Omit<DescribeRequest, "path" | "text">): DescribeRequest {
    const { path, text } = this;
    return this.isReadOnly ? { path, ...options } : { path, text, ...options };
  }

  private learn(text: string, described: Described): void {
    this.known.delete(text);
    this.known.set(text, described);
    if (this.known.size > MAX_KNOWN) this.known.delete(this.known.keys().next().value ?? "");
    this.described.set(described);
  }

  /** Long texts take longer to read than a person wants to wait for an edit. */
  private prepare(): ScenarioText {
    const { text } = this;
    if (this.prepared?.text !== text) this.prepared = new ScenarioText(text);
    return this.prepared;
  }

  /** @returns why it could not be made. */
  apply(...edits: readonly ScenarioEdit[]): string | undefined {
    const before = this.text;
    let text = before;
    let changes: Parameters<TextDocument["change"]>[0] = [];
    let described = this.described.get();
    for (const edit of edits) {
      const edited = text === before ? this.prepare().edited(edit) : editScenarioText(text, edit);
      if (edited.problem !== undefined) return edited.problem;
      text = edited.text;
      changes = [...edited.changes];
      described = described && predicted(described, edit);
    }
    if (text === before) return undefined;
    this.change(edits.length === 1 ? changes : { from: 0, to: before.length, insert: text });
    if (!this.known.has(text)) this.described.set(described);
    void this.describe();
    return undefined;
  }
}

/** When the browser has nothing else to do. */
function whenIdle(act: () => unknown): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(act, { timeout: 300 });
  else setTimeout(act, 50);
}

function findingOf({ severity, code, message, fix, place }: Diagnostic, path: string): Finding {
  const { file, line, column } = place;
  return {
    severity,
    code,
    message,
    fix,
    ...(file === path ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}
