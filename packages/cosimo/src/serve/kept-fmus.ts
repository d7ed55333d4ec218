/**
 * FMUs that descriptions were made of, kept while their files stay as they are: a scenario is
 * described after every edit, and its FMUs hardly ever change.
 */
import { statSync } from "node:fs";
import type { Checked } from "../base/diagnostic.ts";
import { type FmuFile, openFmuFile } from "../platform/node/fmu-file.ts";

const MAX_KEPT = 256;

interface Kept {
  readonly stamp: string;
  readonly opened: Checked<FmuFile>;
}

export class KeptFmus {
  private readonly kept = new Map<string, Kept>();
  private readonly read: (path: string) => Checked<FmuFile>;

  constructor(read: (path: string) => Checked<FmuFile> = openFmuFile) {
    this.read = read;
  }

  /** @param path absolute. */
  open(path: string): Checked<FmuFile> {
    const stamp = stampOf(path);
    const known = this.kept.get(path);
    this.kept.delete(path);
    if (stamp === undefined) return this.read(path);
    const kept = known?.stamp === stamp ? known : { stamp, opened: this.read(path) };
    this.kept.set(path, kept);
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value ?? "");
    return kept.opened;
  }
}

/** Undefined for folders, whose files change without them, and for what is not there. */
function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (!stats?.isFile()) return undefined;
  return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}
