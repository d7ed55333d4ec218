/**
 * Descriptions of units as messages: what travels in place of a binary. What comes in is a peer's
 * word and is taken apart member by member (`Untrusted`): indices lie inside, choices are known
 * ones, and places in the files of the peer are left out.
 */
import { BACKENDS, type BackendName } from "../model/backends.ts";
import type { Dimension, PhysicalUnit } from "../model/physical-unit.ts";
import type {
  Capabilities,
  Direction,
  Experiment,
  Nature,
  Port,
  PortClock,
  Terminal,
  UnitDescription,
  Variability,
} from "../model/unit-description.ts";
import { TYPE_NAMES, type ValueType } from "../model/value-type.ts";
import { Nonsense } from "./protocol.ts";
import { putValue, Untrusted } from "./untrusted.ts";

const DIRECTIONS: readonly Direction[] = [
  "input",
  "output",
  "parameter",
  "structural-parameter",
  "calculated-parameter",
  "local",
  "independent",
];
const VARIABILITIES: readonly Variability[] = [
  "constant",
  "fixed",
  "tunable",
  "discrete",
  "continuous",
];
const NATURES: readonly Nature[] = [
  "continuous",
  "piecewise-continuous",
  "piecewise-constant",
  "constant",
  "transient",
];
const INTERVALS: readonly PortClock["interval"][] = [
  "constant",
  "fixed",
  "tunable",
  "changing",
  "countdown",
  "triggered",
];
const PREDICATES: readonly Capabilities["predicates"][number][] = [
  "updated",
  "ready-to-read",
  "event",
  "threshold",
];
const FOLLOWS = ["every", "declared", "scalars"] as const;
const KINDS = ["signal", "inflow", "outflow"] as const;
const TYPES = Object.keys(TYPE_NAMES) as ValueType[];
const BACKEND_NAMES = Object.keys(BACKENDS) as BackendName[];
/** Elements of one port, and ports of one unit. */
const MAX_SIZE = 1 << 28;
const MAX_PORTS = 1 << 22;
const MAX_DEPTH = 16;

/** As plain data for JSON. */
export function putDescription({ ports, ...rest }: UnitDescription): unknown {
  return { ...(plain(rest) as object), ports: ports.map(putPort) };
}

function putPort({ place: _, index: __, ...rest }: Port): unknown {
  return plain(rest);
}

/** All the way down: numbers and values as JSON can say them, maps as lists. */
function plain(data: unknown): unknown {
  if (typeof data === "number" || typeof data === "bigint" || data instanceof Uint8Array)
    return putValue(data);
  if (typeof data !== "object" || data === null) return data;
  if (data instanceof Map) return plain([...data]);
  if (Array.isArray(data)) return data.map(plain);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, plain(value)]));
}

/** @throws Nonsense for what is not a description. */
export function takeDescription(data: unknown): UnitDescription {
  const from = new Untrusted(data, "the description");
  const count = from.list("ports").length;
  if (count > MAX_PORTS) throw new Nonsense(`${count} ports`);
  const ports = from.objects("ports").map((port, index) => takePort(port, index, count));
  const names = new Set(ports.map(({ name }) => name));
  if (names.size !== count) throw new Nonsense("two ports of one name");
  return {
    name: from.text("name"),
    backend: from.choice("backend", BACKEND_NAMES),
    ports,
    capabilities: takeCapabilities(from.object("capabilities")),
    experiment: takeExperiment(from.object("experiment")),
    ...(from.has("description") && { description: from.text("description") }),
    ...(from.has("minimumDelay") && { minimumDelay: from.number("minimumDelay") }),
    ...(from.has("terminals") && {
      terminals: from.objects("terminals").map((one) => takeTerminal(one, count, 0)),
    }),
  };
}

