/**
 * `npm test`: everything set up, then every test. Arguments go to vitest (`npm test -- unit/`).
 * Closes with "N passed, N failed, N skipped" on a line of its own.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, setup, tool } from "./setup.mjs";

const noFixtures = await setup();
if (noFixtures) {
  console.error(`the tests need the fixture FMUs: ${noFixtures}`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "cosimo-tests-"));
const report = join(folder, "report.json");
const vitest = spawnSync(
  tool("vitest"),
  [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: ROOT, stdio: "inherit", shell: process.platform === "win32" },
);
try {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
} catch {
  console.log("0 passed, 1 failed, 0 skipped");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = vitest.status ?? 1;
