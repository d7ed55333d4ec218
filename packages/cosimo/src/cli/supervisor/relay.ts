/**
 * Passes on what the worker's process prints: words of FMUs, with control characters spelled out.
 * What Node prints when it gives up (pages about its heap, a native stack) is not meant for the
 * person who runs a model: it is kept, for the sentence that explains the end and for --debug.
 */
import type { Readable } from "node:stream";
import { printErrorPlain } from "../terminal.ts";

/**
 * How Node, or the C++ library in it, begins when it gives up; nothing but its own words follows.
 */
const GIVES_UP =
  /^\n*(<--- Last few GCs --->|FATAL ERROR: |#\n# Fatal |terminate called after throwing )/m;
/** More than Node says. */
const MAX_KEPT = 1 << 16;

export class Relay {
  /** What Node said when it gave up. */
  lastWords = "";
  private held = "";
  private readonly before: (() => void) | undefined;

  constructor(streams: readonly Readable[], before?: () => void) {
    this.before = before;
    for (const stream of streams) {
      stream.on("error", () => undefined);
      stream.setEncoding("utf8").on("data", (piece: string) => this.take(piece));
    }
  }

  private take(piece: string): void {
    if (this.lastWords !== "") {
      this.lastWords = (this.lastWords + piece).slice(0, MAX_KEPT);
      return;
    }
    const text = this.held + piece;
    this.held = "";
    const at = GIVES_UP.exec(text)?.index;
    if (at !== undefined) {
      this.lastWords = text.slice(at).trimStart().slice(0, MAX_KEPT);
      this.print(text.slice(0, at));
      return;
    }
    // Half of a line end of Windows would be shown as a control character.
    this.held = text.endsWith("\r") ? "\r" : "";
    this.print(text.slice(0, text.length - this.held.length));
  }

  /**
   * The process has ended. @param hasGivenUp otherwise an FMU printed what looks like Node's words.
   */
  end(hasGivenUp: boolean): void {
    if (hasGivenUp) return;
    this.print(this.lastWords);
    this.lastWords = "";
  }

  private print(text: string): void {
    if (text === "") return;
    this.before?.();
    printErrorPlain(text);
  }
}
