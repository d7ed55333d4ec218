/**
 * A node: offers units to runs on other computers. It describes what it offers and starts a process
 * for every run that uses some of it; the units stay in these processes, and the node itself never
 * computes, so that it can always be heard.
 */
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import { BACKENDS } from "../../model/backends.ts";
import { SOURCES } from "../../model/source-kind.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { connectNats, type NatsConnection } from "../../platform/nats/connect.ts";
import { FRAME, framesOf } from "../../platform/nats/frames.ts";
import { isToken, type NetworkSettings } from "../../platform/nats/network-settings.ts";
import { NodeDesk, type SessionRequest } from "../../platform/nats/node-desk.ts";
import { subjectsOf } from "../../platform/nats/subjects.ts";
import { startError } from "../../platform/process/start-error.ts";
import { endText } from "../../platform/process/unit-process.ts";
import { putDescription } from "../../remote/describe.ts";
import { PROTOCOL_VERSION } from "../../remote/protocol.ts";
import type { Redact } from "../../remote/redact.ts";
import type { Trust } from "../trust.ts";
import { NETWORK_DIAGNOSTICS } from "./network-diagnostics.ts";
import { type Offer, OfferedUnits, offeredSource } from "./offers.ts";
import { redactionFor } from "./session-units.ts";
import type { FromSession, SessionOrder } from "./session-worker.ts";

export interface NodeOptions {
  readonly name: string;
  readonly offers: readonly Offer[];
  readonly settings: NetworkSettings;
  /** Identities that are served; undefined: all. */
  readonly allow?: ReadonlySet<string>;
  /** Which modules may be run. */
  readonly trust: Trust;
  /** For unpacked units; removed with the node. */
  readonly folder: string;
  readonly version: string;
  /** How many runs may use it at once; default: 64. */
  readonly maxSessions?: number;
  readonly log: (line: string) => void;
  /** The program of sessions; default: that of this package. */
  readonly program?: string;
}

/** What is offered, as `cosimo nodes` shows it. */
export interface OfferFacts {
  readonly name: string;
  readonly kind: string;
  readonly model: string;
  readonly inputs: number;
  readonly outputs: number;
}

interface Session {
  readonly number: number;
  readonly key: string;
  readonly identity: string;
  readonly child: ChildProcess;
  readonly folder: string;
}

const PROGRAM = fileURLToPath(new URL("./session-worker.js", import.meta.url));
const MAX_SESSIONS = 64;
const START_MS = 30_000;
/** For the last words of a node, where the server does not answer. */
const FAREWELL_MS = 2000;
const NO_VALUES: ReadonlyMap<string, number> = new Map();

export class NodeHost {
  readonly facts: readonly OfferFacts[];
  private readonly options: NodeOptions;
  private readonly connection: NatsConnection;
  private readonly offered: OfferedUnits;
  private readonly desk: NodeDesk;
  private readonly redact: Redact;
  private readonly boot = randomBytes(8).toString("hex");
  private readonly begun = performance.now();
  private readonly sessions = new Map<number, Session>();
  private started = 0;
  private isClosing = false;

