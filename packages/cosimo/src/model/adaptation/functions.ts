/**
 * The functions that rules may call: arguments, type, value, C, and a sentence for editors. Checks,
 * the compiler, the export and editors follow this one table, so they cannot disagree.
 */
import { countedInstant } from "../../base/instants.ts";
import type { SaType } from "./data.ts";

export interface SaFunction {
  readonly least: number;
  readonly most: number;
  /** `none`: it is called for its effect. `like-arguments`: integer where all arguments are. */
  readonly result: SaType | "none" | "like-arguments";
  /** The first argument is an inner unit. */
  readonly ofUnit: boolean;
  readonly controlOnly: boolean;
  /**
   * The argument is an input of the adaptation, read where rules take inputs: its derivative of
   * this order.
   */
  readonly ofOwnInput?: 1 | 2;
  readonly usage: string;
  /** What it is for, in one sentence. */
  readonly text: string;
  /**
   * Its value, where that follows from numbers alone. Absent: it depends on the running adaptation.
   */
  readonly compute?: (...values: number[]) => number;
  /**
   * How C calls it; `sa_` functions are those of c-runtime/adaptation.h. Absent: C reads a field.
   */
  readonly c?: string;
  /** Arguments at the end that can be omitted, as C writes them. */
  readonly defaults?: readonly string[];
}

interface OfNumbers extends Pick<SaFunction, "text" | "defaults"> {
  readonly compute: (...values: number[]) => number;
  readonly parameters?: string;
  readonly least?: number;
  readonly most?: number;
  readonly result?: SaFunction["result"];
  /** Absent: as in rules. */
  readonly c?: string;
}

/** Default: a real function of one real. */
function ofNumbers(name: string, of: OfNumbers): [string, SaFunction] {
  const { parameters = "x", compute, text, defaults, result = "real" } = of;
  const least = of.least ?? parameters.split(", ").length;
  return [
    name,
    {
      least,
      most: of.most ?? least,
      result,
      ofUnit: false,
      controlOnly: false,
      usage: `${name}(${parameters})`,
      text,
      compute,
      c: of.c ?? name,
      ...(defaults && { defaults }),
    },
  ];
}

function ofUnit(
  usage: string,
  result: "real" | "none",
  controlOnly: boolean,
  text: string,
): [string, SaFunction] {
  const name = usage.slice(0, usage.indexOf("("));
  const count = usage.split(", ").length;
  return [
    name,
    { least: count, most: count, result, ofUnit: true, controlOnly, usage, text, c: name },
  ];
}

/** |x - y| within the absolute tolerance, or within the relative one of the larger of the two. */
export function isClose(x: number, y: number, relative = 1e-5, absolute = 1e-8): number {
  const scale = relative * Math.max(Math.abs(x), Math.abs(y));
  return Math.abs(x - y) <= Math.max(scale, absolute) ? 1 : 0;
}

const MANY = Number.POSITIVE_INFINITY;