function takePort(from: Untrusted, index: number, count: number): Port {
  const last = count - 1;
  const shape = from.counts("shape", MAX_SIZE);
  if (shape.reduce((product, size) => product * size, 1) > MAX_SIZE)
    throw new Nonsense("a port with too many elements");
  return {
    index,
    name: from.text("name"),
    direction: from.choice("direction", DIRECTIONS),
    type: from.choice("type", TYPES),
    shape,
    variability: from.choice("variability", VARIABILITIES),
    nature: from.choice("nature", NATURES),
    ...(from.has("aliases") && { aliases: from.texts("aliases") }),
    ...(from.has("description") && { description: from.text("description") }),
    ...(from.has("unit") && { unit: takeUnit(from.object("unit")) }),
    ...(from.has("displayUnit") && { displayUnit: from.text("displayUnit") }),
    ...(from.has("start") && { start: from.values("start") }),
    ...(from.has("min") && { min: from.number("min") }),
    ...(from.has("max") && { max: from.number("max") }),
    ...(from.has("nominal") && { nominal: from.number("nominal") }),
    ...(from.has("items") && { items: takeItems(from) }),
    ...(from.has("feedThrough") && { feedThrough: from.counts("feedThrough", last) }),
    ...(from.has("derivativeOf") && { derivativeOf: from.count("derivativeOf", last) }),
    ...(from.has("clock") && { clock: takeClock(from.object("clock")) }),
    ...(from.has("clocks") && { clocks: from.counts("clocks", last) }),
    ...(from.has("reactive") && { reactive: from.flag("reactive") }),
    ...(from.has("heldFromStart") && { heldFromStart: yes(from, "heldFromStart") }),
    ...(from.has("observed") && { observed: yes(from, "observed") }),
    ...(from.has("track") && { track: yes(from, "track") }),
  };
}

function yes(from: Untrusted, key: string): true {
  if (!from.flag(key)) throw from.wrong(key, "true");
  return true;
}

function takeUnit(from: Untrusted): PhysicalUnit {
  const name = from.text("name");
  if (!from.has("base")) return { name };
  const base = from.object("base");
  const dimension = base.values("dimension");
  if (dimension.length !== 8 || !dimension.every((power) => typeof power === "number"))
    throw base.wrong("dimension", "eight numbers");
  const [factor, offset] = [base.number("factor"), base.number("offset")];
  return { name, base: { dimension: dimension as unknown as Dimension, factor, offset } };
}

function takeItems(from: Untrusted): Map<number, string> {
  return new Map(
    from.list("items").map((item): [number, string] => {
      const [value, name] = Array.isArray(item) ? (item as unknown[]) : [];
      if (!Number.isInteger(value) || typeof name !== "string")
        throw from.wrong("items", "values with names");
      return [value as number, name];
    }),
  );
}

function takeClock(from: Untrusted): PortClock {
  return {
    interval: from.choice("interval", INTERVALS),
    shift: from.number("shift"),
    ...(from.has("seconds") && { seconds: from.number("seconds") }),
  };
}

function takeTerminal(from: Untrusted, count: number, depth: number): Terminal {
  if (depth > MAX_DEPTH) throw new Nonsense("terminals inside terminals without an end");
  const last = count - 1;
  return {
    name: from.text("name"),
    matchingRule: from.text("matchingRule"),
    members: from.objects("members").map((member) => ({
      name: member.text("name"),
      port: member.count("port", last),
      kind: member.choice("kind", KINDS),
    })),
    streams: from.objects("streams").map((stream) => ({
      inName: stream.text("inName"),
      outName: stream.text("outName"),
      inPort: stream.count("inPort", last),
      outPort: stream.count("outPort", last),
    })),
    terminals: from.objects("terminals").map((inner) => takeTerminal(inner, count, depth + 1)),
  };
}

function takeCapabilities(from: Untrusted): Capabilities {
  const order = (key: string): number => from.count(key, 100);
  const predicates = from.texts("predicates").map((name) => {
    const known = PREDICATES.find((one) => one === name);
    if (known === undefined) throw from.wrong("predicates", "known predicates");
    return known;
  });
  const optional = ["zeroStep", "refusesSteps", "mayDiscard"].filter((key) => from.has(key));
  const seconds = ["preferredStep", "internalStep"].filter((key) => from.has(key));
  return {
    rollback: from.flag("rollback"),
    serialize: from.flag("serialize"),
    directionalDerivatives: from.flag("directionalDerivatives"),
    adjointDerivatives: from.flag("adjointDerivatives"),
    outputDerivativeOrder: order("outputDerivativeOrder"),
    inputDerivativeOrder: order("inputDerivativeOrder"),
    variableStep: from.flag("variableStep"),
    eventMode: from.flag("eventMode"),
    earlyReturn: from.flag("earlyReturn"),
    intermediateUpdate: from.flag("intermediateUpdate"),
    oncePerProcess: from.flag("oncePerProcess"),
    needsExecutionTool: from.flag("needsExecutionTool"),
    predicates,
    ...Object.fromEntries(optional.map((key) => [key, from.flag(key)])),
    ...Object.fromEntries(seconds.map((key) => [key, from.number(key)])),
    ...(from.has("followsInputs") && { followsInputs: from.choice("followsInputs", FOLLOWS) }),
  };
}

function takeExperiment(from: Untrusted): Experiment {
  const given = ["start", "stop", "step", "tolerance"].filter((key) => from.has(key));
  return Object.fromEntries(given.map((key) => [key, from.number(key)]));
}
