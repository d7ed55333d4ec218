/**
 * The graph of a scenario from what the checks know of it. Units that could not be read still have
 * a box, with the ports that connections name, so that the place of a mistake can be seen.
 */
import { addTo } from "@cosimo/base/collections.ts";
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
  const places = placesOf(findings);
  return {
    units: scenario.units.map((unit) => unitOf(unit, places, named.get(unit.name))),
    wires: scenario.connections.flatMap((connection) => wiresOf(connection, places)),
  };
}

/** Findings that boxes and wires show, so that each of thousands finds its own. */
interface Places {
  readonly atLine: ReadonlyMap<number, readonly Diagnostic[]>;
  /** They name what they are about. */
  readonly withoutLine: readonly Diagnostic[];
}

function placesOf(findings: readonly Diagnostic[]): Places {
  const shown = findings.filter(({ severity }) => severity !== "note");
  const atLine = new Map<number, Diagnostic[]>();
  for (const finding of shown)
    if (finding.place.line !== undefined) addTo(atLine, finding.place.line, finding);
  return { atLine, withoutLine: shown.filter(({ place }) => place.line === undefined) };
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

/** What is drawn of a description that nothing is said about: after an edit most are as they were. */
const unitsBefore = new WeakMap<DescribedUnit, GraphUnit>();
const wiresBefore = new WeakMap<DescribedConnection, readonly GraphWire[]>();

function unitOf(unit: DescribedUnit, places: Places, named: NamedPorts | undefined): GraphUnit {
  const { problem } = problemAt(places, unit.line, `'${unit.name}'`);
  if (named !== undefined) return unitWith(unit, named, problem);
  const plain = unitsBefore.get(unit) ?? unitWith(unit, undefined, undefined);
  unitsBefore.set(unit, plain);
  return problem === undefined ? plain : { ...plain, problem };
}

function unitWith(
  unit: DescribedUnit,
  named: NamedPorts | undefined,
  problem: Problem | undefined,
): GraphUnit {
  const isUnknown = unit.backend === undefined;
  const drawn = drawnPorts(unit.ports);
  const ports = (direction: "input" | "output"): readonly GraphPort[] => {
    const known = direction === "input" ? drawn.inputs : drawn.outputs;
    if (named === undefined) return known;
    const names = new Set(known.map(({ name }) => name));
    const missing = [...named[direction === "input" ? "inputs" : "outputs"]]
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
    ...(problem === undefined ? {} : { problem }),
  };
}

interface DrawnPorts {
  readonly inputs: readonly GraphPort[];
  readonly outputs: readonly GraphPort[];
}

const drawnBefore = new WeakMap<readonly DescribedPort[], DrawnPorts>();

function drawnPorts(ports: readonly DescribedPort[]): DrawnPorts {
  const known = drawnBefore.get(ports);
  if (known !== undefined) return known;
  const of = (direction: "input" | "output"): GraphPort[] =>
    ports.filter((port) => port.direction === direction).map(portOf);
  const made = { inputs: of("input"), outputs: of("output") };
  drawnBefore.set(ports, made);
  return made;
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

function wiresOf(connection: DescribedConnection, places: Places): readonly GraphWire[] {
  const { problem } = problemAt(places, connection.line, undefined);
  const plain = wiresBefore.get(connection) ?? plainWires(connection);
  wiresBefore.set(connection, plain);
  return problem === undefined ? plain : plain.map((wire) => ({ ...wire, problem }));
}

function plainWires({ from, to, line, wires }: DescribedConnection): GraphWire[] {
  const base = line === undefined ? {} : { line };
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

/** @param named how findings without a line name what is shown. */
function problemAt(
  { atLine, withoutLine }: Places,
  line: number | undefined,
  named: string | undefined,
): { problem?: Problem } {
  if (atLine.size === 0 && withoutLine.length === 0) return {};
  const here = [
    ...(line === undefined ? [] : (atLine.get(line) ?? [])),
    ...(named === undefined ? [] : withoutLine.filter(({ message }) => message.includes(named))),
  ];
  const worst = here.find(({ severity }) => severity === "error") ?? here[0];
  return worst === undefined
    ? {}
    : {
        problem: { severity: worst.severity, text: here.map(({ message }) => message).join("\n") },
      };
}
