/**
 * `cosimo/unit`: units written in TypeScript, and the contract that every unit keeps. A module that
 * makes units needs nothing else, and loads nothing else.
 */
export type { BackendName } from "./model/backends.ts";
export type { Dimension, PhysicalUnit } from "./model/physical-unit.ts";
export type { CrossingDirection } from "./model/scenario.ts";
export type {
  Capabilities,
  Direction,
  Experiment,
  Nature,
  Port,
  PortClock,
  Terminal,
  TerminalMember,
  TerminalStream,
  UnitDescription,
  Variability,
} from "./model/unit-description.ts";
export type { BankName, Banks, ObjectValue, Value, ValueType } from "./model/value-type.ts";
export { makeBanks } from "./model/value-type.ts";
export type { Tableau } from "./numerics/tableau.ts";
export { DORMAND_PRINCE, EULER, HEUN, MIDPOINT, RK4 } from "./numerics/tableau.ts";
export type { FunctionModel } from "./unit/function-unit.ts";
export { functionUnit } from "./unit/function-unit.ts";
export type { LinearModel, Rows } from "./unit/linear-unit.ts";
export { linearUnit } from "./unit/linear-unit.ts";
export type {
  ErrorControlledSolver,
  FixedStepSolver,
  OdeFunction,
  OdeModel,
} from "./unit/ode-unit.ts";
export { odeUnit } from "./unit/ode-unit.ts";
export type {
  OutputSpec,
  OutputSpecs,
  PortSpec,
  PortSpecs,
  StateSpec,
  StateSpecs,
} from "./unit/port-spec.ts";
export type { Predicate, Stop, StopReason } from "./unit/predicate.ts";
export type { InputSignals, Side, SignalColumn } from "./unit/signal-source.ts";
export { makeInputSignals } from "./unit/signal-source.ts";
export type {
  MachineState,
  MachineTransition,
  MachineView,
  StateMachineModel,
} from "./unit/state-machine-model.ts";
export { stateMachineUnit } from "./unit/state-machine-unit.ts";
export type { TableColumn, TableModel } from "./unit/table-unit.ts";
export { tableUnit } from "./unit/table-unit.ts";
export type { Tie, TieServices, Ties } from "./unit/ties.ts";
export type {
  Access,
  ClockServices,
  DiscreteUpdate,
  FaultCount,
  InitializationOptions,
  Phase,
  PortSlot,
  Snapshot,
  Stage,
  StageParts,
  StageSlopes,
  Switching,
  Unit,
} from "./unit/unit.ts";
