/**
 * Ops that give a unit its inputs over a step: which are held, which follow a track, and when each
 * is written.
 *
 * Most inputs are written when the step before is over. A held input that uses its source's value
 * at the *end* of the step is written right before its unit's advance, which comes after the
 * source's. An array may be fed from several sources: then some of its elements use the end, others
 * the start or a track, and the port's value is assembled element by element.
 */
import { addTo, ascending } from "../base/collections.ts";
import type { Scenario } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { emitCopies, emitSlopes, emitValues } from "./emit-varying.ts";
import type { InputPlan } from "./input-plan.ts";
import type { OpWriter } from "./op-writer.ts";
import { Op, type SlopeGroup, type Track } from "./plan.ts";
import type { PortGraph } from "./port-graph.ts";
import type { Rates } from "./rates.ts";
import type { LoopTears } from "./resolve-schedule.ts";
import type { SignalLayout } from "./signal-layout.ts";

export interface InputRequest {
  readonly scenario: Scenario;
  readonly graph: PortGraph;
  readonly rates: Rates;
  readonly inputs: readonly InputPlan[];
  readonly microSteps: number;
}

/** Whether an input holds its source's value at the end of the step. */
function takesEnd({ approximation, takes }: InputPlan): boolean {
  return approximation === "hold" && takes === "end";
}

/** Whether a source is read, and its value handed on, as soon as its unit has been advanced. */
export function isEarly(plan: InputPlan): boolean {
  return plan.approximation === "interpolation" || takesEnd(plan);
}

export class InputEmitter {
  readonly tracks: Track[] = [];
  /** Connected inputs of every unit, in ascending order. */
  readonly inputsOf: readonly (readonly number[])[];
  private readonly request: InputRequest;
  private readonly layout: SignalLayout;
  private readonly slopes: SlopeGroup[];
  /** By unit, the tracks of its inputs. */
  private readonly tracksOf = new Map<number, number[]>();
  /** By track. */
  private readonly plans: InputPlan[] = [];
  /** Nodes of the inputs where a loop is broken. */
  private readonly tornInputs: ReadonlySet<number>;
  /** Elements that take the end of the step, and by unit their ports. */
  private readonly endElements = new Set<string>();
  private readonly endPorts: readonly (readonly number[])[];
  /** By unit whose coming inputs are held, all of them: the access that writes them; -1: none. */
  private readonly heldAccesses = new Map<number, number>();

  constructor(
    request: InputRequest,
    layout: SignalLayout,
    slopes: SlopeGroup[],
    { connections: torn }: LoopTears,
  ) {
    this.request = request;
    this.layout = layout;
    this.slopes = slopes;
    const { scenario, graph, inputs } = request;
    const { units, connections } = scenario;
    const inputPorts = units.map(() => new Set<number>());
    for (const { unit, port, isInput } of graph.nodes) if (isInput) inputPorts[unit].add(port);
    this.inputsOf = inputPorts.map(ascending);
    this.tornInputs = new Set(
      [...torn].map((c) => graph.nodeOf(connections[c].to.unit, connections[c].to.port)),
    );
    const endPorts = units.map(() => new Set<number>());
    for (const { connection } of inputs.filter(takesEnd)) {
      const { to, toElement, count } = connections[connection];
      endPorts[to.unit].add(to.port);
      for (let i = 0; i < count; i++) this.endElements.add(key(to.unit, to.port, toElement + i));
    }
    this.endPorts = endPorts.map(ascending);
  }

  makeTracks(): void {
    const { scenario, inputs, rates } = this.request;
    for (const plan of inputs) {
      const { connection, approximation } = plan;
      if (approximation === "hold") continue;
      const { from, to, toElement, count } = scenario.connections[connection];
      const stepTicks = rates.ticks[to.unit];
      const sourceTicks = rates.ticks[from.unit];
      // A slow source gives new samples only at its own points; a fast one is sampled at the
      // unit's.
      const isSlow = sourceTicks % stepTicks === 0 && approximation !== "interpolation";
      for (let element = toElement; element < toElement + count; element++) {
        this.plans.push(plan);
        addTo(this.tracksOf, to.unit, this.tracks.length);
        this.tracks.push({
          unit: to.unit,
          port: to.port,
          element,
          approximation,
          signal: this.layout.signal(to.unit, to.port) + element,
          value: this.layout.value(to.unit, to.port) + element,
          history: this.layout.allocate("f64", 3),
          slope: this.layout.allocate("f64", 2),
          sampleTicks: isSlow ? sourceTicks : stepTicks,
          stepTicks,
        });
      }
    }
  }

  /** Inputs that get what other units have reached in this step, and the advance itself. */
  emitAdvance(w: OpWriter, unit: number): void {
    const sloped = this.tracksThrough(unit, "slopes", true);
    const interpolated = this.tracksThrough(unit, "micro-steps", true);
    const predicted = this.tracksThrough(unit, "micro-steps", false);
    const inParts = this.portsOf([...interpolated, ...predicted]);
    this.emitEnds(w, unit, [...this.portsOf(sloped), ...inParts]);
    for (const t of sloped) w.add(Op.Interpolate, t);
    this.emitAssembled(w, unit, this.portsOf(sloped));
    this.emitSlopesOf(w, unit, this.portsOf(sloped));
    const parts = inParts.length > 0 ? this.request.microSteps : 1;
    for (let k = 0; k < parts; k++) {
      for (const t of interpolated) w.add(Op.Interpolate, t, k, parts);
      for (const t of predicted) w.add(Op.Predict, t, k, parts);
      this.emitAssembled(w, unit, inParts);
      w.add(Op.Advance, unit, k, parts);
    }
  }

