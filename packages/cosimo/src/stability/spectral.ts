/**
 * The stability of a scenario under masters with fixed steps: spectral radii of the one-step maps of their plans, who drives them, up to
 * which step they stay below 1, and what follows from that for whoever has to choose.
 */
import type { Scenario } from "../model/scenario.ts";
import type { Plan } from "../plan/plan.ts";
import type { Unit } from "../unit/unit.ts";
import { type IdentificationFacts, identifyUnit, StepRefused, type UnitModel } from "./identify.ts";
import { type MapRequest, NoPlan, type OneStepMap, oneStepMap } from "./one-step-map.ts";
import { probeUnits } from "./operating-point.ts";
import { spectralAdvice } from "./spectral-advice.ts";
import {
  type CouplingDriver,
  couplingDrivers,
  type UnitDriver,
  unitDrivers,
} from "./spectral-drivers.ts";
import { type JitterReport, jitterReport } from "./spectral-jitter.ts";
import { type MasterVariant, masterVariants } from "./spectral-masters.ts";
import { type Eigenvalue, radiusOf, reduceMaps, spectrumOf } from "./spectrum.ts";
import { findLimits, grows, type Sweep, type SweepRange, sweepSteps } from "./sweep.ts";

export interface SpectralOptions {
  /** Over what the scenario says. */
  readonly master?: string;
  readonly step?: number;
  /** Where the units are looked at; the start unless said. */
  readonly at?: number;
  /** Steps that are looked at; a hundredth to a hundred times the step unless said. */
  readonly range?: Partial<SweepRange>;
  /** Seconds by which outputs are late. */
  readonly delay?: number;
  /** Part of the step by which it varies. */
  readonly jitter?: number;
  /** "steps": measure units that offer derivatives, too. */
  readonly method?: "auto" | "steps";
  /** Between pieces of work; a promise is awaited. */
  readonly onProgress?: (fraction: number, doing: string) => void | Promise<void>;
}

export interface SpectralReport {
  readonly scenario: string;
  readonly step: number;
  /** Time of the operating point. */
  readonly at: number;
  readonly delay: number;
  readonly units: readonly IdentificationFacts[];
  readonly masters: readonly MasterReport[];
  /** Of the chosen master. */
  readonly drivers: {
    readonly units: readonly UnitDriver[];
    readonly couplings: readonly CouplingDriver[];
  };
  readonly jitter?: JitterReport;
  readonly notes: readonly string[];
  readonly advice: readonly string[];
}

export interface MasterReport {
  readonly label: string;
  readonly isChosen: boolean;
  /** Of the one-step map at the scenario's step; absent: there is no such plan, and `reason` says why. */
  readonly radius?: number;
  readonly isStable?: boolean;
  /** Of largest modulus first, over a period of the plan. */
  readonly eigenvalues: readonly Eigenvalue[];
  /** Ticks of a period; 1 unless units have steps of their own. */
  readonly ticks: number;
  readonly reason?: string;
  readonly sweep?: Sweep;
}

const SWEPT = 100;
const PER_DECADE = 12;
const SHOWN_EIGENVALUES = 8;

/**
 * @param plan of the scenario without events, for which `units`, freshly instantiated, were opened.
 * @throws StepRefused when a unit does not take the scenario's own step.
 */
export async function analyseSpectrum(
  scenario: Scenario,
  plan: Plan,
  units: readonly Unit[],
  options: SpectralOptions = {},
): Promise<SpectralReport> {
  const { at, method = "auto", delay = 0, onProgress } = options;
  const step = options.step ?? scenario.experiment.step ?? plan.step;
  const given: Scenario = { ...scenario, experiment: { ...scenario.experiment, step } };
  await onProgress?.(0, "initializing the units");
  const probes = probeUnits({ scenario: given, plan, units, ...(at === undefined ? {} : { at }) });
  const models: UnitModel[] = [];
  for (const [u, probe] of probes.entries()) {
    await onProgress?.(0, `looking at '${probe.unit.name}'`);
    const seconds = given.units[u]!.step ?? step;
    models.push(identifyUnit(probe, { seconds, method }));
  }
  const mapFor = mapsOf({ scenario: given, models, delay });
  const variants = masterVariants(given, options.master);
  const range = rangeOf(step, delay, options.range);
  const found: MasterReport[] = [];
  for (const [v, variant] of variants.entries()) {
    const report = (fraction: number): void | Promise<void> =>
      onProgress?.((v + fraction) / variants.length, variant.label);
    found.push(await analyseMaster(variant, mapFor, step, range, report));
  }
  const chosen = variants[0]!;
  const masters = withoutRepetition(found);
  const hasPlan = masters[0]!.radius !== undefined;
  const gainedMap = (connection: number, factor: number): OneStepMap =>
    mapFor(chosen, step, { connection, factor });
  const jitter =
    options.jitter !== undefined && hasPlan && jitterObstacles(models, delay).length === 0
      ? jitterReport((seconds) => mapFor(chosen, seconds), step, options.jitter)
      : undefined;
  const facts = {
    scenario: scenario.name,
    step,
    at: probes[0]?.home.time ?? 0,
    delay,
    units: models.map((model) => model.facts()),
    masters,
    drivers: hasPlan
      ? {
          units: unitDrivers(given, reduceMaps([mapFor(chosen, step)])[0]!),
          couplings: couplingDrivers(given, gainedMap),
        }
      : { units: [], couplings: [] },
    ...(jitter === undefined ? {} : { jitter }),
    notes: [
      ...notesOf(scenario, options),
      ...(options.jitter === undefined ? [] : jitterObstacles(models, delay)),
    ],
  };
  for (const model of models) model.dispose();
  return { ...facts, advice: spectralAdvice(facts) };
}

