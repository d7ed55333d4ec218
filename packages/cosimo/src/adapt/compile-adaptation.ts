/**
 * The rules of an adaptation as code: In, MapIn (one for each inner unit), Control, MapOut, Out,
 * and the initial values.
 *
 * Conditions are evaluated first, all of them, and remembered as flags; what follows are the rules
 * whose flags are set, in their order. A condition that is always true needs no flag.
 */
import type { Adaptation, CallExpression, Rule } from "../model/adaptation/data.ts";
import { SA_FUNCTIONS } from "../model/adaptation/functions.ts";
import { AdaptationError } from "./adaptation-error.ts";
import {
  compileExpression,
  compileNumber,
  type Memory,
  type NumberCode,
} from "./compile-expression.ts";
import {
  type BlockCode,
  type BlockScope,
  compileBlock,
  GO_ON,
  sequence,
} from "./compile-statement.ts";
import { type Layout, named } from "./layout.ts";
import { type BlockKind, NameScope } from "./name-scope.ts";

/** What control rules can do with inner units, by their position. */
export interface ControlServices {
  doStep(unit: number, from: number, step: number): number;
  saveInner(unit: number): void;
  rollback(unit: number): void;
  nextTimeStep(unit: number): number;
  lastExecutionTime(unit: number): number;
  endless(): never;
}

export interface Program {
  /** All variables to their initial values. */
  readonly initialize: () => void;
  /** Which in rules hold, without executing them. */
  readonly markIn: () => void;
  readonly runIn: () => void;
  /** For each inner unit: its inputs from storage. */
  readonly mapIn: readonly (() => void)[];
  readonly control: BlockCode;
  readonly markOut: () => void;
  readonly mapOut: () => void;
  readonly runOut: () => void;
}

export function compileAdaptation(
  adaptation: Adaptation,
  layout: Layout,
  memory: Memory,
  services: ControlServices,
): Program {
  const names = new Names(adaptation, layout, memory, services);
  const { inRules, outRules } = adaptation;
  const markIn = names.marks(inRules, layout.inFlags);
  const markOut = names.marks(outRules, layout.outFlags);
  const runIn = names.rules(inRules, "first", layout.inFlags, "in");
  const mapOut = names.rules(outRules, "first", layout.outFlags, "map-out");
  return {
    initialize: names.initialValues(),
    markIn,
    runIn: () => {
      markIn();
      runIn();
    },
    mapIn: layout.links.map((_, link) =>
      names.rules(inRules, "second", layout.inFlags, "map-in", link),
    ),
    control: names.block(adaptation.controlRules ?? [], "control"),
    markOut,
    mapOut: () => {
      markOut();
      mapOut();
    },
    runOut: names.rules(outRules, "second", layout.outFlags, "out"),
  };
}

/** What names mean, and what rules can do with inner units. */
class Names extends NameScope implements BlockScope {
  readonly memory: Memory;
  readonly result: number;
  readonly endless: () => never;
  private readonly services: ControlServices;

  constructor(adaptation: Adaptation, layout: Layout, memory: Memory, services: ControlServices) {
    super(adaptation, layout);
    this.memory = memory;
    this.services = services;
    this.result = layout.result;
    this.endless = () => services.endless();
  }

  block(statements: Rule["first"], kind: BlockKind, link = -1): BlockCode {
    this.kind = kind;
    this.link = link;
    return compileBlock(statements, this);
  }

  marks(rules: readonly Rule[], flags: number): () => void {
    const { numbers } = this.memory;
    const conditions = rules.flatMap(({ condition }, r) =>
      condition.kind === "boolean"
        ? []
        : [{ flag: flags + r, holds: compileNumber(condition, this) }],
    );
    return () => {
      for (let k = 0; k < conditions.length; k++) {
        const { flag, holds } = conditions[k];
        numbers[flag] = holds();
      }
    };
  }

