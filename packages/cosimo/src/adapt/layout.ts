/**
 * Where everything that an adaptation knows lies in memory: one Float64Array for numbers (booleans
 * are 0 and 1), a list for texts.
 *
 * The numbers are the store of a TypeScript unit: own ports, time and slopes of own inputs first
 * (unit/base-unit.ts), then
 *   x_in and its flags, x_out and its flags, inputs and outputs of inner units    what the output function may change for a moment
 *   x_ctrl, previous inputs, values written first, held outputs, inner times, t H h dt, overrides, how own inputs move, locals
 * Inner units read and write these places themselves, so a value is never copied on its way.
 */
import { layoutPorts } from "../engine/port-layout.ts";
import {
  type Adaptation,
  type Declaration,
  type SaType,
  type Statement,
  saTypeOf,
} from "../model/adaptation/data.ts";
import type { InnerWire } from "../model/adaptation/inner-order.ts";
import { typesOf } from "../model/adaptation/types.ts";
import { eachStatement, expressionsOf, keyOf, referencesIn } from "../model/adaptation/walk.ts";
import { type Conversion, conversion, IDENTITY } from "../model/physical-unit-conversion.ts";
import { parseUnit } from "../model/physical-unit-parse.ts";
import { type Port, portNamed, portSize, type UnitDescription } from "../model/unit-description.ts";
import { bankOf } from "../model/value-type.ts";
import { AdaptationError } from "./adaptation-error.ts";

/**
 * A place for one value. Texts of own ports lie with the ports, all others in a list of their own.
 */
export interface Cell {
  readonly bank: "number" | "text" | "own-text";
  readonly index: number;
  readonly type: SaType;
}

export interface LinkPort {
  readonly port: Port;
  /** Inputs: what comes next. Outputs: what was read last. */
  readonly cell: Cell;
}

export interface LinkLayout {
  readonly name: string;
  readonly description: UnitDescription;
  readonly inputs: ReadonlyMap<string, LinkPort>;
  readonly outputs: ReadonlyMap<string, LinkPort>;
  /**
   * Places of the previous inputs and of what is written before a step, in the order of `inputs`.
   */
  readonly previous: number;
  readonly first: number;
  /** Place of the inputs that the outputs read last belong to, in the same order. */
  readonly given: number;
  /** Places of the inner unit's time, and of the next event that it announced. */
  readonly time: number;
  readonly nextEvent: number;
  /** 1 while the unit follows slopes that are not 0. */
  readonly sloped: number;
}

