/**
 * Bonds, constraints, events, limits and faults of a scenario written in code, as drafts: the same
 * words as in scenario.yaml.
 */
import { type Place, unwrap } from "../base/diagnostic.ts";
import { parseSource } from "../lang/expression/interaction.ts";
import { parseFaultLine } from "../lang/fault/parse-fault.ts";
import type {
  BondDraft,
  ComputeTransfer,
  ConnectionDraft,
  ConstraintDraft,
  EventDraft,
  ScenarioDraft,
  StepLimitDraft,
  StructureDraft,
  StructureRuleDraft,
} from "../model/scenario.ts";
import {
  parseCondition,
  parseEquation,
  parseLevel,
  parseSigned,
  splitList,
} from "../model/scenario-notation.ts";

export type ConnectionModel = Pick<ConnectionDraft, "from" | "to"> &
  Partial<Omit<ConnectionDraft, "from" | "to" | "place">>;

/** What a scenario may say beside units and connections. */
export interface DeclarationsModel {
  readonly bonds?: readonly BondModel[];
  readonly constraints?: readonly ConstraintModel[];
  readonly events?: readonly EventModel[];
  readonly limits?: readonly LimitModel[];
  /** `"motor.speed stuck 0 at 3 s"`, one line each, as on the command line. */
  readonly faults?: readonly string[];
  readonly structure?: StructureModel;
}

/** Which units and connections there are changes while the scenario runs. */
export interface StructureModel {
  /** Units that do not exist at the start. */
  readonly absent?: readonly string[];
  readonly rules: readonly StructureRuleModel[];
}

/**
 * One of `at` (seconds) and `when` (`"motor.temperature > 90 degC"`, or a list of which all hold).
 */
export interface StructureRuleModel {
  readonly at?: number;
  readonly when?: string | readonly string[];
  readonly remove?: string | readonly string[];
  readonly add?: string | readonly string[];
  /** `replace: "detailed", with: "cheap"`: remove the one, add the other. */
  readonly replace?: string;
  readonly with?: string;
  readonly connect?: readonly (string | ConnectionModel)[];
  readonly disconnect?: readonly string[];
  /**
   * What added units begin with: `{ "cheap.x": "detailed.x" }`, or a function from values before
   * the change to these values.
   */
  readonly transfer?: Readonly<Record<string, string>> | ComputeTransfer;
}

/** Two connections, in opposite directions between two units, whose product is a power. */
export interface BondModel {
  readonly name: string;
  readonly effort: string | ConnectionModel;
  readonly flow: string | ConnectionModel;
  /**
   * Default: "nothing", the energy is watched. "energy": what the exchange loses or makes is given
   * back.
   */
  readonly preserve?: BondDraft["preserve"];
}

export interface ConstraintModel {
  /** `"left.x = right.x"`. */
  readonly constraint: string;
  /** The inputs that hold it: `"left.F, -right.F"`, or a list of them. */
  readonly by: string | readonly string[];
  /**
   * `"left.v = right.v"`, or "none"; found by itself where the units say what is the derivative of
   * what.
   */
  readonly rate?: string;
}

export interface EventModel {
  readonly when: string;
  /** A level in the port's unit, `"2 m"`, or another output. */
  readonly crosses: number | string;
  /** Default: "any". */
  readonly direction?: EventDraft["direction"];
  /** In the port's unit. */
  readonly tolerance?: number;
  /**
   * Seconds between two events (`temporal`), and how far from the level the signal must have been
   * in between (`spatial`).
   */
  readonly regularization?: { readonly temporal?: number; readonly spatial?: number };
}

export type LimitModel =
  /** Communication points at start + offset + i * every, seconds. */
  | { readonly every: number; readonly offset?: number }
  | { readonly at: readonly number[] }
  /** No step changes this output by more: a number in the port's unit, or `"10 rpm"`. */
  | { readonly difference: string; readonly atMost: number | string };

/** @throws TypeError when a text or number is not what the word is made for. */
export function declarationsOf(
  { bonds, constraints, events, limits, faults, structure }: DeclarationsModel,
  place: Place,
): Pick<ScenarioDraft, "bonds" | "constraints" | "events" | "limits" | "faults" | "structure"> {
  return {
    ...(bonds && { bonds: bonds.map((bond) => bondOf(bond, place)) }),
    ...(constraints && { constraints: constraints.map((one) => constraintOf(one, place)) }),
    ...(events && { events: events.map((event) => eventOf(event, place)) }),
    ...(limits && { limits: limits.map((limit) => limitOf(limit, place)) }),
    ...(faults && { faults: faults.map((line) => unwrap(parseFaultLine(line, place))) }),
    ...(structure && { structure: structureOf(structure, place) }),
  };
}

function structureOf({ absent = [], rules }: StructureModel, place: Place): StructureDraft {
  return { absent, rules: rules.map((rule) => ruleOf(rule, place)), place };
}

