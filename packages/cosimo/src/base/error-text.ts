/**
 * What was thrown, as text: a function of a user may throw anything, null and objects without a
 * text among it.
 */
export function errorText(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return "something that has no text";
  }
}
