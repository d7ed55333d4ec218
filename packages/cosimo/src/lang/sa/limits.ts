/**
 * Limits of parameters: `min 0`, `max 10`, `above 0`, `below 1`.
 */
import type { Declaration, Expression } from "../../model/adaptation/data.ts";

/** The number that a literal is, its sign included. */
export function numberIn(e: Expression): number | undefined {
  if (e.kind === "number") return e.value;
  const inside = e.kind === "unary" && e.operator === "-" ? numberIn(e.operand) : undefined;
  return inside === undefined ? undefined : -inside;
}

const WORDS = { min: "at least", max: "at most", above: "above", below: "below" } as const;

/** What the value had to be: `above 0 and at most 10`; undefined where it keeps to all limits. */
export function brokenLimit(value: number, limits: Declaration["limits"] = []): string | undefined {
  const keeps = limits.every(({ kind, bound }) => {
    if (kind === "min") return value >= bound;
    if (kind === "max") return value <= bound;
    return kind === "above" ? value > bound : value < bound;
  });
  return keeps
    ? undefined
    : limits.map(({ kind, bound }) => `${WORDS[kind]} ${bound}`).join(" and ");
}
