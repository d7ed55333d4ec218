/**
 * Names in rules that the dialect writes without a unit: `speed := speed` in an out rule is the
 * output of the adaptation, made of the output inside. What our notation understands by itself
 * stays as it is.
 */
import type { Place } from "../../../base/diagnostic.ts";
import type { Expression, Reference, SaType, Statement } from "../../../model/adaptation/data.ts";
import { referencesIn } from "../../../model/adaptation/walk.ts";
import { rewriteExpression, rewriteStatements } from "../rewrite.ts";
import { generated } from "./code.ts";
import type { Ports } from "./ports.ts";
import { shownType, type Work, zeroOf } from "./work.ts";

export type Half = "in" | "map-in" | "control" | "map-out" | "out";

export class Names {
  private readonly work: Work;
  private readonly ports: Ports;
  private readonly variables: Set<string>;
  private readonly ownInputs: Set<string>;
  private readonly ownOutputs: Set<string>;
  private areDerived = false;
  /** Variables in which rules keep what they give a port, by `in x` or `out y`. */
  private readonly kept = new Map<string, string>();

  constructor(work: Work, ports: Ports) {
    this.work = work;
    this.ports = ports;
    const { parameters, controlVariables, inVariables, outVariables } = work;
    this.variables = new Set(
      [parameters, controlVariables, inVariables, outVariables].flat().map(({ name }) => name),
    );
    this.ownInputs = new Set((work.inputs ?? []).map(({ name }) => name));
    this.ownOutputs = new Set((work.outputs ?? []).map(({ name }) => name));
  }

  expression(e: Expression): Expression {
    return rewriteExpression(e, this.read);
  }

  /** @param keeps ports that this half may not assign are kept in variables. */
  statements(all: readonly Statement[], half: Half, keeps = true): Statement[] {
    return rewriteStatements(all, this.read, new Set(), (target) =>
      this.target(target, half, keeps),
    );
  }

  /** What a name means that is read. */
  private readonly read = (r: Reference): Reference => {
    const { name, place } = r;
    if (r.unit !== undefined || this.variables.has(name) || this.ownInputs.has(name)) return r;
    const kept = this.kept.get(`in ${name}`);
    if (kept !== undefined) return { ...r, name: kept };
    const [unit, ...others] = this.ports.unitsWith("outputs", name);
    if (unit === undefined || others.length > 0 || this.isInherited(name)) return r;
    this.work.dialect.note("a port without its unit", "'unit.port'", place);
    return { ...r, unit };
  };

  /** An input that nothing feeds is one of the adaptation, though it is not declared. */
  private isInherited(name: string): boolean {
    const { connections } = this.work;
    return this.ports
      .unitsWith("inputs", name)
      .some((unit) => !connections.some(({ to }) => to.unit === unit && to.port === name));
  }

  private target(r: Reference, half: Half, keeps: boolean): Reference {
    const { name, place } = r;
    if (r.unit !== undefined || this.variables.has(name)) return r;
    if (!keeps && (half === "in" || half === "map-out")) return r;
    if (half === "out" || half === "map-out") {
      const output = this.ownOutput(name, place);
      if (output === undefined) return r;
      if (half === "out") return { ...r, unit: output.unit };
      return { ...r, name: this.keep("out", name, place) };
    }
    const [unit, ...others] = this.ports.unitsWith("inputs", name);
    if (unit === undefined || others.length > 0) return r;
    this.work.dialect.note("a port without its unit", "'unit.port'", place);
    return half === "in" ? { ...r, name: this.keep("in", name, place) } : { ...r, unit };
  }

  /** An output of the adaptation, also where none is declared and it is one of an inner unit. */
  private ownOutput(name: string, place: Place): { readonly unit: string } | undefined {
    const { work } = this;
    if (this.ownOutputs.has(name)) return { unit: work.draft.name };
    if (work.outputs !== undefined) return undefined;
    if (this.ports.unitsWith("outputs", name).length === 0) return undefined;
    this.declareOutputs();
    work.dialect.note("an output that is not declared", "'output ports …'", place);
    return { unit: work.draft.name };
  }

  /**
   * An input that a rule reads and passes on in another way is one of the adaptation, also where it
   * is not declared.
   */
  declareInputs(read: Expression): void {
    const { work } = this;
    for (const { unit, name, place } of referencesIn(read)) {
      if (unit !== undefined && unit !== work.draft.name) continue;
      if (this.ownInputs.has(name) || (unit === undefined && this.variables.has(name))) continue;
      const [inside, ...others] = this.ports.unitsWith("inputs", name);
      const port = work.inner
        .find((one) => one.name === inside)
        ?.inputs?.find((one) => one.name === name);
      if (inside === undefined || others.length > 0 || port === undefined) continue;
      work.inputs = [
        ...(work.inputs ?? []),
        { ...port, binding: { unit: inside, port: name, place }, place: generated(place) },
      ];
      this.ownInputs.add(name);
      work.dialect.note("an input that is not declared", "'input ports …'", place);
    }
  }

