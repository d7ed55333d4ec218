/**
 * Structures that change while a scenario runs (dynamic structure, survey §3.3.3): which of them
 * can occur, each of them resolved and checked as a scenario of its own, and which rule leads from
 * which to which.
 *
 * A structure is the set of units that exist and the set of connections that are enabled. A
 * connection is there while it is enabled and the units at both ends exist, so `connections` may
 * name units that come later. A rule is applicable where everything that it removes or disconnects
 * is there and everything that it adds or connects is not; elsewhere it has no effect. Structures
 * are found breadth first from that of the start.
 */
import { type Checked, type Diagnostic, hasErrors } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { IDENTITY } from "./physical-unit-conversion.ts";
import { isFloat, readPortValue } from "./port-value.ts";
import type { ResolveContext } from "./resolve-scenario-context.ts";
import { findReference, type PortReference } from "./resolve-scenario-reference.ts";
import { compareUnits, elementOf } from "./resolve-scenario-signals.ts";
import { isSettable, resolveValues } from "./resolve-scenario-values.ts";
import {
  type Condition,
  type ConditionDraft,
  type ConnectionDraft,
  NO_DECLARATIONS,
  type PortValue,
  type Scenario,
  type ScenarioDraft,
  type ScenarioUnit,
  type StateTransfer,
  type StructureDraft,
  type StructureRule,
  type StructureRuleDraft,
  type TransferDraft,
} from "./scenario.ts";
import { portSize } from "./unit-description.ts";
import { bankOf } from "./value-type.ts";

/** Structures that are checked at most. */
const MOST_STATES = 64;

/** Names of the units that exist, and connections that are enabled as places in a list of all. */
interface State {
  readonly units: ReadonlySet<string>;
  readonly enabled: ReadonlySet<number>;
}

/**
 * @param context with all units of the draft, described.
 * @param resolveOne resolves the scenario of one structure.
 */
export function resolveStructure(
  context: ResolveContext,
  draft: ScenarioDraft,
  structure: StructureDraft,
  units: readonly ScenarioUnit[],
  resolveOne: (draft: ScenarioDraft) => Checked<Scenario>,
): Checked<Scenario> {
  checkNames(context, draft, structure);
  if (hasErrors(context.diagnostics)) return { diagnostics: context.diagnostics };
  const all = new Connections(draft, structure);
  for (const { from, to, place } of all.unknown)
    context.report("structure-connection", { connection: `${from} -> ${to}` }, place);
  const found = enumerate(context, draft, structure, all);
  const rules = structure.rules.map((rule) => resolveRule(context, rule, units));
  const diagnostics: Diagnostic[] = [];
  const computed = new ComputedUnits(units.length);
  const states = found.states.flatMap((state, s) => {
    const one = draftOf(draft, state, all);
    const resolved = resolveOne(one);
    for (const finding of resolved.diagnostics)
      if (!diagnostics.some((known) => isSame(known, finding)))
        diagnostics.push(s === 0 ? finding : inState(finding, one));
    if (resolved.value === undefined) return [];
    const { units: own } = resolved.value;
    const named = indicesOf(units, state);
    return [
      { units: [...named, ...computed.places(own.slice(named.length))], scenario: resolved.value },
    ];
  });
  diagnostics.push(...context.diagnostics);
  if (states.length < found.states.length || rules.some((rule) => rule === undefined))
    return { diagnostics };
  const { name, file, experiment, master, record } = draft;
  const value: Scenario = {
    ...NO_DECLARATIONS,
    name,
    file,
    units: [
      ...units.map((unit, u) => ({ ...unit, values: valuesOf(context, u) })),
      ...computed.units,
    ],
    connections: [],
    ports: [],
    experiment,
    master,
    record,
    structure: { states, rules: rules as StructureRule[], next: found.next },
  };
  return { value, diagnostics };
}

/**
 * Units that resolution put between others (formulas, counters): one that several structures have
 * is one unit.
 */
class ComputedUnits {
  readonly units: ScenarioUnit[] = [];
  private readonly first: number;

  /** @param first place behind all named units. */
  constructor(first: number) {
    this.first = first;
  }

