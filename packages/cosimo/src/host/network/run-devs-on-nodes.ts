/**
 * Runs a discrete-event model as parts on nodes that offer its module: each session loads the
 * module of its own node, and the parts speak to each other directly. No code travels. The events
 * are those of one kernel, bit for bit, whatever the network does (docs/spec/parallel-events.md).
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { DiagnosticsError } from "../../base/diagnostic.ts";
import type { UnitFailure } from "../../base/outcome.ts";
import { Carrier } from "../../coordinate/carrier.ts";
import { DEFAULT_TICKS_PER_SECOND, toSeconds } from "../../devs/ticks.ts";
import type { Sending } from "../../parallel/part.ts";
import type { PartsKind } from "../../parallel/plan-parts.ts";
import { noStatistics, type PartStatistics } from "../../parallel/protocol.ts";
import { connectNats } from "../../platform/nats/connect.ts";
import type { SessionKey } from "../../platform/nats/courier-protocol.ts";
import { FRAME, putFrame } from "../../platform/nats/frames.ts";
import { unpackJson } from "../../platform/nats/json-body.ts";
import { LoopLook } from "../../platform/nats/looking.ts";
import { type NetworkSettings, networkSettings } from "../../platform/nats/network-settings.ts";
import { PARTS, pieceBytes } from "../../platform/nats/peer-subjects.ts";
import { subjectsOf } from "../../platform/nats/subjects.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { Untrusted } from "../../remote/untrusted.ts";
import { CollectedParts, type PartsResult } from "../parallel/collect-parts.ts";
import type { ParallelDevsRun } from "../parallel/run-devs-module.ts";
import type { FromPart, ToPart } from "../parallel/thread-messages.ts";
import { countIn, membersOf, putData, roundsOfPart, stampIn, takeData } from "./part-data.ts";
import type { PartOrder } from "./part-session.ts";
import { networkDiagnostic, RemoteUnits } from "./remote-units.ts";

export interface RunDevsOnNodesOptions {
  readonly start?: number;
  /** Seconds; events at that time are part of the run. */
  readonly stop: number;
  /** What the modules export; default: `model`. */
  readonly export?: string;
  /** How parts go on; default: conservative, which needs a `minimumDelay` around every cycle. */
  readonly parallel?: PartsKind;
  readonly record?: "outputs" | "all" | "none";
  readonly ticksPerSecond?: number;
  readonly maxTransitions?: number;
  /** Optimistic: steps of a part that are not final, at most. */
  readonly most?: number;
}

export interface NodesDevsRun extends ParallelDevsRun {
  /** Wall clock from when all parts were ready. */
  readonly seconds: number;
}

const TICK_MS = 100;
const READY_SECONDS = 60;

/**
 * Over the server that COSIMO_SERVER names.
 * @param places `node/offer` of each part, on different nodes; all must offer the same module.
 * @throws DiagnosticsError without a server, UnitError when a component fails, Error where a node
 * is lost or refuses.
 */
export async function runDevsOnNodes(
  places: readonly string[],
  options: RunDevsOnNodesOptions,
): Promise<NodesDevsRun> {
  const settings = networkSettings(process.env);
  if (settings === undefined)
    throw new RangeError(
      "no NATS server is named; set COSIMO_SERVER, for instance to nats://localhost:4222",
    );
  if (!Number.isFinite(options.stop))
    throw new RangeError("'stop' is not a number of seconds; parts on nodes need an end");
  const split = places.map((place) => {
    const [, node = "", offer = ""] = /^([\w-]+)\/([\w-]+)$/.exec(place) ?? [];
    if (node === "") throw new RangeError(`'${place}' is not node/offer`);
    return { node, offer };
  });
  const nodes = split.map(({ node }) => node);
  if (nodes.length < 2 || new Set(nodes).size < nodes.length)
    throw new RangeError("parts need two nodes at least, each one of its own");
  try {
    const run = await PartsRun.start(settings, split, options);
    try {
      return await run.result();
    } finally {
      await run.close();
    }
  } catch (error) {
    const found = networkDiagnostic(error, { file: places[0] ?? "" });
    throw found === undefined ? error : new DiagnosticsError([found]);
  }
}

interface Place {
  readonly node: string;
  readonly offer: string;
}

class PartsRun {
  private readonly settings: NetworkSettings;
  private readonly options: RunDevsOnNodesOptions;
  private readonly places: readonly Place[];
  private readonly connection: Awaited<ReturnType<typeof connectNats>>;
  private readonly sessions: readonly SessionKey[];
  private readonly carrier: Carrier;
  private readonly parts: CollectedParts;
  private readonly heardAt: number[];
  private readonly ready = new Map<number, { readonly cut: string; readonly units: string[] }>();
  private readonly timer: NodeJS.Timeout;
  private readonly looking = new LoopLook();
  private looked = performance.now();
  private begun = 0;
  private ended = 0;
  private finish: (result: PartsResult) => void = () => undefined;
  private fail: (error: Error) => void = () => undefined;
  private readonly done: Promise<PartsResult>;

