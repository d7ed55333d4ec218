/**
 * Runs a scenario whose structure changes: a sequence of plans. A rule ends the plan at its
 * instant; units that persist go on as they are (engine/living-unit.ts), units that are added begin
 * with what is transferred to them and are initialized at that instant, together with the signals
 * of the new structure. Rows of all plans have one layout.
 *
 * Instants are superdense: the last row of a structure and the first one of the next have the same
 * time. After a change the rules are asked again before time goes on, in the order in which they
 * are written, so that a change may cause the next one.
 */

import { DiagnosticsError } from "../base/diagnostic.ts";
import { type Outcome, UnitError } from "../base/outcome.ts";
import { present } from "../base/present.ts";
import type { CheckpointKeeper, RunState } from "../engine/checkpoint.ts";
import type { ConnectionEvents } from "../engine/event-counts.ts";
import { LivingUnit } from "../engine/living-unit.ts";
import type { MasterSummary } from "../engine/masters/master-summary.ts";
import type { Ending, RunPlanOptions } from "../engine/run-plan.ts";
import { MASTERS } from "../model/masters.ts";
import { isFloat } from "../model/port-value.ts";
import type { Condition, PortValue, Scenario } from "../model/scenario.ts";
import { type Banks, makeBanks } from "../model/value-type.ts";
import type { Plan } from "../plan/plan.ts";
import { SUMMARY_COUNT_NAMES, type SummaryCount } from "../plan/statistics.ts";
import { fillBanks } from "../unit/banks.ts";
import type { FaultCount, Unit } from "../unit/unit.ts";
import { executePlan } from "./execute-plan.ts";
import { faultCounts } from "./fault-counts.ts";
import { lateFailures } from "./late-failures.ts";
import type { KeptUnits } from "./open-units.ts";
import { type PlannedRun, planPart, type RunRequest } from "./plan-run.ts";
import { directionOf, ON_TICK, planState, type StructurePlan } from "./plan-structure.ts";
import { packProgress, type StructureProgress, unpackProgress } from "./structure-state.ts";
import { holds, transferredValues } from "./structure-values.ts";

export type OpenStructure = (
  scenario: Scenario,
  plan: Plan,
  kept: KeptUnits,
) => Promise<{ readonly units: readonly Unit[]; close(): readonly unknown[] }>;

type PlannedState = PlannedRun & { readonly scenario: Scenario };

/** Part of a level, or of 1, within which it counts as reached where a unit was stopped for it. */
const RESOLUTION = 1e-9;

/** Changes at one time before the rules are taken to go round in a cycle. */
const MOST_CHANGES = 100;

/** @returns how the run ended; a failing unit is an outcome, not an exception. */
export async function runStructure(
  planned: StructurePlan,
  open: OpenStructure,
  options: RunPlanOptions,
  onFaults?: (counts: readonly FaultCount[]) => void,
): Promise<Outcome> {
  const run = new StructureRun(planned, open, options);
  try {
    return await run.run();
  } finally {
    const faults = run.faults();
    if (faults.length > 0) onFaults?.(faults);
    options.onMaster?.(run.summary());
    if (run.events.length > 0) options.onEvents?.(run.events);
    const late = lateFailures(run.close(), planned.scenario.name);
    for (const diagnostic of late) options.onDivergence?.(diagnostic);
  }
}

/** Thrown out of a plan whose structure changes before its first step. */
class ChangeAtOnce extends Error {}

class StructureRun {
  private readonly planned: StructurePlan;
  private readonly open: OpenStructure;
  private readonly options: RunPlanOptions;
  private readonly banks: Banks;
  /**
   * What columns of units hold that do not exist: NaN, or 0 and empty texts where there is no NaN.
   */
  private readonly absent: Banks;
  /** By unit of the whole scenario. */
  private readonly units = new Map<number, LivingUnit>();
  private readonly closers: (() => readonly unknown[])[] = [];
  /** Rules with a time that have had their instant. */
  private readonly passed = new Set<number>();
  private readonly notes: string[] = [];
  private readonly faultsByName = new Map<string, number>();
  private readonly eventsByConnection = new Map<string, ConnectionEvents>();
  private readonly summaries: MasterSummary[] = [];
  private state = 0;
  private time: number;
  /**
   * The time of the last rule with a time: a plan may reach it to within rounding, or a step later.
   */
  private nominal: number;
  private steps = 0;
  /** The rule that ends the present plan; -1: none. */
  private due = -1;
  /** Rules that took effect at the present time, in order. */
  private changes: number[] = [];
  private changedAt = Number.NaN;
  private given = new Map<number, readonly PortValue[]>();
  /** Where the present plan began, and whether it takes what is left of a step. */
  private planStart: number;
  private isRest = false;
  /** The state of the plan that the run goes on with, until it does. */
  private resume: RunState | undefined;

