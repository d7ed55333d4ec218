/**
 * A worker for studies of others: hears which studies have runs, fetches what one of them is made
 * of, and makes runs in processes of its own until the study is over, its command is no longer
 * heard, or the node ends. It works on one study at a time.
 *
 * A run that it has taken is its own as long as it says so; one that it cannot make goes back. It
 * takes a run off the queue when the server has its row, so that a node that dies costs nothing but
 * time.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../base/error-text.ts";
import { fileDigest } from "../../host/sources/recorded-files.ts";
import type { IsolationChoice } from "../../host/sources/source.ts";
import { parseStudy } from "../../lang/study/parse-study.ts";
import { connectNats, type Msg, type NatsConnection } from "../../platform/nats/connect.ts";
import { isToken, type NetworkSettings } from "../../platform/nats/network-settings.ts";
import { EVERY_IDENTITY, inboxOf, workSubjectsOf } from "../../platform/nats/subjects.ts";
import {
  type JsMsg,
  joinQueue,
  type StudyAddress,
  type WorkQueue,
} from "../../platform/nats/work-queue.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { WorkerBroken } from "../protocol/worker-failure.ts";
import { ProcessPool } from "./study-pool.ts";
import { isCompleted, type StudyJob, type StudyRow, traceName } from "./study-protocol.ts";
import { FileCache, fetchFile, piecesOf } from "./work-files.ts";
import {
  type FromWorkNode,
  type Manifest,
  type ManifestFile,
  packBeat,
  packFromNode,
  ROOT_MARK,
  type StudyCall,
  takeCall,
  takeManifest,
  takeRun,
} from "./work-protocol.ts";

export interface WorkNodeOptions {
  readonly name: string;
  readonly settings: NetworkSettings;
  /** Identities whose studies are run; undefined: all. */
  readonly allow: ReadonlySet<string> | undefined;
  readonly jobs: number;
  /** For files of studies; removed with the node. */
  readonly folder: string;
  readonly version: string;
  readonly isolation: IsolationChoice | undefined;
  readonly log: (line: string) => void;
}

/** A study that was heard. */
interface Heard {
  readonly address: StudyAddress;
  call: StudyCall;
  at: number;
}

const BEAT_MS = 1000;
const MOST_STUDIES = 1000;
const RETRY_MS = 500;
const FETCH_MS = 1000;
/** Runs taken ahead are worth so much time. */
const AHEAD_SECONDS = 0.5;
const MOST_AHEAD = 64;
/** A run whose workers were lost so often is a row. */
const MOST_LOST = 3;
/** Servers take messages of 1 MB, or what their owner says. */
const LONG_BYTES = 128 * 1024;
/** For the last words of a node. */
const FAREWELL_MS = 3000;

export class WorkNode {
  private readonly options: WorkNodeOptions;
  private readonly connection: NatsConnection;
  private readonly cache: FileCache;
  /** By identity and token. */
  private readonly studies = new Map<string, Heard>();
  /** The same: why nothing is done for it. */
  private readonly refused = new Map<string, string>();
  private current: { readonly heard: Heard; readonly work: Promise<void> } | undefined;
  private session: Session | undefined;
  private number = 0;
  private isClosing = false;
  private readonly timer: NodeJS.Timeout;

  /** @throws Unreachable, SettingProblem */
  static async start(options: WorkNodeOptions): Promise<WorkNode> {
    const { settings, name, allow } = options;
    const connection = await connectNats(settings, `cosimo worker ${name}`, {
      inbox: inboxOf(settings),
    });
    const node = new WorkNode(options, connection);
    const { project } = settings;
    for (const identity of allow ?? [EVERY_IDENTITY])
      connection.subscribe(workSubjectsOf({ project, identity }, EVERY_IDENTITY).study, {
        callback: (error, message) => {
          if (error === null) node.hear(message);
        },
      });
    await connection.flush();
    return node;
  }

  private constructor(options: WorkNodeOptions, connection: NatsConnection) {
    this.options = options;
    this.connection = connection;
    this.cache = new FileCache(join(options.folder, "files"));
    this.timer = setInterval(() => this.beat(), BEAT_MS);
  }

