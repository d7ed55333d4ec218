import { defineConfig } from "vitest/config";

const conditions = ["@cosimo/source", "node", "import", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ["scripts/pages.mjs"],
    include: ["packages/*/src/**/*.test.ts", "packages/*/tests/**/*.test.ts"],
    // Native FMUs live in the test's own process: a fork keeps a crashing one from taking the runner along.
    pool: "forks",
    // Many tests wait for processes that they start, so every core gets a runner.
    maxWorkers: "100%",
    testTimeout: 30_000,
  },
});
