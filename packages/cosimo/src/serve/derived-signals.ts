/**
 * Signals that a person makes of others for a plot: `= motor.speed * 60 / 6.28`, in the language of
 * requirements (lang/requirement), over the rows of a run or a trace. Values at one instant are
 * computed where they are read, so they cost nothing beyond what is drawn; functions of the past
 * are computed once for the rows that there are.
 */
import { type Checked, type Diagnostic, reporterFor } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { present } from "../base/present.ts";
import { parseNumberExpression } from "../lang/requirement/parse-requirement.ts";
import { parseUnit } from "../model/physical-unit-parse.ts";
import type { NumberExpression } from "../model/requirement.ts";
import { resolveNumber } from "../model/resolve-requirement.ts";
import { REQUIREMENT_RULES } from "../model/resolve-requirement-diagnostics.ts";
import type { ColumnInfo } from "../record/trace.ts";
import { ExpressionValues, walk } from "../requirements/sampled-signals.ts";

/** How a derived signal is distinguished from a recorded one. */
export const DERIVED = "=";

export interface DerivedSignal {
  /** As a column, named `= ` and the text. */
  readonly info: ColumnInfo;
  /** Those that it is made of, in the order of its indices. */
  readonly signals: readonly string[];
  readonly isStepwise: readonly boolean[];
  readonly expression: NumberExpression<number>;
}

const PLACE = { file: "expression", line: 1, column: 1 } as const;

/** @param columns the signals that there are. */
export function deriveSignal(name: string, columns: readonly ColumnInfo[]): Checked<DerivedSignal> {
  const text = name.slice(name.startsWith(DERIVED) ? 1 : 0).trim();
  const parsed = parseNumberExpression(text, PLACE);
  if (parsed.value === undefined) return { diagnostics: parsed.diagnostics };
  const diagnostics: Diagnostic[] = [...parsed.diagnostics];
  const report = reporterFor(REQUIREMENT_RULES, diagnostics);
  const refuse = (signal: string, why: string, fix: string): undefined =>
    report("requirement-signal", { text: signal, why, fix }, PLACE);
  const found = resolveNumber(
    parsed.value.expression,
    {
      signal(wanted, place) {
        const column = columns.find((one) => one.name === wanted);
        if (column !== undefined) {
          const { unit, type, isEvent } = column;
          return {
            name: wanted,
            type,
            isStepwise: isStepwise(column),
            ...present({ unit: unit === undefined ? undefined : parseUnit(unit), isEvent }),
          };
        }
        const names = columns.map((one) => one.name);
        const meant = nearest(wanted, names);
        const fix = meant === undefined ? "name a signal that was recorded" : `write ${meant}`;
        return report("requirement-signal", { text: wanted, why: "was not recorded", fix }, place);
      },
      power: (bond) =>
        refuse(`energy(${bond})`, "is known in requirements only", "use integral(…)"),
    },
    report,
  );
  if (found === undefined) return { diagnostics };
  let isOfFuture = false;
  walk(found.expression, ({ kind }) => {
    if (kind === "response") isOfFuture = true;
  });
  if (isOfFuture) {
    refuse(text, "depends on rows that are still to come", "write it as a requirement");
    return { diagnostics };
  }
  const stepwise = found.signals.map((one) => one.isStepwise);
  const isHeld = stepwise.length > 0 && stepwise.every(Boolean);
  return {
    value: {
      info: {
        name: `${DERIVED} ${text}`,
        type: "float64",
        ...present({ unit: found.unit }),
        ...(isHeld ? { stepwise: true } : {}),
      },
      signals: found.signals.map((one) => one.name),
      isStepwise: stepwise,
      expression: found.expression,
    },
    diagnostics,
  };
}

/** Whether a signal keeps its value from row to row. */
export function isStepwise({ stepwise, type, isEvent, items }: ColumnInfo): boolean {
  const isNumber = type === "float64" || type === "float32";
  const isDiscrete = !isNumber && (type === "boolean" || type === "clock" || type === "string");
  return stepwise === true || isEvent === true || isDiscrete || items !== undefined;
}

/** Reads numbers of rows `first` … of a signal; without a name, the times. */
export type ReadSignal = (signal: string | undefined, first: number, target: Float64Array) => void;

/** @returns what reads rows of the derived signal. */
export function derivedReader(
  { expression, signals, isStepwise }: DerivedSignal,
  read: ReadSignal,
): (first: number, target: Float64Array) => void {
  let isOfPast = false;
  walk(expression, ({ kind }) => {
    if (kind === "past") isOfPast = true;
  });
  const compute = (first: number, count: number): Float64Array => {
    const rows = (signal: string | undefined): Float64Array => {
      const values = new Float64Array(count);
      read(signal, first, values);
      return values;
    };
    const sampled = { time: rows(undefined), values: signals.map(rows), isStepwise };
    return new ExpressionValues(sampled).of(expression, { begin: 0, end: count });
  };
  if (!isOfPast) return (first, target) => target.set(compute(first, target.length));
  let known = new Float64Array(0);
  return (first, target) => {
    const after = first + target.length;
    // Rows that were computed stay as they are: what comes later does not change them.
    if (known.length < after) known = Float64Array.from(compute(0, after));
    target.set(known.subarray(first, after));
  };
}
