/**
 * What pages see of runs while they go on. Every message stands for itself and a page that is slow
 * gets fewer of them: nothing is queued beyond a bound, so neither the server's memory nor the run
 * depends on who looks.
 */
import { watch } from "node:fs";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { RawData, WebSocket } from "ws";
import { present } from "../base/present.ts";
import { encodeColumns } from "./columns.ts";
import { jsonText } from "./http.ts";
import { defineDerived } from "./plot-sources.ts";
import { RequestRefused } from "./problem.ts";
import {
  type LiveMessage,
  type LiveRequest,
  type LogLine,
  STUDIO_PROTOCOL,
  type StabilityJob,
} from "./protocol.ts";
import type { RunBook, RunNews, StudioRun } from "./runs.ts";
import type { Query } from "./signal-index.ts";

/** Pictures per second at most. */
const FRAME_MS = 66;
/**
 * Pictures take at most one part in so many of the time: on a busy machine there are fewer, and the
 * run has the rest.
 */
const IDLE_PARTS = 8;
/** Bytes that may wait for a page before it gets no more pictures. */
const MAX_WAITING = 1 << 20;
/** And before it is given up. */
const MAX_BUFFERED = 16 << 20;
const MAX_PLOTS = 64;
const MAX_SIGNALS = 256;
const MAX_VALUES = 20_000;
const MAX_REQUEST = 1 << 20;
const QUIET_MS = 300;
const WAIT_MS = 10;

type Watch = Extract<LiveRequest, { kind: "watch" }>;

export class LiveHub {
  private readonly pages = new Set<LivePage>();
  private readonly book: RunBook;
  private readonly watcher: { close(): void } | undefined;

  /** @param root the folder whose changes pages receive. */
  constructor(book: RunBook, root: string) {
    this.book = book;
    book.onStart = (run) => this.follow(run);
    book.onForget = (run) => {
      for (const page of this.pages) page.forget(run);
    };
    this.watcher = this.watchFolder(root);
  }

  add(socket: WebSocket): void {
    const page = new LivePage(socket, this.book);
    this.pages.add(page);
    socket.on("close", () => {
      page.close();
      this.pages.delete(page);
    });
    page.say({
      kind: "hello",
      protocol: STUDIO_PROTOCOL,
      runs: this.book.all().map((run) => run.info()),
    });
  }

  /** A job goes on, or has ended. */
  stability(job: StabilityJob): void {
    for (const page of this.pages) page.say({ kind: "stability", job });
  }

  private follow(run: StudioRun): void {
    for (const page of this.pages) page.say({ kind: "run", run: run.info() });
    run.listen((news) => {
      for (const page of this.pages) page.hear(run, news);
    });
  }

  /** Changes are told together: saving one file is several events. */
  private watchFolder(root: string): { close(): void } | undefined {
    const changed = new Set<string>();
    const tell = (): void => {
      const paths = [...changed];
      changed.clear();
      for (const page of this.pages) page.say({ kind: "files", paths });
    };
    try {
      const watcher = watch(root, { recursive: true, persistent: false }, (_, name) => {
        if (name === null || /(?:^|[\\/])(?:\.|node_modules)|\.part$/.test(name)) return;
        if (changed.size === 0) setTimeout(tell, QUIET_MS).unref();
        changed.add(name.replaceAll("\\", "/"));
      });
      // A folder that can no longer be watched is still served.
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.watcher?.close();
    for (const page of this.pages) page.end();
  }
}

class LivePage {
  private readonly socket: WebSocket;
  private readonly book: RunBook;
  private readonly plots = new Map<string, Watch>();
  private readonly values = new Map<string, readonly string[]>();
  /** Of runs: something is new since the last picture. */
  private readonly dirty = new Set<string>();
  private readonly lines = new Map<string, LogLine[]>();
  private readonly timer: NodeJS.Timeout;
  private isDrawing = false;
  private nextDraw = 0;

  constructor(socket: WebSocket, book: RunBook) {
    this.socket = socket;
    this.book = book;
    socket.on("message", (data) => this.request(data));
    socket.on("error", () => socket.terminate());
    this.timer = setInterval(() => void this.draw(), FRAME_MS);
  }

  close(): void {
    clearInterval(this.timer);
  }

  end(): void {
    this.close();
    this.socket.terminate();
  }

