/**
 * The keys of scenario.yaml, once: the parser knows no others, and a test holds the published schema to this list.
 */

export const SCENARIO_KEYS = [
  "name",
  "description",
  "units",
  "connections",
  "ports",
  "experiment",
  "master",
  "record",
] as const;
export const UNIT_KEYS = ["fmu", "module", "export", "scenario", "step", "set"] as const;
export const CONNECTION_KEYS = [
  "from",
  "to",
  "factor",
  "offset",
  "suppress",
  "approximation",
  "mapping",
] as const;
export const EXPERIMENT_KEYS = ["start", "stop", "step", "tolerance"] as const;
export const RECORD_KEYS = ["patterns", "every"] as const;
/** A value with its unit beside it: `{ value: 5, unit: mm }`. */
export const VALUE_KEYS = ["value", "unit"] as const;

export const APPROXIMATIONS = [
  "hold",
  "linear",
  "quadratic",
  "extrapolated-interpolation",
] as const;
export const SUPPRESSIBLE = ["unit"] as const;
