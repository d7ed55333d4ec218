/**
 * What goes wrong in a discrete-event model while it runs, as a `UnitError`: the component, the
 * function, the cause and the fix.
 */
import { UnitError } from "../base/outcome.ts";

export interface DevsFailure {
  /** Path of the component. */
  readonly unit: string;
  readonly call: string;
  readonly time: number;
  readonly problem: string;
  readonly fix: string;
}

export function devsFailure({ unit, call, time, problem, fix }: DevsFailure): UnitError {
  return new UnitError({
    unit,
    call,
    status: problem,
    time,
    problem,
    log: [`fix: ${fix}`],
  });
}

/** Lines of a stack that lead to the place in the author's file. */
const STACK_LINES = 3;

/** An exception of the author's function; what is a failure already stays as it is. */
export function authorFailure(
  error: unknown,
  where: { readonly unit: string; readonly call: string; readonly time: number },
): unknown {
  if (error instanceof UnitError || !(error instanceof Error)) return error;
  const stack = (error.stack ?? "").split("\n").slice(1, 1 + STACK_LINES);
  return new UnitError({
    ...where,
    status: `${error.name}: ${error.message}`,
    problem: `${where.call} threw ${error.name}: ${error.message}`,
    log: stack.map((line) => line.trim()),
  });
}
