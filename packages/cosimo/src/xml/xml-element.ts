/**
 * The element that the XML reader hands out, made so that reading many of them costs little: values
 * stay in the text until they are asked for, and strings that repeat are made once.
 */

/** The element that was just opened. One object for the whole file: copy what you keep. */
export class XmlElement {
  name = "";
  line = 1;
  /** Offset of its "<" in the text. */
  offset = 0;
  /** How many entries of `names` belong to it. */
  count = 0;
  readonly names: string[] = [];
  readonly text: string;
  private readonly strings: StringTable;
  /** Where each value lies in the text: a string is made only of what is asked for. */
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  /** Values that do not stand in the text as they are. */
  private readonly decoded: (string | undefined)[] = [];

  constructor(text: string, strings: StringTable) {
    this.text = text;
    this.strings = strings;
  }

  add(name: string, start: number, end: number, decoded: string | undefined): void {
    const i = this.count++;
    this.names[i] = name;
    this.starts[i] = start;
    this.ends[i] = end;
    this.decoded[i] = decoded;
  }

  /** Position of the attribute, or -1. */
  find(name: string): number {
    for (let i = 0; i < this.count; i++) if (this.names[i] === name) return i;
    return -1;
  }

  get(name: string): string | undefined {
    const i = this.find(name);
    return i < 0 ? undefined : this.valueAt(i);
  }

  nameAt(i: number): string {
    return this.names[i] ?? "";
  }

  /** The value of the i-th attribute. */
  valueAt(i: number): string {
    return this.decoded[i] ?? this.text.slice(this.starts[i], this.ends[i]);
  }

  /** Names and values, in the order of writing. */
  *attributes(): Generator<[name: string, value: string]> {
    for (const name of this.names.slice(0, this.count)) yield [name, this.get(name) ?? ""];
  }

  /** Like `get`, for values that repeat all over the file: equal values are the same string. */
  symbol(name: string): string | undefined {
    const i = this.find(name);
    if (i < 0) return undefined;
    return this.decoded[i] ?? this.strings.at(this.text, this.starts[i] ?? 0, this.ends[i] ?? 0);
  }

  /** An attribute of at most nine decimal digits without making a string; -1 for anything else. */
  digits(name: string): number {
    const i = this.find(name);
    if (i < 0 || this.decoded[i] !== undefined) return -1;
    const start = this.starts[i] ?? 0;
    const end = this.ends[i] ?? 0;
    if (end === start || end - start > 9) return -1;
    let value = 0;
    for (let at = start; at < end; at++) {
      const digit = this.text.charCodeAt(at) - 48;
      if (digit < 0 || digit > 9) return -1;
      value = value * 10 + digit;
    }
    return value;
  }
}

/**
 * Strings that occur again and again, made once. Slots that two strings share only make the second
 * one slower.
 */
export class StringTable {
  private readonly slots: (string | undefined)[] = new Array<string | undefined>(4096);

  at(text: string, start: number, end: number): string {
    let hash = 0;
    for (let i = start; i < end; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
    return this.hashed(text, start, end, hash);
  }

  /** `hash` is the one that `at` computes. */
  hashed(text: string, start: number, end: number, hash: number): string {
    const slot = (hash ^ (hash >>> 12)) & 4095;
    const known = this.slots[slot];
    if (known === undefined) {
      const made = internalized(text.slice(start, end));
      this.slots[slot] = made;
      return made;
    }
    return isAt(known, text, start, end) ? known : text.slice(start, end);
  }
}

function isAt(known: string, text: string, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let i = 0; i < known.length; i++)
    if (known.charCodeAt(i) !== text.charCodeAt(start + i)) return false;
  return true;
}

/**
 * The engine's own copy of the string: comparing it with a literal is then a comparison of
 * pointers.
 */
function internalized(text: string): string {
  const [key = text] = Object.keys({ [text]: 0 });
  return key;
}
