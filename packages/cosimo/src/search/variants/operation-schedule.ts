/**
 * The operation schedule of a variant (definition 49): a graph whose nodes are the calls of a
 * co-simulation step, set, get and step, and whose edges say which must come before which. The
 * edges follow from the conditions of a valid step (definition 43):
 *
 *   3  inputs are set before their unit steps
 *   4  what is got is set
 *   5  a reactive input gets what its source has after its step
 *   6  a delayed input gets what its source had before its step
 *
 * A variant is executable if its schedule has a topological order (definition 50); otherwise a
 * cycle shows why not. Units that are scenarios themselves have a schedule of their own, which runs
 * whenever they step (section 8.5.4).
 */
import { SCHEMES, schemeOf } from "../../model/masters.ts";
import type { Connection, Scenario } from "../../model/scenario.ts";
import { portName } from "../../model/scenario-ports.ts";
import { connectedKind } from "../../model/unit-kind.ts";
import type { Compiled } from "../../plan/compile.ts";
import { compilePlan } from "../../plan/compile.ts";
import { strongComponents } from "../../plan/strong-components.ts";

export interface Operation {
  readonly kind: "set" | "get" | "step";
  readonly unit: string;
  /** `unit.port`; absent: of a step. */
  readonly port?: string;
  /** "get plant.f", "step plant". */
  readonly text: string;
}

/** Operation `from` comes before operation `to`, by a condition of definition 43. */
export interface Precedence {
  readonly from: number;
  readonly to: number;
  readonly condition: 3 | 4 | 5 | 6;
}

export interface OperationSchedule {
  readonly name: string;
  readonly operations: readonly Operation[];
  readonly edges: readonly Precedence[];
  /** A topological order; absent: there is none, and `cycle` shows why. */
  readonly order?: readonly number[];
  readonly cycle?: readonly number[];
  /**
   * Operations that are repeated until they agree, where the master iterates: their order is the
   * master's.
   */
  readonly iterated: readonly number[];
  /** Schedules of units that are scenarios. */
  readonly inside: readonly OperationSchedule[];
}

/** Whether a variant can be executed, those inside of it included. */
export function isExecutable({ order, inside }: OperationSchedule): boolean {
  return order !== undefined && inside.every(isExecutable);
}

/** @param order of the units, where the master has one; inputs of no declared kind follow it. */
export function operationSchedule(
  scenario: Scenario,
  master: { readonly scheme: keyof typeof SCHEMES; readonly order: readonly number[] },
  name: string = scenario.name,
): OperationSchedule {
  const builder = new ScheduleBuilder();
  for (const { name: unit } of scenario.units) builder.at("step", unit);
  for (const connection of scenario.connections) {
    const [source, target] = [connection.from, connection.to].map(
      ({ unit }) => scenario.units[unit]?.name ?? "",
    ) as [string, string];
    const isReactive = isReactiveInput(scenario, connection, master);
    const [from, to] = [connection.from, connection.to].map((ref) => portName(scenario, ref)) as [
      string,
      string,
    ];
    // An output that feeds inputs of both kinds is read twice.
    const get = builder.at("get", source, from, isReactive ? "after" : "before");
    const set = builder.at("set", target, to);
    builder.edge(get, set, 4);
    builder.edge(set, builder.at("step", target), 3);
    const step = builder.at("step", source);
    if (isReactive) builder.edge(step, get, 5);
    else {
      builder.edge(get, step, 6);
      builder.edge(set, step, 6);
    }
  }
  const { operations, edges } = builder;
  const targets: number[][] = operations.map(() => []);
  for (const { from, to } of edges) targets[from]?.push(to);
  const loops = strongComponents(targets).filter((members) => members.length > 1);
  const { iterates } = SCHEMES[master.scheme];
  const inside = scenario.units.flatMap(({ name: unit, scenario: inner }) =>
    inner === undefined ? [] : [innerSchedule(inner, unit)],
  );
  const common = { name, operations, edges, inside };
  if (loops.length > 0 && !iterates) {
    const cycle = shortestCycle(targets, loops[0] ?? []);
    return { ...common, cycle, iterated: [] };
  }
  return { ...common, order: topological(targets, loops), iterated: loops.flat() };
}

/** The schedule of a scenario with the master that it has; undefined where it cannot be planned. */
export function scheduleOf(scenario: Scenario, compiled: Compiled): OperationSchedule {
  const { plan, order } = compiled;
  const scheme = schemeOf(plan.master, scenario.master.options);
  return operationSchedule(scenario, { scheme, order: order.units });
}

