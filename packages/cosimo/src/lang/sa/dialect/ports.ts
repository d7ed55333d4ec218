/**
 * Ports as the dialect writes them: types in front, aliases, start values, arrays, bindings and
 * connections without a unit.
 */
import type { Place } from "../../../base/diagnostic.ts";
import type {
  Adaptation,
  AdaptationPort,
  Expression,
  InnerConnection,
  PortName,
  Reference,
  Rule,
  Statement,
} from "../../../model/adaptation/data.ts";
import { addInPorts, addOutPorts } from "../explicit-ports.ts";
import { innerPorts } from "../inner-ports.ts";
import { keyOf, rewriteExpression, rewriteStatements } from "../rewrite.ts";
import { generated } from "./code.ts";
import type { DraftPort, DraftUnit } from "./draft.ts";
import type { Work } from "./work.ts";

/**
 * An array may be written as one port of so many elements; a hostile text should not make millions
 * of them.
 */
const MOST_ELEMENTS = 1000;

interface Start {
  readonly owner: string;
  readonly port: string;
  readonly value: Expression;
  readonly isOwn: boolean;
  readonly place: Place;
}

/** Ports of inner units and of the adaptation, without what only the dialect says. */
export class Ports {
  private readonly work: Work;
  private readonly aliases = new Map<string, string>();
  private readonly starts: Start[] = [];
  private readonly inputs = new Map<string, string[]>();
  private readonly outputs = new Map<string, string[]>();
  /** Elements of arrays, by `unit.port`. */
  private readonly arrays = new Map<string, readonly string[]>();

  constructor(work: Work) {
    this.work = work;
  }

  innerUnit(unit: DraftUnit): DraftUnit {
    const { inputs, outputs, ...rest } = unit;
    const list = (
      ports: readonly DraftPort[] | undefined,
      into: Map<string, string[]>,
    ): AdaptationPort[] | undefined =>
      ports?.flatMap((port) => {
        const plain = this.plainPorts(unit.name, port, false);
        for (const { name } of plain) into.set(name, [...(into.get(name) ?? []), unit.name]);
        return plain;
      });
    const ins = list(inputs, this.inputs);
    const outs = list(outputs, this.outputs);
    return { ...rest, ...(ins && { inputs: ins }), ...(outs && { outputs: outs }) };
  }

  ownPorts(
    ports: readonly DraftPort[] | undefined,
    direction: "inputs" | "outputs",
  ): AdaptationPort[] | undefined {
    const own = this.work.draft.name;
    return ports?.flatMap((port) => {
      const { binding } = port;
      const bound = binding && this.qualified(binding, direction);
      const elements = bound && this.arrays.get(keyOf(bound.unit, bound.port));
      return this.plainPorts(own, port, true).map((plain, at) => {
        if (bound === undefined) return plain;
        const element = elements?.[at];
        return { ...plain, binding: element === undefined ? bound : { ...bound, port: element } };
      });
    });
  }

  /** `x[3]` as its elements; names and starts of the dialect are kept for later. */
  private plainPorts(owner: string, port: DraftPort, isOwn: boolean): AdaptationPort[] {
    const { dialect } = this.work;
    const { alias, start, size, isTyped, ...plain } = port;
    const { name, place } = port;
    if (isTyped) dialect.note("'Real x'", "'x: real'", place);
    const names = size === undefined ? [name] : this.elementsOf(name, size, place);
    if (size !== undefined) {
      dialect.note("an array 'x[n]'", "ports 'x[1]' to 'x[n]'", place);
      this.arrays.set(keyOf(owner, name), names);
    }
    if (alias !== undefined) {
      dialect.note('a name behind a port (f "F_IN")', "the port of that name", place);
      for (const [at, one] of names.entries())
        this.aliases.set(
          keyOf(owner, one),
          size === undefined ? alias : `${alias}[${size.lower + at}]`,
        );
    }
    if (start !== undefined) this.takeStart(owner, names, start, isOwn, place);
    return names.map((one, at) => ({
      ...plain,
      name: one,
      place: at === 0 ? place : generated(place),
    }));
  }

  private elementsOf(
    name: string,
    { lower, upper }: NonNullable<DraftPort["size"]>,
    place: Place,
  ): string[] {
    const count = upper - lower + 1;
    const isCounted = Number.isInteger(lower) && Number.isInteger(upper) && count >= 1;
    if (!isCounted || count > MOST_ELEMENTS) {
      this.work.dialect.refuse(
        `'${name}[…]'`,
        `an array has 1 to ${MOST_ELEMENTS} elements`,
        "write the number of its elements: x[3], x[1..3]",
        place,
      );
      return [name];
    }
    return Array.from({ length: count }, (_, k) => `${name}[${lower + k}]`);
  }

