/**
 * A run under the master 'event-driven' whose units work where they are: initialization as for
 * every plan, through the caller; then processes that have the units exchange values directly
 * (member.ts), and this one records what they show. Rows are those of one process.
 */
import { type Outcome, UnitError, UnitLost } from "../base/outcome.ts";
import { DivergenceMonitor } from "../engine/divergence-monitor.ts";
import { type ConnectionEvents, countEvents, type PortCounts } from "../engine/event-counts.ts";
import { divergenceDiagnostic } from "../engine/explain-divergence.ts";
import { enterRun, exitInitialization, resolveInitial } from "../engine/initialize-plan.ts";
import { Interpreter } from "../engine/interpreter.ts";
import { endRun, failureOf, type RunPlanOptions } from "../engine/run-plan.ts";
import { bindPlan } from "../engine/signals.ts";
import type { Scenario } from "../model/scenario.ts";
import { makeBanks } from "../model/value-type.ts";
import type { Plan } from "../plan/plan.ts";
import type { Unit } from "../unit/unit.ts";
import { type Agreed, agreedOn } from "./agreed.ts";
import { connectorsOf } from "./connectors-of.ts";
import { type CutPlaces, Cuts } from "./cuts.ts";
import { Observer } from "./observer.ts";
import { Rows } from "./rows.ts";
import { exchangeNotes } from "./run-coordination.ts";

/** The processes that have the units, as the network shows them. */
export interface Distribution {
  /** The process of each unit, in the plan's order. */
  homes: readonly number[];
  /** By process, for people: the name of its node. */
  nodes: readonly string[];
  /** Where cuts are kept; undefined: there are none, and what is lost ends the run. */
  readonly cuts?: CutPlaces;
  /** Hands the units over: from here on they are moved where they are, as they were at a cut. */
  begin(agreed: Agreed, from?: Uint8Array): void;
  /**
   * Finds other places for the units of a process that is gone; `homes` and `nodes` are others
   * then. @returns whether there are some.
   */
  replace(process: number): boolean;
  send(process: number, payload: Uint8Array): void;
  /** Payloads that a process has not taken. */
  pendingTo(process: number): number;
  /** Waits a moment for something to come. @returns what did, in order by process. */
  next(): Promise<readonly { readonly process: number; readonly payload: Uint8Array }[]>;
  /** The first process that is gone, and how. */
  lost(): Lost | undefined;
  /** Seconds since a process itself was heard, which a node that lives cannot do for it. */
  heard(process: number): number;
  /** Seconds on a clock that only goes forward. */
  now(): number;
  /** Says for whom the run waits. */
  notice(unit: string, text: string): void;
  /** @param isOver nobody will go on from a cut. */
  close(isOver: boolean): Promise<void>;
}

export interface Lost {
  readonly process: number;
  readonly how: string;
  readonly problem: string;
  /** Its node has said so: calls of its units fail at once. */
  readonly isTold: boolean;
}

/**
 * How long processes may take to end on request: one that is in a long step is not
 * waited for.
 */
const END_SECONDS = 1;
const FIRST_NOTICE_SECONDS = 5;

/**
 * @param given units in the plan's order, freshly instantiated; all of them work elsewhere.
 * @returns how the run ended; a failing unit is an outcome, not an exception.
 */
