/**
 * Rules as the dialect writes them: assignments without a condition, `otherwise`, crossings, holds,
 * delays. Each becomes rules of our notation, and statements at the beginning and the end of a
 * step.
 *
 * A crossing (`x >! c`) ends the step where x meets c: false position between the last value and
 * this one, as in listing 6 of the paper; the rule holds in the step that ends there, within the
 * tolerances.
 */
import type { Place } from "../../../base/diagnostic.ts";
import type {
  Expression,
  PortName,
  Reference,
  Rule,
  Statement,
} from "../../../model/adaptation/data.ts";
import { referencesIn } from "../../../model/adaptation/walk.ts";
import { makeAssign, makeBinary } from "../build.ts";
import { generated, inText, name, port } from "./code.ts";
import { type DraftRule, type DraftRules, FALLS, type Hold, isPlainRule, RISES } from "./draft.ts";
import type { Names } from "./names.ts";
import type { Ports } from "./ports.ts";
import { mapExpression } from "./transform.ts";
import { shownType, type Work, zeroOf } from "./work.ts";

const DEFAULT_RELATIVE = "1e-5";
const DEFAULT_ABSOLUTE = "1e-8";

export class Rules {
  private readonly work: Work;
  private readonly names: Names;
  private readonly ports: Ports;
  /** Whether a step has ended: a control variable, where something needs to know. */
  private begun: string | undefined;

  constructor(work: Work, names: Names, ports: Ports) {
    this.work = work;
    this.names = names;
    this.ports = ports;
  }

  translate(): void {
    const { draft, inRules, outRules } = this.work;
    for (const block of draft.inRules) this.block(block, "in", inRules);
    for (const block of draft.outRules) this.block(block, "out", outRules);
    this.names.passKept();
    this.names.unbindOutputs();
    for (const block of draft.inRules) this.holdInputs(block);
    for (const block of draft.outRules) this.holdOutputs(block);
    for (const block of draft.inRules) this.delays(block, "in");
    for (const block of draft.outRules) this.delays(block, "out");
  }

  private block(block: DraftRules, side: "in" | "out", into: Rule[]): void {
    const earlier: Expression[] = [];
    for (const rule of block.rules) {
      if (rule.delay !== undefined) continue;
      const condition = this.condition(rule, block, side, earlier);
      if (rule.otherwise === undefined && rule.condition !== undefined) earlier.push(condition);
      into.push(this.rule(rule, condition, side));
    }
  }

  private condition(
    rule: DraftRule,
    block: DraftRules,
    side: "in" | "out",
    earlier: Expression[],
  ): Expression {
    const { place, otherwise } = rule;
    if (otherwise !== undefined) return this.otherwise(earlier, otherwise.of, place);
    const { condition } = rule;
    if (condition === undefined) return { kind: "boolean", value: true, place: generated(place) };
    if (condition.kind === "string") {
      const event = this.names.event(condition.value, condition.place);
      if (event !== undefined) return event;
    }
    const resolved = this.names.expression(condition);
    return mapExpression(resolved, (e) =>
      e.kind === "call" && (e.callee === RISES || e.callee === FALLS)
        ? this.crossing(e, rule, block, side)
        : e,
    );
  }

  /**
   * None of the rules before it, since the last `otherwise`, holds. With a name: of those that
   * mention it.
   */
  private otherwise(earlier: Expression[], of: string | undefined, place: Place): Expression {
    this.work.dialect.note("'otherwise'", "'not (…)' of the conditions before it", place);
    const meant = earlier.filter(
      (one) => of === undefined || referencesIn(one).some((r) => r.name === of),
    );
    earlier.length = 0;
    const at = generated(place);
    const [first, ...rest] = meant;
    if (first === undefined) return { kind: "boolean", value: true, place: at };
    const any = rest.reduce((left, right) => makeBinary("or", left, right, at), first);
    return { kind: "unary", operator: "not", operand: any, place: at };
  }

