/**
 * `npm test`: everything set up, then every test. Arguments go to vitest (`npm test -- unit/`).
 * What passes prints nothing; at most a page is printed about what fails. Closes with "N passed, N
 * failed, N skipped" on a line of its own.
 *
 * `npm run test:fast` (`--fast`): the tests of all zones without native code and processes, without
 * FMUs, in a minute.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ROOT, setup, tool } from "./setup.mjs";

const isFast = process.argv[2] === "--fast";
const given = process.argv.slice(isFast ? 3 : 2);
const noFixtures = await setup({ fixtures: !isFast });
if (noFixtures) {
  console.error(`the tests need the fixture FMUs: ${noFixtures}`);
  process.exit(1);
}
/** A page; the rest is one `npm test -- <file>` away. */
const MAX_LINES = 60;
/** Test files that are named for their time, where more than these ran. */
const MANY = 20;
/** Of what a failed test says. */
const SHOWN_LINES = 12;
/** Places in the test runner, which say nothing about what failed. */
const RUNNER = /^\s+at .*(node_modules\/(@?vitest)|new Promise \(<anonymous>\))/;
const folder = mkdtempSync(join(tmpdir(), "cosimo-tests-"));
const report = join(folder, "report.json");
const vitest = spawn(
  tool("vitest"),
  [
    "run",
    "--reporter=minimal",
    `--reporter=${join(ROOT, "scripts", "test-progress.mjs")}`,
    "--reporter=json",
    `--outputFile=${report}`,
    ...(isFast ? ["--project=portable"] : []),
    ...given,
  ],
  // Progress goes straight to the terminal, as the fourth file of the process.
  {
    cwd: ROOT,
    env: { ...process.env, ...(isFast && { COSIMO_FEW_CASES: "1" }) },
    stdio: ["ignore", "pipe", "pipe", process.stderr],
    shell: process.platform === "win32",
  },
);
let printed = "";
for (const stream of [vitest.stdout, vitest.stderr])
  stream.setEncoding("utf8").on("data", (piece) => {
    printed += piece;
  });
const code = await new Promise((resolve, reject) => {
  vitest.on("error", reject);
  vitest.on("close", resolve);
});
/** At most a page of `text`. */
function page(text) {
  const lines = text.trim().split("\n");
  const shown = lines.slice(0, MAX_LINES).join("\n");
  const rest = lines.length - MAX_LINES;
  return rest > 0
    ? `${shown}\n… and ${rest} lines more: npm test -- <file> shows what fails in a file`
    : shown;
}
/** Where the time went, so that what grows is seen. */
function slowest(results) {
  const files = results
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, MANY)
    .map(({ name, seconds }) => `  ${seconds.toFixed(0).padStart(4)} s ${relative(ROOT, name)}`);
  return ["slowest files:", ...files].join("\n");
}
const indent = (text) => text.replace(/^/gm, "    ");
try {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  const failed = testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => [
      `failed: ${relative(ROOT, name)}`,
      ...(message ? [indent(message)] : []),
      ...assertionResults
        .filter(({ status }) => status === "failed")
        .map(({ fullName, failureMessages }) => {
          const lines = failureMessages
            .join("\n")
            .split("\n")
            .filter((line) => !RUNNER.test(line));
          const why = lines.slice(0, SHOWN_LINES).join("\n");
          return `  ${fullName}\n${indent(stripVTControlCharacters(why))}`;
        }),
    ]);
  if (failed.length > 0) console.log(page(failed.join("\n")));
  // What is in no test, such as a promise that was rejected unseen.
  else if (code !== 0) console.log(page(printed));
  if (testResults.length > MANY) console.log(slowest(testResults));
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
} catch {
  console.log(page(printed));
  console.log("0 passed, 1 failed, 0 skipped");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = code ?? 1;
