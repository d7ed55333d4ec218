/**
 * `cosimo`: the portable library. Everything here works in a browser; FMUs on disk and native code are in `cosimo/node`.
 */
export { AdaptationError } from "./adapt/adaptation-error.ts";
export { adaptedUnit } from "./adapt/adapted-unit.ts";
export { describeAdaptation } from "./adapt/describe-adaptation.ts";
export type { HierarchicalKind, InnerScenario } from "./adapt/hierarchical-unit.ts";
export { hierarchicalUnit } from "./adapt/hierarchical-unit.ts";
export type { UnitKinds } from "./adapt/kinds.ts";
export { kindsOf } from "./adapt/kinds.ts";
export type { Checked, Diagnostic, Place, Severity } from "./base/diagnostic.ts";
export { DiagnosticsError, formatDiagnostic, hasErrors, unwrap } from "./base/diagnostic.ts";
export type { Outcome, UnitFailure } from "./base/outcome.ts";
export { explainOutcome, UnitError } from "./base/outcome.ts";
export type { SimulateOptions } from "./engine/simulate-unit.ts";
export { simulateUnit } from "./engine/simulate-unit.ts";
export type { FmuDescription, FmuVariable } from "./fmi/description.ts";
export { parseModelDescription } from "./fmi/parse-description.ts";
export { toUnitDescription } from "./fmi/to-unit-description.ts";
export { validateDescription } from "./fmi/validate/validate.ts";
export { parseScenarioYaml } from "./lang/scenario/parse-scenario.ts";
export type { Automaton, AutomatonEdge } from "./model/decision-automaton.ts";
export type { DecisionGuard, SequenceCheck } from "./model/decision-guard.ts";
export { checkSequence } from "./model/decision-guard.ts";
export { conversion, convertValue, parseQuantity } from "./model/physical-unit-conversion.ts";
export { parseUnit } from "./model/physical-unit-parse.ts";
export type { DescribeUnit, OpenNested } from "./model/resolve-scenario.ts";
export { resolveScenario } from "./model/resolve-scenario.ts";
export type { Connection, Scenario, ScenarioDraft, ScenarioUnit } from "./model/scenario.ts";
export type { Capabilities, Experiment, Port, UnitDescription } from "./model/unit-description.ts";
export type { Banks, Value, ValueType } from "./model/value-type.ts";
export { makeBanks } from "./model/value-type.ts";
export { DORMAND_PRINCE, EULER, HEUN, MIDPOINT, RK4 } from "./numerics/tableau.ts";
export { checkPlan } from "./plan/check-plan.ts";
export type { Compiled, CompileOptions } from "./plan/compile.ts";
export { compilePlan } from "./plan/compile.ts";
export { explainScenario } from "./plan/explain/explain.ts";
export type { Explanation } from "./plan/explain/explanation.ts";
export { explanationText } from "./plan/explain/explanation-text.ts";
export type { Plan } from "./plan/plan.ts";
export { planHash } from "./plan/plan-hash.ts";
export { printPlan } from "./plan/print-plan.ts";
export type { GraphModel } from "./plot/graph.ts";
export { graphHtml } from "./plot/graph-html.ts";
export { graphSvg } from "./plot/graph-svg.ts";
export { plotHtml } from "./plot/html.ts";
export { plotSvg } from "./plot/svg.ts";
export { plotText } from "./plot/terminal.ts";
export { encodeCsv } from "./record/csv.ts";
export { parseCsv } from "./record/csv-read.ts";
export type { Column, ColumnInfo, Trace } from "./record/trace.ts";
export { scenarioStability } from "./run/scenario-stability.ts";
export type { HybridRun, HybridStart, LateSwitches } from "./run/simulate-hybrid.ts";
export { simulateHybridDelay, simulateHybridStep } from "./run/simulate-hybrid.ts";
export type {
  OpenedUnits,
  RunnableScenario,
  ScenarioRun,
  SimulateScenarioOptions,
} from "./run/simulate-scenario.ts";
export { simulateScenario } from "./run/simulate-scenario.ts";
export type {
  DefinedScenario,
  ScenarioModel,
  UnitInScenario,
  UnitSettings,
} from "./run/define-scenario.ts";
export { defineScenario } from "./run/define-scenario.ts";
export type {
  BondModel,
  ConnectionModel,
  ConstraintModel,
  EventModel,
  LimitModel,
} from "./run/define-declarations.ts";
export type { ClosedOrbit, DelayQuestion, StableDelay } from "./stability/hybrid-delay.ts";
export { maximumStableDelay } from "./stability/hybrid-delay.ts";
export type { Assumption } from "./stability/hybrid-delay-assumptions.ts";
export { delayAssumptions } from "./stability/hybrid-delay-assumptions.ts";
export type { EnergyQuestion, ModeSafety, SafeStep } from "./stability/hybrid-energy.ts";
export { safeStepByEnergy } from "./stability/hybrid-energy.ts";
export type {
  HybridMode,
  HybridModel,
  ScalarField,
  VectorField,
} from "./stability/hybrid-model.ts";
export { unitField } from "./stability/hybrid-unit-field.ts";
export type { JsrBounds, JsrOptions } from "./stability/jsr.ts";
export { jsrBounds } from "./stability/jsr.ts";
export type { Proof } from "./stability/jsr-proof.ts";
export { verifyProof } from "./stability/jsr-proof.ts";
export type { SpectralOptions, SpectralReport } from "./stability/spectral.ts";
export type { MasterReport } from "./stability/spectral-sweeps.ts";
export type {
  BrokenCycle,
  Stabilized,
  StabilizeOptions,
  StabilizeRound,
  Undecided,
} from "./stability/stabilize.ts";
export { guardOf, stabilize } from "./stability/stabilize.ts";
export type { Verification, VerifyLimits } from "./stability/stabilize-verify.ts";
export { verifyStability } from "./stability/stabilize-verify.ts";
export type { SwitchedSystem } from "./stability/switched-system.ts";
export { freeSystem } from "./stability/switched-system.ts";
export type { TraceOptions } from "./run/trace-unit.ts";
export { traceUnit } from "./run/trace-unit.ts";
export type { FunctionModel } from "./unit/function-unit.ts";
export { functionUnit } from "./unit/function-unit.ts";
export type { LinearModel } from "./unit/linear-unit.ts";
export { linearUnit } from "./unit/linear-unit.ts";
export type { OdeModel } from "./unit/ode-unit.ts";
export { odeUnit } from "./unit/ode-unit.ts";
export type { Predicate, Stop } from "./unit/predicate.ts";
export type { InputSignals } from "./unit/signal-source.ts";
export { makeInputSignals } from "./unit/signal-source.ts";
export type { StateMachineModel } from "./unit/state-machine-unit.ts";
export { stateMachineUnit } from "./unit/state-machine-unit.ts";
export type { TableModel } from "./unit/table-unit.ts";
export { tableUnit } from "./unit/table-unit.ts";
export type { Access, PortSlot, Snapshot, Unit } from "./unit/unit.ts";
