/**
 * A bit of a value, as the value lies in memory: two's complement for integers, IEEE 754 for
 * floats. Bit 0 is the lowest.
 */
import { INTEGER_RANGES } from "../model/port-value.ts";
import type { ValueType } from "../model/value-type.ts";

const VIEW = new DataView(new ArrayBuffer(8));

/** For types of the f64 bank. */
export function flipBit(type: ValueType, value: number, bit: number): number {
  switch (type) {
    case "float64":
      VIEW.setFloat64(0, value, true);
      VIEW.setBigUint64(0, VIEW.getBigUint64(0, true) ^ (1n << BigInt(bit)), true);
      return VIEW.getFloat64(0, true);
    case "float32":
      VIEW.setFloat32(0, value, true);
      VIEW.setUint32(0, (VIEW.getUint32(0, true) ^ (1 << bit)) >>> 0, true);
      return VIEW.getFloat32(0, true);
    case "boolean":
      return value === 0 ? 1 : 0;
    default: {
      const [low] = INTEGER_RANGES[type] ?? [-1n];
      const bits = /\d+$/.exec(type)?.[0] ?? "32";
      const flipped = BigInt(Math.trunc(value)) ^ (1n << BigInt(bit));
      const width = Number(bits);
      return Number(low < 0n ? BigInt.asIntN(width, flipped) : BigInt.asUintN(width, flipped));
    }
  }
}

export function flipBit64(value: bigint, bit: number): bigint {
  return BigInt.asIntN(64, value ^ (1n << BigInt(bit)));
}
