/**
 * A scenario as a drawing: which facts of its explanation belong to which box, port and wire.
 */
import { present } from "../../base/present.ts";
import { MASTERS } from "../../model/masters.ts";
import type { Scenario } from "../../model/scenario.ts";
import type { Port } from "../../model/unit-description.ts";
import { unitKind } from "../../model/unit-kind.ts";
import type { ConnectionExplanation, Explanation } from "../../plan/explain/explanation.ts";
import type { GraphModel, GraphPort, GraphUnit, GraphWire } from "../../plot/graph.ts";
import { counted } from "../findings.ts";

export function graphModel(scenario: Scenario, explanation: Explanation): GraphModel {
  const { master, units, connections } = explanation;
  return {
    title: scenario.name,
    subtitle: `${counted(units.length, "unit")}, ${counted(connections.length, "connection")}, ${master.name}, step ${master.tickSeconds} s`,
    units: scenario.units.map((unit, u) => graphUnit(unit, explanation, u)),
    wires: connections.flatMap((explained, c) => {
      const connection = scenario.connections[c];
      return connection ? graphWire(scenario, connection, explained, explanation) : [];
    }),
  };
}

function graphUnit(
  { name, description }: Scenario["units"][number],
  { units, rates }: Explanation,
  u: number,
): GraphUnit {
  const { backend = "", model = name, can = [], cannot = [] } = units[u] ?? {};
  const { inputs, outputs } = unitKind(description);
  return {
    name,
    caption: model === name ? backend : `${model} · ${backend}`,
    about: [
      `step ${rates[u]?.seconds} s`,
      ...can.map((text) => `+ ${text}`),
      ...cannot.map((text) => `- ${text}`),
    ],
    inputs: inputs.map(({ port, kind, why }) => graphPort(port, kind === "reactive", kind, why)),
    outputs: outputs.map(({ port, kind, why }) => graphPort(port, kind === "Mealy", kind, why)),
  };
}

function graphPort(port: Port, solid: boolean, kind: string, why: string): GraphPort {
  const { name, type, shape, unit, description } = port;
  const size = shape.length === 0 ? "" : `[${shape.join("×")}]`;
  return {
    name,
    solid,
    about: [
      `${type}${size}${unit === undefined ? "" : `, ${unit.name}`}`,
      `${kind}: ${why}`,
      ...(description === undefined ? [] : [description]),
    ],
    ...present({ unit: unit?.name }),
  };
}

function graphWire(
  scenario: Scenario,
  { from, to, conversion }: Scenario["connections"][number],
  explained: ConnectionExplanation,
  { loops, master }: Explanation,
): GraphWire {
  const label = conversion ?? explained.conversion;
  const inLoop = loops.some(
    ({ ports, through }) =>
      through === "feed-through" && ports.includes(explained.from) && ports.includes(explained.to),
  );
  return {
    from: { unit: from.unit, port: position(scenario, from, "output") },
    to: { unit: to.unit, port: position(scenario, to, "input") },
    inLoop,
    late: explained.delayed,
    varying: explained.approximation !== "hold",
    about: wireFacts(explained, inLoop, !MASTERS[master.name].decidesAtRunTime),
    ...present({ label }),
  };
}

/** @param isExplicit one exchange a step; others hold what the iteration finds. */
function wireFacts(
  explained: ConnectionExplanation,
  inLoop: boolean,
  isExplicit: boolean,
): string[] {
  const which = isExplicit ? `, at the value of its ${explained.takes}` : "";
  const held = `held over a step${which}`;
  const how = explained.approximation === "hold" ? held : explained.approximation;
  const way = explained.through === "micro-steps" ? `, in ${explained.parts} micro-steps` : "";
  return [
    `${explained.from} → ${explained.to}`,
    ...(explained.conversion === undefined ? [] : [explained.conversion]),
    explained.through === "slopes" ? `${how}, by slopes` : `${how}${way}`,
    ...(explained.kindFrom === "connection"
      ? [`the connection declares the input ${explained.kind}`]
      : []),
    ...(inLoop ? ["part of an algebraic loop"] : []),
    ...(explained.delayed ? ["one step late: the loop is broken here"] : []),
  ];
}

/** Number of a port among those of its direction. */
function position(
  scenario: Scenario,
  { unit, port }: { readonly unit: number; readonly port: number },
  direction: "input" | "output",
): number {
  const ports = scenario.units[unit]?.description.ports ?? [];
  return ports.filter((p) => p.direction === direction).findIndex((p) => p.index === port);
}
