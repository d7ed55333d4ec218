/**
 * Watches a run that shows itself: takes what comes of one run, the newest picture of it and
 * nothing else. What comes is a stranger's word: what makes no sense is counted and dropped, and
 * whatever comes, no more is kept than one run has.
 */
import { errorText } from "../../base/error-text.ts";
import type { Glob } from "../../base/glob.ts";
import { connectNats, Unreachable } from "../../platform/nats/connect.ts";
import type { NetworkSettings } from "../../platform/nats/network-settings.ts";
import { type LiveAddress, liveAddressOf, liveSubject } from "../../platform/nats/subjects.ts";
import type { ColumnData } from "../../record/trace.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import { Nonsense } from "../../remote/protocol.ts";
import {
  type LiveAbout,
  type LiveColumn,
  type LiveRows,
  PAGE_COLUMNS,
  takeAbout,
  takeColumns,
  takeRows,
} from "./live-messages.ts";

/** Which run is meant; without an id the first one of this name. */
export interface WantedRun {
  readonly run: string;
  readonly id?: string | undefined;
}

/** The columns that were chosen, in their order. */
export interface LivePicture {
  readonly row: number;
  readonly chunk: TraceChunk;
}

export interface WatchEvents {
  /** All names are known; values may come. */
  readonly begin?: (columns: readonly LiveColumn[]) => void;
  readonly about?: (about: LiveAbout) => void;
  readonly picture?: (picture: LivePicture) => void;
  /** Another run of this name. */
  readonly other?: (address: LiveAddress) => void;
  /** A message made no sense. */
  readonly dropped?: (from: string, why: string) => void;
}

/** A server that lets us in, and does not let us listen. */
const REFUSED = "let the user subscribe to cosimo.<project>.live.> (deploy/nats-server.conf)";

/**
 * Listens to runs. @param topic `about` for all there are, `*` for everything of one.
 * @throws Unreachable or SettingProblem
 */
export async function listenToRuns(
  settings: NetworkSettings,
  { run, id }: WantedRun,
  topic: "about" | "*",
  hear: (subject: string, data: Uint8Array) => void,
  refused: (error: Unreachable) => void,
): Promise<{ close(): Promise<void> }> {
  const { project, identity } = settings;
  const connection = await connectNats(settings, `cosimo watch ${run}`);
  const subject = liveSubject(project, { identity: "*", run, id: id ?? "*" }, topic);
  connection.subscribe(subject, {
    callback(error, message) {
      if (error === null) hear(message.subject, message.data);
      else if (!connection.isClosed())
        refused(
          new Unreachable(
            `the server does not let '${identity}' watch (${errorText(error)})`,
            REFUSED,
          ),
        );
    },
  });
  return { close: () => connection.close() };
}

export class LiveWatch {
  /** The one that is watched, once it was heard. */
  address: LiveAddress | undefined;
  about: LiveAbout | undefined;
  /** Pictures that were not seen. */
  lost = 0;
  /** Messages that made no sense. */
  dropped = 0;
  private readonly events: WatchEvents;
  private readonly globs: readonly Glob[];
  private readonly columns: LiveColumn[] = [];
  private known = 0;
  /** Numbers of the columns that were chosen; undefined until all names are known. */
  private chosen: readonly number[] | undefined;
  private pages: ReadonlySet<number> = new Set();
  private last: number | undefined;
  private parts: LiveRows[] = [];
  private hasToldOther = false;

  /** @param globs which columns; none: all. */
  constructor(globs: readonly Glob[], events: WatchEvents) {
    this.globs = globs;
    this.events = events;
  }

  /** How many columns and values are kept. */
  get kept(): number {
    const values = this.parts.map(({ chunk }) => chunk.time.length * (1 + chunk.data.length));
    return this.columns.length + values.reduce((sum, count) => sum + count, 0);
  }

  /** Of all columns, as far as they are known. */
  get names(): readonly string[] {
    return this.columns.map(({ name }) => name);
  }

