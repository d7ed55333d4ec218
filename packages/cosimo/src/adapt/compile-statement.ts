/**
 * Statements become closures that return how they ended: on to the next one, out of a loop, or out
 * of the rules with a result. Copies from one place to another that follow each other, which is
 * what most adaptations mostly do, become one loop.
 */
import type { Reference, Statement } from "../model/adaptation/data.ts";
import { AdaptationError } from "./adaptation-error.ts";
import {
  type Code,
  compileExpression,
  compileNumber,
  type Memory,
  type Scope,
} from "./compile-expression.ts";
import type { Cell } from "./layout.ts";

export const GO_ON = 0;
const BREAK = 1;
export const RETURN = 2;

/** Rounds of one `while` before it is taken to be endless. */
const MAX_ROUNDS = 10_000_000;

/** Executes statements; `GO_ON`, or how they were left. */
export type BlockCode = () => number;

export interface BlockScope extends Scope {
  /**
   * Where an assignment goes. `flag` is set beside it. "nowhere": the assignment is not for this
   * block.
   * @returns undefined where the name cannot be assigned here.
   */
  target(
    reference: Reference,
  ): { readonly cell: Cell; readonly flag?: number } | "nowhere" | undefined;
  /** A place for a new local name; `kind` says in which memory. */
  declare(name: string, kind: Code["kind"]): Cell;
  /** Names declared from here on belong to an inner block until `leave`. */
  enter(): void;
  leave(): void;
  /** Where `return` puts its value. */
  readonly result: number;
  /** Called when a `while` does not end. */
  endless(): never;
}

export function compileBlock(statements: readonly Statement[], scope: BlockScope): BlockCode {
  scope.enter();
  const codes: BlockCode[] = [];
  let copies: number[] = [];
  const flush = (): void => {
    if (copies.length > 0) codes.push(copyRun(Int32Array.from(copies), scope.memory.numbers));
    copies = [];
  };
  for (const statement of statements) {
    const copy = plainCopy(statement, scope);
    if (copy) {
      copies.push(...copy);
      continue;
    }
    const code = compileStatement(statement, scope);
    if (code === undefined) continue;
    flush();
    codes.push(code);
  }
  flush();
  scope.leave();
  return sequence(codes);
}

/**
 * [from, to] of an assignment that moves a number and does nothing else; [] for one that belongs to
 * another block.
 */
function plainCopy(statement: Statement, scope: BlockScope): readonly number[] | undefined {
  if (statement.kind !== "assign") return undefined;
  const target = scope.target(statement.target);
  if (target === "nowhere") return [];
  if (target === undefined || target.flag !== undefined || statement.value.kind !== "reference")
    return undefined;
  const source = scope.cell(statement.value);
  if (source?.bank !== "number" || target.cell.bank !== "number") return undefined;
  if (needsTruth(target.cell, source)) return undefined;
  return [source.index, target.cell.index];
}

