/**
 * Optional fields are absent, never undefined (`exactOptionalPropertyTypes`): what may be missing is filtered here, once.
 */

/** The fields of `fields` that have a value. */
export function present<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const found: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) found[key] = value as NonNullable<typeof value>;
  }
  return found;
}
