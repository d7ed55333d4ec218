/**
 * Policies of an adaptive master: what it may decide at a communication point. A policy sets
 * tunable parameters of units (their solver, their internal step), and may have a communication
 * step and a coupling of its own. They are listed from the cheapest to the most careful one. A
 * guard says which may follow which (model/decision-guard.ts).
 */
import { nearest } from "../base/nearest.ts";
import { type DecisionGuard, guardTable } from "../model/decision-guard.ts";
import type { CouplingScheme } from "../model/masters.ts";
import type { Scenario } from "../model/scenario.ts";
import type { Port } from "../model/unit-description.ts";
import { bankOf } from "../model/value-type.ts";
import type { PlanReport } from "./plan-diagnostics.ts";

/** As written. */
export interface PolicySettings {
  readonly name: string;
  readonly step?: number;
  readonly coupling?: CouplingScheme;
  /** By `unit.port`. */
  readonly set: Readonly<Record<string, number | boolean>>;
}

/** As the master uses it. */
export interface PolicyPlan {
  readonly policies: readonly PlannedPolicy[];
  readonly guard?: PlannedGuard;
}

export interface PlannedPolicy {
  readonly name: string;
  readonly step: number;
  readonly coupling: CouplingScheme;
  readonly writes: readonly PolicyWrite[];
}

/** Scalars of one unit. */
export interface PolicyWrite {
  readonly unit: number;
  readonly ports: readonly number[];
  readonly values: readonly number[];
}

export interface PlannedGuard {
  readonly start: number;
  readonly nodes: number;
  /** `next[node * policies + policy]`, -1: forbidden; policies in the order of the scenario. */
  readonly next: Int32Array;
}

type Refuse = (given: unknown, wanted: string) => undefined;

const SHAPE = "a map of policies: { quick: { set: { left.substeps: 1 } }, careful: … }";
const KEYS = ["step", "coupling", "set"];

/** Reads the option `policies`; undefined, after `refuse`, where it does not fit. */
export function readPolicies(
  given: unknown,
  couplings: readonly CouplingScheme[],
  refuse: Refuse,
): readonly PolicySettings[] | undefined {
  if (!isMap(given) || Object.keys(given).length === 0) return refuse(given, SHAPE);
  const policies: PolicySettings[] = [];
  for (const [name, policy] of Object.entries(given)) {
    if (!isMap(policy)) return refuse(`${name}: ${policy}`, SHAPE);
    const unknown = Object.keys(policy).find((key) => !KEYS.includes(key));
    if (unknown !== undefined)
      return refuse(`${name}: { ${unknown} }`, `a policy has ${KEYS.join(", ")}`);
    const { step, coupling, set = {} } = policy as { readonly [key: string]: unknown };
    if (step !== undefined && (typeof step !== "number" || !(step > 0)))
      return refuse(`${name}: { step: ${step} }`, "a step is a number of seconds above 0");
    const known = couplings.find((one) => one === coupling);
    if (coupling !== undefined && known === undefined)
      return refuse(`${name}: { coupling: ${coupling} }`, `one of ${couplings.join(", ")}`);
    if (!isMap(set) || !Object.values(set).every(isSettable))
      return refuse(`${name}: { set }`, "'set' is a map from unit.port to a number or a boolean");
    policies.push({
      name,
      ...(step !== undefined && { step }),
      ...(known && { coupling: known }),
      set: set as PolicySettings["set"],
    });
  }
  return policies;
}

/** Reads the option `guard`: data that was loaded before; "off" and false mean none. */
export function readGuard(given: unknown, refuse: Refuse): DecisionGuard | undefined {
  if (given === "off" || given === false) return undefined;
  const isGuard = isMap(given) && "automaton" in given && "policies" in given && "start" in given;
  return isGuard
    ? (given as unknown as DecisionGuard)
    : refuse(given, "the path of a guard that 'cosimo stability stabilize' wrote, or off");
}

export interface PoliciesRequest {
  readonly policies: readonly PolicySettings[];
  readonly guard?: DecisionGuard;
  /** Of policies that give no step or coupling of their own. */
  readonly step: number;
  readonly coupling: CouplingScheme;
  readonly eventMode: boolean;
}