function ruleOf(rule: StructureRuleModel, place: Place): StructureRuleDraft {
  const { at, when, remove = [], add = [], replace, transfer = {} } = rule;
  if ((at === undefined) === (when === undefined))
    throw new TypeError("a rule of the structure has one of 'at' and 'when'");
  if ((replace === undefined) !== (rule.with === undefined))
    throw new TypeError("'replace' and 'with' belong together");
  return {
    ...(at !== undefined && { at }),
    when: [when ?? []].flat().map((text) => conditionOf(text, place)),
    remove: [remove, replace ?? []].flat(),
    add: [add, rule.with ?? []].flat(),
    connect: (rule.connect ?? []).map((one) => connectionOf(one, place)),
    disconnect: (rule.disconnect ?? []).map((one) => connectionOf(one, place)),
    ...(typeof transfer === "function"
      ? { transfer: [], compute: transfer }
      : { transfer: Object.entries(transfer).map(([to, from]) => ({ to, from, place })) }),
    place,
  };
}

function conditionOf(text: string, place: Place): StructureRuleDraft["when"][number] {
  const condition = parseCondition(text);
  if (condition !== undefined) return { ...condition, place };
  throw new TypeError(`'${text}' does not compare two values; write 'motor.temperature > 90 degC'`);
}

export function connectionOf(written: string | ConnectionModel, place: Place): ConnectionDraft {
  const ends = typeof written === "string" ? endsOf(written) : written;
  const source = parseSource(ends.from, place);
  if (source === undefined) return { suppress: [], ...ends, place };
  if ("from" in source) return { suppress: [], ...ends, ...source, place };
  const why = "mistake" in source ? source.mistake.message : source.why;
  throw new TypeError(`'${ends.from}' is not a formula: ${why}`);
}

function endsOf(text: string): { readonly from: string; readonly to: string } {
  const [from, to, ...rest] = text.trim().split(/\s*(?:->|→)\s*/);
  if (!from || !to || rest.length > 0)
    throw new TypeError(`'${text}' is not a connection; write 'unit.port -> unit.port'`);
  return { from, to };
}

function bondOf({ name, effort, flow, preserve = "nothing" }: BondModel, place: Place): BondDraft {
  return {
    name,
    effort: connectionOf(effort, place),
    flow: connectionOf(flow, place),
    preserve,
    place,
  };
}

function constraintOf({ constraint, by, rate }: ConstraintModel, place: Place): ConstraintDraft {
  const forces = [by].flat().flatMap(splitList).map(forceOf);
  if (forces.length === 0) throw new TypeError(`no input holds '${constraint}'; name one in 'by'`);
  return {
    ...sidesOf(constraint),
    by: forces,
    ...(rate !== undefined && { rate: rate === "none" ? rate : sidesOf(rate) }),
    place,
  };
}

function forceOf(text: string): ConstraintDraft["by"][number] {
  const force = parseSigned(text);
  if (force !== undefined) return force;
  throw new TypeError(`'${text}' is not an input with a sign; write 'left.F, -right.F'`);
}

function sidesOf(text: string): { readonly left: string; readonly right: string } {
  const sides = parseEquation(text);
  if (sides !== undefined) return sides;
  throw new TypeError(`'${text}' is not an equation; write 'left.x = right.x'`);
}

function eventOf(event: EventModel, place: Place): EventDraft {
  const { when, crosses, direction = "any", tolerance, regularization = {} } = event;
  const { temporal, spatial } = regularization;
  return {
    when,
    ...parseLevel(crosses),
    direction,
    ...(tolerance !== undefined && { tolerance: above0("tolerance", tolerance) }),
    ...(event.regularization && {
      regularization: {
        ...(temporal !== undefined && { temporal: above0("temporal", temporal) }),
        ...(spatial !== undefined && { spatial: above0("spatial", spatial) }),
      },
    }),
    place,
  };
}

function limitOf(limit: LimitModel, place: Place): StepLimitDraft {
  if ("every" in limit) {
    const { every, offset = 0 } = limit;
    return { kind: "every", every: above0("every", every), offset, place };
  }
  if ("at" in limit) return { kind: "at", times: limit.at, place };
  const { crosses, unit } = parseLevel(limit.atMost);
  if (typeof crosses === "string")
    throw new TypeError(`'${limit.atMost}' is not a number; write 'atMost: "10 rpm"'`);
  const atMost = above0("atMost", crosses);
  const draft = { kind: "difference" as const, port: limit.difference, atMost, place };
  return unit === undefined ? draft : { ...draft, unit };
}

function above0(name: string, value: number): number {
  if (value > 0 && Number.isFinite(value)) return value;
  throw new TypeError(`'${name}' must be above 0, not ${value}`);
}
