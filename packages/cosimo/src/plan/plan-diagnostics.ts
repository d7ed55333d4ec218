/**
 * What can be wrong, or worth knowing, when a scenario becomes a plan.
 */
import { type ReportFor, type RulesFor, rulesFrom, type Texts } from "../base/diagnostic.ts";

interface PlanParams {
  "step-missing": Record<string, never>;
  "steps-incommensurable": Texts<"steps">;
  "nested-step": { unit: string; inner: number; outer: number };
  "master-unknown": { name: string; nearest: string | undefined; known: string };
  "order-incomplete": Texts<"problem">;
  "approximation-unknown": Texts<"name" | "known">;
  "approximation-ignored": Texts<"input" | "approximation" | "why">;
  "quadratic-without-rollback": Texts<"units">;
  "micro-steps-invalid": Texts<"given">;
  "loop-not-numeric": Texts<"port" | "loop">;
  "loop-delayed": Texts<"loop" | "delayed">;
  "master-need-unmet": Texts<"master" | "need" | "detail">;
  "conversion-unsupported": Texts<"connection" | "from" | "to">;
  "master-option-unknown": { name: string; nearest: string | undefined; master: string };
  "master-option-invalid": Texts<"name" | "given" | "wanted">;
  "constraint-needs-iteration": Texts<"constraint" | "master">;
  "loop-without-rollback": Texts<"units" | "loop" | "how">;
  "loop-explicit": Texts<"units" | "loop">;
  "rejection-without-rollback": Texts<"units">;
  "estimator-without-rollback": Texts<"estimator" | "units">;
  "estimator-blind": Texts<"estimator" | "what" | "fix">;
  "limit-without-rollback": Texts<"units">;
  "steps-not-constant": Texts<"what" | "units" | "fix">;
  "event-late": Texts<"event" | "units">;
  "event-at-points": Texts<"event" | "units">;
  "discrete-late": { outputs: string; units: string; longest: number };
  "policy-port-unusable": Texts<"policy" | "port" | "problem" | "fix">;
  "guard-unfit": { missing: readonly string[]; extra: readonly string[] };
  "guard-without-policies": Record<string, never>;
  "policies-idle": Texts<"master">;
  "own-step-longer": { unit: string; own: number; what: string; size: number; fix: string };
  "trigger-ignored": Texts<"master">;
  "events-mixed": Texts<"from" | "to" | "master">;
  "events-at-step-ends": Texts<"from" | "master" | "what">;
  "event-driven-nested": Texts<"name">;
  "structure-changes": Record<string, never>;
  "structure-condition-master": Texts<"condition" | "master">;
  "structure-late": Texts<"rule" | "unit">;
  "zero-delay-cycle": { cycle: readonly string[] };
  "event-driven-declared": { declared: readonly string[] };
  "event-driven-unit": Texts<"unit" | "input">;
  "unit-step-too-long": { unit: string; own: number; common: number; master: string };
  "fault-off-grid": { name: string; what: string; step: number; units: string };
  "fault-at-points": { name: string; condition: string; step: number };
}

