/**
 * `cosimo run model.fmu`: simulate one FMU, record it, plot it.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticsError, hasErrors } from "../../base/diagnostic.ts";
import { explainOutcome, type Outcome } from "../../base/outcome.ts";
import { present } from "../../base/present.ts";
import type { PaceReport } from "../../engine/pacer.ts";
import { MASTER_NAMES } from "../../model/masters.ts";
import { TRACE_ENDINGS } from "../../record/formats.ts";
import { splitPatterns } from "../../record/trace-select.ts";
import { LOCK } from "../checkpoint/checkpoint-files.ts";
import { checkpointRequest } from "../checkpoint/checkpoint-options.ts";
import {
  anyOf,
  type Command,
  checkFormats,
  type ExitCode,
  type ParsedArguments,
  TRUST,
  UsageError,
} from "../command.ts";
import { FAULT_OPTIONS } from "../faults.ts";
import { counted, printFindings } from "../findings.ts";
import { PLOT_ENDINGS } from "../plot-file.ts";
import type { RunJob } from "../protocol/protocol.ts";
import { failureText } from "../protocol/worker-failure.ts";
import { executionTexts, executorText } from "../supervisor/execution-text.ts";
import { STOP_CODES } from "../supervisor/stop-signals.ts";
import {
  type CheckpointReport,
  type RunReport,
  superviseRun,
} from "../supervisor/supervise-run.ts";
import { withShortLog } from "../supervisor/unit-log.ts";
import { checkWritable } from "../supervisor/write-outputs.ts";
import { print, printError, printJson } from "../terminal.ts";

export const runCommand: Command = {
  name: "run",
  summary: "Simulate an FMU or a scenario of coupled units and record the result.",
  usage: "cosimo run <model.fmu|scenario.yaml|system.ssp> [options]",
  details:
    "Start, stop, step and tolerance come from the model's own experiment where it has one. Without --out and\n" +
    "--plot the result is summarized on the terminal only. Ctrl-C stops the run and keeps what was recorded; the exit code is\n" +
    "130 then (143 after SIGTERM, 129 after SIGHUP, 131 after SIGQUIT).",
  arguments: [
    {
      name: "<model>",
      help: "an FMU (FMI 2.0 or 3.0, packed or unpacked), a scenario.yaml, an .ssp or .ssd,\na folder with a scenario.yaml, a state machine (.machine.yaml) or an adaptation (.sa)",
    },
  ],
  options: {
    "--start <s>": "start time",
    "--stop <s>": "stop time",
    "--step <s>": "communication step",
    "--tolerance <x>": "relative tolerance for the FMU's solver",
    "--set <name=value>...":
      "set a parameter, an input or a start value (repeatable)\narrays: --set 'A=1,2,3,4' or --set 'A[1,2]=5'",
    ...FAULT_OPTIONS,
    "--input <file.csv>":
      "input signals over time: a 'time' column and one column per input\ncontinuous inputs are interpolated, discrete ones held, two rows at one time are an event",
    "--clock <name=s>...":
      "interval of an input clock that the FMU leaves open (FMI 3, repeatable)",
    "--record <patterns>...":
      "what to record, comma-separated, * and ? match any text (default: the outputs)",
    "-o, --out <file>...": `write the trace: ${anyOf(TRACE_ENDINGS)} (repeatable)`,
    "--plot <file>...": `draw the trace: ${anyOf(PLOT_ENDINGS)} (repeatable)`,
    "--master <name>": `${anyOf(MASTER_NAMES)}, in place of what the scenario says`,
    "--events <auto|off>": "off: leave events to the FMU itself instead of event mode (FMI 3)",
    "--stop-on-divergence":
      "end the run where its signals diverge, and record the rate at which they grow (master.growth)",
    "--log-calls <file>": "write every FMI call with its arguments and status",
    "--debug":
      "turn on the FMU's own debug logging, print all of its messages in full, and show the trace of an internal error",
    "--executor <name>":
      "interpreter or machine-code; both give the same trace (default: the faster one that works)",
    "--threads <n|auto>":
      "step heavy FMUs on up to n threads (auto: all cores); the trace is the same",
    "--realtime [factor]": "keep pace with the wall clock; --realtime=10 is ten times faster",
    "--checkpoint <when>...":
      "store the state of the run from time to time, so that --resume can continue it\n" +
      "every=60s: simulated time, wall=60s: time on the clock (ms, s, min, h)\n" +
      "dir=folder: where (default: beside the first --out), replay=off|1GB: bound for logs of units\n" +
      "that cannot save their state",
    "--resume":
      "continue an interrupted run from its last checkpoint; the trace is that of an uninterrupted run",
    ...TRUST,
    "--timeout <s>": "give up when the run takes longer than this (wall clock)",
    "--json": "print the summary as JSON",
    "-q, --quiet": "no progress, no summary; errors only",
  },
  examples: {
    "cosimo run scenario.yaml --master gauss-seidel --plot run.html":
      "couple the units of a scenario; ports are called unit.port in --set and --record",
    "cosimo run scenario.yaml -o run.csv --checkpoint every=60s":
      "a long run that survives a crash: the same command with --resume continues it",
    "cosimo run scenario.yaml --fault 'motor.speed stuck 0 at 3 s' -o run.csv":
      "what happens if a sensor breaks? The trace has a column per fault",
    "cosimo run BouncingBall.fmu --plot ball.svg":
      "simulate the default experiment and draw the outputs",
    "cosimo run VanDerPol.fmu --stop 20 --step 0.01 --set mu=5 -o vdp.csv":
      "another parameter, other times, results for a spreadsheet",
    "cosimo run Motor.fmu --input torque.csv --record 'w,i*' -o run.parquet":
      "drive an input from a file, record some variables, read them with pandas",
  },
  async run(args) {
    const out = args.all("out");
    const plot = args.all("plot");
    checkFormats(out, TRACE_ENDINGS, "--out");
    checkFormats(plot, PLOT_ENDINGS, "--plot");
    const results = [...out, ...plot];
    const checkpoint = checkpointRequest(args.all("checkpoint"), args.has("resume"), results);
    const kept = checkpoint ? [lockOrFolder(checkpoint.folder)] : [];
    const unwritable = checkWritable([...results, ...args.all("log-calls"), ...kept]);
    if (unwritable.length > 0) throw new DiagnosticsError(unwritable);
    const report = await superviseRun(
      { ...jobOf(args), ...present({ checkpoint }) },
      {
        out,
        plot,
        showProgress: !args.has("quiet"),
        ...present({ timeoutSeconds: args.positive("timeout") }),
      },
    );
    printFindings(report.diagnostics);
    const code = exitCode(report);
    if (args.has("json")) printJson(jsonReport(report));
    if (report.outcome === undefined) return code;
    const { outcome } = report;
    if (!args.has("json") && !args.has("quiet")) print(summary(report, outcome));
    if (code === 3 || code === 4)
      printError(`cosimo: ${problemText(report, outcome, args.has("debug"))}`);
    if (report.broken && args.has("debug")) printError(report.broken.stack);
    if (report.checkpoint?.time !== undefined && !args.has("quiet"))
      printError(
        `cosimo: the same command with --resume continues from t=${report.checkpoint.time} (${report.checkpoint.folder})`,
      );
    return code;
  },
};

/** What a run with checkpoints writes first: into its folder where it is, else beside it. */
function lockOrFolder(folder: string): string {
  return existsSync(folder) ? join(folder, LOCK) : folder;
}

