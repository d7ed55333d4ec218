/**
 * Continuous inputs that move while their unit integrates: u(t) = u₀ + u' τ + u'' τ²/2 with τ
 * counted from the beginning of the advance. Where no derivative is set, inputs are held and
 * nothing is written.
 */
import { type Port, portSize } from "../model/unit-description.ts";
import { type Banks, makeBanks } from "../model/value-type.ts";
import type { Access } from "../unit/unit.ts";
import type { EventOde } from "./event-ode.ts";

/** Highest derivative of an input that is followed. */
export const INPUT_ORDER = 2;

export function isFollowed({ direction, type, variability }: Port): boolean {
  return direction === "input" && type === "float64" && variability === "continuous";
}

export class InputPolynomials {
  /** Whether any input moves. */
  isMoving = false;
  private readonly model: EventOde;
  private readonly access: Access;
  private readonly banks: Banks;
  private readonly offsets = new Map<number, number>();
  private readonly base: Float64Array;
  private readonly first: Float64Array;
  private readonly second: Float64Array;
  private begin = 0;

  constructor(model: EventOde) {
    this.model = model;
    let size = 0;
    const slots = model.description.ports.filter(isFollowed).map((port) => {
      const slot = size;
      this.offsets.set(port.index, slot);
      size += portSize(port);
      return { port: port.index, slot };
    });
    this.access = model.bind(slots);
    this.banks = makeBanks({ f64: size });
    this.base = new Float64Array(size);
    this.first = new Float64Array(size);
    this.second = new Float64Array(size);
  }

  /** Numbers that a snapshot of the unit holds. */
  get memorySize(): number {
    return 2 * this.first.length;
  }

  /** Where the elements of an input are; undefined: it is not followed. */
  offsetOf(port: number): number | undefined {
    return this.offsets.get(port);
  }

  set(port: Port, order: number, values: Float64Array, at: number): void {
    const offset = this.offsets.get(port.index);
    if (offset === undefined)
      throw new RangeError(
        `'${this.model.name}': '${port.name}' is not a continuous real input, so it takes no derivative`,
      );
    const target = order === 1 ? this.first : this.second;
    for (let i = 0; i < portSize(port); i++) target[offset + i] = values[at + i];
    this.look();
  }

  stop(): void {
    this.first.fill(0);
    this.second.fill(0);
    this.isMoving = false;
  }

  /** An advance begins at `time`, with the inputs that the model has. */
  start(time: number): void {
    this.begin = time;
    if (!this.isMoving) return;
    this.model.read(this.access, this.banks);
    this.base.set(this.banks.f64);
  }

  /** Gives the model its inputs at `time`. */
  write(time: number): void {
    if (!this.isMoving) return;
    const { base, first, second, banks } = this;
    const dt = time - this.begin;
    for (let i = 0; i < base.length; i++)
      banks.f64[i] = base[i] + (first[i] + second[i] * dt * 0.5) * dt;
    this.model.write(this.access, banks);
  }

  /** The advance ends at `time`: the next one goes on along the same curve. */
  end(time: number): void {
    if (!this.isMoving) return;
    const dt = time - this.begin;
    for (let i = 0; i < this.first.length; i++) this.first[i] += this.second[i] * dt;
    this.look();
  }

  save(into: Float64Array): void {
    into.set(this.first);
    into.set(this.second, this.first.length);
  }

  restore(from: Float64Array): void {
    const { length } = this.first;
    this.first.set(from.subarray(0, length));
    this.second.set(from.subarray(length, 2 * length));
    this.look();
  }

  private look(): void {
    this.isMoving = this.first.some((v) => v !== 0) || this.second.some((v) => v !== 0);
  }
}
