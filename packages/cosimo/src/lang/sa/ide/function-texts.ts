/**
 * What functions and times are for, in one sentence each: what editors show beside them.
 */

export const FUNCTION_TEXTS: Readonly<Record<string, string>> = {
  do_step: "Steps an inner unit from `time` over `step`, and returns how much of the step it took.",
  save_state: "Saves the state of an inner unit, so that `rollback` can return to it.",
  rollback: "Returns an inner unit to the state that was saved last.",
  get_next_time_step:
    "How far an inner unit would go by itself: to its next event, or until it stops.",
  input_slope:
    "How fast an input of the adaptation goes, on average, from the beginning of the step to its end; 0 where it is held.",
  is_close: "Whether two numbers are equal up to a relative or an absolute tolerance.",
  min: "The smallest of its arguments.",
  max: "The largest of its arguments.",
  abs: "The absolute value.",
  mod: "What remains of `x` divided by `y`; it has the sign of `y`.",
  sign: "-1, 0 or 1, as the number is negative, zero or positive.",
  floor: "The largest whole number that is not above `x`.",
  ceil: "The smallest whole number that is not below `x`.",
  round: "The nearest whole number; halves go up.",
  sin: "The sine of an angle in radians.",
  cos: "The cosine of an angle in radians.",
  tan: "The tangent of an angle in radians.",
  asin: "The angle in radians whose sine this is.",
  acos: "The angle in radians whose cosine this is.",
  atan: "The angle in radians whose tangent this is.",
  sinh: "The hyperbolic sine.",
  cosh: "The hyperbolic cosine.",
  tanh: "The hyperbolic tangent.",
  exp: "e to the power of `x`.",
  log: "The natural logarithm.",
  log10: "The logarithm to the base of 10.",
  sqrt: "The square root.",
  atan2: "The angle in radians of the point (`x`, `y`).",
  pow: "`x` to the power of `y`.",
};

export const CLOCK_TEXTS: Readonly<Record<string, string>> = {
  t: "The time at which the step of the adaptation begins, in seconds.",
  H: "The length of the step that the adaptation is asked for, in seconds.",
  h: "The length of the step that the inner unit takes, in seconds.",
  dt: "The time from the begin of the adaptation's step to the step of the inner unit, in seconds.",
};
