/**
 * Rows that generated code leaves behind, and how they reach the recorder: all together where it
 * takes them so, else one by one through the signal banks, as the interpreter shows them.
 */
import type { RowSink } from "../../../engine/run-plan.ts";
import { NO_ROW, type PlanState, type RowMemory } from "../../../engine/signals.ts";
import type { BankName } from "../../../model/value-type.ts";
import type { Plan } from "../../../plan/plan.ts";
import type { Address, Arena, Block } from "../native-memory.ts";

/**
 * Words of recorded rows that one call of the code may leave behind: half a megabyte stays in the
 * cache.
 */
const WORDS = 65_536;

/** The columns of one bank: where they are in a row, and their slots. */
interface ColumnsOfBank {
  readonly positions: Int32Array;
  readonly slots: Int32Array;
}

export class RowBuffer {
  readonly address: Address;
  readonly ticksThatFit: number;
  private readonly state: PlanState;
  private readonly f64: Float64Array;
  private readonly i64: BigInt64Array;
  private readonly doubles: ColumnsOfBank;
  private readonly integers: ColumnsOfBank;
  private readonly head: Float64Array | undefined;

  constructor(state: PlanState, arena: Arena) {
    const { columns, every } = state.plan.record;
    const width = Math.max(1, columns.length);
    const durable = state.rowMemory;
    const words = durable === undefined ? WORDS : durable.bytes.byteLength / 8 - 1;
    const rows = Math.max(1, Math.floor(words / width));
    if (durable !== undefined && rows * width > words)
      throw new Error("internal: a row does not fit the row memory");
    const { address, buffer, offset } =
      durable === undefined ? arena.allocate(8 * rows * columns.length) : afterHeader(durable);
    this.head = durable && new Float64Array(durable.bytes.buffer, durable.bytes.byteOffset, 1);
    this.address = address;
    this.ticksThatFit = rows * every;
    this.state = state;
    this.f64 = new Float64Array(buffer, offset, rows * columns.length);
    this.i64 = new BigInt64Array(buffer, offset, rows * columns.length);
    this.doubles = columnsOf(state.plan, "f64");
    this.integers = columnsOf(state.plan, "i64");
  }

  /**
   * Before code runs that may end its process: what it does not reach differs from what it wrote.
   */
  begin(first: number, count: number): void {
    if (this.head === undefined) return;
    const { every, columns } = this.state.plan.record;
    const rows = Math.ceil(count / every) + 1;
    this.i64.fill(NO_ROW, 0, rows * columns.length);
    this.head[0] = Math.ceil(first / every) * every;
  }

  /**
   * Hands on the rows of ticks `first` to `last`, of which those at multiples of `every` were
   * recorded.
   */
  deliver(first: number, last: number, { progress, onRow, onRows }: RowSink): void {
    const { every, columns } = this.state.plan.record;
    const firstTick = Math.ceil(first / every) * every;
    if (onRows === undefined) {
      for (let tick = firstTick, row = 0; tick <= last; tick += every, row += columns.length) {
        this.show(row);
        progress.tick = tick;
        onRow(tick);
      }
    } else if (firstTick <= last) {
      const count = Math.floor((last - firstTick) / every) + 1;
      progress.tick = firstTick + (count - 1) * every;
      onRows({ firstTick, every, count, f64: this.f64, i64: this.i64 });
    }
    if (this.head !== undefined) this.head[0] = 0;
  }

  /** Puts the row that begins at word `row` into the banks. */
  private show(row: number): void {
    const { banks } = this.state;
    unpack(this.doubles, this.f64, row, banks.f64);
    if (this.integers.slots.length > 0) unpack(this.integers, this.i64, row, banks.i64);
  }
}

function afterHeader({ address, bytes }: RowMemory): Pick<Block, "address" | "buffer" | "offset"> {
  return {
    address: address + 8,
    buffer: bytes.buffer as ArrayBuffer,
    offset: bytes.byteOffset + 8,
  };
}

function columnsOf({ record }: Plan, bank: BankName): ColumnsOfBank {
  const found = record.columns.flatMap((column, position) =>
    column.bank === bank ? [{ position, slot: column.slot }] : [],
  );
  return {
    positions: Int32Array.from(found, ({ position }) => position),
    slots: Int32Array.from(found, ({ slot }) => slot),
  };
}

function unpack<Bank extends Float64Array | BigInt64Array>(
  { positions, slots }: ColumnsOfBank,
  rows: Bank,
  row: number,
  bank: Bank,
): void {
  for (let i = 0; i < slots.length; i++) bank[slots[i]] = rows[row + positions[i]];
}
