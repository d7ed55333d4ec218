/**
 * A study from its first run to its last: the points of a design, or those that a search wants to
 * know next. Runs have numbers in the order in which they are wanted, and a run whose row is known
 * already is not made again; so a study that goes on is the study from its beginning, with most
 * answers at hand.
 */
import type { Factor, StudyPoint } from "../../model/study.ts";
import { designPoints, runCount } from "../../search/studies/designs.ts";
import { levelAt, middleLevel } from "../../search/studies/factor-levels.ts";
import { optimizerNamed } from "../../search/studies/optimizers/by-name.ts";
import { leastSquares } from "../../search/studies/optimizers/least-squares.ts";
import { isBetter, type Score } from "../../search/studies/optimizers/score.ts";
import type { StudyJournal } from "./journal.ts";
import type { PreparedStudy } from "./prepare-study.ts";
import type { StudyWorkers } from "./study-pool.ts";
import { isCompleted, type StudyRow, type StudyRun } from "./study-protocol.ts";

export interface DrivenStudy {
  /** By number. */
  readonly rows: readonly StudyRow[];
  /** How many runs there would be; of a search, at most. */
  readonly count: number;
  /** All that was wanted is there. */
  readonly isWhole: boolean;
  readonly found?: FoundPoint;
}

/** What a search found. */
export interface FoundPoint {
  readonly run: number;
  readonly point: StudyPoint;
  /** Of the goal: the value, or the sum of squares. */
  readonly value: number;
  readonly isFeasible: boolean;
  readonly why: "converged" | "runs" | "failed";
  /** Of a calibration: standard deviations of the factors. */
  readonly deviations?: readonly number[];
}

export interface DriveOptions {
  readonly workers: StudyWorkers;
  readonly journal: StudyJournal;
  readonly isStopped: () => boolean;
  readonly onRow: (row: StudyRow, done: number, count: number) => void;
}

export function plannedRuns({ study, factors }: PreparedStudy): number {
  const { design, goal } = study;
  return design === undefined ? (goal?.optimizer.runs ?? 0) : runCount(factors, design);
}

export async function driveStudy(
  prepared: PreparedStudy,
  options: DriveOptions,
): Promise<DrivenStudy> {
  const { study, factors } = prepared;
  const count = plannedRuns(prepared);
  const driver = new Driver(options, count);
  if (study.design !== undefined) {
    const isWhole = (await driver.ask(designPoints(factors, study.design))) !== undefined;
    return { rows: driver.rows(), count, isWhole };
  }
  const found =
    study.goal?.kind === "calibrate"
      ? await calibrate(prepared, driver)
      : await optimize(prepared, driver);
  return { rows: driver.rows(), count, isWhole: found !== undefined, ...(found && { found }) };
}

class Driver {
  private readonly options: DriveOptions;
  private readonly count: number;
  private readonly wanted: StudyRow[] = [];
  private numbers = 0;

  constructor(options: DriveOptions, count: number) {
    this.options = options;
    this.count = count;
  }

  /** The rows that were asked for and are there. */
  rows(): StudyRow[] {
    return this.wanted.toSorted((a, b) => a.run - b.run);
  }

  /** @returns their rows, in the order of the points; undefined where some are missing. */
  async ask(points: Iterable<StudyPoint>): Promise<StudyRow[] | undefined> {
    const { journal, workers, isStopped, onRow } = this.options;
    const rows: StudyRow[] = [];
    const take = (row: StudyRow): void => {
      rows.push(row);
      this.wanted.push(row);
      onRow(row, this.wanted.length, this.count);
    };
    const begin = this.numbers;
    const missing = function* (this: Driver): Generator<StudyRun> {
      for (const point of points) {
        const run = this.numbers++;
        const known = journal.rows.get(run);
        if (known === undefined) yield { run, point };
        else take(known);
      }
    }.bind(this)();
    await workers.run(missing, (row) => {
      journal.append(row);
      take(row);
    });
    // After a request to stop: rows that are there count all the same.
    for (const _ of missing);
    const isWhole = rows.length === this.numbers - begin && !isStopped();
    return isWhole ? rows.sort((a, b) => a.run - b.run) : undefined;
  }
}

/** From the unit cube to levels. */
function levelsOf(factors: readonly Factor[], point: Float64Array): StudyPoint {
  return factors.map((factor, f) => levelAt(factor, point[f] ?? 0.5));
}

