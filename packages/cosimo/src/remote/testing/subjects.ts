/** Units of known behaviour, for tests of what carries their calls elsewhere. */
import { RK4 } from "../../numerics/tableau.ts";
import { odeUnit } from "../../unit/ode-unit.ts";
import type { ContractSubject } from "../../unit/testing/contract-subject.ts";
import type { Unit } from "../../unit/unit.ts";
import { RemoteHost } from "../open-remote.ts";
import { RestartingTransport, type RestartOptions } from "../restarting-transport.ts";
import { MemoryTransport, type MemoryTransportOptions } from "./memory-transport.ts";

/** x' = u - k x, y = x + u. */
export function decay(name = "decay"): Unit {
  return odeUnit({
    name,
    parameters: { k: { start: 1 }, fixed: { variability: "fixed" } },
    inputs: { u: {} },
    states: { x: { start: 1 } },
    outputs: { y: {} },
    derivatives: (_t, x, u, p, dx) => {
      dx[0] = -p[0]! * x[0]! + u[0]!;
    },
    evaluate: (_t, x, u, _p, y) => {
      y[0] = x[0]! + u[0]!;
    },
    solver: { method: RK4, step: 0.05 },
  });
}

export const DECAY: Omit<ContractSubject, "open"> = {
  step: 0.1,
  behaviour: { port: "y", at: (t) => Math.exp(-t), tolerance: 1e-6 },
  settable: { port: "k", value: 3 },
  fixed: { port: "fixed", value: 3 },
  feedThrough: { input: "u", value: 1, output: "y", expected: 2, tolerance: 0 },
  threshold: {
    port: "y",
    value: 0.5,
    direction: "falling",
    time: Math.log(2),
    timeTolerance: 1e-6,
    valueTolerance: 1e-9,
  },
  directional: { unknown: "y", known: "u", value: 1, tolerance: 1e-8 },
  outputDerivative: { port: "y", at: (t) => -Math.exp(-t), tolerance: 1e-5 },
  inputDerivative: {
    input: "u",
    value: 0,
    slope: 1,
    output: "x",
    expected: 2 * Math.exp(-0.1) + 0.1 - 1,
    tolerance: 1e-6,
  },
};

/** The unit behind a transport in memory. */
export function remote(
  make: () => Unit,
  options: MemoryTransportOptions = {},
): { readonly unit: Unit; readonly transport: MemoryTransport } {
  const transport = new MemoryTransport(make, options);
  const host = new RemoteHost(transport);
  const { description } = make();
  const unit = host.open({ name: "far", order: "", description });
  return { unit, transport };
}

/**
 * The same, started again when it is lost. `dies` counts messages of one life, and is asked for the
 * life's number.
 */
export function restarted(
  make: () => Unit,
  dies: (message: number, life: number) => boolean,
  options: Partial<
    Pick<RestartOptions, "baseEvery" | "maxAttempts" | "maxBytes" | "onForgotten">
  > = {},
): { readonly unit: Unit; readonly lives: MemoryTransport[]; readonly reports: string[] } {
  const lives: MemoryTransport[] = [];
  const reports: string[] = [];
  const transport = new RestartingTransport({
    start: () => {
      const life = lives.length;
      const made = new MemoryTransport(make, { dies: (message) => dies(message, life) });
      lives.push(made);
      return made;
    },
    onRestart: ({ why, replayed, differs }) =>
      reports.push(`${why.how}, ${replayed}${differs ? ", other answers" : ""}`),
    ...options,
  });
  const host = new RemoteHost(transport);
  const unit = host.open({ name: "far", order: "", description: make().description });
  return { unit, lives, reports };
}
