/**
 * The package as users get it (pack.mjs), laid out in out/package, for tests of the command: it is
 * what they test, and it starts in a third of the time that the build takes, because it is a few
 * files instead of hundreds. Does nothing when the build did not change.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { stagePackage } from "./pack.mjs";
import { buildExamples, ROOT } from "./setup.mjs";

const PACKAGE = join(ROOT, "packages", "cosimo");
const STAGED = join(ROOT, "out", "package");
const STAMP = join(STAGED, ".built");

/** What vitest calls before the tests (vitest.config.ts). */
export async function setup() {
  // One of the entry points is for tests, and not part of the build that runs the command.
  buildExamples();
  const stamp = String(Math.max(...["bin", "dist", "adaptations", "c-runtime"].map(newest)));
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp) return;
  rmSync(STAGED, { recursive: true, force: true });
  mkdirSync(STAGED, { recursive: true });
  await stagePackage(STAGED);
  writeFileSync(STAMP, stamp);
}

/** When a file of this folder of the package changed last. */
function newest(folder) {
  const files = readdirSync(join(PACKAGE, folder), { recursive: true, withFileTypes: true });
  return Math.max(
    ...files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs),
  );
}
