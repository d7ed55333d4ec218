/**
 * Values of accesses in messages. Both sides know the ports of an access, and so how many values of
 * each bank it has; the counts travel all the same, and a peer whose counts are others is not
 * talking about the same unit.
 */
import { type Port, portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { PortSlot } from "../unit/unit.ts";
import { Nonsense } from "./protocol.ts";

/** Ports one after the other, each bank from 0 on. */
export interface CompactLayout {
  readonly slots: readonly PortSlot[];
  readonly sizes: { readonly f64: number; readonly i64: number; readonly obj: number };
}

/** @throws RangeError for a port that is not there. */
export function compactLayout(
  unit: string,
  ports: readonly Port[],
  indices: readonly number[],
): CompactLayout {
  const sizes = { f64: 0, i64: 0, obj: 0 };
  const slots = indices.map((index): PortSlot => {
    const port = ports[index];
    if (port === undefined)
      throw new RangeError(
        `'${unit}': port ${index} cannot be bound; ports count from 0 to ${ports.length - 1}`,
      );
    const bank = bankOf(port.type);
    const slot = sizes[bank];
    sizes[bank] += portSize(port);
    return { port: index, slot };
  });
  return { slots, sizes };
}

export function banksOf({ sizes }: CompactLayout): Banks {
  return makeBanks(sizes);
}

export function putValues(bytes: ByteWriter, { f64, i64, obj }: Banks): void {
  bytes.u32(f64.length);
  for (let i = 0; i < f64.length; i++) bytes.f64(f64[i]);
  bytes.u32(i64.length);
  for (let i = 0; i < i64.length; i++) bytes.i64(i64[i]);
  bytes.u32(obj.length);
  for (let i = 0; i < obj.length; i++) bytes.object(obj[i]);
}

/** Fills `banks`. @throws Nonsense when there are more or fewer values. */
export function takeValues(bytes: ByteReader, { f64, i64, obj }: Banks): void {
  expectCount(bytes, f64.length);
  for (let i = 0; i < f64.length; i++) f64[i] = bytes.f64();
  expectCount(bytes, i64.length);
  for (let i = 0; i < i64.length; i++) i64[i] = bytes.i64();
  expectCount(bytes, obj.length);
  for (let i = 0; i < obj.length; i++) obj[i] = bytes.object();
}

function expectCount(bytes: ByteReader, count: number): void {
  const given = bytes.u32();
  if (given !== count) throw new Nonsense(`${given} values where there are ${count}`);
}
