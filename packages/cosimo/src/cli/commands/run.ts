/**
 * `cosimo run model.fmu`: simulate one FMU, record it, plot it.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticsError, hasErrors } from "../../base/diagnostic.ts";
import { explainOutcome, type Outcome } from "../../base/outcome.ts";
import { present } from "../../base/present.ts";
import type { PaceReport } from "../../engine/pacer.ts";
import type { LivePublisher } from "../../host/network/live-publisher.ts";
import type { IsolationChoice } from "../../host/sources/source.ts";
import {
  FMI_INTERFACES,
  INTEGRATION_METHODS,
  type IntegratorOptions,
} from "../../model/integrator.ts";
import { ISOLATIONS, UNTRUSTED_CALL_SECONDS } from "../../model/isolation.ts";
import { MASTER_NAMES } from "../../model/masters.ts";
import { TRACE_ENDINGS } from "../../record/formats.ts";
import { splitPatterns } from "../../record/trace-select.ts";
import { jsonVerdict, verdictText } from "../../requirements/verdict-text.ts";
import { LOCK } from "../checkpoint/checkpoint-files.ts";
import { checkpointRequest } from "../checkpoint/checkpoint-options.ts";
import {
  anyOf,
  type Command,
  checkFormats,
  type ExitCode,
  type ParsedArguments,
  STDIO,
  TRUST,
  UsageError,
} from "../command.ts";
import { failureJson, type Problem } from "../failure-json.ts";
import { FAULT_OPTIONS } from "../fault-options.ts";
import { counted, printFindings } from "../findings.ts";
import { requiredNetwork, SERVER, useNetwork } from "../network-options.ts";
import { PLOT_ENDINGS } from "../plot-file.ts";
import type { RunJob } from "../protocol/protocol.ts";
import { failureText } from "../protocol/worker-failure.ts";
import { modelPath } from "../read-file.ts";
import { executionTexts, executorText } from "../supervisor/execution-text.ts";
import { STOP_CODES } from "../supervisor/stop-signals.ts";
import {
  type CheckpointReport,
  type RunReport,
  superviseRun,
} from "../supervisor/supervise-run.ts";
import { withShortLog } from "../supervisor/unit-log.ts";
import { checkWritable } from "../supervisor/write-outputs.ts";
import { hasAnswered, print, printError, printJson } from "../terminal.ts";

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
      help: "an FMU (FMI 1.0, 2.0 or 3.0, packed or unpacked), a scenario.yaml, an .ssp or .ssd,\na folder with a scenario.yaml, a state machine (.machine.yaml) or an adaptation (.sa);\n- is a scenario.yaml on standard input, whose paths start at the working folder",
    },
  ],
  options: {
    "--start <s>": "start time; times are in seconds, or have a unit: --stop '5 min'",
    "--stop <s>": "stop time",
    "--step <s>": "communication step",
    "--tolerance <x>": "relative tolerance for the FMU's solver",
    "--interface <name>": `drive the FMU through ${anyOf(FMI_INTERFACES)} (default: co-simulation where it is offered)`,
    "--method <name>": `how a Model Exchange FMU is integrated: ${anyOf(INTEGRATION_METHODS)}\n(default: auto, explicit until the equations prove stiff)`,
    "--set <name=value>...":
      "set a parameter, an input or a start value (repeatable), with a unit if you like: --set 'v=5 km/h'\narrays: --set 'A=1,2,3,4' or --set 'A[1,2]=5'",
    ...FAULT_OPTIONS,
    "--input <file.csv>":
      "input signals over time: a 'time' column and one column per input\ncontinuous inputs are interpolated, discrete ones held, two rows at one time are an event",
    "--clock <name=s>...":
      "interval of an input clock that the FMU leaves open (FMI 3, repeatable)",
    "--record <patterns>...":
      "what to record, comma-separated, * and ? match any text (default: the outputs)",
    "-o, --out <file>...": `write the trace: ${anyOf(TRACE_ENDINGS)} (repeatable); - is CSV on standard output`,
    "--plot <file>...": `draw the trace: ${anyOf(PLOT_ENDINGS)} (repeatable)`,
    "--master <name>": `${anyOf(MASTER_NAMES)}, in place of what the scenario says`,
    "--events <auto|off>": "off: leave events to the FMU itself instead of event mode (FMI 3)",
    "--stop-on-divergence":
      "end the run where its signals diverge, and record the rate at which they grow (master.growth)",
    "--require": "exit with code 1 where a requirement of the scenario is violated",
    "--stop-on-violation":
      "end the run where a requirement is violated whatever comes; exit with code 1",
    "--log-calls <file>": "write every FMI call with its arguments and status",
    "--debug":
      "turn on the FMU's own debug logging, print all of its messages in full, and show the trace of an internal error",
    "--executor <name>":
      "interpreter or machine-code; both give the same trace (default: the faster one that works)",
    "--threads <n|auto>":
      "step heavy FMUs on up to n threads (auto: all cores); the trace is the same",
    "--parallel <auto|off>":
      "off: under event-driven, wait for units in processes of their own (--isolate) one by one;\nby default they are under way at the same time, with the same trace",
    "--distributed":
      "under event-driven, let units on nodes exchange values directly, without this computer in between;\nit observes and records, and the trace is the same",
    "--profile": "say what part of the time each unit took, of a run below 0.1 s too",
    "--realtime [factor]": "keep pace with the wall clock; --realtime=10 is ten times faster",
    "--checkpoint <when>...":
      "store the state of the run from time to time, so that --resume can continue it\n" +
      "every=60s: simulated time, wall=60s: time on the clock (ms, s, min, h)\n" +
      "dir=folder: where (default: beside the first --out), replay=off|1GB: bound for logs of units\n" +
      "that cannot save their state",
    "--resume":
      "continue an interrupted run from its last checkpoint; the trace is that of an uninterrupted run",
    "--isolate [kind]":
      "give every unit a process of its own: a crash, an exit or a hang of one is its own\n--isolate=sandbox: without network and other files (Linux, needs bubblewrap)",
    "--untrusted": `put every unit into a sandbox, whatever the scenario says; a call may take ${UNTRUSTED_CALL_SECONDS} s,\nand no module is run`,
    "--publish [name]":
      "let 'cosimo watch' see the values while the run goes on, through --server, which does not slow it\n(default name: that of the scenario)",
    ...SERVER,
    ...TRUST,
    "--timeout <s>": "give up when the run takes longer than this (wall clock)",
    "--json": "print the summary as JSON",
    "-q, --quiet": "no progress, no summary, no notes: errors and warnings only",
  },
  values: {
    master: MASTER_NAMES,
    executor: ["interpreter", "machine-code"],
    parallel: ["auto", "off"],
    interface: FMI_INTERFACES,
    method: INTEGRATION_METHODS,
    isolate: ISOLATIONS,
  },
  examples: {
    "cosimo run scenario.yaml --master gauss-seidel --plot run.html":
      "couple the units of a scenario; ports are called unit.port in --set and --record",
    "cosimo run scenario.yaml -o run.csv --checkpoint every=60s":
      "a long run that survives a crash: the same command with --resume continues it",
    "cosimo run scenario.yaml --fault 'motor.speed stuck 0 at 3 s' -o run.csv":
      "what happens if a sensor breaks? The trace has a column per fault",
    "cosimo run supplier.fmu --untrusted -o run.csv":
      "an FMU that you do not trust: no network, no files but its own, no call longer than 10 s",
    "cosimo run scenario.yaml --require":
      "check what the scenario requires of its signals: code 1 where something is violated",
    "cosimo run scenario.yaml --distributed --server nats://hub:4222 -o run.csv":
      "units on nodes of several suppliers exchange values directly; this computer records",
    "cosimo run scenario.yaml --realtime --publish=lift --server nats://hub:4222":
      "others see its values with 'cosimo watch lift', as long as it runs",
    "cosimo run BouncingBall.fmu --plot ball.svg":
      "simulate the default experiment and draw the outputs",
    "cosimo run VanDerPol.fmu --stop 20 --step 0.01 --set mu=5 -o vdp.csv":
      "another parameter, other times, results for a spreadsheet",
    "cosimo run - --stop '5 min' -o - < scenario.yaml | gzip > run.csv.gz":
      "in a pipe: a scenario on standard input, the trace on standard output",
    "cosimo run Reactor.fmu --interface model-exchange --method radau --tolerance 1e-8":
      "integrate the equations of a stiff FMU with an implicit method",
    "cosimo run Motor.fmu --input torque.csv --record 'w,i*' -o run.parquet":
      "drive an input from a file, record some variables, read them with pandas",
  },
  async run(args) {
    useNetwork(args);
    const out = args.all("out");
    const plot = args.all("plot");
    checkFormats(out, TRACE_ENDINGS, "--out", true);
    checkFormats(plot, PLOT_ENDINGS, "--plot");
    const isPiped = out.includes(STDIO);
    if (isPiped && args.has("json"))
      throw new UsageError(
        "-o - and --json both write to standard output",
        "give the trace a file: -o run.csv",
      );
    const results = [...out, ...plot].filter((file) => file !== STDIO);
    const checkpoint = checkpointRequest(args.all("checkpoint"), args.has("resume"), results);
    if (checkpoint && args.has("stop-on-violation"))
      throw new UsageError(
        "--stop-on-violation cannot be used with --checkpoint and --resume",
        "omit one of them; a run that is resumed is checked when it has ended",
      );
    const kept = checkpoint ? [lockOrFolder(checkpoint.folder)] : [];
    const unwritable = checkWritable([...results, ...args.all("log-calls"), ...kept]);
    if (unwritable.length > 0) throw new DiagnosticsError(unwritable);
    const live = args.has("publish") ? await publish(args) : undefined;
    const report = await superviseRun(
      { ...jobOf(args), ...present({ checkpoint }) },
      {
        out,
        plot,
        showProgress: !args.has("quiet"),
        ...present({ timeoutSeconds: args.positive("timeout"), live }),
      },
    ).finally(() => live?.end("aborted"));
    printFindings(
      args.has("quiet")
        ? report.diagnostics.filter(({ severity }) => severity !== "note")
        : report.diagnostics,
    );
    const code = exitCode(report, args.has("require") || args.has("stop-on-violation"));
    if (args.has("json")) printJson(jsonReport(report, code));
    if (report.outcome === undefined) return code;
    const { outcome } = report;
    if (args.has("require") && report.verdicts.length === 0)
      printError("cosimo: --require: nothing is required here, so nothing was checked");
    if (!args.has("json") && !args.has("quiet"))
      (isPiped ? printError : print)(summary(report, outcome, args.has("profile")));
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

/** Where the run is seen while it goes on. */
async function publish(args: ParsedArguments): Promise<LivePublisher> {
  const settings = requiredNetwork(args);
  const { publishRun } = await import("../watch/publish-run.ts");
  return publishRun(settings, modelPath(args.first), args.one("publish"), (line) => {
    if (!args.has("quiet")) printError(`cosimo: ${line}`);
  });
}