/** A connection with what its physical units make of a value. */
export interface ConvertingWire extends InnerWire {
  readonly by: Conversion;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Layout {
  readonly variables: ReadonlyMap<string, Cell>;
  readonly ownInputs: ReadonlyMap<string, Cell>;
  readonly ownOutputs: ReadonlyMap<string, Cell>;
  /** Own inputs that are numbers, and so may move within a step, in the order of the ports. */
  readonly movable: readonly Port[];
  /**
   * In their order: second derivatives, and how fast they go from one end of the step under way to
   * the other.
   */
  readonly curves: number;
  readonly rates: number;
  /** Outputs may follow inputs at once. */
  readonly isMealy: boolean;
  readonly links: readonly LinkLayout[];
  readonly wires: readonly ConvertingWire[];
  readonly inFlags: number;
  readonly outFlags: number;
  /** What In changes: its variables and the flags of its rules. */
  readonly taking: Span;
  /** What the output function changes and puts back. */
  readonly pure: Span;
  /** Own outputs as the last step left them, numbers only, in the order of `ownOutputs`. */
  readonly held: number;
  readonly clock: { readonly t: Cell; readonly H: Cell; readonly h: Cell; readonly dt: Cell };
  /** 1 while own outputs are those of the present state and inputs. */
  readonly settled: number;
  readonly result: number;
  /** Value and flag of every inner input that control rules assign, by `unit.port`. */
  readonly overrides: ReadonlyMap<string, { readonly value: Cell; readonly flag: number }>;
  /** First number and text of the locals. */
  readonly locals: { readonly number: number; readonly text: number };
  readonly hiddenFrom: number;
  readonly hidden: number;
  readonly texts: number;
}

export function layoutOf(
  adaptation: Adaptation,
  own: UnitDescription,
  inner: ReadonlyMap<string, UnitDescription>,
): Layout {
  const ports = layoutPorts(own.ports);
  const movable = own.ports.filter((p) => p.direction === "input" && bankOf(p.type) === "f64");
  const hiddenFrom = ports.sizes.f64 + 1 + movable.length;
  let next = hiddenFrom;
  let texts = 0;
  const take = (count = 1): number => {
    next += count;
    return next - count;
  };
  const cellOf = (type: SaType): Cell =>
    type === "string"
      ? { bank: "text", index: texts++, type }
      : { bank: "number", index: take(), type };
  const ownCells = (direction: Port["direction"]): Map<string, Cell> =>
    new Map(
      own.ports.flatMap((port) => {
        if (port.direction !== direction) return [];
        const type = saTypeOf(port);
        const bank = type === "string" ? "own-text" : "number";
        return [[port.name, { bank, index: ports.slots[port.index].slot, type }]];
      }),
    );

  const types = typesOf(adaptation);
  const variables = ownCells("parameter");
  const declare = (list: readonly Declaration[]): void => {
    for (const { name } of list) variables.set(name, cellOf(types.get(name) ?? "real"));
  };
  const pureFrom = next;
  declare(adaptation.inVariables);
  const inFlags = take(adaptation.inRules.length);
  const taking: Span = { from: pureFrom, to: next };
  declare(adaptation.outVariables);
  const outFlags = take(adaptation.outRules.length);
  const used = usedPorts(adaptation);
  const half = adaptation.inner.map(({ name }) => {
    const description = named(inner, name);
    const bind = (direction: Port["direction"]): Map<string, LinkPort> =>
      new Map(
        (used.get(name) ?? []).flatMap((portName) => {
          const port = portNamed(description, portName);
          if (port?.direction !== direction) return [];
          return [[portName, { port, cell: cellOf(saTypeOf(scalar(name, port))) }]];
        }),
      );
    return { name, description, inputs: bind("input"), outputs: bind("output") };
  });
  const pure: Span = { from: pureFrom, to: next };

  declare(adaptation.controlVariables);
  const links = half.map((link): LinkLayout => {
    const previous = take(link.inputs.size);
    const first = take(link.inputs.size);
    const given = take(link.inputs.size);
    return { ...link, previous, first, given, time: take(), nextEvent: take(), sloped: take() };
  });
  const ownOutputs = ownCells("output");
  const held = take(ownOutputs.size);
  const real = (): Cell => cellOf("real");
  const clock = { t: real(), H: real(), h: real(), dt: real() };
  const overrides = new Map<string, { value: Cell; flag: number }>();
  for (const key of assignedByControl(adaptation)) {
    const [unit = "", port = ""] = key.split(/\.(.*)/s);
    const target = links.find(({ name }) => name === unit)?.inputs.get(port);
    if (target) overrides.set(key, { value: cellOf(target.cell.type), flag: take() });
  }
  const curves = take(movable.length);
  const rates = take(movable.length);
  const settled = take();
  const result = take();
  const localCount = countLocals(adaptation);
  const locals = { number: take(localCount), text: texts };
  return {
    variables,
    ownInputs: ownCells("input"),
    ownOutputs,
    movable,
    curves,
    rates,
    isMealy:
      adaptation.outputKind === "mealy" ||
      (adaptation.outputKind === undefined &&
        own.ports.some(
          ({ direction, feedThrough = [] }) => direction === "output" && feedThrough.length > 0,
        )),
    links,
    wires: wiresOf(adaptation, links),
    inFlags,
    outFlags,
    taking,
    pure,
    held,
    clock,
    settled,
    result,
    overrides,
    locals,
    hiddenFrom,
    hidden: next - hiddenFrom,
    texts: texts + localCount,
  };
}

/** What belongs to a name that is known to be there. */
export function named<T>(list: ReadonlyMap<string, T>, name: string): T {
  const found = list.get(name);
  if (found === undefined) throw new Error(`internal: nothing is known of '${name}'`);
  return found;
}

function scalar(unit: string, port: Port): Port {
  if (portSize(port) === 1 && port.type !== "binary") return port;
  throw new AdaptationError(
    `'${unit}.${port.name}' is ${port.type === "binary" ? "binary" : "an array"}; adaptations speak of scalar numbers, booleans and texts`,
  );
}

/** Ports of inner units that something speaks of, by unit. */
function usedPorts(adaptation: Adaptation): Map<string, string[]> {
  const used = new Set<string>();
  for (const { from, to } of adaptation.connections) {
    used.add(`${from.unit}.${from.port}`);
    used.add(`${to.unit}.${to.port}`);
  }
  const note = (statements: readonly Statement[]): void =>
    eachStatement(statements, (statement) => {
      if (statement.kind === "assign") used.add(keyOf(statement.target));
      for (const expression of expressionsOf(statement))
        for (const reference of referencesIn(expression)) used.add(keyOf(reference));
    });
  note(adaptation.controlRules ?? []);
  for (const rule of [...adaptation.inRules, ...adaptation.outRules]) {
    for (const reference of referencesIn(rule.condition)) used.add(keyOf(reference));
    note(rule.first);
    note(rule.second);
  }
  const byUnit = new Map<string, string[]>();
  for (const key of used) {
    const [unit = "", port] = key.split(/\.(.*)/s);
    if (port !== undefined) byUnit.set(unit, [...(byUnit.get(unit) ?? []), port]);
  }
  return byUnit;
}

function assignedByControl({ controlRules: control = [] }: Adaptation): Set<string> {
  const assigned = new Set<string>();
  eachStatement(control, (statement) => {
    if (statement.kind === "assign" && statement.target.unit !== undefined)
      assigned.add(keyOf(statement.target));
  });
  return assigned;
}

/** Every declaration gets a place of its own; a MapIn rule is compiled once for each inner unit. */
function countLocals(adaptation: Adaptation): number {
  let count = 0;
  const note = (statements: readonly Statement[], times: number): void =>
    eachStatement(statements, ({ kind }) => {
      if (kind === "var" || kind === "for") count += times;
    });
  note(adaptation.controlRules ?? [], 1);
  for (const rule of adaptation.inRules) {
    note(rule.first, 1);
    note(rule.second, adaptation.inner.length);
  }
  for (const rule of adaptation.outRules) {
    note(rule.first, 1);
    note(rule.second, 1);
  }
  return count;
}

function wiresOf(
  { connections, inner }: Adaptation,
  links: readonly LinkLayout[],
): ConvertingWire[] {
  const declared = (list: "inputs" | "outputs", unit: number, port: LinkPort, name: string) => {
    const text = inner[unit][list]?.find((one) => one.name === name)?.unit;
    return text === undefined ? port.port.unit : (parseUnit(text) ?? { name: text });
  };
  return connections.map(({ from, to, place }) => {
    const source = links.findIndex(({ name }) => name === from.unit);
    const target = links.findIndex(({ name }) => name === to.unit);
    const output = links[source]?.outputs.get(from.port);
    const input = links[target]?.inputs.get(to.port);
    if (output === undefined || input === undefined)
      throw new AdaptationError(
        `'${from.unit}.${from.port} -> ${to.unit}.${to.port}' does not lead from an output to an input`,
        place,
      );
    const sourceUnit = declared("outputs", source, output, from.port);
    const targetUnit = declared("inputs", target, input, to.port);
    const by = sourceUnit && targetUnit ? conversion(sourceUnit, targetUnit) : IDENTITY;
    return {
      from: { unit: source, port: output.port.index },
      to: { unit: target, port: input.port.index },
      // Units that cannot be converted are reported by the checks of the language.
      by: "error" in by ? IDENTITY : by,
    };
  });
}
