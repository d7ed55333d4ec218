/**
 * Ports of a discrete-event model where it meets units of other kinds: which ports a unit shows for
 * them, and how values are written there.
 *
 * With event mode a port for values becomes two: `y`, which keeps the last value, and the clock
 * `y.event`, which ticks at every event; a signal is a clock alone. Without event mode there are no
 * clocks: values are held, and a signal is a counter of its events.
 */
import type { Diagnostic } from "../base/diagnostic.ts";
import type { Port, PortClock } from "../model/unit-description.ts";
import { type Banks, bankOf, type Value } from "../model/value-type.ts";
import { makePorts, numericOnly, type OutputSpec, type PortSpecs } from "../unit/port-spec.ts";
import { devsReporter } from "./devs-diagnostics.ts";
import type { BorderSpec, Component, Ports } from "./model.ts";

/** One port of the model at the border. */
export interface BorderPort {
  /** Position among the model's inputs or outputs. */
  readonly port: number;
  readonly name: string;
  readonly isSignal: boolean;
  /** The unit's port that holds the value or the count; -1: there is none. */
  readonly value: number;
  /** The unit's port that ticks; -1: there is none. */
  readonly clock: number;
  readonly items: readonly string[] | undefined;
}

export interface Border {
  readonly ports: readonly Port[];
  readonly inputs: readonly BorderPort[];
  readonly outputs: readonly BorderPort[];
}

const TRIGGERED: PortClock = { interval: "triggered", shift: 0 };

/** Whether some port of the model shows its events with a clock. */
export function hasTransientPorts(model: Component): boolean {
  return [...Object.values(model.inputs), ...Object.values(model.outputs)].some(
    ({ border }) => border?.held !== true,
  );
}

export function makeBorder(
  model: Component,
  parameters: PortSpecs,
  eventMode: boolean,
): { readonly border?: Border; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const report = devsReporter(diagnostics);
  for (const ports of [model.inputs, model.outputs]) {
    for (const [name, { border }] of Object.entries(ports)) {
      const problem = borderProblem(border);
      if (problem !== undefined) report("devs-border", { port: name, ...problem }, model.name);
    }
  }
  for (const name of Object.keys(model.outputs)) {
    if (!Object.hasOwn(model.inputs, name) && !Object.hasOwn(parameters, name)) continue;
    const why = "is an output, and an input or parameter has the same name";
    report("devs-border", { port: name, why, fix: "rename one of them" }, model.name);
  }
  if (diagnostics.length > 0) return { diagnostics };
  const fixed = Object.fromEntries(
    Object.entries(parameters).map(([name, spec]) => [
      name,
      { ...spec, variability: "fixed" as const },
    ]),
  );
  const ports = makePorts(model.name, [
    { direction: "parameter", ports: fixed },
    { direction: "input", ports: unitPorts(model.inputs, eventMode) },
    { direction: "output", ports: unitPorts(model.outputs, eventMode) },
  ]);
  numericOnly(
    model.name,
    ports.filter(({ direction }) => direction === "parameter"),
  );
  const index = new Map(ports.map((port) => [port.name, port.index]));
  const place = (name: string): number => index.get(name) ?? -1;
  const borderPorts = (of: Ports): BorderPort[] =>
    Object.entries(of).map(([name, { border = {} }], port) => {
      const isSignal = border.type === "clock";
      const isClock = isSignal && eventMode;
      return {
        port,
        name,
        isSignal,
        value: isClock ? -1 : place(name),
        clock: isClock ? place(name) : place(clockName(name)),
        items: border.items,
      };
    });
  const inputs = borderPorts(model.inputs);
  const clockOf = new Map(inputs.map(({ value, clock }) => [value, clock]));
  return {
    border: {
      ports: ports.map((port) => {
        if (port.type === "clock") return { ...port, clock: TRIGGERED };
        const clock = port.direction === "input" ? clockOf.get(port.index) : undefined;
        return clock === undefined || clock < 0 ? port : { ...port, clocks: [clock] };
      }),
      inputs,
      outputs: borderPorts(model.outputs),
    },
    diagnostics,
  };
}

