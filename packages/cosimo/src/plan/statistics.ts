/**
 * The numbers about a run that are recorded like signals, one row each. Columns, their units and
 * descriptions, the reference page and the check of `record` follow from these tables, and the
 * engine cannot write a name that is not here: a new statistic is one row, and one `put` where its
 * value is known.
 */
import { iterates } from "../model/masters.ts";
import type { MasterSettings } from "./master-settings.ts";
import type { PolicyPlan } from "./policies.ts";

/** Why a step was rejected; in the trace, the place in this list, from 1. */
export const REJECTION_REASONS = [
  "error",
  "no convergence",
  "unit",
  "event",
  "difference",
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** What decides which statistics a run has. */
interface StatisticsRequest {
  readonly settings: MasterSettings;
  readonly policies?: PolicyPlan;
}

/** When a statistic is recorded: in words for the reference, and as a condition. */
export const STATISTIC_OCCASIONS: Readonly<Record<Occasion, StatisticOccasion>> = {
  always: { text: "always", holds: () => true },
  iterative: {
    text: "where units are iterated",
    holds: ({ settings }) => iterates(settings),
  },
  policies: { text: "with policies", holds: ({ policies }) => policies !== undefined },
  guard: { text: "with a guard", holds: ({ policies }) => policies?.guard !== undefined },
  adaptive: {
    text: "with adaptive steps",
    holds: ({ settings }) => settings.control !== undefined,
  },
  // Plans of fixed-step masters have it too, so the plan itself makes room for it.
  request: {
    text: "under every master, with `--stop-on-divergence` or where `record` names it",
    holds: () => false,
  },
  // The same.
  events: { text: "under every master, where an event or a clock is recorded", holds: () => false },
};
type Occasion = "always" | "iterative" | "policies" | "guard" | "adaptive" | "request" | "events";
interface StatisticOccasion {
  readonly text: string;
  readonly holds: (request: StatisticsRequest) => boolean;
}

interface StatisticRow {
  readonly unit?: string;
  readonly description: string;
  readonly when: Occasion;
  /** There is one for every unit as well, `<name>.<unit>`; its description. */
  readonly ofUnit?: string;
}

/** Of masters that decide at run time; columns have this order. */
export const MASTER_STATISTICS = {
  "master.step": { unit: "s", description: "size of the last step", when: "always" },
  "master.iterations": { description: "iterations of the last step", when: "iterative" },
  "master.residual": {
    description: "disagreement that was left, relative to nominal values",
    when: "iterative",
  },
  "master.policy": { description: "policy of the last step, from 1", when: "policies" },
  "master.guard": { description: "node of the guard after the last step, from 1", when: "guard" },
  "master.accepted": { description: "steps so far", when: "adaptive" },
  "master.rejected": { description: "rejected steps so far", when: "adaptive" },
  "master.reason": {
    description: "why the last attempt before the step was rejected; 0: none was",
    when: "adaptive",
  },
  "master.error": {
    description: "estimated error of the last step, relative to the tolerance",
    when: "adaptive",
    ofUnit: "the same for the signals that this unit determines",
  },
  "master.growth": {
    unit: "1/s",
    description: "rate at which the changes of coupled signals grow",
    when: "request",
  },
  "master.index": {
    description: "index of superdense time: what happens at one time, one after the other",
    when: "events",
  },
} as const;
export type MasterStatistic = keyof typeof MASTER_STATISTICS;

/** What the values of a column mean, where they are numbers of something. */
const MEANINGS: {
  readonly [Name in MasterStatistic]?: (request: StatisticsRequest) => readonly string[];
} = {
  "master.policy": ({ policies }) => (policies?.policies ?? []).map(({ name }) => name),
  "master.reason": () => REJECTION_REASONS,
};

/** Of every bond, `bond.<name>.<statistic>`. */
export const BOND_STATISTICS = {
  power: "power that the exchange made over the last step",
  energy: "energy that the exchange made so far",
} as const;
type BondStatistic = keyof typeof BOND_STATISTICS;

/**
 * What a master counts over a whole run: its summary, which `--json` prints, and the reference page
 * have a number for each row.
 */
export const SUMMARY_COUNTS = {
  steps: "steps that were accepted",
  iterations: "iterations beyond the first evaluation of every step",
  advances: "calls of `advance` on units",
  events: "instants at which something happened: crossings, events of units, ticks of clocks",
} as const;
export type SummaryCount = keyof typeof SUMMARY_COUNTS;
export const SUMMARY_COUNT_NAMES: readonly SummaryCount[] = Object.keys(
  SUMMARY_COUNTS,
) as SummaryCount[];

/** What it adds up for every bond, in the units of effort times flow times seconds. */
export const BOND_SUMS = {
  transferred: "energy that arrived at the unit with the flow",
  moved: "the same without signs: how much went to and fro",
  made: "what the exchange made in steps that made energy",
  lost: "what it lost in steps that lost energy",
} as const;
export type BondSum = keyof typeof BOND_SUMS;
export const BOND_SUM_NAMES: readonly BondSum[] = Object.keys(BOND_SUMS) as BondSum[];

export const GROWTH_COLUMN: MasterStatistic = "master.growth";
export const INDEX_COLUMN: MasterStatistic = "master.index";

export interface StatisticInfo {
  readonly name: string;
  readonly unit?: string;
  readonly description: string;
}

const ROWS: readonly (readonly [MasterStatistic, StatisticRow])[] = Object.entries(
  MASTER_STATISTICS,
) as [MasterStatistic, StatisticRow][];

/** Those that a run with these settings records, in the order of their columns. */
export function masterStatistics(
  request: StatisticsRequest,
  units: readonly string[],
): StatisticInfo[] {
  return ROWS.filter(([, { when }]) => STATISTIC_OCCASIONS[when].holds(request)).flatMap(
    ([name, { ofUnit }]) => {
      const { description, ...info } = statisticInfo(name);
      const meanings = MEANINGS[name]?.(request).map((meaning, k) => `${k + 1} ${meaning}`);
      return [
        { ...info, description: [description, ...(meanings ?? [])].join(", ") },
        ...(ofUnit === undefined ? [] : units.map((unit) => unitStatistic(name, unit))),
      ];
    },
  );
}

export function statisticInfo(name: MasterStatistic): StatisticInfo {
  const { unit, description }: StatisticRow = MASTER_STATISTICS[name];
  return { name, description, ...(unit === undefined ? {} : { unit }) };
}

/** The statistic of one unit. */
export function unitStatistic(name: MasterStatistic, unit: string): StatisticInfo {
  const { ofUnit, description }: StatisticRow = MASTER_STATISTICS[name];
  return { name: `${name}.${unit}`, description: ofUnit ?? description };
}

export function bondStatistic(bond: string, statistic: BondStatistic): StatisticInfo {
  return { name: `bond.${bond}.${statistic}`, description: BOND_STATISTICS[statistic] };
}

/**
 * Every name that some run of a scenario with these units and bonds may record: what `record` may
 * name.
 */
export function statisticNames(units: readonly string[], bonds: readonly string[]): string[] {
  const ofMasters = ROWS.flatMap(([name, { ofUnit }]) => [
    name,
    ...(ofUnit === undefined ? [] : units.map((unit) => `${name}.${unit}`)),
  ]);
  const ofBonds = bonds.flatMap((bond) =>
    Object.keys(BOND_STATISTICS).map((statistic) => `bond.${bond}.${statistic}`),
  );
  return [...ofMasters, ...ofBonds];
}
