/**
 * `npm test`: everything set up, then every test. Arguments go to vitest (`npm test -- unit/`).
 * What passes prints nothing; at most a page is printed about what fails. Closes with "N passed, N
 * failed, N skipped" on a line of its own. In a run of all tests, a few files that fail are run
 * again, alone: tests of processes and time limits can fail on a machine that is too busy.
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
/** So many files that fail are run again alone; more of them are no accident of a busy machine. */
const RUN_AGAIN = 4;

/**
 * Runs vitest.
 * @returns its exit code, what it printed, and its report, which is undefined where it broke down.
 */
async function run(args) {
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
      ...args,
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
  try {
    return { code: code ?? 1, printed, report: JSON.parse(readFileSync(report, "utf8")) };
  } catch {
    return { code: 1, printed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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

/** What failed, a line each, with what it says. */
function failures({ testResults }) {
  return testResults
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
}

const { code, printed, report } = await run(given);
process.exitCode = code;
if (!report) {
  console.log(page(printed));
  console.log("0 passed, 1 failed, 0 skipped");
} else {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = report;
  const failed = failures(report);
  if (failed.length > 0) console.log(page(failed.join("\n")));
  // What is in no test, such as a promise that was rejected unseen.
  else if (code !== 0) console.log(page(printed));
  if (testResults.length > MANY) console.log(slowest(testResults));
  const names = testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
  // What failed in no test cannot be run again.
  const inTests = names.length > 0 && !/Unhandled (Errors|Rejection)/.test(printed);
  const again =
    given.length === 0 && inTests && names.length <= RUN_AGAIN
      ? await run([...names, "--maxWorkers=1"])
      : undefined;
  if (again?.code === 0) {
    // A test that needs a machine of its own is still a defect: it is named, and counted.
    console.log("passed when run again alone, so repair these tests:");
    for (const name of names) console.log(`  ${relative(ROOT, name)}`);
    process.exitCode = 0;
  }
  const unsteady = again?.code === 0 ? numFailedTests : 0;
  console.log(
    `${numPassedTests + unsteady} passed, ${numFailedTests - unsteady} failed, ${numPendingTests} skipped` +
      (unsteady > 0 ? `, ${unsteady} only when run again` : ""),
  );
}
