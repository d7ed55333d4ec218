/**
 * Units elsewhere under every master: the trace of units at hand, bit for bit, and all of a Jacobi
 * step at work at once.
 */
import { describe, expect, it } from "vitest";
import type { Outcome } from "../base/outcome.ts";
import { RK4 } from "../numerics/tableau.ts";
import type { Trace } from "../record/trace.ts";
import { defineScenario, type ScenarioModel } from "../run/define-scenario.ts";
import { simulateScenario } from "../run/simulate-scenario.ts";
import type { ByteWriter } from "../unit/bytes.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { Unit } from "../unit/unit.ts";
import { RemoteHost } from "./open-remote.ts";
import { PeerLost } from "./protocol.ts";
import { MemoryTransport } from "./testing/memory-transport.ts";

/** A mass on a spring, pulled by `force`; the force that it gives depends on where it is. */
function mass(stiffness: number): (name: string) => Unit {
  return (name) =>
    odeUnit(
      {
        name: "mass",
        inputs: { force: {} },
        states: { x: { start: stiffness }, v: {} },
        outputs: { pull: { feedThrough: [] } },
        derivatives: (_t, [x, v], [force], _p, dx) => {
          dx[0] = v!;
          dx[1] = force! - stiffness * x! - 0.3 * v!;
        },
        evaluate: (_t, [x], _u, _p, y) => {
          y[0] = 0.8 * x!;
        },
        solver: { method: RK4, step: 0.01 },
      },
      name,
    );
}

const STIFFNESS = { a: 1, b: 1.7, c: 2.3 };

interface Peers {
  readonly log: string[];
  readonly dies?: (unit: string, message: number) => boolean;
}

/** The unit behind messages, with a note of everything that is sent and waited for. */
function far(make: (name: string) => Unit, peers: Peers): (name: string) => Unit {
  return (name) => {
    const transport = new MemoryTransport(() => make(name));
    const host = new RemoteHost({
      send(message: ByteWriter) {
        peers.log.push(`send ${name}`);
        transport.send(message);
      },
      receive() {
        peers.log.push(`wait ${name}`);
        if (peers.dies?.(name, transport.sent.length)) throw new PeerLost("SIGSEGV");
        return transport.receive();
      },
      close: () => transport.close(),
    });
    return host.open({ name, order: "", description: make(name).description });
  };
}

type Master = ScenarioModel["master"];

async function run(
  master: Master,
  wrap: (make: (name: string) => Unit) => (name: string) => Unit,
  more: Partial<ScenarioModel> = {},
): Promise<{ readonly outcome: Outcome; readonly trace: Trace }> {
  const units = Object.fromEntries(
    Object.entries(STIFFNESS).map(([name, k]) => [name, wrap(mass(k))]),
  );
  return simulateScenario(
    defineScenario({
      name: "ring",
      units,
      connections: ["a.pull -> b.force", "b.pull -> c.force", "c.pull -> a.force"],
      experiment: { stop: 2, step: 0.05, tolerance: 1e-5 },
      ...(master === undefined ? {} : { master }),
      ...more,
    }),
  );
}

const MASTERS: [string, Master][] = [
  ["jacobi", "jacobi"],
  ["gauss-seidel", "gauss-seidel"],
  ["iterative", "iterative"],
  ["iterative, jacobi sweeps", { name: "iterative", method: "newton" }],
  ["iterative, waveforms", { name: "iterative", waveform: 3 }],
  ["adaptive", "adaptive"],
  ["adaptive over jacobi", { name: "adaptive", coupling: "jacobi" }],
  ["event-driven", "event-driven"],
];

describe("units elsewhere", () => {
  it.each(MASTERS)("[IS5] give the same trace under %s", async (_, master) => {
    const near = await run(master, (make) => make);
    expect(near.outcome.kind).toBe("completed");
    const peers: Peers = { log: [] };
    const away = await run(master, (make) => far(make, peers));
    expect(away.outcome).toEqual(near.outcome);
    expect(away.trace).toEqual(near.trace);
    expect(peers.log.length).toBeGreaterThan(100);
  });

  it.each([
    ["jacobi", "jacobi"],
    ["adaptive over jacobi", { name: "adaptive", coupling: "jacobi" }],
    ["iterative, jacobi sweeps", { name: "iterative", method: "newton" }],
  ] as [string, Master][])("[IS6] are all at work at once in a step of %s", async (_, master) => {
    const peers: Peers = { log: [] };
    await run(master, (make) => far(make, peers));
    // What masters look at before a unit moves comes before it is sent off.
    const together = "send c,wait a,wait b,wait c";
    expect(peers.log.join(",").split(together).length).toBeGreaterThan(10);
  });

  it("[IS6] fail in the plan's order: the first unit of a step that is lost is named", async () => {
    const dies = (unit: string, message: number): boolean => unit !== "a" && message > 20;
    const { outcome } = await run("jacobi", (make) => far(make, { log: [], dies }));
    expect(outcome).toMatchObject({ kind: "crashed", failure: { unit: "b", status: "SIGSEGV" } });
    expect(outcome.steps).toBeGreaterThan(3);
  });
});
