/**
 * The last pass: schedules and approximations become ops. What a tick does is described in plan.ts.
 */

import { addTo, ascending } from "../base/collections.ts";
import { present } from "../base/present.ts";
import { iterates } from "../model/masters.ts";
import type { ElementRef } from "../model/scenario.ts";
import { placeOf } from "../model/scenario-ports.ts";
import { portSize } from "../model/unit-description.ts";
import { type CouplingRequest, emitCoupling } from "./emit-coupling.ts";
import { InputEmitter, type InputRequest, isEarly } from "./emit-inputs.ts";
import { emitLoops } from "./emit-loops.ts";
import { MoveEmitter } from "./emit-moves.ts";
import { loopText } from "./loop-path.ts";
import { OpWriter } from "./op-writer.ts";
import { type InitialItem, Op, type Plan, type RecordColumn, type SlopeGroup } from "./plan.ts";
import type { PlanReport } from "./plan-diagnostics.ts";
import {
  chooseTears,
  type LoopTears,
  type ResolveAction,
  resolveSchedule,
} from "./resolve-schedule.ts";
import { SignalLayout } from "./signal-layout.ts";
import { GROWTH_COLUMN, INDEX_COLUMN } from "./statistics.ts";

export interface EmitInput extends InputRequest {
  readonly master: Plan["master"];
  readonly start: number;
  readonly order: readonly number[];
  readonly record: readonly ElementRef[];
  readonly recordEvery: number;
  /** For masters that decide at run time. */
  readonly coupling?: CouplingRequest;
  /** Which numbers about the run are recorded. Default: all. */
  readonly statistics?: (name: string) => boolean;
  readonly growth?: boolean;
  readonly index?: boolean;
}

export function emitPlan(input: EmitInput, report: PlanReport): Plan {
  return new Emitter(input, report).plan();
}

class Emitter {
  private readonly input: EmitInput;
  private readonly report: PlanReport;
  private readonly layout: SignalLayout;
  private readonly moves: MoveEmitter;
  private readonly tears: LoopTears;
  private readonly inputs: InputEmitter;
  private readonly slopes: SlopeGroup[] = [];
  /** By unit, the connections whose source is read right after its advance, for later units. */
  private readonly earlyOf = new Map<number, number[]>();

  constructor(input: EmitInput, report: PlanReport) {
    this.input = input;
    this.report = report;
    this.layout = new SignalLayout(input.scenario);
    this.moves = new MoveEmitter(this.layout, report);
    this.tears = chooseTears(input.scenario, input.graph);
    this.inputs = new InputEmitter(input, this.layout, this.slopes, this.tears);
    for (const plan of input.inputs)
      if (isEarly(plan))
        addTo(this.earlyOf, input.scenario.connections[plan.connection].from.unit, plan.connection);
  }

  plan(): Plan {
    const { scenario, graph, rates, master, start } = this.input;
    const schedule = resolveSchedule(scenario, graph, this.tears);
    // Slots in the order of use: what is read or written together lies together.
    for (const action of schedule)
      if (action.kind === "read")
        for (const port of action.ports) this.layout.signal(action.unit, port);
    for (const { unit, port, isInput } of graph.nodes) if (isInput) this.layout.signal(unit, port);
    this.inputs.makeTracks();
    const columns = this.recordColumns();
    const loops = emitLoops(scenario, graph, this.layout, this.moves, this.tears, this.report);
    this.reportDelays(loops);
    const step = new OpWriter();
    for (const unit of this.input.order) this.emitAdvance(step, unit);
    const settled = this.settledEarly();
    const resolve = step.part(() => this.emitResolve(step, schedule, settled));
    this.inputs.tracks.forEach(({ sampleTicks }, t) => {
      step.every(sampleTicks, () => step.add(Op.Sample, t));
    });
    this.emitComingInputs(step);
    this.emitRecordedReads(step, columns, this.input.recordEvery);
    // Everything that still adds accesses, slots or constants comes before the plan is assembled.
    const segments = {
      initial: this.initialItems(
        loops.map(({ component }) => component),
        // Without loops there is but one order.
        loops.length === 0 ? schedule : resolveSchedule(scenario, graph, undefined),
      ),
      start: this.startOps(columns),
      resolve:
        settled.size === 0 && resolve ? resolve : opsOf((w) => this.emitResolve(w, schedule)),
      inputs: opsOf((w) => this.emitComingInputs(w)),
      step: step.done(),
    };
    const coupling =
      this.input.coupling &&
      emitCoupling(this.input.coupling, columns, segments.resolve, {
        scenario,
        layout: this.layout,
        moves: this.moves,
        slopes: this.slopes,
      });
    const growth = this.input.growth === true ? this.layout.allocate("f64", 1) : undefined;
    const index = this.input.index === true ? this.layout.allocate("f64", 1) : undefined;
    const wanted = this.input.statistics ?? (() => true);
    const statistics = [
      ...(coupling?.statistics ?? []).filter(({ name }) => wanted(name)),
      ...(growth === undefined ? [] : [{ name: GROWTH_COLUMN, slot: growth }]),
      ...(index === undefined ? [] : [{ name: INDEX_COLUMN, slot: index }]),
    ].map(({ name, slot }): RecordColumn => ({ ...NO_PORT, bank: "f64", slot, name }));
    return {
      name: scenario.name,
      master,
      start,
      step: rates.step,
      units: scenario.units.map((unit, u) => ({ name: unit.name, ticks: rates.ticks[u] })),
      sizes: { ...this.layout.sizes },
      accesses: this.layout.accesses,
      slopes: this.slopes,
      tracks: this.inputs.tracks,
      constants: Float64Array.from(this.moves.constants),
      maps: this.moves.maps,
      loops: loops.map(({ loop }) => loop),
      segments,
      record: { columns: [...columns, ...statistics], every: this.input.recordEvery },
      ...present({ growth, index }),
      ...(coupling && { coupling }),
    };
  }

