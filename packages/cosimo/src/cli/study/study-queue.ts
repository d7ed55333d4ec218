/**
 * Workers on other computers: runs go into a queue on a NATS server, from which nodes take them as
 * they have time (work-node.ts). Nodes may come, go and die at any moment. A run may be made twice;
 * its row is counted once, because only rows of runs that are outstanding here count, and a row is
 * taken off the queue when it is in the journal. What is outstanding and nowhere on the server is
 * ordered again.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import { errorText } from "../../base/error-text.ts";
import { NETWORK_DIAGNOSTICS } from "../../host/network/network-diagnostics.ts";
import { connectNats, type NatsConnection } from "../../platform/nats/connect.ts";
import type { NetworkSettings } from "../../platform/nats/network-settings.ts";
import { EVERY_IDENTITY, inboxOf, workSubjectsOf } from "../../platform/nats/subjects.ts";
import {
  createQueue,
  isEmpty,
  type JsMsg,
  removeAbandoned,
  type StudyAddress,
  type WorkQueue,
} from "../../platform/nats/work-queue.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { VERSION } from "../version.ts";
import type { PreparedStudy } from "./prepare-study.ts";
import type { StudyWorkers } from "./study-pool.ts";
import { isCompleted, type StudyRow, type StudyRun, traceName } from "./study-protocol.ts";
import { fetchBytes, fetchFile, packStudy, sendStudy } from "./work-files.ts";
import {
  type FromWorkNode,
  packCall,
  packRun,
  ROOT_MARK,
  takeBeat,
  takeFromNode,
} from "./work-protocol.ts";

export interface QueueOptions {
  readonly settings: NetworkSettings;
  /** Where traces go, if they are kept. */
  readonly traces: string | undefined;
  /** Something that a person may want to know. */
  readonly onNotice: (text: string) => void;
}

/** Runs on the server and at workers. */
const MOST_AHEAD = 1000;
const CALL_MS = 1000;
const RETRY_MS = 500;
/** Without a worker for so long, a note is printed; then after twice as long. */
const FIRST_NOTICE_SECONDS = 5;
const FAREWELL_MS = 3000;

interface Ordered {
  readonly run: StudyRun;
  attempt: number;
  /** Its row is being written. */
  isTaken: boolean;
}

interface Turn {
  readonly source: Iterator<StudyRun>;
  readonly onRow: (row: StudyRow) => void;
  isDry: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

export class QueueWorkers implements StudyWorkers {
  private readonly options: QueueOptions;
  private readonly address: StudyAddress;
  private readonly connection: NatsConnection;
  private readonly queue: Awaited<ReturnType<typeof createQueue>>;
  private readonly columns: number;
  private readonly root: string;
  private readonly file: string;
  private readonly call: { readonly manifest: string; readonly manifestBytes: number };
  private readonly outstanding = new Map<number, Ordered>();
  /** When each worker was heard. */
  private readonly workers = new Map<string, number>();
  private readonly refusals = new Map<string, string>();
  private turn: Turn | undefined;
  private isStopping = false;
  private isClosed = false;
  private heard = performance.now();
  private waitingSince: number | undefined;
  private nextNotice = FIRST_NOTICE_SECONDS;
  private readonly timers: NodeJS.Timeout[];

  /** @throws UsageError, Unreachable, SettingProblem */
  static async start(prepared: PreparedStudy, options: QueueOptions): Promise<QueueWorkers> {
    const packed = packStudy(prepared);
    const { settings } = options;
    const { project, identity, silenceSeconds } = settings;
    const address = { project, identity, token: randomBytes(16).toString("hex") };
    const connection = await connectNats(settings, `cosimo study ${prepared.study.name}`, {
      inbox: inboxOf(settings),
    });
    try {
      const queue = await createQueue(connection, address, silenceSeconds);
      try {
        const manifest = await sendStudy(packed, queue.files);
        const call = { manifest, manifestBytes: packed.manifest.length };
        return new QueueWorkers(prepared, options, address, connection, queue, call, packed.root);
      } catch (error) {
        await queue.remove();
        throw error;
      }
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private constructor(
    { columns, job }: PreparedStudy,
    options: QueueOptions,
    address: StudyAddress,
    connection: NatsConnection,
    queue: Awaited<ReturnType<typeof createQueue>>,
    call: { readonly manifest: string; readonly manifestBytes: number },
    root: string,
  ) {
    this.options = options;
    this.address = address;
    this.connection = connection;
    this.queue = queue;
    this.call = call;
    this.root = root;
    this.file = job.study;
    this.columns = columns.length;
    connection.subscribe(queue.subjects.worker, {
      callback: (error, { data }) => {
        if (error === null) this.hearWorker(data);
      },
    });
    // Studies of the same identity that are there say so every second.
    const others = new Set([address.token]);
    const { project, identity } = address;
    const heard = connection.subscribe(
      workSubjectsOf({ project, identity }, EVERY_IDENTITY).study,
      {
        callback: (_, { subject }) => void others.add(subject.slice(subject.lastIndexOf(".") + 1)),
      },
    );
    const sweep = setTimeout(() => {
      heard.unsubscribe();
      // What cannot be removed is in nobody's way.
      removeAbandoned(queue, address, (token) => others.has(token)).catch(() => undefined);
    }, 5 * CALL_MS);
    this.timers = [
      sweep,
      setInterval(() => this.look(), CALL_MS),
      setInterval(() => void this.reconcile(), 1000 * options.settings.silenceSeconds),
    ];
    this.say(false);
    void this.hear();
  }

  run(runs: Iterable<StudyRun>, onRow: (row: StudyRow) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.turn = { source: runs[Symbol.iterator](), onRow, isDry: false, resolve, reject };
      this.feed();
    });
  }

