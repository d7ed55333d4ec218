import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, sep } from "node:path";
import { defineConfig } from "vitest/config";

const conditions = ["@cosimo/source", "node", "import", "default"];

const PACKAGE = "packages/cosimo";
const files = ["src", "tests"].flatMap((folder) =>
  readdirSync(join(PACKAGE, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `${PACKAGE}/${folder}/${file.split(sep).join("/")}`),
);

/**
 * Tests that share a process, and load what they import once: those of zones without native code, files and processes. What counts bytes
 * is disturbed by all that ran before it.
 */
function sharesProcess(file: string): boolean {
  const isPortable = /\/src\/(?!cli\/|host\/|platform\/|serve\/)/.test(file);
  return isPortable && !/bytesPer|allocat/i.test(readFileSync(file, "utf8"));
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ["scripts/pages.mjs"],
    setupFiles: ["scripts/random-cases.mjs"],
    pool: "forks",
    // Many tests wait for processes that they start, so there is a runner more than there are cores.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: "portable", include: files.filter(sharesProcess), isolate: false },
      },
      {
        extends: true,
        test: {
          name: "whole",
          include: files.filter((file) => !sharesProcess(file)),
          // Tests of the command; `test:fast` does without, and without what it takes to make it.
          globalSetup: ["scripts/staged-package.mjs"],
          // Native FMUs live in the test's own process: a fork keeps a crashing one from taking the runner along.
          isolate: true,
        },
      },
    ],
  },
});
