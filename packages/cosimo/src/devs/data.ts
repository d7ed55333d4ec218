/**
 * States and values of discrete-event units are data, so that saving, restoring and serializing
 * them needs no help from the author of a unit: this file copies them, compares them, and turns
 * them into bytes and back.
 *
 * Data is: undefined, null, booleans, numbers (NaN, infinities and -0 included), bigints, strings,
 * typed arrays, and arrays and plain objects of data. Functions, symbols, class instances and
 * cycles are not. References are not kept: an object that is mentioned twice becomes two.
 *
 * Bytes, little-endian: one tag byte per value, then its content; lengths are uint32, strings
 * UTF-16 code units.
 */

/** Where something that is not data was found, and what it is. */
class NotDataError extends Error {
  constructor(path: string, what: string) {
    super(`${path === "" ? "it" : `'${path}'`} is ${what}`);
    this.name = "NotDataError";
  }
}

/** Deeper nesting is taken for a cycle. */
const MAX_DEPTH = 200;

const TYPED_ARRAYS = [
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
] as const;
type TypedArray = InstanceType<(typeof TYPED_ARRAYS)[number]>;

/** A deep copy. @throws NotDataError with the path of what cannot be copied. */
export function copyData<T>(value: T, path = "", depth = 0): T {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "function" || typeof value === "symbol")
      throw new NotDataError(path, `a ${typeof value}`);
    return value;
  }
  if (depth > MAX_DEPTH) throw new NotDataError(path, `nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) {
    const copy = new Array<unknown>(value.length);
    for (let i = 0; i < value.length; i++) copy[i] = copyData(value[i], `${path}[${i}]`, depth + 1);
    return copy as T;
  }
  if (kindOfTypedArray(value) >= 0) return (value as unknown as TypedArray).slice() as T;
  needPlain(value, path);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value))
    define(
      copy,
      key,
      copyData((value as Record<string, unknown>)[key], below(path, key), depth + 1),
    );
  return copy as T;
}

/** Whether two data are the same, bit for bit: NaN equals NaN, 0 and -0 differ. */
export function sameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b) || kindOfTypedArray(a) !== kindOfTypedArray(b))
    return false;
  const keys = Object.keys(a);
  const other = b as Record<string, unknown>;
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) => Object.hasOwn(b, key) && sameData((a as Record<string, unknown>)[key], other[key]),
    )
  );
}

const Tag = {
  Undefined: 0,
  Null: 1,
  False: 2,
  True: 3,
  Number: 4,
  BigInt: 5,
  String: 6,
  Array: 7,
  Object: 8,
  Typed: 9,
} as const;

/** Writes data as bytes into a buffer that grows. */
export class DataWriter {
  private bytes = new Uint8Array(256);
  private view = new DataView(this.bytes.buffer);
  private length = 0;

  /** @throws NotDataError */
  value(value: unknown, path = "", depth = 0): void {
    if (depth > MAX_DEPTH)
      throw new NotDataError(path, `nested more than ${MAX_DEPTH} levels deep`);
    switch (typeof value) {
      case "undefined":
        this.tag(Tag.Undefined);
        break;
      case "boolean":
        this.tag(value ? Tag.True : Tag.False);
        break;
      case "number":
        this.tag(Tag.Number);
        this.float(value);
        break;
      case "bigint":
        this.tag(Tag.BigInt);
        this.text(value.toString(16));
        break;
      case "string":
        this.tag(Tag.String);
        this.text(value);
        break;
      case "object":
        if (value === null) this.tag(Tag.Null);
        else this.object(value, path, depth);
        break;
      default:
        throw new NotDataError(path, `a ${typeof value}`);
    }
  }

  done(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  private object(value: object, path: string, depth: number): void {
    if (Array.isArray(value)) {
      this.tag(Tag.Array);
      this.count(value.length);
      for (let i = 0; i < value.length; i++) this.value(value[i], `${path}[${i}]`, depth + 1);
      return;
    }
    const kind = kindOfTypedArray(value);
    if (kind >= 0) {
      const { buffer, byteOffset, byteLength } = value as TypedArray;
      this.tag(Tag.Typed);
      this.tag(kind);
      this.count(byteLength);
      const at = this.take(byteLength);
      this.bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
      return;
    }
    needPlain(value, path);
    const keys = Object.keys(value);
    this.tag(Tag.Object);
    this.count(keys.length);
    for (const key of keys) {
      this.text(key);
      this.value((value as Record<string, unknown>)[key], below(path, key), depth + 1);
    }
  }

  private tag(tag: number): void {
    const at = this.take(1);
    this.bytes[at] = tag;
  }

  private float(value: number): void {
    // Taking room may replace the view.
    const at = this.take(8);
    this.view.setFloat64(at, value, true);
  }

  private count(count: number): void {
    const at = this.take(4);
    this.view.setUint32(at, count, true);
  }

  private text(text: string): void {
    this.count(text.length);
    const at = this.take(2 * text.length);
    for (let i = 0; i < text.length; i++) this.view.setUint16(at + 2 * i, text.charCodeAt(i), true);
  }

  /** @returns where the next `count` bytes go. */
  private take(count: number): number {
    const at = this.length;
    this.length += count;
    if (this.length > this.bytes.length) {
      const bytes = new Uint8Array(Math.max(2 * this.bytes.length, this.length));
      bytes.set(this.bytes);
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer);
    }
    return at;
  }
}

/**
 * Reads what `DataWriter` wrote. Throws a RangeError where the bytes end too early or say what no
 * writer wrote.
 */
export class DataReader {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  value(depth = 0): unknown {
    if (depth > MAX_DEPTH) throw new RangeError("nested too deep");
    const tag = this.bytes[this.take(1)];
    switch (tag) {
      case Tag.Undefined:
        return undefined;
      case Tag.Null:
        return null;
      case Tag.False:
        return false;
      case Tag.True:
        return true;
      case Tag.Number:
        return this.view.getFloat64(this.take(8), true);
      case Tag.BigInt:
        return this.bigint();
      case Tag.String:
        return this.text();
      case Tag.Array: {
        const count = this.count(1);
        return Array.from({ length: count }, () => this.value(depth + 1));
      }
      case Tag.Object: {
        const object: Record<string, unknown> = {};
        for (let left = this.count(5); left > 0; left--) {
          const key = this.text();
          define(object, key, this.value(depth + 1));
        }
        return object;
      }
      case Tag.Typed: {
        const kind = TYPED_ARRAYS[this.bytes[this.take(1)]];
        const length = this.count(1);
        if (kind === undefined || length % kind.BYTES_PER_ELEMENT !== 0)
          throw new RangeError("unknown typed array");
        const at = this.take(length);
        return new kind(this.bytes.slice(at, at + length).buffer);
      }
      default:
        throw new RangeError(`unknown tag ${tag}`);
    }
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  private bigint(): bigint {
    const text = this.text();
    if (!/^-?[0-9a-f]+$/.test(text)) throw new RangeError("not a bigint");
    return text.startsWith("-") ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`);
  }

  private text(): string {
    const length = this.count(2);
    const at = this.take(2 * length);
    let text = "";
    for (let i = 0; i < length; i++)
      text += String.fromCharCode(this.view.getUint16(at + 2 * i, true));
    return text;
  }

  /**
   * A number of items of at least `bytesEach`: more than the rest of the bytes can hold is refused
   * before memory is allocated.
   */
  private count(bytesEach: number): number {
    const count = this.view.getUint32(this.take(4), true);
    if (count * bytesEach > this.bytes.length - this.at) throw new RangeError("truncated");
    return count;
  }

  private take(count: number): number {
    const at = this.at;
    if (at + count > this.bytes.length) throw new RangeError("truncated");
    this.at += count;
    return at;
  }
}

/** Also for keys such as `__proto__`, which an assignment would not store. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  else object[key] = value;
}

function kindOfTypedArray(value: object): number {
  return ArrayBuffer.isView(value)
    ? (TYPED_ARRAYS as readonly unknown[]).indexOf(value.constructor)
    : -1;
}

function needPlain(value: object, path: string): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return;
  const name = (prototype as { constructor?: { name?: string } }).constructor?.name;
  throw new NotDataError(path, `an instance of ${name ?? "a class"}`);
}

function below(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
