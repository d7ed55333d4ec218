/** Temporary folders of tests, which are gone when the tests are over. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach } from "vitest";

const made = (name: string): string => mkdtempSync(join(tmpdir(), `cosimo-${name}-`));
const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

/** One for all tests of a file. */
export function folderOfFile(name: string): string {
  const path = made(name);
  afterAll(() => remove(path));
  return path;
}

/** A new one for each test, handed to `use` before it begins. */
export function folderOfEachTest(name: string, use: (path: string) => void): void {
  let path = "";
  beforeEach(() => {
    path = made(name);
    use(path);
  });
  afterEach(() => remove(path));
}
