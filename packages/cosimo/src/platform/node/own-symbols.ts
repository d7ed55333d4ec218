/**
 * Gives the Linux libraries of an FMU symbols of their own (fmi/unique-symbols.ts), in files that
 * are ours to change.
 */
import { chmodSync, closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type ByteChange, ownSymbols, type ReadBytes } from "../../fmi/unique-symbols.ts";

/** Below `binaries/`, in the folder of any Linux, with or without a version. */
const LINUX_LIBRARY = /^binaries\/([^/]*linux[^/]*)\/[^/]+\.so(\.\d+)*$/i;

/** Whether a library of the FMU in `root` would share symbols with those of others. */
export function sharesSymbols(root: string, files: readonly string[]): boolean {
  return changesIn(root, files).size > 0;
}

/** Changes the libraries of the FMU in `root`. Those that are damaged stay as they are. */
export function keepSymbols(root: string, files: readonly string[]): void {
  for (const [name, changes] of changesIn(root, files)) {
    const path = join(root, name);
    chmodSync(path, 0o700);
    const fd = openSync(path, "r+");
    try {
      for (const { offset, value } of changes) writeSync(fd, Uint8Array.of(value), 0, 1, offset);
    } finally {
      closeSync(fd);
    }
  }
}

/** The files of an FMU in memory, with changed copies of such libraries. */
export function withOwnSymbols(
  files: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<string, Uint8Array> {
  const changed = new Map(files);
  const found = changesOf([...files.keys()], (name) => readBytes(files.get(name)));
  for (const [name, changes] of found) {
    const copy = Uint8Array.from(files.get(name) ?? []);
    for (const { offset, value } of changes) copy[offset] = value;
    changed.set(name, copy);
  }
  return changed;
}

function changesIn(root: string, files: readonly string[]): Map<string, readonly ByteChange[]> {
  const open: number[] = [];
  try {
    return changesOf(files, (name) => {
      const fd = openSync(join(root, name), "r");
      open.push(fd);
      return readFile(fd);
    });
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/** By name, only those that change. */
function changesOf(
  files: readonly string[],
  reader: (name: string) => ReadBytes,
): Map<string, readonly ByteChange[]> {
  const folders = new Map<string, string[]>();
  for (const name of files) {
    const folder = LINUX_LIBRARY.exec(name)?.[1];
    if (folder !== undefined) folders.set(folder, [...(folders.get(folder) ?? []), name]);
  }
  const found = new Map<string, readonly ByteChange[]>();
  for (const names of folders.values()) {
    for (const [i, changes] of ownSymbols(names.map(reader)).entries())
      if (changes.length > 0) found.set(names[i] as string, changes);
  }
  return found;
}

function readFile(fd: number): ReadBytes {
  return (offset, bytes) => {
    const buffer = new Uint8Array(bytes);
    let done = 0;
    while (done < bytes) {
      const count = readSync(fd, buffer, done, bytes - done, offset + done);
      if (count === 0) throw new RangeError("the file ends");
      done += count;
    }
    return new DataView(buffer.buffer);
  };
}

function readBytes(content: Uint8Array = new Uint8Array()): ReadBytes {
  return (offset, bytes) => {
    if (offset + bytes > content.byteLength) throw new RangeError("the file ends");
    return new DataView(content.buffer, content.byteOffset + offset, bytes);
  };
}
