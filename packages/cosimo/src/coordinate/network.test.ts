/**
 * Participants over a network that delays and reorders messages between different peers give the
 * trace of one queue, bit for bit. This is what distribution rests on: nothing here knows where a
 * peer runs.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { startUnit } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { agree, Peer } from "./peer.ts";
import { coordinateUnits, wholeTransfers } from "./testing/coordinate-units.ts";
import { Log, randomSystem, type System } from "./testing/random-system.ts";
import { runOverNetwork } from "./testing/simulated-network.ts";

const STOP = 6;
const CASES = cases(300);

function inOneQueue({ units, connectors }: System): string[][] {
  for (const unit of units) startUnit(unit);
  const log = new Log(units);
  coordinateUnits(units, connectors, { start: 0, stop: STOP, onMove: log.note });
  return log.lines;
}

function overNetwork(
  { units, connectors }: System,
  seed: number,
  restarts: number,
): { readonly lines: string[][]; readonly overtaking: number } {
  for (const unit of units) startUnit(unit);
  const log = new Log(units);
  const agreement = agree(units.length, connectors, { start: 0, stop: STOP });
  const transfers = wholeTransfers(units, connectors);
  // A peer sees its own units only.
  const open = (number: number): Peer => {
    const own: Unit[] = [];
    for (const u of agreement.groups[number] ?? []) own[u] = units[u] as Unit;
    return new Peer(number, own, agreement, { transfers, onMove: log.note });
  };
  const peers = agreement.groups.map((_, p) => open(p));
  const { overtaking } = runOverNetwork(peers, { seed, restarts, reopen: open });
  expect(peers.every(({ participant }) => participant.hasFinished)).toBe(true);
  return { lines: log.lines, overtaking };
}

describe("peers over a network", () => {
  it(`[CO3] give the trace of one queue, whatever the delays (${CASES} systems, seed 13)`, () => {
    let [overtaking, events] = [0, 0];
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (systemSeed, networkSeed) => {
        const expected = inOneQueue(randomSystem(systemSeed));
        const found = overNetwork(randomSystem(systemSeed), networkSeed, 0);
        expect(found.lines).toEqual(expected);
        overtaking += found.overtaking;
        events += expected.flat().length;
      }),
      { seed: 13, numRuns: CASES },
    );
    // The network did reorder, and something happened.
    expect(overtaking).toBeGreaterThan(20 * CASES);
    expect(events).toBeGreaterThan(50 * CASES);
  });

  it("[CO25] go on from their bytes: all that a participant knows is data", () => {
    for (let seed = 0; seed < CASES / 4; seed++) {
      const expected = inOneQueue(randomSystem(seed));
      expect(overNetwork(randomSystem(seed), seed, 0.2).lines).toEqual(expected);
    }
  });

  it("[CO25] a message of another version is refused", async () => {
    const { readParcel, writeParcel } = await import("./parcel.ts");
    const { ByteReader, ByteWriter } = await import("../unit/bytes.ts");
    const bytes = new ByteWriter();
    writeParcel(bytes, {
      from: 1,
      to: 2,
      message: { kind: "promise", unit: 1, time: Number.POSITIVE_INFINITY },
    });
    const written = bytes.take();
    expect(readParcel(new ByteReader(written))).toEqual({
      from: 1,
      to: 2,
      message: { kind: "promise", unit: 1, time: Number.POSITIVE_INFINITY },
    });
    written[0] = 99;
    expect(() => readParcel(new ByteReader(written))).toThrow("version 99");
  });
});
