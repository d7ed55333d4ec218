/**
 * The plan's ops, separately for every unit, for masters that decide at run time: what a unit
 * writes, what it gives to others, what is watched. See coupling-plan.ts for what each part means.
 */
import { ascending } from "../base/collections.ts";
import { iterates } from "../model/masters.ts";
import type { Connection, Crossing, ElementRef, PortRef, Scenario } from "../model/scenario.ts";
import { connectedKind } from "../model/unit-kind.ts";
import type {
  CoupledBond,
  CoupledComponent,
  CoupledConstraint,
  CoupledInput,
  CouplingPlan,
  Statistic,
  UnitStage,
  WatchedCrossing,
  WatchedLimit,
} from "./coupling-plan.ts";
import { InstantEmitter } from "./emit-instant.ts";
import type { MoveEmitter } from "./emit-moves.ts";
import { emitSlopes, emitValues } from "./emit-varying.ts";
import { announcedChanges } from "./fault-needs.ts";
import { DEGREES, type InputPlan } from "./input-plan.ts";
import { isCoupled, stepDependencies, unitsWithout } from "./master-needs.ts";
import type { MasterSettings } from "./master-settings.ts";
import { OpWriter } from "./op-writer.ts";
import { Op, type RecordColumn, type SlopeGroup } from "./plan.ts";
import type { PolicyPlan } from "./policies.ts";
import type { SignalLayout } from "./signal-layout.ts";
import { bondStatistic, masterStatistics, type StatisticInfo } from "./statistics.ts";
import { strongComponents } from "./strong-components.ts";

export interface CouplingRequest {
  readonly settings: MasterSettings;
  /** How the trajectory of every connection's input reaches its unit. */
  readonly inputs: readonly InputPlan[];
  /** The sequence of units in a sweep. */
  readonly order: readonly number[];
  readonly policies?: PolicyPlan;
}

/** What the emitters of one plan share and add to. */
export interface Emission {
  readonly scenario: Scenario;
  readonly layout: SignalLayout;
  readonly moves: MoveEmitter;
  readonly slopes: SlopeGroup[];
}

export function emitCoupling(
  request: CouplingRequest,
  columns: readonly RecordColumn[],
  resolve: Int32Array,
  emission: Emission,
): CouplingPlan {
  return new CouplingEmitter(request, emission).emit(columns, resolve);
}

class CouplingEmitter {
  private readonly request: CouplingRequest;
  private readonly scenario: Scenario;
  private readonly layout: SignalLayout;
  private readonly emission: Emission;
  private readonly inputs: CoupledInput[] = [];
  private readonly statistics: Statistic[] = [];
  private readonly inParts = new Set<number>();
  /** Units that depend on each other within a step, sources first. */
  private readonly groups: readonly (readonly number[])[];
  /** By unit, the place of its group. */
  private readonly groupOf: readonly number[];

  constructor(request: CouplingRequest, emission: Emission) {
    this.request = request;
    this.emission = emission;
    this.scenario = emission.scenario;
    this.layout = emission.layout;
    this.groups = strongComponents(stepDependencies(this.scenario));
    const groupOf = this.scenario.units.map(() => 0);
    this.groups.forEach((units, place) => {
      for (const unit of units) groupOf[unit] = place;
    });
    this.groupOf = groupOf;
  }

  emit(columns: readonly RecordColumn[], resolve: Int32Array): CouplingPlan {
    const { scenario } = this;
    const { settings } = this.request;
    this.makeInputs();
    const constraints = scenario.constraints.map((_, c) => this.constraint(c));
    const bonds = scenario.bonds.map((_, b) => this.bond(b));
    const stages = scenario.units.map((_, u) => this.stage(u));
    this.makeStatistics();
    const instant = new InstantEmitter(scenario, this.layout, (unit) => this.hasEvents(unit));
    return {
      settings,
      inputs: this.inputs,
      order: this.request.order,
      stages,
      components: this.components(),
      constraints,
      bonds,
      crossings: scenario.events.map((event) => this.crossing(event)),
      ...this.stepLimits(),
      resolve: instant.inStepMode(resolve),
      instant: stages.some(({ eventMode }) => eventMode) ? instant.inEventMode(resolve) : [],
      watch: this.reads([
        ...scenario.events.flatMap(({ signal, other, of }) => [
          ...(other ? [signal, other] : [signal]),
          ...(of?.signals.values() ?? []),
        ]),
        ...scenario.limits.flatMap((limit) => (limit.kind === "difference" ? [limit.signal] : [])),
      ]),
      observe: this.reads(columns.filter((column) => column.unit >= 0 && !this.isDriven(column))),
      statistics: this.statistics,
      keepsStart: scenario.connections.some((connection) => this.keepsStart(connection)),
      ...announcedChanges(scenario),
      ...(this.request.policies && { policies: this.request.policies }),
    };
  }

