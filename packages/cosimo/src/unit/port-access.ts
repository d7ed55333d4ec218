/**
 * The transfer between a TypeScript unit's own banks and the caller's: prepared once by `bind`,
 * then a few index loops.
 */
import { type Port, portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, type Value } from "../model/value-type.ts";
import type { Access, PortSlot } from "./unit.ts";

/** Until when a port can be written. */
export type LastWritable = "never" | "initialization" | "step";

/** For every bank, triples of own offset, caller's slot and count. */
export interface BoundAccess extends Access {
  readonly f64: Int32Array;
  readonly i64: Int32Array;
  readonly obj: Int32Array;
  /** The first port that can never be written, or only before the first step; -1 for none. */
  readonly never: number;
  readonly early: number;
}

export function bindPorts(
  unit: string,
  ports: readonly Port[],
  offsets: Int32Array,
  slots: readonly PortSlot[],
  lastWritable: (port: Port) => LastWritable,
): BoundAccess {
  const triples = { f64: [] as number[], i64: [] as number[], obj: [] as number[] };
  let never = -1;
  let early = -1;
  for (const { port: index, slot } of slots) {
    const port = ports[index];
    if (port === undefined || !Number.isInteger(slot) || slot < 0) {
      throw new RangeError(
        `'${unit}': port ${index} cannot be bound to slot ${slot}; ports count from 0 to ${ports.length - 1}`,
      );
    }
    triples[bankOf(port.type)].push(offsets[index], slot, portSize(port));
    const last = lastWritable(port);
    if (last === "never" && never < 0) never = index;
    if (last === "initialization" && early < 0) early = index;
  }
  return {
    slots,
    f64: Int32Array.from(triples.f64),
    i64: Int32Array.from(triples.i64),
    obj: Int32Array.from(triples.obj),
    never,
    early,
  };
}

/** From the unit's banks to the caller's. */
export function copyOut({ f64, i64, obj }: BoundAccess, own: Banks, banks: Banks): void {
  const from = own.f64;
  const to = banks.f64;
  for (let k = 0; k < f64.length; k += 3) {
    const at = f64[k];
    const slot = f64[k + 1];
    for (let i = 0; i < f64[k + 2]; i++) to[slot + i] = from[at + i];
  }
  for (let k = 0; k < i64.length; k += 3) copyRun(own.i64, i64, k, k + 1, banks.i64);
  for (let k = 0; k < obj.length; k += 3) copyRun(own.obj, obj, k, k + 1, banks.obj);
}

/** From the caller's banks to the unit's. */
export function copyIn({ f64, i64, obj }: BoundAccess, banks: Banks, own: Banks): void {
  const from = banks.f64;
  const to = own.f64;
  for (let k = 0; k < f64.length; k += 3) {
    const at = f64[k];
    const slot = f64[k + 1];
    for (let i = 0; i < f64[k + 2]; i++) to[at + i] = from[slot + i];
  }
  for (let k = 0; k < i64.length; k += 3) copyRun(banks.i64, i64, k + 1, k, own.i64);
  for (let k = 0; k < obj.length; k += 3) copyRun(banks.obj, obj, k + 1, k, own.obj);
}

/**
 * One triple of the rarer banks; `source` and `target` say where in `triples` the two offsets lie.
 */
function copyRun<T>(
  from: { readonly [index: number]: T },
  triples: Int32Array,
  source: number,
  target: number,
  to: { [index: number]: T },
): void {
  const count = triples[Math.min(source, target) + 2];
  for (let i = 0; i < count; i++) to[triples[target] + i] = from[triples[source] + i];
}

/** Writes a port's start values to its place in `banks`. */
export function putStart(port: Port, offset: number, banks: Banks): void {
  const start = port.start ?? [];
  for (let i = 0; i < portSize(port); i++) {
    const value: Value | undefined = start.length === 1 ? start[0] : start[i];
    if (value === undefined) continue;
    const bank = bankOf(port.type);
    if (bank === "f64") banks.f64[offset + i] = Number(value);
    else if (bank === "i64") banks.i64[offset + i] = BigInt(value as bigint);
    else banks.obj[offset + i] = value as string | Uint8Array;
  }
}
