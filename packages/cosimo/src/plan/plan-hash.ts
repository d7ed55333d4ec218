/**
 * A short name for what a plan does: equal plans have equal hashes, wherever and in whatever order
 * they were put together. FNV-1a with 64 bits over a canonical text; it distinguishes plans,
 * it does not protect them.
 */
import type { Plan } from "./plan.ts";

/** 16 hexadecimal digits. */
export function planHash(plan: Plan): string {
  const hash = new Fnv();
  feed(plan, hash);
  return hash.digest();
}

/** Every value begins with a mark of its kind, so that no two structures give the same text. */
function feed(value: unknown, hash: Fnv): void {
  if (value === undefined || value === null) hash.add("~");
  else if (typeof value === "number") hash.add(Object.is(value, -0) ? "#-0;" : `#${value};`);
  else if (typeof value === "string") hash.add(`"${value.length}:${value}`);
  else if (typeof value !== "object") hash.add(`${typeof value}:${String(value)};`);
  else if (isList(value)) {
    hash.add(`[${value.length}:`);
    for (let i = 0; i < value.length; i++) feed(value[i], hash);
  } else {
    const entries = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    hash.add(`{${entries.length}:`);
    for (const [name, member] of entries) {
      feed(name, hash);
      feed(member, hash);
    }
  }
}

function isList(value: object): value is ArrayLike<unknown> & object {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

/** The state as two halves of 32 bits; the prime is 2^40 + 0x1b3. */
class Fnv {
  private high = 0xcbf29ce4;
  private low = 0x84222325;

  add(text: string): void {
    let { high, low } = this;
    for (let i = 0; i < text.length; i++) {
      low ^= text.charCodeAt(i);
      const folded = (low >>> 16) * 0x1b3;
      const lower = (low & 0xffff) * 0x1b3;
      const middle = folded + (lower >>> 16);
      high = (Math.imul(high, 0x1b3) + (low << 8) + (middle >>> 16)) | 0;
      low = (middle << 16) | (lower & 0xffff);
    }
    this.high = high;
    this.low = low;
  }

  digest(): string {
    const half = (n: number): string => (n >>> 0).toString(16).padStart(8, "0");
    return half(this.high) + half(this.low);
  }
}