  places(found: readonly ScenarioUnit[]): number[] {
    return found.map((unit) => {
      const known = this.units.findIndex(({ name }) => name === unit.name);
      return this.first + (known >= 0 ? known : this.units.push(unit) - 1);
    });
  }
}

function valuesOf(context: ResolveContext, u: number): PortValue[] {
  const unit = context.units[u];
  return unit === undefined ? [] : resolveValues(context, unit);
}

function isSame(a: Diagnostic, b: Diagnostic): boolean {
  return (
    a.code === b.code &&
    a.place.line === b.place.line &&
    a.place.column === b.place.column &&
    (a.message === b.message || a.message.startsWith(`${b.message} (`))
  );
}

function inState(finding: Diagnostic, { units }: ScenarioDraft): Diagnostic {
  const names = units.map(({ name }) => `'${name}'`).join(", ");
  return { ...finding, message: `${finding.message} (while there are ${names || "no units"})` };
}

function indicesOf(units: readonly ScenarioUnit[], state: State): number[] {
  return [...units.entries()].filter(([, { name }]) => state.units.has(name)).map(([u]) => u);
}

function checkNames(
  context: ResolveContext,
  draft: ScenarioDraft,
  { absent, rules, place }: StructureDraft,
): void {
  const names = draft.units.map(({ name }) => name);
  const check = (unit: string, where: typeof place): void => {
    if (names.includes(unit)) return;
    context.report("structure-unit", { unit, nearest: nearest(unit, names) }, where);
  };
  for (const unit of absent) check(unit, place);
  for (const rule of rules)
    for (const unit of [...rule.add, ...rule.remove]) check(unit, rule.place);
}

// ---- connections ----------------------------------------------------------------------------

const ends = ({ from, to }: ConnectionDraft): string => `${from} -> ${to}`;

/** Those of the scenario, which are enabled at the start, then those that rules alone connect. */
class Connections {
  readonly drafts: readonly ConnectionDraft[];
  /** What rules disconnect although it is nowhere connected. */
  readonly unknown: readonly ConnectionDraft[];
  readonly initial: ReadonlySet<number>;
  private readonly names: readonly string[];

  constructor(draft: ScenarioDraft, { rules }: StructureDraft) {
    const known = new Set(draft.connections.map(ends));
    const added = rules
      .flatMap(({ connect }) => connect)
      .filter((one) => !known.has(ends(one)) && known.add(ends(one)));
    this.drafts = [...draft.connections, ...added];
    this.initial = new Set(draft.connections.keys());
    this.unknown = rules
      .flatMap(({ disconnect }) => disconnect)
      .filter((one) => !known.has(ends(one)));
    // The longest name wins, as in references.
    this.names = draft.units.map(({ name }) => name).sort((a, b) => b.length - a.length);
  }

  places(one: ConnectionDraft): number[] {
    return [...this.drafts.entries()].filter(([, c]) => ends(c) === ends(one)).map(([at]) => at);
  }

  /** Whether every unit of the scenario that the texts name exists. */
  isThere(texts: readonly string[], { units }: State): boolean {
    return texts.every((text) => {
      const unit = this.unitOf(text);
      return unit === undefined || units.has(unit);
    });
  }

  unitOf(text: string): string | undefined {
    return this.names.find((name) => text.startsWith(`${name}.`));
  }
}

/** The scenario of one structure. What names units that do not exist is not part of it. */
function draftOf(draft: ScenarioDraft, state: State, all: Connections): ScenarioDraft {
  const there = (...texts: string[]): boolean => all.isThere(texts, state);
  const { structure: _, ...rest } = draft;
  return {
    ...rest,
    units: draft.units.filter(({ name }) => state.units.has(name)),
    connections: all.drafts.filter(({ from, to }, c) => state.enabled.has(c) && there(from, to)),
    ports: draft.ports.filter(({ inner }) => there(inner)),
    bonds: (draft.bonds ?? []).filter(({ effort, flow }) =>
      there(effort.from, effort.to, flow.from, flow.to),
    ),
    constraints: (draft.constraints ?? []).filter(({ left, right, by }) =>
      there(left, right, ...by.map(({ port }) => port)),
    ),
    events: (draft.events ?? []).filter(({ when, crosses }) => there(when, String(crosses))),
    limits: (draft.limits ?? []).filter((one) => one.kind !== "difference" || there(one.port)),
  };
}

