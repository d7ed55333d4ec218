/**
 * What processes of a distributed run agree on, on its way through a network: put as JSON by the
 * one that starts the run, and read member by member by sessions, which do not trust it: every
 * number of a unit, port, connector and process is looked at before it is used.
 */
import type { Agreed, EndPort, MovedConnection } from "../../coordinate/agreed.ts";
import type { Connector } from "../../coordinate/connector.ts";
import { type CountedSoFar, EVENT_KINDS } from "../../engine/event-counts.ts";
import type { ElementRef, PortRef, Trigger } from "../../model/scenario.ts";
import { bankOf, TYPE_NAMES, type Value, type ValueType } from "../../model/value-type.ts";
import { isToken } from "../../platform/nats/network-settings.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { putNumber, putValue, Untrusted } from "../../remote/untrusted.ts";

/** Of one session. */
export interface Invitation {
  readonly agreed: Agreed;
  /** Its number among the processes. */
  readonly process: number;
  /** The node of each process. */
  readonly nodes: readonly string[];
  /** Names the run in subjects; known to its processes alone. */
  readonly run: string;
  /** Where the caller hears this session. */
  readonly answers: string;
  /** Units of this session, by number, and the channels on which they were opened. */
  readonly seats: readonly { readonly unit: number; readonly channel: number }[];
  /** Where the session keeps its parts of cuts, and the cut that it goes on from. */
  readonly cuts?: InvitedCuts;
}

export interface InvitedCuts {
  /** Names the run in the store. */
  readonly token: string;
  /** Of the peers of this session, hexadecimal. */
  readonly keys: readonly { readonly peer: number; readonly key: string }[];
  /** The processes that had these peers then. */
  readonly from?: { readonly number: number; readonly processes: readonly number[] };
}

const MAX_UNITS = 100_000;
const MAX_PORTS = 10_000_000;
const MAX_SIZE = 1 << 26;
const MAX_CONNECTORS = 1_000_000;

export function putInvitation({ agreed, ...rest }: Invitation): Uint8Array {
  const { start, stop, origin, step, steps, connectors, connections } = agreed;
  const data = {
    ...rest,
    ...agreed,
    ...{ start: putNumber(start), stop: putNumber(stop), origin: putNumber(origin) },
    ...{ step: putNumber(step), steps: steps.map((value) => ({ value: putNumber(value) })) },
    shown: agreed.shown.map((ports) => ({ ports })),
    connectors: connectors.map((one) => ({ ...one, trigger: putTrigger(one.trigger) })),
    connections: connections.map(putConnection),
    counted: agreed.counted.map((one) => ({
      ...one,
      time: putNumber(one.time),
      last: one.last.map(putValue),
    })),
  };
  return new TextEncoder().encode(JSON.stringify(data));
}

function putTrigger(trigger: Trigger): object {
  if (trigger.kind === "every") return { ...trigger, seconds: putNumber(trigger.seconds) };
  return trigger.kind === "threshold" ? { ...trigger, level: putNumber(trigger.level) } : trigger;
}

function putConnection(connection: MovedConnection): object {
  const { from, to, fromElement, toElement, count, factor, offset, mapping, interaction } =
    connection;
  return {
    ...{ from, to, fromElement, toElement, count, interaction },
    ...{ factor: putNumber(factor), offset: putNumber(offset) },
    ...(mapping && {
      mapping: {
        from: mapping.map((pair) => putValue(pair.from)),
        to: mapping.map((pair) => putValue(pair.to)),
      },
    }),
  };
}