/** What a run with checkpoints writes first: into its folder where it is, else beside it. */
function lockOrFolder(folder: string): string {
  return existsSync(folder) ? join(folder, LOCK) : folder;
}

function jobOf(args: ParsedArguments): Omit<RunJob, "folder"> {
  return {
    kind: "run",
    model: modelPath(args.first),
    trust: args.has("trust"),
    ...present({ isolation: isolationOption(args) }),
    set: args.all("set"),
    faults: args.all("fault"),
    faultFiles: args.all("faults"),
    clocks: args.all("clock"),
    record: args.all("record").flatMap(splitPatterns),
    debugLogging: args.has("debug"),
    stopOnDivergence: args.has("stop-on-divergence"),
    stopOnViolation: args.has("stop-on-violation"),
    events: args.choice("events", ["auto", "off"]),
    executor: args.choice("executor", ["auto", "interpreter", "machine-code"]),
    profile: args.has("profile"),
    ...present({
      interface: optionalChoice(args, "interface", FMI_INTERFACES),
      integrator: integratorOption(args),
      start: args.number("start"),
      stop: args.number("stop"),
      step: args.number("step"),
      tolerance: args.number("tolerance"),
      input: args.one("input"),
      master: args.one("master"),
      threads: threadsOption(args),
      isDistributed: args.has("distributed") ? true : undefined,
      parallel: args.choice("parallel", ["auto", "off"]) === "off" ? ("off" as const) : undefined,
      realtime: realtimeOption(args),
      logCalls: args.one("log-calls"),
    }),
  };
}

