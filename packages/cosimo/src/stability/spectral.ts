/**
 * The stability of a scenario under masters with fixed steps: spectral radii of the one-step maps
 * of their plans, who drives them, up to which step they stay below 1, and what follows from that
 * for the choice of master and step.
 */
import type { Scenario } from "../model/scenario.ts";
import type { Plan } from "../plan/plan.ts";
import type { Unit } from "../unit/unit.ts";
import { type IdentificationFacts, identifyUnit, type UnitModel } from "./identify.ts";
import { stateMap } from "./one-step-map.ts";
import { probeUnits } from "./operating-point.ts";
import { seconds, spectralAdvice } from "./spectral-advice.ts";
import {
  type CouplingDriver,
  couplingDrivers,
  type UnitDriver,
  unitDrivers,
} from "./spectral-drivers.ts";
import { type JitterReport, jitterReport } from "./spectral-jitter.ts";
import { type MapCandidate, type NamedMap, namedMaps } from "./spectral-maps.ts";
import { type MasterVariant, masterVariants } from "./spectral-masters.ts";
import {
  analyseMaster,
  distinctVariants,
  type MapFor,
  type MasterReport,
  mapsOf,
} from "./spectral-sweeps.ts";
import { radiusOf, reduceMaps } from "./spectrum.ts";
import type { SweepRange } from "./sweep.ts";

export interface SpectralOptions {
  /** Over what the scenario says. */
  readonly master?: string;
  readonly step?: number;
  /** Where the units are linearized; default: the start. */
  readonly at?: number;
  /** Steps that are analysed; default: a hundredth to a hundred times the step. */
  readonly range?: Partial<SweepRange>;
  /** Seconds by which outputs are late. */
  readonly delay?: number;
  /** Part of the step by which it varies. */
  readonly jitter?: number;
  /** "steps": measure units that offer derivatives, too. */
  readonly method?: "auto" | "steps";
  /**
   * Step sizes whose maps are wanted, of all masters that carry no past; none: the scenario's step.
   */
  readonly maps?: readonly number[];
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
  /**
   * Where they were asked for: one-step maps over the states of all units, in the order of
   * `states`.
   */
  readonly maps?: readonly NamedMap[];
  readonly notes: readonly string[];
  readonly advice: readonly string[];
}

const SWEPT = 100;
const PER_DECADE = 12;

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
    models.push(identifyUnit(probe, { seconds: given.units[u].step ?? step, method }));
  }
  const context: Context = { scenario: given, models, delay, step };
  const mapFor = mapsOf(context);
  const range = rangeOf(step, delay, options.range);
  const all = masterVariants(given, options.master);
  const { variants, notes } = distinctVariants(all, mapFor, [range.from, step, 3 * step]);
  const masters: MasterReport[] = [];
  for (const [v, variant] of variants.entries()) {
    const report = (fraction: number): void | Promise<void> =>
      onProgress?.((v + fraction) / variants.length, variant.label);
    masters.push(await analyseMaster(variant, mapFor, step, range, report));
  }
  const planned = variants.filter((_, v) => masters[v].radius !== undefined);
  const chosen = planned.find(({ isChosen }) => isChosen);
  const maps = options.maps && mapsOfAll(context, planned, mapFor, options.maps);
  const facts = {
    scenario: scenario.name,
    step,
    at: probes[0]?.home.time ?? 0,
    delay,
    units: models.map((model) => model.facts()),
    masters,
    drivers: chosen ? driversOf(context, chosen, mapFor) : { units: [], couplings: [] },
    ...(chosen ? jitterOf(context, chosen, mapFor, options) : {}),
    ...(maps === undefined ? {} : { maps: maps.maps }),
    notes: [
      ...notes,
      ...notesOf(scenario, options),
      ...(options.jitter === undefined ? [] : jitterObstacles(context)),
      ...(maps === undefined || maps.without.length === 0
        ? []
        : maps.without.map(
            (label) => `no map of '${label}': it carries more than states of units`,
          )),
    ],
  };
  for (const model of models) model.dispose();
  return { ...facts, advice: spectralAdvice(facts) };
}

interface Context {
  readonly scenario: Scenario;
  readonly models: readonly UnitModel[];
  readonly delay: number;
  readonly step: number;
}

function driversOf(
  { scenario, step }: Context,
  chosen: MasterVariant,
  mapFor: MapFor,
): SpectralReport["drivers"] {
  return {
    units: unitDrivers(scenario, reduceMaps([mapFor(chosen, step)])[0]),
    couplings: couplingDrivers(scenario, (connection, factor) =>
      mapFor(chosen, step, { connection, factor }),
    ),
  };
}

function jitterOf(
  context: Context,
  chosen: MasterVariant,
  mapFor: MapFor,
  { jitter }: SpectralOptions,
): Pick<SpectralReport, "jitter"> {
  if (jitter === undefined || jitterObstacles(context).length > 0) return {};
  return { jitter: jitterReport((length) => mapFor(chosen, length), context.step, jitter) };
}

function mapsOfAll(
  context: Context,
  variants: readonly MasterVariant[],
  mapFor: MapFor,
  steps: readonly number[],
): ReturnType<typeof namedMaps> {
  const candidates = variants.flatMap((variant) =>
    (steps.length > 0 ? steps : [context.step]).map((length): MapCandidate => {
      const request = { ...context, master: variant.draft, step: length };
      const { ticks } = mapFor(variant, length);
      return {
        master: variant.label,
        name: `${variant.label}, ${seconds(length)}`,
        matrix: stateMap(request),
        radius: radiusOf(mapFor(variant, length)) ** ticks,
      };
    }),
  );
  return namedMaps(candidates);
}

/** Delays of very many steps make very large maps, and say nothing new. */
const MOST_LATE = 20;

function rangeOf(step: number, delay: number, given: Partial<SweepRange> = {}): SweepRange {
  const from = given.from ?? Math.max(step / SWEPT, delay / MOST_LATE);
  const to = given.to ?? step * SWEPT;
  return { from, to: Math.max(to, from), perDecade: given.perDecade ?? PER_DECADE };
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
  if ((options.master ?? master.name) !== "adaptive") return notes;
  notes.push(
    "'adaptive' is analysed with fixed steps; changing steps are another question: cosimo stability jsr",
  );
  const careful = Object.keys(master.options["policies"] ?? {}).at(-1);
  if (careful !== undefined)
    notes.push(
      `units are as the policy '${careful}' sets them; what sequences of policies do is another question: cosimo stability stabilize`,
    );
  return notes;
}

/** Why steps that vary cannot be analysed. */
function jitterObstacles({ models, delay }: Context): string[] {
  const stiff = models.filter(({ mayVary }) => !mayVary).map((model) => `'${model.facts().unit}'`);
  if (stiff.length > 0)
    return [`steps that vary: ${stiff.join(", ")} can take steps of one size only`];
  if (delay > 0)
    return ["steps that vary: not together with a delay, which is counted in steps of one size"];
  return [];
}
