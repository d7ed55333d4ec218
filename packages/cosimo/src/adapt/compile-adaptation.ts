/**
 * The rules of an adaptation as code: In, MapIn (one for each inner unit), Control, MapOut, Out, and the initial values.
 *
 * Conditions are evaluated first, all of them, and remembered as flags; what follows are the rules whose flags are set, in
 * their order. A condition that is always true needs no flag.
 */
import type { Adaptation, CallExpression, Reference, Rule } from "../model/adaptation.ts";
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
import type { Cell, Layout } from "./layout.ts";

/** What control rules can do with inner units, by their position. */
export interface ControlServices {
  doStep(unit: number, from: number, step: number): number;
  saveInner(unit: number): void;
  rollback(unit: number): void;
  nextTimeStep(unit: number): number;
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

type BlockKind = "in" | "map-in" | "control" | "map-out" | "out";

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
    control: names.block(adaptation.control ?? [], "control"),
    markOut,
    mapOut: () => {
      markOut();
      mapOut();
    },
    runOut: names.rules(outRules, "second", layout.outFlags, "out"),
  };
}

/** What names mean, where they can be assigned, and where locals live. */
class Names implements BlockScope {
  readonly memory: Memory;
  readonly result: number;
  readonly endless: () => never;
  private readonly adaptation: Adaptation;
  private readonly layout: Layout;
  private readonly services: ControlServices;
  private readonly parameters: ReadonlySet<string>;
  private readonly locals: Map<string, Cell>[] = [];
  private kind: BlockKind = "in";
  private link = -1;
  private nextNumber: number;
  private nextText: number;

  constructor(adaptation: Adaptation, layout: Layout, memory: Memory, services: ControlServices) {
    this.adaptation = adaptation;
    this.layout = layout;
    this.memory = memory;
    this.services = services;
    this.result = layout.result;
    this.endless = () => services.endless();
    this.parameters = new Set(adaptation.parameters.map(({ name }) => name));
    this.nextNumber = layout.locals.number;
    this.nextText = layout.locals.text;
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
        const { flag, holds } = conditions[k]!;
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
      const cell = this.layout.variables.get(name)!;
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

  cell({ unit, name }: Reference): Cell | undefined {
    const { variables, ownInputs, ownOutputs, links, clock } = this.layout;
    if (unit === undefined) {
      return (
        this.local(name) ??
        variables.get(name) ??
        ownInputs.get(name) ??
        ownOutputs.get(name) ??
        (Object.hasOwn(clock, name) ? clock[name as keyof typeof clock] : undefined)
      );
    }
    const link = links.find((candidate) => candidate.name === unit);
    if (link) return (link.outputs.get(name) ?? link.inputs.get(name))?.cell;
    return unit === this.adaptation.name
      ? (ownInputs.get(name) ?? ownOutputs.get(name))
      : undefined;
  }

  target({ unit, name }: Reference): ReturnType<BlockScope["target"]> {
    const { variables, ownOutputs, links, overrides } = this.layout;
    if (unit === undefined) {
      const local = this.local(name);
      if (local) return { cell: local };
      const variable = this.parameters.has(name) ? undefined : variables.get(name);
      if (variable && this.kind !== "map-in" && this.kind !== "out") return { cell: variable };
    }
    const link = links.findIndex((candidate) => candidate.name === unit);
    if (link >= 0 && this.kind === "control") {
      const override = overrides.get(`${unit}.${name}`);
      return override && { cell: override.value, flag: override.flag };
    }
    if (link >= 0 && this.kind === "map-in") {
      if (link !== this.link) return "nowhere";
      const input = links[link]!.inputs.get(name);
      return input && { cell: input.cell };
    }
    const output =
      unit === undefined || unit === this.adaptation.name ? ownOutputs.get(name) : undefined;
    return output && this.kind === "out" ? { cell: output } : undefined;
  }

  declare(name: string, kind: "number" | "text"): Cell {
    const cell: Cell =
      kind === "number"
        ? { bank: "number", index: this.nextNumber++, type: "real" }
        : { bank: "text", index: this.nextText++, type: "string" };
    this.locals.at(-1)!.set(name, cell);
    return cell;
  }

  enter(): void {
    this.locals.push(new Map());
  }
  leave(): void {
    this.locals.pop();
  }

  service({ callee, arguments: given, place }: CallExpression): NumberCode | undefined {
    const { services } = this;
    switch (callee) {
      case "do_step": {
        const unit = this.unitOf(given[0], callee, place, given.length === 3);
        const from = compileNumber(given[1]!, this);
        const step = compileNumber(given[2]!, this);
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
    if (callee !== "get_next_time_step" && this.kind !== "control")
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

  private local(name: string): Cell | undefined {
    for (let depth = this.locals.length - 1; depth >= 0; depth--) {
      const cell = this.locals[depth]!.get(name);
      if (cell) return cell;
    }
    return undefined;
  }
}