  /** Gives back what it has. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.session?.end();
    await Promise.race([this.current?.work, sleep(FAREWELL_MS, undefined, { ref: false })]);
    clearInterval(this.timer);
    const left = this.connection.drain().catch(() => undefined);
    await Promise.race([left, sleep(FAREWELL_MS, undefined, { ref: false })]);
    await this.connection.close();
  }

  private hear({ subject, data }: Msg): void {
    const [, project = "", , identity = "", token = ""] = subject.split(".");
    if (!isToken(identity) || !isToken(token) || project !== this.options.settings.project) return;
    let call: StudyCall;
    try {
      call = takeCall(data);
    } catch (error) {
      if (error instanceof Nonsense)
        this.options.log(`dropped a message of '${identity}': ${error.message}`);
      return;
    }
    const key = `${identity}.${token}`;
    const known = this.studies.get(key);
    if (call.isOver) {
      this.studies.delete(key);
      this.refused.delete(key);
      if (this.current?.heard === known) this.session?.end();
      return;
    }
    if (known === undefined && this.studies.size >= MOST_STUDIES) return;
    const heard = known ?? { address: { project, identity, token }, call, at: 0 };
    heard.call = call;
    heard.at = performance.now();
    this.studies.set(key, heard);
    this.choose();
  }

  private choose(): void {
    if (this.current !== undefined || this.isClosing) return;
    for (const [key, heard] of this.studies) {
      if (this.refused.has(key) || isSilent(heard)) continue;
      const work = this.workOn(heard).finally(() => {
        this.current = undefined;
      });
      this.current = { heard, work };
      return;
    }
  }

  /** Every second: what is done for whom, and whether that one is still there. */
  private beat(): void {
    const { name } = this.options;
    for (const [key, heard] of this.studies) {
      if (isSilent(heard)) {
        this.studies.delete(key);
        this.refused.delete(key);
        if (this.current?.heard === heard) this.session?.end();
        continue;
      }
      const refused = this.refused.get(key);
      if (refused === undefined && this.current?.heard !== heard) continue;
      this.say(heard, { worker: name, hasLeft: false, ...(refused !== undefined && { refused }) });
    }
  }

  private say({ address }: Heard, beat: Parameters<typeof packBeat>[0]): void {
    if (!this.connection.isClosed())
      this.connection.publish(workSubjectsOf(address, address.token).worker, packBeat(beat));
  }

  private async workOn(heard: Heard): Promise<void> {
    const { address, call } = heard;
    const { folder, version, log, name } = this.options;
    const { token, identity } = address;
    const own = join(folder, `study-${++this.number}`);
    log(`works for '${identity}' on study ${token.slice(0, 8)}`);
    let runs = 0;
    try {
      if (call.version !== version)
        throw new Nonsense(
          `it has version ${version}, and the study is of version ${call.version}`,
        );
      this.say(heard, { worker: name, hasLeft: false });
      mkdirSync(join(own, "traces"), { recursive: true });
      const queue = await joinQueue(this.connection, address);
      const manifest = await this.manifest(queue, call, own);
      const root = join(own, "tree");
      await this.cache.place(manifest.files, queue.files, root);
      const job = this.job(manifest, root, join(own, "traces"));
      this.session = new Session(this.options, heard, queue, job, { manifest, root });
      if (this.isClosing) this.session.end();
      await this.session.work();
    } catch (error) {
      // The study is over, or has never been: nothing to refuse.
      const key = `${identity}.${token}`;
      if (this.studies.get(key) === heard && !this.isClosing) {
        const why = error instanceof WorkerBroken ? error.message : errorText(error);
        this.refused.set(key, why);
        log(`does nothing for study ${token.slice(0, 8)} of '${identity}': ${why}`);
      }
    } finally {
      runs = this.session?.runs ?? 0;
      this.session = undefined;
      this.say(heard, { worker: name, hasLeft: true });
      rmSync(own, { recursive: true, force: true });
      log(`left study ${token.slice(0, 8)} of '${identity}' after ${runs} runs`);
    }
  }

