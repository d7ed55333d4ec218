/**
 * A progress bar on a terminal; nothing in a pipe.
 */
import { visibleText } from "../terminal.ts";

export interface Progress {
  update(fraction: number, text: string): void;
  /** Removes the bar, so that the answer starts on a clean line. */
  clear(): void;
}

const WIDTH = 28;
const REDRAW_MS = 100;

export function progressBar(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) return { update: () => undefined, clear: () => undefined };
  let last = 0;
  let shown = false;
  return {
    update(fraction, text) {
      const now = performance.now();
      if (now - last < REDRAW_MS) return;
      last = now;
      shown = true;
      const filled = Math.round(Math.min(1, Math.max(0, fraction)) * WIDTH);
      const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
      stream.write(
        `\r\x1b[2K${bar} ${(100 * fraction).toFixed(0).padStart(3)} %  ${visibleText(text)}`,
      );
    },
    clear() {
      if (shown) stream.write("\r\x1b[2K");
      shown = false;
    },
  };
}
