/**
 * The value types that travel between units, and the bank each of them lives in.
 *
 * Values move in typed arrays, never as one boxed value per call. Three banks suffice:
 *   f64  everything that is exact in a double: floats, integers up to 32 bits, booleans and clocks (0/1), enumerations
 *   i64  64-bit integers; an unsigned one is stored with the same bits
 *   obj  strings and binary values (a Uint8Array)
 */

export type ValueType =
  | "float64"
  | "float32"
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "boolean"
  | "string"
  | "binary"
  | "enumeration"
  | "clock";

/** Types in the words of FMI 3, which are those of SSP 2 too. */
export const TYPE_NAMES: Readonly<Record<ValueType, string>> = {
  float32: "Float32",
  float64: "Float64",
  int8: "Int8",
  uint8: "UInt8",
  int16: "Int16",
  uint16: "UInt16",
  int32: "Int32",
  uint32: "UInt32",
  int64: "Int64",
  uint64: "UInt64",
  boolean: "Boolean",
  string: "String",
  binary: "Binary",
  enumeration: "Enumeration",
  clock: "Clock",
};

export type BankName = "f64" | "i64" | "obj";

export type ObjectValue = string | Uint8Array;

/** One value as it is written and printed; 64-bit integers are bigint. */
export type Value = number | bigint | boolean | ObjectValue;

export interface Banks {
  readonly f64: Float64Array;
  readonly i64: BigInt64Array;
  readonly obj: ObjectValue[];
}

export function bankOf(type: ValueType): BankName {
  switch (type) {
    case "int64":
    case "uint64":
      return "i64";
    case "string":
    case "binary":
      return "obj";
    default:
      return "f64";
  }
}

export function makeBanks(sizes: {
  readonly f64?: number;
  readonly i64?: number;
  readonly obj?: number;
}): Banks {
  return {
    f64: new Float64Array(sizes.f64 ?? 0),
    i64: new BigInt64Array(sizes.i64 ?? 0),
    obj: new Array<ObjectValue>(sizes.obj ?? 0).fill(""),
  };
}

/** Puts one element into its bank. */
export function storeValue(banks: Banks, type: ValueType, slot: number, value: Value): void {
  switch (bankOf(type)) {
    case "f64":
      banks.f64[slot] = Number(value);
      break;
    case "i64":
      banks.i64[slot] = BigInt.asIntN(64, BigInt(value as number | bigint));
      break;
    case "obj":
      banks.obj[slot] = value as string | Uint8Array;
      break;
  }
}
