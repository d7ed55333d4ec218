/**
 * The functions that every rule may call. Those that concern inner units (`do_step`, `save_state`, …) are part of the control of a
 * step and live with it.
 */

type NumberFunction = (...values: number[]) => number;

interface BuiltIn {
  readonly least: number;
  readonly most: number;
  readonly compute: NumberFunction;
}

const one = (compute: (x: number) => number): BuiltIn => ({ least: 1, most: 1, compute });
const two = (compute: (x: number, y: number) => number): BuiltIn => ({
  least: 2,
  most: 2,
  compute: compute as NumberFunction,
});

const MANY = Number.POSITIVE_INFINITY;

export const BUILT_INS: ReadonlyMap<string, BuiltIn> = new Map([
  ["sin", one(Math.sin)],
  ["cos", one(Math.cos)],
  ["tan", one(Math.tan)],
  ["asin", one(Math.asin)],
  ["acos", one(Math.acos)],
  ["atan", one(Math.atan)],
  ["atan2", two(Math.atan2)],
  ["sinh", one(Math.sinh)],
  ["cosh", one(Math.cosh)],
  ["tanh", one(Math.tanh)],
  ["exp", one(Math.exp)],
  ["log", one(Math.log)],
  ["log10", one(Math.log10)],
  ["sqrt", one(Math.sqrt)],
  ["pow", two((x, y) => x ** y)],
  ["abs", one(Math.abs)],
  ["sign", one(Math.sign)],
  ["floor", one(Math.floor)],
  ["ceil", one(Math.ceil)],
  ["round", one(Math.round)],
  ["mod", two((x, y) => x - y * Math.floor(x / y))],
  ["min", { least: 1, most: MANY, compute: Math.min }],
  ["max", { least: 1, most: MANY, compute: Math.max }],
  ["is_close", { least: 2, most: 4, compute: isClose as NumberFunction }],
]);

/** |x - y| within the absolute tolerance, or within the relative one of the larger of the two. */
export function isClose(x: number, y: number, relative = 1e-5, absolute = 1e-8): number {
  const scale = relative * Math.max(Math.abs(x), Math.abs(y));
  return Math.abs(x - y) <= Math.max(scale, absolute) ? 1 : 0;
}
