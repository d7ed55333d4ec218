/**
 * How every connected input gets its value over a step: held, extrapolated from its past, or interpolated to the end of the
 * step; through input derivatives where the unit takes them, through micro-steps where it does not. What is held is the value of
 * the end of the step where the source goes first and the input is not declared delayed, else that of the start (decision 14).
 */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import type { Approximation, Connection, Scenario } from "../model/scenario.ts";
import { followsInput } from "../model/unit-description.ts";
import { connectedKind } from "../model/unit-kind.ts";
import { isCoupled } from "./master-needs.ts";
import { PLAN_DIAGNOSTICS } from "./plan-diagnostics.ts";

export interface InputPlan {
  readonly connection: number;
  readonly approximation: Approximation;
  /** How a unit is told of a value that varies within its step. */
  readonly through: "write" | "slopes" | "micro-steps";
  /** The last of its source's values that the step of the unit knows: that of its start, or that of its end. */
  readonly takes: "start" | "end";
}

const ORDER: Readonly<Record<Approximation, number>> = {
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
  report: (diagnostic: Diagnostic) => void,
): InputPlan[] {
  const plans = scenario.connections.map((connection, c): InputPlan => {
    const wanted = wantedApproximation(scenario, connection, options);
    const target = scenario.units[connection.to.unit];
    const port = target.description.ports[connection.to.port];
    const kind = connectedKind(scenario, connection);
    const takes = kind !== "delayed" && goesFirst(connection, options) ? "end" : "start";
    const hold: InputPlan = { connection: c, approximation: "hold", through: "write", takes };
    if (wanted === "hold") return hold;
    const name = `${target.name}.${port.name}`;
    const refuse = (why: string): InputPlan => {
      // Only what somebody asked for is worth a word.
      if (connection.approximation !== undefined) {
        report(
          diagnose(
            PLAN_DIAGNOSTICS,
            "approximation-ignored",
            { input: name, approximation: wanted, why },
            connection.place,
          ),
        );
      }
      return hold;
    };
    if (port.type !== "float64" && port.type !== "float32")
      return refuse("only reals vary within a step");
    if (port.variability !== "continuous")
      return refuse("a discrete input changes at communication points only");
    if (wanted === "interpolation" && !goesFirst(connection, options)) {
      return refuse("its source is not advanced before it in every step");
    }
    const { inputDerivativeOrder, variableStep } = target.description.capabilities;
    const follows = followsInput(target.description, port);
    const varies = {
      connection: c,
      approximation: wanted,
      takes: wanted === "interpolation" ? ("end" as const) : ("start" as const),
    };
    if (follows && inputDerivativeOrder >= ORDER[wanted]) return { ...varies, through: "slopes" };
    if (variableStep) return { ...varies, through: "micro-steps" };
    return refuse("the unit takes neither input derivatives nor steps of another size");
  });
  return withoutMixedWays(scenario, plans);
}

/** Slopes hold from one `advance` to the next, so a unit that goes in micro-steps gets all its varying inputs that way. */
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
  const { to } = connection;
  const port = scenario.units[to.unit].description.ports[to.port];
  const { variability } =
    scenario.units[connection.from.unit].description.ports[connection.from.port];
  // A source that jumps and stays leads nowhere between its jumps.
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