  private crossing(
    e: Extract<Expression, { readonly kind: "call" }>,
    rule: DraftRule,
    block: DraftRules,
    side: "in" | "out",
  ): Expression {
    const { work } = this;
    const { place } = e;
    const [signal, level] = e.arguments;
    if (side === "out" || signal === undefined || level === undefined) {
      work.dialect.refuse(
        `'${e.callee}'`,
        "what an inner unit gives is known when its step is over, so it cannot end the step",
        "put 'event-cross' of the library around the unit (cosimo adapt event-cross)",
        place,
      );
      // Not a constant, about which there would be more to say.
      return signal === undefined || level === undefined
        ? { kind: "boolean", value: true, place }
        : makeBinary(e.callee === RISES ? ">" : "<", signal, level, place);
    }
    work.dialect.note(
      `'x ${e.callee} level'`,
      "control rules that end the step at the crossing",
      place,
    );
    const tolerances = { ...block.crossing, ...rule.tolerances };
    const within = `${tolerances.relative ? inText(tolerances.relative) : DEFAULT_RELATIVE}, ${tolerances.absolute ? inText(tolerances.absolute) : DEFAULT_ABSOLUTE}`;
    const x = inText(signal);
    const c = inText(level);
    const [before, behind] = e.callee === RISES ? ["<", ">"] : [">", "<"];
    const label = signal.kind === "reference" ? signal.name : "signal";
    const last = work.declare("controlVariables", `before_${label}`, "0.0", place);
    const begun = this.begunFlag(place);
    const wasBefore = `${begun} and ${last} ${before} ${c} and not is_close(${last}, ${c}, ${within})`;
    const isAt = `is_close(${x}, ${c}, ${within})`;
    work.begin(
      `if (${wasBefore} and ${x} ${behind} ${c} and not ${isAt}) {
        return H * (${c} - ${last}) / (${x} - ${last});
      }`,
      place,
    );
    work.end(`${last} := ${x};`, place);
    return work.expression(`${wasBefore} and ${isAt}`, place);
  }

  private begunFlag(place: Place): string {
    if (this.begun === undefined) {
      this.begun = this.work.declare("controlVariables", "begun", "false", place);
      this.work.end(`${this.begun} := true;`, place);
    }
    return this.begun;
  }

  private rule(rule: DraftRule, condition: Expression, side: "in" | "out"): Rule {
    const { work, names } = this;
    const { place } = rule;
    const [early, late] =
      side === "in" ? (["in", "map-in"] as const) : (["map-out", "out"] as const);
    // A rule with both parts says itself what is kept.
    const keeps = rule.second === undefined;
    const first = names.statements(rule.first ?? [], early, keeps);
    const second = names.statements(rule.second ?? [], late);
    if (isPlainRule(rule)) return { condition, first, second, place };
    if (rule.transition === undefined) {
      if (rule.second === undefined && rule.otherwise === undefined && rule.hold === undefined)
        work.dialect.note("a rule with one part", "a rule whose second part is empty", place);
      return { condition, first, second, place };
    }
    const { target, value } = rule.transition;
    if (side === "in") names.declareInputs(value);
    const assign = makeAssign(target, value, target.place);
    if (rule.condition === undefined && rule.otherwise === undefined) {
      work.dialect.note("a rule without a condition", "'true -> {} --> { … };'", place);
      return { condition, first, second: [...names.statements([assign], late), ...second], place };
    }
    work.dialect.note("a rule without braces", "'condition -> { … } --> {};'", place);
    return { condition, first: names.statements([assign], early), second, place };
  }

  private holdInputs(block: DraftRules): void {
    const { work } = this;
    for (const { hold, place } of holdsOf(block)) {
      if (hold === "zero")
        work.dialect.note("'zero order hold'", "nothing: values are held", place);
      else if (hold === "no") this.noHold(place);
      else this.firstOrderInputs(place);
    }
  }

  /** Before the rules are applied, what they keep is as at the start. */
  private noHold(place: Place): void {
    const { work } = this;
    work.dialect.note("'no hold'", "a rule that resets what is kept", place);
    const kept = work.inVariables.filter((one) => this.names.isKept(one.name));
    if (kept.length === 0) return;
    const first = kept.map((one) => `${name(one.name)} := ${inText(one.value)};`).join("\n");
    const rule = work.rule("in", "true", first, "", place);
    work.inRules.unshift(...work.inRules.splice(work.inRules.indexOf(rule), 1));
  }

