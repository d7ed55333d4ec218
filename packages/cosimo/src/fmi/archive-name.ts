/**
 * Names of archive entries: what their bytes mean, and which of them may be written to a disk.
 *
 * A path is accepted only if it means one file inside the target folder. Two spellings are read as
 * what every other tool takes them for: backslashes between folders, and parts that are empty or
 * '.'. Everything is compared by the resulting path, so two spellings of one path are two entries
 * of that path.
 */
import type { ArchiveCode } from "./archive-diagnostics.ts";

/**
 * What bytes 0x80–0xff mean in a name that is not marked as UTF-8 (IBM code page 437, the zip
 * format's default).
 */
const CP437_UPPER =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/**
 * The text of a name. Many writers store UTF-8 without marking it, so valid UTF-8 always counts as
 * that.
 * @returns undefined when the name is marked as UTF-8 and is not.
 */
export function decodeName(bytes: Uint8Array, markedUtf8: boolean): string | undefined {
  return markedUtf8 ? decodeUtf8(bytes) : decodeUnmarked(bytes);
}

/** The text of a name that is not marked, which always has one. */
export function decodeUnmarked(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  let name = "";
  for (const byte of bytes) {
    name += byte < 0x80 ? String.fromCharCode(byte) : CP437_UPPER.charAt(byte - 0x80);
  }
  return name;
}

/** Strict: overlong forms, surrogates and code points above U+10FFFF are not valid UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  let text = "";
  let i = 0;
  while (i < bytes.length) {
    const lead = bytes[i]!;
    const extra = lead < 0x80 ? 0 : lead < 0xc2 ? -1 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    if (extra < 0 || lead > 0xf4 || i + extra >= bytes.length) return undefined;
    let point = extra === 0 ? lead : lead & (0x3f >> extra);
    for (let k = 1; k <= extra; k++) {
      const next = bytes[i + k]!;
      if ((next & 0xc0) !== 0x80) return undefined;
      point = (point << 6) | (next & 0x3f);
    }
    if (extra === 2 && (point < 0x800 || (point >= 0xd800 && point <= 0xdfff))) return undefined;
    if (extra === 3 && (point < 0x10000 || point > 0x10ffff)) return undefined;
    text += String.fromCodePoint(point);
    i += extra + 1;
  }
  return text;
}

/**
 * The code of the first rule that the path breaks, or undefined for a path that stays inside the
 * target folder.
 */
export function pathFault(name: string): ArchiveCode | undefined {
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (unit < 0x20 || unit === 0x7f) return "archive-name-nul";
  }
  const parts = name.split(/[/\\]/);
  if (parts.includes("..")) return "archive-path-traversal";
  if (/^[A-Za-z]:/.test(name)) return "archive-path-drive";
  if (/^[/\\]/.test(name)) return "archive-path-absolute";
  // The root itself may be listed, as a folder.
  const isRoot = /^\.[/\\]/.test(name);
  return !isRoot && canonicalPath(name).path === "" ? "archive-name-encoding" : undefined;
}

export interface CanonicalPath {
  /** With '/' between folders and none at the end; empty for the root of the archive. */
  readonly path: string;
  /** The name ends with a separator. */
  readonly folder: boolean;
  /** How the name is written, where it is not as the zip format says. */
  readonly spelling?: "archive-path-backslash" | "archive-path-segment";
}

/** The path that an entry's name means; `pathFault` has found nothing wrong with it. */
export function canonicalPath(name: string): CanonicalPath {
  const parts = name.split(/[/\\]/);
  const folder = /[/\\]$/.test(name);
  if (folder) parts.pop();
  const kept = parts.filter((part) => part !== "" && part !== ".");
  const path = kept.join("/");
  if (name.includes("\\")) return { path, folder, spelling: "archive-path-backslash" };
  if (kept.length < parts.length) return { path, folder, spelling: "archive-path-segment" };
  return { path, folder };
}

/**
 * Two names with the same key are one file on a file system that ignores case and composes
 * characters.
 */
export function collisionKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** A name for messages: control characters made visible, long names cut. */
export function printableName(name: string): string {
  let text = "";
  for (const char of name.slice(0, 200)) {
    const point = char.codePointAt(0) ?? 0;
    text += point < 0x20 || point === 0x7f ? `\\x${point.toString(16).padStart(2, "0")}` : char;
  }
  return name.length > 200 ? `${text}…` : text;
}
