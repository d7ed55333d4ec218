/**
 * The variants of a scenario as texts, plans and schedules: which of them can be executed, what
 * they cost, and which are proved unstable.
 */
import { hasErrors } from "../../base/diagnostic.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import type { Trust } from "../../host/trust.ts";
import { iterates } from "../../model/masters.ts";
import type { Scenario } from "../../model/scenario.ts";
import { communicationStep, type Plan } from "../../plan/plan.ts";
import { planRun } from "../../run/plan-run.ts";
import { editScenario, multiRates } from "../../search/variants/edit-scenario.ts";
import { unheededText } from "../../search/variants/heeded.ts";
import {
  type OperationSchedule,
  obstacleText,
  scheduleOf,
} from "../../search/variants/operation-schedule.ts";
import { decisionsOf, type SearchSpace, type Variant } from "../../search/variants/space.ts";

export interface PreparedVariant {
  readonly variant: Variant;
  readonly text: string;
  /** Absent where there is no plan. */
  readonly schedule?: OperationSchedule;
  /** Steps of all units together. */
  readonly cost: number;
  /** Why it is not run. */
  readonly obstacle?: string;
}

export interface PrepareRequest {
  readonly path: string;
  readonly text: string;
  readonly trust: Trust;
  readonly folder: string;
}

export async function prepareVariant(
  space: SearchSpace,
  variant: Variant,
  { path, text: written, trust, folder }: PrepareRequest,
): Promise<PreparedVariant> {
  const decided = decisionsOf(space, variant);
  const { text, problems } = editScenario(written, decided, { withReasons: false });
  const refused = (obstacle: string, schedule?: OperationSchedule): PreparedVariant => ({
    variant,
    text,
    cost: Number.POSITIVE_INFINITY,
    obstacle,
    ...(schedule && { schedule }),
  });
  const [problem] = problems;
  if (problem !== undefined) return refused(problem);
  const loaded = await loadScenario(path, trust, folder, text);
  const wrong = loaded.diagnostics.find(({ severity }) => severity === "error");
  if (loaded.value === undefined) return refused(wrong?.message ?? "it cannot be read");
  const { scenario } = loaded.value;
  const planned = planRun(scenario, {});
  const mistake = planned.diagnostics.find(({ severity }) => severity === "error");
  if (planned.value === undefined || hasErrors(planned.diagnostics))
    return refused(mistake?.message ?? "it has no plan");
  const { compiled } = planned.value;
  const schedule = scheduleOf(scenario, compiled);
  const obstacle = obstacleText(schedule) ?? unheededText(scenario, compiled, decided);
  if (obstacle !== undefined) return refused(obstacle, schedule);
  const cost = costOf(scenario, compiled.plan, multiRates(decided));
  return { variant, text, schedule, cost };
}

/** Steps that an iterating master repeats at least. */
const REPEATED = 2;

/** Steps of all units over the experiment. */
function costOf(
  { experiment, units }: Scenario,
  plan: Plan,
  rates: ReadonlyMap<string, number>,
): number {
  const { start = 0, stop = start + 1 } = experiment;
  const settings = plan.coupling?.settings;
  const times = settings !== undefined && iterates(settings) ? REPEATED : 1;
  // Where units are driven step by step, those with shorter steps take them within the common one.
  return units.reduce((sum, { name, step = Number.POSITIVE_INFINITY }, u) => {
    const own = Math.min(step, communicationStep(plan, u)) / (rates.get(name) ?? 1);
    return sum + (times * (stop - start)) / own;
  }, 0);
}