  constructor(planned: StructurePlan, open: OpenStructure, options: RunPlanOptions) {
    this.planned = planned;
    this.open = open;
    this.options = options;
    this.time = planned.start;
    this.nominal = planned.start;
    this.planStart = planned.start;
    if (options.resume !== undefined) this.restore(options.resume);
    const sizes = { f64: 0, i64: 0, obj: 0 };
    for (const { bank } of planned.slots) sizes[bank]++;
    this.banks = makeBanks(sizes);
    this.absent = makeBanks(sizes);
    planned.columns.forEach(({ type }, c) => {
      const { bank, slot } = planned.slots[c];
      if (isFloat(type)) this.absent.f64[slot] = Number.NaN;
      if (bank === "obj") this.absent.obj[slot] = type === "string" ? "" : new Uint8Array();
    });
  }

  async run(): Promise<Outcome> {
    const { stop } = this.options;
    for (;;) {
      const target = this.target(stop);
      const ended = await this.phase(target);
      if (ended !== undefined) {
        if (ended.kind !== "completed" || target >= stop) return this.ended(ended);
        this.nominal = target;
        this.due = this.planned.structure.rules.findIndex(
          ({ at }, r) => at === target && this.isApplicable(r),
        );
      }
      const failure = this.change(this.due);
      if (failure !== undefined) return failure;
    }
  }

  // ---- when structures end ----------------------------------------------------------------------

  /** The earliest instant at which a rule with a time has an effect. */
  private target(stop: number): number {
    const { rules } = this.planned.structure;
    const times = rules.flatMap(({ at }, r) =>
      at !== undefined && at > Math.max(this.time, this.nominal) && this.isApplicable(r)
        ? [at]
        : [],
    );
    return Math.min(stop, ...times);
  }

  private isApplicable(r: number): boolean {
    return this.planned.structure.next[this.state][r] >= 0 && !this.passed.has(r);
  }

  /** The first rule that is due now; -1: none. */
  private findDue(tolerances: ReadonlyMap<string, number>): number {
    const { rules } = this.planned.structure;
    return rules.findIndex(({ at, when }, r) => {
      if (!this.isApplicable(r)) return false;
      if (at !== undefined) return at === this.time || at === this.nominal;
      return when.every((one) => holds(one, this.units, tolerances.get(one.text) ?? 0));
    });
  }

  // ---- one structure ----------------------------------------------------------------------------

  /**
   * Runs the present structure until `target`, in one plan or two. @returns undefined where a rule
   * ended it.
   */
  private async phase(target: number): Promise<Outcome | undefined> {
    const { stop } = this.options;
    const plain = await this.prepare({});
    const { plan } = plain.compiled;
    const isConstant = plain.scenario.units.some(
      ({ description }) => !description.capabilities.variableStep,
    );
    // The end of a run is met as in any run, unless a change has moved the communication points.
    const isUsual = target === stop && (isConstant || this.notes.length === 0);
    const end = isUsual ? target : (wholeSteps(plan, isConstant, target) ?? target);
    let isNew = true;
    if (!this.isRest && (end > this.time || end === target)) {
      const ended = await this.execute(plain, end, isNew);
      if (ended === undefined || ended.kind !== "completed") return ended;
      isNew = false;
    }
    const left = target - this.time;
    if (isUsual || !(left > ON_TICK * plan.step))
      return { kind: "completed", time: this.time, steps: 0 };
    // What is left of a step is taken by all units together.
    this.isRest = true;
    const ended = await this.execute(await this.prepare({ step: left }, true), target, isNew);
    this.isRest = false;
    return ended;
  }

  private async prepare(more: RunRequest, isRest = false): Promise<PlannedState> {
    const { request, structure } = this.planned;
    const own = isRest ? withoutSteps(this.planned) : this.planned;
    const asked = { ...request, start: this.time, ...more };
    const state = planState({ ...own, request: asked, planOne: planPart }, this.state, this.given);
    const planned = state.value;
    if (planned === undefined) throw new DiagnosticsError(state.diagnostics);
    const { units } = structure.states[this.state];
    const kept = new Map<number, Unit>();
    units.forEach((u, k) => {
      const unit = this.units.get(u);
      unit?.goOn();
      if (unit !== undefined) kept.set(k, unit);
    });
    const opened = await this.open(planned.scenario, planned.compiled.plan, kept);
    this.closers.push(opened.close);
    units.forEach((u, k) => {
      if (!this.units.has(u)) this.units.set(u, new LivingUnit(opened.units[k], this.options.stop));
    });
    return planned;
  }

