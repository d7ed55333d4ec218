/**
 * Connected units as one unit that adapts nothing: the adaptation without rules of its own, for all
 * four kinds. What the rules of an adaptation leave out means this, so both go the same way.
 */
import type {
  Adaptation,
  AdaptationPort,
  Declaration,
  Expression,
  InputKind,
  OutputKind,
  Reference,
  Statement,
} from "../model/adaptation/data.ts";
import { type Port, portSize } from "../model/unit-description.ts";
import type { Value } from "../model/value-type.ts";
import type { Unit } from "../unit/unit.ts";
import { adaptedUnit } from "./adapted-unit.ts";

export interface InnerScenario {
  readonly units: ReadonlyMap<string, Unit>;
  readonly connections: readonly {
    readonly from: { readonly unit: string; readonly port: string };
    readonly to: { readonly unit: string; readonly port: string };
  }[];
}

export interface HierarchicalKind {
  readonly input: InputKind;
  readonly output: OutputKind;
}

/** Inputs without a connection and all outputs, as ports of one unit. */
interface Outside {
  readonly name: string;
  readonly unit: string;
  readonly port: Port;
}

/**
 * A unit in phase `instantiated`, which owns the units of `inner` from here on. Its inputs are the
 * scalar inputs that no connection feeds, its outputs all scalar outputs, under their own names
 * where these are unique, else as `unit_port`.
 * @throws AdaptationError where units form an algebraic loop.
 */
export function hierarchicalUnit(name: string, inner: InnerScenario, kind: HierarchicalKind): Unit {
  return adaptedUnit(name, hierarchicalAdaptation(name, inner, kind), inner.units);
}

/** The same as data, in explicit form. */
export function hierarchicalAdaptation(
  name: string,
  { units, connections }: InnerScenario,
  kind: HierarchicalKind,
): Adaptation {
  const place = { file: name };
  const fed = new Set(connections.map(({ to }) => `${to.unit}.${to.port}`));
  const outside = named(
    [...units].flatMap(([unit, { description }]) =>
      description.ports
        .filter(
          (port) =>
            portSize(port) === 1 &&
            port.type !== "binary" &&
            port.type !== "clock" &&
            (port.direction === "output" ||
              (port.direction === "input" && !fed.has(`${unit}.${port.name}`))),
        )
        .map((port) => ({ unit, port })),
    ),
  );
  const inputs = outside.filter(({ port }) => port.direction === "input");
  const outputs = outside.filter(({ port }) => port.direction === "output");
  const reference = (name: string, unit?: string): Reference => ({
    kind: "reference",
    name,
    ...(unit !== undefined && { unit }),
    place,
  });
  const copy = (target: Reference, value: Reference): Statement => ({
    kind: "assign",
    target,
    value,
    place,
  });
  const store = ({ name }: Outside): string => `stored_${name}`;
  const declare = (list: readonly Outside[]): Declaration[] =>
    list.map((item) => ({ name: store(item), value: startOf(item.port, place), place }));
  const ports = (list: readonly Outside[]): AdaptationPort[] =>
    list.map(({ name, unit, port }) => ({
      name,
      binding: { unit, port: port.name, place },
      place,
    }));
  return {
    type: name,
    name,
    inputKind: kind.input,
    outputKind: kind.output,
    inner: [...units].map(([unit, { description }]) => ({
      type: description.name,
      name: unit,
      source: "",
      place,
    })),
    connections: connections.map(({ from, to }) => ({
      from: { ...from, place },
      to: { ...to, place },
      place,
    })),
    inputs: ports(inputs),
    outputs: ports(outputs),
    parameters: [],
    controlVariables: [],
    inVariables: declare(inputs),
    inRules: [
      {
        condition: { kind: "boolean", value: true, place },
        first: inputs.map((item) => copy(reference(store(item)), reference(item.name, name))),
        second: inputs.map((item) =>
          copy(reference(item.port.name, item.unit), reference(store(item))),
        ),
        place,
      },
    ],
    outVariables: declare(outputs),
    outRules: [
      {
        condition: { kind: "boolean", value: true, place },
        first: outputs.map((item) =>
          copy(reference(store(item)), reference(item.port.name, item.unit)),
        ),
        second: outputs.map((item) => copy(reference(item.name, name), reference(store(item)))),
        place,
      },
    ],
    place,
  };
}

function named(ports: readonly Omit<Outside, "name">[]): Outside[] {
  const count = new Map<string, number>();
  for (const { port } of ports) count.set(port.name, (count.get(port.name) ?? 0) + 1);
  return ports.map(({ unit, port }) => ({
    unit,
    port,
    name: count.get(port.name) === 1 ? port.name : `${unit}_${port.name}`,
  }));
}

function startOf({ start, type }: Port, place: Adaptation["place"]): Expression {
  const value: Value = start?.[0] ?? (type === "string" ? "" : 0);
  if (type === "string") return { kind: "string", value: String(value), place };
  if (type === "boolean") return { kind: "boolean", value: Boolean(value), place };
  return { kind: "number", value: Number(value), place };
}