  // ---- the step -------------------------------------------------------------------------------

  private emitAdvance(w: OpWriter, unit: number): void {
    w.every(this.input.rates.ticks[unit], () => {
      this.inputs.emitAdvance(w, unit);
      this.emitEarlyReads(w, unit);
    });
  }

  /** New outputs that later units of the sequence get. */
  private emitEarlyReads(w: OpWriter, unit: number): void {
    const { connections } = this.input.scenario;
    const wanted = (this.earlyOf.get(unit) ?? []).map((c) => connections[c]);
    this.emitRead(w, unit, ascending(wanted.map(({ from }) => from.port)));
    for (const connection of wanted) this.moves.emit(w, connection);
  }

  private emitRead(w: OpWriter, unit: number, ports: readonly number[]): void {
    if (ports.length > 0) w.add(Op.Read, this.layout.signalAccess(unit, ports));
  }

  /**
   * Outputs (by node) that were read right after the advance and do not depend on inputs directly.
   */
  private settledEarly(): ReadonlySet<number> {
    const { scenario, graph } = this.input;
    const dependent = new Set(graph.edges.flat());
    const early = [...this.earlyOf.values()].flat().map((c) => scenario.connections[c].from);
    return new Set(
      early.map(({ unit, port }) => graph.nodeOf(unit, port)).filter((v) => !dependent.has(v)),
    );
  }

  private emitResolve(
    w: OpWriter,
    schedule: readonly ResolveAction[],
    settled: ReadonlySet<number> = new Set(),
  ): void {
    const { scenario, graph, rates, inputs } = this.input;
    const isSettled = (unit: number, port: number): boolean =>
      settled.has(graph.nodeOf(unit, port));
    const move = (c: number): void => {
      const connection = scenario.connections[c];
      w.every(rates.ticks[connection.from.unit], () => this.moves.emit(w, connection));
    };
    for (const action of schedule) {
      if (action.kind === "read") {
        const { unit, ports } = action;
        const open = ports.filter((port) => !isSettled(unit, port));
        this.emitReads(w, unit, open);
      } else if (action.kind === "write") {
        w.every(rates.ticks[action.unit], () =>
          w.add(Op.Write, this.layout.signalAccess(action.unit, action.ports)),
        );
      } else if (action.kind === "move") {
        const { from } = scenario.connections[action.connection];
        if (isEarly(inputs[action.connection]) && isSettled(from.unit, from.port)) continue;
        move(action.connection);
      }
    }
    for (const c of this.tears.connections) move(c);
  }

  /** What is only recorded is read as seldom as it is recorded, where the unit has a point then. */
  private emitReads(w: OpWriter, unit: number, ports: readonly number[]): void {
    const { graph, rates, recordEvery } = this.input;
    const ticks = rates.ticks[unit];
    const seldom = recordEvery % ticks === 0 ? recordEvery : ticks;
    const watched = ports.filter(
      (port) => seldom !== ticks && graph.edges[graph.nodeOf(unit, port)].length === 0,
    );
    const others = ports.filter((port) => !watched.includes(port));
    w.every(ticks, () => this.emitRead(w, unit, others));
    w.every(seldom, () => this.emitRead(w, unit, watched));
  }

