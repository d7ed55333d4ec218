/**
 * A scenario that is open: its text, what the checks know of it, and edits of its diagram, which
 * are edits of its text.
 */
import type { Diagnostic } from "@cosimo/base/diagnostic.ts";
import { editScenarioText } from "@cosimo/lang/scenario/edit/edit-text.ts";
import type { ScenarioEdit } from "@cosimo/lang/scenario/edit/scenario-edit.ts";
import type { Described } from "@cosimo/serve/protocol.ts";
import { api } from "../api/client.ts";
import { Store } from "../base/store.ts";
import { type Finding, TextDocument } from "./text-document.ts";

const DELAY_MS = 120;

export class ScenarioDocument extends TextDocument {
  readonly described = new Store<Described | undefined>(undefined);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;

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
  }

  /** Asks the checks; what arrives late is dropped. */
  async describe(): Promise<void> {
    clearTimeout(this.timer);
    const number = ++this.asked;
    const request = this.isReadOnly ? { path: this.path } : { path: this.path, text: this.text };
    const described = await api.describe(request);
    if (number !== this.asked || this.isClosed) return;
    this.show(described.diagnostics.map((one) => findingOf(one, this.path)));
    this.described.set(described);
  }

  /** @returns why it could not be made. */
  apply(...edits: readonly ScenarioEdit[]): string | undefined {
    const before = this.text;
    let text = before;
    let changes: Parameters<TextDocument["change"]>[0] = [];
    for (const edit of edits) {
      const edited = editScenarioText(text, edit);
      if (edited.problem !== undefined) return edited.problem;
      text = edited.text;
      changes = [...edited.changes];
    }
    if (text === before) return undefined;
    this.change(edits.length === 1 ? changes : { from: 0, to: before.length, insert: text });
    void this.describe();
    return undefined;
  }
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
