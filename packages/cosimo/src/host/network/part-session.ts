/**
 * A session that runs one part of a discrete-event model: the node offers the module, the caller
 * says which part, and sessions on other nodes have the others. What parts say to each other goes
 * through links, over the subjects of peers, as in runs of coordinated units.
 */
import { createHash } from "node:crypto";
import { errorText } from "../../base/error-text.ts";
import { Carrier } from "../../coordinate/carrier.ts";
import { openPart, type PartsOptions, planParts } from "../../parallel/plan-parts.ts";
import type { Packet, Runner } from "../../parallel/protocol.ts";
import type { Split } from "../../parallel/split.ts";
import type { NatsConnection } from "../../platform/nats/connect.ts";
import { LoopLook } from "../../platform/nats/looking.ts";
import { isToken } from "../../platform/nats/network-settings.ts";
import { peerSubject, pieceBytes } from "../../platform/nats/peer-subjects.ts";
import { isAnswerTo } from "../../platform/nats/subjects.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { Untrusted } from "../../remote/untrusted.ts";
import { loadDevsModel } from "../parallel/load-model.ts";
import { PartLoop } from "../parallel/part-loop.ts";
import type { FromPart } from "../parallel/thread-messages.ts";
import { notTrusted, type Trust } from "../trust.ts";
import { takeForeign } from "./foreign.ts";
import type { Offer } from "./offers.ts";
import {
  countIn,
  membersOf,
  messagesOfCaller,
  messagesOfPart,
  putData,
  takeData,
} from "./part-data.ts";
import type { PeerSessionOptions } from "./peer-session.ts";

/** Which part of what a session runs. */
export interface PartOrder {
  readonly offer: string;
  readonly export: string;
  readonly options: Omit<PartsOptions, "parts" | "weights">;
  readonly number: number;
  /** The node of each part. */
  readonly nodes: readonly string[];
  readonly run: string;
  readonly answers: string;
}

/** What it says before its part goes on: how the model was cut, which all must have done alike. */
export interface PartReady {
  readonly kind: "ready";
  readonly parts: number;
  readonly cut: string;
  readonly ticksPerSecond: number;
  /** Paths of all components, in the order of the model. */
  readonly units: readonly string[];
}

export type FromPartSession =
  | FromPart
  | PartReady
  | { readonly kind: "refused"; readonly why: string };

export interface PartSessionOptions extends PeerSessionOptions {
  readonly offers: readonly Offer[];
  readonly trust: Trust;
  /** Where packages are unpacked, whose modules nobody trusts. */
  readonly folder: string;
}

const TICK_MS = 100;
const CALLER = 0;

export class PartSession {
  private readonly connection: NatsConnection;
  private readonly options: PartSessionOptions;
  private readonly caller: Carrier;
  private readonly looking = new LoopLook();
  private readonly timer: NodeJS.Timeout;
  private order: PartOrder | undefined;
  private split: Split | undefined;
  private others: Carrier | undefined;
  private runner: Runner | undefined;
  private loop: PartLoop | undefined;
  private subscription: { unsubscribe(): void } | undefined;

  constructor(connection: NatsConnection, options: PartSessionOptions) {
    this.connection = connection;
    this.options = options;
    this.caller = new Carrier([CALLER], pieceBytes(connection.info?.max_payload));
    this.timer = setInterval(() => {
      this.caller.tick();
      this.others?.tick();
      this.flush();
    }, TICK_MS);
    this.timer.unref();
  }

  /** A packet of the caller. */
  take(packet: Uint8Array): void {
    this.guarded(() => {
      for (const payload of this.caller.receive(CALLER, packet)) this.hear(takeData(payload));
    });
    this.flush();
  }

  private hear(data: unknown): void {
    if (this.order === undefined) {
      this.join(data);
      return;
    }
    const { kind, ...rest } = membersOf(data);
    const { runner, order } = this;
    if (runner === undefined) throw new Nonsense("an order before the part is ready");
    if (kind === "go") this.begin();
    else if (kind === "end-at") runner.endAt(countIn(rest["time"]));
    else if (kind === "messages")
      runner.receive(order.nodes.length, messagesOfCaller(rest["messages"]));
    else throw new Nonsense("an order of an unknown kind");
    this.loop?.schedule();
  }

  private join(data: unknown): void {
    const { project, node, identity } = this.options;
    const order = takeOrder(data);
    if (!isAnswerTo(project, identity, order.answers))
      throw new Nonsense("it wants its answers where none of this caller go");
    if (order.nodes[order.number] !== node)
      throw new Nonsense(`a part for '${order.nodes[order.number]}'`);
    this.order = order;
    void this.open(order).catch((error: unknown) => {
      this.say({ kind: "refused", why: errorText(error) });
      this.flush();
    });
  }

