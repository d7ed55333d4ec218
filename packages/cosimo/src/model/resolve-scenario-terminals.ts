/**
 * Groups of whole ports (`a.* -> b.*`) and terminals, expanded into pairs of ports.
 *
 * A terminal joins both directions at once: of two matching members the output feeds the input,
 * whichever side it is on. Flows sum up to zero (Kirchhoff's current law), so two inflows or two
 * outflows are connected with the sign reversed.
 */
import type { Place } from "../base/diagnostic.ts";
import { directionText, type ResolveContext } from "./resolve-scenario-context.ts";
import type {
  DescribedUnit,
  GroupReference,
  Pair,
  PortReference,
} from "./resolve-scenario-reference.ts";
import type { Port, Terminal, TerminalMember } from "./unit-description.ts";

/** Outputs on the left whose names, behind the prefixes, are names of inputs on the right. */
export function groupPairs(
  context: ResolveContext,
  from: GroupReference,
  to: GroupReference,
  place: Place,
): Pair[] {
  const inputs = context.portsOf(to.unit.description);
  const pairs = from.unit.description.ports.flatMap((port): Pair[] => {
    if (port.direction !== "output" || !port.name.startsWith(from.prefix)) return [];
    const target = inputs.get(to.prefix + port.name.slice(from.prefix.length));
    if (target?.direction !== "input") return [];
    return [{ from: wholePort(from.unit, port), to: wholePort(to.unit, target), sign: 1 }];
  });
  if (pairs.length === 0) context.report("group-empty", { from: from.text, to: to.text }, place);
  return pairs;
}

function wholePort(unit: DescribedUnit, port: Port): PortReference {
  const text = `${unit.draft.name}.${port.name}`;
  return { kind: "port", unit, port, element: 0, shape: port.shape, whole: true, text };
}

/** One terminal of a connection and the unit it belongs to. */
interface Side {
  readonly unit: DescribedUnit;
  readonly terminal: Terminal;
  readonly text: string;
}

const KNOWN_RULES = ["plug", "bus", "sequence"];

/** Pairs of all members, streams and inner terminals that match. */
export function connectTerminals(context: ResolveContext, a: Side, b: Side, place: Place): Pair[] {
  return new TerminalMatch(context, a, b, place).pairs();
}

class TerminalMatch {
  private readonly context: ResolveContext;
  private readonly a: Side;
  private readonly b: Side;
  private readonly place: Place;

  constructor(context: ResolveContext, a: Side, b: Side, place: Place) {
    this.context = context;
    this.a = a;
    this.b = b;
    this.place = place;
  }

  pairs(): Pair[] {
    const { context, a, b, place } = this;
    const rule = a.terminal.matchingRule;
    if (rule !== b.terminal.matchingRule || !KNOWN_RULES.includes(rule)) {
      const side = ({ text, terminal }: Side) => `'${text}' (${terminal.matchingRule})`;
      context.report("terminal-rule", { from: side(a), to: side(b) }, place);
      return [];
    }
    const inner = (side: Side, terminal: Terminal): Side => ({
      unit: side.unit,
      terminal,
      text: `${side.text}.${terminal.name}`,
    });
    const members = this.matchingMembers().flatMap(([left, right]) => this.pair(left, right) ?? []);
    const terminals = this.matchByName(a.terminal.terminals, b.terminal.terminals);
    return [
      ...members,
      ...streamPairs(a, b),
      ...streamPairs(b, a),
      ...terminals.flatMap(([left, right]) =>
        connectTerminals(context, inner(a, left), inner(b, right), place),
      ),
    ];
  }

  private matchingMembers(): (readonly [TerminalMember, TerminalMember])[] {
    const { a, b } = this;
    const left = a.terminal.members;
    const right = b.terminal.members;
    if (a.terminal.matchingRule !== "sequence") return this.matchByName(left, right);
    if (left.length !== right.length) {
      const shorter = left.length < right.length ? a : b;
      this.reportMissing(`number ${shorter.terminal.members.length + 1}`, shorter);
      return [];
    }
    return left.flatMap((member, i) => {
      const other = right[i];
      return other ? [[member, other] as const] : [];
    });
  }

  /** A plug needs every name on both sides; a bus takes those that both have. */
  private matchByName<T extends { readonly name: string }>(
    left: readonly T[],
    right: readonly T[],
  ): (readonly [T, T])[] {
    const named = new Map(right.map((one) => [one.name, one]));
    const pairs: (readonly [T, T])[] = [];
    const isBus = this.a.terminal.matchingRule === "bus";
    for (const one of left) {
      const other = named.get(one.name);
      if (other !== undefined) pairs.push([one, other]);
      else if (!isBus) this.reportMissing(one.name, this.b);
      named.delete(one.name);
    }
    if (!isBus) for (const name of named.keys()) this.reportMissing(name, this.a);
    return pairs;
  }

  private reportMissing(member: string, { text: missingIn }: Side): void {
    const params = { from: this.a.text, to: this.b.text, member, missingIn };
    this.context.report("terminal-member", params, this.place);
  }

  private pair(left: TerminalMember, right: TerminalMember): Pair | undefined {
    const { context, a, b, place } = this;
    const from = portOf(a, left.port);
    const to = portOf(b, right.port);
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
}

function portOf({ unit }: Side, index: number): PortReference {
  return wholePort(unit, unit.description.ports[index] as Port);
}

/** What flows out of `a` is what flows into `b`. */
function streamPairs(a: Side, b: Side): Pair[] {
  return a.terminal.streams.flatMap((out): Pair[] => {
    const into = b.terminal.streams.find(
      ({ inName, outName }) => inName === out.inName && outName === out.outName,
    );
    if (into === undefined) return [];
    return [{ from: portOf(a, out.outPort), to: portOf(b, into.inPort), sign: 1 }];
  });
}
