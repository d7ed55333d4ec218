/**
 * Answers to questions that are longer than a message: whole again whatever their order, several at
 * once, and bounded.
 */
import { describe, expect, it } from "vitest";
import { Nonsense } from "../../remote/protocol.ts";
import { packJson, unpackJson } from "./json-body.ts";
import { Replies, replyParts } from "./replies.ts";

const body = (length: number, seed: number): Uint8Array =>
  packJson({ data: Array.from({ length }, (_, i) => (i * 2654435761 * seed) % 1e9) });

describe("an answer to a question", () => {
  it("[DI18] is one message where it is short", () => {
    const short = body(10, 1);
    expect(replyParts(short, 1000)).toEqual([short]);
    expect(new Replies().take(short)).toEqual(new Uint8Array(short));
  });

  it("[DI18] is whole again when its pieces came in any order, between those of others", () => {
    const bodies = [body(3000, 3), body(2000, 5), body(10, 7)];
    const parts = bodies.flatMap((one) => replyParts(one, 256));
    expect(parts.length).toBeGreaterThan(100);
    for (const part of parts.slice(0, -1)) expect(part.length).toBeLessThanOrEqual(256);
    const replies = new Replies();
    const taken = parts
      .map((part, i) => ({ part, at: (i * 7919) % parts.length }))
      .sort((a, b) => a.at - b.at)
      .flatMap(({ part }) => replies.take(part) ?? []);
    const known = new Set(bodies.map((one) => JSON.stringify(unpackJson(one))));
    expect(new Set(taken.map((one) => JSON.stringify(unpackJson(one))))).toEqual(known);
  });

  it("[DI18] is refused where its pieces are none", () => {
    const replies = new Replies();
    expect(() => replies.take(Uint8Array.of(2, 1, 2))).toThrow(Nonsense);
    const [first] = replyParts(body(3000, 3), 256);
    const other = first!.slice();
    other[2] = 1;
    expect(() => replies.take(other)).toThrow(Nonsense);
  });
});
