/**
 * The program of the thread that speaks to the network for a run. It is asynchronous, so that the
 * run need not be: it keeps the connection, repeats what was lost, hears signs of life, and tells
 * the run (courier.ts) what came, or that nothing will.
 */
import { workerData } from "node:worker_threads";
import { errorText } from "../../base/error-text.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { Untrusted } from "../../remote/untrusted.ts";
import { type CallAction, CallLine, type PeerSigns } from "./call-line.ts";
import { connectNats, type Msg, type NatsConnection, Unreachable } from "./connect.ts";
import {
  type CourierStart,
  type FromCourier,
  SAID,
  type SessionKey,
  type ToCourier,
  TURNS,
} from "./courier-protocol.ts";
import { DropCount } from "./drop-count.ts";
import { FRAME, KEY_LENGTH, putFrame, takeFrame } from "./frames.ts";
import { packJson, unpackJson } from "./json-body.ts";
import { LoopLook } from "./looking.ts";
import { SettingProblem } from "./network-settings.ts";
import { Replies } from "./replies.ts";
import { mailboxName, type Subjects, subjectsOf } from "./subjects.ts";

interface Channel {
  readonly unit: string;
  readonly session: SessionKey;
  readonly line: CallLine;
}

interface Ask {
  readonly id: number;
  /** The last word of the subject of its answers. */
  readonly mailbox: string;
  readonly node: string | undefined;
  readonly data: Uint8Array;
  readonly until: number;
  readonly replies: Replies;
  readonly bodies: Uint8Array[];
  sentAt: number;
  /** Nobody listens to it. */
  isUnheard: boolean;
  readonly begun: number;
}

interface NodeSigns {
  heardAt: number | undefined;
  boot: string;
  sessions: ReadonlySet<number>;
}

const TICK_MS = 100;
const KEEP_SECONDS = 2;
const REPEAT_ASK_SECONDS = 1;
/** A node whose name nobody answers to is not there. */
const UNKNOWN_SECONDS = 4;
const REFUSED_SECONDS = 2;
const FRAME_MARGIN = 1024;
/** Mailboxes that are remembered after they were closed. */
const MAX_PAST = 10_000;
/** Shorter messages are copied faster than they are handed over. */
const LONG_BYTES = 1 << 16;

const { settings, port, words, token } = workerData as CourierStart;

function say(message: FromCourier, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
  Atomics.add(words, SAID, 1);
  Atomics.notify(words, SAID);
}

const seconds = (): number => performance.now() / 1000;

class CourierThread {
  private readonly connection: NatsConnection;
  private readonly subjects: Subjects = subjectsOf(settings);
  private readonly channels = new Map<number, Channel>();
  /** By mailbox, as sessions. */
  private readonly asks = new Map<string, Ask>();
  private readonly sessions = new Map<string, Pick<SessionKey, "node" | "mailbox">>();
  /** Mailboxes that were closed: what comes late is not offence. */
  private readonly past = new Set<string>();
  /** By node: what one sends too much of hides nothing of another. */
  private readonly drops = new Map<string | undefined, DropCount>();
  /** The highest number of a channel. */
  private opened = 0;
  private readonly nodes = new Map<string, NodeSigns>();
  private readonly looking = new LoopLook();
  private isConnected = true;
  private keptAt = 0;

  constructor(connection: NatsConnection) {
    this.connection = connection;
    connection.subscribe(this.subjects.answer(token, "*"), {
      callback: (error, message) => {
        if (error === null) this.hear(message);
      },
    });
    setInterval(() => this.tick(), TICK_MS);
    void this.watch();
  }

  take(message: ToCourier): void {
    switch (message.kind) {
      case "ask":
        this.ask(message);
        break;
      case "expect":
        this.sessions.set(message.mailbox, message);
        break;
      case "open":
        this.listenTo(message.session.node);
        this.opened = Math.max(this.opened, message.channel);
        this.channels.set(message.channel, {
          unit: message.unit,
          session: message.session,
          line: new CallLine(message.unit, message.session.node, message.channel, this.limit()),
        });
        break;
      case "call": {
        const channel = this.channels.get(message.channel);
        if (channel === undefined) break;
        this.looking.stir();
        this.publish(channel, channel.line.begin(message.message, seconds()));
        break;
      }
      case "close":
        void this.close(message.channel);
        break;
      case "end":
        void this.end();
        break;
    }
  }

  private limit(): number {
    return (this.connection.info?.max_payload ?? 1 << 20) - FRAME_MARGIN;
  }

  private publish({ session }: Channel, frames: readonly Uint8Array[]): void {
    const subject = this.subjects.call(session.node, session.key);
    for (const frame of frames) this.connection.publish(subject, frame);
  }

  private ask({ id, node, body, seconds: bound }: Extract<ToCourier, { kind: "ask" }>): void {
    const now = seconds();
    if (node !== undefined) this.listenTo(node);
    const ask: Ask = {
      id,
      mailbox: mailboxName(),
      node,
      data: packJson(body),
      until: now + bound,
      replies: new Replies(),
      bodies: [],
      sentAt: now,
      isUnheard: false,
      begun: now,
    };
    this.asks.set(ask.mailbox, ask);
    this.sendAsk(ask);
  }

