/**
 * `cosimo`: define, load and run scenarios, and read their traces. Everything here works in a
 * browser; FMUs on disk and native code are in `cosimo/node`. What the units of a scenario are made
 * of is here too, so that a first program needs one import.
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
export type { Outcome, SmallerSteps, UnitFailure } from "./base/outcome.ts";
export { explainOutcome, UnitError } from "./base/outcome.ts";
export type { ConnectionEvents } from "./engine/event-counts.ts";
export type { BondSummary, MasterSummary } from "./engine/masters/master-summary.ts";
export type {
  Cell,
  IterationTest,
  KeptValues,
  MasterCode,
  Operation,
  SavingCode,
  Snapshots,
  StepCode,
  StepFormula,
  StepItem,
} from "./engine/masters/step-program.ts";
export type { StepMeasure } from "./engine/metered-interpreter.ts";
export type { Executor, MakeExecutor, RecordedRows, RowSink } from "./engine/run-plan.ts";
export type { PlanState, RowMemory } from "./engine/signals.ts";
export { parseScenarioYaml } from "./lang/scenario/parse-scenario.ts";
export type {
  Adaptation,
  AdaptationArgument,
  AdaptationPort,
  BinaryOperator,
  CallExpression,
  Declaration,
  Expression,
  InnerConnection,
  InnerUnit,
  InputKind,
  OutputKind,
  PortName,
  Reference,
  Rule,
  SaType,
  Statement,
  ValueLimit,
} from "./model/adaptation/data.ts";
export type {
  Fault,
  FaultCondition,
  FaultDraft,
  FaultEffect,
  FaultEffectDraft,
  FaultLevel,
  FaultTarget,
  FaultTrigger,
  FaultTriggerDraft,
  FaultyUnit,
  UnitFault,
} from "./model/faults.ts";
export type { PowerBondHint, RateHint } from "./model/hint.ts";
export type {
  FmiInterfaceName,
  FmuChoice,
  IntegrationMethod,
  IntegratorOptions,
} from "./model/integrator.ts";
export type {
  FailureResponse,
  Isolation,
  IsolationKind,
  ProcessLimits,
} from "./model/isolation.ts";
export type { Conversion, NoConversion, Quantity } from "./model/physical-unit-conversion.ts";
export { conversion, convertValue, parseQuantity } from "./model/physical-unit-conversion.ts";
export { parseUnit } from "./model/physical-unit-parse.ts";
export type {
  Comparison,
  Formula,
  HintFact,
  Interval,
  IntervalOperator,
  NumberExpression,
  NumberOperator,
  PastFunctionName,
  PointFunctionName,
  Requirement,
  RequirementDraft,
  RequirementFileDraft,
  RequirementSignal,
  ResponseFunctionName,
  Scope,
} from "./model/requirement.ts";
export type { DescribeUnit, OpenNested } from "./model/resolve-scenario.ts";
export { resolveScenario } from "./model/resolve-scenario.ts";
export type {
  AdaptedSource,
  Approximation,
  Bond,
  BondDraft,
  Composite,
  ComputeTransfer,
  Condition,
  ConditionDraft,
  ConditionOperator,
  Connection,
  ConnectionDraft,
  Constraint,
  ConstraintDraft,
  Crossing,
  ElementRef,
  EventDraft,
  ExposedPort,
  ExposedPortDraft,
  FaultFileDraft,
  FormulaDraft,
  FormulaSource,
  GroupSource,
  Interaction,
  InterfaceDraft,
  MasterDraft,
  PortRef,
  PortUnitDraft,
  PortValue,
  RecordDraft,
  RegularizationDraft,
  RemotePlace,
  RemoteSource,
  Scenario,
  ScenarioDraft,
  ScenarioUnit,
  StateTransfer,
  StepLimit,
  StepLimitDraft,
  Structure,
  StructureDraft,
  StructureRule,
  StructureRuleDraft,
  StructureState,
  TableColumnDraft,
  ThresholdDirection,
  TransferDraft,
  Trigger,
  TriggerDraft,
  UnitDraft,
  UnitSource,
  ValueDraft,
} from "./model/scenario.ts";
export type { Port, UnitDescription } from "./model/unit-description.ts";
export type {
  InterfacePort,
  InterfaceSource,
  InterfaceType,
  IoEvent,
  IoEventKind,
  TemporalReference,
  UnitInterface,
  UnitProperty,
} from "./model/unit-interface.ts";
export type { DeclaredKind } from "./model/unit-kind.ts";
export type { Banks, Value } from "./model/value-type.ts";
export { makeBanks } from "./model/value-type.ts";
export { DORMAND_PRINCE, EULER, HEUN, MIDPOINT, RK4 } from "./numerics/tableau.ts";
export type {
  BOND_SUMS,
  BondSum,
  REJECTION_REASONS,
  RejectionReason,
  SUMMARY_COUNTS,
  SummaryCount,
} from "./plan/statistics.ts";
export type { TraceSubject } from "./record/csv.ts";
export { csvNotes, csvNotesFile, encodeCsv } from "./record/csv.ts";
export { parseCsv } from "./record/csv-read.ts";
export type { Column, ColumnData, ColumnInfo, Trace, TraceMeta } from "./record/trace.ts";
export type {
  Decision,
  TimeSpan,
  Verdict,
  VerdictState,
} from "./requirements/check-requirement.ts";
export { verdictText } from "./requirements/verdict-text.ts";
export { checkTrace } from "./run/check-trace.ts";
export type {
  BondModel,
  ConnectionModel,
  ConstraintModel,
  DeclarationsModel,
  EventModel,
  LimitModel,
  StructureModel,
  StructureRuleModel,
} from "./run/define-declarations.ts";
export type {
  DefinedScenario,
  OpenedUnit,
  ScenarioModel,
  UnitInScenario,
  UnitOnDisk,
  UnitSettings,
} from "./run/define-scenario.ts";
export { defineScenario } from "./run/define-scenario.ts";
export type { KeptUnits, UnitUse } from "./run/open-units.ts";
export type { RunRequest } from "./run/plan-run.ts";
export type { ScenarioConfluenceOptions } from "./run/scenario-confluence.ts";
export { scenarioConfluence } from "./run/scenario-confluence.ts";
export type {
  OpenedUnits,
  RunnableScenario,
  ScenarioRun,
  SimulateScenarioOptions,
} from "./run/simulate-scenario.ts";
export { simulateScenario } from "./run/simulate-scenario.ts";
export type { TraceOptions } from "./run/trace-unit.ts";
export { traceUnit } from "./run/trace-unit.ts";
export type {
  ChoiceMade,
  ConfluenceReport,
  ExploreOptions,
  OrderDifference,
} from "./unit/explore-orders.ts";
export type { FunctionModel } from "./unit/function-unit.ts";
export { functionUnit } from "./unit/function-unit.ts";
export type { LinearModel } from "./unit/linear-unit.ts";
export { linearUnit } from "./unit/linear-unit.ts";
export type { OdeModel } from "./unit/ode-unit.ts";
export { odeUnit } from "./unit/ode-unit.ts";
export type { InputSignals } from "./unit/signal-source.ts";
export { makeInputSignals } from "./unit/signal-source.ts";
export type { StateMachineModel } from "./unit/state-machine-model.ts";
export { stateMachineUnit } from "./unit/state-machine-unit.ts";
export type { TableModel } from "./unit/table-unit.ts";
export { tableUnit } from "./unit/table-unit.ts";
export type { Tie, TieServices, Ties } from "./unit/ties.ts";
export type { FaultCount, Stage, StageParts, StageSlopes, Switching, Unit } from "./unit/unit.ts";