export const SA_FUNCTIONS: ReadonlyMap<string, SaFunction> = new Map<string, SaFunction>([
  ofUnit(
    "do_step(unit, time, step)",
    "real",
    true,
    "Steps an inner unit from `time` over `step`, and returns how much of the step it took.",
  ),
  ofUnit(
    "save_state(unit)",
    "none",
    true,
    "Saves the state of an inner unit, so that `rollback` can return to it.",
  ),
  ofUnit("rollback(unit)", "none", true, "Returns an inner unit to the state that was saved last."),
  ofUnit(
    "get_next_time_step(unit)",
    "real",
    false,
    "How far an inner unit would go by itself: to its next event, or until it stops.",
  ),
  ofUnit(
    "last_execution_time(unit)",
    "real",
    false,
    "The time up to which an inner unit has been stepped; before its first step, the start of the simulation.",
  ),
  [
    "input_slope",
    {
      least: 1,
      most: 1,
      result: "real",
      ofUnit: false,
      controlOnly: false,
      ofOwnInput: 1,
      usage: "input_slope(input)",
      text: "The mean slope of an input of the adaptation from the start of the step to its end; 0 where it is held.",
    },
  ],
  [
    "input_curve",
    {
      least: 1,
      most: 1,
      result: "real",
      ofUnit: false,
      controlOnly: false,
      ofOwnInput: 2,
      usage: "input_curve(input)",
      text: "The second derivative of an input of the adaptation over the step; 0 where it moves on a line, and where an inner unit cannot take parts of a step.",
    },
  ],
  ofNumbers("is_close", {
    parameters: "x, y, relative tolerance, absolute tolerance",
    least: 2,
    most: 4,
    result: "boolean",
    text: "Whether two numbers are equal up to a relative or an absolute tolerance.",
    compute: isClose as (...values: number[]) => number,
    c: "sa_is_close",
    defaults: ["1e-5", "1e-8"],
  }),
  ofNumbers("instant_of", {
    parameters: "origin, period, count",
    text: "The time origin + count · period, counted in ticks where they are whole nanoseconds, so that instants which should coincide do.",
    compute: countedInstant as (...values: number[]) => number,
    c: "sa_instant",
  }),
  ofNumbers("min", {
    parameters: "x, y, …",
    least: 1,
    most: MANY,
    result: "like-arguments",
    text: "The smallest of its arguments.",
    compute: Math.min,
    c: "sa_min",
  }),
  ofNumbers("max", {
    parameters: "x, y, …",
    least: 1,
    most: MANY,
    result: "like-arguments",
    text: "The largest of its arguments.",
    compute: Math.max,
    c: "sa_max",
  }),
  ofNumbers("abs", {
    result: "like-arguments",
    text: "The absolute value.",
    compute: Math.abs,
    c: "fabs",
  }),
  ofNumbers("mod", {
    parameters: "x, y",
    result: "like-arguments",
    text: "What remains of `x` divided by `y`; it has the sign of `y`.",
    compute: (x = 0, y = 0) => x - y * Math.floor(x / y),
    c: "sa_mod",
  }),
  ofNumbers("sign", {
    result: "integer",
    text: "-1, 0 or 1, as the number is negative, zero or positive.",
    compute: Math.sign,
    c: "sa_sign",
  }),
  ofNumbers("floor", {
    result: "integer",
    text: "The largest whole number that is not above `x`.",
    compute: Math.floor,
  }),
  ofNumbers("ceil", {
    result: "integer",
    text: "The smallest whole number that is not below `x`.",
    compute: Math.ceil,
  }),
  ofNumbers("round", {
    result: "integer",
    text: "The nearest whole number; halves go up.",
    compute: Math.round,
    c: "sa_round",
  }),
  ofNumbers("sin", { text: "The sine of an angle in radians.", compute: Math.sin }),
  ofNumbers("cos", { text: "The cosine of an angle in radians.", compute: Math.cos }),
  ofNumbers("tan", { text: "The tangent of an angle in radians.", compute: Math.tan }),
  ofNumbers("asin", { text: "The angle in radians whose sine this is.", compute: Math.asin }),
  ofNumbers("acos", { text: "The angle in radians whose cosine this is.", compute: Math.acos }),
  ofNumbers("atan", { text: "The angle in radians whose tangent this is.", compute: Math.atan }),
  ofNumbers("sinh", { text: "The hyperbolic sine.", compute: Math.sinh }),
  ofNumbers("cosh", { text: "The hyperbolic cosine.", compute: Math.cosh }),
  ofNumbers("tanh", { text: "The hyperbolic tangent.", compute: Math.tanh }),
  ofNumbers("exp", { text: "e to the power of `x`.", compute: Math.exp }),
  ofNumbers("log", { text: "The natural logarithm.", compute: Math.log }),
  ofNumbers("log10", { text: "The logarithm to the base of 10.", compute: Math.log10 }),
  ofNumbers("sqrt", { text: "The square root.", compute: Math.sqrt }),
  ofNumbers("atan2", {
    parameters: "y, x",
    text: "The angle in radians of the point (`x`, `y`).",
    compute: Math.atan2 as (...values: number[]) => number,
  }),
  ofNumbers("pow", {
    parameters: "x, y",
    text: "`x` to the power of `y`.",
    compute: (x = 0, y = 0) => x ** y,
    c: "sa_pow",
  }),
]);

/** What is wrong with the number of arguments of a call; undefined: nothing. */
export function wrongCount(name: string, count: number): string | undefined {
  const { least = 0, most = MANY } = SA_FUNCTIONS.get(name) ?? {};
  if (count >= least && count <= most) return undefined;
  return `'${name}' takes ${least === most ? least : `at least ${least}`} arguments, not ${count}`;
}

/**
 * Time and steps: `t`, `H` of the whole step; `h`, `dt` of the step of an inner unit. One sentence
 * each.
 */
export const SA_CLOCK: ReadonlyMap<string, string> = new Map([
  ["t", "The time at which the step of the adaptation begins, in seconds."],
  ["H", "The length of the step that is requested of the adaptation, in seconds."],
  ["h", "The length of the step that the inner unit takes, in seconds."],
  [
    "dt",
    "The time from the start of the adaptation's step to the step of the inner unit, in seconds.",
  ],
]);
