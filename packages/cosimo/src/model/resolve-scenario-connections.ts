/**
 * Connections of a draft → connections between ports: groups and terminals expanded, every pair
 * checked for direction, shape, type and physical unit, and every input for a second source.
 */
import { formatPlace, type Place } from "../base/diagnostic.ts";
import { natureProblem } from "./natures.ts";
import type { Dimension } from "./physical-unit.ts";
import { type Conversion, conversion, IDENTITY } from "./physical-unit-conversion.ts";
import { isFloat, readPortValue } from "./port-value.ts";
import {
  directionText,
  type ResolveContext,
  shapeText,
  typedText,
} from "./resolve-scenario-context.ts";
import { expandTranslation, translationBetween } from "./resolve-scenario-counter.ts";
import { expandFormula, type FormulaPart } from "./resolve-scenario-formula.ts";
import { findReference, type Pair, type PortReference } from "./resolve-scenario-reference.ts";
import { asDifference, elementOf, findSignal } from "./resolve-scenario-signals.ts";
import { connectTerminals, groupPairs } from "./resolve-scenario-terminals.ts";
import { fitOf, isDiscrete, type Mapping, resolveMapping } from "./resolve-scenario-types.ts";
import type {
  Connection,
  ConnectionDraft,
  FormulaDraft,
  PortRef,
  Trigger,
  TriggerDraft,
} from "./scenario.ts";
import type { Port } from "./unit-description.ts";

/** Which elements of which input have a source, and where it is declared. */
export class SourceLedger {
  private readonly taken = new Map<string, { start: number; end: number; place: Place }[]>();

  /** Takes elements of an input; the place of an earlier source of one of them, or undefined. */
  take(unit: number, port: number, start: number, count: number, place: Place): Place | undefined {
    const key = `${unit} ${port}`;
    const ranges = this.taken.get(key) ?? [];
    const end = start + count;
    const other = ranges.find((range) => range.start < end && start < range.end);
    if (other !== undefined) return other.place;
    ranges.push({ start, end, place });
    this.taken.set(key, ranges);
    return undefined;
  }

  /** How many elements have a source. */
  count(unit: number, port: number): number {
    let sum = 0;
    for (const { start, end } of this.taken.get(`${unit} ${port}`) ?? []) sum += end - start;
    return sum;
  }
}

export function resolveConnections(
  context: ResolveContext,
  drafts: readonly ConnectionDraft[],
  ledger: SourceLedger,
): Connection[] {
  const connections: Connection[] = [];
  for (const draft of drafts) {
    const { formula } = draft;
    const parts =
      formula === undefined || isPort(context, draft.from)
        ? undefined
        : formulaParts(context, { ...draft, formula });
    if (parts === undefined) {
      const trigger = draft.trigger && resolveTrigger(context, draft.trigger, draft.place);
      if (draft.trigger !== undefined && trigger === undefined) continue;
      for (const { from, to, sign } of pairsOf(context, draft)) {
        const translation = isPlain(draft) && translationBetween(from.port, to.port);
        if (translation)
          add(draft, expandTranslation(context, draft, from, to, translation, trigger));
        else push(connect(context, draft, from, to, sign, ledger, trigger));
      }
    } else add(draft, parts);
  }
  return connections;

  /** What one written connection becomes. */
  function add(draft: ConnectionDraft, parts: readonly FormulaPart[]): void {
    for (const { from, to, trigger, isLast } of parts) {
      const { suppress, place } = draft;
      const part = isLast ? draft : { from: from.text, to: to.text, suppress, place };
      push(connect(context, part, from, to, 1, ledger, trigger));
    }
  }

  function push(connection: Connection | undefined): void {
    if (connection !== undefined) connections.push(connection);
  }
}

/** Whether nothing is said about values, so that a counter may stand for events. */
function isPlain(draft: ConnectionDraft): boolean {
  const { factor, offset, mapping, integral, interaction } = draft;
  return [factor, offset, mapping, integral, interaction].every((one) => one === undefined);
}

