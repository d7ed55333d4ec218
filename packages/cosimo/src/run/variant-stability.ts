/**
 * The stability of variants of one scenario: its units are opened and identified once, then the
 * one-step map of every variant says whether deviations grow. A variant is refused only on proof:
 * every unit has to be what its model says, which leaves out units that are not linear and those
 * that cannot be asked.
 */
import { unwrap } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { compilePlan } from "../plan/compile.ts";
import { identifyUnit, StepRefused, type UnitModel } from "../stability/identify.ts";
import { NoPlan, oneStepMap } from "../stability/one-step-map.ts";
import { probeUnits } from "../stability/operating-point.ts";
import { radiusOf } from "../stability/spectrum.ts";
import { grows } from "../stability/sweep.ts";
import type { RunnableScenario } from "./simulate-scenario.ts";

export interface VariantStability {
  /** Of one tick; absent: not known, and `why` says why. */
  readonly radius?: number;
  readonly isUnstable: boolean;
  readonly why?: string;
}

/** Units that differ by more from their models prove nothing. */
const MOST_ERROR = 1e-5;
const MOST_CURVATURE = 1e-3;

export interface VariantStabilityOptions {
  /** Between pieces of work; a promise is awaited. */
  readonly onProgress?: (fraction: number, doing: string) => void | Promise<void>;
}

/**
 * @param variants of `runnable.scenario`: the same units, otherwise coupled.
 * @throws UnitError when a unit fails.
 */
export async function variantStability(
  runnable: RunnableScenario,
  variants: readonly Scenario[],
  { onProgress }: VariantStabilityOptions = {},
): Promise<VariantStability[]> {
  const { scenario } = runnable;
  const compiled = unwrap(compilePlan(scenario, { record: [], statistics: () => false }));
  const opened = await runnable.open(scenario, compiled.plan);
  const models: UnitModel[] = [];
  try {
    await onProgress?.(0, "initializing the units");
    const step = scenario.experiment.step ?? compiled.plan.step;
    const probes = probeUnits({ scenario, plan: compiled.plan, units: opened.units });
    for (const [u, probe] of probes.entries()) {
      await onProgress?.(0, `looking at '${probe.unit.name}'`);
      const seconds = scenario.units[u].step ?? step;
      models.push(identifyUnit(probe, { seconds, method: "auto" }));
    }
    const found: VariantStability[] = [];
    for (const [v, variant] of variants.entries()) {
      await onProgress?.(v / variants.length, `variant ${v + 1}`);
      const other = otherUnit(scenario, variant);
      found.push(
        other === undefined
          ? stabilityOf(variant, models)
          : { isUnstable: false, why: `'${other}' has other adaptations` },
      );
    }
    return found;
  } finally {
    for (const model of models) model.dispose();
    opened.close();
  }
}

/** One that is not as it was looked at. */
function otherUnit(given: Scenario, variant: Scenario): string | undefined {
  const written = ({ source }: Scenario["units"][number]): string =>
    JSON.stringify(source, (key, value) =>
      key === "place" ? undefined : typeof value === "bigint" ? String(value) : value,
    );
  return variant.units.find(
    (unit, u) => given.units[u] === undefined || written(unit) !== written(given.units[u]),
  )?.name;
}

function stabilityOf(variant: Scenario, models: readonly UnitModel[]): VariantStability {
  const unknown = (why: string): VariantStability => ({ isUnstable: false, why });
  if (variant.bonds.some(({ preserve }) => preserve === "energy"))
    return unknown("the correction of energy is not linear");
  const { step } = variant.experiment;
  if (step === undefined) return unknown("it has no step");
  try {
    const map = oneStepMap({ scenario: variant, models, master: variant.master, step, delay: 0 });
    const radius = radiusOf(map);
    const doubtful = models
      .map((model) => model.facts())
      .find(({ error, curvature }) => !(error < MOST_ERROR && curvature < MOST_CURVATURE));
    if (doubtful !== undefined)
      return { radius, ...unknown(`'${doubtful.unit}' is not what a linear model says`) };
    return { radius, isUnstable: grows(radius) };
  } catch (error) {
    if (error instanceof NoPlan || error instanceof StepRefused) return unknown(error.message);
    throw error;
  }
}
