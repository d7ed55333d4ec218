/**
 * Faults of a draft, with references in place of names and values of the types of their ports.
 */
import { type Checked, formatPlace, type Place } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import type { Expression } from "./adaptation/data.ts";
import { SA_FUNCTIONS, wrongCount } from "./adaptation/functions.ts";
import {
  FAULT_KINDS,
  type Fault,
  type FaultCondition,
  type FaultDraft,
  type FaultEffect,
  type FaultEffectDraft,
  type FaultTarget,
  type FaultTrigger,
} from "./faults.ts";
import { INTEGER_RANGES, isFloat, readPortValue } from "./port-value.ts";
import {
  directionText,
  type OpenUnit,
  ResolveContext,
  typedText,
} from "./resolve-scenario-context.ts";
import { findReference, type PortReference } from "./resolve-scenario-reference.ts";
import { readDifference } from "./resolve-scenario-signals.ts";
import type { PortRef, Scenario } from "./scenario.ts";
import { type Port, portSize } from "./unit-description.ts";
import type { Value, ValueType } from "./value-type.ts";

/** Resolves further faults of a scenario that is there already: those of a command line. */
export function resolveMoreFaults(
  scenario: Scenario,
  drafts: readonly FaultDraft[],
): Checked<Scenario> {
  const context = new ResolveContext();
  scenario.units.forEach(({ name, source, description, scenario: inner, place }, index) => {
    const draft = { name, source, values: [], place };
    const unit: OpenUnit = { draft, index, description, ...(inner && { scenario: inner }) };
    context.units.push(unit);
    context.unitByName.set(name, unit);
  });
  const faults = resolveFaults(context, drafts, scenario.faults ?? []);
  return { value: { ...scenario, faults }, diagnostics: context.diagnostics };
}

/** @param known faults that are resolved already; the result begins with them. */
export function resolveFaults(
  context: ResolveContext,
  drafts: readonly FaultDraft[],
  known: readonly Fault[] = [],
): Fault[] {
  const faults = [...known];
  const names = new Map<string, Place>(known.map(({ name, place }) => [name, place]));
  for (const draft of drafts) {
    const first = draft.name === undefined ? undefined : names.get(draft.name);
    if (draft.name !== undefined && first !== undefined) {
      const params = { name: draft.name, first: formatPlace(first) };
      context.report("fault-name-taken", params, draft.place);
      continue;
    }
    const fault = resolveFault(context, draft);
    if (fault === undefined) continue;
    const name = draft.name ?? freeName(fault.name, names);
    names.set(name, draft.place);
    faults.push({ ...fault, name });
  }
  return faults;
}

/** `motor.speed`, then `motor.speed.2`. */
function freeName(wanted: string, taken: ReadonlyMap<string, Place>): string {
  if (!taken.has(wanted)) return wanted;
  let count = 2;
  while (taken.has(`${wanted}.${count}`)) count++;
  return `${wanted}.${count}`;
}

/** @returns the fault under the name of its target. */
function resolveFault(context: ResolveContext, draft: FaultDraft): Fault | undefined {
  const { target, effect, text, place } = draft;
  const { of } = FAULT_KINDS[effect.kind];
  const when = resolveTrigger(context, draft);
  const unit = context.unitByName.get(target);
  if (of === "unit") {
    if (unit === undefined) return reportNoUnit(context, draft);
    if (when === undefined || effect.kind === "fails" || effect.kind === "frozen")
      return (
        when && {
          name: target,
          unit: unit.index,
          effect: { kind: effect.kind } as FaultEffect,
          when,
          text,
          place,
        }
      );
    return undefined;
  }
  if (unit !== undefined) {
    const { example } = FAULT_KINDS[effect.kind];
    const fix = `name a port: '${target}.<port> ${example}', or use 'frozen' or 'fails'`;
    return context.report(
      "fault-not-possible",
      { target, why: `'${effect.kind}' is about a port, and this is a unit`, fix },
      place,
    );
  }
  const found = findPort(context, target, place);
  if (found === undefined || when === undefined) return undefined;
  const resolved = resolveEffect(context, draft, effect, found);
  if (resolved === undefined) return undefined;
  const { unit: owner, port, element, shape } = found;
  const part: FaultTarget = { port: port.index, element, count: portSize({ shape }) };
  return { name: target, unit: owner.index, target: part, effect: resolved, when, text, place };
}

