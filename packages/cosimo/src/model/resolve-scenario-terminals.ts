/**
 * Whole-port groups (`a.* -> b.*`) and terminals, expanded into pairs of ports.
 *
 * A terminal joins both directions at once: of two matching members the output feeds the input, whichever side it is on.
 * Flows sum up to zero (Kirchhoff), so two inflows or two outflows are connected with the sign reversed.
 */
import type { Place } from "../base/diagnostic.ts";
import { directionText, type OpenUnit, type ResolveContext } from "./resolve-scenario-context.ts";
import type { GroupReference, Pair, PortReference } from "./resolve-scenario-reference.ts";
import type { Terminal, TerminalMember } from "./unit-description.ts";

/** Outputs on the left whose names, behind the prefixes, are names of inputs on the right. */
export function groupPairs(
  context: ResolveContext,
  from: GroupReference,
  to: GroupReference,
  place: Place,
): Pair[] {
  const inputs = context.portsOf(to.unit.description!);
  const pairs: Pair[] = [];
  for (const port of from.unit.description!.ports) {
    if (port.direction !== "output" || !port.name.startsWith(from.prefix)) continue;
    const target = inputs.get(to.prefix + port.name.slice(from.prefix.length));
    if (target?.direction !== "input") continue;
    pairs.push({
      from: wholePort(from.unit, port.index),
      to: wholePort(to.unit, target.index),
      sign: 1,
    });
  }
  if (pairs.length === 0) context.report("group-empty", { from: from.text, to: to.text }, place);
  return pairs;
}

function wholePort(unit: OpenUnit, index: number): PortReference {
  const port = unit.description!.ports[index]!;
  const text = `${unit.draft.name}.${port.name}`;
  return { kind: "port", unit, port, element: 0, shape: port.shape, whole: true, text };
}

/** One terminal of a connection and the unit it belongs to. */
interface Side {
  readonly unit: OpenUnit;
  readonly terminal: Terminal;
  readonly text: string;
}

const KNOWN_RULES = ["plug", "bus", "sequence"];

/** Pairs of all members, streams and inner terminals that match. */
export function connectTerminals(context: ResolveContext, a: Side, b: Side, place: Place): Pair[] {
  const rule = a.terminal.matchingRule;
  if (rule !== b.terminal.matchingRule || !KNOWN_RULES.includes(rule)) {
    const side = ({ text, terminal }: Side) => `'${text}' (${terminal.matchingRule})`;
    context.report("terminal-rule", { from: side(a), to: side(b) }, place);
    return [];
  }
  const pairs: Pair[] = [];
  for (const [left, right] of matchingMembers(context, a, b, place)) {
    const pair = memberPair(context, a, b, left, right, place);
    if (pair !== undefined) pairs.push(pair);
  }
  pairs.push(...streamPairs(a, b), ...streamPairs(b, a));
  for (const [left, right] of matchingTerminals(context, a, b, place))
    pairs.push(...connectTerminals(context, inner(a, left), inner(b, right), place));
  return pairs;
}

function inner({ unit, text }: Side, terminal: Terminal): Side {
  return { unit, terminal, text: `${text}.${terminal.name}` };
}

type MemberPair = readonly [TerminalMember, TerminalMember];

function matchingMembers(context: ResolveContext, a: Side, b: Side, place: Place): MemberPair[] {
  const left = a.terminal.members;
  const right = b.terminal.members;
  if (a.terminal.matchingRule === "sequence") {
    if (left.length !== right.length) {
      const shorter = left.length < right.length ? a : b;
      const member = `number ${shorter.terminal.members.length + 1}`;
      reportMissing(context, a, b, member, shorter, place);
      return [];
    }
    return left.map((member, i) => [member, right[i]!]);
  }
  return matchByName(context, a, b, left, right, place);
}

function matchingTerminals(
  context: ResolveContext,
  a: Side,
  b: Side,
  place: Place,
): (readonly [Terminal, Terminal])[] {
  return matchByName(context, a, b, a.terminal.terminals, b.terminal.terminals, place);
}

/** A plug wants every name on both sides; a bus takes what both have. */
function matchByName<T extends { readonly name: string }>(
  context: ResolveContext,
  a: Side,
  b: Side,
  left: readonly T[],
  right: readonly T[],
  place: Place,
): (readonly [T, T])[] {
  const named = new Map(right.map((one) => [one.name, one]));
  const pairs: (readonly [T, T])[] = [];
  const isBus = a.terminal.matchingRule === "bus";
  for (const one of left) {
    const other = named.get(one.name);
    if (other !== undefined) pairs.push([one, other]);
    else if (!isBus) reportMissing(context, a, b, one.name, b, place);
    named.delete(one.name);
  }
  if (!isBus) for (const name of named.keys()) reportMissing(context, a, b, name, a, place);
  return pairs;
}

function reportMissing(
  context: ResolveContext,
  a: Side,
  b: Side,
  member: string,
  missingIn: Side,
  place: Place,
): void {
  const params = { from: a.text, to: b.text, member, missingIn: missingIn.text };
  context.report("terminal-member", params, place);
}

function memberPair(
  context: ResolveContext,
  a: Side,
  b: Side,
  left: TerminalMember,
  right: TerminalMember,
  place: Place,
): Pair | undefined {
  const from = wholePort(a.unit, left.port);
  const to = wholePort(b.unit, right.port);
  const sign = left.kind !== "signal" && left.kind === right.kind ? -1 : 1;
  const directions = `${from.port.direction} ${to.port.direction}`;
  if (directions === "output input") return { from, to, sign };
  if (directions === "input output") return { from: to, to: from, sign };
  const params = { from: a.text, to: b.text, member: left.name };
  if (directions === "input input" || directions === "output output") {
    const direction = directionText(from.port);
    return context.report("terminal-direction", { ...params, direction }, place);
  }
  return context.report("terminal-skipped", params, place);
}

/** What flows out of `a` is what flows into `b`. */
function streamPairs(a: Side, b: Side): Pair[] {
  const pairs: Pair[] = [];
  for (const out of a.terminal.streams) {
    const into = b.terminal.streams.find(
      ({ inName, outName }) => inName === out.inName && outName === out.outName,
    );
    if (into === undefined) continue;
    pairs.push({
      from: wholePort(a.unit, out.outPort),
      to: wholePort(b.unit, into.inPort),
      sign: 1,
    });
  }
  return pairs;
}
