/**
 * One scenario as a test: `cosimo run` in a process of its own, then its requirements and the
 * expected trace.
 *
 * Why a process around a command that has two already: what a run prints is kept apart from that of
 * the others beside it, and however it ends, it is a result.
 */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Outcome } from "../../base/outcome.ts";
import { startError } from "../../platform/process/start-error.ts";
import { compareExpected } from "../../record/expected-trace.ts";
import type { Verdict } from "../../requirements/check-requirement.ts";
import { verdictDetail } from "../../requirements/verdict-text.ts";
import { readTrace } from "../read-trace.ts";
import type { FoundScenario } from "./find-scenarios.ts";

export interface TestOptions {
  /** Of numbers, relative to the largest of their column. */
  readonly tolerance: number;
  readonly timeoutSeconds?: number;
  readonly trust: boolean;
}

/** What was asked of a scenario. */
export interface TestCase {
  readonly name: string;
  /** `open`: the run failed before anything decided against it. */
  readonly state: "passed" | "failed" | "error" | "open";
  /** Why, or how far from failing. */
  readonly detail: string;
}

export interface TestedScenario {
  readonly path: string;
  readonly seconds: number;
  readonly cases: readonly TestCase[];
}

/** The part of `cosimo run --json` that is needed here. */
interface Report {
  readonly outcome: Outcome | { readonly kind: "rejected" };
  readonly requirements?: readonly Verdict[];
  readonly diagnostics: readonly Diagnostic[];
}

/** @param folder for its trace; it is this run's own. */
export async function testScenario(
  { path, expected }: FoundScenario,
  options: TestOptions,
  folder: string,
): Promise<TestedScenario> {
  const begun = performance.now();
  mkdirSync(folder, { recursive: true });
  const trace = join(folder, "trace.csv");
  const { stdout, stderr } = await cosimo([
    ...["run", path, "--json"],
    ...(expected === undefined ? [] : ["--out", trace]),
    ...(options.timeoutSeconds === undefined ? [] : ["--timeout", String(options.timeoutSeconds)]),
    ...(options.trust ? ["--trust"] : []),
  ]);
  const report = parsed(stdout);
  const run = runCase(report, stderr);
  const isRun = run.state === "passed";
  const cases = [run];
  for (const verdict of report?.requirements ?? []) cases.push(requirementCase(verdict, isRun));
  if (expected !== undefined)
    cases.push(await traceCase(expected, trace, options.tolerance, isRun));
  return { path, seconds: (performance.now() - begun) / 1000, cases };
}

async function cosimo(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const command = process.argv[1] ?? "";
  const child = spawn(process.execPath, [...process.execArgv, command, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const failure = startError(child);
  if (failure !== undefined) throw await failure;
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      // A unit may say the same thing for ever.
      if (stderr.length < MAX_LOG) stderr += text;
    });
    child.on("error", reject);
    child.on("close", () => resolve({ stdout, stderr }));
  });
}

const MAX_LOG = 100_000;

function parsed(stdout: string): Report | undefined {
  try {
    return JSON.parse(stdout) as Report;
  } catch {
    return undefined;
  }
}

function runCase(report: Report | undefined, stderr: string): TestCase {
  const name = "run";
  const said = stderr.trim();
  if (report === undefined || report.outcome.kind === "rejected")
    return { name, state: "error", detail: said || "the run did not begin" };
  const { kind } = report.outcome;
  const isOver = kind === "completed" || kind === "stopped-by-unit";
  const hasErrors = report.diagnostics.some(({ severity }) => severity === "error");
  if (isOver && !hasErrors) return { name, state: "passed", detail: kind };
  return { name, state: "error", detail: said || kind };
}

function requirementCase(verdict: Verdict, isRun: boolean): TestCase {
  const detail = verdictDetail({ ...verdict, robustness: verdict.robustness ?? Infinity });
  const state = verdict.state === "violated" ? "failed" : isRun ? "passed" : "open";
  return { name: verdict.name, state, detail: `${verdict.state}${detail}` };
}

async function traceCase(
  expected: string,
  trace: string,
  tolerance: number,
  isRun: boolean,
): Promise<TestCase> {
  const name = `trace as in ${expected}`;
  if (!isRun) return { name, state: "error", detail: "the run failed" };
  const [wanted, found] = [await readTrace(expected), await readTrace(trace)];
  const [problem] = [...wanted.diagnostics, ...found.diagnostics];
  if (wanted.value === undefined || found.value === undefined)
    return { name, state: "error", detail: problem?.message ?? "a trace cannot be read" };
  const compared = compareExpected(found.value, wanted.value, tolerance);
  if (!compared.isEqual) return { name, state: "failed", detail: compared.difference };
  const worst = compared.worst === 0 ? "equal" : `within ${compared.worst.toExponential(1)}`;
  return { name, state: "passed", detail: `${compared.values} values, ${worst}` };
}
