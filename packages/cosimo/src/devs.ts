/**
 * `cosimo/devs`: discrete-event models (DEVS), atomic and coupled, run by themselves or as units
 * next to FMUs; differential equations as such models (quantized states).
 */

export { checkDevs, influencers } from "./devs/check-devs.ts";
export { type ConfluenceOptions, checkConfluence } from "./devs/confluence.ts";
export { type DevsModel, type DevsUnitOptions, devsUnit } from "./devs/devs-unit.ts";
export type { BusFrame, BusSpec, RouterSpec } from "./devs/library/branches.ts";
export { bus, router, switchedRouter } from "./devs/library/branches.ts";
export { counts, ticks } from "./devs/library/counters.ts";
export type {
  ListSourceSpec,
  PeriodicSourceSpec,
  RandomSourceSpec,
  SourcePorts,
  SourceSpec,
} from "./devs/library/sources.ts";
export { listSource, periodicSource, randomSource } from "./devs/library/sources.ts";
export type {
  DelayOutputs,
  DelayPorts,
  QueueInputs,
  QueueOutputs,
  QueueSpec,
  ServerInputs,
  ServerOutputs,
  ServerSpec,
  SinkSpec,
  SinkState,
} from "./devs/library/stations.ts";
export { delay, queue, server, sink } from "./devs/library/stations.ts";
export type {
  AnySend,
  Atomic,
  AtomicModel,
  AtomicSpec,
  BorderSpec,
  Component,
  Coupled,
  CoupledModel,
  CoupledSpec,
  Coupling,
  EventPort,
  Input,
  Instant,
  Next,
  NoPorts,
  Ports,
  Select,
  Semantics,
  Send,
  ValueOf,
} from "./devs/model.ts";
export { atomic, coupled, port, signal } from "./devs/model.ts";
export type { QssPorts, QssState } from "./devs/qss/qss.ts";
export { qss } from "./devs/qss/qss.ts";
export type { QssCrossing, QssOptions } from "./devs/qss/qss-model.ts";
export type { DevsEvent, DevsInput, DevsRun, RunDevsOptions } from "./devs/run-devs.ts";
export { runDevs } from "./devs/run-devs.ts";
export type { RandomState } from "./numerics/random.ts";
export { exponential, seeded, uniform } from "./numerics/random.ts";
export type {
  ChoiceMade,
  ConfluenceReport,
  ExploreOptions,
  OrderDifference,
} from "./unit/explore-orders.ts";
export type { Tie, Ties } from "./unit/ties.ts";
