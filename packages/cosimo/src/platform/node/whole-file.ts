/**
 * Files that appear whole or not at all: what is written stands beside its place until it is
 * complete, so that a full disk or a kill takes nothing from a file that was there. A pipe or a
 * device is written to and not replaced; a link stays, and what it points to is replaced.
 */
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** More links in a row than this are a cycle. */
const MAX_LINKS = 40;

export function writeWholeFile(
  file: string,
  content: string | Uint8Array,
  options: { readonly mode?: number } = {},
): void {
  if (!isFileOrNew(file)) {
    writeFileSync(file, content);
    return;
  }
  sweepParts(file);
  const part = partOf(file);
  try {
    writeFileSync(part, content, options);
    putInPlace(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** False for a pipe or a device; also behind a link. */
export function isFileOrNew(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined || found.isFile() || found.isDirectory();
}

/** Where `file` is written until it is whole: its name says by whom. */
export function partOf(file: string): string {
  return `${behindLinks(file)}.${process.pid}.part`;
}

/** Gives a complete file its name, and the permissions of the one that it replaces. */
export function putInPlace(part: string, file: string): void {
  const place = behindLinks(file);
  const before = statSync(place, { throwIfNoEntry: false });
  if (before?.isFile()) chmodSync(part, before.mode & 0o7777);
  renameSync(part, place);
}

/** Removes what commands that were killed while they wrote `file` have left of it. */
export function sweepParts(file: string): void {
  const place = behindLinks(file);
  const name = basename(place);
  for (const beside of readdirSync(dirname(place))) {
    if (!beside.startsWith(`${name}.`)) continue;
    const owner = /^\.(\d+)\.part$/.exec(beside.slice(name.length))?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    rmSync(join(dirname(place), beside), { force: true });
  }
}

/** The file that a link leads to, which need not exist. */
function behindLinks(file: string): string {
  let place = file;
  for (let k = 0; k < MAX_LINKS; k++) {
    if (!lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) return place;
    place = resolve(realpathSync(dirname(place)), readlinkSync(place));
  }
  return file;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