  // ---- inputs ---------------------------------------------------------------------------------

  private makeInputs(): void {
    const { scenario } = this;
    scenario.connections.forEach(
      ({ from, to, toElement, fromElement, count, factor, integral, approximation }, c) => {
        const plan = this.request.inputs[c];
        const port = this.layout.port(to.unit, to.port);
        if (!isCoupled(port)) return;
        if (plan.through === "micro-steps") this.inParts.add(to.unit);
        const jumps =
          approximation === undefined &&
          this.layout.port(from.unit, from.port).variability !== "continuous";
        for (let i = 0; i < count; i++) {
          this.addInput({ ...to, element: toElement + i }, from.unit, c, {
            sourcePort: from.port,
            factor,
            order: DEGREES[plan.approximation],
            jumps,
            interpolated: plan.approximation === "interpolation",
            takesEnd: this.takesEnd(plan, jumps),
            nominal: port.nominal ?? this.nominalOf(from, Math.abs(factor)),
            ...(integral && {
              integral: { slot: this.slotOf({ ...integral, element: fromElement + i }), factor },
            }),
          });
        }
      },
    );
  }

  /**
   * Whether an input is held at the value of the end of the step. An iterated step has trajectories
   * of its own; only a jump that comes from before the loop is held there.
   */
  private takesEnd({ connection: c, approximation, takes }: InputPlan, jumps: boolean): boolean {
    if (!iterates(this.request.settings)) return approximation === "hold" && takes === "end";
    const connection = this.scenario.connections[c];
    const isDelayed = connectedKind(this.scenario, connection) === "delayed";
    const { from, to } = connection;
    return jumps && !isDelayed && this.groupOf[from.unit] < this.groupOf[to.unit];
  }

  private addInput(
    at: ElementRef,
    source: number,
    connection: number,
    more: Omit<
      CoupledInput,
      keyof ElementRef | "name" | "source" | "connection" | "signal" | "value" | "slope"
    >,
  ): number {
    const { unit, port, element } = at;
    const isArray = this.layout.port(unit, port).shape.length > 0;
    this.inputs.push({
      unit,
      port,
      element,
      name: `${this.layout.name(unit, port)}${isArray ? `[${element + 1}]` : ""}`,
      source,
      connection,
      signal: this.slotOf(at),
      value: this.layout.value(unit, port) + element,
      slope: this.layout.allocate("f64", 2),
      ...more,
    });
    return this.inputs.length - 1;
  }

  /** Indices of the inputs that `wanted` accepts. */
  private inputsWhere(wanted: (input: CoupledInput) => boolean): number[] {
    return this.inputs.flatMap((input, i) => (wanted(input) ? [i] : []));
  }

  private isDriven({ unit, port }: PortRef): boolean {
    return (
      this.inputs.some((input) => input.unit === unit && input.port === port) ||
      this.scenario.connections.some(({ to }) => to.unit === unit && to.port === port)
    );
  }

  private slotOf({ unit, port, element }: ElementRef): number {
    return this.layout.signal(unit, port) + element;
  }

  private nominalOf({ unit, port }: PortRef, factor = 1): number {
    const { nominal } = this.layout.port(unit, port);
    return nominal === undefined ? 1 : Math.abs(nominal) * (factor === 0 ? 1 : factor);
  }

  // ---- stages ---------------------------------------------------------------------------------

