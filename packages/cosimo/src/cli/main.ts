/**
 * The `cosimo` command: finds the command, loads only that one (start-up is part of the user's first minute),
 * turns every ending into an exit code and every mistake into words.
 */
import { DiagnosticsError, formatDiagnostic } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { type Command, type ExitCode, helpText, parseCommandLine, UsageError } from "./command.ts";
import { VERSION } from "./version.ts";

const COMMANDS: Readonly<Record<string, { readonly summary: string; load(): Promise<Command> }>> = {
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
  run: {
    summary: "simulate an FMU or a scenario and record the result",
    load: async () => (await import("./commands/run.ts")).runCommand,
  },
  export: {
    summary: "write a scenario as a package (.ssp) that other tools read",
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  plot: {
    summary: "draw recorded traces, several runs in one picture",
    load: async () => (await import("./commands/plot.ts")).plotCommand,
  },
};

export async function main(argv: readonly string[]): Promise<ExitCode> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    const asked = name === "help" ? rest[0] : undefined;
    if (asked !== undefined && COMMANDS[asked]) return main([asked, "--help"]);
    console.log(overview());
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-v") {
    console.log(VERSION);
    return 0;
  }
  const entry = COMMANDS[name];
  if (!entry) {
    const guess = nearest(name, Object.keys(COMMANDS));
    return usage(
      `there is no command '${name}'`,
      guess ? `did you mean 'cosimo ${guess}'?` : "see 'cosimo --help'",
    );
  }
  const command = await entry.load();
  try {
    const args = parseCommandLine(command.spec, rest);
    if (args.has("help")) {
      console.log(helpText(command.spec));
      return 0;
    }
    return await command.run(args);
  } catch (error) {
    if (error instanceof UsageError) return usage(error.message, error.fix);
    if (error instanceof DiagnosticsError) {
      for (const diagnostic of error.diagnostics) console.error(formatDiagnostic(diagnostic));
      return 1;
    }
    throw error;
  }
}

function usage(message: string, fix: string): ExitCode {
  console.error(`cosimo: ${message}\n  fix: ${fix}`);
  return 2;
}

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2;
  return [
    "cosimo: co-simulation you can trust",
    "",
    "usage: cosimo <command> …",
    "",
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`),
    "",
    "examples:",
    "  cosimo info model.fmu                          what is this, and what can it do?",
    "  cosimo validate model.fmu --run                is it built as the standard says?",
    "  cosimo run model.fmu --stop 10 --plot out.svg  simulate it and look at the result",
    "",
    "'cosimo <command> --help' explains a command. Exit codes: 0 done, 1 the input is wrong, 2 usage, 3 the simulation failed.",
  ].join("\n");
}
