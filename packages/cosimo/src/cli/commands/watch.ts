/**
 * `cosimo watch`: the values of a run on another computer, or in another terminal, while it goes
 * on.
 */
import { DiagnosticsError } from "../../base/diagnostic.ts";
import { LiveList, type LiveRun, type WantedRun } from "../../host/network/live-watch.ts";
import { networkDiagnostic } from "../../host/network/remote-units.ts";
import { isToken, type NetworkSettings } from "../../platform/nats/network-settings.ts";
import { splitPatterns } from "../../record/trace-select.ts";
import { type Command, type ExitCode, type ParsedArguments, UsageError } from "../command.ts";
import { counted } from "../findings.ts";
import { NETWORK_OPTIONS, requiredNetwork } from "../network-options.ts";
import { print, printError, printJson } from "../terminal.ts";
import {
  csvView,
  jsonView,
  type LiveView,
  lineView,
  stateText,
  tableView,
} from "../watch/live-view.ts";
import { listRuns, watchRun } from "../watch/watch-run.ts";

/** Runs say what they are every second. */
const LISTEN_SECONDS = 2.5;

export const watchCommand: Command = {
  name: "watch",
  summary: "See the values of a run while it goes on; without a name: which runs can be seen.",
  usage: "cosimo watch [<run>] --server <url> [options]",
  details:
    "Shows runs that were started with 'cosimo run … --publish': the newest values, up to 15 times a second, as a table on a terminal,\n" +
    "a line per row elsewhere. A run does not wait for those who watch: rows between two pictures, and pictures that a slow terminal or\n" +
    "network did not take, are not seen. A watcher needs to subscribe at the server, and nothing else.\n" +
    "Exit code 0 when the run has ended, however it did, 1 when it is not heard for --silence.",
  arguments: [
    {
      name: "<run>",
      help: "the run's name, or name/id where several have it; without it, runs are listed (code 1: there is none)",
      optional: true,
    },
  ],
  options: {
    "--record <patterns>...":
      "what is shown, comma-separated, * and ? match any text (default: all that the run records)",
    "--csv": "print the rows that are seen as CSV, as 'cosimo run -o' writes them",
    "--wait <s>": `without a name: how long to listen (default: ${LISTEN_SECONDS})`,
    ...NETWORK_OPTIONS,
    "--json": "print an object a line: what runs, rows, how it ended; without a name, the list",
    "-q, --quiet": "no notes beside the values",
  },
  examples: {
    "cosimo watch --server nats://hub:4222": "which runs can be seen?",
    "cosimo watch lift --server nats://hub:4222": "a table of its values, until it ends",
    "cosimo watch lift --record 'motor.*' --csv > seen.csv": "some of them, for a spreadsheet",
  },
  async run(args) {
    if (args.has("csv") && args.has("json"))
      throw new UsageError("--csv and --json do not go together", "keep one of them");
    const settings = requiredNetwork(args);
    try {
      return args.first === "" ? await list(args, settings) : await watchOne(args, settings);
    } catch (error) {
      const found = networkDiagnostic(error, { file: settings.servers.join(", ") });
      throw found === undefined ? error : new DiagnosticsError([found]);
    }
  },
};

async function watchOne(args: ParsedArguments, settings: NetworkSettings): Promise<ExitCode> {
  if (args.has("wait"))
    throw new UsageError("--wait goes without the name of a run", "--silence bounds the waiting");
  const isQuiet = args.has("quiet");
  return watchRun({
    settings,
    wanted: wantedRun(args.first),
    patterns: args.all("record").flatMap(splitPatterns),
    view: viewOf(args),
    note: (line) => {
      if (!isQuiet) printError(`cosimo: ${line}`);
    },
  });
}

function wantedRun(text: string): WantedRun {
  const [, run = "", id] = /^([^/]*)(?:\/([0-9a-f]{8}))?$/.exec(text) ?? [];
  if (isToken(run)) return { run, id };
  throw new UsageError(
    `'${text}' cannot be the name of a run`,
    "'cosimo watch' lists runs; for instance cosimo watch lift, or lift/0123abcd",
  );
}

function viewOf(args: ParsedArguments): LiveView {
  if (args.has("csv")) return csvView();
  if (args.has("json")) return jsonView();
  return process.stdout.isTTY ? tableView(process.stdout) : lineView();
}

async function list(args: ParsedArguments, settings: NetworkSettings): Promise<ExitCode> {
  for (const option of ["csv", "record"])
    if (args.has(option))
      throw new UsageError(`--${option} wants the name of a run`, "for instance cosimo watch lift");
  const runs = new LiveList();
  await listRuns(settings, args.positive("wait") ?? LISTEN_SECONDS, runs);
  const { project } = settings;
  if (runs.dropped > 0)
    printError(`cosimo: ${counted(runs.dropped, "message")} that made no sense`);
  if (args.has("json")) printJson({ project, runs: runs.all.map(listed) });
  else if (runs.all.length > 0) print(runs.all.map(page).join("\n"));
  if (runs.all.length > 0) return 0;
  printError(`cosimo: no run of the project '${project}' can be watched`);
  return 1;
}

function listed({ run, id, identity, about }: LiveRun): object {
  return { run, id, identity, ...about };
}

function page({ about, ...address }: LiveRun): string {
  const text = stateText({ address, about, lost: 0, dropped: 0 });
  return `${text}, ${counted(about.columns, "column")}: ${about.title}`;
}