  /**
   * What the second parts give inner inputs goes on a line through the last two values: u(τ) = u(t)
   * + (u(t) - u(t - H)) / H · (τ - t) where inputs are those of the beginning of the step; between
   * both where they are those of its end.
   */
  private firstOrderInputs(place: Place): void {
    const { work } = this;
    work.dialect.note("'first order hold'", "a line through the last two values", place);
    const isReactive = work.draft.inputKind === "reactive";
    for (const [at, rule] of work.inRules.entries()) {
      const second = rule.second.map((s): Statement => {
        if (s.kind !== "assign" || s.target.unit === undefined) return s;
        const past = work.declare("controlVariables", `past_${s.target.name}`, "0.0", place);
        const now = inText(s.value);
        const begun = this.begunFlag(place);
        if (isReactive) {
          work.begin(`if (not ${begun}) { ${past} := ${now}; }`, place);
          work.end(`${past} := ${now};`, place);
          return {
            ...s,
            value: work.expression(`${past} + (${now} - ${past}) * (dt + h) / H`, place),
          };
        }
        const slope = work.declare("controlVariables", `slope_${s.target.name}`, "0.0", place);
        const step = work.declare("controlVariables", `step_${s.target.name}`, "0.0", place);
        work.begin(`${slope} := ${begun} ? (${now} - ${past}) / ${step} : 0.0;`, place);
        work.end(`${past} := ${now}; ${step} := H;`, place);
        return { ...s, value: work.expression(`${now} + ${slope} * dt`, place) };
      });
      work.inRules[at] = { ...rule, second };
    }
  }

  private holdOutputs(block: DraftRules): void {
    const { work } = this;
    for (const { hold, place } of holdsOf(block)) {
      if (hold === "zero")
        work.dialect.note("'zero order hold'", "nothing: values are held", place);
      else if (hold === "no")
        work.dialect.refuse(
          "'no hold'",
          "outputs of a unit have a value at any time",
          "write 'zero order hold', or omit it",
          place,
        );
      else this.firstOrderOutputs(place);
    }
  }

  /** Outputs go on, where the inner unit is not executed, on a line through its last two values. */
  private firstOrderOutputs(place: Place): void {
    const { work } = this;
    work.dialect.note("'first order hold'", "a line through the last two values", place);
    for (const [at, rule] of work.outRules.entries()) {
      const second = rule.second.map((s): Statement => {
        if (s.kind !== "assign" || s.target.unit !== work.draft.name) return s;
        const units = new Set(
          referencesIn(s.value).flatMap(({ unit }) =>
            work.inner.some((one) => one.name === unit) ? [unit] : [],
          ),
        );
        const [unit] = units;
        if (unit === undefined || units.size > 1 || rule.condition.kind !== "boolean") {
          work.dialect.refuse(
            "'first order hold'",
            `'${s.target.name}' is not made of the outputs of one unit alone`,
            "give it in a rule of its own, without a condition",
            place,
          );
          return s;
        }
        return { ...s, value: this.line(s.target, s.value, unit, place) };
      });
      work.outRules[at] = { ...rule, second };
    }
  }

  private line(target: Reference, value: Expression, unit: string, place: Place): Expression {
    const { work } = this;
    const now = inText(value);
    const variable = (what: string): string =>
      work.declare("controlVariables", `${what}_${target.name}`, "0.0", place);
    const [last, at, rate, shown] = ["last", "at", "rate", "shown"].map(variable);
    const begun = this.begunFlag(place);
    const time = `last_execution_time(${name(unit)})`;
    work.begin(
      `if (not ${begun}) { ${last} := ${now}; ${at} := ${time}; ${shown} := ${now}; }`,
      place,
    );
    work.end(
      `if (${time} > ${at}) {
        ${rate} := (${now} - ${last}) / (${time} - ${at});
        ${last} := ${now};
        ${at} := ${time};
      }
      ${shown} := ${last} + ${rate} * (t + H - ${at});`,
      place,
    );
    return work.expression(`${begun} ? ${shown} : ${now}`, place);
  }

  private delays(block: DraftRules, side: "in" | "out"): void {
    for (const { delay, place } of block.rules)
      for (const signal of delay ?? [])
        if (side === "in") this.delayInput(signal, place);
        else this.delayOutput(signal, place);
  }

