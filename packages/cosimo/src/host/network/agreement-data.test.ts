/**
 * What sessions of a distributed run are told: it arrives as it was, and whatever was damaged is
 * refused.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Nonsense } from "../../remote/protocol.ts";
import { type Invitation, putInvitation, takeInvitation } from "./agreement-data.ts";

const INVITATION: Invitation = {
  agreed: {
    start: 0,
    stop: Number.POSITIVE_INFINITY,
    origin: -0.1,
    step: 0.1,
    steps: [0.1, 0.05],
    homes: [0, 1],
    processes: 2,
    connectors: [
      {
        name: "a.y -> b.u",
        from: { unit: 0, port: 1 },
        to: { unit: 1, port: 0 },
        trigger: { kind: "every", seconds: 1 / 3 },
        tolerance: 0.01,
        after: [1],
      },
      {
        name: "b.z -> a.u",
        from: { unit: 1, port: 2 },
        to: { unit: 0, port: 0 },
        trigger: {
          kind: "threshold",
          port: { unit: 1, port: 2, element: 0 },
          level: 1e-300,
          direction: "rising",
        },
        interaction: "toggle",
      },
    ],
    connections: [
      {
        from: { unit: 0, port: 1 },
        to: { unit: 1, port: 0 },
        fromElement: 0,
        toElement: 1,
        count: 1,
        factor: 1.8,
        offset: 32,
        mapping: [{ from: 1n, to: 2 }],
      },
      {
        from: { unit: 1, port: 2 },
        to: { unit: 0, port: 0 },
        fromElement: 0,
        toElement: 0,
        count: 1,
        factor: 1,
        offset: 0,
        interaction: "toggle",
      },
    ],
    ports: [
      { unit: 0, port: 1, type: "float64", size: 1 },
      { unit: 1, port: 0, type: "float64", size: 3 },
      { unit: 1, port: 2, type: "float64", size: 1 },
      { unit: 0, port: 0, type: "boolean", size: 1 },
    ],
    shown: [[1], [2, 0]],
    watched: [{ unit: 1, port: 2 }],
    counted: [
      {
        ...{ unit: 1, port: 2, kind: "pulse", count: 3, time: Number.NaN, atLast: 1 },
        ...{ isCounted: true, last: [] },
      },
      {
        ...{ unit: 0, port: 1, kind: "value", count: 0, time: 0.5, atLast: 0 },
        ...{ isCounted: false, last: [-0, 7n, "on", Uint8Array.of(1, 2)] },
      },
    ],
  },
  process: 1,
  nodes: ["supplier-a", "supplier-b"],
  run: "0123abcd",
  answers: "cosimo.default.answer.me.token.name",
  seats: [{ unit: 1, channel: 7 }],
  cuts: {
    token: "89ef",
    keys: [{ peer: 1, key: "0123456789abcdef".repeat(4) }],
    from: { number: 3, processes: [0, 1] },
  },
};

describe("an invitation to a distributed run", () => {
  it("[DI25] arrives as it was", () => {
    expect(takeInvitation(putInvitation(INVITATION))).toEqual(INVITATION);
  });

  it.each([
    ["a unit that is not there", { homes: [0, 1, 1] }],
    ["a port that is not described", { ports: [] }],
    ["a connection beyond its port", { ports: [{ unit: 0, port: 1, type: "float64", size: 0 }] }],
    ["another node of the same name", { nodes: ["supplier-a", "supplier-a"] }],
    ["a name that could be another subject", { nodes: ["supplier-a", "supplier.>"] }],
    ["a run that could be another subject", { run: "a.b" }],
    ["a unit without a channel", { seats: [] }],
    ["a unit of another session", { seats: [{ unit: 0, channel: 1 }] }],
    ["a step of 0", { steps: [{ value: 0 }, { value: 1 }] }],
    ["a stop before the start", { stop: -1 }],
    ["connectors that are fewer", { connectors: [] }],
    ["a key that is none", { cuts: { token: "89ef", keys: [{ peer: 1, key: "secret" }] } }],
    ["parts under another name", { cuts: { token: "../other", keys: [] } }],
    ["a count of another unit", { counted: [{ unit: 2, port: 0 }] }],
    ["a count below 0", { counted: [{ unit: 0, port: 0, kind: "pulse", count: -1 }] }],
  ])("[DI25] with %s is refused", (_, damage) => {
    const data: object = JSON.parse(new TextDecoder().decode(putInvitation(INVITATION)));
    const bytes = new TextEncoder().encode(JSON.stringify({ ...data, ...damage }));
    expect(() => takeInvitation(bytes)).toThrow(Nonsense);
  });

  it("[DI25] with any damage is refused, or is another invitation", () => {
    const bytes = putInvitation(INVITATION);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
        const damaged = Uint8Array.from(bytes);
        damaged[at] = byte;
        try {
          takeInvitation(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(Nonsense);
        }
      }),
      { numRuns: 2000, seed: 5 },
    );
  });
});
