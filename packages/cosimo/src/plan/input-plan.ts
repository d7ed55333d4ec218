/**
 * How every connected input gets its value over a step: held, extrapolated from its past, or
 * interpolated to the end of the step; through input derivatives where the unit takes them, through
 * micro-steps where it does not. What is held is the value at the end of the step where the source
 * goes first and the input is not declared delayed, else that of the start (decision 14).
 */
import type { Approximation, Connection, Scenario } from "../model/scenario.ts";
import { portAt } from "../model/scenario-ports.ts";
import { followsInput } from "../model/unit-description.ts";
import { connectedKind } from "../model/unit-kind.ts";
import { isCoupled } from "./master-needs.ts";
import type { PlanReport } from "./plan-diagnostics.ts";

export interface InputPlan {
  readonly connection: number;
  readonly approximation: Approximation;
  /** How a value that varies within a step reaches the unit. */
  readonly through: "write" | "slopes" | "micro-steps";
  /** The newest of its source's values that the unit's step uses: of its start or of its end. */
  readonly takes: "start" | "end";
}

/** Degree of the trajectory over a step. */
export const DEGREES: Readonly<Record<Approximation, 0 | 1 | 2>> = {
  hold: 0,
  linear: 1,
  quadratic: 2,
  "extrapolated-interpolation": 1,
  interpolation: 1,
};

export interface InputPlanOptions {
  readonly ticks: readonly number[];
  /** Position of every unit in the sequence; undefined: all at once (jacobi). */
  readonly position?: readonly number[];
  readonly approximation: Approximation;
}

/** One entry per connection. */
export function planInputs(
  scenario: Scenario,
  options: InputPlanOptions,
  report: PlanReport,
): InputPlan[] {
  const plans = scenario.connections.map((connection, c): InputPlan => {
    const wanted = wantedApproximation(scenario, connection, options);
    const target = scenario.units[connection.to.unit];
    const port = target.description.ports[connection.to.port];
    const kind = connectedKind(scenario, connection);
    const takes = kind !== "delayed" && goesFirst(connection, options) ? "end" : "start";
    const hold: InputPlan = { connection: c, approximation: "hold", through: "write", takes };
    if (wanted === "hold") return hold;
    const refuse = (why: string): InputPlan => {
      // Only a request of the author is worth a warning.
      if (connection.approximation !== undefined) {
        const params = { input: `${target.name}.${port.name}`, approximation: wanted, why };
        report("approximation-ignored", params, connection.place);
      }
      return hold;
    };
    if (port.type !== "float64" && port.type !== "float32")
      return refuse("only reals vary within a step");
    if (port.variability !== "continuous")
      return refuse("a discrete input changes at communication points only");
    if (wanted === "interpolation" && !goesFirst(connection, options))
      return refuse("its source is not advanced before it in every step");
    const { inputDerivativeOrder, variableStep } = target.description.capabilities;
    const follows = followsInput(target.description, port);
    const varies = {
      connection: c,
      approximation: wanted,
      takes: wanted === "interpolation" ? ("end" as const) : ("start" as const),
    };
    if (follows && inputDerivativeOrder >= DEGREES[wanted]) return { ...varies, through: "slopes" };
    if (variableStep) return { ...varies, through: "micro-steps" };
    return refuse("the unit takes neither input derivatives nor steps of another size");
  });
  return withoutMixedWays(scenario, plans);
}

/**
 * Slopes hold from one `advance` to the next: a unit with micro-steps gets no slopes for others.
 */
function withoutMixedWays(scenario: Scenario, plans: readonly InputPlan[]): InputPlan[] {
  const unitOf = (plan: InputPlan): number => scenario.connections[plan.connection].to.unit;
  const inParts = new Set(plans.filter((p) => p.through === "micro-steps").map(unitOf));
  return plans.map((plan) =>
    plan.through === "slopes" && inParts.has(unitOf(plan))
      ? { ...plan, through: "micro-steps" }
      : plan,
  );
}

/** What the author says; otherwise reactive inputs are interpolated where the order allows it. */
function wantedApproximation(
  scenario: Scenario,
  connection: Connection,
  options: InputPlanOptions,
): Approximation {
  if (connection.approximation !== undefined) return connection.approximation;
  const { from, to } = connection;
  const port = portAt(scenario, to);
  const { variability } = portAt(scenario, from);
  // A source that jumps is constant between its jumps.
  if (variability !== "continuous") return "hold";
  const isReactive = connectedKind(scenario, connection) === "reactive";
  if (isReactive && goesFirst(connection, options)) return "interpolation";
  return isCoupled(port) ? options.approximation : "hold";
}

/** Whether the source is advanced before the unit in every step of the unit. */
export function goesFirst(
  { from, to }: Connection,
  { position, ticks }: Pick<InputPlanOptions, "position" | "ticks">,
): boolean {
  if (position === undefined) return false;
  return position[from.unit] < position[to.unit] && ticks[to.unit] % ticks[from.unit] === 0;
}
