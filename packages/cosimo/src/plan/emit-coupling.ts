/**
 * The plan's ops cut up for masters that decide at run time: what one unit writes, what it gives to others, what is watched.
 * See coupling-plan.ts for what each part means.
 */
import type { Connection, ElementRef, PortRef, Scenario } from "../model/scenario.ts";
import { connectedKind } from "../model/unit-kind.ts";
import type {
  CoupledBond,
  CoupledComponent,
  CoupledConstraint,
  CoupledInput,
  CouplingPlan,
  Statistic,
  UnitStage,
} from "./coupling-plan.ts";
import { InstantEmitter } from "./emit-instant.ts";
import type { MoveEmitter } from "./emit-moves.ts";
import { emitSlopes, emitValues } from "./emit-varying.ts";
import type { InputPlan } from "./input-plan.ts";
import { isCoupled, stepDependencies } from "./master-needs.ts";
import type { MasterSettings } from "./master-settings.ts";
import { OpWriter } from "./op-writer.ts";
import { Op, type RecordColumn, type SlopeGroup } from "./plan.ts";
import type { PolicyPlan } from "./policies.ts";
import type { SignalLayout } from "./signal-layout.ts";
import { bondStatistic, masterStatistics, type StatisticInfo } from "./statistics.ts";
import { strongComponents } from "./strong-components.ts";

export interface CouplingRequest {
  readonly settings: MasterSettings;
  /** How the course of every connection's input reaches its unit. */
  readonly inputs: readonly InputPlan[];
  /** The sequence of units in a sweep. */
  readonly order: readonly number[];
  readonly policies?: PolicyPlan;
}

const DEGREE = {
  hold: 0,
  linear: 1,
  quadratic: 2,
  "extrapolated-interpolation": 1,
  interpolation: 1,
} as const;

export function emitCoupling(
  request: CouplingRequest,
  scenario: Scenario,
  layout: SignalLayout,
  moves: MoveEmitter,
  slopes: SlopeGroup[],
  columns: readonly RecordColumn[],
  resolve: Int32Array,
): CouplingPlan {
  const emitter = new CouplingEmitter(request, scenario, layout, moves, slopes);
  return emitter.emit(columns, resolve);
}

class CouplingEmitter {
  private readonly request: CouplingRequest;
  private readonly scenario: Scenario;
  private readonly layout: SignalLayout;
  private readonly moves: MoveEmitter;
  private readonly slopes: SlopeGroup[];
  private readonly inputs: CoupledInput[] = [];
  private readonly statistics: Statistic[] = [];
  private readonly inParts = new Set<number>();
  /** By unit, the place of its group among those that are advanced one after the other. */
  private readonly componentOf: readonly number[];

