/**
 * The functions of the language, as far as checks and editors must know them. What they compute is adapt's business.
 */
import type { SaType } from "../../model/adaptation.ts";

export interface SaFunction {
  readonly least: number;
  readonly most: number;
  /** `none`: it is called for its effect. `like-arguments`: integer where all arguments are. */
  readonly result: SaType | "none" | "like-arguments";
  /** The first argument is an inner unit. */
  readonly ofUnit: boolean;
  readonly controlOnly: boolean;
  /** The argument is an input of the adaptation, and rules can ask for it where they take inputs. */
  readonly ofOwnInput?: true;
  readonly usage: string;
}

function ofNumbers(
  names: string,
  least: number,
  most: number,
  result: SaFunction["result"],
  parameters: string,
): [string, SaFunction][] {
  return names
    .split(" ")
    .map((name) => [
      name,
      { least, most, result, ofUnit: false, controlOnly: false, usage: `${name}(${parameters})` },
    ]);
}

function ofUnit(
  name: string,
  count: number,
  result: SaFunction["result"],
  controlOnly: boolean,
  usage: string,
): [string, SaFunction] {
  return [name, { least: count, most: count, result, ofUnit: true, controlOnly, usage }];
}

const MANY = Number.POSITIVE_INFINITY;

export const SA_FUNCTIONS: ReadonlyMap<string, SaFunction> = new Map<string, SaFunction>([
  ofUnit("do_step", 3, "real", true, "do_step(unit, time, step)"),
  ofUnit("save_state", 1, "none", true, "save_state(unit)"),
  ofUnit("rollback", 1, "none", true, "rollback(unit)"),
  ofUnit("get_next_time_step", 1, "real", false, "get_next_time_step(unit)"),
  [
    "input_slope",
    {
      least: 1,
      most: 1,
      result: "real",
      ofUnit: false,
      controlOnly: false,
      ofOwnInput: true,
      usage: "input_slope(input)",
    },
  ],
  ...ofNumbers("is_close", 2, 4, "boolean", "x, y, relative tolerance, absolute tolerance"),
  ...ofNumbers("min max", 1, MANY, "like-arguments", "x, y, …"),
  ...ofNumbers("abs", 1, 1, "like-arguments", "x"),
  ...ofNumbers("mod", 2, 2, "like-arguments", "x, y"),
  ...ofNumbers("sign floor ceil round", 1, 1, "integer", "x"),
  ...ofNumbers("sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt", 1, 1, "real", "x"),
  ...ofNumbers("atan2", 2, 2, "real", "y, x"),
  ...ofNumbers("pow", 2, 2, "real", "x, y"),
]);

/** Time and steps: `t`, `H` of the whole step; `h`, `dt` of the step of an inner unit. */
export const CLOCK_NAMES: ReadonlySet<string> = new Set(["t", "H", "h", "dt"]);
