/**
 * Reads plain data that a peer sent, field by field: every value is looked at before it is used,
 * and what is missing, of another type or beyond its bound is `Nonsense`. Numbers that JSON does
 * not have (NaN, infinity, 64-bit integers, bytes) come as texts in an object of one key.
 */
import type { Value } from "../model/value-type.ts";
import { Nonsense } from "./protocol.ts";

type Plain = Readonly<Record<string, unknown>>;

/** No text of a peer is longer. */
const MAX_TEXT = 1 << 20;
const MAX_ITEMS = 1 << 22;

/** One object of a peer. */
export class Untrusted {
  private readonly data: Plain;
  private readonly what: string;

  /** @param what names it in messages. */
  constructor(data: unknown, what: string) {
    if (typeof data !== "object" || data === null || Array.isArray(data))
      throw new Nonsense(`${what} is not an object`);
    this.data = data as Plain;
    this.what = what;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.data, key) && this.data[key] !== undefined;
  }

  get(key: string): unknown {
    return this.has(key) ? this.data[key] : undefined;
  }

  object(key: string): Untrusted {
    return new Untrusted(this.get(key), `'${key}' of ${this.what}`);
  }

  text(key: string, limit: number = MAX_TEXT): string {
    const value = this.get(key);
    if (typeof value !== "string" || value.length > limit) throw this.wrong(key, "a text");
    return value;
  }

  flag(key: string): boolean {
    const value = this.get(key);
    if (typeof value !== "boolean") throw this.wrong(key, "true or false");
    return value;
  }

  number(key: string): number {
    return numberIn(this.get(key), () => this.wrong(key, "a number"));
  }

  /** A whole number from 0 to `limit`. */
  count(key: string, limit: number): number {
    const value = this.get(key);
    if (!isCount(value, limit)) throw this.wrong(key, `a whole number up to ${limit}`);
    return value;
  }

  counts(key: string, limit: number): number[] {
    return this.list(key).map((value) => {
      if (!isCount(value, limit)) throw this.wrong(key, `whole numbers up to ${limit}`);
      return value;
    });
  }

  texts(key: string): string[] {
    return this.list(key).map((value) => {
      if (typeof value !== "string" || value.length > MAX_TEXT) throw this.wrong(key, "texts");
      return value;
    });
  }

  /** One of `choices`. */
  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice {
    const value = this.get(key);
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw this.wrong(key, `one of ${choices.join(", ")}`);
    return found;
  }

  list(key: string): readonly unknown[] {
    const value = this.get(key);
    if (!Array.isArray(value) || value.length > MAX_ITEMS) throw this.wrong(key, "a list");
    return value;
  }

  objects(key: string): Untrusted[] {
    return this.list(key).map((value, i) => new Untrusted(value, `'${key}' ${i} of ${this.what}`));
  }

  values(key: string): Value[] {
    return this.list(key).map((value) => takeValue(value, () => this.wrong(key, "values")));
  }

  wrong(key: string, expected: string): Nonsense {
    return new Nonsense(`'${key}' of ${this.what} is not ${expected}`);
  }
}

/** As JSON can say it. */
export function putNumber(value: number): unknown {
  return Number.isFinite(value) && !Object.is(value, -0) ? value : { number: numberText(value) };
}

export function putValue(value: Value): unknown {
  if (typeof value === "number") return putNumber(value);
  if (typeof value === "bigint") return { integer: String(value) };
  return value instanceof Uint8Array ? { bytes: [...value] } : value;
}

const SPECIAL: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
  "-0": -0,
};

function numberText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function numberIn(value: unknown, wrong: () => Nonsense): number {
  if (typeof value === "number") return value;
  const text = onlyMember(value, "number");
  if (typeof text !== "string" || !Object.hasOwn(SPECIAL, text)) throw wrong();
  return SPECIAL[text];
}

function takeValue(value: unknown, wrong: () => Nonsense): Value {
  if (typeof value === "boolean" || typeof value === "string") return value;
  const integer = onlyMember(value, "integer");
  if (typeof integer === "string") {
    if (!/^-?\d{1,20}$/.test(integer)) throw wrong();
    return BigInt(integer);
  }
  const bytes = onlyMember(value, "bytes");
  if (Array.isArray(bytes)) {
    if (!bytes.every((byte) => isCount(byte, 255))) throw wrong();
    return Uint8Array.from(bytes as number[]);
  }
  return numberIn(value, wrong);
}

function onlyMember(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Plain)[key];
}

function isCount(value: unknown, limit: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= limit;
}
