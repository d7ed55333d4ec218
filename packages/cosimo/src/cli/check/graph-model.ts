/**
 * A scenario as a drawing: which facts of its explanation belong to which box, port and wire.
 */
import { MASTERS } from "../../model/masters.ts";
import type { Scenario } from "../../model/scenario.ts";
import type { Port } from "../../model/unit-description.ts";
import { unitKind } from "../../model/unit-kind.ts";
import type { ConnectionExplanation, Explanation } from "../../plan/explain/explanation.ts";
import type { GraphModel, GraphPort, GraphUnit, GraphWire } from "../../plot/graph.ts";

export function graphModel(scenario: Scenario, explanation: Explanation): GraphModel {
  const { master, units, connections } = explanation;
  const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
  return {
    title: scenario.name,
    subtitle: `${count(units.length, "unit")}, ${count(connections.length, "connection")}, ${master.name}, step ${master.tickSeconds} s`,
    units: scenario.units.map((unit, u) => graphUnit(unit, explanation, u)),
    wires: scenario.connections.map((connection, c) =>
      graphWire(scenario, connection, explanation, c),
    ),
  };
}

function graphUnit(
  { name, description }: Scenario["units"][number],
  { units, rates }: Explanation,
  u: number,
): GraphUnit {
  const { backend, model, can, cannot } = units[u]!;
  const { inputs, outputs } = unitKind(description);
  return {
    name,
    caption: model === name ? backend : `${model} · ${backend}`,
    about: [
      `step ${rates[u]!.seconds} s`,
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
    ...(unit === undefined ? {} : { unit: unit.name }),
  };
}

function graphWire(
  scenario: Scenario,
  { from, to, conversion }: Scenario["connections"][number],
  { connections, loops, master }: Explanation,
  c: number,
): GraphWire {
  const told = connections[c]!;
  const label = conversion ?? told.conversion;
  const inLoop = loops.some(
    ({ ports, through }) =>
      through === "feed-through" && ports.includes(told.from) && ports.includes(told.to),
  );
  return {
    from: { unit: from.unit, port: position(scenario, from, "output") },
    to: { unit: to.unit, port: position(scenario, to, "input") },
    inLoop,
    late: told.delayed,
    varying: told.approximation !== "hold",
    about: wireFacts(told, inLoop, !MASTERS[master.name].decidesAtRunTime),
    ...(label === undefined ? {} : { label }),
  };
}

/** @param isExplicit one exchange a step; others hold what the iteration finds. */
function wireFacts(told: ConnectionExplanation, inLoop: boolean, isExplicit: boolean): string[] {
  const which = isExplicit ? `, at the value of its ${told.takes}` : "";
  const held = `held over a step${which}`;
  const how = told.approximation === "hold" ? held : told.approximation;
  const way = told.through === "micro-steps" ? `, in ${told.parts} micro-steps` : "";
  return [
    `${told.from} → ${told.to}`,
    ...(told.conversion === undefined ? [] : [told.conversion]),
    told.through === "slopes" ? `${how}, by slopes` : `${how}${way}`,
    ...(told.kindFrom === "connection" ? [`the connection declares the input ${told.kind}`] : []),
    ...(inLoop ? ["part of an algebraic loop"] : []),
    ...(told.delayed ? ["one step late: the loop is broken here"] : []),
  ];
}

/** Number of a port among those of its direction. */
function position(
  scenario: Scenario,
  { unit, port }: { readonly unit: number; readonly port: number },
  direction: "input" | "output",
): number {
  return scenario.units[unit]!.description.ports.filter((p) => p.direction === direction).findIndex(
    (p) => p.index === port,
  );
}
