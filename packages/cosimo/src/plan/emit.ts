/**
 * The last pass: schedules and approximations become ops. What a tick does is described in plan.ts.
 */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import type { Scenario } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { type CouplingRequest, emitCoupling } from "./emit-coupling.ts";
import { emitLoops } from "./emit-loops.ts";
import { MoveEmitter } from "./emit-moves.ts";
import { emitCopies, emitSlopes, emitValues } from "./emit-varying.ts";
import { EndInputs, isEarly } from "./end-inputs.ts";
import type { InputPlan } from "./input-plan.ts";
import { OpWriter } from "./op-writer.ts";
import {
  type InitialItem,
  Op,
  type Plan,
  type RecordColumn,
  type SlopeGroup,
  type Track,
} from "./plan.ts";
import { PLAN_DIAGNOSTICS } from "./plan-diagnostics.ts";
import type { PortGraph } from "./port-graph.ts";
import type { Rates } from "./rates.ts";
import { chooseTears, type LoopTears, resolveSchedule } from "./resolve-schedule.ts";
import { SignalLayout } from "./signal-layout.ts";
import { GROWTH_COLUMN } from "./statistics.ts";

export interface EmitInput {
  readonly scenario: Scenario;
  readonly graph: PortGraph;
  readonly master: Plan["master"];
  readonly start: number;
  readonly rates: Rates;
  readonly order: readonly number[];
  readonly inputs: readonly InputPlan[];
  readonly microSteps: number;
  readonly record: readonly {
    readonly unit: number;
    readonly port: number;
    readonly element: number;
  }[];
  readonly recordEvery: number;
  /** For masters that decide at run time. */
  readonly coupling?: CouplingRequest;
  /** Which numbers about the run are recorded; all unless said. */
  readonly statistics?: (name: string) => boolean;
  readonly growth?: boolean;
}

export function emitPlan(input: EmitInput, report: (diagnostic: Diagnostic) => void): Plan {
  return new Emitter(input, report).plan();
}

class Emitter {
  private readonly input: EmitInput;
  private readonly report: (diagnostic: Diagnostic) => void;
  private readonly layout: SignalLayout;
  private readonly moves: MoveEmitter;
  private readonly tears: LoopTears;
  private readonly tracks: Track[] = [];
  private readonly slopes: SlopeGroup[] = [];
  private readonly tracksOf = new Map<number, number[]>();
  private readonly connectionOf: number[] = [];
  /** Connected inputs of every unit, in ascending order. */
  private readonly inputsOf: readonly number[][];
  /** Nodes of the inputs where a loop is broken. */
  private readonly tornInputs: ReadonlySet<number>;
  /** Connections from a unit whose sources are read right after the advance, for units further down the sequence. */
  private readonly earlyOf = new Map<number, number[]>();
  private readonly endInputs: EndInputs;

  constructor(input: EmitInput, report: (diagnostic: Diagnostic) => void) {
    this.input = input;
    this.report = report;
    this.layout = new SignalLayout(input.scenario);
    this.moves = new MoveEmitter(this.layout, report);
    this.tears = chooseTears(input.scenario, input.graph);
    this.inputsOf = input.scenario.units.map(() => []);
    for (const { unit, port, isInput } of input.graph.nodes)
      if (isInput) this.inputsOf[unit].push(port);
    for (const ports of this.inputsOf) ports.sort((a, b) => a - b);
    this.tornInputs = new Set(
      [...this.tears.connections].map((c) => {
        const { to } = input.scenario.connections[c];
        return input.graph.nodeOf(to.unit, to.port);
      }),
    );
    this.endInputs = new EndInputs(input.scenario, input.inputs);
    for (const plan of input.inputs) {
      const { connection } = plan;
      if (!isEarly(plan)) continue;
      const { unit } = input.scenario.connections[connection].from;
      this.earlyOf.set(unit, [...(this.earlyOf.get(unit) ?? []), connection]);
    }
  }