  static async start(
    settings: NetworkSettings,
    places: readonly Place[],
    options: RunDevsOnNodesOptions,
  ): Promise<PartsRun> {
    const network = new RemoteUnits(settings);
    try {
      const sessions = places.map(({ node }) => network.startSession(node));
      const connection = await connectNats(settings, `cosimo parts of ${settings.identity}`);
      return new PartsRun(settings, places, options, connection, sessions);
    } finally {
      network.end();
    }
  }

  private constructor(
    settings: NetworkSettings,
    places: readonly Place[],
    options: RunDevsOnNodesOptions,
    connection: Awaited<ReturnType<typeof connectNats>>,
    sessions: readonly SessionKey[],
  ) {
    this.settings = settings;
    this.places = places;
    this.options = options;
    this.connection = connection;
    this.sessions = sessions;
    const { parallel: kind = "conservative", record = "outputs", start, stop } = options;
    this.carrier = new Carrier([...places.keys()], pieceBytes(connection.info?.max_payload));
    this.parts = new CollectedParts(places.length, kind === "optimistic", (to, message) =>
      this.tell(to, message),
    );
    this.heardAt = places.map(() => performance.now());
    this.done = new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
    this.done.catch(() => undefined);
    const run = randomBytes(16).toString("hex");
    const token = randomBytes(16).toString("hex");
    const subjects = subjectsOf(settings);
    const { ticksPerSecond, maxTransitions, most } = options;
    places.forEach(({ node, offer }, number) => {
      const answers = subjects.answer(token, randomBytes(16).toString("hex"));
      connection.subscribe(answers, {
        callback: (error, { data }) => {
          if (error === null) this.receive(number, new Uint8Array(data));
        },
      });
      connection.subscribe(subjects.beat(node), {
        callback: (error, { data }) => {
          if (error === null) this.beat(number, data);
        },
      });
      const order: PartOrder = {
        ...{ offer, number, run, answers, export: options.export ?? "model" },
        nodes: places.map((place) => place.node),
        options: {
          ...{ kind, stop, record },
          ...(start !== undefined && { start }),
          ...(ticksPerSecond !== undefined && { ticksPerSecond }),
          ...(maxTransitions !== undefined && { maxTransitions }),
          ...(most !== undefined && { most }),
        },
      };
      this.carrier.send(number, putData(order));
    });
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.flush();
  }