/** @throws Nonsense */
export function takeInvitation(bytes: Uint8Array): Invitation {
  const from = new Untrusted(parse(bytes), "the invitation");
  const nodes = from.texts("nodes");
  if (nodes.length === 0 || !nodes.every(isToken)) throw from.wrong("nodes", "names of nodes");
  if (new Set(nodes).size !== nodes.length) throw from.wrong("nodes", "names of different nodes");
  const agreed = takeAgreed(from, nodes.length);
  const process = from.count("process", nodes.length - 1);
  const seats = from.objects("seats").map((one) => ({
    unit: one.count("unit", agreed.homes.length - 1),
    channel: one.count("channel", Number.MAX_SAFE_INTEGER),
  }));
  const own = agreed.homes.flatMap((home, unit) => (home === process ? [unit] : []));
  if (seats.length !== own.length || !own.every((unit) => seats.some((one) => one.unit === unit)))
    throw from.wrong("seats", "a channel for every unit of the session");
  const run = from.text("run", 64);
  if (!isToken(run)) throw from.wrong("run", "one word");
  const answers = from.text("answers", 500);
  const cuts = from.has("cuts") && { cuts: takeCuts(from.object("cuts")) };
  return { agreed, process, nodes, run, answers, seats, ...cuts };
}

function takeCuts(from: Untrusted): InvitedCuts {
  const token = from.text("token", 64);
  if (!isToken(token)) throw from.wrong("token", "one word");
  const keys = from.objects("keys").map((one) => {
    const key = one.text("key", 64);
    if (!/^[0-9a-f]{64}$/.test(key)) throw one.wrong("key", "64 hexadecimal digits");
    return { peer: one.count("peer", MAX_UNITS), key };
  });
  if (!from.has("from")) return { token, keys };
  const cut = from.object("from");
  return {
    ...{ token, keys },
    from: {
      number: cut.count("number", Number.MAX_SAFE_INTEGER),
      processes: cut.counts("processes", MAX_UNITS),
    },
  };
}

function takeAgreed(from: Untrusted, processes: number): Agreed {
  const homes = from.counts("homes", processes - 1);
  const units = homes.length;
  if (units === 0 || units > MAX_UNITS) throw from.wrong("homes", "the process of each unit");
  const steps = from.objects("steps").map((one) => positive(one, "value"));
  const shown = from.objects("shown").map((one) => one.counts("ports", MAX_PORTS));
  if (steps.length !== units || shown.length !== units)
    throw from.wrong("steps", "one for each unit");
  const connections = from.objects("connections").map((one) => takeConnection(one, units));
  const connectors = from.objects("connectors").map((one) => takeConnector(one, units));
  if (connectors.length !== connections.length || connectors.length > MAX_CONNECTORS)
    throw from.wrong("connectors", "one for each connection");
  connectors.forEach(({ after = [] }) => {
    if (after.some((c) => c >= connectors.length))
      throw from.wrong("connectors", "known to each other");
  });
  const ports = from.objects("ports").map(
    (one): EndPort => ({
      ...takePort(one, units),
      type: one.choice("type", TYPES),
      size: one.count("size", MAX_SIZE),
    }),
  );
  checkConnections(from, connections, connectors, ports);
  const [start, stop, origin] = [from.number("start"), from.number("stop"), from.number("origin")];
  if (!(Number.isFinite(start) && Number.isFinite(origin) && stop >= start))
    throw from.wrong("start", "a time before the stop");
  return {
    ...{ start, stop, origin, steps, homes, processes, connectors, connections, ports, shown },
    step: positive(from, "step"),
    watched: from.objects("watched").map((one) => takePort(one, units)),
    counted: from.objects("counted").map((one) => takeCounted(one, units)),
  };
}

function takeCounted(from: Untrusted, units: number): CountedSoFar {
  const last = from.values("last").map((value) => {
    if (typeof value === "boolean") throw from.wrong("last", "values of banks");
    return value;
  });
  return {
    ...takePort(from, units),
    kind: from.choice("kind", EVENT_KINDS),
    count: from.count("count", Number.MAX_SAFE_INTEGER),
    time: from.number("time"),
    atLast: from.count("atLast", Number.MAX_SAFE_INTEGER),
    isCounted: from.flag("isCounted"),
    last,
  };
}