  plan(): Plan {
    const { scenario, graph, rates, master, start } = this.input;
    const schedule = resolveSchedule(scenario, graph, this.tears);
    // Slots in the order of use: what is read or written together lies together.
    for (const action of schedule) {
      if (action.kind === "read")
        for (const port of action.ports) this.layout.signal(action.unit, port);
    }
    for (const { unit, port, isInput } of graph.nodes) if (isInput) this.layout.signal(unit, port);
    this.makeTracks();
    const columns = this.recordColumns();
    const loops = emitLoops(scenario, graph, this.layout, this.moves, this.tears, this.report);
    this.reportDelays(loops);
    const step = new OpWriter();
    for (const unit of this.input.order) this.emitAdvance(step, unit);
    this.emitResolve(step, schedule, this.settledEarly());
    this.emitComingStep(step);
    this.emitRecordedReads(step, columns);
    // Everything that still adds accesses, slots or constants comes before the plan is put together.
    const segments = {
      initial: this.initialItems(loops.map(({ component }) => component)),
      start: this.startOps(columns),
      resolve: this.resolveOps(schedule),
      inputs: this.inputOps(),
      step: step.done(),
    };
    const coupling =
      this.input.coupling &&
      emitCoupling(
        this.input.coupling,
        scenario,
        this.layout,
        this.moves,
        this.slopes,
        columns,
        segments.resolve,
      );
    const growth = this.input.growth === true ? this.layout.allocate("f64", 1) : undefined;
    const wanted = this.input.statistics ?? (() => true);
    const statistics = [
      ...(coupling?.statistics ?? []).filter(({ name }) => wanted(name)),
      ...(growth === undefined ? [] : [{ name: GROWTH_COLUMN, slot: growth }]),
    ].map(
      ({ name, slot }): RecordColumn => ({
        unit: -1,
        port: -1,
        element: 0,
        bank: "f64",
        slot,
        name,
      }),
    );
    return {
      name: scenario.name,
      master,
      start,
      step: rates.step,
      units: scenario.units.map((unit, u) => ({ name: unit.name, ticks: rates.ticks[u] })),
      sizes: { ...this.layout.sizes },
      accesses: this.layout.accesses,
      slopes: this.slopes,
      tracks: this.tracks,
      constants: Float64Array.from(this.moves.constants),
      maps: this.moves.maps,
      loops: loops.map(({ loop }) => loop),
      segments,
      record: { columns: [...columns, ...statistics], every: this.input.recordEvery },
      ...(growth === undefined ? {} : { growth }),
      ...(coupling === undefined ? {} : { coupling }),
    };
  }

  // ---- tracks -------------------------------------------------------------------------------------------------

  private makeTracks(): void {
    const { scenario, inputs, rates } = this.input;
    for (const { connection: c, approximation } of inputs) {
      if (approximation === "hold") continue;
      const { from, to, toElement, count } = scenario.connections[c];
      const stepTicks = rates.ticks[to.unit];
      const sourceTicks = rates.ticks[from.unit];
      for (let i = 0; i < count; i++) {
        const element = toElement + i;
        this.connectionOf.push(c);
        this.tracksOf.set(to.unit, [...(this.tracksOf.get(to.unit) ?? []), this.tracks.length]);
        this.tracks.push({
          unit: to.unit,
          port: to.port,
          element,
          approximation,
          signal: this.layout.signal(to.unit, to.port) + element,
          value: this.layout.value(to.unit, to.port) + element,
          history: this.layout.allocate("f64", 3),
          slope: this.layout.allocate("f64", 2),
          // A slow source gives new samples only at its own points; a fast one is sampled where the unit stands.
          sampleTicks:
            sourceTicks % stepTicks === 0 && approximation !== "interpolation"
              ? sourceTicks
              : stepTicks,
          stepTicks,
        });
      }
    }
  }

  /** Tracks of a unit that reach it in one of these ways. */
  private tracksThrough(
    unit: number,
    through: InputPlan["through"],
    interpolated: boolean,
  ): number[] {
    return (this.tracksOf.get(unit) ?? []).filter((t) => {
      const plan = this.input.inputs[this.connectionOf[t]];
      return plan.through === through && (plan.approximation === "interpolation") === interpolated;
    });
  }

  private portsOf(tracks: readonly number[]): number[] {
    return [...new Set(tracks.map((t) => this.tracks[t].port))].sort((a, b) => a - b);
  }