function optionalChoice<Name extends string>(
  args: ParsedArguments,
  option: string,
  names: readonly [Name, ...Name[]],
): Name | undefined {
  return args.has(option) ? args.choice(option, names) : undefined;
}

function integratorOption(args: ParsedArguments): IntegratorOptions | undefined {
  const method = optionalChoice(args, "method", INTEGRATION_METHODS);
  return method && { method };
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

/** `--isolate` alone is a process each. */
function isolationOption(args: ParsedArguments): IsolationChoice | undefined {
  if (args.has("untrusted")) {
    if (args.has("trust"))
      throw new UsageError("--untrusted and --trust contradict each other", "omit one of them");
    return { kind: "sandbox", isForced: true };
  }
  if (!args.has("isolate")) return undefined;
  const kind = ISOLATIONS.find((one) => one === (args.one("isolate") || "process"));
  if (kind !== undefined) return { kind };
  throw new UsageError(
    `--isolate is ${anyOf(ISOLATIONS)}`,
    "for instance --isolate, or --isolate=sandbox",
  );
}

/** `--realtime` alone is factor 1. */
function realtimeOption(args: ParsedArguments): number | undefined {
  if (!args.has("realtime")) return undefined;
  return args.one("realtime") === "" ? 1 : args.positive("realtime");
}

function exitCode(report: RunReport, isRequired: boolean): ExitCode {
  if (report.broken) return report.broken.cause === "ours" ? 4 : 3;
  switch (report.outcome?.kind) {
    case "completed":
    case "stopped-by-unit":
      return hasErrors(report.diagnostics) || (isRequired && isViolated(report)) ? 1 : 0;
    case "violated":
      return 1;
    case "cancelled":
      return STOP_CODES[report.stoppedBy ?? "SIGINT"];
    case undefined:
      return 1;
    default:
      return 3;
  }
}

function isViolated({ verdicts }: RunReport): boolean {
  return verdicts.some(({ state }) => state === "violated");
}

/** Why it is not done: the ending, or what failed in our own process after it. */
function problemText({ broken }: RunReport, outcome: Outcome, isWhole: boolean): string {
  if (broken && outcome.kind !== "aborted") return failureText(broken);
  return explainOutcome(isWhole ? outcome : withShortLog(outcome));
}

/** Absent where a diagnostic says it. */
function failureProblem(report: RunReport): Problem | undefined {
  const { outcome, diagnostics } = report;
  if (outcome === undefined || hasErrors(diagnostics)) return undefined;
  if (outcome.kind !== "completed") return { message: problemText(report, outcome, false) };
  const violated = report.verdicts.filter(({ state }) => state === "violated").map(verdictText);
  return violated.length === 0 ? undefined : { message: violated.join("; ") };
}

/** Steps, simulated and wall time, real-time factor, outcome; then the files. */
function summary(report: RunReport, outcome: Outcome, isProfiled: boolean): string {
  const { execution, plan, rows, wallSeconds, pace, files, verdicts } = report;
  const begun = report.checkpoint?.resumedAt ?? plan?.experiment.start ?? 0;
  const simulated = outcome.time - begun;
  const factor = wallSeconds > 0 ? simulated / wallSeconds : Number.POSITIVE_INFINITY;
  const isDecided = execution?.master !== undefined && execution.executor === "interpreter";
  const executor = execution && !isDecided ? ` (${executorText(execution)})` : "";
  return [
    `${plan?.title ?? "run"}: ${counted(outcome.steps, "step")}, ${formatSeconds(simulated)} simulated in ${formatSeconds(wallSeconds)}` +
      ` (${formatFactor(factor)} real time), ${counted(rows, "row")}: ${verdict(outcome)}${executor}`,
    ...resumedLine(report.checkpoint),
    ...(pace ? [paceLine(pace)] : []),
    ...(execution ? executionTexts(execution, wallSeconds, isProfiled) : []).map(
      (text) => `  ${text}`,
    ),
    ...verdicts.map((one) => `  ${verdictText(one)}`),
    ...files.map((file) => `  ${file}`),
    ...(files.length === 0 && !hasAnswered() ? report.lastValues : []),
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

function jsonReport(report: RunReport, code: ExitCode): unknown {
  return {
    ...(code !== 0 && { error: failureJson(code, report.diagnostics, failureProblem(report)) }),
    outcome: report.outcome ?? { kind: "rejected" },
    experiment: report.plan?.experiment,
    columns: report.plan?.columns.map((column) => column.name),
    rows: report.rows,
    wallSeconds: report.wallSeconds,
    pace: report.pace,
    ...report.execution,
    checkpoint: report.checkpoint,
    ...(report.verdicts.length > 0 && { requirements: report.verdicts.map(jsonVerdict) }),
    files: report.files,
    diagnostics: report.diagnostics,
  };
}