  async result(): Promise<NodesDevsRun> {
    const { sendings, transitions, states, statistics, rounds } = await this.done;
    const { ticksPerSecond = DEFAULT_TICKS_PER_SECOND, parallel = "conservative" } = this.options;
    const events = sendings.map(({ time, index, unit, port, value }) => ({
      ...{ time: toSeconds(time, ticksPerSecond), index, unit, port, value },
    }));
    const units = this.ready.get(0)?.units ?? [];
    const nodes = this.places.map(({ node }) => node).join(", ");
    return {
      ...{ events, transitions, states: new Map(units.map((path) => [path, states.get(path)])) },
      parallel: {
        ...{ kind: parallel, parts: this.places.length, statistics, rounds },
        reason: `as asked, on ${nodes}`,
      },
      seconds: (this.ended - this.begun) / 1000,
    };
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const { node, key } of this.sessions)
      this.publish(node, key, FRAME.end, new Uint8Array(0));
    // The server may be gone, and nobody there to take leave of.
    await Promise.race([this.connection.drain().catch(() => undefined), sleep(2000)]);
    await this.connection.close();
  }

  private tell(to: number, message: ToPart | { readonly kind: "go" }): void {
    this.carrier.send(to, putData(message));
  }

  private receive(number: number, packet: Uint8Array): void {
    this.heardAt[number] = performance.now();
    this.looking.stir();
    try {
      for (const payload of this.carrier.receive(number, packet))
        this.hear(number, membersOf(takeData(payload)));
    } catch (error) {
      const isForeign = error instanceof Nonsense || error instanceof RangeError;
      const why = isForeign ? this.lost(number, `its session said: ${error.message}`) : error;
      this.fail(why as Error);
    }
    this.flush();
  }

  private hear(number: number, data: Readonly<Record<string, unknown>>): void {
    if (data["kind"] === "refused")
      throw this.lost(number, `it cannot take part: ${String(data["why"]).slice(0, 1000)}`);
    if (data["kind"] === "ready") this.isReady(number, data);
    else {
      const result = this.parts.hear(number, takeFromPart(data, this.places.length));
      if (result === undefined) return;
      this.ended = performance.now();
      this.finish(result);
    }
  }

  /** All begin together, once they have cut the same model in the same way. */
  private isReady(number: number, data: Readonly<Record<string, unknown>>): void {
    const { cut, parts, units } = data;
    const { length } = this.places;
    if (countIn(parts) !== length)
      throw this.lost(
        number,
        `the model gives ${countIn(parts)} parts that can run at once, not ${length}; declare 'minimumDelay', take fewer nodes, or parallel: "optimistic"`,
      );
    if (typeof cut !== "string" || !Array.isArray(units)) throw new Nonsense("an unknown cut");
    this.ready.set(number, { cut, units: units.map(String) });
    if (this.ready.size < length) return;
    const other = [...this.ready].find(([, one]) => one.cut !== this.ready.get(0)?.cut);
    if (other !== undefined)
      throw this.lost(other[0], "its module is another one than that of the first node");
    this.begun = performance.now();
    for (let to = 0; to < length; to++) this.tell(to, { kind: "go" });
  }

  private beat(number: number, data: Uint8Array): void {
    const session = this.sessions[number] as SessionKey;
    try {
      const beat = new Untrusted(unpackJson(data), "the sign of life");
      const boot = beat.text("boot", 64);
      const sessions = beat.counts("sessions", Number.MAX_SAFE_INTEGER);
      this.heardAt[number] = performance.now();
      if (boot !== session.boot) this.fail(this.lost(number, "its node was started again"));
      else if (!sessions.includes(session.number) && !this.parts.hasFinished(number))
        this.fail(this.lost(number, "its session ended"));
    } catch (error) {
      if (!(error instanceof Nonsense)) throw error;
    }
  }

  private lost(number: number, how: string): Error {
    const { node, offer } = this.places[number] as Place;
    return new Error(`part ${number} ('${offer}' on '${node}') is lost: ${how}`);
  }

  private tick(): void {
    const now = performance.now();
    // Where this process stood still, nothing could be heard.
    if (now - this.looked > 1000) this.heardAt.fill(now);
    this.looked = now;
    this.heardAt.forEach((heard, number) => {
      const silent = (now - heard) / 1000;
      const bound = this.ready.has(number)
        ? this.settings.silenceSeconds
        : Math.max(READY_SECONDS, this.settings.silenceSeconds);
      if (silent > bound)
        this.fail(this.lost(number, `nothing was heard of its node for ${Math.round(silent)} s`));
    });
    this.carrier.tick();
    this.flush();
  }

  private flush(): void {
    if (this.connection.isClosed()) return;
    for (const { to, bytes } of this.carrier.take()) {
      const { node, key } = this.sessions[to] as SessionKey;
      this.publish(node, key, PARTS, bytes);
    }
  }

  private publish(node: string, key: string, kind: number, body: Uint8Array): void {
    if (this.connection.isClosed()) return;
    const frame = putFrame({ kind, channel: 0, number: 0, piece: 0, pieces: 1, body });
    this.connection.publish(subjectsOf(this.settings).call(node, key), frame);
  }
}

/** @throws Nonsense */
function takeFromPart(data: Readonly<Record<string, unknown>>, parts: number): FromPart {
  const { kind } = data;
  if (kind === "messages") return { kind, messages: roundsOfPart(data["messages"], parts) };
  if (kind === "sendings") {
    const list = data["sendings"];
    if (!Array.isArray(list)) throw new Nonsense("events that are not a list");
    return { kind, sendings: list.map((one) => takeSending(membersOf(one))) };
  }
  if (kind === "failed") {
    const failure = data["failure"] as UnitFailure | undefined;
    const stamp = stampIn(data["stamp"]);
    return {
      kind,
      stamp,
      failure: failure && takeFailure(membersOf(failure)),
      text: textIn(data["text"]),
    };
  }
  if (kind !== "finished") throw new Nonsense(`a message of kind '${String(kind).slice(0, 40)}'`);
  const states = data["states"];
  if (!(states instanceof Map)) throw new Nonsense("states that are none");
  const given = membersOf(data["statistics"]);
  const statistics = Object.fromEntries(
    Object.keys(noStatistics()).map((key) => [key, countIn(given[key])]),
  ) as unknown as PartStatistics;
  return { kind, statistics, transitions: countIn(data["transitions"]), states };
}

function takeSending(one: Readonly<Record<string, unknown>>): Sending {
  const { time, index } = stampIn(one);
  const [unit, port] = [textIn(one["unit"]), textIn(one["port"])];
  return { time, index, rank: Number(one["rank"]), unit, port, value: one["value"] };
}

function takeFailure(data: Readonly<Record<string, unknown>>): UnitFailure {
  const [unit, call, status] = [textIn(data["unit"]), textIn(data["call"]), textIn(data["status"])];
  const { problem, log } = data;
  return {
    ...{ unit, call, status, time: Number(data["time"]) },
    log: Array.isArray(log) ? log.slice(-1000).map(textIn) : [],
    ...(typeof problem === "string" && { problem }),
  };
}

function textIn(value: unknown): string {
  if (typeof value !== "string" || value.length > 1 << 20)
    throw new Nonsense("a text that is none");
  return value;
}
