/**
 * Plans of a scenario whose structure changes: one for every structure that can occur, before
 * anything runs, and one trace layout for all of them. Columns of units that do not exist have no
 * value; a column `unit.exists` says which do.
 */
import { type Checked, type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import { connectorsOf } from "../coordinate/connectors-of.ts";
import { hasFaults } from "../model/apply-faults.ts";
import { MASTERS } from "../model/masters.ts";
import { isFloat } from "../model/port-value.ts";
import type {
  Condition,
  Crossing,
  CrossingDirection,
  ElementRef,
  PortValue,
  Scenario,
  StepLimit,
  Structure,
} from "../model/scenario.ts";
import { type BankName, bankOf } from "../model/value-type.ts";
import { withFaultTriggers } from "../plan/fault-needs.ts";
import type { Plan } from "../plan/plan.ts";
import { PLAN_DIAGNOSTICS } from "../plan/plan-diagnostics.ts";
import type { ColumnInfo } from "../record/trace.ts";
import type { PlannedRun, RunRequest } from "./plan-run.ts";

/** Plans a scenario of one structure. */
export type PlanOne = (scenario: Scenario, request: RunRequest) => Checked<PlannedRun>;

export interface StructurePlan {
  /** With all units that ever exist. */
  readonly scenario: Scenario;
  readonly structure: Structure;
  readonly request: RunRequest;
  /** All plans are made for masters that decide at run time. */
  readonly decides: boolean;
  readonly start: number;
  /** By column: where its values lie in the banks of rows, and what there is while it has none. */
  readonly slots: readonly { readonly bank: BankName; readonly slot: number }[];
  /** By name: the place of a column. */
  readonly places: ReadonlyMap<string, number>;
  /** By unit that does not always exist: its column. */
  readonly exists: ReadonlyMap<number, number>;
  readonly columns: readonly ColumnInfo[];
}

/** Values of units that are added, by unit of the whole scenario. */
export type GivenValues = ReadonlyMap<number, readonly PortValue[]>;

export function planStructure(
  scenario: Scenario,
  structure: Structure,
  request: RunRequest,
  planOne: PlanOne,
): Checked<PlannedRun> {
  const diagnostics: Diagnostic[] = [];
  const asked = { scenario, structure, request, planOne };
  const decides = needsDecisions(asked);
  const planned = structure.states.map((_, s) => planState({ ...asked, decides }, s));
  planned.forEach((one, s) => {
    for (const finding of one.diagnostics)
      if (isWorthSaying(finding, planned, s)) diagnostics.push(finding);
  });
  const values = planned.flatMap(({ value }) => value ?? []);
  const [first] = values;
  if (first === undefined || values.length < planned.length || hasErrors(diagnostics))
    return { diagnostics };
  const { plan } = first.compiled;
  diagnostics.push(...checkRules(scenario, structure, plan));
  if (hasErrors(diagnostics)) return { diagnostics };
  const all = layoutOf(scenario, structure, values);
  const record = {
    ...plan.record,
    columns: all.columns.map(({ name }, c) => {
      return { unit: -1, port: -1, element: 0, name, ...all.slots[c] };
    }),
  };
  const { start } = plan;
  return {
    value: {
      compiled: { ...first.compiled, plan: { ...plan, record } },
      columns: all.columns,
      structure: { scenario, structure, request, decides, start, ...all },
    },
    diagnostics,
  };
}

/**
 * Whether some structure needs a master that decides at run time. Then all of them have one: a unit
 * that handles events together with others goes on doing so. Instants of faults lie between
 * communication points once these are counted from a change.
 */
export function needsDecisions(asked: Omit<StateRequest, "decides">): boolean {
  const plans = asked.structure.states.flatMap(
    (_, s) => planState({ ...asked, decides: false }, s).value?.compiled.plan ?? [],
  );
  if (plans.some(({ master }) => MASTERS[master].coordinates)) return false;
  return hasFaults(asked.scenario) || plans.some(({ coupling }) => coupling !== undefined);
}

/**
 * What holds of one structure is said once; a pattern is wrong where it matches in none of them.
 */
function isWorthSaying(
  { code, message }: Diagnostic,
  planned: readonly Checked<PlannedRun>[],
  s: number,
): boolean {
  const says = planned.map(({ diagnostics }) =>
    diagnostics.some((one) => one.code === code && one.message === message),
  );
  if (code === "record-no-match" || code === "record-nothing")
    return s === 0 && says.every(Boolean);
  return says.indexOf(true) === s;
}

interface StateRequest
  extends Pick<StructurePlan, "scenario" | "structure" | "request" | "decides"> {
  readonly planOne: PlanOne;
}

/** The plan of structure `s`, beginning at `request.start`. */
export function planState(
  { scenario: { units: all }, structure, request, decides, planOne }: StateRequest,
  s: number,
  given: GivenValues = new Map(),
): Checked<PlannedRun & { readonly scenario: Scenario }> {
  const { units, scenario } = structure.states[s];
  const current: Scenario = {
    ...scenario,
    ...(decides && { limits: [...scenario.limits, NO_LIMIT] }),
    units: scenario.units.map((unit, k) => {
      const own = given.get(units[k]) ?? [];
      const isOther = ({ port }: PortValue): boolean => own.every((one) => one.port !== port);
      return { ...unit, values: [...all[units[k]].values.filter(isOther), ...own] };
    }),
  };
  const planned = planOne(current, request);
  const isCoordinated = planned.value && MASTERS[planned.value.compiled.plan.master].coordinates;
  const crossings = crossingsOf(all, structure, s);
  if (planned.value === undefined || isCoordinated || crossings.length === 0)
    return withScenario(planned, current);
  // What conditions watch is located, as declared events are.
  const watching = { ...current, events: [...current.events, ...crossings] };
  return withScenario(planOne(watching, request), watching);
}

function withScenario(
  { value, diagnostics }: Checked<PlannedRun>,
  scenario: Scenario,
): Checked<PlannedRun & { readonly scenario: Scenario }> {
  return value === undefined ? { diagnostics } : { value: { ...value, scenario }, diagnostics };
}

/** Bounds nothing, and lets the plan be one that decides at run time. */
const NO_LIMIT: StepLimit = { kind: "at", times: [] };

/** Real signals of the conditions that can change structure `s`. */
function crossingsOf(
  all: Scenario["units"],
  { states, rules, next }: Structure,
  s: number,
): Crossing[] {
  const { units } = states[s];
  const inside = ({ unit, ...rest }: ElementRef): ElementRef => ({
    ...rest,
    unit: units.indexOf(unit),
  });
  const isReal = ({ signal }: Condition): boolean =>
    isFloat(all[signal.unit].description.ports[signal.port].type);
  return rules.flatMap((rule, r) =>
    next[s][r] < 0
      ? []
      : rule.when.filter(isReal).map((one): Crossing => {
          const { signal, level, other, text, place } = one;
          return {
            signal: inside(signal),
            level,
            ...(other && { other: { ...other, ...inside(other) } }),
            direction: directionOf(one),
            text,
            place,
          };
        }),
  );
}

/** How a signal gets to where the condition holds. */
export function directionOf({ operator }: Condition): CrossingDirection {
  if (operator.startsWith(">")) return "rising";
  return operator.startsWith("<") ? "falling" : "any";
}

/**
 * Without common steps a unit stops where its own output meets a condition, and all others follow
 * it there.
 */
function checkCoordinated(scenario: Scenario, structure: Structure, plan: Plan): Diagnostic[] {
  const { master } = plan;
  const isArray = ({ unit, port }: ElementRef): boolean =>
    scenario.units[unit].description.ports[port].shape.length > 0;
  const impossible = structure.rules
    .flatMap(({ when }) => when)
    .find(({ signal, other }) => other !== undefined || isArray(signal));
  if (impossible !== undefined) {
    const params = { condition: impossible.text, master };
    return [diagnose(PLAN_DIAGNOSTICS, "structure-condition-master", params, impossible.place)];
  }
  return structure.states.flatMap(({ units, scenario: one }, s) => {
    const rules = structure.rules.filter((_, r) => structure.next[s][r] >= 0);
    const signals = rules.flatMap(({ when }) =>
      when.map(({ signal }) => units.indexOf(signal.unit)),
    );
    return connectorsOf(withFaultTriggers(one), plan.step, signals).diagnostics;
  });
}

function checkRules(scenario: Scenario, structure: Structure, plan: Plan): Diagnostic[] {
  const { master, start, step } = plan;
  if (MASTERS[master].coordinates) return checkCoordinated(scenario, structure, plan);
  const { rules } = structure;
  const constant = scenario.units.find(({ description }) => !description.capabilities.variableStep);
  return rules.flatMap(({ at, text, place }): Diagnostic[] => {
    if (at === undefined || constant === undefined) return [];
    const ticks = (at - start) / step;
    if (Math.abs(ticks - Math.round(ticks)) <= ON_TICK * Math.max(1, ticks)) return [];
    const params = { rule: `at t=${at} this rule ${text}`, unit: constant.name };
    return [diagnose(PLAN_DIAGNOSTICS, "structure-late", params, place)];
  });
}

/** Part of a step by which a time may miss a communication point and still mean it. */
export const ON_TICK = 1e-9;

/** Columns of all structures, by unit; then numbers about the run; then which units exist. */
function layoutOf(
  { units }: Scenario,
  { states }: Structure,
  planned: readonly PlannedRun[],
): Pick<StructurePlan, "slots" | "places" | "exists" | "columns"> {
  const found = new Map<string, ColumnInfo>();
  for (const { columns } of planned)
    for (const info of columns) if (!found.has(info.name)) found.set(info.name, info);
  const rank = ({ name }: ColumnInfo): number => {
    const owner = units.findIndex((unit) => name.startsWith(`${unit.name}.`));
    return owner < 0 ? units.length : owner;
  };
  const columns = [...found.values()].sort((a, b) => rank(a) - rank(b));
  const exists = new Map<number, number>();
  units.forEach(({ name, source }, u) => {
    if (source.kind === "formula" || states.every((state) => state.units.includes(u))) return;
    exists.set(u, columns.length);
    const description = `whether '${name}' exists`;
    columns.push({ name: `${name}.exists`, type: "boolean", description, stepwise: true });
  });
  const sizes = { f64: 0, i64: 0, obj: 0 };
  const slots = columns.map(({ type }) => ({ bank: bankOf(type), slot: sizes[bankOf(type)]++ }));
  return { columns, exists, slots, places: new Map(columns.map(({ name }, c) => [name, c])) };
}
