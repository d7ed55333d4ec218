/**
 * A scenario for its diagram: what `cosimo check` knows, for a text that may not be saved, and as
 * much as can be said of one that is wrong.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { addTo } from "../base/collections.ts";
import { type Diagnostic, hasErrors } from "../base/diagnostic.ts";
import { present } from "../base/present.ts";
import { diskFiles, type Files } from "../host/sources/files.ts";
import { SourceTree } from "../host/sources/tree.ts";
import type { Trust } from "../host/trust.ts";
import { BACKENDS } from "../model/backends.ts";
import type {
  Connection,
  Scenario,
  ScenarioDraft,
  ScenarioUnit,
  UnitDraft,
  UnitSource,
} from "../model/scenario.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import { unitKind } from "../model/unit-kind.ts";
import type { Explanation, UnitExplanation } from "../plan/explain/explanation.ts";
import { explanationText } from "../plan/explain/explanation-text.ts";
import { planHash } from "../plan/plan-hash.ts";
import { printPlan } from "../plan/print-plan.ts";
import { loadModule } from "../platform/node/load-module.ts";
import { createTempFolder } from "../platform/node/temp-folder.ts";
import { type CheckedScenario, checkScenario } from "../run/check-scenario.ts";
import type { KeptFmus } from "./kept-fmus.ts";
import type {
  BriefExplanation,
  Described,
  DescribedConnection,
  DescribedPort,
  DescribedScenario,
  DescribedUnit,
  DescribedWire,
  DescribeRequest,
} from "./protocol.ts";

export interface DescribeAround {
  readonly trust: Trust;
  /** Names of files as the page knows them. */
  readonly shown: (path: string) => string;
  readonly fmus: KeptFmus;
}

export async function describeScenario(
  absolute: string,
  request: DescribeRequest,
  { trust, shown, fmus }: DescribeAround,
): Promise<Described> {
  const temp = createTempFolder();
  try {
    const unpacked = join(temp.path, "packages");
    mkdirSync(unpacked);
    // A module that was changed is another one.
    const disk: Files = {
      ...diskFiles(trust),
      fmu: (path) => fmus.open(path),
      module: (path) => loadModule(path, String(statSync(path).mtimeMs)),
    };
    const { text } = request;
    const files: Files =
      text === undefined
        ? disk
        : { ...disk, text: (path) => (path === absolute ? text : disk.text(path)) };
    const tree = new SourceTree(files, unpacked);
    const draft = await tree.readDraft(absolute);
    const place = (found: readonly Diagnostic[]): Diagnostic[] =>
      found.map((d) => ({ ...d, place: { ...d.place, file: shown(d.place.file) } }));
    if (draft === undefined) return { path: request.path, diagnostics: place(tree.diagnostics) };
    await tree.readUnits(draft);
    const resolved = tree.resolve(draft);
    const found = [...tree.diagnostics, ...resolved.diagnostics.map((d) => tree.shown(d))];
    const isSound = resolved.value !== undefined && !hasErrors(found);
    const checked = isSound
      ? checkScenario(resolved.value, present({ master: request.master, step: request.step }))
      : undefined;
    const context = { tree, shown, isPackage: draft.shownAs !== undefined };
    const scenario = describedScenario(context, draft, resolved.value, checked);
    const compiled = checked?.compiled;
    return {
      path: request.path,
      diagnostics: place([...found, ...(checked?.diagnostics ?? [])]),
      scenario,
      ...(compiled &&
        (request.isBrief === true
          ? { explanation: inBrief(compiled.explanation) }
          : {
              explanation: compiled.explanation,
              explanationText: explanationText(compiled.explanation),
              plan: {
                hash: planHash(compiled.plan),
                text: printPlan(compiled.plan, checked.scenario),
              },
            })),
    };
  } finally {
    temp.remove();
  }
}

function inBrief({ loops, master, recommendation }: Explanation): BriefExplanation {
  return { loops, master, recommendation };
}

