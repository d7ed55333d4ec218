import { describe, expect, it } from "vitest";
import type { Executor } from "../../../engine/run-plan.ts";
import { WhileItPays } from "./while-it-pays.ts";

/**
 * Who did which chunk (T threads, 1 alone) while ticks on threads take as long as `seconds` says;
 * alone they take 1.
 */
function chunksOf(seconds: (chunk: number) => number, chunks: number): string {
  let now = 0;
  let chunk = 0;
  let done = "";
  const executor = (letter: string, take: () => number): Executor => ({
    name: "machine-code",
    run(_first, count) {
      now += count * take();
      done += letter;
    },
    dispose: () => undefined,
  });
  const both = new WhileItPays(
    executor("T", () => seconds(chunk)),
    executor("1", () => 1),
    () => now,
  );
  const sink = { progress: { tick: 0 }, onRow: () => undefined };
  for (; chunk < chunks; chunk++) both.run(1, 10, sink);
  return done;
}

describe("threads on a busy machine", () => {
  it("[PA9] go on while they gain on one thread, which begins", () => {
    expect(chunksOf(() => 0.6, 20)).toBe(`1${"T".repeat(19)}`);
  });

  it("[PA9] rest when they lose five times in a row, longer each time", () => {
    expect(chunksOf(() => 1.5, 35)).toBe(`1TTTTT${"1".repeat(8)}TTTTT${"1".repeat(16)}`);
  });

  it("[PA9] are not sent away by a single bad moment", () => {
    expect(chunksOf((chunk) => (chunk % 3 === 0 ? 5 : 0.6), 20)).toBe(`1${"T".repeat(19)}`);
  });
});
