/**
 * A signal of every type that changes once, in the middle of the run: two rows at t = 0.5 s make it an event.
 */
import { tableUnit } from "cosimo/unit";

const bytes = (...values) => Uint8Array.from(values);
const step = (before, after, make = Array) => make.of(before, before, after, after);

const PORTS = {
  Float64_continuous: { type: "float64", values: step(0.1, -1e300, Float64Array) },
  Float64_discrete: {
    type: "float64",
    variability: "discrete",
    values: step(0.2, 5e-324, Float64Array),
  },
  Float32_continuous: { type: "float32", values: step(0.5, 16777216, Float64Array) },
  Float32_discrete: {
    type: "float32",
    variability: "discrete",
    values: step(-0.75, 0.375, Float64Array),
  },
  Int8: { type: "int8", values: step(-128, 127, Float64Array) },
  UInt8: { type: "uint8", values: step(0, 255, Float64Array) },
  Int16: { type: "int16", values: step(-32768, 32767, Float64Array) },
  UInt16: { type: "uint16", values: step(0, 65535, Float64Array) },
  Int32: { type: "int32", values: step(-2147483648, 2147483647, Float64Array) },
  UInt32: { type: "uint32", values: step(0, 4294967295, Float64Array) },
  Int64: { type: "int64", values: step(-(2n ** 63n), 2n ** 63n - 1n, BigInt64Array) },
  UInt64: {
    type: "uint64",
    values: step(2n ** 53n + 1n, BigInt.asIntN(64, 2n ** 64n - 1n), BigInt64Array),
  },
  Boolean: { type: "boolean", values: step(0, 1, Float64Array) },
  String: { type: "string", values: step("before", 'nach ½ Sekunde, "quoted"') },
  Binary: { type: "binary", values: step(bytes(), bytes(0xc0, 0xff, 0xee)) },
  Enumeration: {
    type: "enumeration",
    items: new Map([
      [1, "Option 1"],
      [2, "Option 2"],
      [3, "Option 3"],
    ]),
    values: step(1, 3, Float64Array),
  },
};

export default (name) =>
  tableUnit({ name: "source", time: Float64Array.of(0, 0.5, 0.5, 1), outputs: PORTS }, name);
