/**
 * Fixture FMUs for tests: each one unpacked into a folder that goes away with the test file.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { unwrap } from "../../../base/diagnostic.ts";
import { openFmuFile } from "../../node/fmu-file.ts";
import type { NativeFmu } from "../native-options.ts";

const ROOT = fileURLToPath(new URL("../../../../../../", import.meta.url));
export const BUILD: string = join(ROOT, "fixtures", "build");

/** `unpackFixtures()("fmi2/Dahlquist")`: call the outer function at the top of a test file. */
export function unpackFixtures(): (name: string) => Promise<NativeFmu> {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  return async (name) => {
    const file = join(BUILD, `${name}.fmu`);
    if (!existsSync(file)) throw new Error(`${file} is missing: run 'npm run fixtures' first`);
    const folder = mkdtempSync(join(tmpdir(), "cosimo-test-"));
    folders.push(folder);
    const opened = openFmuFile(file).value;
    if (opened === undefined) throw new Error(`${file} cannot be opened`);
    return {
      folder: unwrap(await opened.extract(join(folder, "fmu"))),
      description: opened.description,
    };
  };
}

export const VERSIONS: readonly ["fmi2", "fmi3"] = ["fmi2", "fmi3"];
export const REPOSITORY: string = dirname(join(ROOT, "x"));