  private async manifest({ files }: WorkQueue, call: StudyCall, own: string): Promise<Manifest> {
    const { manifest: sha256, manifestBytes: size } = call;
    const target = join(own, "manifest");
    await fetchFile(files, { path: "manifest", sha256, size }, target);
    return takeManifest(readFileSync(target));
  }

  private job(manifest: Manifest, root: string, traces: string): Omit<StudyJob, "folder"> {
    const { study, text, scenario, scenarioText } = manifest;
    const { isolation } = this.options;
    return {
      kind: "study",
      study: join(root, study),
      text,
      scenario: join(root, scenario),
      trust: "nobody",
      ...(scenarioText !== undefined && { scenarioText }),
      ...(manifest.traces && { traces }),
      ...(isolation && { isolation }),
    };
  }
}

function isSilent({ at, call }: Heard): boolean {
  return performance.now() - at > 1000 * call.silenceSeconds;
}

/** The work on one study. */
class Session {
  runs = 0;
  private readonly options: WorkNodeOptions;
  private readonly heard: Heard;
  private readonly queue: WorkQueue;
  private readonly job: Omit<StudyJob, "folder">;
  private readonly root: string;
  private readonly columns: number;
  private readonly pool: ProcessPool;
  /** Runs that it has taken, by number. */
  private readonly held = new Map<number, JsMsg>();
  private readonly telling = new Set<Promise<void>>();
  private seconds = AHEAD_SECONDS;
  private isOver = false;
  private onEnd: () => void = () => undefined;
  private onRoom: () => void = () => undefined;

  constructor(
    options: WorkNodeOptions,
    heard: Heard,
    queue: WorkQueue,
    job: Omit<StudyJob, "folder">,
    { manifest, root }: { readonly manifest: Manifest; readonly root: string },
  ) {
    this.options = options;
    this.heard = heard;
    this.queue = queue;
    this.job = job;
    this.root = root;
    this.columns = manifest.columns;
    const { value, diagnostics } = parseStudy(job.text, manifest.study);
    if (value === undefined)
      throw new Nonsense(`its study cannot be read: ${diagnostics[0]?.message ?? ""}`);
    this.pool = new ProcessPool(job, {
      jobs: options.jobs,
      limits: value.limits,
      columns: manifest.columns,
      onDiagnostics: (found) => {
        for (const { severity, message } of found)
          options.log(`${severity} in study ${heard.address.token.slice(0, 8)}: ${message}`);
      },
      beforeOutput: () => undefined,
    });
  }

  end(): void {
    this.isOver = true;
    this.onEnd();
    this.onRoom();
    this.pool.stop();
  }

  /** @throws WorkerBroken where its units cannot be run here. */
  async work(): Promise<void> {
    const every = (1000 * this.heard.call.silenceSeconds) / 3;
    const holding = setInterval(() => {
      for (const message of this.held.values()) message.working();
    }, every);
    try {
      const made = this.pool.open((row) => this.made(row)).finally(() => this.end());
      await Promise.all([made, this.fetch()]);
    } finally {
      clearInterval(holding);
      await Promise.race([
        Promise.allSettled([...this.telling, this.giveBack()]),
        sleep(FAREWELL_MS, undefined, { ref: false }),
      ]);
      await this.pool.close();
    }
  }

  private async fetch(): Promise<void> {
    while (!this.isOver) {
      const room = this.most() - this.held.size;
      if (room <= 0) {
        await new Promise<void>((resolve) => {
          this.onRoom = resolve;
        });
        continue;
      }
      try {
        const batch = await this.queue.consumer.fetch({ max_messages: room, expires: FETCH_MS });
        this.onEnd = () => batch.stop();
        for await (const message of batch) await this.take(message);
      } catch (error) {
        if (this.isOver) return;
        this.options.log(`cannot take runs: ${errorText(error)}`);
        // A server that is started again; or the study is over, and not heard any more.
        await sleep(RETRY_MS);
      }
    }
  }