/** Policies with indices in place of names; everything that does not fit is reported. */
export function planPolicies(
  scenario: Scenario,
  request: PoliciesRequest,
  report: PlanReport,
): PolicyPlan {
  const { policies, guard, step, coupling, eventMode } = request;
  const { place } = scenario.master;
  const wrong = (policy: string, port: string, problem: string, fix: string): void =>
    report("policy-port-unusable", { policy, port, problem, fix }, place);
  const planned = policies.map((policy): PlannedPolicy => {
    const writes = new Map<number, { ports: number[]; values: number[] }>();
    for (const [name, value] of Object.entries(policy.set)) {
      const found = findPort(scenario, name, eventMode);
      if ("problem" in found) {
        wrong(policy.name, name, found.problem, found.fix);
        continue;
      }
      const write = writes.get(found.unit) ?? { ports: [], values: [] };
      write.ports.push(found.port);
      write.values.push(Number(value));
      writes.set(found.unit, write);
    }
    return {
      name: policy.name,
      step: policy.step ?? step,
      coupling: policy.coupling ?? coupling,
      writes: [...writes].map(([unit, write]) => ({ unit, ...write })),
    };
  });
  const ports = new Set(policies.flatMap(({ set }) => Object.keys(set)));
  const why = "other policies set it, so its value would depend on earlier decisions";
  for (const { name, set } of policies)
    for (const port of ports)
      if (!Object.hasOwn(set, port)) wrong(name, port, why, `add '${port}' to '${name}' as well`);
  if (guard === undefined) return { policies: planned };
  const names = policies.map(({ name }) => name);
  const missing = guard.policies.filter((name) => !names.includes(name));
  const extra = names.filter((name) => !guard.policies.includes(name));
  if (missing.length > 0 || extra.length > 0) {
    report("guard-unfit", { missing, extra }, place);
    return { policies: planned };
  }
  return { policies: planned, guard: inOrderOf(names, guard) };
}

function inOrderOf(names: readonly string[], guard: DecisionGuard): PlannedGuard {
  const { nodes } = guard.automaton;
  const table = guardTable(guard);
  const count = names.length;
  const next = new Int32Array(nodes * count);
  names.forEach((name, policy) => {
    const mode = guard.policies.indexOf(name);
    for (let node = 0; node < nodes; node++)
      next[node * count + policy] = table[node * count + mode];
  });
  return { start: guard.start, nodes, next };
}

type Found =
  | { readonly unit: number; readonly port: number }
  | { readonly problem: string; readonly fix: string };

function findPort(scenario: Scenario, name: string, eventMode: boolean): Found {
  const unit = scenario.units.findIndex((one) => name.startsWith(`${one.name}.`));
  if (unit < 0) {
    const units = scenario.units.map((one) => one.name);
    const near = nearest(name.split(".")[0], units);
    const fix = near === undefined ? `units are ${units.join(", ")}` : `did you mean '${near}'?`;
    return { problem: "there is no such unit", fix };
  }
  const { name: unitName, description } = scenario.units[unit];
  const own = name.slice(unitName.length + 1);
  const port = description.ports.find((one) => one.name === own);
  if (port === undefined) {
    const ports = description.ports.map((one) => one.name);
    const near = nearest(own, ports);
    const fix = near === undefined ? "see 'cosimo info'" : `did you mean '${unitName}.${near}'?`;
    return { problem: `'${unitName}' has no such port`, fix };
  }
  const problem = whyNot(port);
  if (problem !== undefined) return { problem, fix: "name a tunable parameter that is one number" };
  if (eventMode && description.capabilities.eventMode)
    return {
      problem: `'${unitName}' runs with event mode, in which parameters change at events only`,
      fix: "add 'eventMode: false' to the master",
    };
  return { unit, port: port.index };
}

function whyNot({ direction, variability, type, shape }: Port): string | undefined {
  if (direction !== "parameter")
    return `it is ${/^[aeiou]/.test(direction) ? "an" : "a"} ${direction}, not a parameter`;
  if (variability !== "tunable") return "it is fixed once the run has started";
  if (shape.length > 0) return "it has several elements";
  return bankOf(type) === "f64" ? undefined : `values of type ${type} cannot be set by a policy`;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSettable(value: unknown): value is number | boolean {
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}