  /** Loads and cuts the model: a module of this node, which its owner offers and trusts. */
  private async open(order: PartOrder): Promise<void> {
    const { offers, trust, project, node, folder } = this.options;
    const offer = offers.find(({ name }) => name === order.offer);
    if (offer === undefined || !/\.m?js$/.test(offer.path))
      throw new RangeError(`'${order.offer}' is not offered as a module`);
    if (
      notTrusted(trust, offer.path, { name: offer.name, place: { file: offer.path } }, folder) !==
      undefined
    )
      throw new RangeError(`the node does not trust the module '${order.offer}'`);
    const model = await loadDevsModel(offer.path, order.export);
    const options = { ...order.options, parts: order.nodes.length };
    const split = planParts(model, options);
    this.split = split;
    const ready = readyOf(split, order.options.ticksPerSecond);
    if (split.parts.length === order.nodes.length) {
      this.runner = openPart(split, order.number, options);
      const others = [...order.nodes.keys()].filter((p) => p !== order.number);
      this.others = new Carrier(others, pieceBytes(this.connection.info?.max_payload));
      this.subscription = this.connection.subscribe(peerSubject(project, order.run, node, "*"), {
        callback: (error, { subject, data }) => {
          if (error !== null) return;
          const from = order.nodes.indexOf(subject.slice(subject.lastIndexOf(".") + 1));
          this.hearPart(order, from, new Uint8Array(data));
        },
      });
    }
    this.say(ready);
    this.flush();
  }

  private begin(): void {
    const { runner } = this;
    if (runner === undefined || this.loop !== undefined) return;
    this.loop = new PartLoop({
      runner,
      send: (packet) => this.send(packet),
      say: (message) => this.say(message),
      flush: () => this.flush(),
    });
  }

  private hearPart(order: PartOrder, from: number, packet: Uint8Array): void {
    const { split, runner, others } = this;
    if (split === undefined || runner === undefined || others === undefined) return;
    this.looking.stir();
    this.guarded(() => {
      for (const payload of others.receive(from, packet))
        runner.receive(from, messagesOfPart(takeData(payload), split, from, order.number));
    });
    this.loop?.schedule();
  }

  private send({ to, messages }: Packet): void {
    if (to === this.order?.nodes.length) this.say({ kind: "messages", messages });
    else this.others?.send(to, putData(messages));
  }

  private say(message: FromPartSession): void {
    this.caller.send(CALLER, putData(message));
  }

  private guarded(act: () => void): void {
    takeForeign(act, (why) => this.options.onDropped(why));
  }

  private flush(): void {
    const { order, others, caller, connection } = this;
    if (order === undefined || connection.isClosed()) return;
    const { project, node } = this.options;
    for (const { bytes } of caller.take()) connection.publish(order.answers, bytes);
    for (const { to, bytes } of others?.take() ?? [])
      connection.publish(peerSubject(project, order.run, order.nodes[to] as string, node), bytes);
  }

  close(): void {
    clearInterval(this.timer);
    this.loop?.end();
    this.subscription?.unsubscribe();
  }
}

function readyOf(split: Split, ticksPerSecond = 0): PartReady {
  const { whole, partOf } = split;
  const hash = createHash("sha256");
  for (const list of [whole.routes.start, whole.routes.target, whole.routes.port, partOf])
    hash.update(Buffer.from(list.buffer, list.byteOffset, list.byteLength));
  const units = whole.units.map(({ path }) => path);
  hash.update(JSON.stringify(units));
  return {
    kind: "ready",
    parts: split.parts.length,
    cut: hash.digest("hex"),
    ticksPerSecond,
    units,
  };
}

const MAX_PARTS = 1000;

/** @throws Nonsense */
function takeOrder(data: unknown): PartOrder {
  const from = new Untrusted(data, "the order of a part");
  const nodes = from.texts("nodes");
  if (nodes.length < 2 || nodes.length > MAX_PARTS || !nodes.every(isToken))
    throw from.wrong("nodes", "names of nodes");
  if (new Set(nodes).size !== nodes.length) throw from.wrong("nodes", "names of different nodes");
  const run = from.text("run", 64);
  if (!isToken(run)) throw from.wrong("run", "one word");
  const given = from.object("options");
  const seconds = (key: string): number => {
    const value = given.number(key);
    if (!Number.isFinite(value)) throw given.wrong(key, "seconds");
    return value;
  };
  const count = (key: string) =>
    given.has(key) ? { [key]: given.count(key, Number.MAX_SAFE_INTEGER) } : {};
  return {
    ...{ nodes, run },
    offer: from.text("offer", 64),
    export: from.text("export", 200),
    number: from.count("number", nodes.length - 1),
    answers: from.text("answers", 500),
    options: {
      kind: given.choice("kind", ["conservative", "optimistic"]),
      stop: seconds("stop"),
      ...(given.has("start") && { start: seconds("start") }),
      record: given.choice("record", ["outputs", "all", "none"]),
      ...count("ticksPerSecond"),
      ...count("maxTransitions"),
      ...count("most"),
    },
  };
}