function compileStatement(statement: Statement, scope: BlockScope): BlockCode | undefined {
  switch (statement.kind) {
    case "assign": {
      const target = scope.target(statement.target);
      if (target === "nowhere") return undefined;
      if (target === undefined) {
        const { unit, name } = statement.target;
        const shown = unit === undefined ? name : `${unit}.${name}`;
        throw new AdaptationError(`'${shown}' cannot be assigned here`, statement.target.place);
      }
      const value = compileExpression(statement.value, scope);
      const store = assign(target.cell, value, scope.memory, statement);
      const { flag } = target;
      if (flag === undefined) return store;
      const { numbers } = scope.memory;
      return () => {
        numbers[flag] = 1;
        return store();
      };
    }
    case "var": {
      const value = compileExpression(statement.value, scope);
      return assign(scope.declare(statement.name, value.kind), value, scope.memory, statement);
    }
    case "if": {
      const condition = compileNumber(statement.condition, scope);
      const then = compileBlock(statement.then, scope);
      const otherwise = compileBlock(statement.otherwise, scope);
      return () => (condition() !== 0 ? then() : otherwise());
    }
    case "for":
      return compileFor(statement, scope);
    case "while": {
      const condition = compileNumber(statement.condition, scope);
      const body = compileBlock(statement.body, scope);
      const { endless } = scope;
      return () => {
        for (let round = 0; condition() !== 0; round++) {
          const ended = body();
          if (ended === BREAK) break;
          if (ended === RETURN) return RETURN;
          if (round === MAX_ROUNDS) endless();
        }
        return GO_ON;
      };
    }
    case "break":
      return () => BREAK;
    case "return": {
      const value = compileNumber(statement.value, scope);
      const { result } = scope;
      const { numbers } = scope.memory;
      return () => {
        numbers[result] = value();
        return RETURN;
      };
    }
    case "call": {
      const call = compileNumber(statement.call, scope);
      return () => {
        call();
        return GO_ON;
      };
    }
  }
}

function compileFor(statement: Extract<Statement, { kind: "for" }>, scope: BlockScope): BlockCode {
  const from = compileNumber(statement.from, scope);
  const to = compileNumber(statement.to, scope);
  scope.enter();
  const { index } = scope.declare(statement.variable, "number");
  const body = compileBlock(statement.body, scope);
  scope.leave();
  const { numbers } = scope.memory;
  return () => {
    const end = to();
    for (let i = from(); i < end; i++) {
      numbers[index] = i;
      const ended = body();
      if (ended === BREAK) break;
      if (ended === RETURN) return RETURN;
    }
    return GO_ON;
  };
}

/** Whether a number that is not a truth value goes where one is kept. */
function needsTruth(target: Cell, source: Cell): boolean {
  return target.type === "boolean" && source.type !== "boolean";
}

function assign(target: Cell, value: Code, memory: Memory, { place }: Statement): BlockCode {
  const { index, bank } = target;
  if (value.kind === "number" && bank === "number")
    return storeNumber(memory.numbers, index, value, target.type === "boolean");
  if (value.kind === "text" && bank !== "number") {
    const list = bank === "text" ? memory.texts : memory.ownTexts;
    const { run } = value;
    return () => {
      list[index] = run();
      return GO_ON;
    };
  }
  throw new AdaptationError("texts and numbers do not turn into each other", place);
}

function storeNumber(
  numbers: Float64Array,
  index: number,
  value: Extract<Code, { kind: "number" }>,
  isTruth: boolean,
): BlockCode {
  const { run, constant } = value;
  if (constant !== undefined) {
    const stored = isTruth && constant !== 0 ? 1 : constant;
    return () => {
      numbers[index] = stored;
      return GO_ON;
    };
  }
  if (isTruth)
    return () => {
      numbers[index] = run() !== 0 ? 1 : 0;
      return GO_ON;
    };
  return () => {
    numbers[index] = run();
    return GO_ON;
  };
}

function copyRun(pairs: Int32Array, numbers: Float64Array): BlockCode {
  if (pairs.length === 2) {
    const [from = 0, to = 0] = pairs;
    return () => {
      numbers[to] = numbers[from];
      return GO_ON;
    };
  }
  return () => {
    for (let k = 0; k < pairs.length; k += 2) numbers[pairs[k + 1]] = numbers[pairs[k]];
    return GO_ON;
  };
}

export function sequence(codes: readonly BlockCode[]): BlockCode {
  const [first, second, third] = codes;
  if (first === undefined) return () => GO_ON;
  if (second === undefined) return first;
  if (third === undefined)
    return () => {
      const ended = first();
      return ended === GO_ON ? second() : ended;
    };
  return () => {
    for (let k = 0; k < codes.length; k++) {
      const ended = codes[k]();
      if (ended !== GO_ON) return ended;
    }
    return GO_ON;
  };
}