  constructor(
    request: CouplingRequest,
    scenario: Scenario,
    layout: SignalLayout,
    moves: MoveEmitter,
    slopes: SlopeGroup[],
  ) {
    this.request = request;
    this.scenario = scenario;
    this.layout = layout;
    this.moves = moves;
    this.slopes = slopes;
    const groups = strongComponents(stepDependencies(scenario));
    this.componentOf = scenario.units.map((_, u) => groups.findIndex((units) => units.includes(u)));
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
      crossings: scenario.events.map((event) => ({
        text: event.text,
        slot: this.slotOf(event.signal),
        level: event.level,
        ...(event.other === undefined
          ? {}
          : {
              other: {
                slot: this.slotOf(event.other),
                factor: event.other.factor,
                offset: event.other.offset,
              },
            }),
        direction: event.direction,
        tolerance: event.tolerance ?? settings.eventTolerance * this.nominalOf(event.signal),
      })),
      limits: scenario.limits.flatMap((limit) =>
        limit.kind === "difference"
          ? [
              {
                name: this.layout.name(limit.signal.unit, limit.signal.port),
                slot: this.slotOf(limit.signal),
                atMost: limit.atMost,
              },
            ]
          : [],
      ),
      points: {
        every: scenario.limits.flatMap((limit) =>
          limit.kind === "every" ? [{ every: limit.every, offset: limit.offset }] : [],
        ),
        at: scenario.limits
          .flatMap((limit) => (limit.kind === "at" ? limit.times : []))
          .toSorted((a, b) => a - b),
      },
      resolve: instant.inStepMode(resolve),
      instant: stages.some(({ eventMode }) => eventMode) ? instant.inEventMode(resolve) : [],
      watch: this.reads([
        ...scenario.events.flatMap(({ signal, other }) => (other ? [signal, other] : [signal])),
        ...scenario.limits.flatMap((limit) => (limit.kind === "difference" ? [limit.signal] : [])),
      ]),
      observe: this.reads(columns.filter((column) => column.unit >= 0 && !this.isDriven(column))),
      statistics: this.statistics,
      keepsStart: scenario.connections.some((connection) => this.keepsStart(connection)),
      ...(this.request.policies === undefined ? {} : { policies: this.request.policies }),
    };
  }

  // ---- inputs -------------------------------------------------------------------------------------------------

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
            order: DEGREE[plan.approximation],
            jumps,
            interpolated: plan.approximation === "interpolation",
            takesEnd: this.takesEnd(plan, jumps),
            nominal: port.nominal ?? this.nominalOf(from, Math.abs(factor)),
            ...(integral === undefined
              ? {}
              : {
                  integral: {
                    slot: this.layout.signal(integral.unit, integral.port) + fromElement + i,
                    factor,
                  },
                }),
          });
        }
      },
    );
  }

  /** Held at the end's value. A step that is iterated has courses of its own; only what jumps before the loop is reached is held. */
  private takesEnd({ connection, approximation, takes }: InputPlan, jumps: boolean): boolean {
    if (this.request.settings.coupling !== "iterative")
      return approximation === "hold" && takes === "end";
    const { from, to } = this.scenario.connections[connection];
    const isDelayed =
      connectedKind(this.scenario, this.scenario.connections[connection]) === "delayed";
    return jumps && !isDelayed && this.componentOf[from.unit] < this.componentOf[to.unit];
  }

  private addInput(
    at: ElementRef,
    source: number,
    connection: number,
    more: Pick<
      CoupledInput,
      | "sourcePort"
      | "factor"
      | "order"
      | "nominal"
      | "integral"
      | "jumps"
      | "interpolated"
      | "takesEnd"
    >,
  ): number {
    const { unit, port, element } = at;
    const shape = this.layout.port(unit, port).shape;
    return (
      this.inputs.push({
        unit,
        port,
        element,
        name: `${this.layout.name(unit, port)}${shape.length > 0 ? `[${element}]` : ""}`,
        source,
        connection,
        signal: this.layout.signal(unit, port) + element,
        value: this.layout.value(unit, port) + element,
        slope: this.layout.allocate("f64", 2),
        ...more,
      }) - 1
    );
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

  // ---- stages -------------------------------------------------------------------------------------------------

  private stage(unit: number): UnitStage {
    const { scenario, layout } = this;
    const { settings } = this.request;
    const inputs = [...this.inputs.keys()].filter((i) => this.inputs[i].unit === unit);
    const feeds = [...this.inputs.keys()].filter((i) => this.inputs[i].source === unit);
    const coupledPorts = sorted(inputs.map((i) => this.inputs[i].port));
    const heldPorts = sorted(
      scenario.connections
        .filter(({ to }) => to.unit === unit && !coupledPorts.includes(to.port))
        .map(({ to }) => to.port),
    );
    const held = new OpWriter();
    if (heldPorts.length > 0 && !this.hasEvents(unit))
      held.add(Op.Write, layout.signalAccess(unit, heldPorts));
    const values = new OpWriter();
    const coupled = new OpWriter();
    const isCourse = (port: number, element: number): boolean =>
      inputs.some((i) => this.inputs[i].port === port && this.inputs[i].element === element);
    for (const w of [values, coupled]) emitValues(w, layout, unit, coupledPorts, isCourse);
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
      emitSlopes(coupled, layout, unit, elements, this.slopes);
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

  /** Output ports that somebody else looks at within a step. */
  private givenBy(unit: number): number[] {
    const { connections, constraints } = this.scenario;
    const wanted: PortRef[] = [
      ...connections.map(({ from }) => from),
      ...connections.flatMap(({ integral }) => integral ?? []),
      ...constraints.flatMap(({ left, right, rate }) =>
        rate ? [left, right, rate.left, rate.right] : [left, right],
      ),
    ];
    return sorted(wanted.filter((ref) => ref.unit === unit).map(({ port }) => port));
  }

  private collect(unit: number, ports: readonly number[]): Int32Array {
    const w = new OpWriter();
    if (ports.length > 0) w.add(Op.Read, this.layout.signalAccess(unit, ports));
    for (const connection of this.scenario.connections)
      if (connection.from.unit === unit && !this.keepsStart(connection))
        this.moves.emit(w, connection);
    return w.done();
  }

  /** Its signal moves only when all signals are resolved, between two steps. What has a course has its own memory. */
  private keepsStart(connection: Connection): boolean {
    const { from, to } = connection;
    if (isCoupled(this.layout.port(to.unit, to.port))) return false;
    const isDelayed = connectedKind(this.scenario, connection) === "delayed";
    return isDelayed || this.isIterated(from.unit, to.unit);
  }

  /** Both are taken back together until they agree: what is not part of the agreement must not move meanwhile. */
  private isIterated(a: number, b: number): boolean {
    const group = this.componentOf[a];
    return (
      this.request.settings.coupling === "iterative" &&
      group === this.componentOf[b] &&
      this.scenario.units.every(
        ({ description }, u) => this.componentOf[u] !== group || description.capabilities.rollback,
      )
    );
  }

  private reads(ports: readonly PortRef[]): Int32Array {
    const w = new OpWriter();
    for (let unit = 0; unit < this.scenario.units.length; unit++) {
      const own = sorted(ports.filter((ref) => ref.unit === unit).map(({ port }) => port));
      if (own.length > 0) w.add(Op.Read, this.layout.signalAccess(unit, own));
    }
    return w.done();
  }

  // ---- what holds between units -------------------------------------------------------------------------------

  private components(): CoupledComponent[] {
    const { scenario } = this;
    const edges = stepDependencies(scenario);
    const place = new Map(this.request.order.map((unit, at) => [unit, at]));
    return strongComponents(edges).map((found) => {
      const units = found.toSorted((a, b) => place.get(a)! - place.get(b)!);
      const inside = new Set(units);
      const constraints = [...scenario.constraints.keys()].filter((c) =>
        inside.has(scenario.constraints[c].left.unit),
      );
      return {
        units,
        cyclic: units.length > 1 || edges[units[0]].includes(units[0]),
        inputs: [...this.inputs.keys()].filter(
          (i) => inside.has(this.inputs[i].unit) && inside.has(this.inputs[i].source),
        ),
        constraints,
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
      ...(rate === undefined
        ? {}
        : {
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

function sorted(ports: readonly number[]): number[] {
  return [...new Set(ports)].sort((a, b) => a - b);
}
