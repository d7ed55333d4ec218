/**
 * The runs of a studio: started, watched, acted upon and kept until they are forgotten. Pages come
 * and go; what they need to know of a run is here.
 */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { append, type Diagnostic } from "../base/diagnostic.ts";
import { present } from "../base/present.ts";
import { createTempFolder, type TempFolder } from "../platform/node/temp-folder.ts";
import type { StudioFolder } from "./folder.ts";
import { RequestRefused } from "./problem.ts";
import type { LogLine, RunChange, RunInfo, RunRequest, RunState } from "./protocol.ts";
import type { RunEvent, StartedRun, StudioServices } from "./services.ts";
import { SignalIndex } from "./signal-index.ts";
import { traceTarget } from "./trace-target.ts";

/** Runs whose rows are kept; the oldest that has ended goes first. */
const MAX_RUNS = 32;
const MAX_GOING = 8;
/** Lines of a run that a page which comes later still gets. */
const MAX_LOG = 2000;
const MAX_DIAGNOSTICS = 1000;

/** What of a run changed. */
export type RunNews =
  | { readonly kind: "run" }
  | { readonly kind: "progress" }
  | { readonly kind: "log"; readonly line: LogLine };

export class StudioRun {
  readonly id: string;
  readonly request: RunRequest;
  readonly began: number;
  index: SignalIndex | undefined;
  private readonly temp: TempFolder;
  private readonly started: StartedRun;
  private readonly listeners = new Set<(news: RunNews) => void>();
  private state: RunState = "starting";
  private readonly log: LogLine[] = [];
  private readonly diagnostics: Diagnostic[] = [];
  private readonly changes: RunChange[] = [];
  private facts: Partial<RunInfo> = {};
  private time: number | undefined;
  private steps = 0;

  constructor(
    request: RunRequest,
    folder: StudioFolder,
    services: StudioServices,
    /** Milliseconds since 1970. */
    now: number,
    /** Absolute paths of the traces to write. */
    out: readonly string[],
  ) {
    this.id = randomBytes(6).toString("hex");
    this.request = request;
    this.began = now;
    const file = folder.existing(request.path);
    this.temp = createTempFolder();
    this.started = services.startRun(
      {
        file,
        options: request.options ?? {},
        out,
        folder: this.temp.path,
        ...present({ text: request.text }),
      },
      (event) => this.hear(event, folder),
    );
  }

  get hasEnded(): boolean {
    return this.state === "ended";
  }

  get isPaused(): boolean {
    return this.state === "paused";
  }

  listen(listener: (news: RunNews) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(news: RunNews): void {
    for (const listener of this.listeners) listener(news);
  }

  private hear(event: RunEvent, folder: StudioFolder): void {
    switch (event.kind) {
      case "plan": {
        const { title, units, columns, experiment, rows } = event;
        this.facts = { ...this.facts, title, units, columns, experiment };
        this.index = new SignalIndex(rows);
        this.state = "running";
        break;
      }
      case "progress":
        this.time = event.time;
        this.steps = event.steps;
        this.tell({ kind: "progress" });
        return;
      case "tunable":
        this.facts = { ...this.facts, tunable: event.names };
        break;
      case "held":
        this.state = event.isHeld ? "paused" : "running";
        this.time = event.time;
        this.steps = event.steps;
        break;
      case "changed": {
        const { time, text, problem } = event;
        if (problem === undefined) this.changes.push({ time, text });
        const message = problem === undefined ? `set ${text}` : `not set: ${text}: ${problem}`;
        this.note({ time, status: problem === undefined ? "ok" : "warning", message });
        break;
      }
      case "times":
        this.facts = { ...this.facts, times: event.times };
        this.tell({ kind: "progress" });
        return;
      case "log":
        this.note(event.line);
        return;
      case "diagnostics":
        this.take(event.diagnostics, folder);
        break;
      case "ended": {
        const { kind: _, diagnostics, files, outcome, ...facts } = event;
        this.diagnostics.length = 0;
        this.take(diagnostics, folder);
        this.state = "ended";
        this.time = outcome?.time ?? this.time;
        this.steps = outcome?.steps ?? this.steps;
        const shown = files.map((file) => folder.shown(file));
        this.facts = { ...this.facts, ...facts, ...present({ outcome }), files: shown };
        break;
      }
    }
    this.tell({ kind: "run" });
  }

  private take(found: readonly Diagnostic[], folder: StudioFolder): void {
    const room = MAX_DIAGNOSTICS - this.diagnostics.length;
    append(
      this.diagnostics,
      found
        .slice(0, Math.max(0, room))
        .map((d) => ({ ...d, place: { ...d.place, file: folder.shown(d.place.file) } })),
    );
  }

  private note(line: LogLine): void {
    const timed = line.time === undefined && this.time !== undefined ? { time: this.time } : {};
    const noted = { ...timed, ...line };
    this.log.push(noted);
    if (this.log.length > MAX_LOG) this.log.shift();
    this.tell({ kind: "log", line: noted });
  }

  info(): RunInfo {
    const { path, options = {} } = this.request;
    return {
      title: path,
      columns: [],
      units: [],
      tunable: [],
      ...this.facts,
      id: this.id,
      path,
      state: this.state,
      options,
      began: this.began,
      steps: this.steps,
      rows: this.index?.rows ?? 0,
      diagnostics: this.diagnostics,
      changes: this.changes,
      log: this.log,
      ...present({ time: this.time }),
    };
  }

  private going(): StartedRun {
    if (this.hasEnded) throw new RequestRefused("run-ended");
    return this.started;
  }

  pause(isPaused: boolean): void {
    this.going().pause(isPaused);
  }

  step(count: number): void {
    const isCount = Number.isSafeInteger(count) && count > 0;
    if (!isCount) throw new RequestRefused("request-wrong", "'steps' is a whole number above 0");
    this.going().step(count);
  }

  set(text: string): void {
    if (typeof text !== "string" || !text.includes("="))
      throw new RequestRefused("request-wrong", "'set' is 'unit.port=value'");
    this.going().set(text);
  }

  stop(): void {
    this.going().stop();
  }

  async save(file: string): Promise<void> {
    if (!this.hasEnded) throw new RequestRefused("run-going");
    const diagnostics = await this.started.save(file);
    const [first] = diagnostics;
    if (first !== undefined) throw new RequestRefused("file-refused", first.message, diagnostics);
  }

  /** Nothing of it is left. */
  forget(): void {
    this.started.kill();
    this.listeners.clear();
    this.temp.remove();
    rmSync(this.temp.path, { recursive: true, force: true });
  }
}

export class RunBook {
  private readonly runs = new Map<string, StudioRun>();
  private readonly folder: StudioFolder;
  private readonly services: StudioServices;
  private readonly now: () => number;
  onStart: (run: StudioRun) => void = () => undefined;
  onForget: (id: string) => void = () => undefined;