// ---- which structures can occur -------------------------------------------------------------

interface Found {
  readonly states: readonly State[];
  readonly next: readonly (readonly number[])[];
}

function enumerate(
  context: ResolveContext,
  draft: ScenarioDraft,
  { absent, rules, place }: StructureDraft,
  all: Connections,
): Found {
  const missing = new Set(absent);
  const first: State = {
    units: new Set(draft.units.map(({ name }) => name).filter((name) => !missing.has(name))),
    enabled: all.initial,
  };
  const states = [first];
  const keys = new Map([[keyOf(first), 0]]);
  const next: number[][] = [];
  // States that are found on the way are visited as well.
  for (const state of states) {
    const row = rules.map((rule) => {
      const after = apply(rule, state, all);
      if (after === undefined) return -1;
      const key = keyOf(after);
      const known = keys.get(key);
      if (known !== undefined) return known;
      keys.set(key, states.length);
      return states.push(after) - 1;
    });
    next.push(row);
    if (states.length > MOST_STATES) {
      context.report("structure-too-many", { limit: MOST_STATES }, place);
      return { states: [first], next: [rules.map(() => -1)] };
    }
  }
  rules.forEach((rule, r) => {
    if (next.some((row) => row[r] !== -1)) return;
    const why = whyNot(rule, first, all);
    context.report("structure-idle", { what: textOf(rule), why }, rule.place);
  });
  return { states, next };
}

function keyOf({ units, enabled }: State): string {
  return `${[...units].sort().join(" ")} | ${[...enabled].sort((a, b) => a - b).join(" ")}`;
}

/** What a rule makes of a structure; undefined where it is not applicable. */
function apply(rule: StructureRuleDraft, state: State, all: Connections): State | undefined {
  if (whyNot(rule, state, all) !== "") return undefined;
  const units = new Set([...state.units].filter((name) => !rule.remove.includes(name)));
  for (const name of rule.add) units.add(name);
  const enabled = new Set(state.enabled);
  for (const one of rule.disconnect) for (const c of all.places(one)) enabled.delete(c);
  for (const one of rule.connect) for (const c of all.places(one)) enabled.add(c);
  return { units, enabled };
}

/** Why a rule is not applicable; empty where it is. */
function whyNot(rule: StructureRuleDraft, state: State, all: Connections): string {
  const { units, enabled } = state;
  const gone = rule.remove.find((name) => !units.has(name));
  if (gone !== undefined) return `'${gone}' does not exist`;
  const there = rule.add.find((name) => units.has(name) && !rule.remove.includes(name));
  if (there !== undefined) return `'${there}' exists already`;
  const loose = rule.disconnect.find((one) => !all.places(one).some((c) => enabled.has(c)));
  if (loose !== undefined) return `'${ends(loose)}' is not connected`;
  const bound = rule.connect.find((one) => all.places(one).some((c) => enabled.has(c)));
  if (bound !== undefined) return `'${ends(bound)}' is connected already`;
  const watched = rule.when.flatMap(({ signal, level }) => [signal, String(level)]);
  if (!all.isThere(watched, state)) return "a unit of its condition does not exist";
  const sources = rule.transfer.map(({ from }) => from);
  if (!all.isThere(sources, state)) return "a unit that it transfers values from does not exist";
  return "";
}

// ---- rules ----------------------------------------------------------------------------------

function textOf({ remove, add, connect, disconnect }: StructureRuleDraft): string {
  const names = (list: readonly string[]): string => list.map((name) => `'${name}'`).join(", ");
  const parts = [
    remove.length > 0 && add.length > 0
      ? `replaces ${names(remove)} by ${names(add)}`
      : remove.length > 0
        ? `removes ${names(remove)}`
        : add.length > 0
          ? `adds ${names(add)}`
          : "",
    disconnect.length > 0 ? `disconnects ${names(disconnect.map(ends))}` : "",
    connect.length > 0 ? `connects ${names(connect.map(ends))}` : "",
  ];
  return parts.filter((part) => part !== "").join(" and ") || "changes nothing";
}

