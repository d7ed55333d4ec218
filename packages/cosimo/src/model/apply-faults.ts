/**
 * A scenario with faults → a scenario whose units show them, so that plans, masters, traces and
 * checks need not know what a fault is.
 *
 * A unit with faults gets further ports: per fault an output, its track (true while the fault
 * acts), and an input per signal of another unit that its condition names, connected to that
 * signal. What makes the unit behave so is the zone `faults`.
 */
import type { Expression } from "./adaptation/data.ts";
import { referencesIn } from "./adaptation/walk.ts";
import { extendStructure } from "./extend-structure.ts";
import type { Fault, FaultEffect, FaultLevel, FaultyUnit, UnitFault } from "./faults.ts";
import { isFloat } from "./port-value.ts";
import { signalText } from "./resolve-scenario-faults.ts";
import type {
  Composite,
  Connection,
  ElementRef,
  ExposedPort,
  PortRef,
  Scenario,
  ScenarioUnit,
} from "./scenario.ts";
import { mapSignals, trackName } from "./scenario-ports.ts";
import type { Capabilities, Port, UnitDescription } from "./unit-description.ts";
import { bankOf } from "./value-type.ts";

/** @returns `scenario` itself where nothing goes wrong in it. */
export function applyFaults(scenario: Scenario): Scenario {
  const { faults = [], ...rest } = scenario;
  if (faults.length === 0) return scenario;
  const connections: Connection[] = [...scenario.connections];
  const units = scenario.units.map((unit, u) => {
    const own = faults.filter((fault) => fault.unit === u);
    return own.length === 0 ? unit : withFaults(scenario, unit, own, connections);
  });
  return extendStructure(scenario, { ...rest, units, connections });
}

/**
 * A nested scenario shows the tracks of its faults, and of those inside its own nested scenarios,
 * so that the trace of the scenario around it has them.
 */
export function withTrackPorts(scenario: Scenario): Scenario {
  const tracks = scenario.units.flatMap((unit, u) =>
    unit.description.ports.flatMap((port): ExposedPort[] =>
      port.track ? [{ name: trackName(unit, port), inner: { unit: u, port: port.index } }] : [],
    ),
  );
  return tracks.length === 0 ? scenario : { ...scenario, ports: [...scenario.ports, ...tracks] };
}

/** All faults that act in a scenario, in the order of its units. */
export function actingFaults({ units }: Pick<Scenario, "units">): Fault[] {
  return units.flatMap(({ faulty }) => faulty?.faults.map(({ fault }) => fault) ?? []);
}

/**
 * The outputs that show which faults act. A plan that reads them keeps the inputs of conditions up
 * to date.
 */
export function trackRefs({ units }: Pick<Scenario, "units">): ElementRef[] {
  return units.flatMap(({ faulty }, unit) =>
    (faulty?.faults ?? []).map(({ track }) => ({ unit, port: track, element: 0 })),
  );
}

/** Of the scenario, and of every scenario inside. */
export function hasFaults({ faults = [], units }: Scenario): boolean {
  return (
    faults.length > 0 ||
    units.some(({ faulty, scenario }) => faulty !== undefined || (scenario && hasFaults(scenario)))
  );
}

function withFaults(
  scenario: Scenario,
  unit: ScenarioUnit,
  faults: readonly Fault[],
  connections: Connection[],
): ScenarioUnit {
  const { description: healthy } = unit;
  const more: Port[] = [];
  const add = (port: Omit<Port, "index">): number => {
    const index = healthy.ports.length + more.length;
    more.push({ ...port, index });
    return index;
  };
  const made = faults.map((fault): UnitFault => {
    const { when, name, text, place } = fault;
    const inputs = new Map<string, number>();
    const observed: number[] = [];
    for (const [signal, from] of when.kind === "time" ? [] : when.condition.signals) {
      if (from.unit === fault.unit) {
        inputs.set(signal, from.port);
        continue;
      }
      const source = portOf(scenario, from);
      // A tick is an event like any other.
      const isTick = source.type === "clock";
      const type = isTick ? "boolean" : source.type;
      const nature = isTick ? "transient" : source.nature;
      const { variability } = source;
      const to = add({
        name: `fault.${name}.${signal}`,
        direction: "input",
        type,
        shape: [],
        variability,
        nature,
        start: [type === "boolean" ? false : 0],
        observed: true,
        reactive: false,
      });
      inputs.set(signal, to);
      observed.push(to);
      const whole = { fromElement: 0, toElement: 0, count: 1, factor: 1, offset: 0 };
      connections.push({ from, to: { unit: fault.unit, port: to }, ...whole, place });
    }
    const track = add({
      name: `fault.${name}`,
      direction: "output",
      type: "boolean",
      shape: [],
      variability: "discrete",
      nature: "piecewise-constant",
      description: text,
      feedThrough: observed,
      track: true,
    });
    return { fault, track, inputs };
  });
  const shown = new Map<number, number>();
  const isAltered = (port: number): boolean => faults.some(({ target }) => target?.port === port);
  /**
   * Conditions are about the unit as it is without faults, so what a master watches is not what a
   * fault has altered.
   */
  const withoutFaults = (ref: ElementRef): ElementRef => {
    if (ref.unit !== faults[0]?.unit || !isAltered(ref.port)) return ref;
    const port = healthy.ports[ref.port] as Port;
    const name = `fault.healthy.${port.name}`;
    const index = shown.get(ref.port) ?? add({ ...port, name, direction: "local", observed: true });
    shown.set(ref.port, index);
    return { ...ref, port: index };
  };
  const levels = faults
    .flatMap((fault) => levelsOf(scenario, fault))
    .map(
      (one): FaultLevel => ({
        ...one,
        signal: withoutFaults(one.signal),
        ...(one.other && { other: withoutFaults(one.other) }),
        ...(one.of && { of: mapSignals(one.of, withoutFaults) }),
      }),
    );
  const faulty: FaultyUnit = { healthy, faults: made, ports: more, levels, shown };
  return { ...unit, description: faultyDescription(healthy, faulty), faulty };
}