/** Names may look like formulas: what is the name of a port is one. */
function isPort(context: ResolveContext, text: string): boolean {
  for (let dot = text.indexOf("."); dot > 0; dot = text.indexOf(".", dot + 1)) {
    const description = context.unitByName.get(text.slice(0, dot))?.description;
    if (description && context.portsOf(description).has(text.slice(dot + 1))) return true;
  }
  return false;
}

/** The connections that a formula becomes; none after a report. */
function formulaParts(
  context: ResolveContext,
  draft: ConnectionDraft & { readonly formula: FormulaDraft },
): readonly FormulaPart[] {
  const { place, formula, from } = draft;
  const to = findReference(context, draft.to, "input", place);
  const terms = formula.terms.map((term) => findReference(context, term, "output", place));
  const trigger = draft.trigger && resolveTrigger(context, draft.trigger, place);
  if (draft.trigger !== undefined && trigger === undefined) return [];
  if (to === undefined || !terms.every((term) => term !== undefined)) return [];
  if (to.kind === "port" && terms.every((term) => term.kind === "port"))
    return expandFormula(context, draft, terms, to, trigger) ?? [];
  context.report("connection-kinds", { from, to: draft.to }, place);
  return [];
}

function pairsOf(context: ResolveContext, draft: ConnectionDraft): readonly Pair[] {
  const from = findReference(context, draft.from, "output", draft.place);
  const to = findReference(context, draft.to, "input", draft.place);
  if (from === undefined || to === undefined) return [];
  if (from.kind === "port" && to.kind === "port") return [{ from, to, sign: 1 }];
  if (draft.integral !== undefined) {
    context.report("integral-single", { from: draft.from, to: draft.to }, draft.place);
    return [];
  }
  if (from.kind === "terminal" && to.kind === "terminal")
    return connectTerminals(context, from, to, draft.place);
  if (from.kind === "group" && to.kind === "group")
    return groupPairs(context, from, to, draft.place);
  context.report("connection-kinds", { from: draft.from, to: draft.to }, draft.place);
  return [];
}

function connect(
  context: ResolveContext,
  draft: ConnectionDraft,
  from: PortReference,
  to: PortReference,
  sign: 1 | -1,
  ledger: SourceLedger,
  given: Trigger | undefined,
): Connection | undefined {
  const { place } = draft;
  if (!directionsFit(context, from, to, place)) return undefined;
  if (!shapesFit(from.shape, to.shape)) {
    const params = {
      from: `'${from.text}' (${shapeText(from.shape)})`,
      to: `'${to.text}' (${shapeText(to.shape)})`,
    };
    return context.report("connection-shape", params, place);
  }
  const nature = natureProblem(from.port.nature, to.port.nature);
  if (nature !== undefined)
    return context.report("connection-nature", { from: from.text, to: to.text, ...nature }, place);
  const typed = checkTypes(context, draft, from, to);
  const unit = checkUnits(context, draft, from, to);
  if (typed === undefined || unit === undefined) return undefined;
  const factor = (draft.factor ?? 1) * sign;
  const offset = draft.offset ?? 0;
  const scaled = factor !== 1 || offset !== 0 || unit.factor !== 1 || unit.offset !== 0;
  if (scaled && !(isFloat(to.port.type) && !isObject(from.port.type)))
    return context.report("connection-transformation", { to: typedText(to.text, to.port) }, place);
  const { approximation } = draft;
  if (approximation !== undefined && approximation !== "hold" && !isFloat(to.port.type)) {
    const params = { to: typedText(to.text, to.port), approximation };
    return context.report("connection-approximation", params, place);
  }
  const { integral: text } = draft;
  const integral = text === undefined ? text : findIntegral(context, text, draft, from, to);
  const trigger = given && ownTrigger(given, from, to);
  const count = sizeOf(to.shape);
  const first = ledger.take(to.unit.index, to.port.index, to.element, count, place);
  if (first !== undefined) {
    const params = { to: to.text, first: formatPlace(first) };
    return context.report("connection-two-sources", params, place);
  }
  if (from.unit === to.unit)
    context.report("connection-to-itself", { unit: from.unit.draft.name }, place);
  return {
    from: { unit: from.unit.index, port: from.port.index },
    to: { unit: to.unit.index, port: to.port.index },
    fromElement: from.element,
    toElement: to.element,
    count,
    // The unit is converted first, then the author's transformation applies in the target's unit
    // (SSP).
    factor: factor * unit.factor,
    offset: factor * unit.offset + offset,
    ...((unit.factor !== 1 || unit.offset !== 0) && {
      conversion: `${from.port.unit?.name} → ${to.port.unit?.name}`,
    }),
    ...(typed.mapping !== undefined && { mapping: typed.mapping }),
    ...(approximation !== undefined && { approximation }),
    ...(draft.kind !== undefined && { kind: draft.kind }),
    ...(integral !== undefined && { integral }),
    ...(trigger !== undefined && { trigger }),
    ...(draft.tolerance !== undefined && { tolerance: draft.tolerance }),
    ...(draft.interaction !== undefined && { interaction: draft.interaction }),
    place,
  };
}

