/**
 * `cosimo run model.fmu`: simulate one FMU, record it, plot it.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticsError, hasErrors } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { explainOutcome, type Outcome } from "../../base/outcome.ts";
import type { PaceReport } from "../../engine/pacer.ts";
import { MASTER_NAMES } from "../../model/masters.ts";
import { TRACE_ENDINGS } from "../../record/formats.ts";
import { splitPatterns } from "../../record/trace-select.ts";
import {
  anyOf,
  type Command,
  type CommandSpec,
  checkFormats,
  type ExitCode,
  numberOption,
  type ParsedArguments,
  positiveOption,
  TRUST,
  UsageError,
} from "../command.ts";
import { printFindings } from "../findings.ts";
import { PLOT_ENDINGS } from "../plot-file.ts";
import { LOCK } from "../run/checkpoint-files.ts";
import { checkpointWish } from "../run/checkpoint-options.ts";
import {
  bondTexts,
  executorText,
  interpretedText,
  masterText,
  profileText,
  threadsText,
} from "../run/execution-text.ts";
import type { RunJob } from "../run/protocol.ts";
import { type CheckpointReport, type RunReport, superviseRun } from "../run/supervise-run.ts";
import { withShortLog } from "../run/unit-log.ts";
import { checkWritable } from "../run/write-outputs.ts";
import { STOP_CODES } from "../stop-signals.ts";
import { print, printError, printJson } from "../terminal.ts";
import { failureText } from "../worker-failure.ts";

const spec: CommandSpec = {
  name: "run",
  summary: "Simulate an FMU or a scenario of coupled units and record the result.",
  usage: "cosimo run <model.fmu|scenario.yaml|system.ssp> [options]",
  details:
    "Start, stop, step and tolerance come from the model's own experiment where it has one. Without --out and\n" +
    "--plot the result is summed up on the terminal only. Ctrl-C stops the run and keeps what was recorded; the exit code is\n" +
    "130 then (143 after SIGTERM, 129 after SIGHUP, 131 after SIGQUIT).",
  arguments: [
    {
      name: "<model>",
      help: "an FMU (FMI 2.0 or 3.0, packed or unpacked), a scenario.yaml, an .ssp or .ssd,\nor a folder with a scenario.yaml",
    },
  ],
  options: {
    start: { value: "<s>", help: "start time" },
    stop: { value: "<s>", help: "stop time" },
    step: { value: "<s>", help: "communication step" },
    tolerance: { value: "<x>", help: "relative tolerance handed to the FMU" },
    set: {
      value: "<name=value>",
      many: true,
      help: "set a parameter, an input or a start value (repeatable)\narrays: --set 'A=1,2,3,4' or --set 'A[1,2]=5'",
    },
    input: {
      value: "<file.csv>",
      help: "input signals over time: a 'time' column and one column per input\ncontinuous inputs are interpolated, discrete ones held, two rows at one time are an event",
    },
    clock: {
      value: "<name=s>",
      many: true,
      help: "interval of an input clock that the FMU leaves open (FMI 3, repeatable)",
    },
    record: {
      value: "<patterns>",
      many: true,
      help: "what to record, comma-separated, * and ? match any text (default: the outputs)",
    },
    out: {
      short: "o",
      value: "<file>",
      many: true,
      help: `write the trace: ${anyOf(TRACE_ENDINGS)} (repeatable)`,
    },
    plot: {
      value: "<file>",
      many: true,
      help: `draw the trace: ${anyOf(PLOT_ENDINGS)} (repeatable)`,
    },
    master: {
      value: "<name>",
      help: `of a scenario: ${anyOf(MASTER_NAMES)}, instead of what its file says`,
    },
    events: {
      value: "<auto|off>",
      help: "off: leave events to the FMU itself instead of event mode (FMI 3)",
    },
    "stop-on-divergence": {
      help: "of a scenario: end the run where its signals diverge, and record at what rate they grow (master.growth)",
    },
    "log-calls": { value: "<file>", help: "write every FMI call with its arguments and status" },
    debug: {
      help: "switch the FMU's own debug logging on, print all of its messages whole, and show the trace of an internal error",
    },
    executor: {
      value: "<name>",
      help: "of a scenario: interpreter or machine-code; both give the same trace (default: the faster one that can)",
    },
    threads: {
      value: "<n|auto>",
      help: "of a scenario: step heavy FMUs on up to n threads (auto: all cores); the trace is the same",
    },
    realtime: {
      value: "factor",
      valueOptional: true,
      help: "keep pace with the wall clock; --realtime=10 is ten times faster",
    },
    checkpoint: {
      value: "<when>",
      many: true,
      help:
        "of a scenario: store the whole run now and then, so that --resume can continue it\n" +
        "every=60s: simulated time, wall=60s: time on the clock (ms, s, min, h)\n" +
        "dir=folder: where (default: beside the first --out), replay=off|1GB: bound for logs of units\n" +
        "that cannot save their state",
    },
    resume: {
      help: "go on from the last checkpoint of an interrupted run; the trace is that of an uninterrupted one",
    },
    ...TRUST,
    timeout: { value: "<s>", help: "give up when the run takes longer than this (wall clock)" },
    json: { help: "print the summary as JSON" },
    quiet: { short: "q", help: "no progress, no summary; errors only" },
  },
  examples: [
    {
      command: "cosimo run scenario.yaml --master gauss-seidel --plot run.html",
      does: "couple the units of a scenario; ports are called unit.port in --set and --record",
    },
    {
      command: "cosimo run scenario.yaml -o run.csv --checkpoint every=60s",
      does: "a long run that survives a crash: the same command with --resume goes on from the last checkpoint",
    },
    {
      command: "cosimo run BouncingBall.fmu --plot ball.svg",
      does: "simulate the default experiment and draw the outputs",
    },
    {
      command: "cosimo run VanDerPol.fmu --stop 20 --step 0.01 --set mu=5 -o vdp.csv",
      does: "another parameter, other times, results for a spreadsheet",
    },
    {
      command: "cosimo run Motor.fmu --input torque.csv --record 'w,i*' -o run.parquet",
      does: "drive an input from a file, record some variables, read them with pandas",
    },
  ],
};

export const runCommand: Command = {
  spec,
  async run(args: ParsedArguments): Promise<ExitCode> {
    const out = args.all("out");
    const plot = args.all("plot");
    checkFormats(out, TRACE_ENDINGS, "--out");
    checkFormats(plot, PLOT_ENDINGS, "--plot");
    const checkpoint = checkpointWish(args.all("checkpoint"), args.has("resume"), [
      ...out,
      ...plot,
    ]);
    const unwritable = checkWritable([
      ...out,
      ...plot,
      ...args.all("log-calls"),
      ...(checkpoint === undefined ? [] : [lockOrFolder(checkpoint.folder)]),
    ]);
    if (unwritable.length > 0) throw new DiagnosticsError(unwritable);
    const report = await superviseRun(
      { ...jobOf(args), ...optional("checkpoint", checkpoint) },
      {
        out,
        plot,
        showProgress: !args.has("quiet"),
        ...optional("timeoutSeconds", positiveOption(args, "timeout")),
      },
    );
    printFindings(report.diagnostics);
    const code = exitCode(report);
    if (args.has("json")) printJson(jsonReport(report));
    if (report.outcome === undefined) return code;
    if (!args.has("json") && !args.has("quiet")) print(summary(report));
    if (code === 3 || code === 4) printError(`cosimo: ${problemText(report, args.has("debug"))}`);
    if (report.broken && args.has("debug")) printError(report.broken.stack);
    if (report.checkpoint?.time !== undefined && !args.has("quiet"))
      printError(
        `cosimo: the same command with --resume goes on from t=${report.checkpoint.time} (${report.checkpoint.folder})`,
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
    model: args.positionals[0]!,
    trust: args.has("trust"),
    set: args.all("set"),
    clocks: args.all("clock"),
    record: args.all("record").flatMap(splitPatterns),
    debugLogging: args.has("debug"),
    stopOnDivergence: args.has("stop-on-divergence"),
    events: choiceOption(args, "events", ["auto", "off"]),
    executor: choiceOption(args, "executor", ["auto", "interpreter", "machine-code"]),
    ...optional("start", numberOption(args, "start")),
    ...optional("stop", numberOption(args, "stop")),
    ...optional("step", numberOption(args, "step")),
    ...optional("tolerance", numberOption(args, "tolerance")),
    ...optional("input", args.one("input")),
    ...optional("master", args.one("master")),
    ...optional("threads", threadsOption(args)),
    ...optional("realtime", realtimeOption(args)),
    ...optional("logCalls", args.one("log-calls")),
  };
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

/** One of `choices`; the first is the default. */
function choiceOption<Choice extends string>(
  args: ParsedArguments,
  option: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const text = args.one(option) ?? choices[0];
  const found = choices.find((choice) => choice === text);
  if (found) return found;
  const guess = nearest(text, choices);
  throw new UsageError(
    `--${option} is ${choices.join(" or ")}, not '${text}'`,
    guess ? `did you mean ${guess}?` : `omit it, or write --${option} ${choices.at(-1)}`,
  );
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
  return args.one("realtime") === "" ? 1 : positiveOption(args, "realtime");
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
function problemText({ outcome, broken }: RunReport, isWhole: boolean): string {
  if (broken && outcome!.kind !== "aborted") return failureText(broken);
  return explainOutcome(isWhole ? outcome! : withShortLog(outcome!));
}

/** Steps, simulated and wall time, real-time factor, outcome; then the files. */
function summary(report: RunReport): string {
  const outcome = report.outcome!;
  const { execution } = report;
  const begun = report.checkpoint?.resumedAt ?? report.plan?.experiment.start ?? 0;
  const simulated = outcome.time - begun;
  const factor = report.wallSeconds > 0 ? simulated / report.wallSeconds : Number.POSITIVE_INFINITY;
  const lines = [
    `${report.plan?.title ?? "run"}: ${counted(outcome.steps, "step")}, ${formatSeconds(simulated)} simulated in ${formatSeconds(report.wallSeconds)}` +
      ` (${formatFactor(factor)} real time), ${counted(report.rows, "row")}: ${verdict(outcome)}${execution && !execution.master ? ` (${executorText(execution)})` : ""}`,
    ...resumedLine(report.checkpoint),
    ...(report.pace ? [paceLine(report.pace)] : []),
    ...(execution?.interpreted ? [`  interpreter: ${interpretedText(execution.interpreted)}`] : []),
    ...(execution?.master ? [`  master: ${masterText(execution.master)}`] : []),
    ...(execution?.master ? bondTexts(execution.master).map((text) => `  bond ${text}`) : []),
    ...(execution?.master?.notes ?? []).map((note) => `  note: ${note}`),
    ...(execution?.threads ? [`  threads: ${threadsText(execution.threads)}`] : []),
    ...(execution?.profile ? [`  time: ${profileText(execution.profile)}`] : []),
    ...report.files.map((file) => `  ${file}`),
  ];
  if (report.files.length === 0) lines.push(...report.lastValues);
  return lines.join("\n");
}

function resumedLine({ resumedAt, folder }: Partial<CheckpointReport> = {}): string[] {
  return resumedAt === undefined ? [] : [`  resumed at t=${resumedAt} (${folder})`];
}

function paceLine({ factor, points, overruns, worstSeconds }: PaceReport): string {
  const kept = overruns === 0 ? "kept pace" : `late at ${overruns} of ${counted(points, "point")}`;
  return `  real time × ${factor}: ${kept}, at worst ${formatSeconds(worstSeconds)} behind`;
}

function counted(n: number, word: string): string {
  return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
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
