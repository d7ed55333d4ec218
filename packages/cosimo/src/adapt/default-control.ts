/**
 * Recognizes control rules that say nothing of their own: every inner unit once, over the whole step, connections as they are. Such
 * rules are what the reduction to explicit form writes where the author wrote none, and they mean the same as none: a step
 * of the Gauss-Seidel master, in which delayed inputs get the values of the beginning of the step.
 */
import type { Adaptation, Expression, Reference, Statement } from "../model/adaptation.ts";
import { eachStatement, keyOf } from "./walk.ts";

export function hasDefaultControl(adaptation: Adaptation): boolean {
  const { control, inner } = adaptation;
  if (control === undefined) return true;
  const sources = connectionSources(adaptation);
  const steps = new Map<string, string>();
  for (const statement of control) {
    if (statement.kind === "assign") {
      const expected = sources.get(keyOf(statement.target));
      if (expected === undefined || !isConverted(statement.value, expected)) return false;
    } else if (statement.kind === "return") {
      const isLast = statement === control.at(-1);
      return isLast && steps.size === inner.length && isSmallest(statement.value, steps);
    } else {
      const stepped = wholeStep(statement);
      if (stepped === undefined || [...steps.values()].includes(stepped.unit)) return false;
      steps.set(stepped.variable, stepped.unit);
    }
  }
  return false;
}

/** What a connection brings, in the unit of the input: one of `sources`, multiplied by and added to numbers. */
function isConverted(value: Expression, sources: ReadonlySet<string>): boolean {
  if (value.kind === "reference") return sources.has(keyOf(value));
  if (value.kind !== "binary" || value.right.kind !== "number") return false;
  return "+-*/".includes(value.operator) && isConverted(value.left, sources);
}

/** `var H_f := do_step(f, t, H);` */
function wholeStep(statement: Statement): { variable: string; unit: string } | undefined {
  if (statement.kind !== "var" || statement.value.kind !== "call") return undefined;
  const { callee, arguments: given } = statement.value;
  const [unit, from, step] = given.map((argument) =>
    argument.kind === "reference" && argument.unit === undefined ? argument.name : undefined,
  );
  const isWhole = callee === "do_step" && from === "t" && step === "H" && unit !== undefined;
  return isWhole ? { variable: statement.name, unit } : undefined;
}

/** The step of the only unit, or the smallest of all of them. */
function isSmallest(value: Expression, steps: ReadonlyMap<string, string>): boolean {
  const parts = value.kind === "call" && value.callee === "min" ? value.arguments : [value];
  const named = new Set(
    parts.map((part) => (part.kind === "reference" && part.unit === undefined ? part.name : "")),
  );
  return named.size === steps.size && [...named].every((name) => steps.has(name));
}

/** For every connected inner input, what stands for the output that feeds it: the port, or a variable that stores it. */
function connectionSources({ connections, outRules }: Adaptation): Map<string, Set<string>> {
  const stores = new Map<string, string[]>();
  for (const { condition, first } of outRules) {
    if (condition.kind !== "boolean" || !condition.value) continue;
    eachStatement(first, (statement) => {
      if (statement.kind !== "assign" || statement.value.kind !== "reference") return;
      const source = keyOf(statement.value satisfies Reference);
      stores.set(source, [...(stores.get(source) ?? []), keyOf(statement.target)]);
    });
  }
  return new Map(
    connections.map(({ from, to }) => {
      const source = `${from.unit}.${from.port}`;
      return [`${to.unit}.${to.port}`, new Set([source, ...(stores.get(source) ?? [])])];
    }),
  );
}
