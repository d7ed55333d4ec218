/**
 * What a node tells its callers, without the paths of its computer: a path becomes the name of its
 * file. Folders that are known are looked for as they are, whatever characters they have;
 * everything else that looks like an absolute path is taken for one.
 */
import { sep } from "node:path";

/**
 * At least two parts, so that `1 /s` is none; what is behind a letter or a colon is a quotient or
 * an address.
 */
const POSIX = /(?<![\w.~:/\\-])\/[A-Za-z_.~@][^\s'"`()<>|:;,/]*(?:\/[^\s'"`()<>|:;,/]+)+\/?/g;
const WINDOWS = /(?<!\w)[A-Za-z]:[\\/](?:[^\s'"`()<>|:;,\\/]+[\\/])+/g;
const SHARE = /\\\\(?:[^\s'"`()<>|:;,\\/]+[\\/])+/g;

/** @param folders absolute. */
export function withoutPaths(folders: readonly string[]): (text: string) => string {
  const known = [...new Set(folders)]
    .filter((folder) => folder.length > 1)
    .sort((a, b) => b.length - a.length)
    .map((folder) => (folder.endsWith(sep) ? folder : `${folder}${sep}`));
  return (text) => {
    if (!/[\\/]/.test(text)) return text;
    let redacted = text.replaceAll("file://", "");
    for (const folder of known) redacted = redacted.replaceAll(folder, "");
    return redacted
      .replace(POSIX, (path) => /[^/]*(?=\/?$)/.exec(path)?.[0] ?? "")
      .replace(SHARE, "")
      .replace(WINDOWS, "");
  };
}
