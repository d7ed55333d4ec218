/**
 * The memory that generated code works on, one block that a register points into: counters, times,
 * signals, literals. Places are handed out while the code is written; the block is made when all of
 * them are known.
 *
 * A place is an offset from the register. It points 128 bytes into the block: what lies nearer than
 * that is reached by instructions that are three bytes shorter, so single words that many
 * instructions need come first.
 */
import type { Plan } from "../../../plan/plan.ts";
import type { Address, Arena } from "../native-memory.ts";

const WORD = 8;
const NEAR = 128;
const UNIT_WORDS = 4;
export const ENTRY: number = -NEAR + 6 * WORD;

/** Times of a step, or of a part of one, that are the same for all units of a rate. */
export interface Span {
  readonly ticks: number;
  readonly part: number;
  readonly parts: number;
  /** Places: where it begins, and its size. */
  readonly from: number;
  readonly size: number;
}

export class PlanMemory {
  /**
   * The tick under way, the last one to do, where the next row goes: as doubles, which TypeScript
   * writes without a detour.
   */
  readonly tick: number = -NEAR;
  readonly last: number = -NEAR + WORD;
  readonly rows: number = -NEAR + 2 * WORD;
  /** Status of the call that ended the code. */
  readonly status: number = -NEAR + 3 * WORD;
  /** Calls that returned a warning. */
  readonly warnings: number = -NEAR + 4 * WORD;
  /**
   * Not 0: units that change the floating-point state are to be named, which costs time in every
   * call.
   */
  readonly watch: number = -NEAR + 5 * WORD;
  /** Where the code is that works on this memory, for `enterBlock`. */
  readonly entry: number = ENTRY;
  private readonly sizes: { readonly f64: number; readonly i64: number };
  private readonly spanList = new Map<string, Span>();
  private readonly remainderSlots = new Map<number, number>();
  private readonly literals = new Map<string, { readonly at: number; readonly value: number }>();
  private readonly functions = new Map<Address, number>();
  private readonly integerLists = new Map<
    string,
    { readonly at: number; readonly values: readonly number[] }
  >();
  private readonly units: number;
  private readonly f64At: number;
  private readonly i64At: number;
  private maskAt: number | undefined;
  private near: number = ENTRY + WORD;
  private far: number = NEAR;

  /** @param hasSignals they lie in it. */
  constructor(plan: Plan, hasSignals = true) {
    this.sizes = hasSignals ? plan.sizes : { f64: 0, i64: 0 };
    this.units = this.reserve(UNIT_WORDS * WORD * plan.units.length);
    this.f64At = this.reserve(WORD * this.sizes.f64);
    this.i64At = this.reserve(WORD * this.sizes.i64);
  }

  f64(slot: number): number {
    return this.f64At + slot * WORD;
  }

  i64(slot: number): number {
    return this.i64At + slot * WORD;
  }

  noRollback(unit: number): number {
    return this.units + UNIT_WORDS * unit * WORD;
  }

  /** Of FMUs that want constant steps. */
  constantStep(unit: number): number {
    return this.units + (UNIT_WORDS * unit + 1) * WORD;
  }

  /**
   * Three integers: the last call of a unit that left another floating-point state behind (0:
   * none), and that state.
   */
  floatChange(unit: number): number {
    return this.units + (UNIT_WORDS * unit + 2) * WORD;
  }

  /** Of the `part`-th of `parts` of a step of `ticks`; the code keeps it up to date. */
  span(ticks: number, part: number, parts: number): Span {
    return found(this.spanList, `${ticks} ${part} ${parts}`, () => {
      return { ticks, part, parts, from: this.word(), size: this.word() };
    });
  }

  get spans(): Iterable<Span> {
    return this.spanList.values();
  }

  /** What remains of the tick divided by `ticks`; the code keeps it up to date. */
  remainder(ticks: number): number {
    return found(this.remainderSlots, ticks, () => this.word());
  }

  get remainders(): ReadonlyMap<number, number> {
    return this.remainderSlots;
  }

  /** A double that never changes. */
  literal(value: number): number {
    const key = Object.is(value, -0) ? "-0" : String(value);
    return found(this.literals, key, () => ({ at: this.word(), value })).at;
  }

  /** 16 bytes: all bits of two doubles but their signs. */
  get signMask(): number {
    this.maskAt ??= this.reserveAligned();
    return this.maskAt;
  }

  private reserveAligned(): number {
    while ((NEAR + this.far) % 16 !== 0) this.far += WORD;
    return this.reserve(16);
  }

  /** The address of a function. */
  functionAt(address: Address): number {
    return found(this.functions, address, () => this.word());
  }

  /**
   * 32-bit integers that never change; equal lists of one use share their place, so that the layout
   * does not depend on the processor.
   */
  integers(values: readonly number[], use = ""): number {
    return found(this.integerLists, [use, ...values].join(" "), () => {
      return { at: this.reserve(4 * values.length), values };
    }).at;
  }

  reserve(bytes: number): number {
    const at = this.far;
    this.far += Math.ceil(bytes / WORD) * WORD;
    return at;
  }

  private word(): number {
    if (this.near === NEAR) return this.reserve(WORD);
    this.near += WORD;
    return this.near - WORD;
  }

  /** The block, with everything in it that never changes. */
  make(arena: Pick<Arena, "allocate">): PlanBlock {
    const { address, buffer, offset } = arena.allocate(NEAR + this.far);
    const block = new PlanBlock(address + NEAR, new DataView(buffer, offset), {
      f64: new Float64Array(buffer, offset + NEAR + this.f64At, this.sizes.f64),
      i64: new BigInt64Array(buffer, offset + NEAR + this.i64At, this.sizes.i64),
    });
    for (const { at, value } of this.literals.values()) block.writeDouble(at, value);
    if (this.maskAt !== undefined)
      for (const word of [0, 8]) {
        block.writeInt(this.maskAt + word, -1);
        block.writeInt(this.maskAt + word + 4, 0x7fffffff);
      }
    for (const [target, at] of this.functions) block.writeAddress(at, target);
    for (const { at, values } of this.integerLists.values())
      for (const [i, value] of values.entries()) block.writeInt(at + 4 * i, value);
    return block;
  }
}

function found<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = known.get(key);
  if (value === undefined) {
    value = make();
    known.set(key, value);
  }
  return value;
}

/** The memory itself, by place. */
export class PlanBlock {
  /** What the register holds. */
  readonly address: Address;
  readonly signals: { readonly f64: Float64Array; readonly i64: BigInt64Array };
  private readonly view: DataView;

  constructor(address: Address, view: DataView, signals: PlanBlock["signals"]) {
    this.address = address;
    this.signals = signals;
    this.view = view;
  }

  readDouble(at: number): number {
    return this.view.getFloat64(NEAR + at, true);
  }

  writeDouble(at: number, value: number): void {
    this.view.setFloat64(NEAR + at, value, true);
  }

  readInt(at: number): number {
    return this.view.getInt32(NEAR + at, true);
  }

  writeInt(at: number, value: number): void {
    this.view.setInt32(NEAR + at, value, true);
  }

  /** In halves: 64-bit integers of JavaScript would be allocated. */
  readAddress(at: number): Address {
    return (
      this.view.getUint32(NEAR + at, true) + this.view.getUint32(NEAR + at + 4, true) * 2 ** 32
    );
  }

  writeAddress(at: number, value: Address): void {
    this.view.setUint32(NEAR + at, value % 2 ** 32, true);
    this.view.setUint32(NEAR + at + 4, Math.floor(value / 2 ** 32), true);
  }
}