/** What a unit is with its faults. @param description of the unit without them, as it runs. */
export function faultyDescription(
  description: UnitDescription,
  { faults, ports }: Pick<FaultyUnit, "faults" | "ports">,
): UnitDescription {
  return {
    ...description,
    ports: [...disclosed(description.ports, ports), ...ports],
    capabilities: capabilitiesWith(
      description,
      faults.map(({ fault }) => fault),
    ),
  };
}

function portOf(scenario: Scenario, { unit, port }: PortRef): Port {
  return scenario.units[unit]?.description.ports[port] as Port;
}

/** Outputs of unknown dependency follow every input of the unit, but not those of conditions. */
function disclosed(ports: readonly Port[], more: readonly Port[]): readonly Port[] {
  if (!more.some(({ direction }) => direction === "input")) return ports;
  const inputs = ports.filter(({ direction }) => direction === "input").map(({ index }) => index);
  return ports.map((port) =>
    port.feedThrough === undefined && (port.direction === "output" || port.direction === "local")
      ? { ...port, feedThrough: inputs }
      : port,
  );
}

/**
 * How the derivative of a faulty value follows from that of the healthy one; undefined: it does
 * not.
 */
function slopeFactor(effect: FaultEffect): number | undefined {
  switch (effect.kind) {
    case "offset":
    case "drift":
    case "noise":
      return 1;
    case "gain":
      return effect.factor;
    case "stuck":
    case "drop-out":
    case "frozen":
      return 0;
    default:
      return undefined;
  }
}

/** What still holds while a fault can act. */
function capabilitiesWith(
  { ports, capabilities }: UnitDescription,
  faults: readonly Fault[],
): Capabilities {
  const lost = (direction: Port["direction"]): boolean =>
    faults.some(
      ({ target, effect }) =>
        target !== undefined &&
        ports[target.port]?.direction === direction &&
        slopeFactor(effect) === undefined,
    );
  const [atOutputs, atInputs] = [lost("output"), lost("input")];
  const hasOutputs = faults.some(
    ({ target }) => target === undefined || ports[target.port]?.direction === "output",
  );
  const hasDerivatives = !atOutputs && !atInputs;
  return {
    ...capabilities,
    directionalDerivatives: capabilities.directionalDerivatives && hasDerivatives,
    adjointDerivatives: capabilities.adjointDerivatives && hasDerivatives,
    outputDerivativeOrder: atOutputs ? 0 : capabilities.outputDerivativeOrder,
    inputDerivativeOrder: atInputs ? 0 : capabilities.inputDerivativeOrder,
    // The unit inside knows levels of its healthy outputs only.
    predicates: capabilities.predicates.filter((one) => one !== "threshold" || !hasOutputs),
  };
}

// ---- levels in conditions -------------------------------------------------------------------

const COMPARISONS: readonly string[] = ["<", "<=", ">", ">=", "==", "!="];

function levelsOf(scenario: Scenario, { when, place }: Fault): FaultLevel[] {
  if (when.kind === "time") return [];
  const { signals, expression } = when.condition;
  return comparisonsIn(expression).flatMap(({ left, right, text, difference }): FaultLevel[] => {
    const [a, b] = [left, right].map((side) => realSignal(scenario, side, signals));
    const [x, y] = [numberIn(left), numberIn(right)];
    if (a && b) return [{ signal: a, level: 0, other: b, text, place }];
    if (a && y !== undefined) return [{ signal: a, level: y, text, place }];
    if (b && x !== undefined) return [{ signal: b, level: x, text, place }];
    const of = compositeOf(scenario, difference, signals);
    const [signal] = of?.signals.values() ?? [];
    return of && signal ? [{ signal, of, level: 0, text, place }] : [];
  });
}

