/**
 * What names mean in each part of an adaptation, what may be read and what may be assigned there.
 *
 *   part      is executed                       may assign
 *   in        when inputs arrive                in variables
 *   map-in    before a step of an inner unit    inputs of inner units
 *   control   for a step                        control variables, inputs of inner units
 *   map-out   after a step of an inner unit     out variables
 *   out       when outputs are read             own outputs
 */
import type { Diagnostic, Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import type {
  Adaptation,
  Declaration,
  Expression,
  Reference,
  SaType,
} from "../../model/adaptation/data.ts";
import { SA_CLOCK } from "../../model/adaptation/functions.ts";
import { portNamed } from "../../model/unit-description.ts";
import { report } from "./diagnostics.ts";
import type { InnerPorts } from "./inner-ports.ts";
import { isScalar } from "./inner-ports.ts";

export type Part = "initial" | "in" | "map-in" | "control" | "map-out" | "out";

export const PART_NAMES: Readonly<Record<Part, string>> = {
  initial: "an initial value",
  in: "the first part of an in rule",
  "map-in": "the second part of an in rule",
  control: "control rules",
  "map-out": "the first part of an out rule",
  out: "the second part of an out rule",
};

const MAY_ASSIGN: Readonly<Record<Part, string>> = {
  initial: "nothing",
  in: "in variables",
  "map-in": "inputs of inner units",
  control: "control variables and inputs of inner units",
  "map-out": "out variables",
  out: "outputs of the adaptation",
};

type Storage = "param" | "in var" | "control var" | "out var";

const ASSIGNED_BY: Readonly<Record<Storage, Part | undefined>> = {
  param: undefined,
  "in var": "in",
  "control var": "control",
  "out var": "map-out",
};

const STORAGE_NAMES: Readonly<Record<Storage, string>> = {
  param: "a parameter",
  "in var": "an in variable",
  "control var": "a control variable",
  "out var": "an out variable",
};

/** Type of a value; undefined where it is unknown, which fits everything. */
export type Type = SaType | undefined;

interface Variable {
  readonly storage: Storage;
  type: Type;
}

export class Scope {
  readonly adaptation: Adaptation;
  readonly units: readonly InnerPorts[];
  readonly diagnostics: Diagnostic[];
  /** Variables of all storages, in the order in which they get their initial values. */
  readonly variables: Map<string, Variable> = new Map();
  private readonly locals: Map<string, Type>[] = [];

  constructor(adaptation: Adaptation, units: readonly InnerPorts[], diagnostics: Diagnostic[]) {
    this.adaptation = adaptation;
    this.units = units;
    this.diagnostics = diagnostics;
  }

  declareVariable({ name }: Declaration, storage: Storage, type: Type): void {
    this.variables.set(name, { storage, type });
  }

  enter(): void {
    this.locals.push(new Map());
  }

  leave(): void {
    this.locals.pop();
  }

  declareLocal(name: string, type: Type, place: Place): void {
    const block = this.locals.at(-1);
    if (block === undefined) throw new Error("internal: a local outside of every block");
    if (block.has(name)) this.diagnostics.push(report("sa-duplicate-name", { name }, place));
    block.set(name, type);
  }

  private local(name: string): { readonly type: Type } | undefined {
    for (const block of [...this.locals].reverse())
      if (block.has(name)) return { type: block.get(name) };
    return undefined;
  }

  isUnit(name: string): boolean {
    return this.units.some(({ unit }) => unit.name === name);
  }

  isOwnInput(expression: Expression): boolean {
    if (expression.kind !== "reference") return false;
    const { unit, name } = expression;
    if (unit === undefined && (this.variables.has(name) || this.local(name) !== undefined))
      return false;
    if (unit !== undefined && unit !== this.adaptation.name) return false;
    const declared = this.adaptation.inputs?.some((port) => port.name === name) ?? false;
    return declared || this.inherited(name) !== undefined;
  }

  /** The type of what is read; reports what cannot be. */
  read(reference: Reference, part: Part): Type {
    const { name, place } = reference;
    if (reference.unit !== undefined) return this.readPort(reference.unit, name, place, part);
    const local = this.local(name);
    if (local !== undefined) return local.type;
    const variable = this.variables.get(name);
    if (part === "initial" && variable?.storage !== "param") {
      this.diagnostics.push(report("sa-initial", { name }, place));
      return undefined;
    }
    if (variable !== undefined) return variable.type;
    if (this.ownPort(name) !== undefined) return this.readOwn(name, place);
    if (SA_CLOCK.has(name)) return this.readClock(name, place, part);
    const known = [
      ...this.locals.flatMap((block) => [...block.keys()]),
      ...this.variables.keys(),
      ...this.ownNames(),
    ];
    this.diagnostics.push(
      report("sa-unknown-name", { name, nearest: nearest(name, known) }, place),
    );
    return undefined;
  }

  private readClock(name: string, place: Place, part: Part): Type {
    const isInner = name === "h" || name === "dt";
    const may = part === "map-in" || part === "map-out" || (part === "control" && !isInner);
    if (!may) {
      const where = isInner
        ? "where values pass to and from inner units"
        : "in control rules, and where values pass to and from inner units";
      this.diagnostics.push(
        report("sa-not-here", { what: `'${name}'`, part: PART_NAMES[part], where }, place),
      );
    }
    return "real";
  }

  private readPort(unit: string, port: string, place: Place, part: Part): Type {
    if (part === "initial") {
      this.diagnostics.push(report("sa-initial", { name: `${unit}.${port}` }, place));
      return undefined;
    }
    if (unit === this.adaptation.name) {
      if (this.ownPort(port) !== undefined) return this.readOwn(port, place);
      return this.unknownPort(unit, port, this.ownNames(), place);
    }
    return this.innerPort(unit, port, "outputs", place, "rules read outputs");
  }

  private readOwn(name: string, place: Place): Type {
    const input = this.adaptation.inputs?.find((port) => port.name === name);
    if (input === undefined && this.adaptation.outputs?.some((port) => port.name === name)) {
      const why = "rules read inputs of the adaptation and outputs of inner units";
      this.diagnostics.push(
        report("sa-direction", { port: name, is: "an output", why, nearest: undefined }, place),
      );
    }
    return input?.type ?? this.boundType(input?.binding, "inputs");
  }

  /** Type of the inner port that a binding names, if it is known. */
  boundType(
    binding: { readonly unit: string; readonly port: string } | undefined,
    direction: "inputs" | "outputs",
  ): Type {
    const unit = this.units.find((one) => one.unit.name === binding?.unit);
    const port = unit?.[direction].find(({ name }) => name === binding?.port);
    return port?.certain === true ? port.type : undefined;
  }

  /**
   * Ports of the adaptation, where they are declared; inputs and outputs that it inherits are not
   * named in its rules.
   */
  private ownPort(name: string): object | undefined {
    const { inputs = [], outputs = [] } = this.adaptation;
    return [...inputs, ...outputs].find((port) => port.name === name) ?? this.inherited(name);
  }

  private inherited(name: string): object | undefined {
    return this.units.flatMap(({ inputs }) => inputs).find((port) => port.name === name);
  }

  private ownNames(): string[] {
    const { inputs = [], outputs = [] } = this.adaptation;
    return [...inputs, ...outputs].map(({ name }) => name);
  }

  /**
   * The type of a port of an inner unit; reports names that do not exist and ports of the other
   * direction.
   */
  innerPort(
    unitName: string,
    port: string,
    direction: "inputs" | "outputs",
    place: Place,
    why: string,
  ): Type {
    const unit = this.units.find((one) => one.unit.name === unitName);
    if (unit === undefined) {
      const known = [this.adaptation.name, ...this.units.map((one) => one.unit.name)];
      this.diagnostics.push(
        report("sa-unknown-unit", { unit: unitName, nearest: nearest(unitName, known) }, place),
      );
      return undefined;
    }
    const found = unit[direction].find(({ name }) => name === port);
    if (found !== undefined) return found.certain ? found.type : undefined;
    const names = unit[direction].map(({ name }) => name);
    const other = direction === "inputs" ? "outputs" : "inputs";
    if (unit[other].some(({ name }) => name === port)) {
      const is = direction === "inputs" ? "an output" : "an input";
      this.diagnostics.push(
        report(
          "sa-direction",
          { port: `${unitName}.${port}`, is, why, nearest: nearest(port, names) },
          place,
        ),
      );
      return undefined;
    }
    const described = unit.description && portNamed(unit.description, port);
    if (described !== undefined && !isScalar(described)) {
      this.diagnostics.push(report("sa-array", { port: `${unitName}.${port}` }, place));
      return undefined;
    }
    const declared = direction === "inputs" ? unit.unit.inputs : unit.unit.outputs;
    if (declared === undefined && unit.description === undefined) return undefined;
    return this.unknownPort(unitName, port, names, place, described !== undefined);
  }

  private unknownPort(
    unit: string,
    port: string,
    known: readonly string[],
    place: Place,
    undeclared = false,
  ): Type {
    const close = nearest(port, known);
    this.diagnostics.push(
      report("sa-unknown-port", { unit, port, nearest: close, known, undeclared }, place),
    );
    return undefined;
  }

  /** The type that may be assigned; reports what this part may not assign. */
  assign({ unit, name, place }: Reference, part: Part): Type {
    if (unit === undefined) {
      const local = this.local(name);
      if (local !== undefined) return local.type;
      const variable = this.variables.get(name);
      if (variable !== undefined) {
        if (ASSIGNED_BY[variable.storage] !== part)
          this.wrongStorage(name, STORAGE_NAMES[variable.storage], part, place);
        return variable.type;
      }
    }
    if (unit !== undefined && unit !== this.adaptation.name) {
      if (part !== "map-in" && part !== "control" && this.isUnit(unit)) {
        this.wrongStorage(`${unit}.${name}`, "a port of an inner unit", part, place);
        return undefined;
      }
      return this.innerPort(unit, name, "inputs", place, "rules assign inputs");
    }
    const { outputs = [], inputs = [] } = this.adaptation;
    const output = outputs.find((port) => port.name === name);
    if (output !== undefined) {
      if (part !== "out") this.wrongStorage(name, "an output of the adaptation", part, place);
      return output.type ?? this.boundType(output.binding, "outputs");
    }
    if (inputs.some((port) => port.name === name)) {
      this.wrongStorage(name, "an input of the adaptation", part, place);
      return undefined;
    }
    if (unit !== undefined)
      return this.unknownPort(
        unit,
        name,
        outputs.map((port) => port.name),
        place,
      );
    const close = nearest(name, [...this.variables.keys(), ...this.ownNames()]);
    this.diagnostics.push(report("sa-unknown-name", { name, nearest: close }, place));
    return undefined;
  }

  private wrongStorage(name: string, is: string, part: Part, place: Place): void {
    const may = MAY_ASSIGN[part];
    this.diagnostics.push(report("sa-assign", { name, is, part: PART_NAMES[part], may }, place));
  }
}
