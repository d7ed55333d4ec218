/**
 * Values between banks and an FMU: the ports of one access, grouped by the FMI function that moves
 * them, each group in one native buffer with the bank slots worked out beforehand. One FMI call a
 * group, then a copy loop.
 */
import type { UnitDescription } from "../../model/unit-description.ts";
import { portSize } from "../../model/unit-description.ts";
import { type BankName, type Banks, bankOf } from "../../model/value-type.ts";
import type { Access, Phase, PortSlot } from "../../unit/unit.ts";
import { exchangeCall, type FmiVersion } from "./fmi-version.ts";
import { libc } from "./libc.ts";
import {
  type Address,
  type Arena,
  bytesOf,
  readString,
  type Scratch,
  uint32s,
} from "./native-memory.ts";
import type { PreparedArgument, PreparedCall } from "./prepared-calls.ts";

/** How a type looks in C. `text` and `binary` are pointers, binary with its sizes beside. */
export type Wire =
  | "f64"
  | "f32"
  | "i8"
  | "u8"
  | "i16"
  | "u16"
  | "i32"
  | "u32"
  | "i64"
  | "u64"
  | "text"
  | "binary";

/** The FMI function family of a value type ("Real", "UInt16") and its C type. */
export interface WireType {
  readonly family: string;
  readonly wire: Wire;
}

type NumberArray =
  | Float64Array
  | Float32Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

export interface Group {
  readonly get: PreparedCall;
  /** Prepared when first needed: many FMUs lack setters that are never called. */
  set: PreparedCall | undefined;
  readonly setter: () => PreparedCall;
  readonly family: string;
  readonly wire: Wire;
  readonly bank: BankName;
  readonly ports: readonly number[];
  /** How many value references there are. */
  readonly count: number;
  /** The values and how many elements they have in all. */
  readonly values: Address;
  readonly elements: number;
  /** Bank slot of each element. */
  readonly slots: Int32Array;
  readonly f64: Float64Array | undefined;
  readonly numbers: NumberArray | undefined;
  /** 64-bit integers and pointers. */
  readonly words: BigInt64Array | undefined;
  /** Sizes of binary values. */
  readonly sizes: BigInt64Array | undefined;
}

export class NativeAccess implements Access {
  readonly slots: readonly PortSlot[];
  readonly groups: readonly Group[];
  /** The last phase in which writing was found to be allowed. */
  writableIn: Phase | undefined;
  /** Whether it was read before, so that the FMU is known to write its values. */
  wasRead = false;

  constructor(slots: readonly PortSlot[], groups: readonly Group[]) {
    this.slots = slots;
    this.groups = groups;
  }
}

export interface TransferContext {
  readonly description: UnitDescription;
  readonly arena: Pick<Arena, "allocate">;
  readonly version: FmiVersion;
  readonly referenceOf: (port: number) => number;
  /** The pointer of the instance, which has to be there. */
  readonly handle: () => PreparedArgument;
  readonly prepare: (name: string, args: readonly PreparedArgument[]) => PreparedCall;
}

export function makeAccess(context: TransferContext, slots: readonly PortSlot[]): NativeAccess {
  const byKey = new Map<string, PortSlot[]>();
  for (const slot of slots) {
    const port = context.description.ports[slot.port];
    if (port === undefined)
      throw new Error(`'${context.description.name}' has no port ${slot.port}`);
    const wireType = context.version.wires[port.type];
    if (wireType === undefined)
      throw new Error(`internal: no FMI function moves '${port.name}' of type ${port.type}`);
    const key = `${wireType.family} ${bankOf(port.type)}`;
    const group = byKey.get(key);
    if (group === undefined) byKey.set(key, [slot]);
    else group.push(slot);
  }
  const groups = [...byKey.values()].map((members) => makeGroup(context, members));
  return new NativeAccess([...slots], groups);
}

/** The access to `slots` in `known`, made when it is first needed. */
export function cachedAccess(
  known: Map<string, NativeAccess>,
  context: TransferContext,
  slots: readonly PortSlot[],
): NativeAccess {
  const key = slots.map(({ port, slot }) => `${port}@${slot}`).join();
  const access = known.get(key) ?? makeAccess(context, slots);
  known.set(key, access);
  return access;
}

