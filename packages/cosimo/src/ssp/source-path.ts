/**
 * Sources in SSP are URIs, files have paths. Only relative ones are followed: a package must work wherever it is unpacked, and
 * must not reach outside of itself.
 */

export interface SourceUri {
  /** Relative to the folder of the SSD, decoded. */
  readonly path: string;
  readonly fragment?: string;
}

export function parseSource(source: string, packed: boolean): SourceUri | { readonly why: string } {
  if (source === "") return { why: "is empty" };
  const [encoded, fragment] = source.split("#", 2) as [string, string?];
  if (/^[a-zA-Z][a-zA-Z0-9+.-]+:/.test(encoded) || encoded.startsWith("//"))
    return { why: "is an absolute URI, which Cosimo does not follow" };
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    return { why: "is not a valid URI: a '%' must be followed by two hexadecimal digits" };
  }
  if (packed && (path.startsWith("/") || climbs(path))) return { why: "leads out of the package" };
  return fragment === undefined ? { path } : { path, fragment };
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