function jobOf(args: ParsedArguments): Omit<RunJob, "folder"> {
  return {
    kind: "run",
    model: args.first,
    trust: args.has("trust"),
    set: args.all("set"),
    faults: args.all("fault"),
    faultFiles: args.all("faults"),
    clocks: args.all("clock"),
    record: args.all("record").flatMap(splitPatterns),
    debugLogging: args.has("debug"),
    stopOnDivergence: args.has("stop-on-divergence"),
    events: args.choice("events", ["auto", "off"]),
    executor: args.choice("executor", ["auto", "interpreter", "machine-code"]),
    ...present({
      start: args.number("start"),
      stop: args.number("stop"),
      step: args.number("step"),
      tolerance: args.number("tolerance"),
      input: args.one("input"),
      master: args.one("master"),
      threads: threadsOption(args),
      realtime: realtimeOption(args),
      logCalls: args.one("log-calls"),
    }),
  };
}

function threadsOption(args: ParsedArguments): number | "auto" | undefined {
  const text = args.one("threads");
  if (text === undefined || text === "auto") return text;
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new UsageError(
    "--threads wants a positive whole number or auto",
    "for instance --threads 2",
  );
}

/** `--realtime` alone is factor 1. */
function realtimeOption(args: ParsedArguments): number | undefined {
  if (!args.has("realtime")) return undefined;
  return args.one("realtime") === "" ? 1 : args.positive("realtime");
}

