/**
 * The own inputs of an adaptation over a step: polynomials from what was written, by the
 * derivatives that were given. In sees them where the step ends; inner units that follow their
 * inputs see them as they go.
 */

export interface OwnInputPlaces {
  /** Where values lie, in the order of the inputs; the others begin at these places. */
  readonly values: Int32Array;
  readonly slopes: number;
  readonly curves: number;
  readonly rates: number;
}

/**
 * Values that differ by less than this part are the same; what is left is rounding of a line
 * between them.
 */
const SAME_VALUE = 8 * Number.EPSILON;

export class OwnInputs {
  /** Some input moves in the step under way, and not on a line. */
  moves = false;
  isCurved = false;
  /** Values where a step of an inner unit begins and ends, as last noted. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  private readonly numbers: Float64Array;
  private readonly places: OwnInputPlaces;
  private readonly begin: Float64Array;
  private span = 0;

  constructor(numbers: Float64Array, places: OwnInputPlaces) {
    this.numbers = numbers;
    this.places = places;
    const { length } = places.values;
    this.begin = new Float64Array(length);
    this.first = new Float64Array(length);
    this.last = new Float64Array(length);
  }

  /** A step of `span` begins; what is there now are the values of its beginning. */
  start(span: number): void {
    const { numbers, begin, places } = this;
    const { values, slopes, curves } = places;
    this.span = span;
    this.moves = false;
    this.isCurved = false;
    for (let i = 0; i < values.length; i++) {
      begin[i] = numbers[values[i]];
      if (numbers[slopes + i] !== 0) this.moves = true;
      if (numbers[curves + i] !== 0) this.isCurved = true;
    }
    if (this.isCurved) this.moves = true;
    if (!this.moves) return;
    this.put(span);
    for (let i = 0; i < values.length; i++)
      numbers[places.rates + i] = (numbers[values[i]] - begin[i]) / span;
  }

  /** All inputs as they are `s` after the beginning of the step. */
  put(s: number): void {
    const { values } = this.places;
    for (let i = 0; i < values.length; i++) this.numbers[values[i]] = this.at(i, s);
  }

  /** Keeps in mind how inputs are at both ends of a step of an inner unit. */
  note(from: number, to: number): void {
    for (let i = 0; i < this.first.length; i++) {
      this.first[i] = this.at(i, from);
      this.last[i] = this.at(i, to);
    }
  }

  /** Whether one of these moves in the step under way. */
  movesAny(inputs: readonly number[]): boolean {
    const { slopes, curves } = this.places;
    for (let k = 0; k < inputs.length; k++) {
      const i = inputs[k];
      if (this.numbers[slopes + i] !== 0 || this.numbers[curves + i] !== 0) return true;
    }
    return false;
  }

  /**
   * The one of these that moves from `first` to `last` over the noted step, but for rounding; -1
   * when none does.
   */
  between(inputs: readonly number[], first: number, last: number): number {
    for (let k = 0; k < inputs.length; k++) {
      const i = inputs[k];
      const begin = this.first[i];
      const end = this.last[i];
      const slack = SAME_VALUE * Math.max(Math.abs(begin), Math.abs(end));
      if (Math.abs(first - begin) <= slack && Math.abs(last - end) <= slack) return i;
    }
    return -1;
  }

  slopeAt(i: number, s: number): number {
    const { slopes, curves } = this.places;
    const curve = this.numbers[curves + i];
    return curve === 0 ? this.numbers[slopes + i] : this.numbers[slopes + i] + curve * s;
  }

  curve(i: number): number {
    return this.numbers[this.places.curves + i];
  }

  /** The step ended `taken` after its beginning, and inputs go on from there. */
  finish(taken: number): void {
    if (!this.moves) return;
    const { numbers, places } = this;
    if (taken !== this.span) this.put(taken);
    for (let i = 0; i < places.values.length; i++) {
      if (numbers[places.curves + i] !== 0) numbers[places.slopes + i] = this.slopeAt(i, taken);
      numbers[places.rates + i] = 0;
    }
    this.moves = false;
  }

  private at(i: number, s: number): number {
    const { slopes, curves } = this.places;
    const slope = this.numbers[slopes + i];
    const curve = this.numbers[curves + i];
    if (s === 0 || (slope === 0 && curve === 0)) return this.begin[i];
    return this.begin[i] + s * (slope + 0.5 * s * curve);
  }
}
