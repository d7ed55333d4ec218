/**
 * How the inputs of an inner unit vary over a step of it: values where it begins, derivatives, and
 * values where it ends, found from what rules, own inputs of the adaptation and other inner units
 * give.
 */
import type { Unit } from "../unit/unit.ts";
import type { LinkLayout } from "./layout.ts";
import { followsOwnInputs, type PlannedInput } from "./link-plan.ts";
import type { OwnInputs } from "./own-inputs.ts";

export class InputTrajectories {
  /** Every input keeps over a step what it is given for it. */
  readonly isHeld: boolean;
  /** Inputs, by position, that follow own inputs of the adaptation. */
  readonly byOwnInputs: Int32Array;
  private readonly unit: Unit;
  private readonly layout: LinkLayout;
  private readonly numbers: Float64Array;
  private readonly planned: readonly PlannedInput[];
  /** Places of inputs that are numbers, -1 for texts. */
  private readonly inputCells: Int32Array;
  /** Inputs that MapIn gives for both ends of the step: always, and while own inputs move. */
  private readonly byRules: Int32Array;
  private readonly byRulesMoving: Int32Array;
  /**
   * Of every input over the step to come: derivatives where it begins, values at its middle and
   * end, whether control rules gave it.
   */
  private readonly slopes: Float64Array;
  private readonly curves: Float64Array;
  private readonly middle: Float64Array;
  private readonly last: Float64Array;
  private readonly isAssigned: Uint8Array;
  /** Inputs whose derivatives are given to the unit, and the arguments of that call. */
  private readonly sloped: Int32Array;
  private readonly highest: number;
  private readonly ports: readonly number[];
  private readonly orders: readonly number[];
  private readonly values: Float64Array;

  constructor(
    unit: Unit,
    layout: LinkLayout,
    numbers: Float64Array,
    planned: readonly PlannedInput[],
  ) {
    this.unit = unit;
    this.layout = layout;
    this.numbers = numbers;
    this.planned = planned;
    const inputs = [...layout.inputs.values()];
    this.inputCells = Int32Array.from(inputs, ({ cell }) =>
      cell.bank === "number" ? cell.index : -1,
    );
    const where = (holds: (input: PlannedInput, k: number) => boolean): Int32Array =>
      Int32Array.from(planned.flatMap((input, k) => (holds(input, k) ? [k] : [])));
    this.byRules = where(({ delivery }) => delivery === "rules");
    this.byRulesMoving = where(({ delivery }) => delivery === "rules" || delivery === "moving");
    this.byOwnInputs = where(followsOwnInputs);
    const varies = ({ delivery, interpolatesAssigned }: PlannedInput): boolean =>
      interpolatesAssigned || (delivery !== "now" && delivery !== "begin");
    this.sloped = where((input, k) => this.inputCells[k] >= 0 && varies(input));
    this.isHeld = planned.every((input) => input.delivery === "now" && !varies(input));
    this.slopes = new Float64Array(inputs.length);
    this.curves = new Float64Array(inputs.length);
    this.middle = new Float64Array(inputs.length);
    this.last = new Float64Array(inputs.length);
    this.isAssigned = new Uint8Array(inputs.length);
    this.highest = Math.min(2, unit.description.capabilities.inputDerivativeOrder);
    const orders = Array.from({ length: this.highest }, (_, order) => order + 1);
    this.ports = Array.from(this.sloped).flatMap((k) => orders.map(() => inputs[k].port.index));
    this.orders = Array.from(this.sloped).flatMap(() => orders);
    this.values = new Float64Array(this.ports.length);
  }

  /** Every input keeps what is in its place, until something else is found. */
  hold(): void {
    const { inputCells, numbers, layout, slopes, curves, isAssigned } = this;
    for (let k = 0; k < inputCells.length; k++)
      if (inputCells[k] >= 0) numbers[layout.first + k] = numbers[inputCells[k]];
    slopes.fill(0);
    curves.fill(0);
    isAssigned.fill(0);
  }

  /** Inputs that go as MapIn says over the step to come. */
  ruled(own: OwnInputs): Int32Array {
    return own.moves ? this.byRulesMoving : this.byRules;
  }

  /**
   * What is in the places of these inputs is what they are where the step begins; in its middle;
   * where it ends.
   */
  takeFirst(inputs: Int32Array): void {
    this.take(inputs, this.numbers, this.layout.first);
  }
  takeMiddle(inputs: Int32Array): void {
    this.take(inputs, this.middle, 0);
  }
  takeLast(inputs: Int32Array): void {
    this.take(inputs, this.last, 0);
  }

  private take(inputs: Int32Array, to: Float64Array, at: number): void {
    for (let i = 0; i < inputs.length; i++) {
      const k = inputs[i];
      to[at + k] = this.numbers[this.inputCells[k]];
    }
  }

