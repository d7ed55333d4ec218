/**
 * The small notations inside scenarios, `a.x = b.x`, `a.F, -b.F`, `2 m`: scenario.yaml and
 * scenarios written in code share them, so that both accept the same texts.
 */
import { parseQuantity } from "./physical-unit-conversion.ts";
import type { ConditionDraft, ConditionOperator, ConstraintDraft, EventDraft } from "./scenario.ts";

/** `a.x = b.x`; undefined when it is not an equation of two signals. */
export function parseEquation(
  text: string,
): { readonly left: string; readonly right: string } | undefined {
  const sides = text.split("=").map((side) => side.trim());
  const [left, right] = sides;
  return sides.length === 2 && left && right ? { left, right } : undefined;
}

const SIGNED =
  /^([+-]?)\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)\s*\*\s*)?([^\s*+-].*)$/s;

/** `a.F`, `-b.F`, `-0.5 * b.M`; undefined when it is not an input with a sign or factor. */
export function parseSigned(text: string): ConstraintDraft["by"][number] | undefined {
  const [, sign, size = "1", port] = SIGNED.exec(text.trim()) ?? [];
  if (port === undefined) return undefined;
  return { port: port.trim(), factor: sign === "-" ? -Number(size) : Number(size) };
}

/** `a.F[1,2], -b.F` → its parts; a comma between brackets separates indices. */
export function splitList(text: string): string[] {
  return text.split(/,(?![^[]*\])/).map((part) => part.trim());
}

/** What a signal crosses: a number, `2 m`, or the name of another output. */
export function parseLevel(written: number | string): Pick<EventDraft, "crosses" | "unit"> {
  if (typeof written === "number") return { crosses: written };
  const quantity = parseQuantity(written);
  if (quantity === undefined) return { crosses: written.trim() };
  return quantity.unit === ""
    ? { crosses: quantity.value }
    : { crosses: quantity.value, unit: quantity.unit };
}

const COMPARISON = /^(.+?)\s*(<=|>=|!=|==|=|<|>)\s*(.+)$/s;

/**
 * `motor.temperature > 90 degC`, `switch.on = true`, `a.x < b.x`; undefined when it is not a
 * comparison.
 */
export function parseCondition(text: string): Omit<ConditionDraft, "place"> | undefined {
  const [, signal, operator, right] = COMPARISON.exec(text.trim()) ?? [];
  if (signal === undefined || right === undefined) return undefined;
  const word = { true: 1, false: 0 }[right.trim()];
  const { crosses, unit } =
    word === undefined ? parseLevel(right) : { crosses: word, unit: undefined };
  return {
    signal,
    operator: operator === "==" ? "=" : (operator as ConditionOperator),
    level: crosses,
    ...(unit !== undefined && { unit }),
  };
}
