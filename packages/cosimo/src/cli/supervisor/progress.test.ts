import { describe, expect, it } from "vitest";
import { durationText, progressBar } from "./progress.ts";

/** A stream that keeps what is written to it. */
function screen(isTTY: boolean): { stream: NodeJS.WriteStream; text: () => string } {
  let text = "";
  const write = (piece: string): boolean => {
    text += piece;
    return true;
  };
  return { stream: { isTTY, write } as unknown as NodeJS.WriteStream, text: () => text };
}

describe("the progress bar", () => {
  it("draws the share that is done on a terminal, and takes itself away", () => {
    const { stream, text } = screen(true);
    const bar = progressBar(stream);
    bar.update(0.5, "t=5");
    expect(text()).toBe(`\r\x1b[2K${"█".repeat(14)}${"░".repeat(14)}  50 %  t=5`);
    bar.clear();
    expect(text().endsWith("t=5\r\x1b[2K")).toBe(true);
  });

  it("[CL42] estimates the time left from the pace since the first report", () => {
    const { stream, text } = screen(true);
    let now = 5000;
    const bar = progressBar(stream, () => now);
    const at = (milliseconds: number, fraction: number): string => {
      now = 5000 + milliseconds;
      const before = text().length;
      bar.update(fraction, "t");
      return text().slice(before);
    };
    // Continued in the middle: the first half costs nothing.
    expect(at(0, 0.5)).not.toContain("left");
    expect(at(500, 0.55)).not.toContain("left");
    expect(at(2000, 0.6)).toMatch(/ {2}t, about 8 s left$/);
    expect(at(4000, 0.6)).toMatch(/about 16 s left$/);
    expect(at(8000, 1)).not.toContain("left");
  });

  it.each([
    [0.2, "1 s"],
    [59.4, "59 s"],
    [155, "2 min 30 s"],
    [1500, "25 min"],
    [12_000, "3 h 20 min"],
    [86_400 * 3, "3 days"],
  ])("[CL42] says %d seconds as people do", (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  it("clears nothing that it did not draw", () => {
    const { stream, text } = screen(true);
    progressBar(stream).clear();
    expect(text()).toBe("");
  });

  it("draws nothing in a pipe", () => {
    const { stream, text } = screen(false);
    const bar = progressBar(stream);
    bar.update(0.5, "t=5");
    bar.clear();
    expect(text()).toBe("");
  });

  it("does not redraw more often than eyes can follow", () => {
    const { stream, text } = screen(true);
    const bar = progressBar(stream);
    for (let i = 0; i < 50; i++) bar.update(i / 50, "again");
    expect(text().match(/again/g)!.length).toBeLessThan(50);
  });
});