/** Every connection moves elements that its ports have, of types that can be moved. */
function checkConnections(
  from: Untrusted,
  connections: readonly MovedConnection[],
  connectors: readonly Connector[],
  ports: readonly EndPort[],
): void {
  const known = new Map(ports.map((one) => [`${one.unit} ${one.port}`, one]));
  connections.forEach((connection, c) => {
    const [source, target] = [connection.from, connection.to].map(({ unit, port }) =>
      known.get(`${unit} ${port}`),
    );
    const { fromElement, toElement, count } = connection;
    const connector = connectors[c];
    const isSame =
      connector !== undefined &&
      areSame(connector.from, connection.from) &&
      areSame(connector.to, connection.to);
    const fits =
      source !== undefined &&
      target !== undefined &&
      fromElement + count <= source.size &&
      toElement + count <= target.size &&
      (bankOf(source.type) === "obj") === (bankOf(target.type) === "obj") &&
      (connection.interaction === undefined || bankOf(target.type) === "f64");
    if (!isSame || !fits) throw from.wrong("connections", "between ports that fit");
  });
}

const areSame = (a: PortRef, b: PortRef): boolean => a.unit === b.unit && a.port === b.port;

function takePort(from: Untrusted, units: number): PortRef {
  return { unit: from.count("unit", units - 1), port: from.count("port", MAX_PORTS) };
}

function takeConnector(from: Untrusted, units: number): Connector {
  return {
    name: from.text("name", 10_000),
    from: takePort(from.object("from"), units),
    to: takePort(from.object("to"), units),
    trigger: takeTrigger(from.object("trigger"), units),
    ...(from.has("tolerance") && { tolerance: atLeast0(from, "tolerance") }),
    ...(from.has("interaction") && { interaction: from.choice("interaction", INTERACTIONS) }),
    ...(from.has("after") && { after: from.counts("after", MAX_CONNECTORS) }),
  };
}

const TYPES = Object.keys(TYPE_NAMES) as ValueType[];
const INTERACTIONS = ["not", "toggle"] as const;
const TRIGGERS = ["every", "updated", "event", "ready-to-read", "threshold"] as const;

function takeTrigger(from: Untrusted, units: number): Trigger {
  const kind = from.choice("kind", TRIGGERS);
  if (kind === "every") return { kind, seconds: positive(from, "seconds") };
  if (kind !== "threshold")
    return from.has("port") ? { kind, port: takePort(from.object("port"), units) } : { kind };
  const place = from.object("port");
  const port: ElementRef = { ...takePort(place, units), element: place.count("element", MAX_SIZE) };
  const level = from.number("level");
  return { kind, port, level, direction: from.choice("direction", ["rising", "falling"]) };
}

function takeConnection(from: Untrusted, units: number): MovedConnection {
  const mapping = from.has("mapping") ? from.object("mapping") : undefined;
  const [given, taken] = [mapping?.values("from") ?? [], mapping?.values("to") ?? []];
  if (given.length !== taken.length) throw from.wrong("mapping", "as many values as values");
  return {
    from: takePort(from.object("from"), units),
    to: takePort(from.object("to"), units),
    fromElement: from.count("fromElement", MAX_SIZE),
    toElement: from.count("toElement", MAX_SIZE),
    count: from.count("count", MAX_SIZE),
    factor: from.number("factor"),
    offset: from.number("offset"),
    ...(mapping && { mapping: given.map((one, k) => ({ from: one, to: taken[k] as Value })) }),
    ...(from.has("interaction") && { interaction: from.choice("interaction", INTERACTIONS) }),
  };
}

function positive(from: Untrusted, key: string): number {
  const value = from.number(key);
  if (!(value > 0) || value === Number.POSITIVE_INFINITY) throw from.wrong(key, "above 0");
  return value;
}

function atLeast0(from: Untrusted, key: string): number {
  const value = from.number(key);
  if (!(value >= 0)) throw from.wrong(key, "0 or more");
  return value;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Nonsense("an invitation that is not JSON");
  }
}