interface Context {
  readonly tree: SourceTree;
  readonly shown: DescribeAround["shown"];
  /** Lines of a package are those of a file that is not in the folder. */
  readonly isPackage: boolean;
}

function describedScenario(
  context: Context,
  draft: ScenarioDraft,
  scenario: Scenario | undefined,
  checked: CheckedScenario | undefined,
): DescribedScenario {
  const explanation = checked?.compiled?.explanation;
  const line = (place: { readonly line?: number }): { line?: number } =>
    context.isPackage ? {} : present({ line: place.line });
  const wires = wiresByLine(scenario, explanation);
  const described = (from: string, to: string, place: Place): DescribedConnection => ({
    from,
    to,
    ...line(place),
    wires: wires.get(placeKey(place)) ?? [],
  });
  const bondEnds = (draft.bonds ?? []).flatMap(({ effort, flow }) => [effort, flow]);
  // Faults of the scenario itself act when it is run; those of nested ones are in their units.
  const faulty = new Set(
    (scenario?.units ?? []).flatMap(({ name, faulty }, u) =>
      faulty !== undefined || scenario?.faults?.some(({ unit }) => unit === u) ? [name] : [],
    ),
  );
  const resolved = byName(scenario?.units ?? []);
  const explained = byName(explanation?.units ?? []);
  const inside = new Map((checked?.inside ?? []).map((one) => [one.title, one]));
  return {
    name: draft.name,
    units: draft.units.map((unit) =>
      describedUnit(context, draft, unit, {
        resolved: resolved.get(unit.name),
        explained: explained.get(unit.name),
        nested: inside.get(`inside '${unit.name}'`),
        given: { ...line(unit.place), isFaulty: faulty.has(unit.name) },
      }),
    ),
    connections: [...draft.connections, ...bondEnds].map(({ from, to, place }) =>
      described(from, to, place),
    ),
    bonds: (draft.bonds ?? []).map(({ name, effort, flow, place }) => ({
      name,
      effort: { from: effort.from, to: effort.to },
      flow: { from: flow.from, to: flow.to },
      ...line(place),
    })),
    events: (scenario?.events ?? []).map(({ text, place }) => ({ text, ...line(place) })),
    constraints: (scenario?.constraints ?? []).map(({ text, place }) => ({ text, ...line(place) })),
    requirements: (scenario?.requirements ?? []).map((one) => ({
      text: one.name,
      ...line(one.place),
    })),
    faults: (scenario?.faults ?? []).map(({ text, place }) => ({ text, ...line(place) })),
    ports: draft.ports.map(({ name, inner }) => ({ name, inner })),
    experiment: present({
      start: draft.experiment.start,
      stop: draft.experiment.stop,
      step: draft.experiment.step,
      tolerance: draft.experiment.tolerance,
    }),
    ...present({
      master: explanation?.master.name,
      writtenMaster: draft.master.name || undefined,
    }),
    isStructured: draft.structure !== undefined,
  };
}

type Place = { readonly file: string; readonly line?: number; readonly column?: number };

const placeKey = ({ file, line, column }: Place): string => `${file}:${line}:${column}`;

/** Of two with the same name the first: the second one is a mistake. */
function byName<T extends { readonly name: string }>(all: readonly T[]): Map<string, T> {
  return new Map(all.toReversed().map((one) => [one.name, one]));
}

/** What the checks found out about a unit. */
interface KnownUnit {
  readonly resolved: ScenarioUnit | undefined;
  readonly explained: UnitExplanation | undefined;
  readonly nested: CheckedScenario | undefined;
  readonly given: Pick<DescribedUnit, "line" | "isFaulty">;
}

