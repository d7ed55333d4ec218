/**
 * Which names of an adaptation stand for the same value: explicit form says by plain assignments
 * what bindings of ports said before.
 */
import {
  type Adaptation,
  type AdaptationPort,
  type SaType,
  saTypeOf,
} from "../model/adaptation/data.ts";
import type { TypeOf } from "../model/adaptation/types.ts";
import { eachStatement, keyOf } from "../model/adaptation/walk.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";

/** Names that plain assignments make equal. */
export class Twins {
  private readonly adaptation: Adaptation;
  private readonly inner: ReadonlyMap<string, UnitDescription>;
  private readonly neighbours = new Map<string, Set<string>>();

  constructor(adaptation: Adaptation, inner: ReadonlyMap<string, UnitDescription>) {
    this.adaptation = adaptation;
    this.inner = inner;
    const own = new Set(
      [...(adaptation.inputs ?? []), ...(adaptation.outputs ?? [])].map((p) => p.name),
    );
    const variables = new Set(
      [...adaptation.inVariables, ...adaptation.outVariables].map(({ name }) => name),
    );
    // A bare name is a variable before it is a port.
    const key = (unit: string | undefined, name: string): string =>
      unit === undefined && own.has(name) && !variables.has(name)
        ? `${adaptation.name}.${name}`
        : keyOf(unit === undefined ? { name } : { unit, name });
    for (const { first, second } of [...adaptation.inRules, ...adaptation.outRules])
      for (const block of [first, second])
        eachStatement(block, (statement) => {
          if (statement.kind !== "assign" || statement.value.kind !== "reference") return;
          const { target, value } = statement;
          this.join(key(target.unit, target.name), key(value.unit, value.name));
        });
  }

  /** The port of an inner unit that an own port is bound to or copied from or to. */
  of(unit: string, { name, binding }: AdaptationPort): Port | undefined {
    if (binding) return this.port(`${binding.unit}.${binding.port}`);
    for (const key of this.reach(`${unit}.${name}`)) {
      const port = this.port(key);
      if (port) return port;
    }
    return undefined;
  }

  /** The variable that stores an own input. */
  variableOf(unit: string, name: string): string | undefined {
    const variables = new Set(this.adaptation.inVariables.map((variable) => variable.name));
    return [...(this.neighbours.get(`${unit}.${name}`) ?? [])].find((key) => variables.has(key));
  }

  typeOf(types: ReadonlyMap<string, SaType>): TypeOf {
    return ({ unit, name }) => {
      if (unit === undefined) return types.get(name);
      const port = this.port(`${unit}.${name}`);
      return port && saTypeOf(port);
    };
  }

  private port(key: string): Port | undefined {
    const [unit = "", name = ""] = key.split(/\.(.*)/s);
    return this.inner.get(unit)?.ports.find((port) => port.name === name);
  }

  private join(a: string, b: string): void {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const known = this.neighbours.get(from);
      if (known) known.add(to);
      else this.neighbours.set(from, new Set([to]));
    }
  }

  private reach(start: string): Set<string> {
    const found = new Set([start]);
    for (const key of found) for (const next of this.neighbours.get(key) ?? []) found.add(next);
    return found;
  }
}