  stop(): void {
    this.isStopping = true;
    this.say(true);
    this.settle();
  }

  async close(): Promise<void> {
    this.isStopping = true;
    this.isClosed = true;
    for (const timer of this.timers) clearInterval(timer);
    this.say(true);
    // The server may be gone, and nobody there to take leave of.
    const left = this.queue
      .remove()
      .then(() => this.connection.drain())
      .catch(() => undefined);
    await Promise.race([left, sleep(FAREWELL_MS, undefined, { ref: false })]);
    await this.connection.close();
  }

  // ---- runs ----------------------------------------------------------------------------------

  private feed(): void {
    const { turn } = this;
    while (turn !== undefined && !turn.isDry && !this.isStopping) {
      if (this.outstanding.size >= MOST_AHEAD) break;
      const { done, value } = turn.source.next();
      if (done === true) turn.isDry = true;
      else {
        const ordered = { run: value, attempt: 0, isTaken: false };
        this.outstanding.set(value.run, ordered);
        void this.order(ordered);
      }
    }
    this.settle();
  }

  private async order(ordered: Ordered): Promise<void> {
    const { run, attempt } = ordered;
    const { subjects, client } = this.queue;
    const data = packRun(run);
    const msgID = `${this.address.token}.${run.run}.${attempt}`;
    const begun = performance.now();
    const isWanted = (): boolean =>
      !this.isStopping && this.outstanding.get(run.run) === ordered && ordered.attempt === attempt;
    while (isWanted()) {
      try {
        await client.publish(subjects.runs, data, { msgID });
        return;
      } catch (error) {
        if (performance.now() - begun > 1000 * this.options.settings.silenceSeconds)
          this.fail(this.lost(errorText(error)));
        await sleep(RETRY_MS);
      }
    }
  }

  private settle(): void {
    const { turn } = this;
    if (turn === undefined) return;
    const isDone = turn.isDry && this.outstanding.size === 0;
    if (!isDone && !this.isStopping) return;
    this.turn = undefined;
    turn.resolve();
  }

  private fail(error: unknown): void {
    const { turn } = this;
    this.turn = undefined;
    this.isStopping = true;
    turn?.reject(error);
  }

  private lost(why: string): DiagnosticsError {
    const message = `the queue of the study at ${this.options.settings.servers.join(", ")} is lost (${why})`;
    const fix = "what was run is in the journal: --resume goes on when the server is there";
    const place = { file: this.file };
    return new DiagnosticsError([
      diagnose(NETWORK_DIAGNOSTICS, "remote-unreachable", { message, fix }, place),
    ]);
  }

  // ---- rows ----------------------------------------------------------------------------------

  private async hear(): Promise<void> {
    let why = "its streams are gone";
    try {
      const messages = await this.queue.consumer.consume({
        max_messages: MOST_AHEAD,
        abort_on_missing_resource: true,
      });
      for await (const message of messages) {
        if (this.isClosed) return;
        this.heard = performance.now();
        await this.take(message);
      }
    } catch (error) {
      why = errorText(error);
    }
    if (!this.isStopping) this.fail(this.lost(why));
  }

