/**
 * `cosimo/plan`: what a scenario compiles to, checked, explained and printed.
 */

export type { CouplingScheme, MasterKind, MasterName } from "./model/masters.ts";
export { COUPLING_SCHEMES, MASTER_NAMES, MASTERS } from "./model/masters.ts";
export { checkPlan } from "./plan/check-plan.ts";
export type { Compiled, CompileOptions } from "./plan/compile.ts";
export { compilePlan } from "./plan/compile.ts";
export type {
  AnnouncedChange,
  CoupledBond,
  CoupledComponent,
  CoupledConstraint,
  CoupledInput,
  CouplingPlan,
  InstantPart,
  InstantWrite,
  Statistic,
  UnitStage,
  WatchedCrossing,
  WatchedLimit,
} from "./plan/coupling-plan.ts";
export type {
  Estimator,
  EstimatorRow,
  EstimatorSubject,
} from "./plan/estimators.ts";
export { ESTIMATORS } from "./plan/estimators.ts";
export { explainScenario } from "./plan/explain/explain.ts";
export type {
  ConnectionExplanation,
  Explanation,
  FaultExplanation,
  FeatureGroup,
  LoopExplanation,
  MasterExplanation,
  MasterNeed,
  OpenInput,
  OrderExplanation,
  RateExplanation,
  Recommendation,
  UnitExplanation,
  UnitLink,
} from "./plan/explain/explanation.ts";
export { explanationText } from "./plan/explain/explanation-text.ts";
export type { InputPlan } from "./plan/input-plan.ts";
export type {
  ControlSettings,
  ITERATION_METHODS,
  IterationMethod,
  IterationSettings,
  MasterSettings,
} from "./plan/master-settings.ts";
export type {
  InitialItem,
  Loop,
  LoopElement,
  Plan,
  PlanAccess,
  PlanUnit,
  RecordColumn,
  RecordPlan,
  SlopeGroup,
  Track,
  ValueMap,
} from "./plan/plan.ts";
export { planHash } from "./plan/plan-hash.ts";
export type {
  PlannedGuard,
  PlannedPolicy,
  PolicyPlan,
  PolicySettings,
  PolicyWrite,
} from "./plan/policies.ts";
export { printPlan } from "./plan/print-plan.ts";
export type { StatisticInfo } from "./plan/statistics.ts";
export type { UnitOrder } from "./plan/unit-order.ts";