  private isTracked(unit: number, port: number, element: number): boolean {
    const tracks = this.tracksOf.get(unit) ?? [];
    return tracks.some((t) => this.tracks[t].port === port && this.tracks[t].element === element);
  }

  /** Has the value of the start of a step, and no course. */
  private isHeldFromStart(unit: number, port: number, element: number): boolean {
    return !this.isTracked(unit, port, element) && !this.endInputs.has(unit, port, element);
  }

  /** At a communication point: values into the unit; elements of the same port that do not vary come along. */
  private emitValuesNow(w: OpWriter, unit: number, ports: readonly number[]): void {
    emitValues(w, this.layout, unit, ports, (port, element) => this.isTracked(unit, port, element));
  }

  /** Before an advance, when sources may have moved on: what is held from the start was put aside there. */
  private emitValuesAtAdvance(w: OpWriter, unit: number, ports: readonly number[]): void {
    emitValues(
      w,
      this.layout,
      unit,
      ports,
      (port, element) => !this.endInputs.has(unit, port, element),
    );
  }

  /** Ports of a unit that are put together of values before its advance. */
  private assembledPorts(unit: number): number[] {
    const tracks = [
      ...this.tracksThrough(unit, "slopes", true),
      ...this.tracksThrough(unit, "micro-steps", true),
      ...this.tracksThrough(unit, "micro-steps", false),
    ];
    const mixed = this.endInputs.ports[unit].filter((port) => this.isMixed(unit, port));
    return [...new Set([...this.portsOf(tracks), ...mixed])].sort((a, b) => a - b);
  }

  /** Some elements take the end of the step, others something else. */
  private isMixed(unit: number, port: number): boolean {
    const elements = [...Array(portSize(this.layout.port(unit, port))).keys()];
    return elements.some((element) => !this.endInputs.has(unit, port, element));
  }

  private emitSlopes(w: OpWriter, unit: number, tracks: readonly number[]): void {
    const elements = tracks.map((t) => {
      const { port, element, slope, approximation } = this.tracks[t];
      return { port, element, slope, degree: approximation === "quadratic" ? 2 : 1 };
    });
    emitSlopes(w, this.layout, unit, elements, this.slopes);
  }

  // ---- the step -----------------------------------------------------------------------------------------------

  private emitAdvance(w: OpWriter, unit: number): void {
    w.every(this.input.rates.ticks[unit], () => {
      const sloped = this.tracksThrough(unit, "slopes", true);
      const interpolated = this.tracksThrough(unit, "micro-steps", true);
      const predicted = this.tracksThrough(unit, "micro-steps", false);
      const inParts = this.portsOf([...interpolated, ...predicted]);
      this.emitEndInputs(w, unit, [...this.portsOf(sloped), ...inParts]);
      for (const t of sloped) w.add(Op.Interpolate, t);
      this.emitValuesAtAdvance(w, unit, this.portsOf(sloped));
      this.emitSlopesOf(w, unit, this.portsOf(sloped));
      const parts = interpolated.length + predicted.length > 0 ? this.input.microSteps : 1;
      for (let k = 0; k < parts; k++) {
        for (const t of interpolated) w.add(Op.Interpolate, t, k, parts);
        for (const t of predicted) w.add(Op.Predict, t, k, parts);
        this.emitValuesAtAdvance(w, unit, inParts);
        w.add(Op.Advance, unit, k, parts);
      }
      this.emitEarlyReads(w, unit);
    });
  }

  /** Held inputs whose sources have gone ahead; `written` are taken care of. */
  private emitEndInputs(w: OpWriter, unit: number, written: readonly number[]): void {
    const open = this.endInputs.ports[unit].filter((port) => !written.includes(port));
    const mixed = open.filter((port) => this.isMixed(unit, port));
    const whole = open.filter((port) => !mixed.includes(port));
    if (whole.length > 0) w.add(Op.Write, this.layout.signalAccess(unit, whole));
    this.emitValuesAtAdvance(w, unit, mixed);
    this.emitSlopesOf(w, unit, mixed);
  }

