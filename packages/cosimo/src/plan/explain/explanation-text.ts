/**
 * An explanation as the page that `cosimo check` prints. Long lists are cut where a person stops
 * reading; JSON has them whole.
 */
import { addTo } from "../../base/collections.ts";
import { loopText } from "../loop-path.ts";
import type {
  ConnectionExplanation,
  Explanation,
  FaultExplanation,
  OpenInput,
  UnitExplanation,
} from "./explanation.ts";

const SHOWN = 20;
const SHOWN_NAMES = 6;

export function explanationText(e: Explanation): string {
  const sections: (readonly [string, readonly string[]])[] = [
    [`units (${e.units.length})`, e.units.flatMap(unitLines)],
    ["couplings", couplingLines(e)],
    ["algebraic loops", loopLines(e)],
    ["unconnected inputs", cut(table(e.openInputs.map(openInputRow)))],
    [`faults (${e.faults.length})`, table(e.faults.map(faultRow))],
    ["conversions", cut(table(e.connections.flatMap(conversionRow)))],
    ...(e.connections.some(({ exchanges }) => exchanges !== undefined)
      ? [["exchanges", exchangeLines(e)] as const]
      : [
          ["inputs within a step", approximationLines(e)] as const,
          ["rates", rateLines(e)] as const,
          ["order", orderLines(e)] as const,
        ]),
    [`what ${e.master.name} needs`, needLines(e)],
    ["recommended", recommendationLines(e)],
    ["classification", classificationLines(e)],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [title, ...lines.map((line) => `  ${line}`)].join("\n"))
    .join("\n\n");
}

function unitLines(unit: UnitExplanation): string[] {
  const model = unit.model === unit.name ? "" : ` '${unit.model}'`;
  const kinds = [
    kindText("reactive inputs", unit.reactive),
    kindText("delayed inputs", unit.delayed),
    kindText("inputs of no declared kind", unit.undeclared),
    kindText("Mealy outputs", unit.mealy),
    kindText("Moore outputs", unit.moore),
  ].filter((text) => text !== "");
  const undisclosed =
    unit.undisclosed.length === 0
      ? []
      : [`  dependencies of ${names(unit.undisclosed)} not disclosed: every input is assumed`];
  const place = unit.process === undefined ? [] : [`  ${unit.process}`];
  const signs = [
    ...(unit.can.length > 0 ? [`  + ${unit.can.join(", ")}`] : []),
    ...(unit.cannot.length > 0 ? [`  - ${unit.cannot.join(", ")}`] : []),
  ];
  return [`${unit.name}: ${unit.backend}${model}`, ...kinds, ...undisclosed, ...place, ...signs];
}

function kindText(title: string, list: readonly string[]): string {
  return list.length === 0 ? "" : `  ${title}: ${names(list)}`;
}

function couplingLines({ couplings }: Explanation): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to, count } of couplings) {
    addTo(targets, from, count === 1 ? to : `${to} (${count})`);
  }
  if (targets.size === 0) return ["none: the units run side by side"];
  return cut(table([...targets].map(([from, to]) => [from, `→ ${names(to)}`])));
}

function faultRow({ name, text, when }: FaultExplanation): string[] {
  return [name, when, text];
}

function loopLines({ loops }: Explanation): string[] {
  if (loops.length === 0) return ["none"];
  return loops.flatMap(({ through, path, ports, treatment }) => [
    `through ${through}: ${loopText(path, ports)}`,
    `  ${treatment}`,
  ]);
}

function openInputRow({ input, value, origin }: OpenInput): string[] {
  switch (origin) {
    case "scenario":
      return [input, `= ${value}`, "set by the scenario"];
    case "start value":
      return [input, `= ${value}`, "its start value"];
    case "outside":
      return [input, "", "fed from outside: a port of this scenario"];
    case "unit":
      return [input, "", "no start value is given: the unit decides"];
  }
}

function conversionRow({ from, to, conversion }: ConnectionExplanation): string[][] {
  return conversion === undefined ? [] : [[`${from} → ${to}`, conversion]];
}