  private async take(message: JsMsg): Promise<void> {
    let said: Exclude<FromWorkNode, { readonly kind: "stored" }>;
    try {
      said = await this.read(message.data);
    } catch (error) {
      if (!(error instanceof Nonsense)) {
        // The server is being started again: the answer stays there.
        message.nak(RETRY_MS);
        return;
      }
      // The run is ordered again when nothing else is heard of it.
      this.options.onNotice(`a worker says what makes no sense: ${error.message}`);
      message.term();
      return;
    }
    const number = said.kind === "row" ? said.row.run : said.run;
    const ordered = this.outstanding.get(number);
    if (ordered === undefined || ordered.isTaken) {
      message.ack();
      return;
    }
    if (said.kind === "back") {
      this.again(ordered);
      message.ack();
      return;
    }
    if (said.row.values.length !== this.columns) {
      this.options.onNotice(`a worker's row of run ${number} has not the columns of the study`);
      message.term();
      return;
    }
    ordered.isTaken = true;
    if (!(await this.takeTrace(said, number))) {
      ordered.isTaken = false;
      message.term();
      this.again(ordered);
      return;
    }
    this.outstanding.delete(number);
    const { reason, ...row } = said.row;
    try {
      this.turn?.onRow({
        ...row,
        // Ours, whatever the worker says.
        point: ordered.run.point,
        ...(reason !== undefined && { reason: reason.replaceAll(ROOT_MARK, this.root) }),
      });
    } catch (error) {
      this.fail(error);
      return;
    }
    message.ack();
    this.feed();
  }

  /** @throws Nonsense */
  private async read(
    data: Uint8Array,
  ): Promise<Exclude<FromWorkNode, { readonly kind: "stored" }>> {
    const said = takeFromNode(data);
    if (said.kind !== "stored") return said;
    const { files } = this.queue;
    const inner = takeFromNode(await fetchBytes(files, said.answer));
    if (inner.kind === "stored") throw new Nonsense("an answer inside an answer");
    await files.delete(said.answer.path);
    return inner;
  }

  /** @returns whether it is there, if the run has to have one. */
  private async takeTrace(
    { row, trace }: Extract<FromWorkNode, { readonly kind: "row" }>,
    run: number,
  ): Promise<boolean> {
    const { traces, onNotice } = this.options;
    if (traces === undefined || !isCompleted(row)) return true;
    if (trace === undefined) return false;
    try {
      const path = join(traces, traceName(run));
      await fetchFile(this.queue.files, trace, path, trace.path);
      await this.queue.files.delete(trace.path);
      return true;
    } catch (error) {
      onNotice(`the trace of run ${run} was not taken: ${errorText(error)}`);
      return false;
    }
  }

  private again(ordered: Ordered): void {
    ordered.attempt++;
    void this.order(ordered);
  }

  /**
   * Whatever was lost on the way, by a server or a worker: what is outstanding and nowhere is
   * ordered again.
   */
  private async reconcile(): Promise<void> {
    const quiet = performance.now() - this.heard;
    if (this.isStopping || this.turn === undefined || this.outstanding.size === 0) return;
    if (quiet < 1000 * this.options.settings.silenceSeconds) return;
    try {
      if (!(await isEmpty(this.queue as WorkQueue, this.address))) return;
    } catch {
      // No server: the next time.
      return;
    }
    for (const ordered of this.outstanding.values()) if (!ordered.isTaken) this.again(ordered);
  }

  // ---- workers -------------------------------------------------------------------------------

  private say(isOver: boolean): void {
    if (this.connection.isClosed()) return;
    const { silenceSeconds } = this.options.settings;
    const data = packCall({ version: VERSION, ...this.call, silenceSeconds, isOver });
    this.connection.publish(this.queue.subjects.study, data);
  }

  private hearWorker(data: Uint8Array): void {
    try {
      const { worker, refused, hasLeft } = takeBeat(data);
      if (refused !== undefined && !this.refusals.has(worker)) {
        this.refusals.set(worker, refused);
        this.options.onNotice(`the worker '${worker}' does nothing for this study: ${refused}`);
      }
      if (hasLeft || refused !== undefined) this.workers.delete(worker);
      else this.workers.set(worker, performance.now());
    } catch (error) {
      if (!(error instanceof Nonsense)) throw error;
    }
  }

  /** Calls for workers, and says when there are none. */
  private look(): void {
    if (!this.isStopping) this.say(false);
    const now = performance.now();
    const { silenceSeconds, servers, project } = this.options.settings;
    for (const [worker, at] of this.workers)
      if (now - at > 1000 * silenceSeconds) this.workers.delete(worker);
    if (this.workers.size > 0 || this.turn === undefined || this.isStopping) {
      this.waitingSince = undefined;
      this.nextNotice = FIRST_NOTICE_SECONDS;
      return;
    }
    this.waitingSince ??= now;
    const seconds = Math.round((now - this.waitingSince) / 1000);
    if (seconds < this.nextNotice) return;
    this.nextNotice *= 2;
    const where = servers.join(", ");
    this.options.onNotice(
      `waiting ${seconds} s for a worker (project '${project}' at ${where}): start one with 'cosimo node --work --server ${where}'`,
    );
  }
}