  /** Inner inputs get what they would have got a step earlier. */
  private delayInput(signal: PortName, place: Place): void {
    const { work } = this;
    const own = work.inputs?.find((one) => one.name === signal.port && isOwn(signal, work));
    const inside = own?.binding ?? this.ports.qualified(signal, "inputs");
    if (inside.unit === "") return;
    work.dialect.note("'delay at'", "the value of the last step", place);
    const delayed = this.delayVariable(signal.port, inside, place);
    let isReplaced = false;
    for (const [at, rule] of work.inRules.entries()) {
      const second = rule.second.map((s): Statement => {
        if (s.kind !== "assign" || s.target.unit !== inside.unit || s.target.name !== inside.port)
          return s;
        isReplaced = true;
        work.end(`${delayed} := ${inText(s.value)};`, place);
        return { ...s, value: work.expression(delayed, place) };
      });
      work.inRules[at] = { ...rule, second };
    }
    if (isReplaced) return;
    const value =
      own === undefined ? name(signal.port) : port({ unit: work.draft.name, port: own.name });
    work.rule("in", "true", "", `${port(inside)} := ${delayed};`, place);
    work.end(`${delayed} := ${value};`, place);
  }

  /** The output shows what it would have shown a step earlier. */
  private delayOutput(signal: PortName, place: Place): void {
    const { work } = this;
    const sa = work.draft.name;
    const own = work.outputs?.find((one) => one.name === signal.port);
    if (own === undefined || (signal.unit !== "" && signal.unit !== sa)) {
      work.dialect.refuse(
        "'delay at'",
        `'${signal.port}' is not an output of the adaptation`,
        `declare it: output ports ${signal.port}`,
        place,
      );
      return;
    }
    work.dialect.note("'delay at'", "the value of the last step", place);
    const delayed = this.delayVariable(signal.port, { unit: sa, port: own.name }, place);
    const isIt = (s: Statement): boolean =>
      s.kind === "assign" &&
      s.target.name === own.name &&
      (s.target.unit === sa || s.target.unit === undefined);
    let next: string | undefined;
    for (const [at, rule] of work.outRules.entries()) {
      const moved = rule.second.filter(isIt);
      if (moved.length === 0) continue;
      const given = moved.map((s) => (s.kind === "assign" ? s.value : undefined));
      next ??= work.declare(
        "outVariables",
        `next_${own.name}`,
        zeroOf(own.type ?? (given[0] && shownType(given[0]))),
        place,
      );
      const target: Reference = { kind: "reference", name: next, place: generated(place) };
      work.outRules[at] = {
        ...rule,
        first: [
          ...rule.first,
          ...given.flatMap((value) => (value ? [makeAssign(target, value, target.place)] : [])),
        ],
        second: rule.second.filter((s) => !isIt(s)),
      };
    }
    const source = next ?? (own.binding && port(own.binding));
    if (source === undefined) return;
    work.begin(`${delayed} := ${source};`, place);
    work.rule("out", "true", "", `${port({ unit: sa, port: own.name })} := ${delayed};`, place);
  }

  private delayVariable(signal: string, of: { unit: string; port: string }, place: Place): string {
    const { work } = this;
    const start = this.ports.startOf(of.unit, of.port);
    const ports = [...(work.outputs ?? []), ...work.inner.flatMap(({ inputs = [] }) => inputs)];
    const type = ports.find((one) => one.name === of.port)?.type;
    const initial = work.declare(
      "parameters",
      `INIT_DELAYED_${signal.toUpperCase()}`,
      start === undefined ? zeroOf(type) : inText(start),
      place,
      type === "integer" ? type : undefined,
    );
    return work.declare("controlVariables", `delayed_${signal}`, initial, place);
  }
}

function isOwn({ unit }: PortName, { draft }: Work): boolean {
  return unit === "" || unit === draft.name;
}

function holdsOf({ hold, rules, place }: DraftRules): { hold: Hold; place: Place }[] {
  const found = new Map<Hold, Place>(hold === undefined ? [] : [[hold, place]]);
  for (const rule of rules)
    if (rule.hold !== undefined && !found.has(rule.hold)) found.set(rule.hold, rule.place);
  return [...found].map(([of, at]) => ({ hold: of, place: at }));
}