function reportNoUnit(context: ResolveContext, { target, place }: FaultDraft): undefined {
  const names = context.units.map(({ draft }) => draft.name);
  const hint = { nearest: nearest(target, names), names };
  return context.report("unknown-unit", { unit: target, hint }, place);
}

/** `unit.port`, or the name of a port that only one unit has. */
function findPort(
  context: ResolveContext,
  target: string,
  place: Place,
): PortReference | undefined {
  if (!target.includes(".")) {
    const owners = context.units.filter(
      ({ description }) => description && context.portsOf(description).has(target),
    );
    const [owner] = owners;
    if (owners.length > 1) {
      const names = owners.map(({ draft }) => `${draft.name}.${target}`);
      const params = {
        target,
        why: `'${names.join("' and '")}' have that name`,
        fix: `write '${names[0]}'`,
      };
      return context.report("fault-not-possible", params, place);
    }
    if (owner === undefined) {
      const names = context.units.flatMap(({ draft, description }) =>
        (description?.ports ?? []).map(({ name }) => ({ name, full: `${draft.name}.${name}` })),
      );
      const near = nearest(
        target,
        names.map(({ name }) => name),
      );
      const full = names.find(({ name }) => name === near)?.full;
      const fix = full === undefined ? "write 'unit.port'" : `did you mean '${full}'?`;
      return context.report(
        "fault-not-possible",
        { target, why: "no unit has a port of that name", fix },
        place,
      );
    }
    return findPort(context, `${owner.draft.name}.${target}`, place);
  }
  const found = findReference(context, target, "output", place);
  if (found === undefined || found.kind === "port") return found;
  const params = { target, why: `it is a ${found.kind}`, fix: "write one fault per port" };
  return context.report("fault-not-possible", params, place);
}

const DIRECTIONS: readonly Port["direction"][] = ["output", "input", "parameter", "local"];

/** What a port of that type can suffer. */
function whyNot(
  { kind }: FaultEffectDraft,
  { type, nature, direction, variability, clock }: Port,
): string | undefined {
  const isNumber = isFloat(type) || INTEGER_RANGES[type] !== undefined;
  if (!DIRECTIONS.includes(direction)) return "faults act on outputs, inputs and parameters";
  const isLate = kind === "delay";
  if (type === "clock" && !isLate && kind !== "drop-out") return "a clock has no value";
  if (direction === "parameter" && variability !== "tunable")
    return "only tunable parameters can change during a run";
  if (direction === "parameter" && (kind === "delay" || kind === "drop-out"))
    return `a parameter is not transmitted, so '${kind}' means nothing for it`;
  if (nature === "transient" && !isLate && kind !== "drop-out")
    return "it carries events: 'drop-out' and 'delay' are the faults that they have";
  if (nature === "transient" && isLate && direction !== "input")
    return "events are late where they arrive: delay the inputs that it is connected to";
  if (nature === "transient" && isLate && type !== "boolean" && type !== "clock")
    return "an event that has a value is not delayed";
  if (type === "clock" && direction === "input" && clock?.interval !== "triggered")
    return "it ticks by itself, so nothing is transmitted that could be lost or late";
  if (["offset", "gain", "drift", "noise"].includes(kind) && !isNumber)
    return `'${kind}' is for numbers`;
  if (kind === "bit-flip" && bitsOf(type) === 0) return "'bit-flip' is for numbers and booleans";
  return undefined;
}

/** How many bits a value of the type has that can flip. */
function bitsOf(type: ValueType): number {
  const digits = /^(?:float|u?int)(\d+)$/.exec(type);
  if (digits !== null) return Number(digits[1]);
  return type === "boolean" ? 1 : type === "enumeration" ? 32 : 0;
}