type MapFor = (
  variant: MasterVariant,
  step: number,
  gain?: { readonly connection: number; readonly factor: number },
) => OneStepMap;

/** How many maps of a master tell which entries of its state matter: a state that is gone after a long step is not after a short one. */
const FULL_MAPS = 2;

function mapsOf(common: Pick<MapRequest, "scenario" | "models" | "delay">): MapFor {
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
      const { entries } = reduceMaps([map])[0]!;
      known.set(variant, {
        full: seen.full + 1,
        entries: new Set([...seen.entries, ...entries]),
      });
    }
    return map;
  };
}

/** Delays of very many steps make very large maps, and say nothing new. */
const MOST_LATE = 50;

function rangeOf(step: number, delay: number, given: Partial<SweepRange> = {}): SweepRange {
  const from = given.from ?? Math.max(step / SWEPT, delay / MOST_LATE);
  const to = given.to ?? step * SWEPT;
  return { from, to: Math.max(to, from), perDecade: given.perDecade ?? PER_DECADE };
}

async function analyseMaster(
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
  const eigenvalues = spectrumOf(reduceMaps([map])[0]!);
  const radius = radiusOf(map);
  const radiusAt = (seconds: number): number | undefined => {
    try {
      return radiusOf(mapFor(variant, seconds));
    } catch (error) {
      if (error instanceof StepRefused || error instanceof NoPlan) return undefined;
      throw error;
    }
  };
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
    isStable: !grows(radius),
    eigenvalues: eigenvalues.slice(0, SHOWN_EIGENVALUES),
    ticks: map.ticks,
    sweep: findLimits(steps, radii, radiusAt),
  };
}

/** Two masters with the same radius at every step are one: an order that makes no difference, a course that is not used. */
const SAME_RADIUS = 1e-9;

function withoutRepetition(reports: readonly MasterReport[]): MasterReport[] {
  const kept: MasterReport[] = [];
  for (const report of reports) {
    const isKnown = kept.some(
      (other) =>
        report.sweep !== undefined &&
        other.sweep !== undefined &&
        report.sweep.radii.every(
          (radius, k) => Math.abs((radius ?? 0) - (other.sweep!.radii[k] ?? 0)) < SAME_RADIUS,
        ),
    );
    if (!isKnown) kept.push(report);
  }
  return kept;
}

function notesOf(
  { events, bonds, limits, master, units }: Scenario,
  options: SpectralOptions,
): string[] {
  const notes: string[] = [];
  if (events.length > 0 || units.some(({ description }) => description.ports.some((p) => p.clock)))
    notes.push("events and clocks are not part of it: this is what happens between them");
  if (bonds.some(({ preserve }) => preserve === "energy"))
    notes.push("the correction of energy is not linear and is left out");
  if (limits.length > 0) notes.push("limits on the step are left out: all steps are of one size");
  if ((options.master ?? master.name) === "adaptive")
    notes.push(
      "'adaptive' is looked at with fixed steps; changing steps are another question: cosimo stability jsr",
    );
  return notes;
}

/** Why steps that vary cannot be looked at. */
function jitterObstacles(models: readonly UnitModel[], delay: number): string[] {
  const stiff = models.filter(({ mayVary }) => !mayVary).map((model) => `'${model.facts().unit}'`);
  if (stiff.length > 0)
    return [`steps that vary: ${stiff.join(", ")} can take steps of one size only`];
  if (delay > 0)
    return ["steps that vary: not together with a delay, which is counted in steps of one size"];
  return [];
}
