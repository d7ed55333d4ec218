/**
 * Numbers made of a run: the value of an expression at its end. Functions of what follows
 * (settling, overshoot) are of the whole run.
 *
 * A measure is resolved as the left side of a requirement, so that names, types and units are
 * checked, and signals recorded, in one way.
 */
import type { NumberExpression, Requirement, RequirementDraft } from "../model/requirement.ts";
import { GLOBALLY } from "../model/requirement.ts";
import type { MeasureDraft } from "../model/study.ts";
import type { Trace } from "../record/trace.ts";
import { bindTrace } from "./bind-trace.ts";
import { ExpressionValues } from "./sampled-signals.ts";

type Expression = NumberExpression<number>;

/** The requirement that stands for a measure: its value, compared with 0. */
export function measureAsRequirement(
  { expression, text, place }: MeasureDraft,
  name: string,
): RequirementDraft {
  const right = { kind: "number", value: 0, place } as const;
  const formula = { kind: "compare", operator: ">=", left: expression, right, place } as const;
  return { name, scope: GLOBALLY, formula, text, place };
}

export interface Measured {
  readonly values: Float64Array;
  readonly time: Float64Array;
}

/** The expression row by row. @throws Error where the trace lacks a column. */
export function measureRows(
  requirement: Requirement,
  trace: Pick<Trace, "time" | "columns">,
): Measured {
  const { formula } = requirement;
  if (formula.kind !== "compare") throw new Error("internal: a measure is a comparison");
  const signals = bindTrace(requirement, trace);
  const values = new ExpressionValues(signals);
  const rows = { begin: 0, end: trace.time.length };
  return { time: trace.time, values: values.of(ofWholeRun(formula.left, values), rows) };
}

/** The value at the end; NaN of a run without rows. */
export function measureAtEnd(
  requirement: Requirement,
  trace: Pick<Trace, "time" | "columns">,
): number {
  return measureRows(requirement, trace).values.at(-1) ?? Number.NaN;
}

/** What it is measured in; undefined where it is a plain number. */
export function measureUnit({ formula }: Requirement): string | undefined {
  return formula.kind === "compare" ? formula.unit : undefined;
}

/** With functions of what follows replaced by what they are at the start. */
function ofWholeRun(e: Expression, values: ExpressionValues): Expression {
  const inner = (one: Expression): Expression => ofWholeRun(one, values);
  switch (e.kind) {
    case "response": {
      const rows = { begin: 0, end: values.signals.time.length };
      return { kind: "number", value: values.of(e, rows)[0] ?? Number.NaN, place: e.place };
    }
    case "operation":
      return { ...e, left: inner(e.left), right: inner(e.right) };
    case "negate":
    case "past":
      return { ...e, of: inner(e.of) };
    case "point":
      return { ...e, of: e.of.map(inner) };
    default:
      return e;
  }
}
