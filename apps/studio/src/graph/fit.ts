/**
 * Which ports fit together, by the rules that the checks use: types, sizes, physical units. So the
 * page offers what will pass, and says what a connection converts.
 */
import { conversion } from "@cosimo/model/physical-unit-conversion.ts";
import { fitOf } from "@cosimo/model/resolve-scenario-types.ts";
import type { Port } from "@cosimo/model/unit-description.ts";
import type { DescribedPort } from "@cosimo/serve/protocol.ts";
import type { Graph } from "./model.ts";

export interface Offer {
  readonly unit: string;
  readonly port: string;
  /** What the connection does to values: "deg → rad". */
  readonly converts?: string;
}

export type PortFit =
  | { readonly fits: true; readonly converts?: string }
  | { readonly fits: false; readonly why: string };

export function fitPorts(from: DescribedPort | undefined, to: DescribedPort | undefined): PortFit {
  if (!from || !to) return { fits: false, why: "the unit could not be read" };
  if (from.direction !== "output" || to.direction !== "input")
    return { fits: false, why: "connections lead from outputs to inputs" };
  if (from.shape.join() !== to.shape.join()) return { fits: false, why: "their sizes differ" };
  const types = fitOf(asPort(from), asPort(to));
  if (types.kind === "no") return { fits: false, why: types.fix };
  if (from.unit === undefined || to.unit === undefined || from.unit === to.unit)
    return { fits: true };
  const way = conversion({ name: from.unit }, { name: to.unit });
  if ("error" in way)
    return way.kind === "unknown" ? { fits: true } : { fits: false, why: way.error };
  return { fits: true, converts: `${from.unit} → ${to.unit}` };
}

function asPort({ items, type, nature, name, ...rest }: DescribedPort): Port {
  const { direction, shape, variability } = rest;
  return {
    index: 0,
    name,
    type,
    nature,
    direction,
    shape,
    variability,
    ...(items === undefined
      ? {}
      : { items: new Map(Object.entries(items).map(([value, text]) => [Number(value), text])) }),
  };
}

const connected = new WeakMap<Graph, ReadonlySet<string>>();

/** Inputs that have a source, as `unit.port`. */
export function connectedInputs(graph: Graph): ReadonlySet<string> {
  const known =
    connected.get(graph) ?? new Set(graph.wires.map(({ to }) => `${to.unit}.${to.port}`));
  connected.set(graph, known);
  return known;
}

/** What an output or an open input can be connected with. */
export function offersFor(graph: Graph, unit: string, port: DescribedPort): Offer[] {
  const taken = connectedInputs(graph);
  return graph.units.flatMap((other) => {
    const isFrom = port.direction === "output";
    return (isFrom ? other.inputs : other.outputs).flatMap((one): Offer[] => {
      if (other.name === unit && one.name === port.name) return [];
      if (isFrom && taken.has(`${other.name}.${one.name}`)) return [];
      const fit = isFrom ? fitPorts(port, one.port) : fitPorts(one.port, port);
      if (!fit.fits) return [];
      const { converts } = fit;
      return [
        { unit: other.name, port: one.name, ...(converts === undefined ? {} : { converts }) },
      ];
    });
  });
}