  private stage(unit: number): UnitStage {
    const { scenario, layout } = this;
    const { settings } = this.request;
    const inputs = this.inputsWhere((input) => input.unit === unit);
    const feeds = this.inputsWhere(({ source }) => source === unit);
    const coupledPorts = ascending(inputs.map((i) => this.inputs[i].port));
    const heldPorts = ascending(
      scenario.connections
        .filter(({ to }) => to.unit === unit && !coupledPorts.includes(to.port))
        .map(({ to }) => to.port),
    );
    const held = new OpWriter();
    if (heldPorts.length > 0 && !this.hasEvents(unit))
      held.add(Op.Write, layout.signalAccess(unit, heldPorts));
    const values = new OpWriter();
    const coupled = new OpWriter();
    const isCoupledElement = (port: number, element: number): boolean =>
      inputs.some((i) => this.inputs[i].port === port && this.inputs[i].element === element);
    for (const w of [values, coupled]) emitValues(w, layout, unit, coupledPorts, isCoupledElement);
    const { capabilities, ports } = scenario.units[unit].description;
    const varies = inputs.some((i) => this.inputs[i].order > 0);
    if (varies && !this.inParts.has(unit)) {
      const elements = inputs
        .map((i) => this.inputs[i])
        .map(({ port, element, slope, order }) => {
          const degree = Math.min(order, capabilities.inputDerivativeOrder);
          return { port, element, slope, degree };
        })
        .toSorted((a, b) => a.port - b.port);
      emitSlopes(coupled, layout, unit, elements, this.emission.slopes);
    }
    const inParts = varies && this.inParts.has(unit);
    const parts = inParts ? settings.microSteps : 1;
    const given = this.givenBy(unit);
    return {
      inputs,
      feeds,
      writeHeld: held.done(),
      writeCoupled: coupled.done(),
      writeValues: values.done(),
      collect: this.collect(unit, given),
      inParts,
      parts,
      feedThrough: given.some((port) => {
        const { feedThrough } = ports[port];
        return coupledPorts.some((input) => feedThrough?.includes(input) ?? true);
      }),
      longest: scenario.units[unit].step ?? Number.POSITIVE_INFINITY,
      eventMode: this.hasEvents(unit),
    };
  }

  private hasEvents(unit: number): boolean {
    return (
      this.request.settings.eventMode &&
      this.scenario.units[unit].description.capabilities.eventMode
    );
  }

  /** Output ports that other units or constraints use within a step. */
  private givenBy(unit: number): number[] {
    const { connections, constraints } = this.scenario;
    const wanted: PortRef[] = [
      ...connections.map(({ from }) => from),
      ...connections.flatMap(({ integral }) => integral ?? []),
      ...constraints.flatMap(({ left, right, rate }) =>
        rate ? [left, right, rate.left, rate.right] : [left, right],
      ),
    ];
    return ascending(wanted.filter((ref) => ref.unit === unit).map(({ port }) => port));
  }

  private collect(unit: number, ports: readonly number[]): Int32Array {
    const w = new OpWriter();
    if (ports.length > 0) w.add(Op.Read, this.layout.signalAccess(unit, ports));
    for (const connection of this.scenario.connections)
      if (connection.from.unit === unit && !this.keepsStart(connection))
        this.emission.moves.emit(w, connection);
    return w.done();
  }

  /** Whether its signal moves only when all signals are resolved, between two steps. */
  private keepsStart(connection: Connection): boolean {
    const { from, to } = connection;
    if (isCoupled(this.layout.port(to.unit, to.port))) return false;
    const isDelayed = connectedKind(this.scenario, connection) === "delayed";
    return isDelayed || this.isIterated(from.unit, to.unit);
  }

  /** Whether both are rolled back together: what is not iterated must not move meanwhile. */
  private isIterated(a: number, b: number): boolean {
    const group = this.groupOf[a];
    if (!iterates(this.request.settings) || group !== this.groupOf[b]) return false;
    const units = this.groups[group].map((u) => this.scenario.units[u]);
    return unitsWithout({ units }, "rollback").length === 0;
  }

  private reads(ports: readonly PortRef[]): Int32Array {
    const w = new OpWriter();
    for (let unit = 0; unit < this.scenario.units.length; unit++) {
      const own = ascending(ports.filter((ref) => ref.unit === unit).map(({ port }) => port));
      if (own.length > 0) w.add(Op.Read, this.layout.signalAccess(unit, own));
    }
    return w.done();
  }

  // ---- what holds between units ---------------------------------------------------------------

