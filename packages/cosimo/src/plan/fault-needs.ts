/**
 * What faults ask of a plan: whether fixed steps meet all of their instants, which levels the
 * master has to locate, and a diagnostic for every instant that a unit's steps cannot meet. A fault
 * is never late without a word.
 */
import { actingFaults, unlocatedIn } from "../model/apply-faults.ts";
import { type Fault, type FaultLevel, knownInstants } from "../model/faults.ts";
import { MASTERS, SCHEMES, schemeOf } from "../model/masters.ts";
import type { Connection, Crossing, PortRef, Scenario, ScenarioUnit } from "../model/scenario.ts";
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
 * Whether a straight plan would not do: an instant lies between communication points, or signals of
 * both sides of it would mix, as they do where units see the end of the step that they are in, or
 * the past of a signal.
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
    ({ signal, level, other, of, text, place }): Crossing => ({
      signal,
      level,
      ...(of && { of }),
      ...(other && { other: { ...other, factor: 1, offset: 0 } }),
      direction: "any",
      switches: true,
      text,
      place,
    }),
  );
  return { ...scenario, events: [...scenario.events, ...events] };
}

/**
 * Without common steps: signals of conditions are exchanged where they cross the levels of those,
 * besides as they are anyway. The scenario itself where there are none.
 */
export function withFaultTriggers(scenario: Scenario): Scenario {
  const more = scenario.connections.flatMap((connection) => {
    const { from, to } = connection;
    const { faulty } = scenario.units[to.unit];
    if (faulty === undefined || portAt(scenario, to).observed !== true) return [];
    const levels = faulty.levels.filter(
      (one) => isTriggered(scenario, one) && isSamePort(one.signal, from),
    );
    return levels.flatMap(({ level, signal: port }) =>
      (["rising", "falling"] as const).map(
        (direction): Connection => ({
          ...connection,
          trigger: { kind: "threshold", port, level, direction },
        }),
      ),
    );
  });
  return more.length === 0
    ? scenario
    : { ...scenario, connections: [...scenario.connections, ...more] };
}

/** Whether the unit of the signal can be made to stop where it crosses the level. */
function isTriggered({ units }: Scenario, { signal, other, of }: FaultLevel): boolean {
  const { rollback, variableStep } = units[signal.unit].description.capabilities;
  return other === undefined && of === undefined && rollback && variableStep;
}

function isSamePort(a: PortRef, b: PortRef): boolean {
  return a.unit === b.unit && a.port === b.port;
}

/**
 * Where the source of a condition says by itself when it changes, and all units can meet it there,
 * steps end there.
 */
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
    const late = [
      ...unlocatedIn(scenario, fault),
      ...(grid.isSampled ? sampledIn(scenario, fault) : []),
    ];
    const [condition] = late;
    if (condition !== undefined)
      report("fault-at-points", { name, condition, step: grid.step }, place);
  }
}

/** Levels of a fault that nothing locates without common steps, as written. */
function sampledIn(scenario: Scenario, { unit, place }: Fault): string[] {
  const levels = scenario.units[unit].faulty?.levels.filter((one) => one.place === place) ?? [];
  return levels
    .filter((one) => one.signal.unit === unit || !isTriggered(scenario, one))
    .map(({ text }) => text);
}

/**
 * Units without event mode announce an event by ending their step there: all others must be able to
 * meet it.
 */
function missedBy(scenario: Scenario, { when }: Fault): readonly ScenarioUnit[] {
  if (when.kind === "time") return [];
  const isMet = [...when.condition.signals.values()].every(({ unit, port }) => {
    const { capabilities, ports } = scenario.units[unit].description;
    return ports[port].nature !== "transient" || capabilities.eventMode;
  });
  if (isMet) return [];
  return [...unitsWithout(scenario, "rollback"), ...unitsWithout(scenario, "variableStep")];
}
