/**
 * Shows a run to watchers while it goes on: from time to time the newest rows, as they lie in the
 * spool by then. Nothing waits for a watcher: there is one picture on its way at most, and rows
 * that come meanwhile are not shown. So neither the run nor the memory of this process depends on
 * the network, on the server or on who watches.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../base/error-text.ts";
import { present } from "../../base/present.ts";
import { connectNats, type NatsConnection } from "../../platform/nats/connect.ts";
import type { NetworkSettings } from "../../platform/nats/network-settings.ts";
import { type LiveAddress, type LiveTopic, liveSubject } from "../../platform/nats/subjects.ts";
import type { ColumnInfo } from "../../record/trace.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import { MAX_COLUMNS, mostRows, putAbout, putColumns, putRows } from "./live-messages.ts";

/** Pictures per second at most. */
const PICTURE_MS = 66;
/** They take at most one part in so many of the time of this process. */
const IDLE_PARTS = 8;
/** How often the run is announced to late watchers; a sign of life, too. */
const ABOUT_MS = 1000;
/** Pages of names that are sent together; those of more columns take turns. */
const PAGES_AT_ONCE = 4;
/** At the end of the run, for what is still on its way. */
const LAST_MS = 2000;

/** What there is to be seen of a run. */
export interface LiveSource {
  readonly title: string;
  readonly start: number;
  readonly stop: number;
  readonly columns: readonly ColumnInfo[];
  count(): number;
  /** @returns undefined where they are not there any more. */
  read(first: number, rows: number): TraceChunk | undefined;
}

/** As far as live values need one. */
export type LiveWire = Pick<NatsConnection, "publish" | "flush" | "close">;

export interface PublisherOptions {
  readonly settings: Pick<NetworkSettings, "project" | "identity">;
  /** The name of the run. */
  readonly run: string;
  /** Of Cosimo. */
  readonly version: string;
  /** For what keeps watchers from seeing anything. */
  readonly say: (problem: string) => void;
  readonly clock?: () => number;
}

export class LivePublisher {
  readonly address: LiveAddress;
  private readonly wire: LiveWire;
  private readonly options: PublisherOptions;
  private readonly clock: () => number;
  private readonly problems = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private source: LiveSource | undefined;
  private names: readonly Uint8Array[] = [];
  private nextNames = 0;
  private steps = 0;
  private time = 0;
  private rows = 0;
  private picture = 0;
  private isOver = false;
  private hasSent = false;
  private isUnderWay = false;
  private nextPicture = 0;
  private nextAbout = 0;

  constructor(wire: LiveWire, options: PublisherOptions) {
    this.wire = wire;
    this.options = options;
    this.clock = options.clock ?? (() => performance.now());
    const { settings, run } = options;
    this.address = { identity: settings.identity, run, id: randomBytes(4).toString("hex") };
  }

  /** @throws Unreachable or SettingProblem */
  static async open(
    settings: NetworkSettings,
    options: Omit<PublisherOptions, "settings">,
  ): Promise<LivePublisher> {
    const connection = await connectNats(settings, `cosimo run ${options.run}`);
    const publisher = new LivePublisher(connection, { ...options, settings });
    void publisher.listen(connection);
    return publisher;
  }

  /** The run begins: from here on it is seen. */
  begin(source: LiveSource): void {
    this.source = source;
    this.time = source.start;
    this.names = putColumns(source.columns);
    const { columns } = source;
    if (columns.length > MAX_COLUMNS)
      this.report(
        `the first ${MAX_COLUMNS} of ${columns.length} columns are seen; record fewer (--record)`,
      );
    this.timer = setInterval(() => this.tick(), PICTURE_MS);
    this.timer.unref();
    this.tick();
  }

  progress(steps: number): void {
    this.steps = steps;
  }

  /** Sends what is new, unless the last picture is still on its way. */
  tick(): void {
    const began = this.clock();
    if (this.isUnderWay || began < this.nextPicture) return;
    if (this.source !== undefined) this.show(this.source, began);
    if (!this.hasSent) return;
    this.hasSent = false;
    this.isUnderWay = true;
    const arrived = (): void => {
      this.isUnderWay = false;
    };
    // Lost on the way is lost: the next picture is newer.
    this.wire.flush().then(arrived, arrived);
    const ended = this.clock();
    this.nextPicture = ended + IDLE_PARTS * (ended - began);
  }

  /** The run is over: its last rows, and how it ended. @param ended the kind of its outcome. */
  async end(ended: string): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.timer);
    if (this.source !== undefined) this.show(this.source, Number.POSITIVE_INFINITY, ended);
    const last = new AbortController();
    const bound = sleep(LAST_MS, undefined, { signal: last.signal });
    await Promise.race([this.wire.flush(), bound]).catch(() => undefined);
    last.abort();
    await bound.catch(() => undefined);
    await this.wire.close();
  }

  private show(source: LiveSource, now: number, ended?: string): void {
    try {
      const rows = source.count();
      const chunk = rows > 0 && rows !== this.rows ? this.newest(source, rows) : undefined;
      this.time = chunk?.time.at(-1) ?? this.time;
      if (now >= this.nextAbout) {
        this.nextAbout = now + ABOUT_MS;
        this.sayAbout(source, rows);
        const pages = Math.min(this.names.length, PAGES_AT_ONCE);
        for (let i = 0; i < pages; i++) {
          const page = this.names[this.nextNames++ % this.names.length];
          if (page !== undefined) this.publish("columns", page);
        }
      }
      if (chunk !== undefined) {
        this.rows = rows;
        const about = { picture: ++this.picture, row: rows - chunk.time.length };
        for (const page of putRows(source.columns, about, chunk)) this.publish("rows", page);
      }
      if (ended !== undefined) this.sayAbout(source, rows, ended);
    } catch (error) {
      this.report(errorText(error));
    }
  }

  private newest(source: LiveSource, rows: number): TraceChunk | undefined {
    // After a restart from a checkpoint there may be fewer.
    const fresh = rows > this.rows ? rows - this.rows : rows;
    const count = Math.min(fresh, mostRows(source.columns.length));
    return source.read(rows - count, count);
  }

  private sayAbout(source: LiveSource, rows: number, ended?: string): void {
    const { title, start, stop, columns } = source;
    const { time, steps } = this;
    const { version } = this.options;
    const about = { title, version, start, stop, time, steps, rows, ...present({ ended }) };
    const shown = Math.min(columns.length, MAX_COLUMNS);
    this.publish("about", putAbout({ ...about, columns: shown }));
  }

  private publish(topic: LiveTopic, data: Uint8Array): void {
    const { settings } = this.options;
    this.wire.publish(liveSubject(settings.project, this.address, topic), data);
    this.hasSent = true;
  }

  private async listen(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status())
      if (status.type === "error" && /permissions violation/i.test(errorText(status.error)))
        this.report(`the server does not let '${this.address.identity}' publish them`);
  }

  /** Each once. */
  private report(problem: string): void {
    if (this.problems.has(problem)) return;
    this.problems.add(problem);
    this.options.say(`live values: ${problem}`);
  }
}
