/**
 * Notices units of an iterated loop that give the same outputs whatever their inputs are: a step
 * that is repeated with other inputs ends where it ended before, bit for bit. Iterating such a unit
 * is explicit coupling. Units on a grid of their own that interpolate their outputs are of this
 * kind; they move in every step, so that own-steps.ts alone would not see them.
 */
import type { CoupledComponent } from "../../plan/coupling-plan.ts";
import type { Coupling } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";
import type { NodeTrajectories } from "./node-trajectories.ts";

/** An input has changed from one evaluation to the next by this part of its size. */
const CHANGE = 1e-6;
/** So many evaluations are watched. */
const WATCHED = 400;

interface Watched {
  readonly unit: number;
  /** Inputs of the loop, by their place in it: of this unit, and fed by it. */
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  /** In the step under way: it was repeated with other inputs; it ended elsewhere then. */
  isRepeated: boolean;
  hasResponded: boolean;
}

export class ResponseWatch extends MasterPart {
  private readonly inputs: readonly number[];
  private readonly nodes: NodeTrajectories;
  private readonly watched: readonly Watched[];
  /**
   * What inputs were given, and what their sources gave, in the last evaluation; one after the
   * other per piece.
   */
  private readonly given: Float64Array;
  private readonly images: Float64Array;
  private readonly isEarlier: readonly boolean[];
  private hasLast = false;
  private stepSize = 0;
  private left = WATCHED;

  constructor(coupling: Coupling, { units, inputs }: CoupledComponent, nodes: NodeTrajectories) {
    super(coupling);
    this.inputs = inputs;
    this.nodes = nodes;
    const all = coupling.plan.inputs;
    const places = [...inputs.keys()];
    this.watched = units
      .map((unit) => ({
        unit,
        inputs: places.filter((j) => all[inputs[j]].unit === unit),
        outputs: places.filter((j) => all[inputs[j]].source === unit),
        isRepeated: false,
        hasResponded: false,
      }))
      .filter((one) => one.inputs.length > 0 && one.outputs.length > 0);
    this.isEarlier = inputs.map(
      (i) => units.indexOf(all[i].source) < units.indexOf(all[i].unit) && all[i].source >= 0,
    );
    const size = nodes.trajectories.pieces * inputs.length;
    this.given = new Float64Array(size);
    this.images = new Float64Array(size);
  }

  /** Evaluations are to be seen one by one, not to be made by code. */
  get isWatching(): boolean {
    return this.watched.length > 0 && this.left > 0;
  }

  /** A step begins, so that the one before it is complete. */
  beginStep(): void {
    this.hasLast = false;
    for (const one of this.watched) {
      if (one.isRepeated)
        this.coupling.ownSteps.repeated(one.unit, !one.hasResponded, this.stepSize);
      one.isRepeated = false;
      one.hasResponded = false;
    }
  }

  /**
   * All units went through the step with the inputs `x`, or with what earlier units of the sweep
   * gave.
   */
  note(x: Float64Array, scale: Float64Array, inSequence: boolean): void {
    if (!this.isWatching) return;
    this.left--;
    const { size } = this.coupling;
    const k = this.inputs.length;
    const changed = new Array<boolean>(k).fill(false);
    const responds = new Array<boolean>(k).fill(false);
    for (let at = 0; at < this.given.length; at++) {
      const j = at % k;
      const image = this.nodes.images[((at - j) / k) * size + this.inputs[j]];
      const given = inSequence && this.isEarlier[j] ? image : x[at];
      if (Math.abs(given - this.given[at]) > CHANGE * scale[at]) changed[j] = true;
      if (image !== this.images[at]) responds[j] = true;
      this.given[at] = given;
      this.images[at] = image;
    }
    if (this.hasLast) this.judge(changed, responds);
    this.hasLast = true;
  }

  private judge(changed: readonly boolean[], responds: readonly boolean[]): void {
    for (const one of this.watched) {
      if (!one.inputs.some((j) => changed[j])) continue;
      one.isRepeated = true;
      one.hasResponded ||= one.outputs.some((j) => responds[j]);
    }
    this.stepSize = this.nodes.to - this.nodes.from;
  }
}
