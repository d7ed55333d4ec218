/**
 * `cosimo/stability`: what a coupling does in the long run: spectral and joint spectral radius,
 * guards, safe steps and delays of hybrid systems.
 */
export type { Automaton, AutomatonEdge } from "./model/decision-automaton.ts";
export type { DecisionGuard, SequenceCheck } from "./model/decision-guard.ts";
export { checkSequence } from "./model/decision-guard.ts";
export { scenarioStability } from "./run/scenario-stability.ts";
export type { HybridRun, HybridStart, LateSwitches } from "./run/simulate-hybrid.ts";
export { simulateHybridDelay, simulateHybridStep } from "./run/simulate-hybrid.ts";
export type { GrowthRate } from "./stability/entropy.ts";
export type { TreeProof } from "./stability/gripenberg.ts";
export type { ClosedOrbit, DelayQuestion, StableDelay } from "./stability/hybrid-delay.ts";
export { maximumStableDelay } from "./stability/hybrid-delay.ts";
export type { Assumption } from "./stability/hybrid-delay-assumptions.ts";
export { delayAssumptions } from "./stability/hybrid-delay-assumptions.ts";
export type {
  EnergyQuestion,
  ModeSafety,
  SafeStep,
  WorstRound,
} from "./stability/hybrid-energy.ts";
export { safeStepByEnergy } from "./stability/hybrid-energy.ts";
export type { CurveRange, Equilibrium } from "./stability/hybrid-equilibrium.ts";
export type {
  HybridMode,
  HybridModel,
  ScalarField,
  VectorField,
} from "./stability/hybrid-model.ts";
export { unitField } from "./stability/hybrid-unit-field.ts";
export type { IdentificationFacts } from "./stability/identify.ts";
export type { JsrBounds, JsrOptions } from "./stability/jsr.ts";
export { jsrBounds } from "./stability/jsr.ts";
export type { LiftedProof, PartsProof, Proof, ScaledProof } from "./stability/jsr-proof.ts";
export { verifyProof } from "./stability/jsr-proof.ts";
export type { JsrMethod } from "./stability/jsr-search.ts";
export type { PolytopeProof } from "./stability/polytope.ts";
export type { Certificate } from "./stability/quadratic-certificate.ts";
export type { SpectralOptions, SpectralReport } from "./stability/spectral.ts";
export type { CouplingDriver, UnitDriver } from "./stability/spectral-drivers.ts";
export type { JitterReport } from "./stability/spectral-jitter.ts";
export type { NamedMap } from "./stability/spectral-maps.ts";
export type { MasterReport } from "./stability/spectral-sweeps.ts";
export type { Eigenvalue } from "./stability/spectrum.ts";
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
export type { Sweep, SweepRange, UnstableInterval } from "./stability/sweep.ts";
export type { SwitchedSystem } from "./stability/switched-system.ts";
export { freeSystem } from "./stability/switched-system.ts";