  private takeStart(
    owner: string,
    names: readonly string[],
    { values, isArray }: NonNullable<DraftPort["start"]>,
    isOwn: boolean,
    place: Place,
  ): void {
    if (isArray && values.length !== names.length)
      this.work.dialect.refuse(
        "this start value",
        `it has ${values.length} elements, and the port ${names.length}`,
        "give every element a value, or one value for all",
        place,
      );
    this.work.dialect.note("a start value ':='", "a parameter INIT_…", place);
    for (const [at, port] of names.entries()) {
      const value = isArray ? values[at] : values[0];
      if (value !== undefined) this.starts.push({ owner, port, value, isOwn, place });
    }
  }

  startOf(owner: string, port: string): Expression | undefined {
    return this.starts.find((one) => one.owner === owner && one.port === port)?.value;
  }

  /** Units that declare an input or output of this name. */
  unitsWith(direction: "inputs" | "outputs", name: string): readonly string[] {
    return this[direction].get(name) ?? [];
  }

  /** A port that is named without its unit: the only one of its name. */
  qualified(name: PortName, direction: "inputs" | "outputs"): PortName {
    if (name.unit !== "") return name;
    const [unit, ...others] = this.unitsWith(direction, name.port);
    const { dialect } = this.work;
    if (unit === undefined || others.length > 0) {
      const what = direction === "inputs" ? "input" : "output";
      dialect.refuse(
        `'${name.port}'`,
        unit === undefined
          ? `no inner unit declares an ${what} of this name`
          : `several inner units have an ${what} of this name`,
        unit === undefined
          ? "declare it: with input ports …, with output ports …"
          : `write its unit: ${[unit, ...others].map((one) => `${one}.${name.port}`).join(", ")}`,
        name.place,
      );
      return name;
    }
    dialect.note("a port without its unit", "'unit.port'", name.place);
    return { ...name, unit };
  }

  /** Connections of the text, elements of arrays one by one. */
  connections(all: readonly InnerConnection[]): InnerConnection[] {
    return all.flatMap((one) => {
      const from = this.qualified(one.from, "outputs");
      const to = this.qualified(one.to, "inputs");
      const sources = this.arrays.get(keyOf(from.unit, from.port));
      const targets = this.arrays.get(keyOf(to.unit, to.port));
      if (sources === undefined || targets === undefined) return [{ ...one, from, to }];
      return targets.flatMap((port, at) =>
        sources[at] === undefined
          ? []
          : [{ ...one, from: { ...from, port: sources[at] }, to: { ...to, port } }],
      );
    });
  }

  /** Variables get the names that units have, and parameters the values that ports begin with. */
  finish(adaptation: Adaptation): Adaptation {
    const { aliases } = this;
    if (aliases.size === 0 && this.starts.length === 0) return adaptation;
    const complete = aliases.size === 0 ? adaptation : withNames(adaptation, aliases);
    const renamed = aliases.size === 0 ? complete : rename(complete, aliases);
    return this.starts.length === 0 ? renamed : this.withStarts(renamed);
  }

  private withStarts(adaptation: Adaptation): Adaptation {
    const units = innerPorts(adaptation, () => undefined);
    const { inputs, outputs } = addOutPorts(addInPorts(adaptation, units), units);
    const known = new Set(adaptation.parameters.map(({ name }) => name));
    const parameters = [...adaptation.parameters];
    for (const { owner, port, value, isOwn, place } of this.starts) {
      const target = { unit: owner, port: this.aliases.get(keyOf(owner, port)) ?? port };
      const stored = isOwn
        ? ownStorage(adaptation.name, target.port, inputs, outputs)
        : innerStorage(adaptation, target, inputs);
      if (stored === undefined) {
        this.work.dialect.note(`the start value of '${port}'`, "nothing: rules give it", place);
        continue;
      }
      const name = `INIT_${word(stored.unit)}_${word(stored.port)}`.toUpperCase();
      if (known.has(name)) continue;
      known.add(name);
      const type = units
        .flatMap((unit) => [...unit.inputs, ...unit.outputs])
        .find((one) => one.unit === stored.unit && one.name === stored.port)?.type;
      parameters.push({
        name,
        ...(type === "integer" ? { type } : {}),
        value,
        place: generated(place),
      });
    }
    return { ...adaptation, parameters };
  }
}

