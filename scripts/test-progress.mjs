/**
 * How far the tests are, in a line that replaces itself on a terminal and in ten lines elsewhere,
 * and which files failed, as soon as they do. Why they failed is said at the end.
 */
import { writeSync } from "node:fs";
import { isatty } from "node:tty";

/** scripts/test.mjs keeps what vitest prints, and hands this on. */
const OUT = 3;
const isTerminal = isatty(OUT);
const write = (text) => void writeSync(OUT, text);

// biome-ignore lint/style/noDefaultExport: vitest wants it so.
export default class TestProgress {
  files = 0;
  done = 0;
  failed = 0;
  begun = performance.now();
  shown = 0;

  onTestRunStart(specifications) {
    this.files = specifications.length;
  }

  onTestModuleEnd(module) {
    this.done++;
    if (module.state() === "failed") {
      this.failed++;
      write(`${isTerminal ? "\r\x1b[2K" : ""}failed: ${module.relativeModuleId}\n`);
    }
    this.show();
  }

  onTestRunEnd() {
    if (isTerminal) write("\r\x1b[2K");
  }

  show() {
    const tenth = Math.floor((10 * this.done) / this.files);
    if (!isTerminal && (tenth === this.shown || this.files < MANY)) return;
    this.shown = tenth;
    const seconds = (performance.now() - this.begun) / 1000;
    const left = Math.round((seconds * (this.files - this.done)) / this.done);
    const text = `${this.done} of ${this.files} files, ${this.failed} failed, ${Math.round(seconds)} s, about ${left} s left`;
    write(isTerminal ? `\r\x1b[2K${text}` : `${text}\n`);
  }
}

/** Fewer test files need no lines about their progress. */
const MANY = 20;
