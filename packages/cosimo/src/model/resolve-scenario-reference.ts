/**
 * What a text like `motor.speed`, `tank.level[2]`, `robot.flange` or `controller.*` refers to.
 *
 * Names of units may contain dots (SSP allows it) and so may names of ports, so every dot is tried
 * from the last one on: the longest unit name wins, as in the SSP reader. A port whose name ends in
 * brackets (FMI 2 writes arrays as `u[1]`, `u[2]`) is found before an element of an array is.
 */
import type { Place } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import {
  hintFor,
  type OpenUnit,
  type ResolveContext,
  reportUnknownPort,
  shapeText,
} from "./resolve-scenario-context.ts";
import type { Port, Terminal, UnitDescription } from "./unit-description.ts";

export type Reference = PortReference | TerminalReference | GroupReference;

/** Only units with a description can be referred to. */
export type DescribedUnit = OpenUnit & { readonly description: UnitDescription };

function isDescribed(unit: OpenUnit): unit is DescribedUnit {
  return unit.description !== undefined;
}

/** A port, or contiguous elements of it. */
export interface PortReference {
  readonly kind: "port";
  readonly unit: DescribedUnit;
  readonly port: Port;
  /** First element, row-major, from 0. */
  readonly element: number;
  /** Shape of what is referred to. */
  readonly shape: readonly number[];
  readonly whole: boolean;
  readonly text: string;
}

export interface TerminalReference {
  readonly kind: "terminal";
  readonly unit: DescribedUnit;
  readonly terminal: Terminal;
  readonly text: string;
}

/** `unit.*` or `unit.axis.*`: all ports whose names start with the prefix. */
export interface GroupReference {
  readonly kind: "group";
  readonly unit: DescribedUnit;
  readonly prefix: string;
  readonly text: string;
}

/** Two ports to connect; `sign` is -1 between two flows of the same direction. */
export interface Pair {
  readonly from: PortReference;
  readonly to: PortReference;
  readonly sign: 1 | -1;
}

/**
 * The reference; undefined after a report, or silently when the unit itself could not be loaded.
 */
export function findReference(
  context: ResolveContext,
  text: string,
  wanted: "input" | "output",
  place: Place,
): Reference | undefined {
  let first: { unit: OpenUnit; rest: string } | undefined;
  for (let dot = text.lastIndexOf("."); dot > 0; dot = text.lastIndexOf(".", dot - 1)) {
    const unit = context.unitByName.get(text.slice(0, dot));
    if (unit === undefined) continue;
    const rest = text.slice(dot + 1);
    first ??= { unit, rest };
    const found = isDescribed(unit) ? findIn(context, unit, rest, text) : undefined;
    if (found !== undefined) return found;
  }
  if (first === undefined) return unknownUnit(context, text, place);
  const { unit, rest } = first;
  if (!isDescribed(unit)) return undefined;
  if (rest === "") return context.report("reference-malformed", { text }, place);
  return findElement(context, unit, rest, text, wanted, place);
}

function unknownUnit(context: ResolveContext, text: string, place: Place): undefined {
  const dot = text.indexOf(".");
  if (dot <= 0 || dot === text.length - 1)
    return context.report("reference-malformed", { text }, place);
  const unit = text.slice(0, dot);
  const names = context.units.map(({ draft }) => draft.name);
  const hint = { nearest: nearest(unit, names), names };
  return context.report("unknown-unit", { unit, hint }, place);
}

function findIn(
  context: ResolveContext,
  unit: DescribedUnit,
  rest: string,
  text: string,
): Reference | undefined {
  const { description } = unit;
  if (rest === "") return undefined;
  const port = context.portsOf(description).get(rest);
  if (port !== undefined)
    return { kind: "port", unit, port, element: 0, shape: port.shape, whole: true, text };
  if (rest.endsWith("*")) return { kind: "group", unit, prefix: rest.slice(0, -1), text };
  const terminal = findTerminal(description.terminals ?? [], rest);
  return terminal && { kind: "terminal", unit, terminal, text };
}

function findTerminal(terminals: readonly Terminal[], name: string): Terminal | undefined {
  for (const terminal of terminals) {
    if (terminal.name === name) return terminal;
    if (!name.startsWith(`${terminal.name}.`)) continue;
    const inner = findTerminal(terminal.terminals, name.slice(terminal.name.length + 1));
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const INDICES = /^(.+)\[\s*(\d+(?:\s*,\s*\d+)*)(?:\s*:\s*(\d+))?\s*\]$/;

function findElement(
  context: ResolveContext,
  unit: DescribedUnit,
  rest: string,
  text: string,
  wanted: "input" | "output",
  place: Place,
): PortReference | undefined {
  const { description } = unit;
  const found = elementsOf(context.portsOf(description), rest);
  if (found === undefined) {
    const name = INDICES.exec(rest)?.[1] ?? rest;
    const hint = hintFor(name, description.ports, ({ direction }) => direction === wanted);
    return reportUnknownPort(context, unit, name, hint, place);
  }
  const { port, part } = found;
  if (part === undefined) {
    const params = { text, port: port.name, shape: shapeText(port.shape) };
    return context.report("element-outside", params, place);
  }
  return { kind: "port", unit, port, ...part, whole: false, text };
}

/** `A[2,1]` → the port A and which elements; `part` is absent when the indices lead outside. */
export function elementsOf(
  ports: ReadonlyMap<string, Port>,
  text: string,
): { readonly port: Port; readonly part?: Part } | undefined {
  const [, name = "", indices = "", last] = INDICES.exec(text) ?? [];
  const port = ports.get(name);
  if (port === undefined) return undefined;
  const part = slice(
    port.shape,
    indices.split(",").map(Number),
    last === undefined ? undefined : Number(last),
  );
  return part === undefined ? { port } : { port, part };
}

/** Contiguous elements: the first one, and the shape of all. */
interface Part {
  readonly element: number;
  readonly shape: readonly number[];
}

/** Leading indices choose a block (row-major, so it is contiguous); the last one may be a range. */
function slice(
  shape: readonly number[],
  indices: readonly number[],
  last: number | undefined,
): Part | undefined {
  let element = 0;
  let count = 1;
  for (const [i, index] of indices.entries()) {
    const size = shape[i] ?? 0;
    const end = i === indices.length - 1 ? (last ?? index) : index;
    if (index < 1 || end < index || end > size) return undefined;
    element = element * size + index - 1;
    count = end - index + 1;
  }
  const inner = shape.slice(indices.length);
  for (const size of inner) element *= size;
  return { element, shape: last === undefined ? inner : [count, ...inner] };
}
