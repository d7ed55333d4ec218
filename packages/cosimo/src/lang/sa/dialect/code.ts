/**
 * Statements and expressions that translations write, as text in our notation: what a form means
 * can be read here as an author would write it.
 */
import type { Diagnostic, Place } from "../../../base/diagnostic.ts";
import type { Expression, Statement } from "../../../model/adaptation/data.ts";
import type * as ast from "../ast.ts";
import { printName } from "../names.ts";
import { printExpression } from "../print-expression.ts";
import { statementReader } from "../read-statements.ts";
import { SA } from "../services.ts";

/**
 * What a form has been translated into has its line, and no column: comments belong to what the
 * author wrote.
 */
export function generated({ file, line }: Place): Place {
  return line === undefined ? { file } : { file, line };
}

/** Parses statements; what they go beyond (nested too deep) is reported where the form stands. */
export function statementsOf(
  text: string,
  place: Place,
  report: (d: Diagnostic) => void,
): Statement[] {
  const { value, diagnostics } = SA.parse(
    `semantic adaptation A a control rules {\n${text}\n}`,
    "",
  );
  for (const one of diagnostics) report({ ...one, place });
  const [adaptation] = value?.elements ?? [];
  const section = (adaptation as ast.SemanticAdaptation | undefined)?.sections[0];
  const at = generated(place);
  const reader = statementReader(() => at);
  return section?.$type === "ControlRules" ? reader.statements(section.statements) : [];
}

/** One expression. */
export function expressionOf(
  text: string,
  place: Place,
  report: (d: Diagnostic) => void,
): Expression {
  const [statement] = statementsOf(`return ${text};`, place, report);
  return statement?.kind === "return"
    ? statement.value
    : { kind: "boolean", value: true, place: generated(place) };
}

export const name: (text: string) => string = printName;

/** Between brackets where it needs them. */
export function inText(e: Expression): string {
  const text = printExpression(e);
  return e.kind === "reference" || e.kind === "number" || e.kind === "call" ? text : `(${text})`;
}

export function port({ unit, port: of }: { readonly unit: string; readonly port: string }): string {
  return `${printName(unit)}.${printName(of)}`;
}