function describedUnit(
  context: Context,
  around: ScenarioDraft,
  unit: UnitDraft,
  { resolved, explained, nested, given }: KnownUnit,
): DescribedUnit {
  const { tree, shown } = context;
  const { innermost, adaptations } = unwrapped(unit.source);
  const description = resolved?.description ?? tryDescribe(tree, unit);
  const path = "path" in innermost ? resolve(dirname(around.file), innermost.path) : undefined;
  const sourcePath = path === undefined ? undefined : shown(tree.shownPath(path));
  const inner = innerDraft(tree, around, innermost);
  return {
    name: unit.name,
    sourceKind: innermost.kind,
    ...present({
      sourcePath,
      model: explained?.model ?? description?.name,
      backend: explained?.backend ?? (description && BACKENDS[description.backend].noun),
      step: unit.step,
      isolation: unit.isolation?.kind,
      drawnAt: unit.drawnAt,
      inside: inner && describedScenario(context, inner, resolved?.scenario, nested),
    }),
    ...given,
    ports: description === undefined ? [] : describedPorts(description, unit),
    adaptations,
  };
}

/**
 * A unit whose description cannot be made is shown without ports; what is wrong is among the
 * findings.
 */
function tryDescribe(tree: SourceTree, unit: UnitDraft): UnitDescription | undefined {
  return tree.has(unit.source) ? tree.describe(unit) : undefined;
}

function innerDraft(
  tree: SourceTree,
  around: ScenarioDraft,
  source: UnitSource,
): ScenarioDraft | undefined {
  if (source.kind === "scenario") return source.scenario;
  if (source.kind !== "scenario-file") return undefined;
  return tree.drafts.get(resolve(dirname(around.file), source.path));
}

/** What is inside of all adaptations, and these, the innermost first. */
function unwrapped(source: UnitSource): { innermost: UnitSource; adaptations: string[] } {
  const adaptations: string[] = [];
  let innermost = source;
  while (innermost.kind === "adapted") {
    adaptations.unshift(adaptationText(innermost));
    innermost = innermost.inner;
  }
  return { innermost, adaptations };
}

function adaptationText(source: Extract<UnitSource, { kind: "adapted" }>): string {
  const { adaptation, arguments: given } = source;
  const options = given.map(({ name, value }) => `${name}: ${String(value)}`).join(", ");
  return options === "" ? adaptation : `${adaptation} { ${options} }`;
}

const plainPorts = new WeakMap<UnitDescription, DescribedPort[]>();

/** Units that set nothing have the ports of their description. */
function describedPorts(description: UnitDescription, unit: UnitDraft): DescribedPort[] {
  if (unit.values.length > 0) return portsOf(description, unit);
  const known = plainPorts.get(description) ?? portsOf(description, unit);
  plainPorts.set(description, known);
  return known;
}

function portsOf(description: UnitDescription, unit: UnitDraft): DescribedPort[] {
  const { inputs, outputs } = unitKind(description);
  const kinds = new Map([...inputs, ...outputs].map((one) => [one.port.index, one]));
  const set = new Map(unit.values.map((value) => [value.port, value]));
  return description.ports
    .filter(({ direction }) => direction !== "independent")
    .map((port) => {
      const given = set.get(port.name);
      const kind = kinds.get(port.index);
      return {
        name: port.name,
        direction: port.direction,
        type: port.type,
        shape: port.shape,
        variability: port.variability,
        nature: port.nature,
        ...present({
          unit: port.unit?.name,
          kind: kind?.kind,
          why: kind?.why,
          description: port.description,
          start: startText(port),
          set: given && `${valueText(given.value)}${given.unit ? ` ${given.unit}` : ""}`,
          min: port.min,
          max: port.max,
          nominal: port.nominal,
          items: port.items && Object.fromEntries(port.items),
        }),
        ...(port.direction === "parameter" && port.variability === "tunable"
          ? { isTunable: true as const }
          : {}),
        ...(port.type === "clock" ? { isClock: true as const } : {}),
      };
    });
}

const MAX_ELEMENTS = 16;

