/**
 * The memory that generated code works on, one block that a register points to: counters, times, signals, literals.
 * Places are handed out while the code is written; the block is made when all of them are known.
 */
import type { Plan } from "../../../plan/plan.ts";
import { type Address, type Arena, type Block, bytesOf } from "../native-memory.ts";

const WORD = 8;

export class PlanMemory {
  // Offsets of single words.
  /** The tick under way, the last one to do, where the next row goes: as doubles, which TypeScript writes without a detour. */
  readonly tick = 0;
  readonly last: number = WORD;
  readonly rows: number = 2 * WORD;
  /** Status of the call that ended the code. */
  readonly status: number = 3 * WORD;
  /** Calls that returned a warning. */
  readonly warnings: number = 4 * WORD;
  /** Time of the tick. */
  readonly now: number = 5 * WORD;
  readonly #plan: Plan;
  readonly #units: number;
  readonly #f64: number;
  readonly #i64: number;
  readonly #literals = new Map<string, { readonly at: number; readonly value: number }>();
  readonly #remainders = new Map<number, number>();
  readonly #integers = new Map<
    string,
    { readonly at: number; readonly values: readonly number[] }
  >();
  readonly #functions = new Map<Address, number>();
  #size: number;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#units = 6 * WORD;
    this.#f64 = this.#units + plan.units.length * WORDS_OF_UNIT * WORD;
    this.#i64 = this.#f64 + plan.sizes.f64 * WORD;
    this.#size = this.#i64 + plan.sizes.i64 * WORD;
  }

  f64(slot: number): number {
    return this.#f64 + slot * WORD;
  }

  i64(slot: number): number {
    return this.#i64 + slot * WORD;
  }

  /** Where a unit is in time. */
  time(unit: number): number {
    return this.#ofUnit(unit, 0);
  }

  /** Where its step began, and where a part of it ends. */
  begin(unit: number): number {
    return this.#ofUnit(unit, 1);
  }

  partEnd(unit: number): number {
    return this.#ofUnit(unit, 2);
  }

  constantStep(unit: number): number {
    return this.#ofUnit(unit, 3);
  }

  noRollback(unit: number): number {
    return this.#ofUnit(unit, 4);
  }

  #ofUnit(unit: number, word: number): number {
    return this.#units + (unit * WORDS_OF_UNIT + word) * WORD;
  }

  /** A double that never changes. */
  literal(value: number): number {
    const key = Object.is(value, -0) ? "-0" : String(value);
    let known = this.#literals.get(key);
    if (known === undefined) {
      known = { at: this.reserve(WORD), value };
      this.#literals.set(key, known);
    }
    return known.at;
  }

  /** What remains of the tick divided by `ticks`: the code keeps it up to date. */
  remainder(ticks: number): number {
    let at = this.#remainders.get(ticks);
    if (at === undefined) {
      at = this.reserve(WORD);
      this.#remainders.set(ticks, at);
    }
    return at;
  }

  get remainders(): ReadonlyMap<number, number> {
    return this.#remainders;
  }

  /** 32-bit integers that never change; lists that are equal share their place. */
  integers(values: readonly number[]): number {
    const key = values.join(" ");
    let known = this.#integers.get(key);
    if (known === undefined) {
      known = { at: this.reserve(4 * values.length), values };
      this.#integers.set(key, known);
    }
    return known.at;
  }

  /** The address of a function that is called from here. */
  functionAt(address: Address): number {
    let at = this.#functions.get(address);
    if (at === undefined) {
      at = this.reserve(WORD);
      this.#functions.set(address, at);
    }
    return at;
  }

  reserve(bytes: number): number {
    const at = this.#size;
    this.#size += Math.ceil(bytes / WORD) * WORD;
    return at;
  }

  /** The block, with everything in it that never changes. */
  make(arena: Arena): PlanBlock {
    const block = arena.allocate(this.#size);
    const view = new DataView(block.buffer, block.offset, block.bytes);
    for (const { at, value } of this.#literals.values()) view.setFloat64(at, value, true);
    for (const [address, at] of this.#functions) view.setBigInt64(at, BigInt(address), true);
    for (const { at, values } of this.#integers.values())
      for (const [i, value] of values.entries()) view.setInt32(at + 4 * i, value, true);
    const { sizes } = this.#plan;
    return {
      block,
      bytes: bytesOf(block),
      view,
      f64: new Float64Array(block.buffer, block.offset + this.#f64, sizes.f64),
      i64: new BigInt64Array(block.buffer, block.offset + this.#i64, sizes.i64),
    };
  }
}

const WORDS_OF_UNIT = 5;

export interface PlanBlock {
  readonly block: Block;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly f64: Float64Array;
  readonly i64: BigInt64Array;
}
