/**
 * Optional fields: under `exactOptionalPropertyTypes` a field that may be absent must not be there
 * with the value undefined.
 */

/** `T` with its possibly undefined fields absent instead. */
export type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** `fields` without those that are undefined: `present({ start, stop })`. */
export function present<T extends object>(fields: T): Present<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<T>;
}