  private sendAsk(ask: Ask): void {
    ask.sentAt = seconds();
    const subject = ask.node === undefined ? this.subjects.ask : this.subjects.node(ask.node);
    const reply = this.subjects.answer(token, ask.mailbox);
    this.connection.publish(subject, ask.data, { reply });
  }

  private listenTo(node: string): void {
    if (this.nodes.has(node)) return;
    const signs: NodeSigns = { heardAt: undefined, boot: "", sessions: new Set() };
    this.nodes.set(node, signs);
    this.connection.subscribe(this.subjects.beat(node), {
      callback: (error, message) => {
        if (error === null) this.beat(node, signs, message);
      },
    });
  }

  /** A sign of life says which sessions there are: one that is missing has ended. */
  private beat(node: string, signs: NodeSigns, message: Msg): void {
    try {
      const beat = new Untrusted(unpackJson(message.data), "the sign of life");
      signs.boot = beat.text("boot", 64);
      signs.sessions = new Set(beat.counts("sessions", Number.MAX_SAFE_INTEGER));
      signs.heardAt = seconds();
    } catch (error) {
      if (!(error instanceof Nonsense)) throw error;
      return;
    }
    for (const [number, { session, unit }] of this.channels) {
      if (session.node !== node) continue;
      if (session.boot !== signs.boot)
        this.lose(
          number,
          "its node was started again",
          `'${unit}' is lost: its node '${node}' was started again`,
        );
      else if (!signs.sessions.has(session.number))
        this.lose(
          number,
          "its session ended",
          `'${unit}' is lost: its session on '${node}' has ended`,
        );
    }
  }

  /**
   * What does not parse, or is not for the one it comes from to say, is dropped: the question is
   * repeated, for as long as it may be.
   */
  private hear({ subject, data }: Msg): void {
    const mailbox = subject.slice(subject.lastIndexOf(".") + 1);
    if (this.past.has(mailbox)) return;
    const ask = this.asks.get(mailbox);
    const session = this.sessions.get(mailbox);
    try {
      if (ask !== undefined) this.takeReply(ask, data);
      else if (session !== undefined) this.takeFrame(session, data);
      else throw new Nonsense("nothing was asked there");
    } catch (error) {
      if (!(error instanceof Nonsense)) throw error;
      this.drop(ask?.node ?? session?.node, error.message);
    }
  }

  /** Reported to one of the units that the peer serves, so that it is in the log of the run. */
  private drop(node: string | undefined, why: string): void {
    const drops = this.drops.get(node) ?? new DropCount();
    this.drops.set(node, drops);
    const text = drops.add(node === undefined ? "a stranger" : `'${node}'`, why);
    if (text === undefined) return;
    const all = [...this.channels];
    const [channel] = all.find(([, { session }]) => session.node === node) ?? all[0] ?? [];
    if (channel !== undefined) say({ kind: "notice", channel, text });
  }

  private takeReply(ask: Ask, data: Uint8Array): void {
    // An empty message is the server's: nobody listens to the question.
    if (data.length === 0) {
      ask.isUnheard = true;
      return;
    }
    const body = ask.replies.take(data);
    if (ask.node !== undefined) this.heard(ask.node);
    // An answer that is on its way is not asked for again.
    ask.sentAt = seconds();
    if (body === undefined) return;
    ask.bodies.push(body);
    if (ask.node !== undefined) this.endAsk(ask, { kind: "reply", id: ask.id, bodies: ask.bodies });
  }

  private endAsk({ mailbox }: Ask, message: FromCourier): void {
    this.asks.delete(mailbox);
    this.forget(mailbox);
    say(message);
  }

  private forget(mailbox: string): void {
    this.past.add(mailbox);
    const [oldest] = this.past;
    if (this.past.size > MAX_PAST && oldest !== undefined) this.past.delete(oldest);
  }

  /** A session speaks for its own channels only. @throws Nonsense */
  private takeFrame({ mailbox }: Pick<SessionKey, "mailbox">, data: Uint8Array): void {
    const frame = takeFrame(data);
    if (frame.kind === FRAME.ended) {
      this.sessionEnded(mailbox, frame.body);
      return;
    }
    if (frame.kind !== FRAME.answer) throw new Nonsense(`a frame of kind ${frame.kind}`);
    const channel = this.channels.get(frame.channel);
    // One that was closed may be answered late.
    if (channel === undefined && frame.channel <= this.opened) return;
    if (channel?.session.mailbox !== mailbox)
      throw new Nonsense(`an answer for channel ${frame.channel}, which is not one of its own`);
    this.heard(channel.session.node);
    const answer = channel.line.take(frame, seconds());
    if (answer === undefined) return;
    this.looking.stir();
    // Not slice: what comes from a socket is a Buffer, whose slices share its memory.
    const message = new Uint8Array(answer);
    say(
      { kind: "answer", channel: frame.channel, message },
      message.length > LONG_BYTES ? [message.buffer] : [],
    );
  }

