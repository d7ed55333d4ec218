/**
 * What can be wrong, or worth knowing, when a scenario becomes a plan.
 */
import type { RulesFor } from "../base/diagnostic.ts";

interface PlanParams {
  "step-missing": Record<string, never>;
  "steps-incommensurable": { steps: string };
  "nested-step": { unit: string; inner: number; outer: number };
  "master-unknown": { name: string; nearest: string | undefined; known: string };
  "order-incomplete": { problem: string };
  "approximation-unknown": { name: string; known: string };
  "approximation-ignored": { input: string; approximation: string; why: string };
  "quadratic-without-rollback": { units: string };
  "micro-steps-invalid": { given: string };
  "loop-not-numeric": { port: string; loop: string };
  "loop-delayed": { loop: string; delayed: string };
  "master-need-unmet": { master: string; need: string; detail: string };
  "conversion-unsupported": { connection: string; from: string; to: string };
  "master-option-unknown": { name: string; nearest: string | undefined; master: string };
  "master-option-invalid": { name: string; given: string; wanted: string };
  "constraint-needs-iteration": { constraint: string; master: string };
  "loop-without-rollback": { units: string; loop: string; how: string };
  "loop-explicit": { units: string; loop: string };
  "rejection-without-rollback": { units: string };
  "estimator-without-rollback": { estimator: string; units: string };
  "estimator-blind": { estimator: string; what: string; fix: string };
  "limit-without-rollback": { units: string };
  "steps-not-constant": { what: string; units: string; fix: string };
  "event-late": { event: string; units: string };
  "event-at-points": { event: string; units: string };
  "discrete-late": { outputs: string; units: string; longest: number };
  "policy-port-unusable": { policy: string; port: string; problem: string; fix: string };
  "guard-unfit": { missing: readonly string[]; extra: readonly string[] };
  "guard-without-policies": Record<string, never>;
  "policies-idle": { master: string };
  "trigger-ignored": { master: string };
  "event-driven-nested": { name: string };
  "event-driven-declared": { declared: readonly string[] };
  "own-step-longer": { unit: string; own: number; what: string; asked: number; fix: string };
  "unit-step-too-long": { unit: string; own: number; common: number; master: string };
}

