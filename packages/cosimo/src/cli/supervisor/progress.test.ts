import { describe, expect, it } from "vitest";
import { progressBar } from "./progress.ts";

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