function makeGroup(context: TransferContext, members: readonly PortSlot[]): Group {
  const { description, arena, version, referenceOf, prepare } = context;
  const type = description.ports[members[0].port].type;
  const { family, wire } = version.wires[type]!;
  const slots = members.flatMap(({ port, slot }) =>
    Array.from({ length: portSize(description.ports[port]) }, (_, i) => slot + i),
  );
  const elements = slots.length;
  const references = arena.allocate(4 * members.length);
  uint32s(references, members.length).set(members.map(({ port }) => referenceOf(port)));
  const block = arena.allocate(8 * elements);
  const numbers = numberArray(wire, block.buffer, block.offset, elements);
  const isWide = numbers === undefined;
  const sizesBlock = wire === "binary" ? arena.allocate(8 * elements) : undefined;
  const count = members.length;
  const args = [
    context.handle(),
    references.address,
    count,
    ...(sizesBlock === undefined ? [] : [sizesBlock.address]),
    block.address,
    ...(version.countsValues && family !== "Clock" ? [elements] : []),
  ];
  return {
    get: prepare(exchangeCall(version, "Get", family), args),
    setter: () => prepare(exchangeCall(version, "Set", family), args),
    set: undefined,
    family,
    wire,
    bank: bankOf(type),
    ports: members.map(({ port }) => port),
    count,
    values: block.address,
    elements,
    slots: Int32Array.from(slots),
    f64: numbers instanceof Float64Array ? numbers : undefined,
    numbers,
    words: isWide ? new BigInt64Array(block.buffer, block.offset, elements) : undefined,
    sizes: sizesBlock && new BigInt64Array(sizesBlock.buffer, sizesBlock.offset, elements),
  };
}

function numberArray(
  wire: Wire,
  buffer: ArrayBuffer,
  offset: number,
  length: number,
): NumberArray | undefined {
  switch (wire) {
    case "f64":
      return new Float64Array(buffer, offset, length);
    case "f32":
      return new Float32Array(buffer, offset, length);
    case "i8":
      return new Int8Array(buffer, offset, length);
    case "u8":
      return new Uint8Array(buffer, offset, length);
    case "i16":
      return new Int16Array(buffer, offset, length);
    case "u16":
      return new Uint16Array(buffer, offset, length);
    case "i32":
      return new Int32Array(buffer, offset, length);
    case "u32":
      return new Uint32Array(buffer, offset, length);
    default:
      return undefined;
  }
}

/** The call that sets the values of a group. */
export function setterOf(group: Group): PreparedCall {
  group.set ??= group.setter();
  return group.set;
}

/** Native buffer → banks, after a get. */
export function unload(group: Group, banks: Banks): void {
  const { slots, f64, numbers, words } = group;
  const n = slots.length;
  if (f64 !== undefined) {
    const bank = banks.f64;
    for (let i = 0; i < n; i++) bank[slots[i]] = f64[i];
    return;
  }
  if (numbers !== undefined) {
    const bank = banks.f64;
    for (let i = 0; i < n; i++) bank[slots[i]] = numbers[i];
    return;
  }
  if (group.bank === "i64") {
    for (let i = 0; i < n; i++) banks.i64[slots[i]] = words![i];
    return;
  }
  if (group.bank === "f64") {
    for (let i = 0; i < n; i++) banks.f64[slots[i]] = Number(words![i]);
    return;
  }
  for (let i = 0; i < n; i++) {
    banks.obj[slots[i]] =
      group.wire === "text"
        ? (readString(words![i]) ?? "")
        : copyBytes(Number(words![i]), Number(group.sizes![i]));
  }
}

/**
 * Banks → native buffer, before a set. Texts and binary values go to scratch memory: the call
 * copies them.
 */
export function load(group: Group, banks: Banks, scratch: Scratch): void {
  const { slots, f64, numbers, words } = group;
  const n = slots.length;
  if (f64 !== undefined) {
    const bank = banks.f64;
    for (let i = 0; i < n; i++) f64[i] = bank[slots[i]];
    return;
  }
  if (numbers !== undefined) {
    const bank = banks.f64;
    for (let i = 0; i < n; i++) numbers[i] = bank[slots[i]];
    return;
  }
  if (group.bank === "i64") {
    for (let i = 0; i < n; i++) words![i] = banks.i64[slots[i]];
    return;
  }
  if (group.bank === "f64") {
    for (let i = 0; i < n; i++) words![i] = BigInt(banks.f64[slots[i]]);
    return;
  }
  loadObjects(group, banks, scratch);
}

function loadObjects(group: Group, banks: Banks, scratch: Scratch): void {
  const pieces = Array.from(group.slots, (slot) => Buffer.from(banks.obj[slot]));
  scratch.begin(pieces.reduce((sum, piece) => sum + piece.length + 32, 0));
  pieces.forEach((piece, i) => {
    const block = scratch.take(piece.length + 1);
    const bytes = bytesOf(block);
    bytes.set(piece);
    bytes[piece.length] = 0;
    group.words![i] = BigInt(block.address);
    if (group.sizes !== undefined) group.sizes[i] = BigInt(piece.length);
  });
}

/** FMUs may reuse what they hand out at the next call: copied at once. */
function copyBytes(from: Address, bytes: number): Uint8Array {
  const copy = new Uint8Array(bytes);
  if (bytes > 0) libc().copyOut(copy, from, bytes);
  return copy;
}