  private components(): CoupledComponent[] {
    const { scenario } = this;
    const edges = stepDependencies(scenario);
    const { order } = this.request;
    return this.groups.map((group) => {
      const units = group.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
      const inside = new Set(units);
      return {
        units,
        cyclic: units.length > 1 || edges[units[0]].includes(units[0]),
        inputs: this.inputsWhere(({ unit, source }) => inside.has(unit) && inside.has(source)),
        constraints: scenario.constraints.flatMap(({ left }, c) =>
          inside.has(left.unit) ? [c] : [],
        ),
      };
    });
  }

  private constraint(c: number): CoupledConstraint {
    const { left, right, factor, offset, rate, by, text } = this.scenario.constraints[c];
    return {
      text,
      left: this.slotOf(left),
      right: this.slotOf(right),
      factor,
      offset,
      ...(rate && {
        rate: {
          left: this.slotOf(rate.left),
          right: this.slotOf(rate.right),
          factor: rate.factor,
        },
      }),
      by: by.map((ref) => {
        const { capabilities } = this.scenario.units[ref.unit].description;
        if (capabilities.inputDerivativeOrder === 0) this.inParts.add(ref.unit);
        const nominal = this.nominalOf(ref);
        const input = this.addInput(ref, -1, -1, {
          sourcePort: -1,
          factor: ref.factor,
          order: 1,
          nominal,
          jumps: false,
          interpolated: false,
          takesEnd: false,
        });
        return { input, factor: ref.factor };
      }),
      nominal: this.nominalOf(left),
    };
  }

  private crossing({
    text,
    signal,
    level,
    other,
    of,
    direction,
    tolerance,
    regularization: { temporal, spatial } = {},
    switches,
  }: Crossing): WatchedCrossing {
    const { eventTolerance } = this.request.settings;
    return {
      text,
      slot: this.slotOf(signal),
      level,
      ...(other && {
        other: { slot: this.slotOf(other), factor: other.factor, offset: other.offset },
      }),
      ...(of && {
        of: {
          expression: of.expression,
          slots: [...of.signals].map(([name, ref]) => [name, this.slotOf(ref)] as const),
        },
      }),
      direction,
      tolerance: tolerance ?? eventTolerance * (of ? 1 : this.nominalOf(signal)),
      ...(temporal !== undefined && { dwell: temporal }),
      ...(spatial !== undefined && { hysteresis: spatial }),
      ...(switches && { switches }),
    };
  }

  private stepLimits(): Pick<CouplingPlan, "limits" | "points"> {
    const limits: WatchedLimit[] = [];
    const every: { every: number; offset: number }[] = [];
    const at: number[] = [];
    for (const limit of this.scenario.limits) {
      if (limit.kind === "every") every.push({ every: limit.every, offset: limit.offset });
      else if (limit.kind === "at") at.push(...limit.times);
      else {
        const { signal, atMost } = limit;
        const name = this.layout.name(signal.unit, signal.port);
        limits.push({ name, slot: this.slotOf(signal), atMost });
      }
    }
    return { limits, points: { every, at: at.sort((a, b) => a - b) } };
  }

  private bond(b: number): CoupledBond {
    const { name, effort, flow, preserve } = this.scenario.bonds[b];
    const { connections } = this.scenario;
    const inputOf = (c: number): number => this.inputs.findIndex((i) => i.connection === c);
    const sourceOf = (c: number): number => {
      const { from, fromElement } = connections[c];
      return this.slotOf({ ...from, element: fromElement });
    };
    return {
      name,
      effortInput: inputOf(effort),
      flowInput: inputOf(flow),
      effort: sourceOf(effort),
      flow: sourceOf(flow),
      readEffort: this.reads([connections[effort].from]),
      readFlow: this.reads([connections[flow].from]),
      effortFactor: connections[effort].factor,
      flowFactor: connections[flow].factor,
      preserve,
      power: this.statistic(bondStatistic(name, "power")),
      energy: this.statistic(bondStatistic(name, "energy")),
      transferred: this.layout.allocate("f64", 1),
      moved: this.layout.allocate("f64", 1),
      made: this.layout.allocate("f64", 1),
    };
  }

  private makeStatistics(): void {
    const units = this.scenario.units.map(({ name }) => name);
    for (const info of masterStatistics(this.request, units)) this.statistic(info);
  }

  private statistic(info: StatisticInfo): number {
    const slot = this.layout.allocate("f64", 1);
    this.statistics.push({ ...info, slot });
    return slot;
  }
}
