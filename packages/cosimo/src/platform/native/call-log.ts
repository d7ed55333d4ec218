/**
 * One line of text per FMI call, for `--log-calls`: names instead of value references, values
 * instead of addresses. Only made where calls are logged; it reads native memory element by element
 * and may be slow.
 *
 *   fmi2SetReal([k], {2}) -> fmi2OK
 *   fmi2DoStep(t=0, h=0.1, noRollback=true) -> fmi2OK
 */
import koffi from "koffi";
import type { Argument, Signature } from "./calls.ts";
import { readString } from "./native-memory.ts";

/** The name of the variable that a call such as "fmi2GetReal" means by `reference`. */
export type NameOf = (call: string, reference: number) => string;

const SHOWN = 8;

const DECODERS: Readonly<Record<string, { type: string; bytes: number }>> = {
  f64: { type: "double", bytes: 8 },
  f32: { type: "float", bytes: 4 },
  i8: { type: "int8_t", bytes: 1 },
  u8: { type: "uint8_t", bytes: 1 },
  i16: { type: "int16_t", bytes: 2 },
  u16: { type: "uint16_t", bytes: 2 },
  i32: { type: "int32_t", bytes: 4 },
  u32: { type: "uint32_t", bytes: 4 },
  i64: { type: "int64_t", bytes: 8 },
  u64: { type: "uint64_t", bytes: 8 },
  b8: { type: "bool", bytes: 1 },
};

export function formatCall(
  name: string,
  signature: Signature,
  args: readonly (number | bigint)[],
  result: number,
  statusNames: readonly string[],
  nameOf: NameOf,
): string {
  const counts = signature.args.flatMap((arg, i) => (arg.kind === "n" ? [Number(args[i])] : []));
  const shown = signature.args.flatMap((arg, i) => {
    const text = formatArgument(name, arg, args[i], counts, nameOf);
    if (text === undefined) return [];
    return [arg.name === "" ? text : `${arg.name}=${text}`];
  });
  return `${name}(${shown.join(", ")})${formatResult(signature, result, statusNames)}`;
}

function formatResult(
  signature: Signature,
  result: number,
  statusNames: readonly string[],
): string {
  switch (signature.result) {
    case "status":
      return ` -> ${statusNames[result] ?? `status ${result}`}`;
    case "pointer":
      return result === 0 ? " -> NULL" : " -> instance";
    case "text":
      return ` -> ${quote(readString(result))}`;
    case "void":
      return "";
  }
}

function formatArgument(
  call: string,
  arg: Argument,
  value: number | bigint,
  counts: readonly number[],
  nameOf: NameOf,
): string | undefined {
  const count = arg.length < 0 ? 1 : counts[arg.length];
  switch (arg.kind) {
    case "c":
    case "n":
      return undefined;
    case "d":
    case "i":
      return String(value);
    case "b":
      return value ? "true" : "false";
    case "s":
      return quote(readString(value));
    case "p":
      return Number(value) === 0 ? "NULL" : "…";
    case "vrs":
      return `[${list(count, (i) => nameOf(call, Number(peek(value, 4 * i, "uint32_t"))))}]`;
    case "in":
    case "out":
      return formatValues(arg, value, count);
  }
}

function formatValues(arg: Argument, address: number | bigint, count: number): string {
  if (arg.element === "ptr") return "…";
  if (Number(address) === 0) return "NULL";
  const text = list(count, (i) => formatElement(arg.element, address, i));
  return arg.length < 0 ? text : `{${text}}`;
}

function formatElement(element: string, address: number | bigint, index: number): string {
  if (element === "str")
    return quote(readString(peek(address, 8 * index, "uint64_t") as number | bigint));
  if (element === "bin") return "binary";
  const { type, bytes } = DECODERS[element];
  return String(peek(address, bytes * index, type));
}

function peek(address: number | bigint, offset: number, type: string): unknown {
  return koffi.decode(address, offset, type);
}

function list(count: number, item: (index: number) => string): string {
  const items = Array.from({ length: Math.min(count, SHOWN) }, (_, i) => item(i));
  if (count > SHOWN) items.push(`… ${count} in all`);
  return items.join(", ");
}

function quote(text: string | undefined): string {
  return text === undefined ? "NULL" : JSON.stringify(text);
}