  constructor(folder: StudioFolder, services: StudioServices, now: () => number) {
    this.folder = folder;
    this.services = services;
    this.now = now;
  }

  all(): StudioRun[] {
    return [...this.runs.values()];
  }

  find(id: string): StudioRun {
    const run = this.runs.get(id);
    if (run === undefined) throw new RequestRefused("run-unknown", id.slice(0, 40));
    return run;
  }

  start(request: RunRequest): StudioRun {
    const { options, replaces = {} } = request;
    const out = (options?.out ?? []).map((path) =>
      traceTarget(this.folder, path, replaces[path] ?? "*"),
    );
    return this.begin(request, out);
  }

  private begin(request: RunRequest, out: readonly string[]): StudioRun {
    const going = this.all().filter(({ hasEnded }) => !hasEnded).length;
    if (going >= MAX_GOING) throw new RequestRefused("runs-too-many", String(going));
    const run = new StudioRun(request, this.folder, this.services, this.now(), out);
    this.runs.set(run.id, run);
    for (const old of this.all()) {
      if (this.runs.size <= MAX_RUNS) break;
      if (old.hasEnded) this.forget(old.id);
    }
    this.onStart(run);
    return run;
  }

  /**
   * A fault from now on. Faults are part of the plan of a run, so it is stopped and begun again
   * with the fault at this instant: up to there the new run is the old one, row by row.
   */
  inject(id: string, fault: string): StudioRun {
    const run = this.find(id);
    if (typeof fault !== "string" || fault.trim() === "")
      throw new RequestRefused("request-wrong", "'fault' is a fault in one line");
    const { time, changes, experiment } = run.info();
    if (changes.length > 0)
      throw new RequestRefused(
        "request-wrong",
        "values were set while the run went on, which a run that is begun again would not have",
      );
    const isDated = /\s(?:at|on|while)\s/.test(fault);
    const dated = isDated ? fault : datedFault(fault, time ?? experiment?.start ?? 0);
    const { options = {} } = run.request;
    // Its traces are those of the run that it takes the place of.
    const out = (options.out ?? []).map((path) => this.folder.resolve(path));
    const again = { ...options, paused: false, faults: [...(options.faults ?? []), dated] };
    const made = this.begin({ ...run.request, options: again }, out);
    if (!run.hasEnded) run.stop();
    return made;
  }

  forget(id: string): void {
    const run = this.find(id);
    if (!run.hasEnded) throw new RequestRefused("run-going");
    run.forget();
    this.runs.delete(id);
    this.onForget(id);
  }

  close(): void {
    for (const run of this.runs.values()) run.forget();
    this.runs.clear();
  }
}

/** `x stuck 0 for 2 s` acts from `time` on: `x stuck 0 at 3 s for 2 s`. */
function datedFault(fault: string, time: number): string {
  const [, what = fault, until = ""] = /^(.*?)(\s+(?:for|until)\s.*)?$/s.exec(fault.trim()) ?? [];
  return `${what} at ${time} s${until}`;
}