function resolveRule(
  context: ResolveContext,
  draft: StructureRuleDraft,
  units: readonly ScenarioUnit[],
): StructureRule | undefined {
  const { at, compute, place } = draft;
  const when = draft.when.flatMap((one) => resolveCondition(context, one) ?? []);
  const transfer = draft.transfer.flatMap((one) => resolveTransfer(context, one, draft) ?? []);
  if (when.length < draft.when.length || transfer.length < draft.transfer.length) return undefined;
  const indices = (names: readonly string[]): number[] =>
    [...units.entries()].filter(([, { name }]) => names.includes(name)).map(([u]) => u);
  return {
    ...(at !== undefined && { at }),
    when,
    removed: indices(draft.remove),
    added: indices(draft.add),
    transfer,
    ...(compute && { compute }),
    text: textOf(draft),
    place,
  };
}

/** A scalar output that is a number; undefined after a report. */
function findNumber(
  context: ResolveContext,
  text: string,
  { place }: ConditionDraft,
): PortReference | undefined {
  const found = findReference(context, text, "output", place);
  if (found === undefined) return undefined;
  const fail = (why: string): undefined =>
    context.report("structure-condition", { signal: text, why }, place);
  if (found.kind !== "port") return fail(`it is a ${found.kind}`);
  if (found.port.direction !== "output") return fail("it is not an output");
  if (bankOf(found.port.type) !== "f64") return fail(`its type is ${found.port.type}`);
  if (portSize(found) !== 1) return fail("it is an array");
  return found;
}

function resolveCondition(context: ResolveContext, draft: ConditionDraft): Condition | undefined {
  const { signal: text, operator, level, unit, place } = draft;
  const signal = findNumber(context, text, draft);
  if (signal === undefined) return undefined;
  const value = `${level}${unit === undefined ? "" : ` ${unit}`}`;
  const common = {
    signal: elementOf(signal),
    operator,
    text: `${text} ${operator} ${value}`,
    place,
  };
  if (typeof level === "string") {
    const other = findNumber(context, level, draft);
    const way = other && compareUnits(context, signal, other, place);
    if (other === undefined || way === undefined) return undefined;
    const { factor, offset } = way;
    return { ...common, level: 0, other: { ...elementOf(other), factor, offset } };
  }
  // Booleans and integers are compared as the numbers that they are.
  const read = isFloat(signal.port.type)
    ? readPortValue(signal.port, level, unit)
    : { value: level };
  if ("value" in read) return { ...common, level: Number(read.value) };
  const why = "why" in read ? read.why : read.how;
  return context.report("value-unit", { port: text, value, why }, place);
}

function resolveTransfer(
  context: ResolveContext,
  { to, from, place }: TransferDraft,
  rule: StructureRuleDraft,
): StateTransfer | undefined {
  const target = findReference(context, to, "input", place);
  const source = findReference(context, from, "output", place);
  if (target === undefined || source === undefined) return undefined;
  const isAdded = rule.add.includes(target.unit.draft.name);
  if (target.kind !== "port" || !target.whole || !isAdded || !isSettable(target.port))
    return context.report("structure-transfer-to", { to }, place);
  // A unit that is added by the same rule, and not removed by it, did not exist before.
  const { name } = source.unit.draft;
  const isNew = rule.add.includes(name) && !rule.remove.includes(name);
  if (source.kind !== "port" || !source.whole || isNew)
    return context.report("structure-transfer-from", { from }, place);
  const why =
    bankOf(source.port.type) !== bankOf(target.port.type)
      ? `${source.port.type} is not ${target.port.type}`
      : portSize(source.port) !== portSize(target.port)
        ? `${portSize(source.port)} elements are not ${portSize(target.port)}`
        : "";
  if (why !== "") return context.report("structure-transfer-shape", { from, to, why }, place);
  const isReal = isFloat(source.port.type) && isFloat(target.port.type);
  const way = isReal ? compareUnits(context, target, source, place) : IDENTITY;
  if (way === undefined) return undefined;
  const { factor, offset } = way;
  return {
    from: { unit: source.unit.index, port: source.port.index },
    to: { unit: target.unit.index, port: target.port.index },
    factor,
    offset,
  };
}
