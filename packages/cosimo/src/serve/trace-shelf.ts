/**
 * Traces that pages look at: read once, and again only where the file has changed.
 */
import { statSync } from "node:fs";
import type { Checked } from "../base/diagnostic.ts";
import type { Trace } from "../record/trace.ts";
import type { StudioServices } from "./services.ts";
import { SignalIndex } from "./signal-index.ts";
import { traceRows } from "./trace-rows.ts";

export interface OpenTrace {
  readonly trace: Trace;
  readonly index: SignalIndex;
}

/** Traces in memory at once. */
const KEPT = 4;

export class TraceShelf {
  private readonly kept = new Map<string, Promise<Checked<OpenTrace>>>();
  private readonly services: Pick<StudioServices, "readTrace">;

  constructor(services: Pick<StudioServices, "readTrace">) {
    this.services = services;
  }

  open(file: string): Promise<Checked<OpenTrace>> {
    const { mtimeMs, size } = statSync(file);
    const key = `${file} ${mtimeMs} ${size}`;
    const known = this.kept.get(key);
    const opened = known ?? this.read(file);
    this.kept.delete(key);
    this.kept.set(key, opened);
    for (const [oldest] of this.kept) {
      if (this.kept.size <= KEPT) break;
      this.kept.delete(oldest);
    }
    return opened;
  }

  private async read(file: string): Promise<Checked<OpenTrace>> {
    const { value: trace, diagnostics } = await this.services.readTrace(file);
    if (trace === undefined) return { diagnostics };
    return { value: { trace, index: new SignalIndex(traceRows(trace)) }, diagnostics };
  }
}
