/**
 * What a machine means together: names and types in conditions and actions, targets of transitions,
 * transitions that can never be taken, states that are never reached, and cycles that wait for
 * nothing.
 */
import { type Diagnostic, diagnose, type Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import type { Expression } from "../../model/adaptation/data.ts";
import { SA_FUNCTIONS, wrongCount } from "../../model/adaptation/functions.ts";
import {
  type Machine,
  type MachineAction,
  type MachineType,
  type StateDefinition,
  stateNamed,
  statesOf,
  type TransitionDefinition,
} from "../../model/machine.ts";
import { MACHINE_RULES } from "./diagnostics.ts";

interface Named {
  readonly type: MachineType;
  readonly kind: "a parameter" | "an input" | "an output" | "a local" | "an event";
}

export function checkMachine(machine: Machine): Diagnostic[] {
  return new Checker(machine).findings();
}

class Checker {
  private readonly machine: Machine;
  private readonly states: ReturnType<typeof statesOf>;
  private readonly paths: readonly string[];
  private readonly names = new Map<string, Named>();
  private readonly byPath: ReadonlyMap<string, StateDefinition>;
  private readonly types = new Map<Expression, MachineType | undefined>();
  private readonly diagnostics: Diagnostic[] = [];

  constructor(machine: Machine) {
    this.machine = machine;
    this.states = statesOf(machine.states);
    this.paths = this.states.map(({ path }) => path);
    this.byPath = new Map(this.states.map(({ path, state }) => [path, state]));
    const { parameters, inputs, outputs, locals, events } = machine;
    for (const { name, type } of parameters) this.names.set(name, { type, kind: "a parameter" });
    for (const { name, type } of inputs) this.names.set(name, { type, kind: "an input" });
    for (const { name, type } of outputs) this.names.set(name, { type, kind: "an output" });
    for (const { name, type } of locals) this.names.set(name, { type, kind: "a local" });
    for (const { name } of events) this.names.set(name, { type: "boolean", kind: "an event" });
  }

  findings(): Diagnostic[] {
    const targets = new Map<TransitionDefinition, string>();
    for (const { path, state } of this.states) {
      this.checkActions(state.entry);
      this.checkActions(state.exit);
      for (const transition of state.transitions) {
        const target = this.checkTransition(path, transition);
        if (target !== undefined) targets.set(transition, target);
      }
      this.findShadowed(path, state);
    }
    if (this.diagnostics.every(({ severity }) => severity !== "error")) {
      this.findEndless(targets);
      this.findUnreachable(targets);
    }
    return this.diagnostics;
  }

  private checkTransition(path: string, transition: TransitionDefinition): string | undefined {
    const { to, after, on, when, actions, place } = transition;
    if (when !== undefined) this.demand(when, "boolean", "'when'");
    this.checkActions(actions);
    const { inputs, parameters } = this.machine;
    const names = inputs.map(({ name }) => name);
    if (on !== undefined && !names.includes(on)) this.unknown(on, "input", names, place);
    const delay = parameters.find(({ name }) => name === after);
    if (typeof after === "string" && delay?.type !== "real")
      this.report("machine-after", { found: after }, place);
    const target = stateNamed(this.paths, path, to);
    if (target === undefined) {
      const near = nearest(to, this.paths);
      this.report("machine-no-state", { name: to, nearest: near, states: this.paths }, place);
    }
    return target;
  }

  private checkActions(actions: readonly MachineAction[]): void {
    for (const action of actions) {
      const { place } = action;
      if (action.kind === "emit") {
        const known = this.machine.events.map(({ name }) => name);
        if (!known.includes(action.event)) this.unknown(action.event, "event", known, place);
        continue;
      }
      const { target, value } = action;
      const named = this.names.get(target);
      const settable = [...this.machine.outputs, ...this.machine.locals].map(({ name }) => name);
      if (named === undefined) this.unknown(target, "output or local", settable, place);
      else if (!settable.includes(target))
        this.report("machine-target", { name: target, kind: named.kind }, place);
      else this.demand(value, named.type, `the value of '${target}'`);
    }
  }

  // ---- types ------------------------------------------------------------------------------------

  /** Integers are reals, whole numbers are integers; booleans are neither. */
  private demand(expression: Expression, wanted: MachineType | "number", what: string): void {
    const found = this.typeOf(expression);
    if (found === undefined || found === wanted) return;
    if (found === "integer" && wanted !== "boolean") return;
    if (wanted === "number" && found !== "boolean") return;
    this.report("machine-type", { what, wanted, found }, expression.place);
  }

  /** Undefined where a mistake was reported. Found once, so that mistakes are reported once. */
  private typeOf(e: Expression): MachineType | undefined {
    if (!this.types.has(e)) this.types.set(e, this.findType(e));
    return this.types.get(e);
  }

  private findType(e: Expression): MachineType | undefined {
    switch (e.kind) {
      case "number":
        if (!Number.isFinite(e.value))
          return this.report("machine-number", { what: "this number" }, e.place);
        return Number.isInteger(e.value) ? "integer" : "real";
      case "boolean":
        return "boolean";
      case "string":
        return undefined;
      case "reference":
        return this.typeOfName(e);
      case "call":
        return this.typeOfCall(e);
      case "unary":
        if (e.operator === "not") {
          this.demand(e.operand, "boolean", "the operand of 'not'");
          return "boolean";
        }
        this.demand(e.operand, "number", "the operand of '-'");
        return this.typeOf(e.operand);
      case "binary":
        return this.typeOfBinary(e);
      case "conditional": {
        this.demand(e.condition, "boolean", "the condition before '?'");
        const then = this.typeOf(e.then);
        const otherwise = this.typeOf(e.otherwise);
        if ((then === "boolean") !== (otherwise === "boolean") && then && otherwise)
          this.report(
            "machine-type",
            { what: "what follows ':'", wanted: then, found: otherwise },
            e.otherwise.place,
          );
        return then === "integer" ? otherwise : then;
      }
    }
  }

  private typeOfBinary(e: Extract<Expression, { kind: "binary" }>): MachineType {
    const { operator, left, right } = e;
    if (operator === "and" || operator === "or") {
      for (const side of [left, right]) this.demand(side, "boolean", `an operand of '${operator}'`);
      return "boolean";
    }
    const isEquality = operator === "==" || operator === "!=";
    const [a, b] = [this.typeOf(left), this.typeOf(right)];
    if (!(isEquality && a === "boolean" && b === "boolean")) {
      for (const side of [left, right]) this.demand(side, "number", `an operand of '${operator}'`);
    }
    if (["<", "<=", ">", ">=", "==", "!="].includes(operator)) return "boolean";
    return operator !== "/" && a === "integer" && b === "integer" ? "integer" : "real";
  }

  private typeOfCall(e: Extract<Expression, { kind: "call" }>): MachineType | undefined {
    const { callee, place } = e;
    const known = SA_FUNCTIONS.get(callee);
    if (known?.compute === undefined) {
      const offered = [...SA_FUNCTIONS].filter(([, { compute }]) => compute).map(([name]) => name);
      return this.unknown(callee, "function", offered, place);
    }
    const wrong = wrongCount(callee, e.arguments.length);
    if (wrong !== undefined) {
      const params = { what: "the call", text: callee, message: wrong, fix: known.usage };
      return this.report("machine-rule", params, place);
    }
    for (const one of e.arguments) this.demand(one, "number", `an argument of '${callee}'`);
    const { result } = known;
    if (result === "like-arguments")
      return e.arguments.every((one) => this.typeOf(one) === "integer") ? "integer" : "real";
    return result === "integer" || result === "boolean" ? result : "real";
  }

  private typeOfName({
    unit,
    name,
    place,
  }: Extract<Expression, { kind: "reference" }>): MachineType | undefined {
    if (unit === undefined && name === "time") return "real";
    const found = unit === undefined ? this.names.get(name) : undefined;
    if (found !== undefined) return found.type;
    const known = ["time", ...this.names.keys()];
    return this.unknown(unit === undefined ? name : `${unit}.${name}`, "name", known, place);
  }

  // ---- transitions ------------------------------------------------------------------------------

  private findShadowed(path: string, { transitions }: StateDefinition): void {
    transitions.forEach((later, k) => {
      const first = transitions
        .slice(0, k)
        .find(
          ({ after, on, when }) => !on && !when && (after === later.after || after === undefined),
        );
      if (first !== undefined)
        this.report(
          "machine-shadowed",
          { from: path, to: later.to, line: first.place.line ?? 0 },
          later.place,
        );
    });
  }

  /** Cycles of transitions that wait neither for time nor for an input, and have no condition. */
  private findEndless(targets: ReadonlyMap<TransitionDefinition, string>): void {
    const next = new Map<string, string>();
    for (const { path, state } of this.states) {
      const free = state.transitions.find((t) => !t.on && !t.when && t.after === undefined);
      const target = free && targets.get(free);
      if (target !== undefined) next.set(path, this.innermost(target));
    }
    const reported = new Set<string>();
    for (const start of next.keys()) {
      const trail: string[] = [];
      let at: string | undefined = start;
      while (at !== undefined && !trail.includes(at)) {
        trail.push(at);
        at = this.freeFrom(at, next);
      }
      if (at === undefined || reported.has(at)) continue;
      const cycle = trail.slice(trail.indexOf(at));
      for (const state of cycle) reported.add(state);
      const { place } = this.byPath.get(at) ?? this.machine;
      this.report("machine-endless", { cycle: [...cycle, at] }, place);
    }
  }

  /**
   * Where the machine goes at once from a state: by its own transition, or by one of a state around
   * it.
   */
  private freeFrom(path: string, next: ReadonlyMap<string, string>): string | undefined {
    for (let at = path; ; at = at.slice(0, at.lastIndexOf("."))) {
      const found = next.get(at);
      if (found !== undefined || !at.includes(".")) return found;
    }
  }

  private innermost(path: string): string {
    const initial = this.byPath.get(path)?.initial;
    return initial === undefined ? path : this.innermost(`${path}.${initial}`);
  }

  private findUnreachable(targets: ReadonlyMap<TransitionDefinition, string>): void {
    const reached = new Set<string>();
    /**
     * @param isEntered false: the machine is inside it, and its initial state need not be entered.
     */
    const visit = (path: string, isEntered = true): void => {
      const state = this.byPath.get(path);
      if (state === undefined || reached.has(`${path}${isEntered}`)) return;
      reached.add(path).add(`${path}${isEntered}`);
      if (isEntered && state.initial !== undefined) visit(`${path}.${state.initial}`);
      if (path.includes(".")) visit(path.slice(0, path.lastIndexOf(".")), false);
      for (const transition of state.transitions) visit(targets.get(transition) ?? "");
    };
    visit(this.machine.initial);
    for (const { path, state } of this.states)
      if (!reached.has(path)) this.report("machine-unreachable", { state: path }, state.place);
  }

  private unknown(name: string, what: string, known: readonly string[], place: Place): undefined {
    return this.report(
      "machine-unknown",
      { name, what, nearest: nearest(name, known), known },
      place,
    );
  }

  private report<Code extends keyof typeof MACHINE_RULES>(
    code: Code,
    params: Parameters<(typeof MACHINE_RULES)[Code]["text"]>[0],
    place: Place,
  ): undefined {
    this.diagnostics.push(diagnose(MACHINE_RULES, code, params as never, place));
    return undefined;
  }
}
