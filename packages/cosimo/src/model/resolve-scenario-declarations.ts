/**
 * Bonds, constraints, events and limits of a draft, with references in place of names. Bonds are
 * pairs of connections, so they join the scenario's connections; the inputs that hold a constraint
 * have the master as their source.
 */
import { formatPlace, type Place } from "../base/diagnostic.ts";
import { isFloat, readPortValue } from "./port-value.ts";
import { resolveConnections, type SourceLedger } from "./resolve-scenario-connections.ts";
import type { ResolveContext } from "./resolve-scenario-context.ts";
import type { PortReference } from "./resolve-scenario-reference.ts";
import {
  compareUnits,
  elementOf,
  findSignal,
  readDifference,
  unitsBetween,
} from "./resolve-scenario-signals.ts";
import type {
  Bond,
  BondDraft,
  Connection,
  Constraint,
  ConstraintDraft,
  Crossing,
  EventDraft,
  StepLimit,
  StepLimitDraft,
} from "./scenario.ts";

/** Appends the connections of the bonds to `connections`. */
export function resolveBonds(
  context: ResolveContext,
  drafts: readonly BondDraft[],
  connections: Connection[],
  ledger: SourceLedger,
): Bond[] {
  const bonds: Bond[] = [];
  const names = new Map<string, Place>();
  for (const { name, effort, flow, preserve, place } of drafts) {
    const first = names.get(name);
    if (first !== undefined)
      context.report("bond-name-taken", { name, first: formatPlace(first) }, place);
    else names.set(name, place);
    const [there, back] = [effort, flow].map((draft) => {
      const made = resolveConnections(context, [draft], ledger);
      const index = connections.length;
      connections.push(...made);
      const [first] = made;
      const isFit = first !== undefined && isBondable(context, name, made, draft.place);
      return isFit ? { index, from: first.from.unit, to: first.to.unit } : undefined;
    });
    if (there === undefined || back === undefined) continue;
    if (there.from !== back.to || there.to !== back.from || there.from === there.to) {
      const params = { name, effort: ends(effort), flow: ends(flow) };
      context.report("bond-direction", params, place);
    } else bonds.push({ name, effort: there.index, flow: back.index, preserve, place });
  }
  return bonds;
}

function ends({ from, to }: { readonly from: string; readonly to: string }): string {
  return `${from} -> ${to}`;
}

/** A connection that failed was reported already. */
function isBondable(
  context: ResolveContext,
  name: string,
  made: readonly Connection[],
  place: Place,
): boolean {
  const [one] = made;
  if (one === undefined) return false;
  const isReal = [one.from, one.to].every(({ unit, port }) => {
    const type = context.units[unit]?.description?.ports[port]?.type;
    return type !== undefined && isFloat(type);
  });
  if (made.length > 1 || one.count !== 1 || !isReal) {
    context.report("bond-scalar", { name }, place);
    return false;
  }
  if (one.offset !== 0) {
    context.report("bond-offset", { name, conversion: one.conversion }, place);
    return false;
  }
  return true;
}

export function resolveConstraints(
  context: ResolveContext,
  drafts: readonly ConstraintDraft[],
  ledger: SourceLedger,
): Constraint[] {
  return drafts.flatMap((draft) => resolveConstraint(context, draft, ledger) ?? []);
}

function resolveConstraint(
  context: ResolveContext,
  draft: ConstraintDraft,
  ledger: SourceLedger,
): Constraint | undefined {
  const { place } = draft;
  const left = findSignal(context, draft.left, "output", place);
  const right = findSignal(context, draft.right, "output", place);
  const by = resolveForces(context, draft, ledger);
  if (left === undefined || right === undefined) return undefined;
  if (isSame(left, right)) return context.report("constraint-itself", { text: left.text }, place);
  const way = compareUnits(context, left, right, place);
  const rate = way && resolveRate(context, draft, left, right, way.factor);
  if (way === undefined || by === undefined || rate === "refused") return undefined;
  return {
    left: elementOf(left),
    right: elementOf(right),
    factor: way.factor,
    offset: way.offset,
    ...(rate !== undefined && { rate }),
    by,
    text: `${draft.left} = ${draft.right}`,
    place,
  };
}

function isSame(a: PortReference, b: PortReference): boolean {
  return a.unit === b.unit && a.port === b.port && a.element === b.element;
}

/** The rates that the author names, else the derivatives that the units declare. */
function resolveRate(
  context: ResolveContext,
  draft: ConstraintDraft,
  left: PortReference,
  right: PortReference,
  factor: number,
): Constraint["rate"] | "refused" {
  const { place } = draft;
  if (draft.rate === "none") return undefined;
  if (draft.rate === undefined) {
    const [a, b] = [derivativeOf(left), derivativeOf(right)];
    if (a !== undefined && b !== undefined)
      return { left: elementOf(a), right: elementOf(b), factor };
    const params = { text: `${draft.left} = ${draft.right}`, port: a ? right.text : left.text };
    return context.report("constraint-rate-unknown", params, place);
  }
  const a = findSignal(context, draft.rate.left, "readable", place);
  const b = findSignal(context, draft.rate.right, "readable", place);
  if (a === undefined || b === undefined) return "refused";
  if (a.unit !== left.unit || b.unit !== right.unit) {
    const [rate, signal] = a.unit !== left.unit ? [a, left] : [b, right];
    const params = { rate: rate.text, unit: signal.unit.draft.name, signal: signal.text };
    context.report("constraint-rate-unit", params, place);
    return "refused";
  }
  const way = compareUnits(context, a, b, place);
  if (way === undefined) return "refused";
  const known = a.port.unit !== undefined && b.port.unit !== undefined;
  return { left: elementOf(a), right: elementOf(b), factor: known ? way.factor : factor };
}

