/**
 * Functions and variables that only the dialect has: whether a variable has a value, time since a
 * unit was executed, states as values, steps that are sent back.
 */
import type {
  CallExpression,
  Declaration,
  Expression,
  Rule,
  SaType,
  Statement,
} from "../../../model/adaptation/data.ts";
import { eachExpression, eachStatement, expressionsOf } from "../../../model/adaptation/walk.ts";
import { makeAssign, makeBinary, makeCall, makeReference } from "../build.ts";
import { expressionOf, generated, inText, name } from "./code.ts";
import { FALLS, RISES, UNSET } from "./draft.ts";
import { mapExpression, mapStatements } from "./transform.ts";
import { type Storage, shownType, type Work, zeroOf } from "./work.ts";

const STORAGES = ["controlVariables", "inVariables", "outVariables"] as const;

export class Calls {
  private readonly work: Work;
  /** Variables that begin without a value, and those that say whether they have one by now. */
  private readonly flags = new Map<string, string>();
  private readonly unset = new Set<string>();
  private readonly asked = new Set<string>();
  private readonly types = new Map<string, SaType>();
  private readonly declared: ReadonlySet<string>;
  private readonly added = new Set<Rule>();
  /** Variables whose values were states of units. */
  private readonly states = new Set<string>();

  constructor(work: Work) {
    this.work = work;
    const ports = [...(work.inputs ?? []), ...(work.outputs ?? [])];
    this.declared = new Set(
      [...this.variables(), ...work.parameters, ...ports].map((one) => one.name),
    );
  }

  private variables(): Declaration[] {
    return STORAGES.flatMap((storage) => this.work[storage]);
  }

  /** Over all rules and the author's control rules. */
  translate(control: readonly Statement[] | undefined): Statement[] | undefined {
    const { work } = this;
    this.survey(control);
    this.giveValues();
    const rules = (list: Rule[], side: "in" | "out"): void => {
      const mapped = list.map((rule) => ({
        ...rule,
        condition: this.expression(rule.condition),
        first: this.block(rule.first, side === "in" ? "in" : "other"),
        second: this.block(rule.second, "other"),
      }));
      // Rules that were added on the way come first.
      const added = list.filter((rule) => this.added.has(rule));
      list.splice(0, list.length, ...added, ...mapped);
    };
    rules(work.inRules, "in");
    rules(work.outRules, "out");
    return control && this.block(control, "control");
  }

  expression(e: Expression): Expression {
    return mapExpression(e, this.map);
  }

  /**
   * Which variables begin without a value, whether anything asks for it, and what they are given.
   */
  private survey(control: readonly Statement[] | undefined): void {
    const { work } = this;
    for (const { name: one, value } of this.variables()) if (isUnset(value)) this.unset.add(one);
    const look = (e: Expression): void =>
      eachExpression(e, (part) => {
        const [first] = part.kind === "call" && part.callee === "is_set" ? part.arguments : [];
        if (first?.kind === "reference") this.asked.add(first.name);
      });
    const statements = (list: readonly Statement[]): void =>
      eachStatement(list, (s) => {
        for (const e of expressionsOf(s)) look(e);
        if (s.kind === "var" && isUnset(s.value)) this.unset.add(s.name);
        if (s.kind !== "assign" || s.target.unit !== undefined) return;
        if (isCallTo(s.value, "get_state")) this.states.add(s.target.name);
        else if (!this.types.has(s.target.name)) this.types.set(s.target.name, shownType(s.value));
      });
    for (const { condition, first, second } of [...work.inRules, ...work.outRules]) {
      look(condition);
      statements(first);
      statements(second);
    }
    if (control !== undefined) statements(control);
  }

  /**
   * A variable without a value begins with zero, and where it is asked whether it has one, a flag
   * says so.
   */
  private giveValues(): void {
    const { work } = this;
    for (const storage of STORAGES)
      for (const [at, one] of [...work[storage].entries()]) {
        if (!isUnset(one.value)) continue;
        work.dialect.note("a variable without a value", "one that begins with zero", one.place);
        const value = expressionOf(this.zero(one), one.place, () => undefined);
        work[storage][at] = { ...one, value };
        if (this.asked.has(one.name)) this.flag(storage, one);
      }
  }

  private zero({ name: of, type }: Pick<Declaration, "name" | "type">): string {
    return zeroOf(type ?? this.types.get(of));
  }

  private flag(storage: Storage, { name: of, place }: Declaration): void {
    this.flags.set(of, this.work.declare(storage, `${of}_is_set`, "false", place));
  }

  private block(all: readonly Statement[], part: "in" | "control" | "other"): Statement[] {
    return mapStatements(all, this.map, (s) => this.statement(s, part));
  }

  private statement(s: Statement, part: "in" | "control" | "other"): readonly Statement[] {
    const { work } = this;
    const { place } = s;
    switch (s.kind) {
      case "var":
        return this.localVariable(s);
      case "assign": {
        if (isCallTo(s.value, "get_state")) return this.saveState(s.value);
        const flag = s.target.unit === undefined ? this.flags.get(s.target.name) : undefined;
        if (flag === undefined) return [s];
        const at = generated(place);
        return [
          s,
          makeAssign(makeReference(flag, at), { kind: "boolean", value: true, place: at }, at),
        ];
      }
      case "call": {
        const { callee, arguments: given } = s.call;
        if (callee === "set_state" && given[0] !== undefined) {
          work.dialect.note("'set_state(f, s)'", "'rollback(f)'", place);
          return [{ ...s, call: makeCall("rollback", [given[0]], place) }];
        }
        if (callee === "discard" && given[0] !== undefined) return this.discard(given[0], part, s);
        if (callee === "local_step")
          work.dialect.refuse(
            "'local_step'",
            "what it does besides a step is not defined",
            "write save_state(f), do_step(f, t, H) and rollback(f)",
            place,
          );
        return [s];
      }
      default:
        return [s];
    }
  }

