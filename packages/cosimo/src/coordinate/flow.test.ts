/**
 * How far units run ahead of each other: nothing holds back a unit that only gives values, but the
 * queue must not grow with the run, and the caller of the coordinator gets control again after so
 * many steps.
 */
import { describe, expect, it } from "vitest";
import { odeUnit } from "../unit/ode-unit.ts";
import { indexOf, startUnit } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import type { Connector } from "./connector.ts";
import { Coordinator } from "./coordinator.ts";
import { Flow, WINDOW } from "./flow.ts";
import { agree, Peer } from "./peer.ts";
import { wholeTransfers } from "./testing/coordinate-units.ts";
import { runOverNetwork } from "./testing/simulated-network.ts";

const MOST = 2 * WINDOW;

const unit = (name: string): Unit =>
  odeUnit({
    name,
    inputs: { u: {} },
    states: { x: { start: 1 } },
    derivatives: (_t, [x = 0], [u = 0], _p, out) => {
      out[0] = u - x;
    },
  });

/**
 * A chain: the first unit only gives values, the last one only takes them, and the fourth has
 * nothing to do with them.
 */
function chain(): { readonly units: Unit[]; readonly connectors: Connector[] } {
  const units = ["a", "b", "c", "d", "e"].map(unit);
  const port = (u: number, name: string): Connector["from"] => ({
    unit: u,
    port: indexOf(units[u], name),
  });
  const connect = (from: number, to: number): Connector => ({
    name: `${from} -> ${to}`,
    from: port(from, "x"),
    to: port(to, "u"),
    trigger: { kind: "every", seconds: 1 / 1024 },
  });
  for (const one of units) startUnit(one);
  return { units, connectors: [connect(0, 1), connect(1, 2), connect(3, 4)] };
}

describe("units that run ahead", () => {
  it("[CO27] come to so many messages that others have not passed, however long the run is", () => {
    const { units, connectors } = chain();
    let [behind, most] = [0, 0];
    const reached = units.map(() => 0);
    const coordinator = new Coordinator(units, connectors, {
      start: 0,
      stop: 8,
      transfers: wholeTransfers(units, connectors),
      onMove: (u, time) => {
        reached[u] = 1024 * time;
        behind = Math.max(behind, reached[u] - Math.min(...reached));
      },
    });
    coordinator.begin();
    expect(coordinator.advances).toBe(0);
    while (!coordinator.run(64)) most = Math.max(most, coordinator.queued);
    expect(reached).toEqual(units.map(() => 8 * 1024));
    expect(most).toBeLessThan(MOST);
    expect(behind).toBeLessThan(MOST);
  });

  it("[CO27] are so few steps ahead when the run is asked whether it is to end", () => {
    const { units, connectors } = chain();
    const coordinator = new Coordinator(units, connectors, {
      start: 0,
      stop: 1e9,
      transfers: wholeTransfers(units, connectors),
    });
    coordinator.begin();
    for (let k = 0; k < 100; k++) expect(coordinator.run(64)).toBe(false);
    expect(coordinator.reached).toBeGreaterThan(0);
    expect(coordinator.advances).toBeLessThan(100 * 64);
  });

  it("[CO27] go on from a checkpoint where they were held", () => {
    const rest = (saves: boolean): number[] => {
      const { units, connectors } = chain();
      const transfers = wholeTransfers(units, connectors);
      const open = (): Coordinator =>
        new Coordinator(units, connectors, { start: 0, stop: 2, transfers });
      let coordinator = open();
      coordinator.begin();
      while (!coordinator.run(50)) {
        if (!saves) continue;
        const saved = coordinator.save();
        coordinator = open();
        coordinator.restore(saved);
      }
      return units.map((one) => {
        const banks = { f64: new Float64Array(1), i64: new BigInt64Array(0), obj: [] };
        one.read(one.bind([{ port: indexOf(one, "x"), slot: 0 }]), banks);
        return banks.f64[0];
      });
    };
    expect(rest(true)).toEqual(rest(false));
  });

  it("[CO27] are held back over a network too", () => {
    const { units, connectors } = chain();
    const agreement = agree(units.length, connectors, { start: 0, stop: 4 });
    const transfers = wholeTransfers(units, connectors);
    const peers = agreement.groups.map((_, p) => new Peer(p, units, agreement, { transfers }));
    const { most } = runOverNetwork(peers, { seed: 5 });
    expect(peers.every(({ participant }) => participant.hasFinished)).toBe(true);
    // Two sources, with the reports of those that they send to.
    expect(most).toBeLessThan(3 * MOST);
  });
});

describe("flow", () => {
  it("[CO27] is full with more than a window of messages that are not passed", () => {
    const flow = new Flow();
    for (let k = 0; k < WINDOW; k++) flow.sent(7);
    expect(flow.isFull).toBe(false);
    flow.sent(7);
    expect(flow.isFull).toBe(true);
    flow.take(7, 1);
    expect(flow.isFull).toBe(false);
  });

  it("[CO27] counts a message as passed when its instant has come, and reports many at once", () => {
    const flow = new Flow();
    for (let k = 0; k < 1000; k++) flow.note(3, k);
    expect(flow.passed(10)).toEqual([]);
    expect(flow.passed(499)).toEqual([[3, 500]]);
    expect(flow.passed(499)).toEqual([]);
  });
});