export async function runDistributed(
  plan: Plan,
  scenario: Scenario,
  given: readonly Unit[],
  options: RunPlanOptions,
  distribution: Distribution,
): Promise<Outcome> {
  const counted = countEvents(scenario, given, false);
  const { units } = counted;
  const connectors = connectorsOf(scenario, plan.step).value ?? [];
  const state = bindPlan(plan, units);
  const rows: Rows = new Rows(state, (time, banks) => {
    if (cuts === undefined || cuts.isNew(rows.count)) options.onRow(time, banks);
  });
  const monitor = new DivergenceMonitor(plan, scenario, state.banks.f64);
  const { cuts: places } = distribution;
  const cuts =
    places &&
    new Cuts({
      ...{ state, rows, monitor, places, checkpoint: options.checkpoint },
      now: () => distribution.now(),
    });
  let observer = observe();
  const patience = new Patience(distribution);
  let isOver = options.checkpoint === undefined;
  try {
    const interpreter = new Interpreter(state);
    enterRun(state, scenario.units, options);
    const loops = resolveInitial(state, interpreter);
    options.onInitialized?.(loops);
    exitInitialization(state, interpreter);
    if (options.resume === undefined) rows.begin();
    else cuts?.resume(options.resume);
    // What was written and not sent yet is sent before the units are handed over.
    for (const unit of units) unit.read(unit.bind([]), makeBanks({}));
    begin(options.resume && cuts?.goBack());
    while (!observer.hasEnded) {
      await hear();
      if (cuts?.isDue(observer.reached) && !observer.isCutting && !observer.hasEnded)
        for (const { to, bytes } of observer.beginCut(cuts.next())) distribution.send(to, bytes);
      const { reached, advances, failure } = observer;
      if (failure !== undefined) {
        await end();
        throw failure.kind === "unit"
          ? new (failure.isLost ? UnitLost : UnitError)(failure.failure)
          : refusal(failure.process, failure.why);
      }
      const lost = distribution.lost();
      if (lost !== undefined && !observer.hasProcessEnded(lost.process)) {
        if (goOn(lost)) continue;
        await end(lost.process);
        if (lost.isTold) forget(lost.process);
        throw lossOf(lost);
      }
      const until = Math.min(reached, options.stop);
      patience.look(observer, (process) => units[unitOf(process)].name);
      rows.flush(reached);
      monitor.lookForNumbers(until);
      if (observer.hasEnded || !(await options.shouldStop?.(until, advances))) continue;
      await end();
      rows.flushReached(Math.min(observer.reached, options.stop));
      return ended("cancelled");
    }
    rows.flush(Number.POSITIVE_INFINITY);
    monitor.lookForNumbers(options.stop);
    isOver = true;
    return ended("completed");
  } catch (error) {
    // Beyond that some units have shown what others have not come to.
    rows.flush(timeReached());
    return failureOf(plan, { time: timeReached(), steps: observer.advances }, error);
  } finally {
    await distribution.close(isOver);
    const { finding } = monitor;
    if (finding) options.onDivergence?.(divergenceDiagnostic(finding, plan, scenario));
    options.onMaster?.(summary());
    const events = countsOfEvents();
    if (events.length > 0) options.onEvents?.(events);
  }

  function observe(): Observer {
    return new Observer({
      homes: distribution.homes,
      processes: distribution.nodes.length,
      sizes: units.map((_, u) => rows.sizesOf(u)),
      start: plan.start,
      onShown: (shown) => rows.put(shown),
      onCut: (number) => cuts?.take(number, timeReached(), observer.advances),
      onKept: (number) => cuts?.kept(number),
      onUnkept: (_, process, why) => {
        cuts?.failed();
        distribution.notice(
          units[unitOf(process)].name,
          `there is no checkpoint at t=${timeReached()}: '${distribution.nodes[process]}' could not keep its part: ${why}`,
        );
      },
    });
  }

  /** Hands the units over, as they are, or as they were at a cut. */
  function begin(from: Uint8Array | undefined): void {
    distribution.begin(
      agreedOn(plan, scenario, connectors, {
        stop: options.stop,
        origin: options.origin ?? plan.start,
        homes: distribution.homes,
        processes: distribution.nodes.length,
        shown: rows.shownPorts(),
        watched: rows.recordedPorts(),
        counted: counted.soFar(),
      }),
      from,
    );
    if (cuts === undefined || from !== undefined) return;
    // Every process keeps its part of the beginning before it sets its units in motion.
    observer.beginCut(0);
    cuts.take(0, plan.start, 0);
  }

  /** From the last cut, with others in place of those that are lost. @returns whether it does. */
  function goOn({ process, problem }: Lost): boolean {
    if (cuts?.isWhole !== true || !distribution.replace(process)) return false;
    const from = cuts.goBack(problem);
    if (from === undefined) return false;
    observer = observe();
    begin(from);
    return true;
  }

  async function hear(): Promise<void> {
    for (const { process, payload } of await distribution.next()) {
      try {
        observer.receive(process, payload);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw refusal(process, error.message);
      }
    }
    for (const { to, bytes } of observer.news((process) => distribution.pendingTo(process) === 0))
      distribution.send(to, bytes);
  }

  /** Ends what still goes on elsewhere; the units can be freed afterwards. */
  async function end(without = -1): Promise<void> {
    for (const { to, bytes } of observer.stop()) distribution.send(to, bytes);
    const since = distribution.now();
    while (distribution.now() - since < END_SECONDS) {
      await hear();
      if (distribution.nodes.every((_, p) => p === without || observer.hasProcessEnded(p))) return;
      const lost = distribution.lost();
      if (lost !== undefined && lost.process !== without) return;
    }
  }

  /**
   * The caller's units hear that they are lost, so that nothing is said of it again when they are
   * freed.
   */
  function forget(process: number): void {
    units.forEach((unit, u) => {
      if (distribution.homes[u] !== process) return;
      try {
        unit.read(unit.bind([]), makeBanks({}));
      } catch (error) {
        if (!(error instanceof UnitError)) throw error;
      }
    });
  }

  function unitOf(process: number): number {
    return distribution.homes.indexOf(process);
  }

  function timeReached(): number {
    return Math.min(observer.reached, options.stop);
  }

  function lossOf({ process, how, problem }: Lost): UnitLost {
    return new UnitLost({
      unit: units[unitOf(process)].name,
      call: "advance",
      status: how,
      time: timeReached(),
      problem,
      log: [],
    });
  }

  function refusal(process: number, why: string): UnitError {
    return new UnitError({
      unit: units[unitOf(process)].name,
      call: "advance",
      status: why,
      time: timeReached(),
      problem: `the node '${distribution.nodes[process]}' cannot take part in a distributed run: ${why}`,
      log: [],
    });
  }

  /** Where a process is gone, nobody knows what its units sent and received. */
  function countsOfEvents(): ConnectionEvents[] {
    const { ends } = observer;
    if (ends.length < distribution.nodes.length) return [];
    const found: PortCounts[] = [];
    const ports = counted.soFar();
    ends.forEach(({ events }, process) => {
      for (const [place, total, atLast] of events)
        if (distribution.homes[ports[place]?.unit ?? -1] === process)
          found[place] = { total, atLast };
    });
    return counted.countsFrom(found);
  }

  function summary() {
    const counts = new Float64Array(connectors.length);
    const notes: string[] = [];
    for (const { counts: some, merged, notes: more } of observer.ends) {
      for (const [connector, count] of some) counts[connector] = count;
      for (const [c, count] of merged)
        notes.push(
          `${connectors[c].name}: ${count} events met another one of their instant, and were seen as one`,
        );
      notes.push(...more);
    }
    return {
      steps: rows.count,
      iterations: 0,
      rejections: [],
      advances: observer.advances,
      events: counts.reduce((sum, one) => sum + one, 0),
      bonds: [],
      notes: [
        ...exchangeNotes(scenario, connectors, counts),
        ...notes,
        ...(cuts?.resumptions ?? []).map(({ time, lost }) => `went on from t=${time}: ${lost}`),
        `distributed: ${distribution.nodes.map((node, p) => `${namesAt(p)} on ${node}`).join("; ")}`,
      ],
    };
  }

  function namesAt(process: number): string {
    return units
      .flatMap(({ name }, u) => (distribution.homes[u] === process ? [name] : []))
      .join(", ");
  }

  function ended(kind: "completed" | "cancelled"): Outcome {
    const outcome: Outcome = { kind, time: timeReached(), steps: observer.advances };
    if (observer.hasEnded) return endRun(units, options, outcome);
    // Some are on their way still, and cannot be called.
    options.onRecorded?.(outcome);
    return outcome;
  }
}