function startText({ start, type }: Port): string | undefined {
  if (start === undefined || type === "binary") return undefined;
  return valueText(start.length === 1 ? (start[0] as string) : start);
}

function valueText(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  const shown = value.slice(0, MAX_ELEMENTS).map(String).join(", ");
  return value.length > MAX_ELEMENTS ? `[${shown}, …]` : `[${shown}]`;
}

/** What connections became, by the place that they were written at. */
function wiresByLine(
  scenario: Scenario | undefined,
  explanation: Explanation | undefined,
): Map<string, DescribedWire[]> {
  const wires = new Map<string, DescribedWire[]>();
  if (scenario === undefined) return wires;
  const { connections, units } = scenario;
  const isFormula = (unit: number): boolean => units[unit]?.source.kind === "formula";
  const known = { scenario, explanation, ...facts(scenario, explanation) };
  for (const [c, connection] of connections.entries()) {
    const { from, to } = connection;
    // A formula is a unit that nobody wrote: its terms lead to where its result leads.
    if (isFormula(from.unit)) continue;
    const last = isFormula(to.unit)
      ? connections.findIndex((one) => one.from.unit === to.unit)
      : undefined;
    const first = describedWire(known, connection, c);
    const result = last === undefined ? undefined : connections[last];
    const rest = result && describedWire(known, result, last as number);
    const source = units[to.unit]?.source;
    const formula = source?.kind === "formula" ? source.from : "";
    const wire = first && rest ? throughFormula(first, rest, formula) : first;
    if (wire === undefined) continue;
    addTo(wires, placeKey(connection.place), wire);
  }
  return wires;
}

function throughFormula(
  term: DescribedWire,
  result: DescribedWire,
  formula: string,
): DescribedWire {
  const { toUnit, toPort, bond } = result;
  const loop = term.loop ?? result.loop;
  return {
    ...term,
    toUnit,
    toPort,
    formula,
    ...present({ bond, loop }),
    ...(term.isLate || result.isLate ? { isLate: true as const } : {}),
  };
}

interface WireFacts {
  /** Loops that a port is part of, in order. */
  readonly loopsOf: ReadonlyMap<string, readonly number[]>;
  /** Names of bonds, by connection. */
  readonly bondOf: ReadonlyMap<number, string>;
}

function facts({ bonds }: Scenario, explanation: Explanation | undefined): WireFacts {
  const loopsOf = new Map<string, number[]>();
  for (const [loop, { ports }] of (explanation?.loops ?? []).entries())
    for (const port of ports) addTo(loopsOf, port, loop);
  const bondOf = new Map<number, string>();
  for (const { name, effort, flow } of bonds) bondOf.set(effort, name).set(flow, name);
  return { loopsOf, bondOf };
}

function describedWire(
  known: WireFacts & { readonly scenario: Scenario; readonly explanation: Explanation | undefined },
  { from, to, conversion }: Connection,
  c: number,
): DescribedWire | undefined {
  const { scenario, explanation, loopsOf, bondOf } = known;
  const [source, target] = [scenario.units[from.unit], scenario.units[to.unit]];
  const [output, input] = [
    source?.description.ports[from.port],
    target?.description.ports[to.port],
  ];
  if (!source || !target || !output || !input) return undefined;
  const explained = explanation?.connections[c];
  const ends = explained && new Set(loopsOf.get(explained.to));
  const loop = explained && loopsOf.get(explained.from)?.find((one) => ends?.has(one));
  return {
    fromUnit: source.name,
    fromPort: output.name,
    toUnit: target.name,
    toPort: input.name,
    ...present({
      conversion: conversion ?? explained?.conversion,
      approximation: explained?.approximation,
      bond: bondOf.get(c),
      loop,
    }),
    ...(explained?.delayed ? { isLate: true as const } : {}),
    ...(output.type === "clock" || output.nature === "transient" ? { isEvent: true as const } : {}),
  };
}