  /**
   * @throws DiagnosticsError where an offer cannot be read or the name is taken; Unreachable,
   * SettingProblem
   */
  static async start(options: NodeOptions): Promise<NodeHost> {
    const { name, offers, trust, folder, settings } = options;
    if (!isToken(name)) throw refused("node-name", name);
    const offered = new OfferedUnits(offers, trust, join(folder, "offers"));
    const facts: OfferFacts[] = [];
    for (const offer of offers) {
      const description = await offered.describe(offer.name, NO_VALUES);
      if (description !== undefined) facts.push(factsOf(offer, description));
    }
    const connection = await connectNats(settings, `cosimo node ${name}`);
    try {
      if (await isTaken(connection, options)) throw refused("node-twice", name);
      const host = new NodeHost(options, offered, facts, connection);
      await host.desk.open();
      return host;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private constructor(
    options: NodeOptions,
    offered: OfferedUnits,
    facts: readonly OfferFacts[],
    connection: NatsConnection,
  ) {
    this.options = options;
    this.offered = offered;
    this.facts = facts;
    this.connection = connection;
    this.redact = redactionFor(options.offers, options.folder);
    this.desk = new NodeDesk(connection, {
      settings: options.settings,
      node: options.name,
      allow: options.allow,
      log: options.log,
      about: () => this.about(),
      describe: (offer, given) => this.describe(offer, given),
      startSession: (request) => this.startSession(request),
      beat: () => ({ boot: this.boot, sessions: [...this.sessions.keys()] }),
    });
  }

  /** Ends all sessions, and says so to their callers. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.desk.close();
    const ends = [...this.sessions.values()].map(
      ({ child }) => new Promise((resolve) => child.once("exit", resolve)),
    );
    for (const { child } of this.sessions.values()) child.kill("SIGKILL");
    await Promise.all(ends);
    this.desk.beat();
    // The server may be gone, and nobody there to take leave of.
    const left = this.connection.drain().catch(() => undefined);
    await Promise.race([left, sleep(FAREWELL_MS)]);
    await this.connection.close();
  }

  private about(): object {
    const [load = 0] = loadavg();
    return {
      node: this.options.name,
      version: this.options.version,
      protocol: PROTOCOL_VERSION,
      platform: `${process.platform} ${process.arch}`,
      offers: this.facts,
      sessions: this.sessions.size,
      maxSessions: this.options.maxSessions ?? MAX_SESSIONS,
      load: Math.round((100 * load) / availableParallelism()) / 100,
      upSeconds: Math.round((performance.now() - this.begun) / 1000),
    };
  }

  private async describe(offer: string, given: ReadonlyMap<string, number>): Promise<unknown> {
    try {
      const description = await this.offered.describe(offer, given);
      if (description === undefined) return { offers: this.facts.map(({ name }) => name) };
      return { description: putDescription(description), protocol: PROTOCOL_VERSION };
    } catch (error) {
      if (!(error instanceof DiagnosticsError)) throw error;
      return { refused: this.redact(wordsOf(error)) };
    }
  }

  private async startSession(request: SessionRequest): Promise<unknown> {
    const { log, maxSessions = MAX_SESSIONS, name } = this.options;
    if (this.isClosing) return { refused: "it is ending" };
    if (this.sessions.size >= maxSessions)
      return { refused: `it serves ${maxSessions} runs already` };
    const number = ++this.started;
    const key = randomBytes(16).toString("hex");
    const folder = join(this.options.folder, `session-${number}`);
    mkdirSync(folder, { recursive: true });
    const child = fork(this.options.program ?? PROGRAM, {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const failure = startError(child);
    if (failure !== undefined) {
      rmSync(folder, { recursive: true, force: true });
      return {
        refused: this.redact(`its process could not be started: ${(await failure).message}`),
      };
    }
    const session = { number, key, identity: request.identity, child, folder };
    this.sessions.set(number, session);
    const { settings, offers, trust } = this.options;
    const calls = subjectsOf({ ...settings, identity: request.identity }).call(name, key);
    const order: SessionOrder = {
      ...request,
      settings,
      node: name,
      calls,
      offers,
      trust: trust.all ? true : trust.folders,
      folder,
    };
    child.send(order);
    log(`session ${number} for '${request.identity}'`);
    const isReady = await this.watch(session, request.answers);
    if (!isReady) return { refused: "its process could not be started" };
    // The caller looks for it in the signs of life.
    this.desk.beat();
    return { session: { node: name, boot: this.boot, number, key } };
  }

  /** @returns whether it came up. */
  private watch(session: Session, answers: string): Promise<boolean> {
    const { number, key, identity, child, folder } = session;
    return new Promise((resolve) => {
      const late = setTimeout(() => child.kill("SIGKILL"), START_MS);
      let why: string | undefined;
      child.on("message", (message: FromSession) => {
        if (message.kind === "ready") {
          clearTimeout(late);
          resolve(true);
        } else if (message.kind === "dropped") this.desk.drop(identity, message.why);
        else why = message.why;
      });
      child.on("error", () => resolve(false));
      child.on("exit", (code, signal) => {
        clearTimeout(late);
        this.sessions.delete(number);
        // Processes of its units end with it, and may be there for a moment.
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
        const how = this.isClosing ? "the end of its node" : endText({ code, signal });
        this.options.log(`session ${number} for '${identity}' ended: ${why ?? how}`);
        resolve(false);
        if (!this.connection.isClosed()) {
          if (why === undefined) this.tellEnd(answers, key, how);
          this.desk.beat();
        }
      });
    });
  }

  private tellEnd(answers: string, key: string, how: string): void {
    const words = new TextEncoder().encode(`${key}${how}`);
    for (const frame of framesOf(FRAME.ended, 0, 0, words, 10_000))
      this.connection.publish(answers, frame);
  }
}

function refused(code: "node-name" | "node-twice", name: string): DiagnosticsError {
  return new DiagnosticsError([
    diagnose(NETWORK_DIAGNOSTICS, code, { name }, { file: name }) as Diagnostic,
  ]);
}

/** What is wrong with an offer, without the places. */
function wordsOf({ diagnostics }: DiagnosticsError): string {
  return diagnostics.map(({ message }) => message).join("; ");
}

function factsOf({ name, path }: Offer, { ports, backend, ...rest }: UnitDescription): OfferFacts {
  const kind = offeredSource({ path })?.kind;
  const count = (wanted: string): number =>
    ports.filter(({ direction }) => direction === wanted).length;
  return {
    name,
    kind: (kind && SOURCES[kind].noun) ?? BACKENDS[backend].noun,
    model: rest.name,
    inputs: count("input"),
    outputs: count("output"),
  };
}

/** How long a node of the same name has to be heard. */
const LISTEN_MS = 1500;

async function isTaken(
  connection: NatsConnection,
  { settings, name }: NodeOptions,
): Promise<boolean> {
  return new Promise((resolve) => {
    const subscription = connection.subscribe(subjectsOf(settings).beat(name), {
      callback: (error) => {
        if (error === null) end(true);
      },
    });
    const timer = setTimeout(() => end(false), LISTEN_MS);
    function end(is: boolean): void {
      clearTimeout(timer);
      subscription.unsubscribe();
      resolve(is);
    }
  });
}