/** Where a search begins, in the unit cube. */
function startOf(factors: readonly Factor[]): Float64Array {
  return Float64Array.from(factors, (factor) => {
    if (factor.start === undefined || factor.levels.kind === "list") return 0.5;
    const { from = 0, to = 1 } = factor.levels.parameters;
    const isLog = factor.levels.name === "log-uniform";
    const [low, high, at] = isLog
      ? [Math.log(from), Math.log(to), Math.log(middleLevel(factor))]
      : [from, to, middleLevel(factor)];
    return Math.min(1, Math.max(0, (at - low) / (high - low)));
  });
}

async function optimize(prepared: PreparedStudy, driver: Driver): Promise<FoundPoint | undefined> {
  const { study, factors } = prepared;
  const { goal } = study;
  if (goal === undefined || goal.kind === "calibrate" || goal.optimizer.method === "least-squares")
    throw new Error("internal: there is nothing to optimize");
  const { method, runs, seed, tolerance } = goal.optimizer;
  const score = scoring(prepared);
  const search = optimizerNamed(method)({ start: startOf(factors), runs, seed, tolerance });
  let best: { row: StudyRow; score: Score } | undefined;
  let turn = search.next();
  while (turn.done !== true) {
    const rows = await driver.ask(turn.value.map((point) => levelsOf(factors, point)));
    if (rows === undefined) return undefined;
    const scores = rows.map(score);
    for (const [i, row] of rows.entries()) {
      const one = scores[i] as Score;
      if (best === undefined || isBetter(one, best.score)) best = { row, score: one };
    }
    turn = search.next(scores);
  }
  if (best === undefined) return undefined;
  const sign = goal.kind === "maximize" ? -1 : 1;
  return {
    run: best.row.run,
    point: best.row.point,
    value: sign * best.score.value,
    isFeasible: best.score.violation === 0,
    why: turn.value.why,
  };
}

/** What the goal and the constraints make of a row; less is better. */
function scoring({ study, columns }: PreparedStudy): (row: StudyRow) => Score {
  const { goal } = study;
  if (goal === undefined || goal.kind === "calibrate") throw new Error("internal: no goal");
  const { of: what } = goal;
  const sign = goal.kind === "maximize" ? -1 : 1;
  const places = columns.flatMap(({ kind, name }, c) => {
    if (what.kind === "measure") return kind === "measure" && name === what.measure.name ? [c] : [];
    const { requirement } = what;
    const isWanted = requirement === undefined || name === `robustness of ${requirement}`;
    return kind === "robustness" && isWanted ? [c] : [];
  });
  const constraints = columns.flatMap(({ kind }, c) => (kind === "constraint" ? [c] : []));
  return (row) => {
    const failed: Score = { violation: Number.POSITIVE_INFINITY, value: Number.NaN };
    if (!isCompleted(row)) return failed;
    // Of several requirements the least robust one counts.
    const value = sign * Math.min(...places.map((c) => row.values[c] ?? Number.NaN));
    const violation = constraints.reduce((sum, c) => sum + Math.max(0, -(row.values[c] ?? 0)), 0);
    return Number.isNaN(value) || Number.isNaN(violation) ? failed : { violation, value };
  };
}

async function calibrate(prepared: PreparedStudy, driver: Driver): Promise<FoundPoint | undefined> {
  const { study, factors } = prepared;
  const { runs = 0, tolerance = 0 } = study.goal?.optimizer ?? {};
  const search = leastSquares({ start: startOf(factors), runs, tolerance });
  let best: { row: StudyRow; sum: number } | undefined;
  let turn = search.next();
  while (turn.done !== true) {
    const rows = await driver.ask(turn.value.map((point) => levelsOf(factors, point)));
    if (rows === undefined) return undefined;
    for (const row of rows) {
      const sum = row.residuals?.reduce((all, one) => all + one * one, 0) ?? Number.NaN;
      if (best === undefined || sum < best.sum) best = { row, sum };
    }
    turn = search.next(rows.map(({ residuals }) => residuals && Float64Array.from(residuals)));
  }
  if (best === undefined) return undefined;
  const { why, deviations } = turn.value;
  return {
    run: best.row.run,
    point: best.row.point,
    value: best.sum,
    isFeasible: why !== "failed",
    why,
    // From the unit cube to the unit of the factor, where it is.
    deviations: factors.map(
      (factor, f) => (deviations[f] ?? Number.NaN) * slopeOf(factor, best.row.point[f] ?? 0),
    ),
  };
}

/** Change of the level per change in the unit interval. */
function slopeOf({ levels }: Factor, level: number): number {
  if (levels.kind === "list") return Number.NaN;
  const { from = 0, to = 0 } = levels.parameters;
  return levels.name === "log-uniform" ? level * Math.log(to / from) : to - from;
}
