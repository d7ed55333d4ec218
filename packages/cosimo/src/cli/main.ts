/**
 * The `cosimo` command: finds the command, loads only that one (start-up is part of the user's first minute),
 * turns every ending into an exit code and every mistake into words.
 */
import { DiagnosticsError } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import {
  type Command,
  EXIT_CODES,
  type ExitCode,
  helpText,
  parseCommandLine,
  UsageError,
} from "./command.ts";
import { printFindings } from "./findings.ts";
import { failureText, WorkerBroken, workerFailure } from "./protocol/worker-failure.ts";
import { outputFailure, print, printError, watchStreams } from "./terminal.ts";
import { VERSION } from "./version.ts";

interface Entry {
  readonly summary: string;
  load(): Promise<Command>;
}

/** `cosimo stability jsr …`: commands that share a subject. */
interface Group {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Entry>>;
}

const COMMANDS: Readonly<Record<string, Entry | Group>> = {
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
    summary: "rewrite adaptations, interfaces and specifications in one style",
    load: async () => (await import("./commands/format.ts")).formatCommand,
  },
  run: {
    summary: "simulate an FMU or a scenario and record the result",
    load: async () => (await import("./commands/run.ts")).runCommand,
  },
  export: {
    summary: "write a scenario as a package (.ssp) that other tools read",
    load: async () => (await import("./commands/export.ts")).exportCommand,
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
  "language-server": {
    summary:
      "serve an editor that shows adaptations (.sa), interfaces (.mci) or specifications (.mcl)",
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
};

/** Every ending of every command: its exit code, or one line about what was thrown. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  const isDebugging = argv.includes("--debug");
  watchStreams();
  // It comes before the error of a file that grows beyond `ulimit -f`, which says more.
  process.on("SIGXFSZ", () => undefined);
  process.on("uncaughtException", (error) => process.exit(thrown(error, isDebugging)));
  try {
    const code = await dispatch(argv);
    const unsaid = await outputFailure();
    return unsaid === undefined ? code : thrown(unsaid, isDebugging);
  } catch (error) {
    return thrown(error, isDebugging);
  }
}

/** Says in a line what ended the command before it was done; --debug adds the trace. */
function thrown(error: unknown, isDebugging: boolean): ExitCode {
  if (error instanceof UsageError) return usage(error.message, error.fix);
  if (error instanceof DiagnosticsError) {
    printFindings(error.diagnostics);
    return 1;
  }
  const isWorker = error instanceof WorkerBroken;
  const failure = isWorker ? error.failure : workerFailure(error);
  printError(`cosimo: ${failureText(failure)}`);
  if (isDebugging) printError(failure.stack);
  if (!failure.isSystem) return 4;
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
  | { readonly entry: Entry; readonly rest: readonly string[] }
  | Group
  | { readonly message: string; readonly fix: string };

/** A command, one of a group, a group to be explained, or why there is none. */
function find([name = "", ...rest]: readonly string[]): Found {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined) return noCommand(name, Object.keys(COMMANDS), "cosimo");
  if (!("commands" in entry)) return { entry, rest };
  const [second, ...others] = rest;
  if (second === undefined || second === "--help" || second === "-h") return entry;
  const member = Object.hasOwn(entry.commands, second) ? entry.commands[second] : undefined;
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
  printError(`cosimo: ${message}\n  fix: ${fix}`);
  return 2;
}

function summaries(entries: Readonly<Record<string, { readonly summary: string }>>): string[] {
  const width = Math.max(...Object.keys(entries).map((name) => name.length)) + 2;
  return Object.entries(entries).map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`);
}

function groupOverview(name: string, { summary, commands }: Group): string {
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
    "  cosimo validate model.fmu --run                is it built as the standard says?",
    "  cosimo run model.fmu --stop 10 --plot out.svg  simulate it and look at the result",
    "",
    "'cosimo <command> --help' explains a command. Exit codes:",
    ...Object.entries(EXIT_CODES).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`),
  ].join("\n");
}
