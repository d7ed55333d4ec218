/**
 * A progress bar on a terminal, with an estimate of the time left; nothing in a pipe.
 */
import { visibleText } from "../terminal.ts";

export interface Progress {
  update(fraction: number, text: string): void;
  /** Removes the bar, so that the answer starts on a clean line. */
  clear(): void;
}

const WIDTH = 28;
const REDRAW_MS = 100;
/** Before that the pace says little: machine code warms up, files are read for the first time. */
const FIRST_ESTIMATE_MS = 1000;

export function progressBar(
  stream: NodeJS.WriteStream,
  clock: () => number = () => performance.now(),
): Progress {
  if (!stream.isTTY) return { update: () => undefined, clear: () => undefined };
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  let begun: { readonly at: number; readonly fraction: number } | undefined;
  return {
    update(fraction, text) {
      const now = clock();
      // A run that is continued begins in the middle.
      begun ??= { at: now, fraction };
      if (now - last < REDRAW_MS) return;
      last = now;
      shown = true;
      const filled = Math.round(Math.min(1, Math.max(0, fraction)) * WIDTH);
      const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
      const percent = (100 * fraction).toFixed(0).padStart(3);
      const left = leftText(now - begun.at, fraction - begun.fraction, 1 - fraction);
      stream.write(`\r\x1b[2K${bar} ${percent} %  ${visibleText(text)}${left}`);
    },
    clear() {
      if (shown) stream.write("\r\x1b[2K");
      shown = false;
    },
  };
}

/** At the pace since the first report. */
function leftText(elapsedMs: number, done: number, left: number): string {
  if (elapsedMs < FIRST_ESTIMATE_MS || !(done > 0) || !(left > 0)) return "";
  return `, about ${durationText((elapsedMs * left) / done / 1000)} left`;
}

/** `7 s`, `2 min 30 s`, `3 h 20 min`: as exact as an estimate deserves. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return `${minutes} min ${10 * Math.floor((seconds % 60) / 10)} s`;
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 60 / 24)} days`;
}
