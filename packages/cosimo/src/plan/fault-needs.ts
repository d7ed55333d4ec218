/**
 * What faults ask of a plan: whether fixed steps meet all of their instants, which levels the master has to locate, and a
 * diagnostic for every instant that a unit's steps cannot meet. A fault is never late without a word.
 */
import { actingFaults, unlocatedIn } from "../model/apply-faults.ts";
import { type Fault, knownInstants } from "../model/faults.ts";
import { MASTERS, SCHEMES, schemeOf } from "../model/masters.ts";
import type { Crossing, Scenario, ScenarioUnit } from "../model/scenario.ts";
import { portAt } from "../model/scenario-ports.ts";
import type { Port } from "../model/unit-description.ts";
import type { AnnouncedChange, CouplingPlan } from "./coupling-plan.ts";
import { quoted, unitsWithout } from "./master-needs.ts";
import type { Plan } from "./plan.ts";
import type { PlanReport } from "./plan-diagnostics.ts";

/** Relative difference of two times that are meant to be equal. */
const ROUNDING = 1e-9;

interface Grid {
  readonly master: Plan["master"];
  readonly start: number;
  /** The common step. */
  readonly step: number;
  /** There is no master that locates levels. */
  readonly isSampled: boolean;
}

/**
 * Whether a straight plan would not do: an instant lies between communication points, or signals of both sides of it would mix,
 * as they do where units see the end of the step that they are in, or the past of a signal.
 */
export function faultsNeedRunTime(scenario: Scenario, grid: Grid): boolean {
  const faults = actingFaults(scenario);
  if (faults.length === 0) return false;
  const { options } = scenario.master;
  const { isSequential } = SCHEMES[schemeOf(grid.master, options)];
  const { approximation = "hold" } = options;
  const isHeld =
    approximation === "hold" &&
    scenario.connections.every((one) => (one.approximation ?? "hold") === "hold");
  return isSequential || !isHeld || !faults.every((fault) => isOnGrid(scenario, fault, grid));
}

/** Whether the unit of the fault stands at a communication point at each of its instants. */
function isOnGrid(scenario: Scenario, fault: Fault, { start, step }: Grid): boolean {
  const own = scenario.units[fault.unit].step ?? step;
  const period = Math.max(own, step);
  return (
    knownInstants(fault)?.every((time) => time <= start || isMultiple(time - start, period)) ??
    false
  );
}

function isMultiple(time: number, step: number): boolean {
  const count = time / step;
  return Math.abs(count - Math.round(count)) <= ROUNDING * Math.max(1, Math.abs(count));
}

/** The scenario with the levels of its faults' conditions as events to be located. */
export function withFaultLevels(scenario: Scenario): Scenario {
  const levels = scenario.units.flatMap(({ faulty }) => faulty?.levels ?? []);
  if (levels.length === 0) return scenario;
  const events = levels.map(
    ({ signal, level, other, text, place }): Crossing => ({
      signal,
      level,
      ...(other && { other: { ...other, factor: 1, offset: 0 } }),
      direction: "any",
      text,
      place,
    }),
  );
  return { ...scenario, events: [...scenario.events, ...events] };
}

/** Where the source of a condition says by itself when it changes, and all units can meet it there, steps end there. */
export function announcedChanges(scenario: Scenario): Pick<CouplingPlan, "announced"> {
  if (unitsWithout(scenario, "rollback").length > 0) return {};
  if (unitsWithout(scenario, "variableStep").length > 0) return {};
  const announced = scenario.connections.flatMap(({ from, to }): AnnouncedChange[] => {
    if (portAt(scenario, to).observed !== true) return [];
    const { capabilities } = scenario.units[from.unit].description;
    const kind = changeOf(portAt(scenario, from));
    return kind && capabilities.predicates.includes(kind) ? [{ ...from, kind }] : [];
  });
  return announced.length === 0 ? {} : { announced };
}

/** How an output changes that is not continuous. */
function changeOf({ nature }: Port): AnnouncedChange["kind"] | undefined {
  if (nature === "transient") return "event";
  return nature === "piecewise-constant" ? "updated" : undefined;
}

export function reportFaultNeeds(scenario: Scenario, grid: Grid, report: PlanReport): void {
  const { coordinates } = MASTERS[grid.master];
  const all = unitsWithout(scenario, "variableStep");
  for (const fault of actingFaults(scenario)) {
    const { name, place, unit } = fault;
    // Without common steps only the unit itself has to end a step at the instant.
    const rigid = coordinates ? all.filter((one) => one === scenario.units[unit]) : all;
    const instants = knownInstants(fault);
    const isFixed =
      instants === undefined
        ? fault.when.kind === "time"
        : coordinates
          ? instants.some((time) => time > grid.start)
          : !isOnGrid(scenario, fault, grid);
    if (rigid.length > 0 && isFixed) {
      const off = instants?.find((time) => !isMultiple(time - grid.start, grid.step));
      const at = off === undefined ? "" : ` at ${off} s`;
      const what = `changes${at} between communication points`;
      report("fault-off-grid", { name, what, step: grid.step, units: quoted(rigid) }, place);
    }
    const missed = coordinates ? [] : missedBy(scenario, fault);
    if (missed.length > 0) {
      const what = "begins with an event that may occur between communication points";
      report("fault-off-grid", { name, what, step: grid.step, units: quoted(missed) }, place);
    }
    const sampled = grid.isSampled && scenario.units[unit].faulty?.levels.length;
    const late = unlocatedIn(scenario, fault);
    const [first] = late;
    if (first !== undefined || sampled) {
      const text = first ?? fault.text;
      report("fault-at-points", { name, condition: text, step: grid.step }, place);
    }
  }
}

/** Units without event mode announce an event by ending their step there: all others must be able to meet it. */
function missedBy(scenario: Scenario, { when }: Fault): readonly ScenarioUnit[] {
  if (when.kind === "time") return [];
  const isMet = [...when.condition.signals.values()].every(({ unit, port }) => {
    const { capabilities, ports } = scenario.units[unit].description;
    return ports[port].nature !== "transient" || capabilities.eventMode;
  });
  if (isMet) return [];
  return [...unitsWithout(scenario, "rollback"), ...unitsWithout(scenario, "variableStep")];
}
