/**
 * The network for a run that waits: synchronous calls in front of a thread that is not
 * (courier-thread.ts). Messages go through a port; the caller sleeps in memory that both share
 * until the thread has an answer. Every wait has a bound: the thread ends each, and a
 * thread that does not turn any more is noticed here.
 */
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import { PeerLost } from "../../remote/protocol.ts";
import { Unreachable } from "./connect.ts";
import {
  type CourierStart,
  type FromCourier,
  SAID,
  type SessionKey,
  type ToCourier,
  TURNS,
} from "./courier-protocol.ts";
import { BlockingLook } from "./looking.ts";
import type { NetworkSettings } from "./network-settings.ts";
import { mailboxName, subjectsOf } from "./subjects.ts";

export interface CourierOptions {
  /** The program of the thread; default: that of this package. */
  readonly program?: string;
}

/** A question that no node answered. */
export class Unanswered extends Error {
  constructor(why: string) {
    super(why);
    this.name = "Unanswered";
  }
}

/** What came for a channel. */
interface Inbox {
  answer: Uint8Array | undefined;
  lost: PeerLost | undefined;
  isClosed: boolean;
  readonly onNotice: (text: string) => void;
}

const PROGRAM = fileURLToPath(new URL("./courier-thread.js", import.meta.url));
const SLICE_MS = 1000;
/** A thread that does not turn for so long is gone. */
const STUCK_MS = 30_000;
const CLOSE_MS = 2000;

export class Courier {
  readonly settings: NetworkSettings;
  /** Of this caller, in subjects of answers. */
  readonly token: string = randomBytes(16).toString("hex");
  private readonly port: MessagePort;
  private readonly worker: Worker;
  private readonly words = new Int32Array(new SharedArrayBuffer(64));
  private readonly looking = new BlockingLook();
  private readonly inboxes = new Map<number, Inbox>();
  private readonly replies = new Map<number, readonly Uint8Array[] | Unanswered>();
  private isConnected = false;
  private isEnded = false;
  private failure: Error | undefined;
  private channels = 0;
  private asks = 0;

  /** @throws Unreachable where the server is not there, or does not let us in. */
  constructor(settings: NetworkSettings, { program = PROGRAM }: CourierOptions = {}) {
    this.settings = settings;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const start: CourierStart = { settings, port: port2, words: this.words, token: this.token };
    this.worker = new Worker(program, { workerData: start, transferList: [port2] });
    this.worker.on("error", (error) => {
      this.failure ??= error;
    });
    this.worker.unref();
    this.port.unref();
    this.wait(() => this.isConnected);
  }

  /** Where the answers of one session go, which only its node knows. */
  mailbox(node: string): { readonly name: string; readonly subject: string } {
    const name = mailboxName();
    this.post({ kind: "expect", node, mailbox: name });
    return { name, subject: subjectsOf(this.settings).answer(this.token, name) };
  }

  /** Asks one node. @returns its answer, packed JSON. @throws Unanswered */
  ask(node: string, body: unknown, seconds: number): Uint8Array {
    const [reply] = this.question(node, body, seconds);
    if (reply === undefined) throw new Unanswered("it gave no answer");
    return reply;
  }

  /** Asks all nodes, and waits so long for answers. */
  askAll(body: unknown, seconds: number): readonly Uint8Array[] {
    return this.question(undefined, body, seconds);
  }

  /** A way to one unit of a session. */
  open(unit: string, session: SessionKey, onNotice: (text: string) => void): number {
    const channel = ++this.channels;
    this.inboxes.set(channel, { answer: undefined, lost: undefined, isClosed: false, onNotice });
    this.post({ kind: "open", channel, unit, session });
    return channel;
  }

  send(channel: number, message: Uint8Array): void {
    const inbox = this.inbox(channel);
    if (inbox.lost !== undefined) throw inbox.lost;
    this.post({ kind: "call", channel, message });
  }

