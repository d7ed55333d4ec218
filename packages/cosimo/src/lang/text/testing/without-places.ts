/**
 * What a text says, without where it says it: what a printed text must have in common with the
 * original.
 */
export function withoutPlaces(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, one) => (key === "place" ? undefined : one)));
}
