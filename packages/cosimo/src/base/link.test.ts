/**
 * The end of a connection that numbers, acknowledges and repeats: what networks of parts and of
 * peers rest on.
 */
import { describe, expect, it } from "vitest";
import { Link, type LinkPacket } from "./link.ts";

const numbersOf = (packets: readonly LinkPacket<string>[]): number[] =>
  packets.map(({ number }) => number);

describe("links", () => {
  it("[CO28] deliver once and in order what comes late, twice or out of order", () => {
    const [a, b] = [new Link<string>(), new Link<string>()];
    for (const text of ["one", "two", "three"]) a.send(text);
    const [one, two, three] = a.take();
    expect(b.receive(three)).toEqual([]);
    expect(b.receive(one)).toEqual(["one"]);
    expect(b.receive(one)).toEqual([]);
    expect(b.receive(two)).toEqual(["two", "three"]);
    for (const packet of b.take()) a.receive(packet);
    expect(a.pending).toBe(0);
  });

  it("[CO28] have so many payloads under way, and the others when these are acknowledged", () => {
    const [a, b] = [new Link<string>({ window: 2 }), new Link<string>({ window: 2 })];
    for (const text of ["one", "two", "three", "four"]) a.send(text);
    const first = a.take();
    expect(numbersOf(first)).toEqual([1, 2]);
    expect(first.flatMap((packet) => b.receive(packet))).toEqual(["one", "two"]);
    for (const packet of b.take()) a.receive(packet);
    expect(numbersOf(a.take())).toEqual([3, 4]);
    // Nobody on the other end can have sent it yet.
    expect(b.receive({ number: 9, seen: 0, payload: "forged", asks: false })).toEqual([]);
  });

  it("[CO28] repeat less and less often what is not acknowledged, and at once again when something gets through", () => {
    const link = new Link<string>({ slowest: 8 });
    link.send("lost");
    link.take();
    const sent = (ticks: number): number => {
      let count = 0;
      for (let k = 0; k < ticks; k++) {
        link.tick();
        count += link.take().length;
      }
      return count;
    };
    expect(sent(3)).toBe(2);
    expect(sent(92)).toBe(12);
    link.send("second");
    link.receive({ number: 0, seen: 1, asks: false });
    link.take();
    expect(sent(1)).toBe(1);
  });

  it("[CO28] go on from what they know, payloads that wait among it", () => {
    const a = new Link<string>({ window: 1 });
    for (const text of ["one", "two", "three"]) a.send(text);
    const again = new Link<string>({ window: 1 });
    again.restore(a.save());
    const b = new Link<string>({ window: 1 });
    const got: string[] = [];
    for (let k = 0; k < 10 && again.pending > 0; k++) {
      again.tick();
      for (const packet of again.take()) got.push(...b.receive(packet));
      for (const packet of b.take()) again.receive(packet);
    }
    expect(got).toEqual(["one", "two", "three"]);
  });
});