function exitCode(report: RunReport): ExitCode {
  if (report.broken) return report.broken.isSystem ? 3 : 4;
  switch (report.outcome?.kind) {
    case "completed":
    case "stopped-by-unit":
      return hasErrors(report.diagnostics) ? 1 : 0;
    case "cancelled":
      return STOP_CODES[report.stoppedBy ?? "SIGINT"];
    case undefined:
      return 1;
    default:
      return 3;
  }
}

/** Why it is not done: the ending, or what failed in our own process after it. */
function problemText({ broken }: RunReport, outcome: Outcome, isWhole: boolean): string {
  if (broken && outcome.kind !== "aborted") return failureText(broken);
  return explainOutcome(isWhole ? outcome : withShortLog(outcome));
}

/** Steps, simulated and wall time, real-time factor, outcome; then the files. */
function summary(report: RunReport, outcome: Outcome): string {
  const { execution, plan, rows, wallSeconds, pace, files } = report;
  const begun = report.checkpoint?.resumedAt ?? plan?.experiment.start ?? 0;
  const simulated = outcome.time - begun;
  const factor = wallSeconds > 0 ? simulated / wallSeconds : Number.POSITIVE_INFINITY;
  const executor = execution && !execution.master ? ` (${executorText(execution)})` : "";
  return [
    `${plan?.title ?? "run"}: ${counted(outcome.steps, "step")}, ${formatSeconds(simulated)} simulated in ${formatSeconds(wallSeconds)}` +
      ` (${formatFactor(factor)} real time), ${counted(rows, "row")}: ${verdict(outcome)}${executor}`,
    ...resumedLine(report.checkpoint),
    ...(pace ? [paceLine(pace)] : []),
    ...(execution ? executionTexts(execution).map((text) => `  ${text}`) : []),
    ...files.map((file) => `  ${file}`),
    ...(files.length === 0 ? report.lastValues : []),
  ].join("\n");
}

function resumedLine({ resumedAt, folder }: Partial<CheckpointReport> = {}): string[] {
  return resumedAt === undefined ? [] : [`  resumed at t=${resumedAt} (${folder})`];
}

function paceLine({ factor, points, overruns, worstSeconds }: PaceReport): string {
  const kept = overruns === 0 ? "kept pace" : `late at ${overruns} of ${counted(points, "point")}`;
  return `  real time × ${factor}: ${kept}, at worst ${formatSeconds(worstSeconds)} behind`;
}

/** Failures are explained on standard error; here one word does. */
function verdict(outcome: Outcome): string {
  switch (outcome.kind) {
    case "failed":
    case "crashed":
    case "unstable":
    case "aborted":
      return outcome.kind;
    default:
      return explainOutcome(outcome);
  }
}

function formatSeconds(seconds: number): string {
  if (seconds === 0) return "0 s";
  if (seconds < 1e-3) return `${Number((seconds * 1e6).toPrecision(3))} µs`;
  if (seconds < 1) return `${Number((seconds * 1e3).toPrecision(3))} ms`;
  return `${Number(seconds.toPrecision(4))} s`;
}

function formatFactor(factor: number): string {
  return factor >= 10
    ? `${Math.round(factor).toLocaleString("en")} ×`
    : `${factor.toPrecision(2)} ×`;
}

function jsonReport(report: RunReport): unknown {
  return {
    outcome: report.outcome ?? { kind: "rejected" },
    experiment: report.plan?.experiment,
    columns: report.plan?.columns.map((column) => column.name),
    rows: report.rows,
    wallSeconds: report.wallSeconds,
    pace: report.pace,
    ...report.execution,
    checkpoint: report.checkpoint,
    files: report.files,
    diagnostics: report.diagnostics,
  };
}