  /** @returns whether it was the run that is watched. */
  hear(subject: string, data: Uint8Array): boolean {
    const address = liveAddressOf(subject);
    try {
      if (address === undefined) throw new Nonsense("its subject says nothing about a run");
      const about = address.topic === "about" ? takeAbout(data) : undefined;
      this.address ??= about && address;
      const { address: ours } = this;
      if (ours === undefined) return false;
      if (address.id !== ours.id || address.identity !== ours.identity) {
        if (!this.hasToldOther) this.events.other?.(address);
        this.hasToldOther = true;
        return false;
      }
      if (about !== undefined) this.takeAbout(about);
      else if (address.topic === "columns") this.takeColumns(data);
      else this.takeRows(data);
      return true;
    } catch (error) {
      if (!(error instanceof Nonsense)) throw error;
      this.dropped++;
      this.events.dropped?.(address?.identity ?? subject, error.message);
      return false;
    }
  }

  private takeAbout(about: LiveAbout): void {
    if (this.about !== undefined && about.columns !== this.about.columns)
      throw new Nonsense("it has another number of columns than before");
    this.about = about;
    this.events.about?.(about);
    if (about.columns === 0) this.choose();
  }

  private takeColumns(data: Uint8Array): void {
    const { first, columns } = takeColumns(data);
    if (this.about === undefined || this.chosen !== undefined) return;
    const all = this.about.columns;
    if (columns.length !== Math.min(PAGE_COLUMNS, all - first))
      throw new Nonsense("it has other columns than the run");
    for (const [c, column] of columns.entries()) {
      if (this.columns[first + c] === undefined) this.known++;
      this.columns[first + c] = column;
    }
    if (this.known === all) this.choose();
  }

  private choose(): void {
    if (this.chosen !== undefined) return;
    const { globs } = this;
    this.chosen = this.columns.flatMap(({ name }, c) =>
      globs.length === 0 || globs.some((glob) => glob.test(name)) ? [c] : [],
    );
    this.pages = new Set(this.chosen.map(pageOf));
    this.events.begin?.(this.chosen.map((c) => this.columns[c] as LiveColumn));
  }

  private takeRows(data: Uint8Array): void {
    const { chosen } = this;
    if (chosen === undefined) return;
    const rows = takeRows(data, (c) => this.columns[c]);
    const [begun] = this.parts;
    const isNewer = begun === undefined || rows.picture !== begun.picture;
    if (isNewer) this.parts = [];
    else if (rows.row !== begun.row || rows.chunk.time.length !== begun.chunk.time.length)
      throw new Nonsense("it does not fit the other part of its rows");
    if (chosen.length > 0 && !this.pages.has(rows.first)) return;
    if (this.parts.some(({ first }) => first === rows.first)) throw new Nonsense("it comes twice");
    this.parts.push(rows);
    if (this.parts.length < Math.max(1, this.pages.size)) return;
    // Those that came in parts count as well.
    if (this.last !== undefined) this.lost += Math.max(0, rows.picture - this.last - 1);
    this.last = rows.picture;
    const byPage = new Map(this.parts.map((part) => [part.first, part.chunk]));
    const columns = chosen.map((c): ColumnData => {
      const found = byPage.get(pageOf(c))?.data[c - pageOf(c)];
      if (found === undefined) throw new Nonsense("a column is missing in its rows");
      return found;
    });
    this.events.picture?.({ row: rows.row, chunk: { time: rows.chunk.time, data: columns } });
  }
}

const pageOf = (column: number): number => column - (column % PAGE_COLUMNS);

/** Runs that are heard, for the list of them. */
export class LiveList {
  dropped = 0;
  private readonly runs = new Map<string, LiveRun>();

  get all(): readonly LiveRun[] {
    return [...this.runs.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  hear(subject: string, data: Uint8Array): void {
    const address = liveAddressOf(subject);
    try {
      if (address === undefined) throw new Nonsense("its subject says nothing about a run");
      const { identity, run, id } = address;
      const about = takeAbout(data);
      if (this.runs.size >= MAX_LISTED && !this.runs.has(keyOf(address)))
        throw new Nonsense("too many runs");
      this.runs.set(keyOf(address), { identity, run, id, about });
    } catch (error) {
      if (!(error instanceof Nonsense)) throw error;
      this.dropped++;
    }
  }
}

export interface LiveRun extends LiveAddress {
  readonly about: LiveAbout;
}

const MAX_LISTED = 10_000;

const keyOf = ({ identity, run, id }: LiveAddress): string => `${run} ${id} ${identity}`;