  /** Slopes are told port by port: those of the past once more beside those of the step. */
  private emitSlopesOf(w: OpWriter, unit: number, ports: readonly number[]): void {
    const tracks = [false, true].flatMap((ends) => this.tracksThrough(unit, "slopes", ends));
    this.emitSlopes(
      w,
      unit,
      tracks.filter((t) => ports.includes(this.tracks[t].port)).sort((a, b) => a - b),
    );
  }

  /** New outputs that units further down the sequence get. */
  private emitEarlyReads(w: OpWriter, unit: number): void {
    const { scenario } = this.input;
    const wanted = (this.earlyOf.get(unit) ?? []).map((c) => scenario.connections[c]);
    if (wanted.length === 0) return;
    const ports = [...new Set(wanted.map(({ from }) => from.port))].sort((a, b) => a - b);
    w.add(Op.Read, this.layout.signalAccess(unit, ports));
    for (const connection of wanted) this.moves.emit(w, connection);
  }

  /** Outputs (by node) that were read right after the advance and depend on no input at once: they are what they were. */
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
    schedule: ReturnType<typeof resolveSchedule>,
    settled: ReadonlySet<number> = new Set(),
  ): void {
    const { scenario, graph, rates, inputs } = this.input;
    const isSettled = (unit: number, port: number): boolean =>
      settled.has(graph.nodeOf(unit, port));
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
        const connection = scenario.connections[action.connection];
        const { from } = connection;
        if (isEarly(inputs[action.connection]) && isSettled(from.unit, from.port)) continue;
        w.every(rates.ticks[from.unit], () => this.moves.emit(w, connection));
      }
    }
    for (const c of this.tears.connections) {
      const connection = scenario.connections[c];
      w.every(rates.ticks[connection.from.unit], () => this.moves.emit(w, connection));
    }
  }

  /** What is only recorded is read as seldom as it is recorded, where the unit stands at a communication point then. */
  private emitReads(w: OpWriter, unit: number, ports: readonly number[]): void {
    const { graph, rates, recordEvery } = this.input;
    const ticks = rates.ticks[unit];
    const seldom = recordEvery % ticks === 0 ? recordEvery : ticks;
    const watched = ports.filter(
      (port) => seldom !== ticks && graph.edges[graph.nodeOf(unit, port)].length === 0,
    );
    const wanted = ports.filter((port) => !watched.includes(port));
    w.every(ticks, () => {
      if (wanted.length > 0) w.add(Op.Read, this.layout.signalAccess(unit, wanted));
    });
    w.every(seldom, () => {
      if (watched.length > 0) w.add(Op.Read, this.layout.signalAccess(unit, watched));
    });
  }

  /** At a communication point, everything resolved: samples taken, inputs of the coming step written. */
  private emitComingStep(w: OpWriter): void {
    this.tracks.forEach((track, t) => {
      w.every(track.sampleTicks, () => w.add(Op.Sample, t));
    });
    this.emitComingInputs(w);
  }

  private emitComingInputs(w: OpWriter): void {
    for (let unit = 0; unit < this.input.scenario.units.length; unit++) {
      w.every(this.input.rates.ticks[unit], () => this.emitInputs(w, unit));
    }
  }

  private emitInputs(w: OpWriter, unit: number): void {
    const held = this.heldPorts(unit).filter((port) => !this.writtenWhileResolving(unit, port));
    if (held.length > 0) w.add(Op.Write, this.layout.signalAccess(unit, held));
    const sloped = this.tracksThrough(unit, "slopes", false);
    for (const t of sloped) w.add(Op.Predict, t);
    this.emitValuesNow(w, unit, this.portsOf(sloped));
    this.emitSlopes(w, unit, sloped);
    emitCopies(w, this.layout, unit, this.assembledPorts(unit), (port, element) =>
      this.isHeldFromStart(unit, port, element),
    );
  }

  private heldPorts(unit: number): number[] {
    const tracked = new Set((this.tracksOf.get(unit) ?? []).map((t) => this.tracks[t].port));
    const atAdvance = this.endInputs.ports[unit];
    return this.inputsOf[unit].filter((port) => !tracked.has(port) && !atAdvance.includes(port));
  }

  private writtenWhileResolving(unit: number, port: number): boolean {
    const { graph } = this.input;
    const node = graph.nodeOf(unit, port);
    return graph.edges[node].length > 0 && !this.tornInputs.has(node);
  }

  // ---- beginning, recording -----------------------------------------------------------------------------------

  private initialItems(components: readonly number[]): InitialItem[] {
    const { scenario, graph } = this.input;
    const items: InitialItem[] = [];
    let w = new OpWriter();
    const flush = (): void => {
      if (w.count > 0) items.push({ kind: "ops", ops: w.done() });
      w = new OpWriter();
    };
    this.emitStartValues(w);
    for (const action of resolveSchedule(scenario, graph, undefined)) {
      if (action.kind === "read")
        w.add(Op.Read, this.layout.signalAccess(action.unit, action.ports));
      else if (action.kind === "write") this.emitInitialWrite(w, action.unit, action.ports);
      else if (action.kind === "move") this.moves.emit(w, scenario.connections[action.connection]);
      else {
        flush();
        items.push({ kind: "loop", loop: components.indexOf(action.component) });
      }
    }
    // Inputs that nothing depends on at once still have to be there before the first step.
    for (let unit = 0; unit < scenario.units.length; unit++) {
      const late = this.inputsOf[unit].filter(
        (port) => graph.edges[graph.nodeOf(unit, port)].length === 0,
      );
      this.emitInitialWrite(w, unit, late);
    }
    flush();
    return items;
  }

  /** Clocks do not tick before the first event. */
  private emitInitialWrite(w: OpWriter, unit: number, ports: readonly number[]): void {
    const valued = ports.filter((port) => this.layout.port(unit, port).type !== "clock");
    if (valued.length > 0) w.add(Op.Write, this.layout.signalAccess(unit, valued));
  }

  private resolveOps(schedule: ReturnType<typeof resolveSchedule>): Int32Array {
    const w = new OpWriter();
    this.emitResolve(w, schedule);
    return w.done();
  }

  private inputOps(): Int32Array {
    const w = new OpWriter();
    this.emitComingInputs(w);
    return w.done();
  }

  /** Elements that no connection reaches keep their start values; inputs of a loop begin the search with theirs. */
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
      const whole = connected.get(node) === portSize(this.layout.port(unit, port));
      if (!isInput || (whole && !inLoop.has(node))) return;
      byUnit.set(unit, [...(byUnit.get(unit) ?? []), port]);
    });
    for (const [unit, ports] of byUnit) {
      const sorted = ports.sort((a, b) => a - b);
      w.add(Op.Read, this.layout.signalAccess(unit, sorted));
    }
  }

  private startOps(columns: readonly RecordColumn[]): Int32Array {
    const w = new OpWriter();
    this.tracks.forEach((_, t) => {
      for (let i = 0; i < 3; i++) w.add(Op.Sample, t);
    });
    for (let unit = 0; unit < this.input.scenario.units.length; unit++) this.emitInputs(w, unit);
    this.emitRecordedReads(w, columns, true);
    return w.done();
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

  /** Ports that are recorded, but neither connected nor moved by inputs at once: nobody else reads them. */
  private emitRecordedReads(w: OpWriter, columns: readonly RecordColumn[], always = false): void {
    const { graph } = this.input;
    const byUnit = new Map<number, Set<number>>();
    for (const { unit, port } of columns) {
      if (graph.nodeOf(unit, port) >= 0) continue;
      byUnit.set(unit, (byUnit.get(unit) ?? new Set()).add(port));
    }
    w.every(always ? 1 : this.input.recordEvery, () => {
      for (const [unit, ports] of byUnit)
        w.add(
          Op.Read,
          this.layout.signalAccess(
            unit,
            [...ports].sort((a, b) => a - b),
          ),
        );
    });
  }

  private reportDelays(loops: ReturnType<typeof emitLoops>): void {
    const iterates = this.input.coupling?.settings.coupling === "iterative";
    for (const { loop, torn, held } of loops) {
      const delayed = iterates ? held : loop.delayed;
      if (delayed.length === 0) continue;
      const params = { loop: loop.ports.join(" → "), delayed: delayed.join(", ") };
      const place = torn[0]?.place ?? { file: this.input.scenario.file };
      this.report(diagnose(PLAN_DIAGNOSTICS, "loop-delayed", params, place));
    }
  }
}