  /** Inputs of the coming step, as far as they are known when the step before is over. */
  emitComing(w: OpWriter, unit: number): void {
    const known = this.heldAccesses.get(unit);
    if (known !== undefined) {
      if (known >= 0) w.add(Op.Write, known);
      return;
    }
    const held = this.heldPorts(unit).filter((port) => !this.isWrittenWhileResolving(unit, port));
    const access = held.length > 0 ? this.layout.signalAccess(unit, held) : -1;
    if (access >= 0) w.add(Op.Write, access);
    if (!this.tracksOf.has(unit) && this.endPorts[unit].length === 0) {
      this.heldAccesses.set(unit, access);
      return;
    }
    const sloped = this.tracksThrough(unit, "slopes", false);
    for (const t of sloped) w.add(Op.Predict, t);
    emitValues(w, this.layout, unit, this.portsOf(sloped), (port, element) =>
      this.isTracked(unit, port, element),
    );
    this.emitSlopes(w, unit, sloped);
    // What is held from the start is kept for ports that are assembled before the advance.
    const isHeld = (port: number, element: number): boolean =>
      !this.isTracked(unit, port, element) && !this.takesEnd(unit, port, element);
    emitCopies(w, this.layout, unit, this.assembledPorts(unit), isHeld);
  }

  /** Held inputs whose sources have been advanced; `written` are written elsewhere. */
  private emitEnds(w: OpWriter, unit: number, written: readonly number[]): void {
    const open = this.endPorts[unit].filter((port) => !written.includes(port));
    const mixed = open.filter((port) => this.isMixed(unit, port));
    const whole = open.filter((port) => !mixed.includes(port));
    if (whole.length > 0) w.add(Op.Write, this.layout.signalAccess(unit, whole));
    this.emitAssembled(w, unit, mixed);
    this.emitSlopesOf(w, unit, mixed);
  }

  /** Before an advance, when sources may have moved on: other elements were put aside before. */
  private emitAssembled(w: OpWriter, unit: number, ports: readonly number[]): void {
    emitValues(w, this.layout, unit, ports, (port, element) => !this.takesEnd(unit, port, element));
  }

  /** Ports of a unit that are assembled before its advance. */
  private assembledPorts(unit: number): number[] {
    const tracks = [
      ...this.tracksThrough(unit, "slopes", true),
      ...this.tracksThrough(unit, "micro-steps", true),
      ...this.tracksThrough(unit, "micro-steps", false),
    ];
    const mixed = this.endPorts[unit].filter((port) => this.isMixed(unit, port));
    return ascending([...this.portsOf(tracks), ...mixed]);
  }

  private heldPorts(unit: number): number[] {
    const tracked = new Set(this.portsOf(this.tracksOf.get(unit) ?? []));
    const atAdvance = this.endPorts[unit];
    return this.inputsOf[unit].filter((port) => !tracked.has(port) && !atAdvance.includes(port));
  }

  private isWrittenWhileResolving(unit: number, port: number): boolean {
    const { graph } = this.request;
    const node = graph.nodeOf(unit, port);
    return graph.edges[node].length > 0 && !this.tornInputs.has(node);
  }

  /** Slopes are set per port: those of the past once more beside those of the step. */
  private emitSlopesOf(w: OpWriter, unit: number, ports: readonly number[]): void {
    const tracks = [false, true].flatMap((ends) => this.tracksThrough(unit, "slopes", ends));
    const wanted = tracks.filter((t) => ports.includes(this.tracks[t].port));
    this.emitSlopes(w, unit, ascending(wanted));
  }

  private emitSlopes(w: OpWriter, unit: number, tracks: readonly number[]): void {
    const elements = tracks.map((t) => {
      const { port, element, slope, approximation } = this.tracks[t];
      return { port, element, slope, degree: approximation === "quadratic" ? 2 : 1 };
    });
    emitSlopes(w, this.layout, unit, elements, this.slopes);
  }

  private tracksThrough(
    unit: number,
    through: InputPlan["through"],
    isInterpolated: boolean,
  ): number[] {
    return (this.tracksOf.get(unit) ?? []).filter((t) => {
      const plan = this.plans[t];
      return (
        plan.through === through && (plan.approximation === "interpolation") === isInterpolated
      );
    });
  }

  private portsOf(tracks: readonly number[]): number[] {
    return ascending(tracks.map((t) => this.tracks[t].port));
  }

  private isTracked(unit: number, port: number, element: number): boolean {
    const tracks = this.tracksOf.get(unit) ?? [];
    return tracks.some((t) => this.tracks[t].port === port && this.tracks[t].element === element);
  }

  private takesEnd(unit: number, port: number, element: number): boolean {
    return this.endElements.has(key(unit, port, element));
  }

  /** Some elements use the end of the step, others something else. */
  private isMixed(unit: number, port: number): boolean {
    const elements = [...Array(portSize(this.layout.port(unit, port))).keys()];
    return elements.some((element) => !this.takesEnd(unit, port, element));
  }
}

function key(unit: number, port: number, element: number): string {
  return `${unit} ${port} ${element}`;
}