/** The same element of the port that is the derivative of the signal's. */
function derivativeOf(signal: PortReference): PortReference | undefined {
  const { unit, port: state } = signal;
  const all = unit.description.ports.filter((one) => one.derivativeOf === state.index);
  const port = all.find(({ direction }) => direction === "output") ?? all[0];
  if (port === undefined || port.shape.join() !== state.shape.join()) return undefined;
  return { ...signal, port, text: `${unit.draft.name}.${port.name}` };
}

const LEVER =
  "name inputs that measure the same thing, or write the lever or ratio between them: '-0.5 * right.M'";

/**
 * The one force is measured in the unit of the first input; the others get it in theirs. A number
 * that the author writes may be a lever or a ratio, so with it an input may measure something else.
 */
function resolveForces(
  context: ResolveContext,
  { by, place }: ConstraintDraft,
  ledger: SourceLedger,
): Constraint["by"] | undefined {
  const forces: Constraint["by"][number][] = [];
  let first: PortReference | undefined;
  for (const { port, factor } of by) {
    const input = findSignal(context, port, "input", place);
    if (input === undefined) continue;
    first ??= input;
    const way =
      Math.abs(factor) === 1
        ? compareUnits(context, input, first, place, LEVER)
        : unitsBetween(input, first);
    const { unit, port: index, element } = elementOf(input);
    const taken = ledger.take(unit, index, element, 1, place);
    if (taken !== undefined)
      context.report("connection-two-sources", { to: port, first: formatPlace(taken) }, place);
    else if (way !== undefined)
      forces.push({ unit, port: index, element, factor: factor * way.factor });
  }
  return forces.length === by.length ? forces : undefined;
}

export function resolveEvents(context: ResolveContext, drafts: readonly EventDraft[]): Crossing[] {
  return drafts.flatMap((draft) => resolveEvent(context, draft) ?? []);
}

function resolveEvent(context: ResolveContext, draft: EventDraft): Crossing | undefined {
  const { when, crosses, unit, direction, tolerance, place } = draft;
  const signal = findSignal(context, when, "output", place);
  const regularization = signal && resolveRegularization(context, draft, signal);
  const way = direction === "any" ? "" : `, ${direction}`;
  const rest = {
    direction,
    ...(tolerance !== undefined && { tolerance }),
    ...(regularization && { regularization }),
    text: `${when} crosses ${crosses}${unit === undefined ? "" : ` ${unit}`}${way}`,
    place,
  };
  if (typeof crosses === "string") {
    const other = findSignal(context, crosses, "threshold", place);
    if (signal === undefined || other === undefined) return undefined;
    if (isSame(signal, other)) return context.report("event-itself", { text: when }, place);
    const units = compareUnits(context, signal, other, place);
    if (units === undefined) return undefined;
    const { factor, offset } = units;
    return {
      signal: elementOf(signal),
      level: 0,
      other: { ...elementOf(other), factor, offset },
      ...rest,
    };
  }
  if (signal === undefined) return undefined;
  const level = readPortValue(signal.port, crosses, unit);
  if ("value" in level) return { signal: elementOf(signal), level: Number(level.value), ...rest };
  const why = "why" in level ? level.why : level.how;
  return context.report("value-unit", { port: when, value: `${crosses} ${unit}`, why }, place);
}

/** In the unit of the signal; a distance that cannot be converted is reported and left out. */
function resolveRegularization(
  context: ResolveContext,
  { regularization, when, place }: EventDraft,
  { port }: PortReference,
): Crossing["regularization"] {
  if (regularization === undefined) return undefined;
  const { temporal, spatial, unit } = regularization;
  const read = spatial === undefined ? undefined : readDifference(port, spatial, unit);
  if (read && "why" in read)
    context.report("value-unit", { port: when, value: `${spatial} ${unit}`, why: read.why }, place);
  return {
    ...(temporal !== undefined && { temporal }),
    ...(read && "value" in read && { spatial: read.value }),
  };
}

export function resolveLimits(
  context: ResolveContext,
  drafts: readonly StepLimitDraft[],
): StepLimit[] {
  return drafts.flatMap((draft): StepLimit | [] => {
    const { place } = draft;
    if (draft.kind !== "difference") {
      const { place: _, ...limit } = draft;
      return limit;
    }
    const signal = findSignal(context, draft.port, "output", place);
    if (signal === undefined) return [];
    const read = readDifference(signal.port, draft.atMost, draft.unit);
    if ("value" in read)
      return { kind: "difference", signal: elementOf(signal), atMost: read.value };
    const value = `${draft.atMost} ${draft.unit}`;
    return context.report("value-unit", { port: draft.port, value, why: read.why }, place) ?? [];
  });
}
