/**
 * The calls that moved a unit, as bytes, and how they are made again. Reading moves nothing and is
 * not in it.
 *
 * A byte says which call, then follow
 *   ports      list u32, count u32, ports u32   a list of ports that are written together gets a number
 *   write      list u32, values            the values of its ports, one port after the other
 *   again      list u32                    the values of last time once more
 *   slopes     count u32, (port u32, order u32), n u32, values f64
 *   step       until f64                   from where the last one ended
 *   advance    from f64, until f64
 *   predicate  from f64, predicate as JSON text
 *   event, update, leave                   event mode, its update, back to step mode
 *   switch                                 what changes at this instant is switched
 */
import { portSize, type UnitDescription } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { type ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Predicate } from "../unit/predicate.ts";
import type { Access, Unit } from "../unit/unit.ts";
import { banksFor, layoutPorts } from "./port-layout.ts";

const Call = {
  ports: 1,
  write: 2,
  again: 3,
  slopes: 4,
  step: 5,
  advance: 6,
  predicate: 7,
  event: 8,
  update: 9,
  leave: 10,
  switch: 11,
} as const;

/** A list of ports, where the caller keeps their values, and what they were last time. */
interface WrittenPorts {
  readonly list: number;
  /** Where the log says so. */
  readonly saidAt: number;
  readonly ranges: Readonly<Record<keyof Banks, readonly Range[]>>;
  readonly last: Banks;
  isKnown: boolean;
}

interface Range {
  /** In the caller's bank. */
  readonly slot: number;
  /** In `last`. */
  readonly at: number;
  readonly size: number;
}

/** Bytes up to `base` were handed out and are kept elsewhere. */
export class CallLog {
  private readonly description: UnitDescription;
  private readonly writer = new ByteWriter();
  private readonly written = new Map<Access, WrittenPorts>();
  private base = 0;
  private lists = 0;
  private until = Number.NaN;

  constructor(description: UnitDescription) {
    this.description = description;
  }

  get length(): number {
    return this.base + this.writer.length;
  }

  /** What came since the last time. */
  take(): Uint8Array {
    const bytes = this.writer.take();
    this.base += bytes.length;
    this.writer.cut(0);
    return bytes;
  }

  /** What was logged and not handed out. */
  pending(): Uint8Array {
    return this.writer.take();
  }

  /** The unit was set back to where the log had `length` bytes. */
  cut(length: number): void {
    if (length < this.base) throw new Error("internal: a unit was set back before a checkpoint");
    this.writer.cut(length - this.base);
    for (const [access, ports] of this.written) {
      ports.isKnown = false;
      if (ports.saidAt >= length) this.written.delete(access);
    }
    this.until = Number.NaN;
  }

  /** Goes on behind a log of `length` bytes that numbers lists of ports below `lists`. */
  goOn(length: number, lists: number): void {
    this.base = length;
    this.writer.cut(0);
    this.lists = lists;
    this.written.clear();
    this.until = Number.NaN;
  }

  write(access: Access, banks: Banks): void {
    const ports = this.written.get(access) ?? this.begin(access);
    if (ports.isKnown && isSame(ports, banks)) {
      this.writer.u8(Call.again);
      this.writer.u32(ports.list);
      return;
    }
    remember(ports, banks);
    ports.isKnown = true;
    const { f64, i64, obj } = ports.last;
    this.writer.u8(Call.write);
    this.writer.u32(ports.list);
    this.writer.f64s(f64);
    this.writer.i64s(i64);
    for (let i = 0; i < obj.length; i++) this.writer.object(obj[i]);
  }

  slopes(ports: readonly number[], orders: readonly number[], values: Float64Array): void {
    const writer = this.writer;
    writer.u8(Call.slopes);
    writer.u32(ports.length);
    for (let i = 0; i < ports.length; i++) {
      writer.u32(ports[i]);
      writer.u32(orders[i]);
    }
    writer.u32(values.length);
    writer.f64s(values);
  }

  advance(from: number, until: Predicate): void {
    const writer = this.writer;
    if (until.kind !== "time") {
      writer.u8(Call.predicate);
      writer.f64(from);
      writer.text(JSON.stringify(until));
      this.until = Number.NaN;
      return;
    }
    const goesOn = from === this.until;
    writer.u8(goesOn ? Call.step : Call.advance);
    if (!goesOn) writer.f64(from);
    writer.f64(until.time);
    this.until = until.time;
  }

  event(kind: "event" | "update" | "leave" | "switch"): void {
    this.writer.u8(Call[kind]);
  }