  private emitComingInputs(w: OpWriter): void {
    this.input.rates.ticks.forEach((ticks, unit) => {
      w.every(ticks, () => this.inputs.emitComing(w, unit));
    });
  }

  // ---- initialization, recording --------------------------------------------------------------

  private initialItems(
    components: readonly number[],
    schedule: readonly ResolveAction[],
  ): InitialItem[] {
    const { scenario, graph } = this.input;
    const items: InitialItem[] = [];
    let w = new OpWriter();
    const flush = (): void => {
      if (w.count > 0) items.push({ kind: "ops", ops: w.done() });
      w = new OpWriter();
    };
    this.emitStartValues(w);
    for (const action of schedule) {
      if (action.kind === "read") this.emitRead(w, action.unit, action.ports);
      else if (action.kind === "write") this.emitInitialWrite(w, action.unit, action.ports);
      else if (action.kind === "move") this.moves.emit(w, scenario.connections[action.connection]);
      else {
        flush();
        items.push({ kind: "loop", loop: components.indexOf(action.component) });
      }
    }
    // Inputs without feed-through still need their values before the first step.
    this.inputs.inputsOf.forEach((ports, unit) => {
      const late = ports.filter((port) => graph.edges[graph.nodeOf(unit, port)].length === 0);
      this.emitInitialWrite(w, unit, late);
    });
    flush();
    return items;
  }

  /** Clocks do not tick before the first event. */
  private emitInitialWrite(w: OpWriter, unit: number, ports: readonly number[]): void {
    const valued = ports.filter((port) => this.layout.port(unit, port).type !== "clock");
    if (valued.length > 0) w.add(Op.Write, this.layout.signalAccess(unit, valued));
  }

  /**
   * Elements without a connection keep their start values; loops are solved starting from theirs.
   */
  private emitStartValues(w: OpWriter): void {
    const { scenario, graph } = this.input;
    const inLoop = new Set(graph.components.filter((members) => members.length > 1).flat());
    const connected = new Map<number, number>();
    for (const { to, count } of scenario.connections) {
      const node = graph.nodeOf(to.unit, to.port);
      connected.set(node, (connected.get(node) ?? 0) + count);
    }
    const byUnit = new Map<number, number[]>();
    graph.nodes.forEach(({ unit, port, isInput }, node) => {
      const isWhole = connected.get(node) === portSize(this.layout.port(unit, port));
      if (isInput && (!isWhole || inLoop.has(node))) addTo(byUnit, unit, port);
    });
    for (const [unit, ports] of byUnit) this.emitRead(w, unit, ascending(ports));
  }

  private startOps(columns: readonly RecordColumn[]): Int32Array {
    return opsOf((w) => {
      this.inputs.tracks.forEach((_, t) => {
        for (let i = 0; i < 3; i++) w.add(Op.Sample, t);
      });
      this.input.scenario.units.forEach((_, unit) => {
        this.inputs.emitComing(w, unit);
      });
      this.emitRecordedReads(w, columns, 1);
    });
  }

  private recordColumns(): RecordColumn[] {
    return this.input.record.map(({ unit, port, element }) => ({
      unit,
      port,
      element,
      bank: this.layout.bank(unit, port),
      slot: this.layout.signal(unit, port) + element,
    }));
  }

  /** Recorded ports outside the graph: no other op reads them. */
  private emitRecordedReads(w: OpWriter, columns: readonly RecordColumn[], ticks: number): void {
    const { graph } = this.input;
    const byUnit = new Map<number, number[]>();
    for (const { unit, port } of columns)
      if (graph.nodeOf(unit, port) < 0) addTo(byUnit, unit, port);
    w.every(ticks, () => {
      for (const [unit, ports] of byUnit) this.emitRead(w, unit, ascending(ports));
    });
  }

  private reportDelays(loops: ReturnType<typeof emitLoops>): void {
    const { coupling, scenario } = this.input;
    const isIterated = coupling !== undefined && iterates(coupling.settings);
    for (const { loop, torn, held } of loops) {
      const delayed = isIterated ? held : loop.delayed;
      if (delayed.length === 0) continue;
      const params = { loop: loopText(loop.path, loop.ports), delayed: delayed.join(", ") };
      this.report("loop-delayed", params, torn[0]?.place ?? placeOf(scenario));
    }
  }
}

/** A column that is a number about the run itself. */
const NO_PORT = { unit: -1, port: -1, element: 0 } as const;

function opsOf(emit: (w: OpWriter) => void): Int32Array {
  const w = new OpWriter();
  emit(w);
  return w.done();
}
