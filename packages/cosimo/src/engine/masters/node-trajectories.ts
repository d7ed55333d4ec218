/**
 * A step as nodes: the values of all coupled inputs at the ends of its pieces, and the units that
 * turn them into new values. What is iterated, and what is not, is decided elsewhere.
 */
import { copyAll } from "../../numerics/copy-numbers.ts";
import { BondOutputs, type Exchange } from "./bond-meter.ts";
import type { Coupling, InputTrajectories } from "./coupling.ts";
import { tellersOf } from "./preserve-area.ts";
import { SweepPrograms } from "./sweep-programs.ts";
import { heldFromNodes, throughMean, throughNodes } from "./trajectories.ts";

export class NodeTrajectories {
  readonly trajectories: InputTrajectories;
  /** Values at the end of piece m of input i: `nodes[m * size + i]`, given or guessed. */
  readonly nodes: Float64Array;
  /**
   * The same, as the sources gave them when they were last advanced. For inputs that keep their
   * area: means.
   */
  readonly images: Float64Array;
  /** By input, the end of the first images of the step: those that came of predictions. */
  readonly first: Float64Array;
  /** By how many degrees trajectories are simpler than inputs ask for. */
  lower = 0;
  /** What bonds are measured by. */
  private readonly bonds: BondOutputs;
  from = 0;
  to = 0;
  /**
   * Values at the beginning of the step, where they are not those of the coupling (forces of
   * constraints).
   */
  readonly begin: Float64Array;
  private readonly coupling: Coupling;
  private readonly integrals: Float64Array;
  private readonly before = { value: 0, ago: 0 };
  readonly programs: SweepPrograms;
  private unit = 0;
  private readonly onPiece = (piece: number): void => this.capture(piece);

  constructor(coupling: Coupling, pieces: number) {
    this.coupling = coupling;
    this.trajectories = coupling.makeTrajectories(pieces);
    this.nodes = new Float64Array(pieces * coupling.size);
    this.images = new Float64Array(pieces * coupling.size);
    this.first = new Float64Array(coupling.size);
    this.bonds = new BondOutputs(coupling, this.trajectories);
    for (const unit of tellersOf(coupling.plan)) coupling.collect(unit);
    this.begin = new Float64Array(coupling.size);
    this.integrals = new Float64Array(coupling.size);
    this.programs = new SweepPrograms(coupling, this);
  }

  get exchange(): Exchange {
    return this.bonds.exchange;
  }

  /** A step from the coupling's time to `to`. */
  beginStep(to: number): void {
    this.from = this.coupling.time;
    this.to = to;
    copyAll(this.coupling.begin, this.begin);
  }

  /** Starts a unit that works elsewhere along the nodes; `advance` waits for it. */
  private beginAdvance(unit: number, goesBack: boolean): void {
    const { coupling, trajectories, from, to } = this;
    if (coupling.units[unit].beginAdvance === undefined || this.bonds.has(unit)) return;
    for (const i of coupling.plan.stages[unit].inputs) this.fill(i, to - from);
    coupling.beginAdvance(unit, trajectories, from, to, goesBack);
  }

  /**
   * Advances a unit along the nodes and keeps what it gives as images.
   * @param settle its images become nodes: they are final.
   * @param goesBack from where the step began, not from where it is.
   */
  advance(unit: number, settle: boolean, goesBack = false): boolean {
    const coupling = this.coupling;
    const { stages } = coupling.plan;
    const length = this.to - this.from;
    for (const i of stages[unit].inputs) this.fill(i, length);
    this.unit = unit;
    for (const i of stages[unit].feeds) this.startIntegral(i);
    if (!this.take(unit, goesBack)) return false;
    if (settle) this.settle(unit);
    return true;
  }