  private localVariable(s: Extract<Statement, { readonly kind: "var" }>): readonly Statement[] {
    const { work } = this;
    if (isCallTo(s.value, "get_state")) {
      this.states.add(s.name);
      return this.saveState(s.value);
    }
    if (!isUnset(s.value)) return [s];
    if (this.states.has(s.name)) return [];
    work.dialect.note("a variable without a value", "one that begins with zero", s.place);
    const value = expressionOf(this.zero(s), s.place, () => undefined);
    if (!this.asked.has(s.name)) return [{ ...s, value }];
    const flag = work.fresh(`${s.name}_is_set`);
    this.flags.set(s.name, flag);
    const at = generated(s.place);
    const off: Expression = { kind: "boolean", value: false, place: at };
    return [
      { ...s, value },
      { kind: "var", name: flag, value: off, place: at },
    ];
  }

  private saveState({ arguments: given, place }: CallExpression): readonly Statement[] {
    this.work.dialect.note("'s := get_state(f)'", "'save_state(f)'", place);
    const [unit] = given;
    if (unit === undefined) return [];
    return [{ kind: "call", call: makeCall("save_state", [unit], place), place }];
  }

  /**
   * Sends the step back: in control rules it ends there, in rules for inputs when control begins.
   */
  private discard(
    size: Expression,
    part: "in" | "control" | "other",
    s: Statement,
  ): readonly Statement[] {
    const { work } = this;
    const { place } = s;
    if (part === "control") {
      work.dialect.note("'discard(h)'", "'return h'", place);
      return [{ kind: "return", value: size, place }];
    }
    if (part === "other") {
      work.dialect.refuse(
        "'discard'",
        "a step cannot be sent back where values pass to and from inner units",
        "discard it in control rules, or in the first part of an in rule",
        place,
      );
      return [s];
    }
    work.dialect.note("'discard(h)'", "a step that control rules send back", place);
    const variable = work.declare("inVariables", "discarded", "-1.0", place);
    this.added.add(work.rule("in", "true", `${variable} := -1.0;`, "", place));
    work.begin(`if (${variable} >= 0.0) { return ${variable}; }`, place);
    return work.statements(`${variable} := ${inText(size)};`, place);
  }

  private readonly map = (e: Expression): Expression => {
    const { work } = this;
    const { place } = e;
    if (e.kind === "reference" && e.unit === undefined && !this.declared.has(e.name)) {
      if (e.name === "e" && work.inner.length > 0) {
        work.dialect.note("'e'", "'t - last_execution_time(…)'", place);
        const times = work.inner.map((unit) => `last_execution_time(${name(unit.name)})`);
        const last = times.length === 1 ? times[0] : `max(${times.join(", ")})`;
        return work.expression(`t - ${last}`, place);
      }
      if (e.name === "MAX")
        work.dialect.refuse(
          "'MAX'",
          "a step of the largest number has no end",
          "ask how far the unit goes: get_next_time_step(f)",
          place,
        );
      if (/\[(now|prev|-\d+)\]$/.test(e.name)) return this.past(e);
    }
    if (e.kind !== "call") return e;
    const [first, second] = e.arguments;
    switch (e.callee) {
      case "elapsed":
        work.dialect.note("'elapsed(f)'", "'t - last_execution_time(f)'", place);
        return makeBinary(
          "-",
          makeReference("t", place),
          makeCall("last_execution_time", e.arguments, place),
          place,
        );
      case "is_set":
        return this.isSet(e);
      case "round": {
        if (first === undefined || second === undefined) return e;
        work.dialect.note("'round(x, n)'", "'round(x * pow(10, n)) / pow(10, n)'", place);
        const scale = `pow(10, ${inText(second)})`;
        return work.expression(`round(${inText(first)} * ${scale}) / ${scale}`, place);
      }
      case RISES:
      case FALLS:
        work.dialect.refuse(
          `'${e.callee}'`,
          "a crossing is a condition of an in rule",
          "write it there: 'x >! 5 -> { … };'",
          place,
        );
        return first === undefined || second === undefined
          ? { kind: "boolean", value: true, place }
          : makeBinary(e.callee === RISES ? ">" : "<", first, second, place);
      default:
        return e;
    }
  };

  /** `x[now]` is x; what it was before has no name. */
  private past(e: Extract<Expression, { readonly kind: "reference" }>): Expression {
    if (e.name.endsWith("[now]")) {
      this.work.dialect.note("'x[now]'", "'x'", e.place);
      return { ...e, name: e.name.slice(0, -"[now]".length) };
    }
    this.work.dialect.refuse(
      `'${e.name}'`,
      "a value of an earlier step has no name",
      "keep it in a control variable: 'control var before := 0.0;', and 'before := x;' at the end of the step",
      e.place,
    );
    return e;
  }

  private isSet(e: CallExpression): Expression {
    const { place } = e;
    const [of] = e.arguments;
    const flag = of?.kind === "reference" ? this.flags.get(of.name) : undefined;
    this.work.dialect.note("'is_set(x)'", "a variable that says so", place);
    return flag === undefined
      ? { kind: "boolean", value: true, place }
      : makeReference(flag, place);
  }
}

function isUnset(e: Expression): boolean {
  return e.kind === "call" && e.callee === UNSET;
}

function isCallTo(e: Expression, callee: string): e is CallExpression {
  return e.kind === "call" && e.callee === callee;
}