/** Where an own port begins: its own storage, or that of the output that it is bound to. */
function ownStorage(
  sa: string,
  name: string,
  inputs: readonly AdaptationPort[],
  outputs: readonly AdaptationPort[],
): { readonly unit: string; readonly port: string } | undefined {
  if (inputs.some((port) => port.name === name)) return { unit: sa, port: name };
  return outputs.find((port) => port.name === name)?.binding;
}

/**
 * Where an inner port begins: an output in its storage, an input in that of the own port that leads
 * to it.
 */
function innerStorage(
  { name: sa, inner }: Adaptation,
  target: { readonly unit: string; readonly port: string },
  inputs: readonly AdaptationPort[],
): { readonly unit: string; readonly port: string } | undefined {
  const unit = inner.find(({ name }) => name === target.unit);
  if (unit?.outputs?.some(({ name }) => name === target.port)) return target;
  const own = inputs.find(
    ({ binding }) => binding?.unit === target.unit && binding.port === target.port,
  );
  return own && { unit: sa, port: own.name };
}

function word(text: string): string {
  return text.replace(/[^A-Za-z0-9_]/g, "_");
}

/**
 * Own ports are called as the text calls inner ones, not as their units do: so they are written
 * down first.
 */
function withNames(adaptation: Adaptation, aliases: ReadonlyMap<string, string>): Adaptation {
  const units = innerPorts(adaptation, () => undefined);
  const withInputs = addInPorts(adaptation, units);
  const { outputs } = addOutPorts(withInputs, units);
  const declared = adaptation.inputs?.length ?? 0;
  const inputs = withInputs.inputs.filter(
    ({ binding }, at) =>
      at < declared || (binding !== undefined && aliases.has(keyOf(binding.unit, binding.port))),
  );
  return {
    ...adaptation,
    ...(inputs.length > 0 || adaptation.inputs !== undefined ? { inputs } : {}),
    ...(outputs.length > 0 || adaptation.outputs !== undefined ? { outputs } : {}),
  };
}

function rename(adaptation: Adaptation, aliases: ReadonlyMap<string, string>): Adaptation {
  const { name: sa } = adaptation;
  const of = (unit: string, port: string): string => aliases.get(keyOf(unit, port)) ?? port;
  const { parameters, controlVariables, inVariables, outVariables } = adaptation;
  const variables = new Set(
    [parameters, controlVariables, inVariables, outVariables].flat().map((one) => one.name),
  );
  const reference = (r: Reference): Reference => {
    if (r.unit !== undefined) return { ...r, name: of(r.unit, r.name) };
    const own = variables.has(r.name) ? undefined : aliases.get(keyOf(sa, r.name));
    return own === undefined ? r : { ...r, unit: sa, name: own };
  };
  const name = (p: PortName): PortName => ({ ...p, port: of(p.unit, p.port) });
  const ports = (owner: string, list: readonly AdaptationPort[]): AdaptationPort[] =>
    list.map(({ binding, ...port }) => ({
      ...port,
      name: of(owner, port.name),
      ...(binding && { binding: name(binding) }),
    }));
  const block = (statements: readonly Statement[]): Statement[] =>
    rewriteStatements(statements, reference, new Set(), reference);
  const rules = (list: readonly Rule[]): Rule[] =>
    list.map((rule) => ({
      ...rule,
      condition: rewriteExpression(rule.condition, reference),
      first: block(rule.first),
      second: block(rule.second),
    }));
  return {
    ...adaptation,
    inner: adaptation.inner.map((unit) => ({
      ...unit,
      ...(unit.inputs && { inputs: ports(unit.name, unit.inputs) }),
      ...(unit.outputs && { outputs: ports(unit.name, unit.outputs) }),
    })),
    connections: adaptation.connections.map((one) => ({
      ...one,
      from: name(one.from),
      to: name(one.to),
    })),
    ...(adaptation.inputs && { inputs: ports(sa, adaptation.inputs) }),
    ...(adaptation.outputs && { outputs: ports(sa, adaptation.outputs) }),
    ...(adaptation.controlRules && { controlRules: block(adaptation.controlRules) }),
    inRules: rules(adaptation.inRules),
    outRules: rules(adaptation.outRules),
  };
}
