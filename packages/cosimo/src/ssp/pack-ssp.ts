/**
 * Files → the bytes of a package. SSP allows plain zip only (stored or deflated, no encryption),
 * and the same files must always give the same bytes, so nothing of the clock or the disk gets in.
 */

import { type Zippable, zipSync } from "fflate";

/**
 * The earliest time that zip can express, in the clock that the zip writer reads: the same bytes in
 * every time zone.
 */
const NO_TIME = new Date(1980, 0, 1);

/**
 * Packs `files` by path, in the order given. What is packed already (FMUs, packages, pictures) is
 * only stored.
 */
export function packZip(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const contents: Zippable = {};
  for (const [path, bytes] of files)
    contents[path] = [bytes, { level: /\.(fmu|ssp|zip|png|jpe?g)$/i.test(path) ? 0 : 9 }];
  return zipSync(contents, { mtime: NO_TIME });
}