  /** Enough that no process waits, and not more: others work, too. */
  private most(): number {
    const ahead = Math.ceil(AHEAD_SECONDS / Math.max(this.seconds, 1e-6));
    return this.options.jobs * Math.min(MOST_AHEAD, Math.max(2, ahead));
  }

  private async take(message: JsMsg): Promise<void> {
    let run: ReturnType<typeof takeRun>;
    try {
      run = takeRun(message.data);
    } catch (error) {
      if (!(error instanceof Nonsense)) throw error;
      this.options.log(`dropped a run of '${this.heard.address.identity}': ${error.message}`);
      message.term();
      return;
    }
    const isNew = !this.held.has(run.run);
    // Of a run that came twice the second message counts.
    this.held.set(run.run, message);
    if (message.info.deliveryCount > MOST_LOST) {
      const reason = `${MOST_LOST} workers were lost while they had it`;
      const values = new Array<number>(this.columns).fill(Number.NaN);
      this.made({ ...run, outcome: "crashed", reason, values, seconds: 0 });
    } else if (isNew) this.pool.add(run);
  }

  private made(row: StudyRow): void {
    this.seconds += 0.2 * (row.seconds - this.seconds);
    const telling = this.tell(row)
      .catch((error: unknown) => {
        this.options.log(`run ${row.run} is left to others: ${errorText(error)}`);
        this.held.get(row.run)?.nak(RETRY_MS);
        this.held.delete(row.run);
        this.onRoom();
      })
      .finally(() => {
        this.telling.delete(telling);
      });
    this.telling.add(telling);
  }

  private async tell(row: StudyRow): Promise<void> {
    const message = this.held.get(row.run);
    if (message === undefined) return;
    const { reason, ...rest } = row;
    const shown = reason?.replaceAll(this.root, ROOT_MARK);
    const trace = this.job.traces !== undefined && isCompleted(row) && (await this.trace(row.run));
    const said: FromWorkNode = {
      kind: "row",
      row: { ...rest, ...(shown !== undefined && { reason: shown }) },
      ...(trace && { trace }),
    };
    if (!(await this.publish(said, message))) return;
    this.runs++;
    this.held.delete(row.run);
    this.onRoom();
  }

  /** @returns whether the server has it; only then the run is off the queue. */
  private async publish(said: FromWorkNode, message: JsMsg): Promise<boolean> {
    const { client, subjects } = this.queue;
    // Of one order one answer counts.
    const msgID = `${this.heard.address.token}.answer.${message.seq}`;
    for (let data: Uint8Array | undefined; ; ) {
      try {
        data ??= await this.answer(said);
        await client.publish(subjects.rows, data, { msgID });
        message.ack();
        return true;
      } catch (error) {
        if (this.isOver) return false;
        this.options.log(`a row waits for the server: ${errorText(error)}`);
        await sleep(RETRY_MS);
      }
    }
  }

  /** As one message, whatever its length. */
  private async answer(said: FromWorkNode): Promise<Uint8Array> {
    const data = packFromNode(said);
    if (data.length <= LONG_BYTES) return data;
    const path = randomBytes(16).toString("hex");
    const sha256 = createHash("sha256").update(data).digest("hex");
    await this.queue.files.putBlob({ name: path }, data);
    return packFromNode({ kind: "stored", answer: { path, sha256, size: data.length } });
  }

  private async trace(run: number): Promise<ManifestFile | undefined> {
    const path = join(this.job.traces ?? "", traceName(run));
    const sha256 = fileDigest(path);
    const { size } = statSync(path);
    // Another worker may have made the same run: nothing that is there is replaced.
    const name = randomBytes(16).toString("hex");
    await this.queue.files.put({ name }, piecesOf(path));
    rmSync(path);
    return { path: name, sha256, size };
  }

  /** What it will not make. It does not count as a loss. */
  private async giveBack(): Promise<void> {
    const messages = [...this.held];
    this.held.clear();
    await Promise.all(
      messages.map(([run, message]) => this.publish({ kind: "back", run }, message)),
    );
  }
}
