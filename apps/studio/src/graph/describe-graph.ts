/**
 * The graph of a scenario from what the checks know of it. Units that could not be read still have
 * a box, with the ports that connections name, so that the place of a mistake can be seen.
 */
import type { Diagnostic } from "@cosimo/base/diagnostic.ts";
import { fitText } from "@cosimo/plot/text-width.ts";
import type {
  Described,
  DescribedConnection,
  DescribedPort,
  DescribedScenario,
  DescribedUnit,
} from "@cosimo/serve/protocol.ts";
import type { Graph, GraphPort, GraphUnit, GraphWire, Problem } from "./model.ts";

const MAX_LABEL = 140;

/** @param way names of the nested units that lead to `scenario`. */
export function graphOf(
  scenario: DescribedScenario,
  { diagnostics, path }: Pick<Described, "diagnostics" | "path">,
  way: readonly string[],
): Graph {
  // Places of what is inside are of other files.
  const findings = way.length === 0 ? diagnostics.filter(({ place }) => place.file === path) : [];
  const named = namedPorts(scenario);
  return {
    units: scenario.units.map((unit) => unitOf(unit, findings, named.get(unit.name))),
    wires: scenario.connections.flatMap((connection) => wiresOf(connection, findings)),
  };
}

/** The scenario that a way of names leads to; undefined where it does not exist any more. */
export function insideOf(
  scenario: DescribedScenario,
  way: readonly string[],
): DescribedScenario | undefined {
  let at: DescribedScenario | undefined = scenario;
  for (const name of way) at = at?.units.find((unit) => unit.name === name)?.inside;
  return at;
}

/**
 * The name that a signal inside of nested units has in runs: that of the port that shows it, at
 * every level. Undefined where nobody outside sees it.
 */
export function signalOutside(
  scenario: DescribedScenario,
  way: readonly string[],
  signal: string,
): string | undefined {
  let name: string | undefined = signal;
  for (let depth = way.length; depth > 0 && name !== undefined; depth--) {
    const inner: string = name;
    const port = insideOf(scenario, way.slice(0, depth))?.ports.find((one) => one.inner === inner);
    name = port === undefined ? undefined : `${way[depth - 1]}.${port.name}`;
  }
  return name;
}

/**
 * The unit of what is shown in which a run failed, by the name that the run gives it: `load.shaft`.
 */
export function failedInside(
  failed: string | undefined,
  way: readonly string[],
): string | undefined {
  const prefix = way.map((name) => `${name}.`).join("");
  return failed?.startsWith(prefix) ? failed.slice(prefix.length).split(".")[0] : undefined;
}

interface NamedPorts {
  readonly inputs: Set<string>;
  readonly outputs: Set<string>;
}

/**
 * Ports by what connections say of them that could not be resolved: the place of the mistake is to
 * be seen.
 */
function namedPorts({ connections }: DescribedScenario): Map<string, NamedPorts> {
  const named = new Map<string, NamedPorts>();
  const of = (unit: string): NamedPorts => {
    const known = named.get(unit) ?? { inputs: new Set(), outputs: new Set() };
    named.set(unit, known);
    return known;
  };
  for (const { from, to, wires } of connections) {
    if (wires.length > 0) continue;
    const [source, target] = [splitName(from), splitName(to)];
    if (source) of(source.unit).outputs.add(source.port);
    if (target) of(target.unit).inputs.add(target.port);
  }
  return named;
}

/** `unit.port`; undefined for formulas and patterns. */
export function splitName(text: string): { unit: string; port: string } | undefined {
  const match = /^([\w-]+)\.([\w.[\],()-]+)$/.exec(text.trim());
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { unit: match[1], port: match[2] };
}

