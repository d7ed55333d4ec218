/**
 * Code for the formulas of masters (engine/masters/step-program.ts): doubles that lie anywhere,
 * computed in the order in which they are written, so that they agree with TypeScript bit for bit.
 */
import type { Cell, Operation, StepFormula } from "../../../engine/masters/step-program.ts";
import { Reg } from "./assembler.ts";
import { MEMORY, type Place, type Program } from "./program.ts";

/** Registers for intermediate results, from x0 on. */
const DEEPEST = 7;

export function emitSet(program: Program, to: Cell, formula: StepFormula): void {
  emitFormula(program, formula, 0);
  program.code.storeDouble(...placeOf(program, to), 0);
}

/** x = the formula; registers above x are clobbered. */
function emitFormula(program: Program, formula: StepFormula, x: number): void {
  const { code, memory } = program;
  if (x > DEEPEST) throw new Error("internal: a formula is too deep");
  if (typeof formula === "number") code.loadDouble(x, MEMORY, memory.literal(formula));
  else if (!("of" in formula)) code.loadDouble(x, ...placeOf(program, formula));
  else {
    emitFormula(program, formula.left, x);
    emitFormula(program, formula.right, x + 1);
    emitOperation(program, formula.of, x);
  }
}

/** x = x combined with the register above it. */
function emitOperation({ code }: Program, operation: Operation, x: number): void {
  switch (operation) {
    case "+":
      code.add(x, x + 1);
      break;
    case "-":
      code.subtract(x, x + 1);
      break;
    case "*":
      code.multiply(x, x + 1);
      break;
    default:
      code.divide(x, x + 1);
  }
}

/** Signals have a base of their own; everything else is reached by its address. */
function placeOf(program: Program, { array, index }: Cell): Place {
  if (array === program.state.banks.f64) return program.f64(index);
  program.code.constant(Reg.rax, program.addressOf(array) + 8 * index);
  return [Reg.rax, 0];
}
