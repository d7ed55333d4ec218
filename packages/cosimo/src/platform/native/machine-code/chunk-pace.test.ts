/**
 * Chunks against made-up costs of a tick: no clock is involved.
 */
import { describe, expect, it } from "vitest";
import { FIRST_CHUNK, nextChunk } from "./chunk-pace.ts";

/** The chunk after some rounds with FMUs whose tick takes this long. */
function settled(millisecondsOfTick: number): number {
  let chunk = FIRST_CHUNK;
  for (let round = 0; round < 10; round++) chunk = nextChunk(chunk, chunk * millisecondsOfTick);
  return chunk;
}

describe("[MC11] the number of ticks before TypeScript gets control", () => {
  it("gives about 5 ms, whatever the FMUs cost", () => {
    expect(settled(0.00002)).toBe(250_000);
    expect(settled(0.01)).toBe(500);
    expect(settled(1)).toBe(5);
  });

  it("is one for FMUs slower than that, and bounded for FMUs that cost nothing", () => {
    expect(settled(1000)).toBe(1);
    expect(settled(0)).toBe(1_000_000);
  });

  it("grows at most tenfold at a time", () => {
    expect(nextChunk(100, 0.000001)).toBe(1000);
  });
});
