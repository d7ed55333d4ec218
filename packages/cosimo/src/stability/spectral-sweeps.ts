/**
 * Every master over a range of steps: which of them differ at all, their spectral radii, and where
 * these pass 1.
 */
import { StepRefused } from "./identify.ts";
import { type MapRequest, NoPlan, oneStepMap } from "./one-step-map.ts";
import type { MasterVariant } from "./spectral-masters.ts";
import {
  type Eigenvalue,
  moduliOf,
  movingRadius,
  NONE,
  radiusOf,
  reduceMaps,
  spectrumOf,
} from "./spectrum.ts";
import type { OneStepMap } from "./stepped-plan.ts";
import { findLimits, grows, type Sweep, type SweepRange, sweepSteps } from "./sweep.ts";

export interface MasterReport {
  readonly label: string;
  readonly isChosen: boolean;
  /**
   * Of the one-step map at the scenario's step; absent: there is no such plan, and `reason` says
   * why.
   */
  readonly radius?: number;
  /** What of a deviation one step takes away: 1 - radius. */
  readonly margin?: number;
  /** The same radius without modes that stay, where there are such. */
  readonly moving?: number;
  readonly isStable?: boolean;
  /** Of largest modulus first, over a period of the plan. */
  readonly eigenvalues: readonly Eigenvalue[];
  /** Ticks of a period; 1 unless units have steps of their own. */
  readonly ticks: number;
  readonly reason?: string;
  readonly sweep?: Sweep;
}

export type MapFor = (
  variant: MasterVariant,
  step: number,
  gain?: { readonly connection: number; readonly factor: number },
) => OneStepMap;

/**
 * How many maps of a master show which entries of its state matter. The first is that of the
 * shortest step, when nothing is gone yet.
 */
const FULL_MAPS = 2;

/**
 * Maps of a scenario; once it is known which entries of a master's state matter, only these are
 * computed.
 */
export function mapsOf(common: Pick<MapRequest, "scenario" | "models" | "delay">): MapFor {
  const known = new Map<MasterVariant, { full: number; entries: ReadonlySet<number> }>();
  return (variant, step, gain) => {
    const seen = known.get(variant) ?? { full: 0, entries: new Set<number>() };
    // With a delay the entries depend on the step.
    const isKnown = seen.full >= FULL_MAPS && common.delay === 0;
    const map = oneStepMap({
      ...common,
      master: variant.draft,
      step,
      ...(gain === undefined ? {} : { gain }),
      ...(isKnown ? { entries: [...seen.entries].sort((a, b) => a - b) } : {}),
    });
    if (!isKnown) {
      const { entries } = reduceMaps([map])[0];
      const all = new Set([...seen.entries, ...entries]);
      known.set(variant, { full: seen.full + 1, entries: all });
    }
    return map;
  };
}

/**
 * Two masters with the same eigenvalues at several steps are one: an order that makes no
 * difference, an input trajectory that is not used.
 */
const SAME_MODULUS = 1e-7;
/** Of more orders that differ, the best and the worst are shown. */
const MOST_ORDERS = 4;

type Moduli = readonly number[] | undefined;

export interface ChosenVariants {
  readonly variants: readonly MasterVariant[];
  readonly notes: readonly string[];
}

/** @param steps a few that distinguish variants, the shortest first. */
export function distinctVariants(
  variants: readonly MasterVariant[],
  mapFor: MapFor,
  steps: readonly number[],
): ChosenVariants {
  const kept: { variant: MasterVariant; moduli: readonly Moduli[] }[] = [];
  for (const variant of variants) {
    const moduli = steps.map((step) => unlessRefused(() => moduliOf(mapFor(variant, step))));
    const isKnown = kept.some(
      (other) => moduli.some((one) => one !== undefined) && isSame(moduli, other.moduli),
    );
    if (!isKnown) kept.push({ variant, moduli });
  }
  const isOrder = ({ variant: { draft, isChosen } }: (typeof kept)[number]): boolean =>
    draft.name === "gauss-seidel" && draft.options["approximation"] === undefined && !isChosen;
  const orders = kept.filter(isOrder);
  if (orders.length <= MOST_ORDERS)
    return { variants: kept.map(({ variant }) => variant), notes: [] };
  const sorted = orders.toSorted((a, b) => reach(a.moduli) - reach(b.moduli));
  const shown = new Set([sorted[0], sorted.at(-1)]);
  return {
    variants: kept.filter((one) => !isOrder(one) || shown.has(one)).map(({ variant }) => variant),
    notes: [
      `${orders.length} orders of the units differ; those with the smallest and the largest radius at ${steps.at(-1)} s are shown`,
    ],
  };
}

function isSame(moduli: readonly Moduli[], others: readonly Moduli[]): boolean {
  return moduli.every((one, k) => {
    const other = others[k];
    if (one === undefined || other === undefined) return one === other;
    const length = Math.max(one.length, other.length);
    const at = (list: readonly number[], i: number): number => {
      const modulus = list[i] ?? 0;
      return modulus < NONE ? 0 : modulus;
    };
    for (let i = 0; i < length; i++)
      if (!(Math.abs(at(one, i) - at(other, i)) < SAME_MODULUS)) return false;
    return true;
  });
}

/** The largest modulus at the longest step. */
function reach(moduli: readonly Moduli[]): number {
  return moduli.at(-1)?.[0] ?? 0;
}

function unlessRefused<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof StepRefused || error instanceof NoPlan) return undefined;
    throw error;
  }
}

const SHOWN_EIGENVALUES = 8;

/** @throws StepRefused when a unit does not take `step`. */
export async function analyseMaster(
  variant: MasterVariant,
  mapFor: MapFor,
  step: number,
  range: SweepRange,
  onProgress: (fraction: number) => void | Promise<void>,
): Promise<MasterReport> {
  const { label, isChosen } = variant;
  let map: OneStepMap;
  try {
    map = mapFor(variant, step);
  } catch (error) {
    if (!(error instanceof NoPlan)) throw error;
    return { label, isChosen, eigenvalues: [], ticks: 1, reason: error.message };
  }
  const radius = radiusOf(map);
  const moving = movingRadius(map);
  const radiusAt = (seconds: number): number | undefined =>
    unlessRefused(() => radiusOf(mapFor(variant, seconds)));
  const steps = sweepSteps(range);
  const radii: (number | undefined)[] = [];
  for (const [k, seconds] of steps.entries()) {
    await onProgress(k / steps.length);
    radii.push(radiusAt(seconds));
  }
  return {
    label,
    isChosen,
    radius,
    margin: 1 - radius,
    ...(moving === radius ? {} : { moving }),
    isStable: !grows(radius),
    eigenvalues: spectrumOf(reduceMaps([map])[0]).slice(0, SHOWN_EIGENVALUES),
    ticks: map.ticks,
    sweep: findLimits(steps, radii, radiusAt),
  };
}
