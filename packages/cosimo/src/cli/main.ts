/**
 * The `cosimo` command: finds the command, loads only that one (start-up is part of the user's
 * first minute), turns every ending into an exit code and every mistake into words.
 */
import { DiagnosticsError } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import {
  type Command,
  type CommandEntry,
  type CommandGroup,
  type CommandTable,
  EXIT_CODES,
  type ExitCode,
  helpText,
  parseCommandLine,
  UsageError,
} from "./command.ts";
import { failureJson, type Problem } from "./failure-json.ts";
import { printFindings, reportedFindings } from "./findings.ts";
import { failureText, WorkerBroken, workerFailure } from "./protocol/worker-failure.ts";
import {
  beVerbose,
  hasAnswered,
  outputFailure,
  print,
  printError,
  printJson,
  printVerbose,
  watchStreams,
} from "./terminal.ts";
import { VERSION } from "./version.ts";

const COMMANDS: CommandTable = {
  init: {
    summary: "write a scenario from FMUs: units, connections by name, open inputs",
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
  info: {
    summary: "explain an FMU: what it is, what it can do in a co-simulation",
    load: async () => (await import("./commands/info.ts")).infoCommand,
  },
  validate: {
    summary: "check an FMU against the standard",
    load: async () => (await import("./commands/validate.ts")).validateCommand,
  },
  check: {
    summary: "explain a scenario before it is run: loops, order, needs, plan, picture",
    load: async () => (await import("./commands/check.ts")).checkCommand,
  },
  adapt: {
    summary: "check, explain and format a semantic adaptation (.sa) that makes units fit",
    load: async () => (await import("./commands/adapt.ts")).adaptCommand,
  },
  mci: {
    summary: "write the interface (.mci) of a unit: what its ports mean to others",
    load: async () => (await import("./commands/mci.ts")).mciCommand,
  },
  format: {
    summary: "rewrite adaptations, interfaces, specifications and hints in one style",
    load: async () => (await import("./commands/format.ts")).formatCommand,
  },
  run: {
    summary: "simulate an FMU or a scenario and record the result",
    load: async () => (await import("./commands/run.ts")).runCommand,
  },
  test: {
    summary: "run scenarios and check their requirements and expected traces",
    load: async () => (await import("./commands/test.ts")).testCommand,
  },
  export: {
    summary: "write a scenario as a package (.ssp) that other tools read",
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  plan: {
    summary: "make a correct orchestration algorithm: the order of all calls of units",
    load: async () => (await import("./commands/plan.ts")).planCommand,
  },
  search: {
    summary: "find a master that satisfies what a scenario requires, from hints",
    load: async () => (await import("./commands/search.ts")).searchCommand,
  },
  study: {
    summary: "vary what may vary: many runs in one table, what matters, the best, the calibrated",
    otherwise: {
      summary: "run a study",
      load: async () => (await import("./commands/study.ts")).studyCommand,
    },
    commands: {
      compare: {
        summary: "do two studies say the same? run by run, column by column",
        load: async () => (await import("./commands/study-compare.ts")).studyCompareCommand,
      },
    },
  },
  stability: {
    summary: "is the coupling stable, up to which step, and for every choice of a master?",
    commands: {
      spectral: {
        summary: "with fixed steps: how large may they be, and with which master?",
        load: async () =>
          (await import("./commands/stability-spectral.ts")).stabilitySpectralCommand,
      },
      jsr: {
        summary: "with decisions: is every sequence of them stable? joint spectral radius",
        load: async () => (await import("./commands/stability-jsr.ts")).stabilityJsrCommand,
      },
      stabilize: {
        summary: "with decisions: what must be forbidden so that every sequence is stable? a guard",
        load: async () =>
          (await import("./commands/stability-stabilize.ts")).stabilityStabilizeCommand,
      },
      hybrid: {
        summary: "with two modes: how late may a controller switch, how rarely may it look?",
        load: async () => (await import("./commands/stability-hybrid.ts")).stabilityHybridCommand,
      },
    },
  },
  node: {
    summary: "offer units to runs on other computers, through a NATS server",
    load: async () => (await import("./commands/node.ts")).nodeCommand,
  },
  nodes: {
    summary: "list the nodes of a project: what they offer, health, load, versions",
    load: async () => (await import("./commands/nodes.ts")).nodesCommand,
  },
  watch: {
    summary: "see the values of a run while it goes on, through a NATS server",
    load: async () => (await import("./commands/watch.ts")).watchCommand,
  },
  studio: {
    summary: "draw, check, run and understand scenarios in the browser",
    load: async () => (await import("./commands/studio.ts")).studioCommand,
  },
  "language-server": {
    summary:
      "serve an editor that shows adaptations (.sa), interfaces (.mci), specifications (.mcl) or hints (.hint)",
    load: async () => (await import("./commands/language-server.ts")).languageServerCommand,
  },
  trust: {
    summary: "say in which folders modules may be run without --trust",
    load: async () => (await import("./commands/trust.ts")).trustCommand,
  },
  plot: {
    summary: "draw recorded traces, several runs in one picture",
    load: async () => (await import("./commands/plot.ts")).plotCommand,
  },
  compare: {
    summary: "do two traces say the same? signal by signal, within tolerances",
    load: async () => (await import("./commands/compare.ts")).compareCommand,
  },
  completion: {
    summary: "print what makes bash, zsh or fish complete commands and options",
    load: async () => (await import("./commands/completion.ts")).completionCommand(COMMANDS),
  },
};

/** Every ending of every command: its exit code, or one line about what was thrown. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  const isDebugging = argv.includes("--debug");
  if (argv.includes("--verbose")) beVerbose();
  printVerbose(
    `cosimo ${VERSION}, Node ${process.versions.node}, ${process.platform} ${process.arch}: ${argv.join(" ")}`,
  );
  watchStreams();
  // It comes before the error of a file that grows beyond `ulimit -f`, which says more.
  process.on("SIGXFSZ", () => undefined);
  process.on("uncaughtException", (error) =>
    process.exit(closed(thrown(error, isDebugging), argv)),
  );
  return closed(await endOf(argv, isDebugging), argv);
}

function closed(code: ExitCode, argv: readonly string[]): ExitCode {
  if (code !== 0 && argv.includes("--json") && !hasAnswered()) {
    // In place of an answer: every command that fails without one.
    const diagnostics = reportedFindings();
    printJson({ error: failureJson(code, diagnostics, problem), diagnostics });
  }
  printVerbose(`exit code ${code}: ${EXIT_CODES[code]}`);
  return code;
}

async function endOf(argv: readonly string[], isDebugging: boolean): Promise<ExitCode> {
  try {
    const code = await dispatch(argv);
    const unsaid = await outputFailure();
    return unsaid === undefined ? code : thrown(unsaid, isDebugging);
  } catch (error) {
    return thrown(error, isDebugging);
  }
}

/** Why there is no answer, where nothing says more. */
let problem: Problem | undefined;

/** Says in a line what ended the command before it was done; --debug adds the trace. */
function thrown(error: unknown, isDebugging: boolean): ExitCode {
  if (error instanceof UsageError) return usage(error.message, error.fix);
  if (error instanceof DiagnosticsError) {
    printFindings(error.diagnostics);
    return 1;
  }
  const isWorker = error instanceof WorkerBroken;
  const failure = isWorker ? error.failure : workerFailure(error);
  problem = { message: failureText(failure) };
  printError(`cosimo: ${problem.message}`);
  if (isDebugging) printError(failure.stack);
  if (failure.cause === "ours") return 4;
  return isWorker ? 3 : 1;
}

async function dispatch(argv: readonly string[]): Promise<ExitCode> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    const topic = name === "help" ? rest[0] : undefined;
    if (topic !== undefined && Object.hasOwn(COMMANDS, topic)) return dispatch([...rest, "--help"]);
    print(overview());
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-v") {
    print(VERSION);
    return 0;
  }
  const found = find(argv);
  if ("message" in found) return usage(found.message, found.fix);
  if ("commands" in found) {
    print(groupOverview(name, found));
    return rest.length === 0 ? 2 : 0;
  }
  return runCommand(await found.entry.load(), found.rest);
}