  /** @param body the session's key and how it ended. */
  private sessionEnded(mailbox: string, body: Uint8Array): void {
    const text = new TextDecoder().decode(body);
    const how = text.slice(KEY_LENGTH, KEY_LENGTH + 500);
    for (const [number, { session, unit }] of this.channels)
      if (session.mailbox === mailbox && session.key === text.slice(0, KEY_LENGTH))
        this.lose(number, how, `the process of '${unit}' on '${session.node}' ended with ${how}`);
  }

  private heard(node: string): void {
    const signs = this.nodes.get(node);
    if (signs !== undefined) signs.heardAt = seconds();
  }

  private lose(channel: number, how: string, problem: string): void {
    if (this.channels.delete(channel)) say({ kind: "lost", channel, how, problem });
  }

  private tick(): void {
    Atomics.add(words, TURNS, 1);
    const now = seconds();
    for (const [number, channel] of this.channels) {
      const { heardAt } = this.nodes.get(channel.session.node) ?? {};
      const signs: PeerSigns = { heardAt, isConnected: this.isConnected };
      this.act(number, channel, channel.line.tick(now, signs, settings));
    }
    for (const ask of this.asks.values()) this.tickAsk(ask, now);
    if (now - this.keptAt < KEEP_SECONDS) return;
    this.keptAt = now;
    for (const session of new Map(
      [...this.channels.values()].map((channel) => [channel.session.key, channel.session]),
    ).values())
      this.connection.publish(
        this.subjects.call(session.node, session.key),
        emptyFrame(FRAME.keep),
      );
  }

  private act(number: number, channel: Channel, action: CallAction | undefined): void {
    if (action?.kind === "resend") this.publish(channel, action.frames);
    if (action?.kind === "notice") say({ kind: "notice", channel: number, text: action.text });
    if (action?.kind === "lost") this.lose(number, action.how, action.problem);
  }

  private tickAsk(ask: Ask, now: number): void {
    const { id } = ask;
    if (ask.node === undefined) {
      if (now >= ask.until) this.endAsk(ask, { kind: "reply", id, bodies: ask.bodies });
      return;
    }
    const { heardAt } = this.nodes.get(ask.node) ?? {};
    const isUnknown =
      heardAt === undefined && now - ask.begun > UNKNOWN_SECONDS && this.isConnected;
    const silent = now - Math.max(heardAt ?? ask.begun, ask.begun);
    // It is there and takes no questions of ours: it has named others.
    const isRefused = ask.isUnheard && heardAt !== undefined && now - ask.begun > REFUSED_SECONDS;
    if (isUnknown || isRefused || now > ask.until || silent > settings.silenceSeconds) {
      const why = isUnknown
        ? "no such node is heard"
        : isRefused
          ? `it is there, but does not serve '${settings.identity}'`
          : `it did not answer within ${Math.round(now - ask.begun)} s`;
      this.endAsk(ask, { kind: "unanswered", id, why });
    } else if (now - ask.sentAt > REPEAT_ASK_SECONDS && this.isConnected) this.sendAsk(ask);
  }

  private async close(number: number): Promise<void> {
    const channel = this.channels.get(number);
    this.channels.delete(number);
    if (channel !== undefined) {
      const { session } = channel;
      const { mailbox } = session;
      const isLast = ![...this.channels.values()].some((one) => one.session.mailbox === mailbox);
      const subject = this.subjects.call(session.node, session.key);
      this.connection.publish(subject, emptyFrame(FRAME.close, number));
      if (isLast) {
        this.connection.publish(subject, emptyFrame(FRAME.end));
        this.sessions.delete(mailbox);
        this.forget(mailbox);
      }
      if (this.isConnected) await this.connection.flush().catch(() => undefined);
    }
    say({ kind: "closed", channel: number });
  }

  private async end(): Promise<void> {
    if (this.isConnected) await this.connection.drain().catch(() => undefined);
    say({ kind: "ended" });
    process.exit(0);
  }

  private async watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === "disconnect") this.isConnected = false;
      if (status.type !== "reconnect") continue;
      this.isConnected = true;
      for (const [number, channel] of this.channels)
        this.act(number, channel, channel.line.reconnected(seconds()));
    }
  }
}

function emptyFrame(kind: number, channel = 0): Uint8Array {
  return putFrame({ kind, channel, number: 0, piece: 0, pieces: 1, body: new Uint8Array(0) });
}

process.on("uncaughtException", (error) => say({ kind: "broken", message: errorText(error) }));
try {
  const connection = await connectNats(settings, `cosimo ${settings.identity}`);
  const thread = new CourierThread(connection);
  await connection.flush();
  say({ kind: "connected" });
  port.on("message", (message: ToCourier) => thread.take(message));
} catch (error) {
  const fix = error instanceof Unreachable || error instanceof SettingProblem ? error.fix : "";
  say({ kind: "refused", message: errorText(error), fix });
}
