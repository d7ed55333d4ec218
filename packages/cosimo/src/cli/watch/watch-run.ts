/**
 * Watches a run until it ends, is not heard any more, or the person has seen enough.
 */
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import { globOf } from "../../base/glob.ts";
import {
  type LiveList,
  LiveWatch,
  listenToRuns,
  type WantedRun,
} from "../../host/network/live-watch.ts";
import { NETWORK_DIAGNOSTICS } from "../../host/network/network-diagnostics.ts";
import { DropCount } from "../../platform/nats/drop-count.ts";
import type { NetworkSettings } from "../../platform/nats/network-settings.ts";
import type { ExitCode } from "../command.ts";
import { STOP_CODES, StopRequests } from "../supervisor/stop-signals.ts";
import type { LiveState, LiveView } from "./live-view.ts";

export interface WatchOptions {
  readonly settings: NetworkSettings;
  readonly wanted: WantedRun;
  readonly patterns: readonly string[];
  readonly view: LiveView;
  /** What is said beside the values. */
  readonly note: (line: string) => void;
}

const LOOK_MS = 250;
/** A silence is reported after so long, then whenever it has doubled. */
const FIRST_NOTE_SECONDS = 5;

/** @throws Unreachable, SettingProblem or DiagnosticsError */
export async function watchRun(options: WatchOptions): Promise<ExitCode> {
  const { settings, wanted, patterns, view, note } = options;
  const stop = new StopRequests();
  const drops = new DropCount();
  let settle: (end: ExitCode | Error) => void = () => undefined;
  const ended = new Promise<ExitCode | Error>((resolve) => {
    settle = resolve;
  });
  let heardAt = performance.now();
  let noteAfter = FIRST_NOTE_SECONDS;
  let hasBegun = false;
  const state = (): LiveState | undefined => {
    const { about, address, lost, dropped } = watch;
    return about && address && { address, about, lost, dropped };
  };
  const watch = new LiveWatch(patterns.map(globOf), {
    begin(columns) {
      hasBegun = true;
      const now = state();
      if (columns.length === 0 && patterns.length > 0)
        settle(new DiagnosticsError([noMatch(patterns, watch.names)]));
      else if (now !== undefined) view.begin(columns, now);
    },
    about(about) {
      const now = state();
      if (about.ended !== undefined && now !== undefined) {
        view.end(now);
        settle(0);
      } else if (hasBegun && now !== undefined) view.progress(now);
    },
    picture(picture) {
      const now = state();
      if (now !== undefined) view.picture(picture, now);
    },
    other: ({ run, id, identity }) =>
      note(`another run of '${identity}' has this name: 'cosimo watch ${run}/${id}' shows it`),
    dropped(from, why) {
      const line = drops.add(`'${from}'`, why);
      if (line !== undefined) note(line);
    },
  });
  const line = await listenToRuns(
    settings,
    wanted,
    "*",
    (subject, data) => {
      if (watch.hear(subject, data)) {
        heardAt = performance.now();
        noteAfter = FIRST_NOTE_SECONDS;
      }
    },
    settle,
  );
  const look = setInterval(() => {
    const silent = (performance.now() - heardAt) / 1000;
    const { silenceSeconds } = settings;
    if (silent >= silenceSeconds)
      settle(new DiagnosticsError([silence(wanted.run, silenceSeconds)]));
    else if (silent >= noteAfter) {
      const last =
        watch.address === undefined ? "not heard yet" : `last heard ${Math.floor(silent)} s ago`;
      note(
        `waiting ${noteAfter} s for '${wanted.run}', ${last}; given up after ${silenceSeconds} s`,
      );
      noteAfter *= 2;
    }
  }, LOOK_MS);
  stop.onStop = (signal) => settle(STOP_CODES[signal]);
  // A reader that has seen enough: `| head`.
  const gone = (): void => settle(0);
  process.stdout.once("error", gone);
  try {
    const end = await ended;
    if (end instanceof Error) throw end;
    return end;
  } finally {
    clearInterval(look);
    stop.close();
    process.stdout.off("error", gone);
    await line.close();
  }
}

/** Who is there to be watched. */
export async function listRuns(
  settings: NetworkSettings,
  seconds: number,
  list: LiveList,
): Promise<void> {
  let settle: (problem?: Error) => void = () => undefined;
  const ended = new Promise<Error | undefined>((resolve) => {
    settle = resolve;
  });
  const hear = (subject: string, data: Uint8Array): void => list.hear(subject, data);
  const line = await listenToRuns(settings, { run: "*" }, "about", hear, settle);
  const timer = setTimeout(() => settle(), 1000 * seconds);
  const problem = await ended;
  clearTimeout(timer);
  await line.close();
  if (problem !== undefined) throw problem;
}

function silence(run: string, seconds: number): Diagnostic {
  return diagnose(
    NETWORK_DIAGNOSTICS,
    "watch-silent",
    { run, seconds: String(seconds) },
    { file: run },
  );
}

const MAX_NAMED = 5;

function noMatch(patterns: readonly string[], names: readonly string[]): Diagnostic {
  const more = names.length > MAX_NAMED ? `, … (${names.length} columns)` : "";
  const params = {
    pattern: patterns.join(","),
    columns: names.slice(0, MAX_NAMED).join(", ") + more,
  };
  return diagnose(NETWORK_DIAGNOSTICS, "watch-no-match", params, { file: "--record" });
}