  /** @param isNew the structure is new at this time: its first row is recorded. */
  private async execute(
    { compiled: { plan }, columns, scenario }: PlannedState,
    stop: number,
    isNew: boolean,
  ): Promise<Outcome | undefined> {
    const { units } = this.planned.structure.states[this.state];
    const isCoordinated = MASTERS[plan.master].coordinates === true;
    const tolerances = isCoordinated
      ? this.resolutions()
      : new Map((plan.coupling?.crossings ?? []).map(({ text, tolerance }) => [text, tolerance]));
    const places = columns.map(({ name }) => this.planned.places.get(name)!);
    const { resume } = this;
    this.planStart = this.time;
    // A plan that goes on has had its first row.
    let isFirst = resume === undefined;
    const {
      shouldStop,
      executor: _,
      onRecorded: __,
      resume: ___,
      checkpoint,
      chunk,
      ...rest
    } = this.options;
    const watches = this.watches() && !isCoordinated;
    const isChanging = (): boolean => this.due >= 0 || (watches && this.findDue(tolerances) >= 0);
    const kept = checkpoint && this.keeper(checkpoint, isChanging);
    this.resume = undefined;
    const meeting = meetingPoints(plan);
    const began = this.steps;
    try {
      const outcome = await executePlan(
        plan,
        scenario,
        units.map((u) => this.units.get(u)!),
        {
          ...rest,
          stop,
          origin: this.planned.start,
          ...(isCoordinated && { endings: this.endings(tolerances) }),
          ...present({ resume, checkpoint: kept }),
          ...(watches ? { chunk: meeting } : chunk === undefined ? {} : { chunk }),
          onMaster: (summary) => void this.summaries.push(summary),
          onEvents: (counts) => this.countEvents(counts),
          onRow: (time, banks) => {
            if (!isFirst || isNew) this.row(time, banks, plan, places);
            if (!isFirst) return;
            isFirst = false;
            this.time = time;
            this.due = isNew ? this.findDue(tolerances) : -1;
            if (this.due >= 0) throw new ChangeAtOnce();
          },
          shouldStop: (time, steps) => {
            this.time = time;
            if (watches) this.due = this.findDue(tolerances);
            return this.due >= 0 || (shouldStop?.(time, began + steps) ?? false);
          },
        },
      );
      this.given = new Map();
      this.time = outcome.time;
      this.steps += outcome.steps;
      const isCutShort = isCoordinated && outcome.kind === "completed" && outcome.time < stop;
      if (isCutShort) this.due = this.findDue(tolerances);
      return this.due >= 0 ? undefined : outcome;
    } catch (error) {
      if (!(error instanceof ChangeAtOnce)) throw error;
      this.given = new Map();
      return undefined;
    }
  }

  /**
   * Keeps the state of the present plan together with what is known besides.
   * @param isChanging whether a rule is due, after which this plan does not go on.
   */
  private keeper(checkpoint: CheckpointKeeper, isChanging: () => boolean): CheckpointKeeper {
    // Every plan offers its state once it is initialized, which only that of a run is asked for.
    let isUnasked = this.resume === undefined && this.notes.length > 0;
    return {
      get nextTime() {
        return checkpoint.nextTime;
      },
      isDue: (time) => !isChanging() && checkpoint.isDue(time),
      store: (plan) => {
        const isWanted = !isUnasked || checkpoint.isDue(plan.time);
        isUnasked = false;
        if (isWanted && !isChanging()) checkpoint.store(packProgress(plan, this.progress()));
      },
    };
  }

  private progress(): StructureProgress {
    const { state, planStart, isRest, nominal, steps, notes, changes, changedAt, events } = this;
    return {
      ...{ state, planStart, isRest, nominal, steps, notes, changes, events },
      passed: [...this.passed],
      changedAt: Number.isNaN(changedAt) ? null : changedAt,
      faults: countsOf(this.faultsByName),
      summaries: this.summaries,
    };
  }