function clockName(port: string): string {
  return `${port}.event`;
}

function borderProblem(
  border: BorderSpec | undefined,
): { readonly why: string; readonly fix: string } | undefined {
  if (border === undefined || (border.type === undefined && border.items === undefined))
    return {
      why: "does not say what it is outside of the model",
      fix: "port({ type: 'float64' }), port({ items: [...] }) or signal()",
    };
  if (border.items !== undefined && border.type !== undefined && border.type !== "enumeration")
    return { why: `has items and is of type ${border.type}`, fix: "omit the type" };
  if (border.items?.length === 0)
    return { why: "is an enumeration of nothing", fix: "list its items" };
  return undefined;
}

/**
 * Values first, clocks after them, so that a value is found in its place whether or not the unit
 * has clocks.
 */
function unitPorts(ports: Ports, eventMode: boolean): Record<string, OutputSpec> {
  const values: Record<string, OutputSpec> = {};
  const clocks: Record<string, OutputSpec> = {};
  for (const [name, { border = {} }] of Object.entries(ports)) {
    const { held, items, ...rest } = border;
    const clock: OutputSpec = {
      type: "clock",
      variability: "discrete",
      nature: "transient",
      feedThrough: [],
    };
    if (border.type === "clock") {
      const { type: _, ...described } = rest;
      if (eventMode) clocks[name] = { ...described, ...clock };
      else values[name] = { ...described, type: "uint32", ...DISCRETE };
      continue;
    }
    values[name] = {
      ...rest,
      ...(items !== undefined && {
        type: "enumeration",
        items: new Map(items.map((item, i) => [i + 1, item])),
        start: rest.start ?? 1,
      }),
      ...DISCRETE,
    };
    if (eventMode && held !== true)
      clocks[clockName(name)] = { ...clock, description: `ticks with every event of ${name}` };
  }
  return { ...values, ...clocks };
}

const DISCRETE = {
  variability: "discrete",
  nature: "piecewise-constant",
  feedThrough: [],
} as const satisfies OutputSpec;

/** Writes a value to its place in `banks`. @returns what is wrong with it, if something is. */
export function putBorderValue(
  banks: Banks,
  { type }: Port,
  slot: number,
  value: unknown,
  items: readonly string[] | undefined,
): string | undefined {
  if (items !== undefined) {
    const item = items.indexOf(value as string);
    if (item < 0) return `is not one of ${items.join(", ")}`;
    banks.f64[slot] = item + 1;
    return undefined;
  }
  switch (bankOf(type)) {
    case "i64":
      if (typeof value !== "bigint") return `is not a bigint, and the port is of type ${type}`;
      banks.i64[slot] = BigInt.asIntN(64, value);
      return undefined;
    case "obj": {
      const fits = type === "string" ? typeof value === "string" : value instanceof Uint8Array;
      if (!fits) return `does not fit the port, which is of type ${type}`;
      banks.obj[slot] = value as string | Uint8Array;
      return undefined;
    }
    default:
      if (typeof value !== (type === "boolean" ? "boolean" : "number"))
        return `is a ${typeof value}, and the port is of type ${type}`;
      banks.f64[slot] = Number(value);
      return undefined;
  }
}

/** A value from its place in `banks`, as the model sees it. */
export function borderValue(
  banks: Banks,
  { type }: Port,
  slot: number,
  items: readonly string[] | undefined,
): Value | undefined {
  if (items !== undefined) return items[banks.f64[slot] - 1];
  switch (bankOf(type)) {
    case "i64":
      return type === "uint64" ? BigInt.asUintN(64, banks.i64[slot]) : banks.i64[slot];
    case "obj":
      return banks.obj[slot];
    default:
      return type === "boolean" ? banks.f64[slot] !== 0 : banks.f64[slot];
  }
}