  /** @throws PeerLost */
  receive(channel: number): Uint8Array {
    const inbox = this.inbox(channel);
    try {
      this.wait(() => inbox.answer !== undefined || inbox.lost !== undefined);
    } catch (error) {
      throw new PeerLost("the network thread ended", { problem: String(error) });
    }
    const { answer, lost } = inbox;
    inbox.answer = undefined;
    if (answer !== undefined) return answer;
    throw lost ?? new Error("internal: nothing came");
  }

  close(channel: number): void {
    const inbox = this.inboxes.get(channel);
    if (inbox === undefined) return;
    if (inbox.lost === undefined && this.failure === undefined) {
      this.post({ kind: "close", channel });
      this.wait(() => inbox.isClosed || inbox.lost !== undefined, CLOSE_MS);
    }
    this.inboxes.delete(channel);
  }

  /** Ends the thread when everything is sent. */
  end(): void {
    if (this.isEnded || this.failure !== undefined) return;
    this.post({ kind: "end" });
    this.wait(() => this.isEnded, CLOSE_MS);
    this.port.close();
  }

  private question(
    node: string | undefined,
    body: unknown,
    seconds: number,
  ): readonly Uint8Array[] {
    const id = ++this.asks;
    this.post({ kind: "ask", id, node, body, seconds });
    this.wait(() => this.replies.has(id));
    const reply = this.replies.get(id) ?? [];
    this.replies.delete(id);
    if (reply instanceof Unanswered) throw reply;
    return reply;
  }

  private post(message: ToCourier): void {
    if (this.failure !== undefined) throw this.failure;
    this.port.postMessage(message);
  }

  private inbox(channel: number): Inbox {
    const found = this.inboxes.get(channel);
    if (found === undefined) throw new Error(`internal: channel ${channel} is not open`);
    return found;
  }

  /**
   * Sleeps until `isThere`, at most so long where a bound is given: the thread bounds everything
   * else.
   */
  private wait(isThere: () => boolean, boundMs: number = Number.POSITIVE_INFINITY): void {
    const { words, looking } = this;
    const begun = performance.now();
    const end = begun + boundMs;
    let turned = begun;
    let turns = -1;
    for (;;) {
      const said = Atomics.load(words, SAID);
      this.drain();
      if (isThere()) {
        looking.waited(performance.now() - begun);
        return;
      }
      if (this.failure !== undefined) throw this.failure;
      const now = performance.now();
      if (now >= end) return;
      if (Atomics.load(words, TURNS) !== turns || !this.isConnected) {
        turns = Atomics.load(words, TURNS);
        turned = now;
      } else if (now - turned > STUCK_MS) this.failure = new Error("the network thread is stuck");
      const left = Math.min(SLICE_MS, end - now);
      if (!looking.until(() => Atomics.load(words, SAID) !== said, left))
        Atomics.wait(words, SAID, said, left);
    }
  }

  private drain(): void {
    for (;;) {
      const received = receiveMessageOnPort(this.port) as { message: FromCourier } | undefined;
      if (received === undefined) return;
      this.take(received.message);
    }
  }

  private take(message: FromCourier): void {
    switch (message.kind) {
      case "connected":
        this.isConnected = true;
        break;
      case "refused":
        this.failure = new Unreachable(message.message, message.fix);
        break;
      case "broken":
        this.failure = new Error(`the network thread failed: ${message.message}`);
        break;
      case "reply":
        this.replies.set(message.id, message.bodies);
        break;
      case "unanswered":
        this.replies.set(message.id, new Unanswered(message.why));
        break;
      case "ended":
        this.isEnded = true;
        break;
      default: {
        const inbox = this.inboxes.get(message.channel);
        if (inbox === undefined) break;
        if (message.kind === "answer") inbox.answer = message.message;
        else if (message.kind === "notice") inbox.onNotice(message.text);
        else if (message.kind === "closed") inbox.isClosed = true;
        else inbox.lost = new PeerLost(message.how, { problem: message.problem });
      }
    }
  }
}