  private declareOutputs(): void {
    const { work } = this;
    const all = work.inner.flatMap(({ name: unit, outputs = [] }) =>
      outputs.map((port) => ({ unit, port })),
    );
    const count = (name: string): number => all.filter(({ port }) => port.name === name).length;
    work.outputs = all.map(({ unit, port }) => ({
      ...port,
      name: count(port.name) > 1 ? `${unit}_${port.name}` : port.name,
      binding: { unit, port: port.name, place: port.place },
      place: generated(port.place),
    }));
    for (const { name } of work.outputs) this.ownOutputs.add(name);
    this.areDerived = true;
  }

  /**
   * An output that was not declared and that rules give is no longer the one inside: it may be of
   * another type.
   */
  unbindOutputs(): void {
    const { work } = this;
    if (!this.areDerived) return;
    const given = new Map<string, Expression>();
    for (const s of work.outRules.flatMap(({ second }) => second))
      if (s.kind === "assign" && s.target.unit === work.draft.name)
        given.set(s.target.name, s.value);
    work.outputs = work.outputs?.map((port) => {
      const value = given.get(port.name);
      if (value === undefined) return port;
      const { binding: _, type, ...rest } = port;
      const { name } = value.kind === "reference" ? value : { name: "" };
      const kept = work.outVariables.find((one) => one.name === name)?.value ?? value;
      return { ...rest, ...(type !== undefined && shownType(kept) === type && { type }) };
    });
  }

  /**
   * The variable that keeps what the first half of a rule gives a port; the port gets it in a rule
   * of its own.
   */
  keep(side: "in" | "out", name: string, place: Place, value?: Expression): string {
    const key = `${side} ${name}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const { work } = this;
    const type = this.typeOf(side, name, value);
    const made = work.declare(
      side === "in" ? "inVariables" : "outVariables",
      `given_${name}`,
      zeroOf(type),
      place,
      type === "integer" ? type : undefined,
    );
    this.variables.add(made);
    this.kept.set(key, made);
    work.dialect.note(
      "a port that the first part of a rule assigns",
      "a variable, which the second part passes on",
      place,
    );
    return made;
  }

  private typeOf(side: "in" | "out", name: string, value: Expression | undefined): SaType {
    const { work } = this;
    const ports =
      side === "in" ? work.inner.flatMap(({ inputs = [] }) => inputs) : (work.outputs ?? []);
    const declared = ports.find((port) => port.name === name)?.type;
    if (declared !== undefined) return declared;
    if (value !== undefined) return shownType(value);
    const assigned = [...work.draft.inRules, ...work.draft.outRules]
      .flatMap(({ rules }) => rules)
      .flatMap(({ transition, first = [] }) => [
        ...(transition?.target.name === name ? [transition.value] : []),
        ...first.flatMap((s) => (s.kind === "assign" && s.target.name === name ? [s.value] : [])),
      ]);
    return assigned[0] === undefined ? "real" : shownType(assigned[0]);
  }

  isKept(variable: string): boolean {
    return [...this.kept.values()].includes(variable);
  }

  /** The rules that pass on what is kept. */
  passKept(): void {
    const { work } = this;
    for (const [key, variable] of this.kept) {
      const [side, name = ""] = key.split(/ (.*)/s) as ["in" | "out", string];
      const unit = side === "in" ? this.ports.unitsWith("inputs", name)[0] : work.draft.name;
      const place = generated(work.draft.place);
      const rules = side === "in" ? work.inRules : work.outRules;
      rules.push({
        condition: { kind: "boolean", value: true, place },
        first: [],
        second: [
          {
            kind: "assign",
            target: { kind: "reference", ...(unit && { unit }), name, place },
            value: { kind: "reference", name: variable, place },
            place,
          },
        ],
        place,
      });
    }
  }

  /**
   * Variables of ports that the in rules keep, and inputs of the adaptation, as far as they are
   * booleans.
   */
  booleanSignals(): string[] {
    const { work } = this;
    const kept = [...this.kept].flatMap(([key, variable]) =>
      key.startsWith("in ") && this.typeOf("in", key.slice(3), undefined) === "boolean"
        ? [variable]
        : [],
    );
    const own = (work.inputs ?? []).filter(({ type }) => type === "boolean");
    return [...kept, ...own.map(({ name }) => name)];
  }

  /** The output inside that a rule names by a text: `"up" -> …`. */
  event(text: string, place: Place): Expression | undefined {
    const [unit, ...others] = this.ports.unitsWith("outputs", text);
    if (unit === undefined || others.length > 0) return undefined;
    this.work.dialect.note('a condition in quotes ("up")', "the output of that name", place);
    return { kind: "reference", unit, name: text, place };
  }
}