/** Comparisons of reals whose instant no master can locate, as written. */
export function unlocatedIn(scenario: Pick<Scenario, "units">, { when }: Fault): string[] {
  if (when.kind === "time") return [];
  const { signals, expression } = when.condition;
  return comparisonsIn(expression).flatMap(({ left, right, text, difference }) => {
    const isLocated = compositeOf(scenario, difference, signals) !== undefined;
    const isReal = [left, right].some((side) => hasReal(scenario, side, signals));
    return isLocated || !isReal ? [] : [text];
  });
}

interface Comparison {
  readonly left: Expression;
  readonly right: Expression;
  readonly text: string;
  /** Changes its sign where the comparison changes. */
  readonly difference: Expression;
}

/** What is made of outputs and the time alone, some of them real. */
function compositeOf(
  scenario: Pick<Scenario, "units">,
  expression: Expression,
  signals: ReadonlyMap<string, PortRef>,
): Composite | undefined {
  const names = [...new Set(referencesIn(expression).map(nameOf))].filter(
    (name) => name !== "time",
  );
  const own = names.flatMap((name): [string, ElementRef][] => {
    const ref = signals.get(name);
    const port = ref && scenario.units[ref.unit]?.description.ports[ref.port];
    const isRead =
      port?.direction === "output" && bankOf(port.type) === "f64" && port.nature !== "transient";
    return ref && isRead ? [[name, { ...ref, element: 0 }]] : [];
  });
  const isWhole = own.length === names.length && hasReal(scenario, expression, signals);
  return isWhole && own.length > 0 ? { expression, signals: new Map(own) } : undefined;
}

function comparisonsIn(e: Expression): Comparison[] {
  switch (e.kind) {
    case "unary":
      return comparisonsIn(e.operand);
    case "conditional":
      return [e.condition, e.then, e.otherwise].flatMap(comparisonsIn);
    case "call":
      return e.arguments.flatMap(comparisonsIn);
    case "binary": {
      const { left, right, operator } = e;
      if (!COMPARISONS.includes(operator)) return [left, right].flatMap(comparisonsIn);
      const text = `${operandText(left, 4)} ${operator} ${operandText(right, 4)}`;
      return [{ left, right, text, difference: { ...e, operator: "-" } }];
    }
    default:
      return [];
  }
}

function realSignal(
  { units }: Pick<Scenario, "units">,
  e: Expression,
  signals: ReadonlyMap<string, PortRef>,
): FaultLevel["signal"] | undefined {
  const ref = e.kind === "reference" ? signals.get(nameOf(e)) : undefined;
  const port = ref && units[ref.unit]?.description.ports[ref.port];
  const isReal = port !== undefined && isFloat(port.type) && port.direction === "output";
  return ref && isReal ? { ...ref, element: 0 } : undefined;
}

function hasReal(
  scenario: Pick<Scenario, "units">,
  e: Expression,
  signals: ReadonlyMap<string, PortRef>,
): boolean {
  if (e.kind === "reference") {
    const ref = signals.get(nameOf(e));
    const port = ref && scenario.units[ref.unit]?.description.ports[ref.port];
    return e.name === "time" || (port !== undefined && isFloat(port.type));
  }
  if (e.kind === "call") return e.arguments.some((one) => hasReal(scenario, one, signals));
  if (e.kind === "unary") return hasReal(scenario, e.operand, signals);
  return e.kind === "binary" && [e.left, e.right].some((one) => hasReal(scenario, one, signals));
}

/** How a condition names a signal. */
export function nameOf(e: Extract<Expression, { kind: "reference" }>): string {
  return e.unit === undefined ? e.name : signalText(e.unit, e.name);
}

function numberIn(e: Expression): number | undefined {
  if (e.kind === "number") return e.value;
  const inner = e.kind === "unary" && e.operator === "-" ? numberIn(e.operand) : undefined;
  return inner === undefined ? undefined : -inner;
}

/** Operands of operators that bind less are in brackets. */
const BINDS: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  "+": 4,
  "-": 4,
  "*": 5,
  "/": 5,
};
const COMPARISON_BINDS = 3;

function bindingOf(e: Expression): number {
  if (e.kind === "conditional") return 0;
  return e.kind === "binary" ? (BINDS[e.operator] ?? COMPARISON_BINDS) : 6;
}

function operandText(e: Expression, least: number): string {
  return bindingOf(e) < least ? `(${textOf(e)})` : textOf(e);
}

function textOf(e: Expression): string {
  switch (e.kind) {
    case "number":
    case "boolean":
      return String(e.value);
    case "reference":
      return nameOf(e);
    case "unary":
      return `${e.operator} ${operandText(e.operand, 6)}`.replace("- ", "-");
    case "binary": {
      const own = bindingOf(e);
      return `${operandText(e.left, own)} ${e.operator} ${operandText(e.right, own + 1)}`;
    }
    case "call":
      return `${e.callee}(${e.arguments.map(textOf).join(", ")})`;
    default:
      return "…";
  }
}
