/**
 * The message about a run that diverges: what was seen, where, and what may help, judged by how the
 * scenario was coupled.
 */
import { type Diagnostic, diagnose, type RulesFor } from "../base/diagnostic.ts";
import { iterates } from "../model/masters.ts";
import type { Scenario } from "../model/scenario.ts";
import { placeOf } from "../model/scenario-ports.ts";
import type { Plan } from "../plan/plan.ts";
import type { Divergence } from "./divergence-monitor.ts";

interface DivergenceParams {
  "run-diverges": {
    signal: string;
    since: number;
    factor: number;
    time: number;
    hasLevelled: boolean;
    advice: string;
  };
  "run-no-number": { signal: string; unit: string; time: number; advice: string };
}

export const DIVERGENCE_DIAGNOSTICS: RulesFor<DivergenceParams> = {
  "run-diverges": {
    severity: "warning",
    rule: "Signals in a loop of units do not grow without bounds.",
    text: ({ signal, since, factor, time, hasLevelled, advice }) => ({
      message: hasLevelled
        ? `the coupling diverged, until something held it: changes of '${signal}' grew ${growthText(factor)} from t=${round(since)} to t=${round(time)}, and stayed that large`
        : `the coupling diverges: changes of '${signal}' grow ${growthText(factor)} since t=${round(since)}` +
          ` (noticed at t=${round(time)})`,
      fix: advice,
    }),
  },
  "run-no-number": {
    severity: "warning",
    rule: "Signals between units, and what is recorded of them, are numbers.",
    text: ({ signal, unit, time, advice }) => ({
      message: `'${signal}' is NaN from here on (noticed at t=${round(time)})`,
      fix: `check what '${unit}' receives before that, or ask its supplier why; ${advice}`,
    }),
  },
};

export function divergenceDiagnostic(
  finding: Divergence,
  plan: Plan,
  scenario: Scenario,
): Diagnostic {
  const { signal, time } = finding;
  const advice = adviceFor(finding, plan, scenario);
  const connection =
    finding.connection === undefined ? undefined : scenario.connections[finding.connection];
  const place = connection?.place ?? placeOf(scenario);
  if (finding.kind === "growth") {
    const { since = 0, factorPerSecond: factor = 1, hasLevelled = false } = finding;
    const params = { signal, since, factor, time, hasLevelled, advice };
    return diagnose(DIVERGENCE_DIAGNOSTICS, "run-diverges", params, place);
  }
  const unit = scenario.units[finding.unit].name;
  return diagnose(DIVERGENCE_DIAGNOSTICS, "run-no-number", { signal, unit, time, advice }, place);
}

/** What to try, the likeliest first. */
function adviceFor({ connection }: Divergence, plan: Plan, scenario: Scenario): string {
  const tries: string[] = [];
  const settings = plan.coupling?.settings;
  const isIterated = settings !== undefined && iterates(settings);
  if (!isIterated) {
    if (plan.master === "jacobi") tries.push("another order (--master gauss-seidel)");
    tries.push("iterate (--master iterative)");
  } else {
    const order = Math.max(0, ...(plan.coupling?.inputs.map((input) => input.order) ?? []));
    if (order > 0) tries.push(heldInputs(order));
  }
  if (settings?.control === undefined)
    tries.push(`a smaller step (--step ${round(plan.step / 2)})`);
  else tries.push("a smaller tolerance");
  const bond = scenario.bonds.find(({ effort, flow }) => [effort, flow].includes(connection ?? -1));
  if (bond === undefined && scenario.bonds.length === 0)
    tries.push("a bond where power flows between the units ('bonds:')");
  else if (bond?.preserve === "nothing")
    tries.push(`'preserve: energy' on the bond '${bond.name}'`);
  const [last, ...others] = tries.toReversed();
  return (
    `try ${others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`}; ` +
    "'cosimo stability spectral' gives the largest stable step. If the system itself grows like that, nothing is wrong"
  );
}

/**
 * Iterated steps: how stable they are on a spring depends on the input trajectories (rule IT24).
 */
function heldInputs(order: number): string {
  const why =
    order === 1
      ? "linear input trajectories are unstable on a spring with ωH > 2√3, where H is the step"
      : "quadratic input trajectories amplify undamped oscillations";
  return `inputs held at the value of the end of the step ('approximation: hold'; ${why})`;
}

function growthText(factor: number): string {
  return factor < 1e6
    ? `${factor.toPrecision(3)} times per second`
    : "faster than a million times per second";
}

function round(value: number): number {
  return Number(value.toPrecision(6));
}