  private restore(saved: RunState): void {
    const { plan, progress } = unpackProgress(saved);
    this.resume = plan;
    this.state = progress.state;
    this.time = progress.planStart;
    this.isRest = progress.isRest;
    this.nominal = progress.nominal;
    this.steps = progress.steps;
    this.changes = [...progress.changes];
    this.changedAt = progress.changedAt ?? Number.NaN;
    for (const rule of progress.passed) this.passed.add(rule);
    this.notes.push(...progress.notes);
    this.summaries.push(...progress.summaries);
    for (const one of progress.events) this.eventsByConnection.set(one.connection, one);
    for (const { name, activations } of progress.faults) this.faultsByName.set(name, activations);
  }

  /** How well levels are met without common steps: units stop within so much of their time. */
  private resolutions(): Map<string, number> {
    const { rules } = this.planned.structure;
    const conditions = rules.flatMap(({ when }) => when).filter((one) => this.isReal(one));
    return new Map(
      conditions.map(({ text, level }) => [text, RESOLUTION * Math.max(1, Math.abs(level))]),
    );
  }

  private isReal({ signal: { unit, port } }: Condition): boolean {
    return isFloat(this.planned.scenario.units[unit].description.ports[port].type);
  }

  /** Conditions of rules end a plan without common steps. */
  private endings(tolerances: ReadonlyMap<string, number>): Ending[] {
    const { rules, states } = this.planned.structure;
    const { units } = states[this.state];
    return rules.flatMap(({ when }, r) =>
      this.isApplicable(r)
        ? when.map((one): Ending => {
            const { port } = one.signal;
            const { level: value } = one;
            const direction = directionOf(one);
            return {
              unit: units.indexOf(one.signal.unit),
              condition: this.isReal(one)
                ? { kind: "threshold", port, value, direction }
                : { kind: "updated", port },
              isMet: () => when.every((w) => holds(w, this.units, tolerances.get(w.text) ?? 0)),
            };
          })
        : [],
    );
  }

  /** Whether conditions are watched in the present structure. */
  private watches(): boolean {
    const { rules } = this.planned.structure;
    return rules.some(({ when }, r) => when.length > 0 && this.isApplicable(r));
  }

  // ---- rows -------------------------------------------------------------------------------------

  /** @param places of the plan's columns among all. */
  private row(time: number, banks: Banks, { record }: Plan, places: readonly number[]): void {
    const { slots, exists, structure } = this.planned;
    const row = this.banks;
    fillBanks(row, this.absent);
    const { units } = structure.states[this.state];
    for (const [u, c] of exists) row.f64[slots[c].slot] = units.includes(u) ? 1 : 0;
    for (const [c, { bank, slot }] of record.columns.entries()) {
      const target = slots[places[c]].slot;
      if (bank === "f64") row.f64[target] = banks.f64[slot];
      else if (bank === "i64") row.i64[target] = banks.i64[slot];
      else row.obj[target] = banks.obj[slot];
    }
    this.options.onRow(time, row);
  }

  // ---- changes ----------------------------------------------------------------------------------

  /** @returns how the run ends, where it cannot go on. */
  private change(r: number): Outcome | undefined {
    const { structure, scenario } = this.planned;
    const rule = structure.rules[r];
    this.changes = this.changedAt === this.time ? [...this.changes, r] : [r];
    this.changedAt = this.time;
    if (this.changes.length > MOST_CHANGES) return this.endless();
    this.due = -1;
    if (rule.at !== undefined) this.passed.add(r);
    this.notes.push(`t=${this.time} (${this.changes.length}): a rule ${rule.text}`);
    try {
      this.given = transferredValues(rule, scenario, this.units);
      for (const u of rule.removed) this.remove(u);
    } catch (error) {
      if (!(error instanceof UnitError)) throw error;
      return { kind: "failed", time: this.time, steps: this.steps, failure: error.failure };
    }
    this.state = structure.next[this.state][r];
    // What stood between units goes with them.
    for (const u of [...this.units.keys()])
      if (!structure.states[this.state].units.includes(u)) this.remove(u);
    return undefined;
  }

  private remove(u: number): void {
    const unit = this.units.get(u);
    if (unit === undefined) return;
    this.countFaults(u, unit);
    this.units.delete(u);
    unit.end();
    unit.dispose();
  }

  /** A unit that comes again is a new one, with the same faults. */
  private countFaults(u: number, unit: Unit): void {
    const described = { units: [this.planned.scenario.units[u]] };
    for (const { name, activations } of faultCounts(described, [unit]) ?? [])
      this.faultsByName.set(name, (this.faultsByName.get(name) ?? 0) + activations);
  }