function unitOf(
  unit: DescribedUnit,
  findings: readonly Diagnostic[],
  named: NamedPorts | undefined,
): GraphUnit {
  const isUnknown = unit.backend === undefined;
  const ports = (direction: "input" | "output"): GraphPort[] => {
    const known = unit.ports.filter((port) => port.direction === direction).map(portOf);
    const names = new Set(known.map(({ name }) => name));
    const missing = [...(named?.[direction === "input" ? "inputs" : "outputs"] ?? [])]
      .filter((name) => !names.has(name))
      .map((name): GraphPort => ({ name, solid: false, isEvent: false, about: ["not known"] }));
    return [...known, ...missing];
  };
  const { model, backend = "not readable", adaptations, isolation, isFaulty, step } = unit;
  const isInside = unit.inside !== undefined;
  return {
    name: unit.name,
    caption: model === undefined || model === unit.name ? backend : `${model} · ${backend}`,
    inputs: ports("input"),
    outputs: ports("output"),
    marks: [
      ...(isolation === undefined ? [] : ["process"]),
      ...(unit.sourceKind === "remote" ? ["remote"] : []),
      ...(isFaulty ? ["fault"] : []),
      ...(adaptations.length > 0 ? ["adapted"] : []),
      ...(step === undefined ? [] : ["rate"]),
    ],
    ...(unit.drawnAt === undefined ? {} : { drawnAt: unit.drawnAt }),
    isNested: isInside,
    isUnknown,
    about: [
      unit.sourcePath ?? unit.sourceKind,
      ...adaptations.map((text) => `adapted: ${text}`),
      ...(isolation === undefined ? [] : [`runs in a ${isolation} of its own`]),
      ...(isFaulty ? ["faults act on it"] : []),
      ...(step === undefined ? [] : [`its own step: ${step} s`]),
    ],
    ...problemAt(findings, unit.line, new RegExp(`'${escaped(unit.name)}'`)),
  };
}

function portOf(port: DescribedPort): GraphPort {
  const { name, unit, kind, why, type, shape, description, nature, isClock, start, set } = port;
  const size = shape.length === 0 ? "" : `[${shape.join("×")}]`;
  return {
    name,
    ...(unit === undefined ? {} : { unit }),
    solid: kind === "reactive" || kind === "Mealy",
    isEvent: nature === "transient" || isClock === true,
    port,
    about: [
      `${type}${size}${unit === undefined ? "" : `, ${unit}`}, ${nature}`,
      ...(kind === undefined ? [] : [why === undefined ? kind : `${kind}: ${why}`]),
      ...(description === undefined ? [] : [description]),
      ...(set === undefined ? [] : [`set to ${set}`]),
      ...(start === undefined ? [] : [`starts with ${start}`]),
    ],
  };
}

function wiresOf(connection: DescribedConnection, findings: readonly Diagnostic[]): GraphWire[] {
  const { from, to, line, wires } = connection;
  const problem = problemAt(findings, line, undefined);
  const base = { ...(line === undefined ? {} : { line }), ...problem };
  if (wires.length === 0) {
    const [source, target] = [splitName(from), splitName(to)];
    return source && target
      ? [{ ...base, ...plainWire(source, target), about: [`${from} → ${to}`, "not resolved"] }]
      : [];
  }
  return wires.map((wire) => {
    const { fromUnit, fromPort, toUnit, toPort, conversion, approximation, bond, loop } = wire;
    const label = wire.formula ?? conversion;
    return {
      ...base,
      // Removing one of its wires removes the line that was written.
      ...(wire.formula === undefined ? {} : { written: { from, to } }),
      ...plainWire({ unit: fromUnit, port: fromPort }, { unit: toUnit, port: toPort }),
      inLoop: loop !== undefined,
      late: wire.isLate === true,
      varying: approximation !== undefined && approximation !== "hold",
      isEvent: wire.isEvent === true,
      ...(bond === undefined ? {} : { bond }),
      ...(label === undefined ? {} : { label: fitText(label, 11, MAX_LABEL) }),
      about: [
        `${fromUnit}.${fromPort} → ${toUnit}.${toPort}`,
        ...(wire.formula === undefined
          ? []
          : [`one term of ${toUnit}.${toPort} = ${wire.formula}`]),
        ...(conversion === undefined ? [] : [conversion]),
        ...(approximation === undefined ? [] : [approximation]),
        ...(bond === undefined ? [] : [`bond ${bond}`]),
        ...(loop === undefined ? [] : ["part of a loop"]),
        ...(wire.isLate === true ? ["one step late: the loop is broken here"] : []),
        ...(wire.isEvent === true ? ["carries events"] : []),
      ],
    };
  });
}

function plainWire(from: GraphWire["from"], to: GraphWire["to"]): Omit<GraphWire, "about"> {
  return {
    id: `${from.unit}.${from.port} -> ${to.unit}.${to.port}`,
    from,
    to,
    inLoop: false,
    late: false,
    varying: false,
    isEvent: false,
  };
}

function problemAt(
  findings: readonly Diagnostic[],
  line: number | undefined,
  named: RegExp | undefined,
): { problem?: Problem } {
  const here = findings.filter(
    ({ place, severity, message }) =>
      severity !== "note" &&
      ((line !== undefined && place.line === line) ||
        (place.line === undefined && named?.test(message))),
  );
  const worst = here.find(({ severity }) => severity === "error") ?? here[0];
  return worst === undefined
    ? {}
    : {
        problem: { severity: worst.severity, text: here.map(({ message }) => message).join("\n") },
      };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