function innerSchedule(inner: Scenario, unit: string): OperationSchedule {
  const compiled = compilePlan(inner, { record: [], isNested: true }).value;
  const name = `inside '${unit}'`;
  if (compiled === undefined)
    return { name, operations: [], edges: [], cycle: [], iterated: [], inside: [] };
  return { ...scheduleOf(inner, compiled), name };
}

/**
 * What a connection says must be so. That a unit would make use of the end of the step is no such
 * condition: masters that cannot give it that value give it the one of the start.
 */
function isReactiveInput(
  scenario: Scenario,
  connection: Connection,
  { scheme, order }: { readonly scheme: keyof typeof SCHEMES; readonly order: readonly number[] },
): boolean {
  const { approximation = "hold", from, to } = connection;
  if (connectedKind(scenario, connection) === "delayed") return false;
  if (connection.kind === "reactive" || approximation === "interpolation") return true;
  if (SCHEMES[scheme].iterates) return true;
  if (!SCHEMES[scheme].isSequential || approximation !== "hold") return false;
  return order.indexOf(from.unit) < order.indexOf(to.unit);
}

class ScheduleBuilder {
  readonly operations: Operation[] = [];
  readonly edges: Precedence[] = [];
  private readonly known = new Map<string, number>();

  at(kind: Operation["kind"], unit: string, port?: string, when = ""): number {
    const key = `${kind} ${port ?? unit} ${when}`;
    const index = this.known.get(key) ?? this.operations.length;
    if (index === this.operations.length) {
      this.known.set(key, index);
      const text = `${kind} ${port ?? unit}`;
      this.operations.push({ kind, unit, text, ...(port !== undefined && { port }) });
    }
    return index;
  }

  edge(from: number, to: number, condition: Precedence["condition"]): void {
    if (this.edges.some((one) => one.from === from && one.to === to)) return;
    this.edges.push({ from, to, condition });
  }
}

/** Sources first, members of a loop together; among those that are free, the first one. */
function topological(
  targets: readonly (readonly number[])[],
  loops: readonly (readonly number[])[],
): number[] {
  const loopOf = new Map<number, readonly number[]>();
  for (const members of loops) for (const member of members) loopOf.set(member, members);
  const waiting = targets.map(() => 0);
  targets.forEach((list, from) => {
    for (const to of list)
      if (loopOf.get(from) === undefined || loopOf.get(from) !== loopOf.get(to))
        waiting[to] = (waiting[to] ?? 0) + 1;
  });
  const order: number[] = [];
  const isPlaced = new Set<number>();
  while (order.length < targets.length) {
    const next = targets.findIndex((_, node) => {
      const members = loopOf.get(node) ?? [node];
      return !isPlaced.has(node) && members.every((member) => waiting[member] === 0);
    });
    if (next < 0) throw new Error("internal: a schedule without loops has no order");
    for (const node of loopOf.get(next) ?? [next]) {
      isPlaced.add(node);
      order.push(node);
    }
    for (const node of loopOf.get(next) ?? [next])
      for (const to of targets[node] ?? [])
        if (!(loopOf.get(next) ?? [next]).includes(to)) waiting[to] = (waiting[to] ?? 0) - 1;
  }
  return order;
}

/** The shortest way around inside of a component, from one of its members. */
function shortestCycle(
  targets: readonly (readonly number[])[],
  members: readonly number[],
): number[] {
  const inside = new Set(members);
  let best: number[] = [];
  for (const start of members) {
    const before = new Map<number, number>();
    const queue = [start];
    for (const node of queue) {
      if ((targets[node] ?? []).includes(start)) {
        const way = [node];
        while (way[0] !== start) way.unshift(before.get(way[0] as number) as number);
        if (best.length === 0 || way.length < best.length) best = way;
        break;
      }
      for (const to of targets[node] ?? [])
        if (inside.has(to) && to !== start && !before.has(to)) {
          before.set(to, node);
          queue.push(to);
        }
    }
  }
  return best;
}

/** Why a schedule cannot be executed, in one line. */
export function obstacleText(schedule: OperationSchedule): string | undefined {
  const { cycle, operations, inside, name } = schedule;
  if (cycle !== undefined) {
    const texts = cycle.map((i) => operations[i]?.text ?? "");
    const around = [...texts, texts[0] ?? ""].join(" → ");
    return texts.length === 0
      ? `${name} has no plan`
      : `the operations wait for each other: ${around}`;
  }
  for (const one of inside) {
    const found = obstacleText(one);
    if (found !== undefined) return `${one.name}: ${found}`;
  }
  return undefined;
}
