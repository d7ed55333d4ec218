/**
 * The keys of scenario.yaml, once: the parser knows no others, and a test holds the published
 * schema to this list.
 */

export const SCENARIO_KEYS = [
  "name",
  "description",
  "units",
  "connections",
  "bonds",
  "constraints",
  "events",
  "limits",
  "faults",
  "structure",
  "requirements",
  "ports",
  "experiment",
  "master",
  "record",
] as const;
export const UNIT_KEYS = [
  "fmu",
  "module",
  "export",
  "adaptation",
  "machine",
  "table",
  "scenario",
  "group",
  "remote",
  "connections",
  "adapt",
  "interface",
  "integrator",
  "step",
  "set",
  "isolate",
  "onFailure",
  "limits",
] as const;
/** What the process of a unit may use. */
export const PROCESS_LIMIT_KEYS = ["memory", "processor", "files", "call"] as const;
export const INTEGRATOR_KEYS = ["method", "tolerance", "absoluteTolerance", "maxStep"] as const;
export const CONNECTION_KEYS = [
  "from",
  "to",
  "factor",
  "offset",
  "suppress",
  "approximation",
  "kind",
  "mapping",
  "integral",
  "every",
  "when",
  "tolerance",
  "do",
] as const;
export const BOND_KEYS = ["name", "effort", "flow", "preserve"] as const;
export const CONSTRAINT_KEYS = ["constraint", "by", "rate"] as const;
export const EVENT_KEYS = ["when", "crosses", "direction", "tolerance", "regularization"] as const;
export const REGULARIZATION_KEYS = ["temporal", "spatial"] as const;
/** A limit is of one kind. */
export const LIMIT_KINDS = ["every", "at", "difference"] as const;
export const LIMIT_KEYS = ["every", "offset", "at", "difference", "atMost"] as const;
/** A fault has a place (`port` or `unit`), a kind, and says when. */
export const FAULT_KEYS = [
  "name",
  "port",
  "unit",
  "stuck",
  "offset",
  "gain",
  "drift",
  "noise",
  "delay",
  "drop-out",
  "bit-flip",
  "frozen",
  "fails",
  "at",
  "for",
  "until",
  "on",
  "while",
  "seed",
  "every",
] as const;

export const REQUIREMENT_KEYS = ["name", "description", "require"] as const;

export const STRUCTURE_KEYS = ["absent", "rules"] as const;
export const STRUCTURE_RULE_KEYS = [
  "at",
  "when",
  "remove",
  "add",
  "replace",
  "with",
  "transfer",
  "disconnect",
  "connect",
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
export const KINDS = ["reactive", "delayed"] as const;
export const SUPPRESSIBLE = ["unit"] as const;
export const PRESERVABLE = ["nothing", "energy"] as const;
export const DIRECTIONS = ["rising", "falling", "any"] as const;
/** When a connection exchanges, besides `every`. */
export const TRIGGERS = ["updated", "event", "ready-to-read"] as const;
export const INTERACTIONS = ["not", "toggle"] as const;