function resolveEffect(
  context: ResolveContext,
  { target, place }: FaultDraft,
  effect: FaultEffectDraft,
  { port, shape }: PortReference,
): FaultEffect | undefined {
  const refuse = (why: string, fix: string): undefined =>
    context.report("fault-not-possible", { target, why, fix }, place);
  const why = whyNot(effect, port);
  if (why !== undefined) {
    const what = `${typedText(port.name, port)} is ${directionText(port)}`;
    return refuse(`${what}; ${why}`, "choose another port, or another kind of fault");
  }
  switch (effect.kind) {
    case "stuck": {
      if (effect.value === undefined) return { kind: "stuck" };
      const read = readPortValue(port, effect.value);
      if ("value" in read)
        return { kind: "stuck", values: filled(read.value, portSize({ shape })) };
      return "how" in read
        ? refuse(`'${effect.value}' is not a value of it`, read.how)
        : refuse(
            `'${effect.value}' does not fit: ${read.why}`,
            "give the value in a unit of the port",
          );
    }
    case "offset":
    case "drift":
    case "noise": {
      const { unit, amount: given, ...rest } = effect;
      const read = readDifference(port, given, unit);
      if (!("value" in read))
        return refuse(
          `'${given} ${unit}' does not fit: ${read.why}`,
          "give it in a unit of the port",
        );
      return { ...rest, amount: read.value } as FaultEffect;
    }
    case "bit-flip": {
      const bits = bitsOf(port.type);
      if (effect.bit < bits) return effect;
      return refuse(
        `it has ${bits === 1 ? "one bit" : `${bits} bits`}, and no bit ${effect.bit}`,
        `choose a bit from 0 to ${bits - 1}`,
      );
    }
    default:
      return effect;
  }
}

function filled(value: Value, size: number): Value[] {
  return new Array<Value>(size).fill(value);
}

function resolveTrigger(context: ResolveContext, { when }: FaultDraft): FaultTrigger | undefined {
  if (when.kind === "time") return when;
  const condition = resolveCondition(context, when.condition);
  return condition && { ...when, condition };
}

/** @returns undefined after a report. */
function resolveCondition(
  context: ResolveContext,
  expression: Expression,
): FaultCondition | undefined {
  const signals = new Map<string, PortRef>();
  const isFine = visit(context, expression, signals);
  return isFine ? { expression, signals } : undefined;
}

/** The text that names a signal in a condition. */
export function signalText(unit: string, name: string): string {
  return `${unit}.${name}`;
}

function visit(context: ResolveContext, e: Expression, signals: Map<string, PortRef>): boolean {
  switch (e.kind) {
    case "number":
    case "boolean":
      return true;
    case "unary":
      return visit(context, e.operand, signals);
    case "binary":
      // Both, so that every mistake is reported.
      return [e.left, e.right].map((side) => visit(context, side, signals)).every(Boolean);
    case "conditional":
      return [e.condition, e.then, e.otherwise]
        .map((part) => visit(context, part, signals))
        .every(Boolean);
    case "call": {
      const known = SA_FUNCTIONS.get(e.callee);
      if (known?.compute === undefined) {
        const callable = [...SA_FUNCTIONS].flatMap(([name, { compute }]) =>
          compute ? [name] : [],
        );
        const near = nearest(e.callee, callable);
        const fix =
          near === undefined ? `one of ${callable.join(", ")}` : `did you mean '${near}'?`;
        context.report(
          "fault-not-possible",
          { target: e.callee, why: "conditions have no function of that name", fix },
          e.place,
        );
        return false;
      }
      const count = wrongCount(e.callee, e.arguments.length);
      if (count !== undefined) {
        context.report(
          "fault-not-possible",
          { target: e.callee, why: count, fix: `write ${known.usage}` },
          e.place,
        );
        return false;
      }
      return e.arguments.map((one) => visit(context, one, signals)).every(Boolean);
    }
    case "reference": {
      if (e.unit === undefined && e.name === "time") return true;
      const text = e.unit === undefined ? e.name : signalText(e.unit, e.name);
      const found = findPort(context, text, e.place);
      if (found === undefined) return false;
      const { port, shape, unit } = found;
      const isRead = port.direction === "output" || port.direction === "local";
      const isValue = port.type !== "string" && port.type !== "binary";
      if (!isRead || !isValue || portSize({ shape }) !== 1) {
        const what = `${typedText(text, port)} is ${directionText(port)}`;
        context.report(
          "fault-not-possible",
          {
            target: text,
            why: `${what}; conditions compare single numbers and booleans that units give`,
            fix: "name a scalar output",
          },
          e.place,
        );
        return false;
      }
      signals.set(text, { unit: unit.index, port: port.index });
      return true;
    }
    default: {
      context.report(
        "fault-not-possible",
        {
          target: "the condition",
          why: "it holds something that is not a number or a boolean",
          fix: "compare outputs with numbers",
        },
        e.place,
      );
      return false;
    }
  }
}