export const PLAN_DIAGNOSTICS: RulesFor<PlanParams> = rulesFrom<PlanParams>({
  "step-missing": {
    rule: "A fixed-step master needs a communication step.",
    message: "the scenario gives no step, and no unit prefers one",
    fix: "add 'experiment: { step: 0.01 }' or run with --step 0.01",
  },
  "steps-incommensurable": {
    rule: "The steps of all units are whole multiples of one common step.",
    message: (p) => `the steps ${p.steps} have no common step`,
    fix: "choose steps that are whole multiples of each other, such as 1 ms and 10 ms",
  },
  "nested-step": {
    rule: "The step of a nested scenario divides the step it takes outside.",
    message: (p) =>
      `'${p.unit}' works inside with steps of ${p.inner} s, which do not fill a step of ${p.outer} s`,
    fix: "make the outer step a whole multiple of the inner one, or omit the inner one",
  },
  "master-unknown": {
    rule: "The master is one that Cosimo has.",
    message: (p) => `there is no master '${p.name}'`,
    fix: (p) => (p.nearest === undefined ? `one of ${p.known}` : `did you mean '${p.nearest}'?`),
  },
  "order-incomplete": {
    rule: "A given order names every unit once.",
    message: (p) => p.problem,
    fix: "list every unit once, or omit the order",
  },
  "approximation-unknown": {
    rule: "An input approximation is one that Cosimo has.",
    message: (p) => `there is no approximation '${p.name}'`,
    fix: (p) => `one of ${p.known}`,
  },
  "approximation-ignored": {
    severity: "warning",
    rule: "An input approximation suits its input and its unit.",
    message: (p) => `'${p.input}' is held: ${p.approximation} does not apply because ${p.why}`,
    fix: "remove the approximation, or use a unit that can follow it",
  },
  "quadratic-without-rollback": {
    severity: "warning",
    rule: "Quadratic extrapolation learns its first slopes from a step that is tried and rolled back.",
    message: (p) =>
      `quadratic extrapolation starts with held inputs because ${p.units} cannot save and restore the state: its error falls with the square of the step, not with the cube`,
    fix: "use 'approximation: linear', which has the same order, or FMUs with canGetAndSetFMUstate",
  },
  "micro-steps-invalid": {
    rule: "The number of micro-steps is a whole number, at least 1.",
    message: (p) => `a step cannot be divided into ${p.given} micro-steps`,
    fix: "write a whole number, such as 'microSteps: 10'",
  },
  "loop-not-numeric": {
    rule: "An algebraic loop consists of numbers.",
    message: (p) => `'${p.port}' is part of the algebraic loop ${p.loop} but is not a number`,
    fix: "break the loop there: a unit without feed-through, or a delay",
  },
  "loop-delayed": {
    severity: "warning",
    rule: "A fixed-step explicit master solves algebraic loops at initialization and breaks them by a delay while stepping.",
    message: (p) =>
      `the algebraic loop ${p.loop} is broken at ${p.delayed}: values there may be one step older than elsewhere`,
    fix: "check that the step is small against the loop's dynamics, or give one of the units an output without feed-through",
  },
  "master-need-unmet": {
    rule: "Every unit can do what the chosen master needs.",
    message: (p) => `${p.master} needs ${p.need}: ${p.detail}`,
    fix: "change the unit, its step or the master",
  },
  "conversion-unsupported": {
    rule: "A connection moves values between types that can hold each other.",
    message: (p) => `${p.connection}: ${p.from} cannot feed ${p.to}`,
    fix: "connect ports of the same type",
  },
  "master-option-unknown": {
    rule: "The options of a master are those that it has.",
    message: (p) => `the master '${p.master}' has no option '${p.name}'`,
    fix: (p) => (p.nearest === undefined ? "remove it" : `did you mean '${p.nearest}'?`),
  },
  "master-option-invalid": {
    rule: "An option of the master has a value that it can take.",
    message: (p) => `'${p.name}: ${p.given}' does not fit`,
    fix: (p) => p.wanted,
  },
  "policy-port-unusable": {
    rule: "Policies set tunable parameters, all of them the same ones.",
    message: (p) => `policy '${p.policy}' cannot set '${p.port}': ${p.problem}`,
    fix: (p) => p.fix,
  },
  "guard-unfit": {
    rule: "A guard was made for the policies that it guards.",
    message: (p) =>
      [
        ...(p.missing.length > 0
          ? [`the guard names policies that the master does not have: ${p.missing.join(", ")}`]
          : []),
        ...(p.extra.length > 0 ? [`the guard does not name ${p.extra.join(", ")}`] : []),
      ].join("; "),
    fix: "give both the same names, or make a new guard with a matrix for every policy",
  },
  "guard-without-policies": {
    rule: "A guard needs policies to choose from.",
    message: "there is a guard, but the master has no policies",
    fix: "add 'policies: { quick: { set: … }, careful: { set: … } }', or remove the guard",
  },
  "policies-idle": {
    severity: "warning",
    rule: "Policies, and a guard over them, belong to a master that decides at run time.",
    message: (p) =>
      `'${p.master}' makes no decisions: the policies and their guard are not used, and parameters stay as they are`,
    fix: "use 'adaptive', or remove the policies",
  },
  "trigger-ignored": {
    rule: "Triggers of connections are followed by the master 'event-driven' alone.",
    message: (p) =>
      `'${p.master}' exchanges at every communication point, so the trigger of this connection has no effect`,
    fix: "take 'master: event-driven', or remove 'every' and 'when'",
  },
  "events-at-step-ends": {
    severity: "warning",
    rule: "Events of units without event mode reach their targets at their instants where both can react there; others are late under masters with common steps.",
    message: (p) =>
      p.what === "recorded"
        ? `'${p.master}' takes common steps, and a row shows all units at one time, so events of '${p.from}' are in the row at the end of the step in which they occur, several of one step as one: steps do not end at what is only recorded, because that would be another run`
        : `'${p.master}' takes common steps, and not all units that are concerned can react at an instant, so events of '${p.from}' arrive, and are recorded, at the end of the step in which they occur, and several of one step as one`,
    fix: "take 'master: event-driven', or shorter steps; the summary counts events sent and received",
  },
  "events-mixed": {
    rule: "A clock and an event without one reach each other where both units can react at an instant.",
    message: (p) =>
      `one of '${p.from}' and '${p.to}' is a clock and the other one is an event without one, which '${p.master}' cannot deliver to each other`,
    fix: "use 'master: event-driven'",
  },
  "event-driven-nested": {
    rule: "A scenario inside another one has common steps.",
    message: (p) =>
      `'${p.name}' is a unit of another scenario, whose steps 'event-driven' cannot take`,
    fix: "give it another master, or list its units in the scenario around it",
  },
  "structure-changes": {
    rule: "Scenarios whose structure changes are run and checked; all else needs one structure.",
    message: "the structure of this scenario changes, and one plan cannot describe it",
    fix: "make a scenario of its own for the structure in question",
  },
  "structure-condition-master": {
    rule: "Without common steps, a condition of the structure is about one scalar output, and a value.",
    message: (p) =>
      `'${p.condition}' cannot be watched under the master '${p.master}', whose units are at different times: it is not about one scalar output alone`,
    fix: "compare an output with a value, use 'at', or use another master",
  },
  "structure-late": {
    severity: "warning",
    rule: "A rule of the structure takes effect at its time, unless a unit takes steps of one size only.",
    message: (p) =>
      `${p.rule}: it takes effect at the first communication point from there on, because '${p.unit}' takes steps of one size only`,
    fix: "choose a time that is a communication point",
  },
  "zero-delay-cycle": {
    severity: "warning",
    rule: "On every cycle of events between units some unit has a delay.",
    message: (p) =>
      `events may go round ${[...p.cycle, p.cycle[0]].map((name) => `'${name}'`).join(" → ")} without time passing: none of these units has a delay`,
    fix: "give one of them a delay, or make sure that the cascade ends; a run ends after 'maxEventRounds' rounds at one instant",
  },
  "event-driven-unit": {
    rule: "Refused steps are repeated by masters with common steps.",
    message: (p) =>
      `'${p.unit}' may refuse a step because of '${p.input}' at its end, which needs a master with common steps`,
    fix: (p) =>
      `use another master; or omit the adaptation, and exchange where a level is crossed: { from: a.x, to: ${p.unit}.u, when: a.x > 21 }`,
  },
  "event-driven-declared": {
    rule: "Events, constraints, bonds and limits belong to masters with common steps.",
    message: (p) =>
      `'event-driven' has no common steps, so it cannot follow ${p.declared.map((key) => `'${key}'`).join(", ")}`,
    fix: "remove them, or take the master 'adaptive'",
  },
  "unit-step-too-long": {
    rule: "A master that decides at run time has one communication step for all units; a unit may take shorter steps inside it.",
    message: (p) =>
      `'${p.unit}' has steps of ${p.own} s, but the ${p.master} master communicates every ${p.common} s`,
    fix: "omit the unit's step, make it shorter, or use a fixed-step master for multi-rate, with faults at multiples of the units' steps only",
  },
  "fault-off-grid": {
    rule: "A fault acts exactly at its instants, which takes units that can end a step there.",
    message: (p) =>
      `the fault '${p.name}' ${p.what}, and ${p.units} cannot end a step of ${p.step} s there`,
    fix: "choose instants at multiples of the step, or units that take steps of any size and, for events, can go back (FMUs with canHandleVariableCommunicationStepSize, canGetAndSetFMUstate)",
  },
  "fault-at-points": {
    severity: "warning",
    rule: "The condition of a fault is located where it compares an output with a number or another output, under a master that locates events.",
    message: (p) =>
      `'${p.condition}' of the fault '${p.name}' is evaluated where values are exchanged (every ${p.step} s), so the fault may begin that much later`,
    fix: "compare an output with a number, under a master with common steps; or take a shorter step",
  },
  "own-step-longer": {
    severity: "warning",
    rule: "A unit gets steps and micro-steps no shorter than its internal ones; otherwise it does not notice inputs in between.",
    message: (p) =>
      `'${p.unit}' declares internal steps of ${p.own} s but gets ${p.what} of ${p.size} s: it cannot follow inputs that change faster, and coupling that relies on it is explicit`,
    fix: (p) => p.fix,
  },
  "constraint-needs-iteration": {
    rule: "A constraint between units is held by iterating the step.",
    message: (p) => `the ${p.master} master cannot hold '${p.constraint}'`,
    fix: "use 'master: iterative', or 'master: { name: adaptive, coupling: iterative }'",
  },
  "loop-without-rollback": {
    rule: "Units whose step is repeated can roll back to its start.",
    message: (p) =>
      `${p.units} cannot save and restore the state, but ${p.loop} must be iterated: ${p.how}`,
    fix: "use an FMU with canGetAndSetFMUstate, or accept an explicit exchange in this loop: 'master: { fallback: explicit }' (one-step-old values, a smaller stable step)",
  },
  "loop-explicit": {
    severity: "warning",
    rule: "A loop that is not iterated is named.",
    message: (p) =>
      `${p.loop} is not iterated because ${p.units} cannot save and restore the state: its inputs are extrapolated, as with gauss-seidel`,
    fix: "check the result with half the step, or use FMUs that can roll back",
  },
  "rejection-without-rollback": {
    rule: "Steps can be rejected only where all units can roll back.",
    message: (p) =>
      `'rejection: pessimistic' rejects steps, but ${p.units} cannot save and restore the state`,
    fix: "use 'rejection: auto' (a step that was too long is kept, the next one is shorter), or FMUs with canGetAndSetFMUstate",
  },
  "estimator-without-rollback": {
    rule: "An error estimate that repeats steps needs units that can roll back.",
    message: (p) =>
      `'estimator: ${p.estimator}' takes every step more than once, but ${p.units} cannot save and restore the state`,
    fix: "use 'estimator: milne', which compares with predictions and takes every step once",
  },
  "estimator-blind": {
    rule: "An error estimate has something to measure.",
    message: (p) => `'estimator: ${p.estimator}' has nothing to measure: ${p.what}`,
    fix: (p) => p.fix,
  },
  "limit-without-rollback": {
    rule: "A signal's change in a step is limited by rejecting steps.",
    message: (p) =>
      `a limited difference means rejecting steps, but ${p.units} cannot save and restore the state`,
    fix: "use 'master: { name: adaptive, rejection: optimistic }' (the next step is shorter), or FMUs with canGetAndSetFMUstate",
  },
  "steps-not-constant": {
    rule: "A unit that takes steps of one size only gets steps of one size.",
    message: (p) =>
      `${p.what}, but ${p.units} can take steps of one size only (canHandleVariableCommunicationStepSize is false)`,
    fix: (p) => p.fix,
  },
  "event-late": {
    severity: "warning",
    rule: "A crossing is located by repeating steps.",
    message: (p) =>
      `'${p.event}' cannot be located exactly because ${p.units} cannot save and restore the state: steps become shorter near the level, and the run reports the delay`,
    fix: "use a smaller step, or FMUs with canGetAndSetFMUstate",
  },
  "event-at-points": {
    severity: "warning",
    rule: "A crossing is located by steps of any size.",
    message: (p) =>
      `'${p.event}' is noticed at communication points only because ${p.units} can take steps of one size only; the run reports the delay`,
    fix: "use a smaller step, or FMUs with canHandleVariableCommunicationStepSize",
  },
  "discrete-late": {
    severity: "warning",
    rule: "With adaptive steps, the change of a discrete output is located by rolling steps back.",
    message: (p) =>
      `changes of ${p.outputs} cannot be located because ${p.units} cannot roll back: they are noticed up to one step late, and no step is longer than ${p.longest} s`,
    fix: "use a smaller step, or FMUs with canGetAndSetFMUstate",
  },
});

export type PlanReport = ReportFor<PlanParams>;