/** A trigger with its port found and its level in the port's unit; undefined after a report. */
function resolveTrigger(
  context: ResolveContext,
  trigger: TriggerDraft,
  place: Place,
): Trigger | undefined {
  if (trigger.kind === "every") return trigger;
  if (trigger.kind !== "threshold") return triggerOn(context, trigger, place);
  const { when, unit, direction } = trigger;
  const signal = findSignal(context, when, "output", place);
  if (signal === undefined) return undefined;
  const read = readPortValue(signal.port, trigger.level, unit);
  if (!("value" in read)) {
    const why = "why" in read ? read.why : read.how;
    const value = `${trigger.level} ${unit}`;
    return context.report("value-unit", { port: when, value, why }, place);
  }
  const level = Number(read.value);
  return { kind: "threshold", port: elementOf(signal), level, direction };
}

/** Updates, events and reads of a port that is named. */
function triggerOn(
  context: ResolveContext,
  { kind, on }: Extract<TriggerDraft, { readonly on?: string }>,
  place: Place,
): Trigger | undefined {
  if (on === undefined) return { kind };
  const reads = kind === "ready-to-read";
  const found = findReference(context, on, reads ? "input" : "output", place);
  if (found === undefined) return undefined;
  if (found.kind === "port" && (found.port.direction === "input") === reads)
    return { kind, port: { unit: found.unit.index, port: found.port.index } };
  const direction = found.kind === "port" ? directionText(found.port) : `a ${found.kind}`;
  const params = { port: on, kind, direction, wanted: reads ? "an input" : "an output" };
  return context.report("trigger-port", params, place);
}

/** A trigger at the connection's own end needs no port. */
function ownTrigger(trigger: Trigger, from: PortReference, to: PortReference): Trigger {
  if (trigger.kind === "every" || trigger.kind === "threshold") return trigger;
  const { kind, port } = trigger;
  const end = kind === "ready-to-read" ? to : from;
  const isOwn = port?.unit === end.unit.index && port.port === end.port.index;
  return isOwn ? { kind } : trigger;
}

/** The output whose derivative `from` is, element by element; undefined after a report. */
function findIntegral(
  context: ResolveContext,
  text: string,
  { place, suppress }: ConnectionDraft,
  from: PortReference,
  to: PortReference,
): PortRef | undefined {
  const ends = { integral: text, from: from.text };
  if (!isFloat(from.port.type) || !isFloat(to.port.type))
    return context.report("integral-single", { from: from.text, to: to.text }, place);
  const found = findReference(context, text, "output", place);
  if (found === undefined) return undefined;
  const isOutput =
    found.kind === "port" && found.port.direction === "output" && isFloat(found.port.type);
  if (!isOutput || found.unit !== from.unit)
    return context.report("integral-unit", { ...ends, unit: from.unit.draft.name }, place);
  if (found.element !== from.element || found.shape.join() !== from.shape.join())
    return context.report("integral-shape", ends, place);
  const why = suppress.includes("unit") ? undefined : noIntegral(from.port, found.port);
  if (why !== undefined) return context.report("integral-measure", { ...ends, why }, place);
  return { unit: found.unit.index, port: found.port.index };
}

/**
 * Why the unit of `integral` is not that of `rate` times seconds; undefined when it is, or when a
 * unit is unknown.
 */