function exchangeLines({ connections }: Explanation): string[] {
  return cut(
    table(
      connections.map(({ from, to, exchanges }) => [
        `${from} → ${to}`,
        exchanges?.when ?? "",
        exchanges?.reason ?? "",
      ]),
    ),
  );
}

function approximationLines({ connections }: Explanation): string[] {
  const varying = connections.filter(({ approximation }) => approximation !== "hold");
  const held = connections.length - varying.length;
  if (connections.length === 0) return [];
  const summary = varying.length === 0 ? "all are held constant" : heldText(held);
  const rows = varying.map(({ from, to, approximation, through, parts }) => [
    `${from} → ${to}`,
    approximation,
    through === "slopes" ? "by slopes" : `in ${parts} micro-steps`,
  ]);
  const late = connections
    .filter(({ delayed }) => delayed)
    .map(({ from, to }) => `${from} → ${to} is one step old`);
  const ends = connections
    .filter(({ approximation, takes }) => approximation === "hold" && takes === "end")
    .map(({ from, to, kind }) => [
      `${from} → ${to}`,
      "held at the value of the end",
      KIND_TEXT[kind],
    ]);
  const declared = connections
    .filter(({ kindFrom }) => kindFrom === "connection")
    .map(({ to, kind }) => `${to} is ${kind}: declared by its connection`);
  return [
    ...cut(table(rows)),
    ...(summary === "" ? [] : [summary]),
    ...cut(table(ends)),
    ...declared,
    ...late,
  ];
}

const KIND_TEXT = {
  reactive: "it is reactive",
  delayed: "",
  undeclared: "not declared delayed",
} as const;

function heldText(held: number): string {
  if (held === 0) return "";
  return held === 1 ? "the other one is held constant" : `the other ${held} are held constant`;
}

function rateLines({ rates, master }: Explanation): string[] {
  const byTicks = new Map<number, string[]>();
  for (const { unit, ticks } of rates) addTo(byTicks, ticks, unit);
  const first = `one tick is ${master.tickSeconds} s`;
  const every = (ticks: number): string => (ticks === 1 ? "every tick" : `every ${ticks} ticks`);
  if (byTicks.size < 2) {
    const [ticks = 1] = byTicks.keys();
    return [`${first}; every unit steps ${every(ticks)}`];
  }
  const sorted = [...byTicks].sort(([a], [b]) => a - b);
  return [first, ...sorted.map(([ticks, units]) => `${every(ticks)}: ${names(units)}`)];
}

function orderLines({ order }: Explanation): string[] {
  if (!order.matters)
    return [
      "any: every unit gets the values of the start of the step, so the order changes nothing",
    ];
  return cut(table(order.units.map(({ name, reason }, i) => [`${i + 1}. ${name}`, reason])));
}

function needLines({ master }: Explanation): string[] {
  return table(
    master.needs.map(({ need, met, detail }) => [`${met ? "ok" : "NO"}  ${need}`, detail]),
  );
}

function recommendationLines({ recommendation: r }: Explanation): string[] {
  return table([
    [`master ${r.master}`, r.masterReason],
    [`step ${r.step === undefined ? "?" : `${r.step} s`}`, r.stepReason],
  ]);
}

function classificationLines({ classification }: Explanation): string[] {
  return table(classification.map(({ group, features }) => [group, features.join(", ")]));
}

function names(list: readonly string[]): string {
  if (list.length <= SHOWN_NAMES) return list.join(", ");
  return `${list.slice(0, SHOWN_NAMES).join(", ")} and ${list.length - SHOWN_NAMES} more`;
}

function cut(lines: readonly string[]): string[] {
  if (lines.length <= SHOWN) return [...lines];
  return [...lines.slice(0, SHOWN), `… and ${lines.length - SHOWN} more: --json has all`];
}

/** Columns side by side, the last one of any width. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, c) => {
      widths[c] = Math.max(widths[c] ?? 0, cell.length);
    });
  return rows.map((row) =>
    row
      .map((cell, c) => (c === row.length - 1 ? cell : cell.padEnd(widths[c])))
      .filter((_, c) => widths[c] > 0)
      .join("  ")
      .trimEnd(),
  );
}
