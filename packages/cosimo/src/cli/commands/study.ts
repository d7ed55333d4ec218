/**
 * `cosimo study study.yaml`: many runs of a scenario in a pool of processes, one table, one report.
 */
import { mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { DiagnosticsError, hasErrors } from "../../base/diagnostic.ts";
import { userTrust } from "../../host/trust.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import { encodeTable } from "../../record/table.ts";
import {
  type Command,
  type ExitCode,
  type ParsedArguments,
  TRUST,
  UsageError,
} from "../command.ts";
import { printFindings } from "../findings.ts";
import { requiredNetwork } from "../network-options.ts";
import { driveStudy, plannedRuns } from "../study/drive-study.ts";
import { hasJournal, StudyJournal } from "../study/journal.ts";
import { type PreparedStudy, prepareStudy } from "../study/prepare-study.ts";
import { type StudyReport, studyJson, studyPage } from "../study/study-page.ts";
import { ProcessPool, type StudyWorkers } from "../study/study-pool.ts";
import { isCompleted } from "../study/study-protocol.ts";
import { studyHtml } from "../study/study-report.ts";
import { REPORT_FILE, studyTable, TABLE_FILE, TRACES_FOLDER } from "../study/study-table.ts";
import { type Progress, progressBar } from "../supervisor/progress.ts";
import { STOP_CODES, StopRequests } from "../supervisor/stop-signals.ts";
import { print, printError, printJson } from "../terminal.ts";

/** Enough to be a mistake. */
const MOST_RUNS = 10_000_000;

export const studyCommand: Command = {
  name: "study",
  summary: "Run a scenario many times: a table of runs, what matters, the best values.",
  usage:
    "cosimo study <study.yaml> [-o <folder>] [--jobs <n> | --workers <url>] [--resume] [--json]",
  details:
    "A study names a scenario, what varies in it (parameters, start values, steps, masters, approximations, adaptations, faults), and either\n" +
    "a design (grid, latin-hypercube, sobol, monte-carlo, one-at-a-time) or a goal: minimize or maximize a number, calibrate against measured\n" +
    "data. Runs are made in processes that keep FMUs loaded. A run that fails is a row with its reason. The results are runs.parquet (a row\n" +
    "per run), report.html, and traces/ where they are kept. What was run is safe at every moment: --resume goes on after Ctrl-C or a crash.\n" +
    "With --workers the runs are made on other computers, by 'cosimo node --work': the scenario and its files are sent there through a NATS\n" +
    "server with JetStream, workers come and go, and the results are those of one computer.\n" +
    "Exit code 1: the study is wrong, or no run satisfies the constraints. 3: every run failed.",
  arguments: [{ name: "<study.yaml>", help: "the study" }],
  options: {
    "-o, --out <folder>": "where the results go (default: <study>.results)",
    "--jobs <n>": "how many runs are made at a time (default: one per core)",
    "--workers <url>":
      "make the runs on workers ('cosimo node --work') that this NATS server knows; credentials: see 'cosimo nodes --help'",
    "--project <name>": "project of the workers; or COSIMO_PROJECT (default: default)",
    "--identity <name>": "the name under which workers know the caller; or COSIMO_IDENTITY",
    "--timeout <s>": "stop after so many seconds, as Ctrl-C does; --resume goes on",
    "--resume": "go on with a study that was interrupted, or was made longer",
    "--restart": "discard the results of an earlier study in that folder",
    "--list": "say how many runs there would be, and run nothing",
    ...TRUST,
    "--json": "print the results as JSON",
    "-q, --quiet": "print no summary",
  },
  examples: {
    "cosimo study study.yaml": "run it, on all cores",
    "cosimo study study.yaml --resume": "go on where it was interrupted",
    "cosimo study study.yaml --workers nats://localhost:4222":
      "run it on other computers, each with 'cosimo node --work'",
    "cosimo study compare study.results other.results": "do two studies say the same?",
  },
  async run(args) {
    const jobs = args.positive("jobs") ?? availableParallelism();
    if (!Number.isInteger(jobs)) throw new UsageError("--jobs wants a whole number", "--jobs 2");
    if (args.has("workers") && args.has("jobs"))
      throw new UsageError(
        "--jobs and --workers do not go together",
        "workers decide how many runs they make at a time: 'cosimo node --work --jobs 2'",
      );
    if (args.has("resume") && args.has("restart"))
      throw new UsageError("--resume and --restart do not go together", "keep one of them");
    const temp = createTempFolder();
    try {
      const trust = { trust: userTrust(args.has("trust")), isAll: args.has("trust") };
      const { value, diagnostics } = await prepareStudy(args.first, trust, temp.path);
      printFindings(diagnostics);
      if (value === undefined || hasErrors(diagnostics)) return 1;
      return await runStudy(value, args, jobs);
    } finally {
      temp.remove();
    }
  },
};

async function runStudy(
  prepared: PreparedStudy,
  args: ParsedArguments,
  jobs: number,
): Promise<ExitCode> {
  const count = plannedRuns(prepared);
  if (count > MOST_RUNS)
    throw new UsageError(
      `the study has ${count} runs, which are more than ${MOST_RUNS}`,
      "vary fewer factors, or choose a design with 'runs'",
    );
  if (args.has("list")) {
    if (args.has("json")) printJson({ study: prepared.study.name, planned: count });
    else print(`${prepared.study.name}: ${prepared.study.goal ? "at most " : ""}${count} runs`);
    return 0;
  }
  const folder = args.one("out") ?? `${basename(args.first).replace(/\.ya?ml$/i, "")}.results`;
  const isThere = hasJournal(folder);
  if (isThere && !args.has("resume") && !args.has("restart"))
    throw new UsageError(
      `${folder} has the results of an earlier study`,
      "go on with --resume, replace them with --restart, or give another --out",
    );
  const traces = prepared.study.keep.traces ? join(folder, TRACES_FOLDER) : undefined;
  const progress = progressBar(process.stderr);
  const stop = new StopRequests();
  let workers: StudyWorkers | undefined;
  let journal: StudyJournal | undefined;
  let late: NodeJS.Timeout | undefined;
  try {
    // Where there are no workers, earlier results stay as they are.
    workers = await startWorkers(prepared, args, { jobs, traces, progress });
    if (args.has("restart"))
      for (const name of [TABLE_FILE, REPORT_FILE, TRACES_FOLDER])
        rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(traces ?? folder, { recursive: true });
    journal = StudyJournal.open(folder, prepared.digest, isThere && args.has("resume"));
    const resumed = journal.rows.size;
    const seconds = args.positive("timeout");
    const end = workers.stop.bind(workers);
    let isLate = false;
    if (seconds !== undefined)
      late = setTimeout(() => {
        isLate = true;
        end();
      }, 1000 * seconds);
    stop.onStop = end;
    if (stop.signal !== undefined) end();
    const begun = performance.now();
    const driven = await driveStudy(prepared, {
      workers,
      journal,
      isStopped: () => stop.signal !== undefined || isLate,
      onRow: (_, done, all) => progress.update(done / all, `run ${done} of ${all}`),
    });
    progress.clear();
    // A study that was interrupted before its first row has nothing to report.
    const hasRows = driven.rows.length > 0;
    const files = hasRows ? [join(folder, TABLE_FILE), join(folder, REPORT_FILE)] : [];
    const report: StudyReport = {
      prepared,
      driven,
      folder,
      files,
      resumed: Math.min(resumed, driven.rows.length),
      wallSeconds: (performance.now() - begun) / 1000,
    };
    if (hasRows) {
      writeWholeFile(join(folder, TABLE_FILE), encodeTable(studyTable(prepared, driven.rows)));
      writeWholeFile(join(folder, REPORT_FILE), studyHtml(report));
    }
    if (args.has("json")) printJson(studyJson(report));
    else if (!args.has("quiet")) print(studyPage(report));
    if (isLate && !driven.isWhole) {
      printError(`cosimo: the study was stopped after ${seconds} s; --resume goes on`);
      return 3;
    }
    return codeOf(report, stop.signal);
  } finally {
    clearTimeout(late);
    progress.clear();
    await workers?.close();
    stop.close();
    journal?.close();
  }
}

/** Processes here, or what a server knows. */
async function startWorkers(
  prepared: PreparedStudy,
  args: ParsedArguments,
  {
    jobs,
    traces,
    progress,
  }: { readonly jobs: number; readonly traces: string | undefined; readonly progress: Progress },
): Promise<StudyWorkers> {
  const server = args.one("workers");
  if (server !== undefined) {
    const { QueueWorkers } = await import("../study/study-queue.ts");
    const { networkDiagnostic } = await import("../../host/network/remote-units.ts");
    const onNotice = (text: string): void => {
      progress.clear();
      printError(`cosimo: ${text}`);
    };
    try {
      const settings = requiredNetwork(args, server);
      return await QueueWorkers.start(prepared, { settings, traces, onNotice });
    } catch (error) {
      const found = networkDiagnostic(error, { file: prepared.job.study });
      throw found === undefined ? error : new DiagnosticsError([found]);
    }
  }
  return new ProcessPool(
    { ...prepared.job, ...(traces !== undefined && { traces }) },
    {
      jobs: Math.min(jobs, plannedRuns(prepared)),
      limits: prepared.study.limits,
      columns: prepared.columns.length,
      onDiagnostics: (found) => {
        progress.clear();
        printFindings(found);
      },
      beforeOutput: progress.clear,
    },
  );
}

function codeOf({ driven }: StudyReport, signal: keyof typeof STOP_CODES | undefined): ExitCode {
  const { rows, found } = driven;
  if (signal !== undefined) {
    printError("cosimo: the study was interrupted; --resume goes on");
    return STOP_CODES[signal];
  }
  if (rows.length > 0 && rows.every((row) => !isCompleted(row))) return 3;
  return found?.isFeasible === false ? 1 : 0;
}
