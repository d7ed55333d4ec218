/**
 * Two habits of every pass, in one place: lists by key, and numbers without repetition in order.
 */

/** Appends `item` to the list of `key`. */
export function addTo<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** The distinct numbers in ascending order. */
export function ascending(numbers: Iterable<number>): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