  rules(
    rules: readonly Rule[],
    half: "first" | "second",
    flags: number,
    kind: BlockKind,
    link = -1,
  ): () => void {
    const { numbers } = this.memory;
    const always: Rule["first"][number][] = [];
    const codes: BlockCode[] = [];
    const flush = (): void => {
      if (always.length > 0) codes.push(this.block(always.splice(0), kind, link));
    };
    rules.forEach((rule, r) => {
      if (rule.condition.kind === "boolean") {
        // Locals of one rule mean nothing in the next, so only rules without any are run together.
        if (!rule.condition.value) return;
        if (rule[half].some((statement) => statement.kind === "var")) {
          flush();
          codes.push(this.block(rule[half], kind, link));
        } else always.push(...rule[half]);
        return;
      }
      flush();
      const flag = flags + r;
      const body = this.block(rule[half], kind, link);
      codes.push(() => (numbers[flag] !== 0 ? body() : GO_ON));
    });
    flush();
    return sequence(codes);
  }

  initialValues(): () => void {
    const { numbers, texts } = this.memory;
    const { inVariables, controlVariables, outVariables } = this.adaptation;
    const codes: (() => void)[] = [];
    for (const { name, value } of [...inVariables, ...controlVariables, ...outVariables]) {
      const cell = named(this.layout.variables, name);
      const code = compileExpression(value, this);
      if (code.kind === "number" && cell.bank === "number") {
        codes.push(() => {
          numbers[cell.index] = code.run();
        });
      } else if (code.kind === "text" && cell.bank === "text") {
        codes.push(() => {
          texts[cell.index] = code.run();
        });
      } else
        throw new AdaptationError(`'${name}' and its initial value differ in type`, value.place);
    }
    return () => {
      for (const code of codes) code();
    };
  }

  service(call: CallExpression): NumberCode | undefined {
    const { services } = this;
    const { numbers } = this.memory;
    const { callee, arguments: given, place } = call;
    switch (callee) {
      case "do_step": {
        const unit = this.unitOf(given[0], callee, place, given.length === 3);
        const from = compileNumber(given[1], this);
        const step = compileNumber(given[2], this);
        return () => services.doStep(unit, from(), step());
      }
      case "save_state": {
        const unit = this.unitOf(given[0], callee, place, given.length === 1);
        return () => {
          services.saveInner(unit);
          return 0;
        };
      }
      case "rollback": {
        const unit = this.unitOf(given[0], callee, place, given.length === 1);
        return () => {
          services.rollback(unit);
          return 0;
        };
      }
      case "get_next_time_step": {
        const unit = this.unitOf(given[0], callee, place, given.length === 1);
        return () => services.nextTimeStep(unit);
      }
      case "last_execution_time": {
        const unit = this.unitOf(given[0], callee, place, given.length === 1);
        return () => services.lastExecutionTime(unit);
      }
      case "input_slope": {
        const at = this.layout.rates + this.ownInputOf(call);
        return () => numbers[at];
      }
      case "input_curve": {
        const at = this.layout.curves + this.ownInputOf(call);
        return this.showsCurves ? () => numbers[at] : () => 0;
      }
      default:
        return undefined;
    }
  }

  private unitOf(
    given: CallExpression["arguments"][number] | undefined,
    callee: string,
    place: CallExpression["place"],
    hasAll: boolean,
  ): number {
    if (SA_FUNCTIONS.get(callee)?.controlOnly === true && this.kind !== "control")
      throw new AdaptationError(`'${callee}' is for control rules only`, place);
    const name = given?.kind === "reference" && given.unit === undefined ? given.name : "";
    const unit = this.layout.links.findIndex((link) => link.name === name);
    if (unit < 0 || !hasAll)
      throw new AdaptationError(
        callee === "do_step"
          ? "'do_step' takes an inner unit, a time and a step"
          : `'${callee}' takes an inner unit`,
        place,
      );
    return unit;
  }
}
