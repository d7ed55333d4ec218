/**
 * Inputs of an FMI 3 FMU that follow polynomials inside its steps. FMI 3 has no call for
 * derivatives of inputs: the FMU asks for its inputs while it takes a step (intermediate update)
 * and gets the polynomial's value at that time.
 *
 * Everything that is needed for an answer lies in native memory. Where nothing but FMI functions
 * can run in between, the answer is given by a few instructions (follower-code.ts), elsewhere by a
 * callback into TypeScript.
 */
import { portSize, type UnitDescription } from "../../model/unit-description.ts";
import { type Address, type Arena, float64s, int32s } from "./native-memory.ts";

export class InputFollower {
  readonly ports: readonly number[];
  /** Elements of all of them. */
  readonly size: number;
  /**
   * Where the inputs were when the step began, their derivatives there, and what they are given.
   */
  readonly base: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly values: Float64Array;
  /** Where these arrays are, and behind them when the step began. */
  readonly at: {
    readonly base: Address;
    readonly first: Address;
    readonly second: Address;
    readonly values: Address;
    readonly begin: Address;
    /** 32 bits: not 0 while a derivative is not. */
    readonly moving: Address;
    /** 32 bits: the status of a call inside the step that was not fine. */
    readonly status: Address;
  };
  private readonly description: UnitDescription;
  /** By port: its first element. */
  private readonly offsets = new Map<number, number>();
  private readonly beginning: Float64Array;
  private readonly words: Int32Array;
  /** What was given back: its memory serves the next `save`. */
  private readonly spare: Float64Array[] = [];

  constructor(
    arena: Pick<Arena, "allocate">,
    description: UnitDescription,
    ports: readonly number[],
  ) {
    this.ports = ports;
    this.description = description;
    let size = 0;
    for (const port of ports) {
      this.offsets.set(port, size);
      size += portSize(description.ports[port]);
    }
    this.size = size;
    const blocks = [0, 1, 2, 3].map(() => arena.allocate(8 * size));
    const [base, first, second, values] = blocks.map((block) => float64s(block, size));
    const more = arena.allocate(16);
    this.base = base;
    this.first = first;
    this.second = second;
    this.values = values;
    this.beginning = float64s(more, 1);
    this.words = int32s({ ...more, offset: more.offset + 8 }, 2);
    const [b, f, s, v] = blocks.map(({ address }) => address);
    const begin = more.address;
    this.at = {
      ...{ base: b, first: f, second: s, values: v, begin },
      ...{ moving: begin + 8, status: begin + 12 },
    };
  }

  get isMoving(): boolean {
    return this.words[0] !== 0;
  }

  /** Where the elements of a followed port begin; undefined: it is not followed. */
  offsetOf(port: number): number | undefined {
    return this.offsets.get(port);
  }

  /** Bound to the inputs in the order of the arrays. */
  get slots(): { readonly port: number; readonly slot: number }[] {
    return this.ports.map((port) => ({ port, slot: this.offsets.get(port) ?? 0 }));
  }

  setDerivatives(
    unit: string,
    ports: readonly number[],
    orders: readonly number[],
    values: Float64Array,
  ): void {
    let from = 0;
    for (const [i, port] of ports.entries()) {
      const described = this.description.ports[port];
      const offset = this.offsets.get(port);
      if (offset === undefined)
        throw new RangeError(`'${unit}' does not follow '${described.name}'`);
      const target = orders[i] === 1 ? this.first : this.second;
      for (let k = 0; k < portSize(described); k++) target[offset + k] = values[from++];
    }
    this.look();
  }

  /** A step begins, `base` holds the inputs. */
  begin(time: number): void {
    this.beginning[0] = time;
  }

  /** The inputs at a time of the step → `values`. */
  evaluateAt(time: number): void {
    this.evaluate(time - this.beginning[0]);
  }

  /** The inputs after `dt` seconds → `values`, and the derivatives are those of then. */
  moveOn(dt: number): void {
    this.evaluate(dt);
    for (let i = 0; i < this.size; i++) this.first[i] += this.second[i] * dt;
  }

  private evaluate(dt: number): void {
    const { values, base, first, second } = this;
    for (let i = 0; i < this.size; i++)
      values[i] = base[i] + first[i] * dt + second[i] * dt * dt * 0.5;
  }

  /** The status of the first call inside the last step that was not fine; 0: all were. */
  takeStatus(): number {
    const status = this.words[1];
    this.words[1] = 0;
    return status;
  }

  save(): Float64Array {
    const { size, first, second } = this;
    const saved = this.spare.pop() ?? new Float64Array(2 * size);
    for (let i = 0; i < size; i++) {
      saved[i] = first[i];
      saved[size + i] = second[i];
    }
    return saved;
  }

  /** What `save` gave is not needed any more. */
  giveBack(saved: Float64Array | undefined): void {
    if (saved !== undefined) this.spare.push(saved);
  }

  restore(saved: Float64Array): void {
    const { size, first, second } = this;
    for (let i = 0; i < size; i++) {
      first[i] = saved[i];
      second[i] = saved[size + i];
    }
    this.look();
  }

  reset(): void {
    this.first.fill(0);
    this.second.fill(0);
    this.words.fill(0);
  }

  private look(): void {
    const { first, second } = this;
    let isMoving = false;
    for (let i = 0; i < this.size; i++) if (first[i] !== 0 || second[i] !== 0) isMoving = true;
    this.words[0] = isMoving ? 1 : 0;
  }
}
