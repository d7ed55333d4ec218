/**
 * Makes the units of a scenario for one run of a plan, nested scenarios included: the one walk for
 * scenarios from files and from code. Where a unit comes from is up to the caller's `open`.
 */

import type { Place } from "../base/diagnostic.ts";
import { withoutEventMode } from "../engine/event-steps.ts";
import { withEventMode } from "../engine/with-event-mode.ts";
import { faultyDescription } from "../model/apply-faults.ts";
import type { Isolation } from "../model/isolation.ts";
import { MASTERS } from "../model/masters.ts";
import type { FormulaSource, Scenario, ScenarioUnit, UnitDraft } from "../model/scenario.ts";
import { communicationStep, type Plan } from "../plan/plan.ts";
import { disposeAll } from "../unit/dispose-all.ts";
import { formulaUnit } from "../unit/formula-unit.ts";
import type { Unit } from "../unit/unit.ts";

/** How a unit is used: what must be known when it is made. */
export interface UnitUse {
  /** In full: `outer.inner` inside nested scenarios and adaptations. */
  readonly name: string;
  /** Structural parameters by name: they shape a unit when it is made. */
  readonly structural: ReadonlyMap<string, number>;
  /** It is given derivatives of its inputs, if it takes any. */
  readonly takesSlopes: boolean;
  readonly hasEvents: boolean;
  /**
   * It stops where something happens: with event mode, or where all others can go back to meet it.
   */
  readonly mayReturnEarly: boolean;
  /**
   * In a distributed run: inputs that others drive, so that its events can be handled where it is.
   */
  readonly driven?: readonly number[];
  /** Start of the run. */
  readonly start: number;
  readonly place: Place;
}

/** Formulas between units are made here; everything else was written. */
export type OpenUnit = (
  unit: ScenarioUnit & Pick<UnitDraft, "source">,
  use: UnitUse,
) => Unit | Promise<Unit>;

/** Units that are open already, by their place in the scenario. */
export type KeptUnits = ReadonlyMap<number, Unit>;

export interface OpenUnitsOptions {
  /** Names of nested scenarios around these units. */
  readonly prefix?: string;
  /** The only unit is driven event by event (engine/simulate-unit.ts). */
  readonly isSingle?: boolean;
  /** Units that are not opened again. */
  readonly kept?: KeptUnits | undefined;
  /** What is said of the scenario around these units about processes of their own. */
  readonly isolation?: Isolation | undefined;
}

/**
 * @returns the units in the scenario's order. Everything opened so far is disposed when one of them
 * fails.
 */
export async function openUnits(
  scenario: Scenario,
  plan: Plan,
  open: OpenUnit,
  { prefix = "", isSingle = false, kept = new Map(), isolation }: OpenUnitsOptions = {},
): Promise<Unit[]> {
  const units: Unit[] = [];
  const driven = drivenInputs(scenario);
  try {
    for (const [u, unit] of scenario.units.entries()) {
      const before = kept.get(u);
      if (before !== undefined) {
        units.push(before);
        continue;
      }
      const made = await openHealthy(unit, u);
      units.push(unit.faulty === undefined ? made : await withFaults(unit, made, plan, u));
    }
    return units;
  } catch (error) {
    disposeAll(units);
    throw error;
  }

  async function openHealthy(unit: ScenarioUnit, u: number): Promise<Unit> {
    const { source } = unit;
    if (source.kind === "formula" && source.translation === undefined)
      return formulaUnit(source, `${prefix}${unit.name}`);
    if (unit.scenario === undefined) {
      const inherited = unit.isolation ?? isolation;
      const made =
        source.kind === "formula"
          ? await openTranslation(source, `${prefix}${unit.name}`)
          : await open(
              { ...unit, source, ...(inherited && { isolation: inherited }) },
              unitUse(scenario, plan, u, prefix),
            );
      const isHandled = isSingle || plan.coupling?.stages[u]?.eventMode === true;
      if (!isHandled || prefix !== "") return withoutEventMode(made, driven[u]);
      return isSingle ? made : withEventMode(made);
    }
    const name = `${prefix}${unit.name}`;
    const { openNestedUnit } = await import("../engine/open-nested.ts");
    const use = { step: communicationStep(plan, u), start: plan.start };
    const { faulty, description, place } = unit;
    const inside = { description: faulty?.healthy ?? description, place, scenario: unit.scenario };
    return openNestedUnit(name, inside, use, (inner, innerPlan) =>
      openUnits(inner, innerPlan, open, {
        prefix: `${name}.`,
        isolation: togetherIn(name, unit.isolation ?? isolation),
      }),
    );
  }
}

/**
 * Units of a scenario that is isolated share a process, but no sandbox: what each may read is its
 * own.
 */
function togetherIn(name: string, isolation: Isolation | undefined): Isolation | undefined {
  return isolation?.kind === "process" ? { group: name, ...isolation } : isolation;
}

/** What makes events of a counter, or counts them. */
async function openTranslation({ translation }: FormulaSource, name: string): Promise<Unit> {
  const { devsUnit } = await import("../devs/devs-unit.ts");
  const { ticks, counts } = await import("../devs/library/counters.ts");
  return translation === "ticks" ? devsUnit(ticks(), { name }) : devsUnit(counts(), { name });
}

/** The faults of a unit around it. Masters without steps of one size switch them. */
async function withFaults(
  { faulty }: ScenarioUnit,
  unit: Unit,
  plan: Plan,
  u: number,
): Promise<Unit> {
  if (faulty === undefined) return unit;
  const { faultyUnit } = await import("../faults/faulty-unit.ts");
  const isSwitched = plan.coupling !== undefined || MASTERS[plan.master].coordinates === true;
  return faultyUnit(unit, faulty, {
    description: faultyDescription(unit.description, faulty),
    step: communicationStep(plan, u),
    isSwitched,
  });
}

/** How unit `u` of `scenario` is used by `plan`. */
export function unitUse(scenario: Scenario, plan: Plan, u: number, prefix: string): UnitUse {
  const unit = scenario.units[u];
  // A nested scenario takes the steps that it is given, without events of its own.
  const isOutermost = prefix === "";
  const isCoordinated = MASTERS[plan.master].coordinates === true;
  const hasEventMode = unit.description.capabilities.eventMode;
  const hasEvents =
    isOutermost &&
    (plan.coupling?.stages[u]?.eventMode === true || (isCoordinated && hasEventMode));
  const isMet = plan.coupling?.settings.eventMode === true && scenario.units.every(canGoBack);
  return {
    name: `${prefix}${unit.name}`,
    structural: structuralValues(unit),
    takesSlopes: plan.slopes.some((group) => group.unit === u),
    hasEvents,
    mayReturnEarly: hasEvents || (isOutermost && isMet),
    start: plan.start,
    place: unit.place,
  };
}

/** By unit: the inputs that connections lead to. */
function drivenInputs({ units, connections }: Scenario): ReadonlySet<number>[] {
  const driven = units.map(() => new Set<number>());
  for (const { to } of connections) driven[to.unit].add(to.port);
  return driven;
}

const canGoBack = ({ description }: ScenarioUnit): boolean => description.capabilities.rollback;

function structuralValues({ values, description: { ports } }: ScenarioUnit): Map<string, number> {
  return new Map(
    values
      .filter(({ port }) => ports[port].direction === "structural-parameter")
      .map(({ port, values: [size] }) => [ports[port].name, Number(size)]),
  );
}
