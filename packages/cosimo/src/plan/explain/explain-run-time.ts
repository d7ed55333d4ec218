/**
 * What a master that decides at run time needs of units: steps of any size, rollback, derivatives,
 * events.
 */
import { iterates } from "../../model/masters.ts";
import type { Scenario, ScenarioUnit } from "../../model/scenario.ts";
import type { CouplingPlan } from "../coupling-plan.ts";
import { unitsWithout } from "../master-needs.ts";
import type { PolicyPlan } from "../policies.ts";
import { type MasterNeed, met } from "./explanation.ts";

export function runTimeNeeds(scenario: Scenario, coupling: CouplingPlan): MasterNeed[] {
  return [
    anySteps(scenario),
    ...loopNeeds(scenario, coupling),
    ...controlNeeds(scenario, coupling),
    ...eventNeeds(scenario, coupling),
    ...bondNeeds(coupling),
  ];
}

/** A step that is shortened needs units that take the rest of it. */
function anySteps(scenario: Scenario): MasterNeed {
  const need = "steps of any size";
  const rigid = unitsWithout(scenario, "variableStep").map(({ name }) => name);
  if (rigid.length === 0) return met(need, "every unit can take them");
  return met(
    need,
    `${rigid.join(", ")} take constant steps only: a step that fails cannot be halved, and events count at communication points`,
  );
}

/** What is done about every loop, and what that costs. */
function loopNeeds(scenario: Scenario, coupling: CouplingPlan): MasterNeed[] {
  const { settings, components } = coupling;
  const none = "rollback in loops";
  if (!iterates(settings)) return [met(none, "not needed: the exchange is explicit")];
  const loops = components.filter(({ cyclic }) => cyclic);
  if (loops.length === 0) return [met(none, "there is no loop: units are advanced in sequence")];
  return loops.map(({ units: members, constraints }) => {
    const units = members.map((u) => scenario.units[u]);
    const stuck = unitsWithout({ units }, "rollback").map(({ name }) => name);
    const need = `rollback of ${units.map(({ name }) => name).join(", ")}`;
    if (stuck.length === 0) return met(need, `all can; ${costOf(units, coupling)}`);
    const isAccepted = settings.fallback === "explicit" && constraints.length === 0;
    const how = isAccepted
      ? "the loop is exchanged explicitly, as requested"
      : "accept an explicit exchange with 'fallback: explicit'";
    const detail = `${stuck.join(", ")} cannot: ${how} (one-step-old values, a smaller stable step)`;
    return { need, met: isAccepted, detail };
  });
}

function costOf(units: readonly ScenarioUnit[], { settings }: CouplingPlan): string {
  const { method, corrections, pieces } = settings.iteration;
  const waves = pieces > 1 ? `, exchanging waveforms of ${pieces} pieces` : "";
  if (corrections !== undefined) return `each step is taken ${corrections + 1} times${waves}`;
  const exact = units.every(({ description }) => description.capabilities.directionalDerivatives);
  const newton = exact
    ? "newton gets derivatives from the units"
    : "newton takes one more step per input and unit where it must renew its derivatives";
  const how = method === "auto" ? "from sweeps to newton as needed" : `by ${method}`;
  return `each step is repeated until they agree, ${how}${waves}; ${newton}`;
}

function controlNeeds(scenario: Scenario, { settings, policies }: CouplingPlan): MasterNeed[] {
  if (settings.control === undefined) return [];
  if (policies !== undefined) return [policyNeed(policies)];
  const need = `rollback of all units (${settings.control.estimator})`;
  const stuck = unitsWithout(scenario, "rollback").map(({ name }) => name);
  if (stuck.length === 0) return [met(need, "all can: a step with too large an error is rejected")];
  const isKept = settings.control.rejection !== "pessimistic";
  const how = isKept
    ? "a step with too large an error is kept and the next one is smaller"
    : "use 'rejection: optimistic'";
  return [{ need, met: isKept, detail: `${stuck.join(", ")} cannot: ${how}` }];
}

function eventNeeds(scenario: Scenario, { stages, crossings }: CouplingPlan): MasterNeed[] {
  const stuck = unitsWithout(scenario, "rollback").map(({ name }) => name);
  const modes = scenario.units.filter((_, u) => stages[u].eventMode).map(({ name }) => name);
  const located =
    stuck.length === 0
      ? "to tolerance: all units can roll back"
      : `${stuck.join(", ")} cannot roll back: steps become smaller near the level, and the delay is reported`;
  const count = crossings.length === 1 ? "a crossing" : `${crossings.length} crossings`;
  const handled = `${modes.join(", ")} handle them in event mode, all connected units together`;
  return [
    ...(crossings.length > 0 ? [met(`${count} to be located`, located)] : []),
    ...(modes.length > 0 ? [met("events at one instant", handled)] : []),
  ];
}

function bondNeeds({ bonds }: CouplingPlan): MasterNeed[] {
  if (bonds.length === 0) return [];
  const kept = bonds.filter(({ preserve }) => preserve === "energy").map(({ name }) => name);
  const corrected = kept.length > 0 ? `; ${kept.join(", ")} corrected` : "";
  return [
    met("energy of bonds", `${bonds.map(({ name }) => name).join(", ")} watched${corrected}`),
  ];
}

function policyNeed({ policies, guard }: PolicyPlan): MasterNeed {
  const names = policies.map(({ name }) => name).join(", ");
  const held =
    guard === undefined
      ? "nothing says which may follow which"
      : `a guard of ${guard.nodes} nodes says which may follow which, so that every sequence is stable`;
  return met("tunable parameters", `all policies (${names}) set some; ${held}`);
}