type Found =
  | { readonly entry: CommandEntry; readonly rest: readonly string[] }
  | CommandGroup
  | { readonly message: string; readonly fix: string };

/** A command, one of a group, a group to be explained, or why there is none. */
function find([name = "", ...rest]: readonly string[]): Found {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined) return noCommand(name, Object.keys(COMMANDS), "cosimo");
  if (!("commands" in entry)) return { entry, rest };
  const [second = "", ...others] = rest;
  const member = Object.hasOwn(entry.commands, second) ? entry.commands[second] : undefined;
  if (member === undefined && entry.otherwise !== undefined)
    return { entry: entry.otherwise, rest };
  if (second === "" || second === "--help" || second === "-h") return entry;
  if (member === undefined) return noCommand(second, Object.keys(entry.commands), `cosimo ${name}`);
  return { entry: member, rest: others };
}

function noCommand(
  name: string,
  known: readonly string[],
  before: string,
): { message: string; fix: string } {
  const guess = nearest(name, known);
  return {
    message: before === "cosimo" ? `there is no command '${name}'` : `${before} has no '${name}'`,
    fix: guess ? `did you mean '${before} ${guess}'?` : `see '${before} --help'`,
  };
}

async function runCommand(command: Command, rest: readonly string[]): Promise<ExitCode> {
  const args = parseCommandLine(command, rest);
  if (!args.has("help")) return command.run(args);
  print(helpText(command));
  return 0;
}

function usage(message: string, fix: string): ExitCode {
  problem = { message, fix };
  printError(`cosimo: ${message}\n  fix: ${fix}`);
  return 2;
}

function summaries(entries: Readonly<Record<string, { readonly summary: string }>>): string[] {
  const width = Math.max(...Object.keys(entries).map((name) => name.length)) + 2;
  return Object.entries(entries).map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`);
}

function groupOverview(name: string, { summary, commands }: CommandGroup): string {
  return [
    `cosimo ${name}: ${summary}`,
    "",
    `usage: cosimo ${name} <command> …`,
    "",
    ...summaries(commands),
    "",
    `'cosimo ${name} <command> --help' explains a command.`,
  ].join("\n");
}

function overview(): string {
  return [
    "cosimo: co-simulation you can trust",
    "",
    "usage: cosimo <command> …",
    "",
    ...summaries(COMMANDS),
    "",
    "examples:",
    "  cosimo info model.fmu                          what is this, and what can it do?",
    "  cosimo validate model.fmu --run                does it conform to the standard?",
    "  cosimo run model.fmu --stop 10 --plot out.svg  simulate it and look at the result",
    "",
    "'cosimo <command> --help' explains a command. Exit codes:",
    ...Object.entries(EXIT_CODES).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`),
  ].join("\n");
}