  say(message: LiveMessage): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    // A page that does not read is gone; it comes back and is told how things are.
    if (this.socket.bufferedAmount > MAX_BUFFERED) this.end();
    else this.socket.send(jsonText(message));
  }

  forget(run: string): void {
    this.dirty.delete(run);
    this.say({ kind: "forgotten", run });
  }

  hear(run: StudioRun, news: RunNews): void {
    this.dirty.add(run.id);
    if (news.kind === "run") {
      // Its log has the lines that wait.
      this.lines.delete(run.id);
      this.say({ kind: "run", run: run.info() });
    } else if (news.kind === "log") {
      const lines = this.lines.get(run.id) ?? [];
      if (lines.length < MAX_LINES) lines.push(news.line);
      this.lines.set(run.id, lines);
    }
  }

  private request(data: RawData): void {
    try {
      const text = data.toString();
      if (text.length > MAX_REQUEST) throw new RequestRefused("body-too-large", "1 MB");
      this.take(JSON.parse(text) as LiveRequest);
    } catch (error) {
      const refused =
        error instanceof RequestRefused
          ? error
          : new RequestRefused("request-wrong", "the message is not a request");
      this.say({ kind: "problem", problem: refused.problem });
    }
  }

  private take(request: LiveRequest): void {
    const run = this.book.find(String(request.run));
    this.dirty.add(run.id);
    switch (request.kind) {
      case "watch": {
        const isSound =
          Number.isSafeInteger(request.plot) &&
          Array.isArray(request.signals) &&
          request.signals.length <= MAX_SIGNALS &&
          this.plots.size < MAX_PLOTS;
        if (!isSound) throw new RequestRefused("request-wrong", "there is too much to watch");
        this.plots.set(`${run.id} ${request.plot}`, request);
        break;
      }
      case "unwatch":
        this.plots.delete(`${run.id} ${request.plot}`);
        break;
      case "values":
        if (!Array.isArray(request.signals) || request.signals.length > MAX_VALUES)
          throw new RequestRefused("request-wrong", "there are too many values");
        this.values.set(run.id, request.signals);
        break;
      default:
        throw new RequestRefused("request-wrong", "the message is not a request");
    }
  }

  /** One picture of everything that is watched and new, unless the last one is still on its way. */
  private async draw(): Promise<void> {
    const began = performance.now();
    if (this.isDrawing || this.dirty.size === 0 || began < this.nextDraw) return;
    if (this.isBehind()) return;
    this.isDrawing = true;
    try {
      const news = [...this.dirty];
      this.dirty.clear();
      for (const id of news) await this.drawRun(id);
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
    } finally {
      this.isDrawing = false;
      const ended = performance.now();
      this.nextDraw = ended + IDLE_PARTS * (ended - began);
    }
  }

  private isBehind(): boolean {
    const { readyState, OPEN, bufferedAmount } = this.socket;
    return readyState === OPEN && bufferedAmount > MAX_WAITING;
  }

  private async drawRun(id: string): Promise<void> {
    const run = this.book.find(id);
    const lines = this.lines.get(id) ?? [];
    this.lines.delete(id);
    if (lines.length > 0) this.say({ kind: "log", run: id, lines });
    const { index } = run;
    if (index === undefined) return;
    const { time, steps, rows, times, columns } = run.info();
    if (time !== undefined)
      this.say({ kind: "progress", run: id, time, steps, rows, ...present({ times }) });
    const wanted = this.values.get(id) ?? [];
    if (wanted.length > 0 && rows > 0) {
      const values = index.newest(wanted);
      this.say({ kind: "values", run: id, time: index.timeAt(rows - 1), values });
    }
    for (const watched of this.plots.values()) {
      if (watched.run !== id) continue;
      const { plot, signals, points, from, to, last } = watched;
      const query: Query = { of: id, plot, signals, points, ...present({ from, to, last }) };
      // A page that reads slowly gets each plot when there is room for it, as it is then.
      while (this.isBehind()) await sleep(WAIT_MS);
      try {
        defineDerived({ index, columns }, signals);
      } catch (error) {
        // One that is wrong is not drawn; the page was told when it was made.
        if (error instanceof RequestRefused) continue;
        throw error;
      }
      await index.prepare(signals, nextTurn);
      if (this.socket.readyState === this.socket.OPEN)
        this.socket.send(encodeColumns(index.query(query)));
    }
  }
}

/** Lines that a page gets at once; those beyond are in the run's own log. */
const MAX_LINES = 500;
