/**
 * An adaptation while it is translated: its parts as lists that grow, the names that are taken, and
 * what happens at the beginning and at the end of its step.
 */
import type { Diagnostic, Place } from "../../../base/diagnostic.ts";
import type {
  Adaptation,
  AdaptationPort,
  Declaration,
  Expression,
  InnerConnection,
  InnerUnit,
  Rule,
  SaType,
  Statement,
  ValueLimit,
} from "../../../model/adaptation/data.ts";
import { SA_CLOCK, SA_FUNCTIONS } from "../../../model/adaptation/functions.ts";
import { eachStatement } from "../../../model/adaptation/walk.ts";
import { expressionOf, generated, statementsOf } from "./code.ts";
import type { Translation } from "./diagnostics.ts";
import type { DraftAdaptation } from "./draft.ts";

export type Storage = "parameters" | "controlVariables" | "inVariables" | "outVariables";

export class Work {
  readonly draft: DraftAdaptation;
  readonly dialect: Translation;
  readonly inner: InnerUnit[] = [];
  readonly connections: InnerConnection[] = [];
  inputs: AdaptationPort[] | undefined;
  outputs: AdaptationPort[] | undefined;
  readonly parameters: Declaration[];
  readonly controlVariables: Declaration[];
  readonly inVariables: Declaration[];
  readonly outVariables: Declaration[];
  readonly inRules: Rule[] = [];
  readonly outRules: Rule[] = [];
  controlRules: Statement[] | undefined;
  /** At the beginning of a step, and where it ends as was requested. */
  readonly prologue: Statement[] = [];
  readonly epilogue: Statement[] = [];
  private readonly taken = new Set<string>();

  constructor(draft: DraftAdaptation, dialect: Translation) {
    this.draft = draft;
    this.dialect = dialect;
    this.parameters = [...draft.parameters];
    this.controlVariables = [...draft.controlVariables];
    this.inVariables = [...draft.inVariables];
    this.outVariables = [...draft.outVariables];
  }

  /** A name that nothing has. */
  fresh(wanted: string): string {
    if (this.taken.size === 0) this.takeAll();
    const plain = wanted.replace(/[^A-Za-z0-9_]/g, "_");
    let free = plain;
    for (let n = 2; this.taken.has(free); n++) free = `${plain}_${n}`;
    this.taken.add(free);
    return free;
  }

  private takeAll(): void {
    const { draft, taken } = this;
    for (const known of [SA_CLOCK, SA_FUNCTIONS]) for (const one of known.keys()) taken.add(one);
    taken.add(draft.name);
    const lists = [
      ...[this.parameters, this.controlVariables, this.inVariables, this.outVariables],
      ...[this.inner, this.inputs ?? [], this.outputs ?? []],
    ];
    for (const one of lists.flat()) taken.add(one.name);
    const locals = (statements: readonly Statement[] = []): void =>
      eachStatement(statements, (s) => {
        if (s.kind === "var") taken.add(s.name);
        if (s.kind === "for") taken.add(s.variable);
      });
    locals(draft.controlRules);
    for (const { first, second } of [...draft.inRules, ...draft.outRules].flatMap((b) => b.rules)) {
      locals(first);
      locals(second);
    }
  }

  /** Declares a new variable and returns its name. */
  declare(storage: Storage, wanted: string, value: string, place: Place, type?: SaType): string {
    const name = this.fresh(wanted);
    const declaration = { name, ...(type && { type }), value: this.expression(value, place) };
    this[storage].push({ ...declaration, place: generated(place) });
    return name;
  }

  /** A parameter that has no meaning beyond its limit. */
  limited(wanted: string, value: number, limit: ValueLimit, place: Place, type?: SaType): string {
    const name = this.declare("parameters", wanted, String(value), place, type);
    const declared = this.parameters.pop();
    if (declared !== undefined) this.parameters.push({ ...declared, limits: [limit] });
    return name;
  }

  readonly statements = (text: string, place: Place): Statement[] =>
    statementsOf(text, place, this.report);

  readonly expression = (text: string, place: Place): Expression =>
    expressionOf(text, place, this.report);

  private readonly report = (diagnostic: Diagnostic): void => this.dialect.add(diagnostic);

  rule(side: "in" | "out", condition: string, first: string, second: string, place: Place): Rule {
    const rule = {
      condition: this.expression(condition, place),
      first: this.statements(first, place),
      second: this.statements(second, place),
      place: generated(place),
    };
    (side === "in" ? this.inRules : this.outRules).push(rule);
    return rule;
  }

  begin(text: string, place: Place): void {
    this.prologue.push(...this.statements(text, place));
  }

  end(text: string, place: Place): void {
    this.epilogue.push(...this.statements(text, place));
  }

  finish(): Adaptation {
    const { listed: _, forms: __, inRules: ___, outRules: ____, ...rest } = this.draft;
    const { inputs: _____, outputs: ______, controlRules: _______, ...head } = rest;
    return {
      ...head,
      inner: this.inner,
      connections: this.connections,
      ...(this.inputs === undefined ? {} : { inputs: this.inputs }),
      ...(this.outputs === undefined ? {} : { outputs: this.outputs }),
      parameters: this.parameters,
      controlVariables: this.controlVariables,
      ...(this.controlRules === undefined ? {} : { controlRules: this.controlRules }),
      inVariables: this.inVariables,
      inRules: this.inRules,
      outVariables: this.outVariables,
      outRules: this.outRules,
    };
  }
}

/** What a variable begins with where nothing is said. */
export function zeroOf(type: SaType | undefined): string {
  return type === "boolean" ? "false" : type === "string" ? '""' : "0.0";
}

const COMPARISONS: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!=", "and", "or"]);

/** The type that an expression shows by itself. */
export function shownType(e: Expression): SaType {
  if (e.kind === "boolean" || (e.kind === "unary" && e.operator === "not")) return "boolean";
  if (e.kind === "binary" && COMPARISONS.has(e.operator)) return "boolean";
  if (e.kind === "call" && SA_FUNCTIONS.get(e.callee)?.result === "boolean") return "boolean";
  return e.kind === "string" ? "string" : "real";
}
