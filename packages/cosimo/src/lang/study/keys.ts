/**
 * The keys of study.yaml, once: the parser knows no others, and a test holds the published schema
 * to this list.
 */
export const STUDY_KEYS = [
  "name",
  "description",
  "scenario",
  "factors",
  "design",
  "keep",
  "limits",
  "minimize",
  "maximize",
  "calibrate",
  "constraints",
  "optimizer",
] as const;
/** What a factor varies: one of them. */
export const TARGET_KEYS = ["port", "step", "master", "approximation", "adapt", "fault"] as const;
export const FACTOR_KEYS = [
  "port",
  "step",
  "master",
  "approximation",
  "adapt",
  "fault",
  "values",
  "distribution",
  "from",
  "to",
  "mode",
  "mean",
  "median",
  "deviation",
  "start",
  "points",
] as const;
export const DESIGN_KEYS = ["method", "runs", "points", "seed", "indices"] as const;
export const STUDY_LIMIT_KEYS = ["time", "memory"] as const;
export const OPTIMIZER_KEYS = ["method", "runs", "seed", "tolerance"] as const;
export const CALIBRATE_KEYS = ["data", "signals"] as const;
export const SIGNAL_KEYS = ["signal", "scale"] as const;
