/**
 * Files in memory, and disks that have no room for them. Rules: docs/spec/native.md.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderOfFile } from "../node/testing/folders.ts";
import { mapSharedFile } from "./shared-memory.ts";

const folder = folderOfFile("shared");

it("[NA63] room is set aside for all of a file, and what is in it stays", () => {
  const file = join(folder, "room.bin");
  writeFileSync(file, "begun");
  const shared = mapSharedFile(file, 1 << 20)!;
  expect(statSync(file).blocks * 512).toBeGreaterThanOrEqual(1 << 20);
  expect(Buffer.from(shared.bytes.subarray(0, 5)).toString()).toBe("begun");
  shared.bytes[5] = 33;
  shared.unmap();
  expect(readFileSync(file, "utf8").slice(0, 6)).toBe("begun!");
});

it("[NA63] a lack of room names the file and the bytes", () => {
  const file = join(folder, "huge.bin");
  // More than any disk has, and less than a file may have.
  expect(() => mapSharedFile(file, 2 ** 42)).toThrow(/^(ENOSPC|EFBIG|EDQUOT|ENOMEM)/);
  rmSync(file, { force: true });
});