  /** How often each fault has acted; asked once, when the run is over. */
  faults(): readonly FaultCount[] {
    for (const [u, unit] of this.units) this.countFaults(u, unit);
    return countsOf(this.faultsByName);
  }

  /** The rules go round at one time. */
  private endless(): Outcome {
    const { rules } = this.planned.structure;
    const from = this.changes.lastIndexOf(this.changes.at(-1)!, -2);
    const cycle = this.changes.slice(Math.max(0, from));
    const texts = cycle.map((r) => `'${rules[r].text}'`).join(" → ");
    const failure = {
      unit: this.planned.scenario.name,
      call: "structure",
      status: `more than ${MOST_CHANGES} changes of the structure at one time: ${texts}`,
      time: this.time,
      problem: `more than ${MOST_CHANGES} changes of the structure at t=${this.time}: ${texts}`,
      log: [
        "fix: let conditions of rules that undo each other exclude each other, with a gap between them",
      ],
    };
    return { kind: "failed", time: this.time, steps: this.steps, failure };
  }

  private ended(how: Outcome): Outcome {
    const outcome: Outcome = { ...how, time: this.time, steps: this.steps };
    this.options.onRecorded?.(outcome);
    const isSound = outcome.kind === "completed" || outcome.kind === "cancelled";
    if (isSound) for (const unit of this.units.values()) unit.end();
    return outcome;
  }

  summary(): MasterSummary {
    const all = this.summaries;
    const sum = (of: (one: MasterSummary) => number): number =>
      all.reduce((total, one) => total + of(one), 0);
    const reasons = [...new Set(all.flatMap(({ rejections }) => rejections.map((r) => r.reason)))];
    const counts = SUMMARY_COUNT_NAMES.map((name) => [name, sum((one) => one[name])]);
    const whole = Object.fromEntries(counts) as Record<SummaryCount, number>;
    return {
      ...whole,
      steps: whole.steps || this.steps,
      rejections: reasons.map((reason) => ({
        reason,
        count: sum(({ rejections }) =>
          rejections.reduce((n, one) => n + (one.reason === reason ? one.count : 0), 0),
        ),
      })),
      bonds: all.at(-1)?.bonds ?? [],
      notes: [...this.notes, ...new Set(all.flatMap(({ notes }) => notes))],
    };
  }

  /** Events of a connection in all structures. */
  private countEvents(counts: readonly ConnectionEvents[]): void {
    for (const { connection, sent, received, atEnd } of counts) {
      const before = this.eventsByConnection.get(connection);
      this.eventsByConnection.set(connection, {
        connection,
        sent: (before?.sent ?? 0) + sent,
        received: (before?.received ?? 0) + received,
        atEnd: (before?.atEnd ?? 0) + atEnd,
      });
    }
  }

  get events(): readonly ConnectionEvents[] {
    return [...this.eventsByConnection.values()];
  }

  /** @returns what units threw. */
  close(): unknown[] {
    return this.closers.flatMap((close) => [...close()]);
  }
}

function countsOf(faults: ReadonlyMap<string, number>): FaultCount[] {
  return [...faults].map(([name, activations]) => ({ name, activations }));
}

/** Ticks between points at which all units have met. */
function meetingPoints({ units, coupling }: Plan): number {
  if (coupling !== undefined) return 1;
  return units.reduce((common, { ticks }) => leastCommon(common, Math.max(1, ticks)), 1);
}

function leastCommon(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return (a / x) * b;
}

/**
 * Where a plan with steps of one size has to end on the way to `target`: the last point before it
 * at which all units meet, or, where a unit takes steps of one size only, the first one from there
 * on.
 * @returns undefined where it is `target` itself.
 */
function wholeSteps(plan: Plan, isConstant: boolean, target: number): number | undefined {
  if (MASTERS[plan.master].coordinates || (plan.coupling !== undefined && !isConstant))
    return undefined;
  const meeting = meetingPoints(plan) * plan.step;
  const count = (target - plan.start) / meeting;
  const whole = Math.round(count);
  if (Math.abs(count - whole) <= ON_TICK * Math.max(1, whole)) return undefined;
  return plan.start + (isConstant ? Math.ceil(count) : Math.floor(count)) * meeting;
}

/** All units take the step that is left. */
function withoutSteps(planned: StructurePlan): StructurePlan {
  const states = planned.structure.states.map((state) => ({
    ...state,
    scenario: {
      ...state.scenario,
      units: state.scenario.units.map(({ step: _, ...unit }) => unit),
    },
  }));
  return { ...planned, structure: { ...planned.structure, states } };
}