  /** Derivatives of the inputs whose ends were taken, and what they end with. */
  follow(step: number, begin: number, own: OwnInputs): void {
    const { byOwnInputs, inputCells, numbers, last } = this;
    const ruled = this.ruled(own);
    for (let i = 0; i < ruled.length; i++) this.goByRules(ruled[i], step, begin, own);
    if (!own.moves) return;
    for (let i = 0; i < byOwnInputs.length; i++) {
      const k = byOwnInputs[i];
      numbers[inputCells[k]] = last[k];
      if (this.planned[k].delivery === "trajectory") this.goAlong(k, step, begin, own);
    }
  }

  /**
   * As the own input that MapIn gives for both ends, found but for rounding; otherwise on the line
   * between them.
   */
  private goByRules(k: number, step: number, begin: number, own: OwnInputs): void {
    const { numbers, last, slopes } = this;
    const cell = this.inputCells[k];
    const first = this.layout.first + k;
    const { delivery, behind } = this.planned[k];
    if (delivery === "moving" && !own.movesAny(behind)) {
      numbers[first] = numbers[cell];
      return;
    }
    const j = own.moves ? own.between(behind, numbers[first], last[k]) : -1;
    if (j < 0) {
      numbers[cell] = last[k];
      slopes[k] = (last[k] - numbers[first]) / step;
      return;
    }
    numbers[first] = own.first[j];
    numbers[cell] = own.last[j];
    this.goWith(j, k, step, begin, own);
  }

  /**
   * Input `k` has the derivatives of own input `j`; on the chord of a parabola where the unit takes
   * slopes alone.
   */
  private goWith(j: number, k: number, step: number, begin: number, own: OwnInputs): void {
    const curve = own.curve(j);
    if (curve !== 0 && this.highest < 2) {
      this.slopes[k] = (own.last[j] - own.first[j]) / step;
      return;
    }
    this.slopes[k] = own.slopeAt(j, begin);
    this.curves[k] = curve;
  }

  /**
   * What is an own input at both ends moves as that one does; anything else as the line or the
   * parabola through its values.
   */
  private goAlong(k: number, step: number, begin: number, own: OwnInputs): void {
    const first = this.numbers[this.layout.first + k];
    const last = this.last[k];
    const { behind } = this.planned[k];
    for (let i = 0; i < behind.length; i++) {
      const j = behind[i];
      if (first !== own.first[j] || last !== own.last[j]) continue;
      this.goWith(j, k, step, begin, own);
      return;
    }
    this.slopes[k] = (last - first) / step;
    if (!own.isCurved || this.highest < 2) return;
    const middle = this.middle[k];
    this.slopes[k] = (4 * middle - 3 * first - last) / step;
    this.curves[k] = (4 * (first - 2 * middle + last)) / (step * step);
  }

  /** Control rules say what the input is. */
  wasAssigned(input: number): void {
    this.isAssigned[input] = 1;
  }

  /**
   * Inputs that other units or control rules give: from what they were to what is in their places,
   * or one of both held.
   * @param stands where the unit stands after an earlier part of the step.
   */
  interpolate(
    step: number,
    sources: readonly { readonly time: number }[],
    own: OwnInputs,
    stands: number,
  ): void {
    const { planned, inputCells, numbers, layout, isAssigned } = this;
    for (let k = 0; k < planned.length; k++) {
      if (inputCells[k] < 0) continue;
      const { delivery, interpolatesAssigned, source } = planned[k];
      const now = numbers[inputCells[k]];
      if (delivery === "interpolated" || (isAssigned[k] === 1 && interpolatesAssigned)) {
        const previous = numbers[layout.previous + k];
        numbers[layout.first + k] = previous;
        this.curves[k] = 0;
        this.slopes[k] =
          source < 0 ? this.slopeTo(now, previous, step, own) : (now - previous) / step;
      } else if (isAssigned[k] === 1) {
        numbers[layout.first + k] = now;
        this.slopes[k] = 0;
        this.curves[k] = 0;
      } else if (delivery === "begin" && source >= 0) {
        // The source may be ahead; then the input is what it was where this unit stands.
        const isBehind = sources[source].time <= stands;
        numbers[layout.first + k] = isBehind ? now : numbers[layout.previous + k];
      }
    }
  }

  /** What rules pass on of an own input has the slope of that one. */
  private slopeTo(now: number, previous: number, step: number, own: OwnInputs): number {
    if (own.moves && !own.isCurved)
      for (let j = 0; j < own.first.length; j++)
        if (previous === own.first[j] && now === own.last[j]) return own.slopeAt(j, 0);
    return (now - previous) / step;
  }

  /** Gives the unit the derivatives of its inputs where the step begins. */
  giveDerivatives(): void {
    const { sloped, values, highest, numbers, layout } = this;
    if (sloped.length === 0) return;
    let moves = 0;
    for (let i = 0; i < sloped.length; i++) {
      const k = sloped[i];
      values[i * highest] = this.slopes[k];
      if (highest > 1) values[i * highest + 1] = this.curves[k];
      if (this.slopes[k] !== 0 || this.curves[k] !== 0) moves = 1;
    }
    // Derivatives hold until they are set again: those that are 0 need not be set twice.
    if (moves === 0 && numbers[layout.sloped] === 0) return;
    numbers[layout.sloped] = moves;
    this.unit.setInputDerivatives(this.ports, this.orders, values);
  }
}
