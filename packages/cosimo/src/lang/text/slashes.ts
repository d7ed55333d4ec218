/**
 * Paths in texts may be written with the separators of Windows; in data they have slashes, which
 * all systems read.
 */
export function withSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}