export const PLAN_DIAGNOSTICS: RulesFor<PlanParams> = {
  "step-missing": {
    severity: "error",
    rule: "A fixed-step master needs a communication step.",
    text: () => ({
      message: "the scenario gives no step, and no unit prefers one",
      fix: "add 'experiment: { step: 0.01 }' or run with --step 0.01",
    }),
  },
  "steps-incommensurable": {
    severity: "error",
    rule: "The steps of all units are whole multiples of one common step.",
    text: (p) => ({
      message: `the steps ${p.steps} have no common step`,
      fix: "choose steps that are whole multiples of each other, such as 1 ms and 10 ms",
    }),
  },
  "nested-step": {
    severity: "error",
    rule: "The step of a nested scenario divides the step it takes outside.",
    text: (p) => ({
      message: `'${p.unit}' works inside with steps of ${p.inner} s, which do not fill a step of ${p.outer} s`,
      fix: "make the outer step a whole multiple of the inner one, or leave the inner one out",
    }),
  },
  "master-unknown": {
    severity: "error",
    rule: "The master is one that Cosimo has.",
    text: (p) => ({
      message: `there is no master '${p.name}'`,
      fix: p.nearest === undefined ? `one of ${p.known}` : `did you mean '${p.nearest}'?`,
    }),
  },
  "order-incomplete": {
    severity: "error",
    rule: "A given order names every unit once.",
    text: (p) => ({
      message: p.problem,
      fix: "list every unit once, or leave the order to Cosimo",
    }),
  },
  "approximation-unknown": {
    severity: "error",
    rule: "An input approximation is one that Cosimo has.",
    text: (p) => ({ message: `there is no approximation '${p.name}'`, fix: `one of ${p.known}` }),
  },
  "approximation-ignored": {
    severity: "warning",
    rule: "An input approximation suits its input and its unit.",
    text: (p) => ({
      message: `'${p.input}' is held: ${p.approximation} does not apply because ${p.why}`,
      fix: "remove the approximation, or use a unit that can follow it",
    }),
  },
  "quadratic-without-rollback": {
    severity: "warning",
    rule: "Quadratic extrapolation learns its first slopes from a step that is tried and rolled back.",
    text: (p) => ({
      message: `quadratic extrapolation starts with held inputs because ${p.units} cannot save and restore the state: its error falls with the square of the step, not with the cube`,
      fix: "take 'approximation: linear', which has the same order, or FMUs with canGetAndSetFMUstate",
    }),
  },
  "micro-steps-invalid": {
    severity: "error",
    rule: "The number of micro-steps is a whole number, at least 1.",
    text: (p) => ({
      message: `a step cannot be divided into ${p.given} micro-steps`,
      fix: "write a whole number, such as 'microSteps: 10'",
    }),
  },
  "loop-not-numeric": {
    severity: "error",
    rule: "An algebraic loop consists of numbers.",
    text: (p) => ({
      message: `'${p.port}' is part of the algebraic loop ${p.loop} but is not a number`,
      fix: "break the loop there: a unit without feed-through, or a delay",
    }),
  },
  "loop-delayed": {
    severity: "warning",
    rule: "A fixed-step explicit master solves algebraic loops at initialization and breaks them by a delay while stepping.",
    text: (p) => ({
      message: `the algebraic loop ${p.loop} is broken at ${p.delayed}: what is given there may be one step older than what inputs get elsewhere`,
      fix: "check that the step is small against the loop's dynamics, or give one of the units an output without feed-through",
    }),
  },
  "master-need-unmet": {
    severity: "error",
    rule: "Every unit can do what the chosen master needs.",
    text: (p) => ({
      message: `${p.master} needs ${p.need}: ${p.detail}`,
      fix: "change the unit, its step or the master as said",
    }),
  },
  "conversion-unsupported": {
    severity: "error",
    rule: "A connection moves values between types that can hold each other.",
    text: (p) => ({
      message: `${p.connection}: ${p.from} cannot feed ${p.to}`,
      fix: "connect ports of the same type",
    }),
  },
  "master-option-unknown": {
    severity: "error",
    rule: "The options of a master are those that it has.",
    text: (p) => ({
      message: `the master '${p.master}' has no option '${p.name}'`,
      fix: p.nearest === undefined ? "remove it" : `did you mean '${p.nearest}'?`,
    }),
  },
  "master-option-invalid": {
    severity: "error",
    rule: "An option of the master has a value that it can take.",
    text: (p) => ({ message: `'${p.name}: ${p.given}' does not fit`, fix: p.wanted }),
  },
  "policy-port-unusable": {
    severity: "error",
    rule: "Policies set tunable parameters, all of them the same ones.",
    text: (p) => ({
      message: `policy '${p.policy}' cannot set '${p.port}': ${p.problem}`,
      fix: p.fix,
    }),
  },
  "guard-unfit": {
    severity: "error",
    rule: "A guard was made for the policies that it guards.",
    text: (p) => ({
      message: [
        ...(p.missing.length > 0
          ? [`the guard knows policies that the master has not: ${p.missing.join(", ")}`]
          : []),
        ...(p.extra.length > 0 ? [`the guard says nothing about ${p.extra.join(", ")}`] : []),
      ].join("; "),
      fix: "give both the same names, or make the guard again with a matrix for every policy",
    }),
  },
  "guard-without-policies": {
    severity: "error",
    rule: "A guard needs policies to choose from.",
    text: () => ({
      message: "there is a guard, but the master has no policies",
      fix: "add 'policies: { quick: { set: … }, careful: { set: … } }', or remove the guard",
    }),
  },
  "policies-idle": {
    severity: "warning",
    rule: "Policies, and a guard over them, belong to a master that decides at run time.",
    text: (p) => ({
      message: `'${p.master}' decides nothing: the policies and their guard are not used, and parameters stay as they are`,
      fix: "take 'adaptive', or remove the policies",
    }),
  },
  "trigger-ignored": {
    severity: "error",
    rule: "Triggers of connections are followed by the master 'event-driven' alone.",
    text: (p) => ({
      message: `'${p.master}' exchanges at every communication point, so the trigger of this connection has no effect`,
      fix: "take 'master: event-driven', or remove 'every' and 'when'",
    }),
  },
  "event-driven-nested": {
    severity: "error",
    rule: "A scenario inside another one has common steps.",
    text: (p) => ({
      message: `'${p.name}' is a unit of another scenario, whose steps 'event-driven' cannot take`,
      fix: "give it another master, or list its units in the scenario around it",
    }),
  },
  "event-driven-declared": {
    severity: "error",
    rule: "Events, constraints, bonds and limits belong to masters with common steps.",
    text: (p) => ({
      message: `'event-driven' has no common steps, so it cannot follow ${p.declared.map((key) => `'${key}'`).join(", ")}`,
      fix: "remove them, or take the master 'adaptive'",
    }),
  },
  "unit-step-too-long": {
    severity: "error",
    rule: "A master that decides at run time has one communication step for all units; a unit may take shorter steps inside it.",
    text: (p) => ({
      message: `'${p.unit}' wants steps of ${p.own} s, the ${p.master} master communicates every ${p.common} s`,
      fix: "leave the unit's step out, make it shorter, or take a fixed-step master for multi-rate",
    }),
  },
  "own-step-longer": {
    severity: "warning",
    rule: "A unit is asked for steps and micro-steps no shorter than its own, or it takes no notice of inputs in between.",
    text: (p) => ({
      message: `'${p.unit}' declares internal steps of ${p.own} s but gets ${p.what} of ${p.asked} s: it cannot follow inputs that change faster, and coupling that relies on it is explicit`,
      fix: p.fix,
    }),
  },
  "constraint-needs-iteration": {
    severity: "error",
    rule: "A constraint between units is held by iterating the step.",
    text: (p) => ({
      message: `the ${p.master} master cannot hold '${p.constraint}'`,
      fix: "take 'master: iterative', or 'master: { name: adaptive, coupling: iterative }'",
    }),
  },
  "loop-without-rollback": {
    severity: "error",
    rule: "Units whose step is repeated can go back to its beginning.",
    text: (p) => ({
      message: `${p.units} cannot save and restore the state, but ${p.loop} must be iterated: ${p.how}`,
      fix: "use an FMU with canGetAndSetFMUstate, or accept an explicit exchange in this loop: 'master: { fallback: explicit }' (one step old values, smaller stable step)",
    }),
  },
  "loop-explicit": {
    severity: "warning",
    rule: "A loop that is not iterated is named.",
    text: (p) => ({
      message: `${p.loop} is not iterated because ${p.units} cannot save and restore the state: its inputs are extrapolated, as with gauss-seidel`,
      fix: "check the result with half the step, or use FMUs that can roll back",
    }),
  },
  "rejection-without-rollback": {
    severity: "error",
    rule: "Steps that may be taken back are steps of units that can go back.",
    text: (p) => ({
      message: `'rejection: pessimistic' takes steps back, but ${p.units} cannot save and restore the state`,
      fix: "take 'rejection: auto' (a step that was too long stands, the next one is shorter), or FMUs with canGetAndSetFMUstate",
    }),
  },
  "estimator-without-rollback": {
    severity: "error",
    rule: "An error estimate that repeats steps is for units that can go back.",
    text: (p) => ({
      message: `'estimator: ${p.estimator}' takes every step more than once, but ${p.units} cannot save and restore the state`,
      fix: "take 'estimator: milne', which looks at predictions and takes every step once",
    }),
  },
  "estimator-blind": {
    severity: "error",
    rule: "An error estimate has something to go by.",
    text: (p) => ({ message: `'estimator: ${p.estimator}' sees nothing: ${p.what}`, fix: p.fix }),
  },
  "limit-without-rollback": {
    severity: "error",
    rule: "A signal's change in a step is limited by taking steps back.",
    text: (p) => ({
      message: `a limited difference means taking steps back, but ${p.units} cannot save and restore the state`,
      fix: "take 'master: { name: adaptive, rejection: optimistic }' (the next step is shorter), or FMUs with canGetAndSetFMUstate",
    }),
  },
  "steps-not-constant": {
    severity: "error",
    rule: "A unit that takes steps of one size only gets steps of one size.",
    text: (p) => ({
      message: `${p.what}, but ${p.units} takes steps of one size only (canHandleVariableCommunicationStepSize is false)`,
      fix: p.fix,
    }),
  },
  "event-late": {
    severity: "warning",
    rule: "A crossing is located by taking steps back.",
    text: (p) => ({
      message: `'${p.event}' cannot be located exactly because ${p.units} cannot save and restore the state: steps become shorter on the way to the level, and the run says how late it was`,
      fix: "take a smaller step, or FMUs with canGetAndSetFMUstate",
    }),
  },
  "event-at-points": {
    severity: "warning",
    rule: "A crossing is located by steps of any size.",
    text: (p) => ({
      message: `'${p.event}' is noticed at communication points only because ${p.units} wants all steps to be of one size; the run says how late it was`,
      fix: "take a smaller step, or FMUs with canHandleVariableCommunicationStepSize",
    }),
  },
  "discrete-late": {
    severity: "warning",
    rule: "With adaptive steps, the change of a discrete output is located by rolling steps back.",
    text: (p) => ({
      message: `changes of ${p.outputs} cannot be located because ${p.units} cannot go back: they are noticed up to a step late, and no step is longer than ${p.longest} s`,
      fix: "take a smaller step, or FMUs with canGetAndSetFMUstate",
    }),
  },
};