  private begin(access: Access): WrittenPorts {
    const ports = access.slots.map(({ port }) => this.description.ports[port]);
    const layout = layoutPorts(ports);
    const ranges: Record<keyof Banks, Range[]> = { f64: [], i64: [], obj: [] };
    ports.forEach((port, p) => {
      const { slot } = access.slots[p];
      ranges[bankOf(port.type)].push({ slot, at: layout.slots[p].slot, size: portSize(port) });
    });
    const list = this.lists++;
    const begun = { list, saidAt: this.length, ranges, last: banksFor(layout), isKnown: false };
    this.writer.u8(Call.ports);
    this.writer.u32(list);
    this.writer.u32(ports.length);
    for (const { index } of ports) this.writer.u32(index);
    this.written.set(access, begun);
    return begun;
  }
}

function isSame({ ranges, last }: WrittenPorts, banks: Banks): boolean {
  return (
    isSameIn(ranges.f64, last.f64, banks.f64) &&
    isSameIn(ranges.i64, last.i64, banks.i64) &&
    isSameIn(ranges.obj, last.obj, banks.obj)
  );
}

/**
 * Binary values are the same only as the same object: comparing them would cost what writing does.
 */
function isSameIn(
  ranges: readonly Range[],
  last: ArrayLike<unknown>,
  bank: ArrayLike<unknown>,
): boolean {
  for (const { slot, at, size } of ranges)
    for (let i = 0; i < size; i++) if (!Object.is(last[at + i], bank[slot + i])) return false;
  return true;
}

function remember({ ranges, last }: WrittenPorts, banks: Banks): void {
  for (const { slot, at, size } of ranges.f64)
    for (let i = 0; i < size; i++) last.f64[at + i] = banks.f64[slot + i];
  for (const { slot, at, size } of ranges.i64)
    for (let i = 0; i < size; i++) last.i64[at + i] = banks.i64[slot + i];
  for (const { slot, at, size } of ranges.obj)
    for (let i = 0; i < size; i++) last.obj[at + i] = banks.obj[slot + i];
}

/** A list of ports with the unit's access to them. */
interface ReplayedPorts {
  readonly access: Access;
  readonly banks: Banks;
}

/**
 * Makes the calls in `log` again, those before byte `from` excepted: they were made already.
 * @returns a number above those of all lists of ports in it.
 */
export function replayCalls(unit: Unit, log: ByteReader, from: number): number {
  const lists: ReplayedPorts[] = [];
  const until = { kind: "time" as const, time: Number.NaN };
  while (!log.isAtEnd) {
    const isDone = log.position < from;
    const call = log.u8();
    switch (call) {
      case Call.ports:
        lists[log.u32()] = replayedPorts(unit, log);
        break;
      case Call.write:
      case Call.again: {
        const { access, banks } = lists[log.u32()];
        if (call === Call.write) readValues(log, banks);
        if (!isDone) unit.write(access, banks);
        break;
      }
      case Call.slopes: {
        const pairs = Array.from({ length: log.u32() }, () => [log.u32(), log.u32()] as const);
        const values = Float64Array.from({ length: log.u32() }, () => log.f64());
        const ports = pairs.map(([port]) => port);
        const orders = pairs.map(([, order]) => order);
        if (!isDone) unit.setInputDerivatives(ports, orders, values);
        break;
      }
      case Call.step:
      case Call.advance: {
        const begin = call === Call.step ? until.time : log.f64();
        until.time = log.f64();
        if (!isDone) unit.advance(begin, until);
        break;
      }
      case Call.predicate: {
        const begin = log.f64();
        const predicate = JSON.parse(log.text()) as Predicate;
        if (!isDone) unit.advance(begin, predicate);
        break;
      }
      case Call.event:
        if (!isDone) unit.enterEventMode();
        break;
      case Call.update:
        if (!isDone) unit.updateDiscreteStates();
        break;
      case Call.leave:
        if (!isDone) unit.enterStepMode();
        break;
      case Call.switch:
        if (!isDone) unit.switching?.switch();
        break;
      default:
        throw new Error(`internal: call ${call} in the log of '${unit.name}'`);
    }
  }
  return lists.length;
}

function replayedPorts(unit: Unit, log: ByteReader): ReplayedPorts {
  const { ports: all } = unit.description;
  const ports = Array.from({ length: log.u32() }, () => all[log.u32()]);
  const { slots, sizes } = layoutPorts(ports);
  return { access: unit.bind(slots), banks: makeBanks(sizes) };
}

function readValues(log: ByteReader, { f64, i64, obj }: Banks): void {
  for (let i = 0; i < f64.length; i++) f64[i] = log.f64();
  for (let i = 0; i < i64.length; i++) i64[i] = log.i64();
  for (let i = 0; i < obj.length; i++) obj[i] = log.object();
}
