/**
 * How a run ended, as a value of a closed union. A model that stops early is an outcome, not an
 * exception.
 */

/** A failed call with all that a person needs to ask the unit's supplier about it. */
export interface UnitFailure {
  readonly unit: string;
  /** The call that failed, in the backend's own words ("fmi2DoStep"). */
  readonly call: string;
  /** Its status in the backend's own words ("fmi2Error"), or the signal that ended the process. */
  readonly status: string;
  readonly time: number;
  /** What is wrong, as a sentence, where call and status alone do not say it. */
  readonly problem?: string;
  /** The unit's own log, newest last. */
  readonly log: readonly string[];
}

/** The signal that needs steps shorter than allowed. */
export interface SmallerSteps {
  readonly signal: string;
  /** Its error against the tolerance, or its change against a limit. */
  readonly reason: "error" | "difference";
  /** By what factor that was too large with steps of `step`. */
  readonly over: number;
  readonly step: number;
  /** The event that the scenario declares there. */
  readonly declared?: string;
}

export type Outcome = { readonly time: number; readonly steps: number } & (
  | { readonly kind: "completed" }
  | { readonly kind: "cancelled" }
  /** The run was sound, and took longer than it was given. */
  | { readonly kind: "timed-out" }
  /** The unit asked to end the simulation (FMI: terminateSimulation). */
  | { readonly kind: "stopped-by-unit"; readonly unit: string }
  /** A unit's call failed; nothing after `time` is known. */
  | { readonly kind: "failed"; readonly failure: UnitFailure }
  /**
   * The unit refused every step from `time` on, however small; or no allowed step is short enough.
   */
  | { readonly kind: "stalled"; readonly unit: string; readonly asks?: SmallerSteps }
  /** The units of a loop did not agree on a step from `time` on, whatever was tried. */
  | {
      readonly kind: "diverged";
      /** The units of the loop. */
      readonly loop: readonly string[];
      /** What was tried, in order. */
      readonly methods: readonly string[];
      /** Residuals of the last method, relative to nominal values. */
      readonly residuals: readonly number[];
      /** Inputs that are farthest from agreement, worst first. */
      readonly worst: readonly string[];
      /** Size of the last step that was tried. */
      readonly step: number;
    }
  /** Signals between units diverged, and the run was to end there. */
  | {
      readonly kind: "unstable";
      /** What was seen, and what may help. */
      readonly message: string;
      readonly advice: string;
    }
  /** A requirement was violated whatever would come, and the run was to end there. */
  | { readonly kind: "violated"; readonly requirement: string }
  /** The process that held the units died inside `failure.call`. */
  | { readonly kind: "crashed"; readonly failure: UnitFailure }
  /** No unit is to blame: the system refused something, or the mistake is ours. */
  | { readonly kind: "aborted"; readonly reason: string }
);

/** One line for people; `failed` and `crashed` end with the unit's own words. */
export function explainOutcome(outcome: Outcome): string {
  const at = `t=${outcome.time}`;
  switch (outcome.kind) {
    case "completed":
      return `completed at ${at}`;
    case "cancelled":
      return `cancelled at ${at}; what was recorded is kept`;
    case "timed-out":
      return `stopped at ${at}, when the time allowed by --timeout was over; what was recorded is kept`;
    case "stopped-by-unit":
      return `'${outcome.unit}' ended the simulation at ${at}`;
    case "diverged": {
      const { loop, methods, residuals, worst, step } = outcome;
      const history = residuals.map((residual) => residual.toExponential(1)).join(", ");
      return (
        `the loop of ${loop.map((unit) => `'${unit}'`).join(", ")} does not converge at ${at} with steps of ${step} s ` +
        `(tried ${methods.join(", ")}); worst at ${worst.join(", ")}\n  residuals: ${history}\n` +
        "  try a smaller step, a larger tolerance or more iterations, and check the signs of the connections"
      );
    }
    case "aborted":
      return `${outcome.reason} (at ${at}; what was recorded is kept)`;
    case "violated":
      return `stopped at ${at}, where '${outcome.requirement}' is violated; what was recorded is kept`;
    case "unstable":
      return `stopped at ${at}: ${outcome.message}\n  fix: ${outcome.advice}`;
    case "stalled":
      if (outcome.asks !== undefined) return explainSmallerSteps(at, outcome.unit, outcome.asks);
      return `'${outcome.unit}' accepts no step from ${at} on; try a smaller --step or ask its supplier why`;
    case "failed":
    case "crashed": {
      const { unit, call, status, log, problem } = outcome.failure;
      const verb = outcome.kind === "failed" ? "returned" : "ended with";
      const said = log.map((line) => `\n  ${unit}: ${line}`).join("");
      // Some FMUs keep the reason to themselves unless all of their logging is on.
      const silent = outcome.kind === "failed" && log.length === 0 && call.startsWith("fmi");
      const hint = silent ? "; it gave no reason, with --debug it may say more" : "";
      return `'${unit}' failed at ${at}: ${problem ?? `${call} ${verb} ${status}${hint}`}${said}`;
    }
  }
}

function explainSmallerSteps(at: string, unit: string, asks: SmallerSteps): string {
  const { signal, reason, over, step, declared } = asks;
  if (!Number.isFinite(over))
    return `'${signal}', which '${unit}' determines, is NaN after ${at}, even with steps of ${step} s; check the inputs of '${unit}' there, or ask its supplier why`;
  const what =
    reason === "error"
      ? `the error of '${signal}', which '${unit}' determines, is ${over.toPrecision(2)} times what the tolerance allows`
      : `'${signal}' changes by ${over.toPrecision(2)} times what its limit allows`;
  const how =
    reason === "error"
      ? declared === undefined
        ? "loosen the tolerance, allow a smaller minStep, or declare the event that happens there ('events')"
        : `the event '${declared}' is declared there; loosen the tolerance, or allow a smaller minStep`
      : "raise the limit, or allow a smaller minStep";
  return `no step from ${at} on is short enough: with steps of ${step} s ${what}; ${how}`;
}

/** Thrown by a unit when a failed call ends the run; the engine turns it into an outcome. */
export class UnitError extends Error {
  readonly failure: UnitFailure;
  constructor(failure: UnitFailure) {
    super(
      `'${failure.unit}' ${failure.call}: ${failure.problem ?? failure.status}${failure.log.map((l) => `\n  ${l}`).join("")}`,
    );
    this.name = "UnitError";
    this.failure = failure;
  }
}

/**
 * Thrown by a unit in a process of its own, or on another computer, that is not there any more. The
 * others are whole.
 */
export class UnitLost extends UnitError {
  constructor(failure: UnitFailure) {
    super(failure);
    this.name = "UnitLost";
  }
}