/** Says for whom the run waits, after 5, 10, 20, … s without anything new. */
class Patience {
  private readonly distribution: Distribution;
  private reached = Number.NaN;
  private since = 0;
  private after = FIRST_NOTICE_SECONDS;

  constructor(distribution: Distribution) {
    this.distribution = distribution;
  }

  look({ reached, latest }: Observer, nameOf: (process: number) => string): void {
    const now = this.distribution.now();
    if (reached !== this.reached) {
      this.reached = reached;
      this.since = now;
      this.after = FIRST_NOTICE_SECONDS;
    }
    const waited = now - this.since;
    if (waited < this.after) return;
    this.after *= 2;
    const { nodes } = this.distribution;
    const silence = nodes.map((_, process) => this.distribution.heard(process));
    // Processes answer all the time: one that stands still is why, or else one that is behind.
    const still = [...nodes.keys()].filter((p) => silence[p] > waited / 2);
    const [process] = (still.length > 0 ? still : [...latest]).sort(
      (a, b) => silence[b] - silence[a],
    );
    const heard = Math.round(silence[process]);
    const node = nodes[process];
    const unit = nameOf(process);
    this.distribution.notice(
      unit,
      `waiting ${Math.round(waited)} s for '${unit}' on '${node}', last heard ${heard} s ago`,
    );
  }
}
