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
    // A busy machine may take its time: nothing is measured by waiting for it.
    testTimeout: 300_000,
    // Drawn by software a page can be too slow once; the report says so.
    retry: 1,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 90_000 } },
  },
});
