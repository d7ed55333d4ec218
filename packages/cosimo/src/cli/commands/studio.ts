/**
 * `cosimo studio [folder]`: the page for scenarios, served from this machine to this machine.
 */
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { DiagnosticsError, diagnose, type RulesFor, rulesFrom } from "../../base/diagnostic.ts";
import { userTrust } from "../../host/trust.ts";
import type { StudioServer } from "../../serve/server.ts";
import { type Command, type ParsedArguments, TRUST, UsageError } from "../command.ts";
import { studioPageFolder } from "../studio/page-folder.ts";
import { STOP_CODES, StopRequests, type StopSignal } from "../supervisor/stop-signals.ts";
import { print, printError, printJson } from "../terminal.ts";

interface StudioParams {
  "studio-folder": { path: string };
  "studio-port": { port: number; reason: string };
}

export const STUDIO_DIAGNOSTICS: RulesFor<StudioParams> = rulesFrom<StudioParams>({
  "studio-folder": {
    rule: "The studio works on a folder that exists.",
    message: ({ path }) => `'${path}' is not a folder`,
    fix: "name a folder, or omit it to work on the present one",
  },
  "studio-port": {
    rule: "The port that the studio is to use is free.",
    message: ({ port, reason }) => `the port ${port} cannot be used: ${reason}`,
    fix: "end what uses it, choose another with --port, or omit --port for any that is free",
  },
});

export const studioCommand: Command = {
  name: "studio",
  summary: "Draw, check, run and understand scenarios in the browser.",
  usage: "cosimo studio [folder] [--port <n>] [--no-open] [--trust] [--json]",
  details:
    "Serves a page that works directly on the files of the folder and opens it in the default browser. It listens on loopback only, and\n" +
    "only pages with the token of the printed link are answered; nothing outside of the folder is served or written. Runs are processes of\n" +
    "their own: they go on when the page is closed, and end with this command. Ctrl-C ends it.",
  arguments: [
    { name: "[folder]", help: "the folder to work on (default: the present one)", optional: true },
  ],
  options: {
    "--port <n>": "listen here (default: any port that is free)",
    "--no-open": "do not open a browser; the link is printed in any case",
    ...TRUST,
    "--json": "print link, port and folder as JSON, in one line",
  },
  examples: {
    "cosimo studio": "the scenarios of this folder",
    "cosimo studio examples --trust": "with modules that are programs",
    "cosimo studio models --port 8123 --no-open": "on a port that a tunnel leads to",
  },
  async run(args) {
    const folder = resolve(args.positionals[0] ?? ".");
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new DiagnosticsError([
        diagnose(STUDIO_DIAGNOSTICS, "studio-folder", { path: folder }, { file: folder }),
      ]);
    const stop = new StopRequests();
    const stopped = new Promise<StopSignal>((done) => {
      stop.onStop = done;
    });
    const server = await started(folder, args);
    try {
      say(server, folder, args);
      return STOP_CODES[await stopped];
    } finally {
      await server.close();
      stop.close();
    }
  },
};

async function started(folder: string, args: ParsedArguments): Promise<StudioServer> {
  const port = portOption(args);
  const [{ startStudio }, { studioServices }] = await Promise.all([
    import("../../serve/server.ts"),
    import("../studio/services.ts"),
  ]);
  try {
    return await startStudio({
      folder,
      port,
      trust: userTrust(args.has("trust")),
      services: studioServices(args.has("trust")),
      page: studioPageFolder(),
      now: Date.now,
      onFailure: (error) =>
        printError(`cosimo: ${error instanceof Error ? (error.stack ?? error.message) : error}`),
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: "another program uses it",
      EACCES: "the system reserves it",
    };
    const reason = reasons[code ?? ""];
    if (reason === undefined) throw error;
    const finding = diagnose(
      STUDIO_DIAGNOSTICS,
      "studio-port",
      { port, reason },
      { file: "--port" },
    );
    throw Object.assign(new DiagnosticsError([finding]), { cause: message });
  }
}

function portOption(args: ParsedArguments): number {
  const port = args.number("port") ?? 0;
  if (Number.isInteger(port) && port >= 0 && port < 65536) return port;
  throw new UsageError("--port wants a whole number below 65536", "for instance --port 8123");
}

function say({ link, port, hasPage }: StudioServer, folder: string, args: ParsedArguments): void {
  if (args.has("json")) printJson({ link, port, folder, hasPage });
  else print(`${basename(folder) || folder}: ${link}\nCtrl-C ends it`);
  if (!hasPage) printError("cosimo: the page is not built; only the interface is served");
  if (!args.has("no-open") && hasPage) openBrowser(link);
}

/** The default browser; where there is none, the link is on the terminal. */
function openBrowser(link: string): void {
  const [command, ...before] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", ""]
        : ["xdg-open"];
  const child = spawn(command as string, [...before, link], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
