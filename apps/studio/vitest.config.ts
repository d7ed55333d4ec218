import { join } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * The page in a real browser, against the real server: one file after the other, because they share
 * two cores with Chromium.
 */
export default defineConfig({
  resolve: {
    alias: { "@cosimo": join(import.meta.dirname, "..", "..", "packages", "cosimo", "src") },
  },
  test: {
    root: import.meta.dirname,
    include: ["tests/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    // A page drawn by software on a busy machine can be too slow once; the report says so.
    retry: 1,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
