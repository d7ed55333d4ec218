/**
 * What a master that decides at run time asks of units: steps of any size, the way back, derivatives, events.
 */
import type { Scenario } from "../../model/scenario.ts";
import type { CouplingPlan } from "../coupling-plan.ts";
import type { PolicyPlan } from "../policies.ts";
import type { MasterNeed } from "./explanation.ts";

export function runTimeNeeds(scenario: Scenario, coupling: CouplingPlan): MasterNeed[] {
  return [
    anySteps(scenario),
    ...loopNeeds(scenario, coupling),
    ...controlNeeds(scenario, coupling),
    ...eventNeeds(scenario, coupling),
    ...bondNeeds(coupling),
  ];
}

/** Whoever cuts a step short needs units that take what is left of it. What cannot do without is refused before. */
function anySteps(scenario: Scenario): MasterNeed {
  const need = "steps of any size";
  const fixed = namesOf(scenario, (u) => !scenario.units[u].description.capabilities.variableStep);
  if (fixed.length === 0) return { need, met: true, detail: "every unit can take them" };
  const detail = `${fixed.join(", ")} take constant steps only`;
  return {
    need,
    met: true,
    detail: `${detail}: a step that fails cannot be halved, and events count at communication points`,
  };
}

/** What is done about every loop, and what that costs. */
function loopNeeds(scenario: Scenario, coupling: CouplingPlan): MasterNeed[] {
  const { settings, components } = coupling;
  if (settings.coupling !== "iterative")
    return [
      { need: "rollback in loops", met: true, detail: "not needed: the exchange is explicit" },
    ];
  const loops = components.filter(({ cyclic }) => cyclic);
  if (loops.length === 0)
    return [
      {
        need: "rollback in loops",
        met: true,
        detail: "there is no loop: units are advanced in sequence",
      },
    ];
  return loops.map(({ units, constraints }) => {
    const names = units.map((u) => scenario.units[u].name);
    const stuck = units.filter((u) => !scenario.units[u].description.capabilities.rollback);
    const need = `rollback of ${names.join(", ")}`;
    if (stuck.length > 0) {
      const cannot = stuck.map((u) => scenario.units[u].name).join(", ");
      const met = settings.fallback === "explicit" && constraints.length === 0;
      const cost = "one-step-old values, a smaller stable step";
      return {
        need,
        met,
        detail: met
          ? `${cannot} cannot: the loop is exchanged explicitly, as asked (${cost})`
          : `${cannot} cannot: accept an explicit exchange with 'fallback: explicit' (${cost})`,
      };
    }
    return { need, met: true, detail: `all can; ${costOf(scenario, coupling, units)}` };
  });
}

function costOf(scenario: Scenario, { settings }: CouplingPlan, units: readonly number[]): string {
  const { method, corrections, pieces } = settings.iteration;
  const waves = pieces > 1 ? `, exchanging waveforms of ${pieces} pieces` : "";
  if (corrections !== undefined) return `each step is taken ${corrections + 1} times${waves}`;
  const exact = units.every(
    (u) => scenario.units[u].description.capabilities.directionalDerivatives,
  );
  const newton = exact
    ? "newton has derivatives from the units"
    : "newton takes one more step per input and unit where it must renew its derivatives";
  const how = method === "auto" ? "from sweeps to newton as needed" : `by ${method}`;
  return `each step is repeated until they agree, ${how}${waves}; ${newton}`;
}

function controlNeeds(scenario: Scenario, { settings, policies }: CouplingPlan): MasterNeed[] {
  if (settings.control === undefined) return [];
  if (policies !== undefined) return [policyNeed(policies)];
  const need = `rollback of all units (${settings.control.estimator})`;
  const stuck = namesOf(scenario, (u) => !scenario.units[u].description.capabilities.rollback);
  if (stuck.length === 0)
    return [{ need, met: true, detail: "all can: a step with too large an error is taken back" }];
  const met = settings.control.rejection !== "pessimistic";
  return [
    {
      need,
      met,
      detail: `${stuck.join(", ")} cannot: ${met ? "a step with too large an error is kept and the next one is smaller" : "take 'rejection: optimistic'"}`,
    },
  ];
}

function eventNeeds(scenario: Scenario, { settings, crossings }: CouplingPlan): MasterNeed[] {
  const stuck = namesOf(scenario, (u) => !scenario.units[u].description.capabilities.rollback);
  const modes = namesOf(scenario, (u) => scenario.units[u].description.capabilities.eventMode);
  const needs: MasterNeed[] = [];
  if (crossings.length > 0)
    needs.push({
      need: `${crossings.length === 1 ? "a crossing" : `${crossings.length} crossings`} to be located`,
      met: true,
      detail:
        stuck.length === 0
          ? "to tolerance: all units can go back"
          : `${stuck.join(", ")} cannot go back: steps become smaller as the level comes near, and the delay is reported`,
    });
  if (modes.length > 0 && settings.eventMode)
    needs.push({
      need: "events at one instant",
      met: true,
      detail: `${modes.join(", ")} handle them in event mode, all connected units together`,
    });
  return needs;
}

function bondNeeds({ bonds }: CouplingPlan): MasterNeed[] {
  if (bonds.length === 0) return [];
  const kept = bonds.filter(({ preserve }) => preserve === "energy").map(({ name }) => name);
  const detail = `${bonds.map(({ name }) => name).join(", ")} watched${kept.length > 0 ? `; ${kept.join(", ")} corrected` : ""}`;
  return [{ need: "energy of bonds", met: true, detail }];
}

function namesOf(scenario: Scenario, wanted: (unit: number) => boolean): string[] {
  return scenario.units.filter((_, u) => wanted(u)).map(({ name }) => name);
}

function policyNeed({ policies, guard }: PolicyPlan): MasterNeed {
  const names = policies.map(({ name }) => name).join(", ");
  const held =
    guard === undefined
      ? "nothing says which may follow which"
      : `a guard of ${guard.nodes} nodes says which may follow which, so that every sequence is stable`;
  return {
    need: "parameters that can be tuned",
    met: true,
    detail: `all policies (${names}) set some; ${held}`,
  };
}
