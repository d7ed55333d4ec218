/**
 * What parts of a discrete-event model on nodes, and the process that started them say to each
 * other: plain data as JSON, with what JSON lacks (infinity, -0, undefined, 64-bit integers,
 * bytes, maps) behind a key that begins with `$`. What comes is data again, never an object with
 * behaviour, and is held against the cut of the model before a part sees it.
 */
import type { PartMessage } from "../../parallel/protocol.ts";
import type { Split } from "../../parallel/split.ts";
import { Nonsense } from "../../remote/protocol.ts";

const ARRAYS = {
  Uint8Array,
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
};

/** @throws RangeError for what is not data. */
export function putData(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(plain(value)));
}

function plain(value: unknown): unknown {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $n: Object.is(value, -0) ? "-0" : String(value) };
    case "bigint":
      return { $b: String(value) };
    case "undefined":
      return { $u: 0 };
    case "object":
      return value === null ? null : plainObject(value);
    case "string":
    case "boolean":
      return value;
    default:
      throw new RangeError(`a ${typeof value} cannot travel; values and states must be data`);
  }
}

function plainObject(value: object): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return { $m: [...value].map(([key, one]) => [plain(key), plain(one)]) };
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    return {
      $a: value.constructor.name,
      d: Buffer.from(buffer, byteOffset, byteLength).toString("base64"),
    };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype)
    throw new RangeError(
      `a ${value.constructor.name} cannot travel; values and states must be plain data`,
    );
  const members = Object.entries(value).map(([key, one]) => [key, plain(one)] as const);
  return members.some(([key]) => key.startsWith("$"))
    ? { $o: members }
    : Object.fromEntries(members);
}

/** @throws Nonsense */
export function takeData(bytes: Uint8Array): unknown {
  let data: unknown;
  try {
    data = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Nonsense("a message that is not JSON");
  }
  return real(data, 0);
}

const MAX_DEPTH = 100;

function real(data: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new Nonsense("data that is nested too deeply");
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map((one) => real(one, depth + 1));
  const members = Object.entries(data);
  const [[key, value] = ["", undefined]] = members;
  if (!key.startsWith("$"))
    return Object.fromEntries(members.map(([name, one]) => [name, real(one, depth + 1)]));
  const pairs = (): [unknown, unknown][] => {
    if (!Array.isArray(value)) throw new Nonsense("data of an unknown kind");
    return value.map((pair: unknown): [unknown, unknown] => {
      if (!Array.isArray(pair) || pair.length !== 2) throw new Nonsense("a pair that is none");
      return [real(pair[0], depth + 1), real(pair[1], depth + 1)];
    });
  };
  switch (key) {
    case "$n":
      return Number(value);
    case "$b":
      if (typeof value !== "string" || !/^-?\d{1,40}$/.test(value)) throw new Nonsense("a number");
      return BigInt(value);
    case "$u":
      return undefined;
    case "$m":
      return new Map(pairs());
    case "$o":
      return Object.fromEntries(pairs().map(([name, one]) => [String(name), one]));
    case "$a": {
      const make = ARRAYS[value as keyof typeof ARRAYS];
      const text: unknown = (data as { d?: unknown }).d;
      if (!Object.hasOwn(ARRAYS, String(value)) || typeof text !== "string")
        throw new Nonsense("an array of an unknown kind");
      const bytes = Uint8Array.from(Buffer.from(text, "base64"));
      if (bytes.length % make.BYTES_PER_ELEMENT !== 0) throw new Nonsense("an array that is cut");
      return new make(bytes.buffer);
    }
    default:
      throw new Nonsense("data of an unknown kind");
  }
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Of another part: letters along routes between the two, and what belongs to them.
 * @throws Nonsense
 */
export function messagesOfPart(
  data: unknown,
  { partOf, senderOf, whole }: Split,
  from: number,
  to: number,
): PartMessage[] {
  return listOf(data).map((one) => {
    const { kind } = one;
    if (kind === "promise") return { kind, stamp: stampIn(one["stamp"]) };
    if (kind !== "letter" && kind !== "guess" && kind !== "anti") throw unknownKind(kind);
    const given = membersOf(one["letter"]);
    const route = countIn(given["route"]);
    const target = whole.routes.target[route] ?? -1;
    if (partOf[senderOf[route] ?? -1] !== from || partOf[target] !== to)
      throw new Nonsense(
        `a value on route ${route}, which does not lead from part ${from} to ${to}`,
      );
    const stamp = stampIn(given);
    if (stamp.time === Number.POSITIVE_INFINITY) throw new Nonsense("a value that never comes");
    const letter = { ...stamp, route, place: countIn(given["place"]), value: given["value"] };
    if (kind === "letter") return { kind, letter };
    return { kind, id: countIn(one["id"]), round: countIn(one["round"]), letter };
  });
}

/** Of the one that computes the commit time. @throws Nonsense */
export function messagesOfCaller(data: unknown): PartMessage[] {
  return listOf(data).map((one) => {
    const { kind } = one;
    if (kind === "cut") return { kind, round: countIn(one["round"]) };
    if (kind === "expect") {
      const count = one["count"];
      if (!Number.isSafeInteger(count)) throw new Nonsense("a count that is none");
      return { kind, round: countIn(one["round"]), count: count as number };
    }
    if (kind === "commit") return { kind, stamp: stampIn(one["stamp"]) };
    throw unknownKind(kind);
  });
}

/** The same at that one, of a part. @throws Nonsense */
export function roundsOfPart(data: unknown, parts: number): PartMessage[] {
  return listOf(data).map((one) => {
    const { kind } = one;
    if (kind === "want") return { kind };
    if (kind === "minimum")
      return { kind, round: countIn(one["round"]), stamp: stampIn(one["stamp"]) };
    if (kind !== "sent" || !Array.isArray(one["counts"])) throw unknownKind(kind);
    const counts = one["counts"].map(countIn);
    if (counts.length !== parts) throw new Nonsense("counts of other parts");
    return { kind, round: countIn(one["round"]), counts };
  });
}

export function membersOf(data: unknown): Members {
  if (typeof data !== "object" || data === null || Array.isArray(data))
    throw new Nonsense("what is not an object");
  return data as Members;
}

export function countIn(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new Nonsense("a count that is none");
  return value as number;
}

export function stampIn(data: unknown): { readonly time: number; readonly index: number } {
  const { time, index } = membersOf(data);
  const isTime = Number.isSafeInteger(time) || Math.abs(Number(time)) === Number.POSITIVE_INFINITY;
  if (typeof time !== "number" || !isTime) throw new Nonsense("a time that is none");
  return { time, index: countIn(index) };
}

function listOf(data: unknown): Members[] {
  if (!Array.isArray(data)) throw new Nonsense("messages that are not a list");
  return data.map(membersOf);
}

function unknownKind(kind: unknown): Nonsense {
  return new Nonsense(`a message of kind '${String(kind).slice(0, 40)}'`);
}