function noIntegral(rate: Port, integral: Port): string | undefined {
  if (rate.unit === undefined || integral.unit === undefined) return undefined;
  const { base } = asDifference(rate.unit);
  if (base === undefined) return undefined;
  const [kg, m, s, ...others] = base.dimension;
  const name = `(${rate.unit.name}).s`;
  const dimension: Dimension = [kg, m, s + 1, ...others];
  const way = conversion({ name, base: { ...base, dimension } }, asDifference(integral.unit));
  if ("error" in way) return way.kind === "unknown" ? undefined : way.error;
  return way.factor === 1 ? undefined : `'${name}' is ${way.factor} '${integral.unit.name}'`;
}

function directionsFit(
  context: ResolveContext,
  from: PortReference,
  to: PortReference,
  place: Place,
): boolean {
  const ends = { from: from.text, to: to.text };
  if (from.port.direction === "input" && to.port.direction === "output") {
    context.report("connection-from-input", ends, place);
    return false;
  }
  const fromFits = from.port.direction === "output";
  const toFits = to.port.direction === "input";
  if (!fromFits) {
    const direction = directionText(from.port);
    context.report("connection-from", { from: from.text, direction }, place);
  }
  if (!toFits)
    context.report("connection-to", { to: to.text, direction: directionText(to.port) }, place);
  return fromFits && toFits;
}

/** Dimensions of size 1 do not count: a row of three fits a vector of three. */
function shapesFit(a: readonly number[], b: readonly number[]): boolean {
  const left = a.filter((size) => size !== 1);
  const right = b.filter((size) => size !== 1);
  return left.length === right.length && left.every((size, i) => size === right[i]);
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function isObject(type: string): boolean {
  return type === "string" || type === "binary" || type === "clock";
}

function checkTypes(
  context: ResolveContext,
  draft: ConnectionDraft,
  from: PortReference,
  to: PortReference,
): { readonly mapping?: Mapping } | undefined {
  const ends = { from: typedText(from.text, from.port), to: typedText(to.text, to.port) };
  if (draft.mapping !== undefined)
    return checkMapping(context, draft.mapping, ends, from, to, draft.place);
  const fit = fitOf(from.port, to.port);
  switch (fit.kind) {
    case "fits":
      return fit.mapping === undefined ? {} : { mapping: fit.mapping };
    case "rounds":
      context.report("connection-rounds", ends, draft.place);
      return {};
    case "unchecked":
      context.report("connection-unchecked", ends, draft.place);
      return {};
    case "no":
      return context.report("connection-type", { ...ends, fix: fit.fix }, draft.place);
  }
}

function checkMapping(
  context: ResolveContext,
  written: Mapping,
  ends: { readonly from: string; readonly to: string },
  from: PortReference,
  to: PortReference,
  place: Place,
): { readonly mapping: Mapping } | undefined {
  if (!isDiscrete(from.port.type) || !isDiscrete(to.port.type))
    return context.report("mapping-type", ends, place);
  const resolved = resolveMapping(from.port, to.port, written);
  if ("badValue" in resolved) {
    const { badValue, side, how } = resolved;
    const params = { value: String(badValue), port: ends[side], how };
    return context.report("mapping-value", params, place);
  }
  if (!("missing" in resolved)) return resolved;
  const params = { from: ends.from, missing: resolved.missing };
  return context.report("mapping-incomplete", params, place);
}

/** The conversion; a port without a unit takes the number as it comes. */
function checkUnits(
  context: ResolveContext,
  draft: ConnectionDraft,
  from: PortReference,
  to: PortReference,
): Conversion | undefined {
  const a = from.port.unit;
  const b = to.port.unit;
  if (a === undefined || b === undefined || draft.suppress.includes("unit")) return IDENTITY;
  const way = conversion(a, b);
  const ends = { from: from.text, to: to.text };
  if (!("error" in way)) {
    if (way.radian) context.report("unit-radian", ends, draft.place);
    return way;
  }
  if (way.kind !== "unknown")
    return context.report("unit-mismatch", { ...ends, why: way.error }, draft.place);
  context.report("unit-unknown", { ...ends, why: way.error }, draft.place);
  return IDENTITY;
}