  /**
   * As `advance`, for units one after the other; where none needs what another one gives, those
   * that work elsewhere at the same time.
   */
  sweep(units: readonly number[], settle: boolean, goesBack: boolean): boolean {
    if (!settle) for (const unit of units) this.beginAdvance(unit, goesBack);
    for (let k = 0; k < units.length; ) {
      const taken = this.programs.run(units, k, settle, goesBack);
      if (taken < 0) return false;
      if (taken === 0 && !this.advance(units[k], settle, goesBack)) return false;
      k += Math.max(1, taken);
    }
    return true;
  }

  /** Whether the outputs of a unit are read before it moves. */
  measures(unit: number): boolean {
    return this.bonds.has(unit);
  }

  private take(unit: number, goesBack: boolean): boolean {
    const { coupling, trajectories, from, to } = this;
    // Outputs of bonds are read before the unit moves: it has to be where the step begins by then.
    if (trajectories.pieces > 1 || this.bonds.has(unit)) {
      if (goesBack) coupling.restoreUnit(unit);
      this.bonds.before(unit);
      return coupling.advance(unit, trajectories, from, to, this.onPiece);
    }
    if (!coupling.advanceAndCollect(unit, trajectories, from, to, goesBack)) return false;
    this.keepImages(0);
    return true;
  }

  private fill(i: number, length: number): void {
    const { size, previous, previousAgo, plan } = this.coupling;
    const { integral, jumps, takesEnd, order: usual } = plan.inputs[i];
    const order = Math.max(0, usual - this.lower) as 0 | 1 | 2;
    const begin = this.begin[i];
    if (jumps && integral === undefined) {
      if (takesEnd) throughNodes(this.trajectories, size, i, 0, begin, this.nodes, length);
      else heldFromNodes(this.trajectories, size, i, begin, this.nodes);
      return;
    }
    if (integral !== undefined) {
      // The node is a mean: what varies goes on a straight line that has it.
      if (jumps || order === 0 || this.trajectories.pieces > 1)
        throughNodes(this.trajectories, size, i, 0, begin, this.nodes, length);
      else throughMean(this.trajectories, i, begin, this.nodes[i], length);
      return;
    }
    this.before.value = previous[i];
    this.before.ago = previousAgo;
    const before = previousAgo > 0 ? this.before : undefined;
    throughNodes(this.trajectories, size, i, order, begin, this.nodes, length, before);
  }

  settle(unit: number): void {
    const { size, plan } = this.coupling;
    for (const i of plan.stages[unit].feeds)
      for (let piece = 0; piece < this.trajectories.pieces; piece++)
        this.nodes[piece * size + i] = this.images[piece * size + i];
  }

  /** What these units just gave was made of predictions. */
  keepFirst(units: readonly number[]): void {
    const { size, plan } = this.coupling;
    const last = (this.trajectories.pieces - 1) * size;
    for (const unit of units)
      for (const i of plan.stages[unit].feeds) this.first[i] = this.images[last + i];
  }

  private startIntegral(i: number): void {
    const { integral } = this.coupling.plan.inputs[i];
    if (integral !== undefined)
      this.integrals[i] = (this.coupling.start?.banks ?? this.coupling.state.banks).f64[
        integral.slot
      ];
  }

  private capture(piece: number): void {
    this.coupling.collect(this.unit);
    this.bonds.after(this.unit, piece);
    this.keepImages(piece);
  }

  private keepImages(piece: number): void {
    const { coupling } = this;
    const { f64 } = coupling.state.banks;
    const length = (this.to - this.from) / this.trajectories.pieces;
    for (const i of coupling.plan.stages[this.unit].feeds) {
      const { signal, integral } = coupling.plan.inputs[i];
      const at = piece * coupling.size + i;
      let value = f64[signal];
      if (integral !== undefined) {
        value = (integral.factor * (f64[integral.slot] - this.integrals[i])) / length;
        this.integrals[i] = f64[integral.slot];
        this.bonds.exchange.means[at] = value;
      }
      this.images[at] = value;
    }
  }
}
