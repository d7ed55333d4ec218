/**
 * New data with the parts of the old that are equal: who compares by identity, as React does, sees
 * what changed and nothing else.
 */

/** @returns `before` where both are equal, otherwise `after` with parts of `before` in it. */
export function shared<T>(before: unknown, after: T): T {
  if (Object.is(before, after)) return after;
  if (Array.isArray(before) && Array.isArray(after)) return sharedList(before, after) as T;
  if (!isRecord(before) || !isRecord(after)) return after;
  const keys = Object.keys(after);
  let isSame = keys.length === Object.keys(before).length;
  let made: Record<string, unknown> | undefined;
  for (const key of keys) {
    const value = shared(before[key], after[key]);
    if (!Object.is(value, after[key])) {
      made ??= { ...after };
      made[key] = value;
    }
    isSame &&= Object.is(value, before[key]) && key in before;
  }
  return (isSame ? before : (made ?? after)) as T;
}

function sharedList(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  const named = new Map<string, unknown>();
  for (const one of before) {
    const name = nameOf(one);
    if (name !== undefined) named.set(name, one);
  }
  const list = after.map((one, i) => {
    const name = nameOf(one);
    return shared(name === undefined ? before[i] : named.get(name), one);
  });
  const isSame = list.length === before.length && list.every((one, i) => Object.is(one, before[i]));
  return isSame ? before : list;
}

/** What makes an entry of a list the same one as before, wherever it stands. */
function nameOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { id, name, from, to } = value;
  if (typeof id === "string") return id;
  if (typeof name === "string") return name;
  return typeof from === "string" && typeof to === "string" ? `${from} -> ${to}` : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
