/**
 * Sources in SSP are URIs, files have paths. Only relative ones are followed: a package must work
 * wherever it is unpacked, and must not reach outside of itself.
 */

export interface SourceUri {
  /** Relative to the folder of the SSD, decoded. */
  readonly path: string;
  readonly fragment?: string;
}

/** @returns with `isOdd` where it is not a valid relative URI, though its meaning is clear. */
export function parseSource(
  source: string,
  packed: boolean,
): (SourceUri & { readonly isOdd: boolean }) | { readonly why: string } {
  if (source === "") return { why: "is empty" };
  const [encoded, fragment] = source.split("#", 2) as [string, string?];
  // A path relative to nothing but the file: "file:resources/a.fmu" and "file:./a.fmu", not
  // "file:///a.fmu".
  const relative = encoded.replace(/^file:(?![/\\])/i, "").replaceAll("\\", "/");
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(relative) || relative.startsWith("//"))
    return { why: "is an absolute URI, which Cosimo does not follow" };
  const decoded = decode(relative);
  // From the root of a package there is one way on.
  const isRooted = packed && /^\/(?=[^/])/.test(decoded);
  const path = (isRooted ? decoded.slice(1) : decoded).replace(/^(\.\/+)+(?=.)/, "");
  if (packed && (path.startsWith("/") || climbs(path))) return { why: "leads out of the package" };
  const isOdd =
    isRooted || relative !== encoded || (decoded === relative && relative.includes("%"));
  return fragment === undefined ? { path, isOdd } : { path, fragment, isOdd };
}

/** A '%' that begins no code stands for itself. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** True when the path leaves the folder it starts in. */
function climbs(path: string): boolean {
  let depth = 0;
  for (const part of path.split(/[/\\]/)) {
    if (part === "..") depth--;
    else if (part !== "." && part !== "") depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** Folder of a file name, with the slash; empty when it has none. */
export function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf("/") + 1);
}

/** A path as a URI that keeps its slashes. */
export function sourceUri(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
