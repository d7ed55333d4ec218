/**
 * The caller's end of a transport, shared by the units that a peer has: one message under way at a
 * time, answers that belong to units which do not ask for them yet, questions of the peer in
 * between.
 */
import { ByteReader, ByteWriter, EndOfBytes } from "../unit/bytes.ts";
import type { Ties } from "../unit/ties.ts";
import { FROM_UNIT } from "./codes.ts";
import { takeAsk } from "./decode.ts";
import { putMessage } from "./encode.ts";
import { Nonsense, PeerLost } from "./protocol.ts";
import type { Transport } from "./transport.ts";

/** The sender of a message. */
export interface Caller {
  readonly name: string;
  /** Orders simultaneous events where the unit asks for it. */
  readonly decider: Ties | undefined;
}

export class Connection {
  private readonly transport: Transport;
  private underWay: Caller | undefined;
  /** Answers that came before they were asked for, or why none did. */
  private readonly early = new Map<Caller, ByteReader | PeerLost>();
  private readonly reply = new ByteWriter();
  private lost: PeerLost | undefined;
  private users = 0;
  /** Nobody uses it any more, or the peer is lost. */
  isClosed = false;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** Another unit uses it; the last one that leaves closes it. */
  join(): void {
    this.users++;
  }

  leave(): void {
    if (--this.users > 0) return;
    this.isClosed = true;
    this.transport.close();
  }

  /** Why nothing is answered any more. */
  get failure(): PeerLost | undefined {
    return this.lost;
  }

  /** A message is under way. */
  get isBusy(): boolean {
    return this.underWay !== undefined;
  }

  /** Sends a message; `finish` gives its answer. Between the two the caller sends nothing else. */
  begin(caller: Caller, message: ByteWriter): void {
    if (this.lost !== undefined) throw this.lost;
    const { underWay } = this;
    if (underWay === caller) throw new Error(`internal: '${caller.name}' is called in a call`);
    // A peer does one thing after the other.
    if (underWay !== undefined) this.fetchEarly(underWay);
    if (this.lost !== undefined) throw this.lost;
    this.underWay = caller;
    this.guard(() => this.transport.send(message));
  }

  /** @returns the answer, its kind still to be read; valid until the next message. */
  finish(caller: Caller): ByteReader {
    const early = this.early.get(caller);
    if (early !== undefined) {
      this.early.delete(caller);
      if (early instanceof PeerLost) throw early;
      return early;
    }
    if (this.underWay !== caller)
      throw new Error(`internal: '${caller.name}' has no call under way`);
    this.underWay = undefined;
    return this.receive(caller);
  }

  exchange(caller: Caller, message: ByteWriter): ByteReader {
    this.begin(caller, message);
    return this.finish(caller);
  }

  /** Runs `read` on an answer; what it does not understand ends the connection. */
  understand<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Nonsense || error instanceof EndOfBytes)) throw error;
      throw this.giveUp(
        new PeerLost("an answer that is not one", {
          problem: `what came from its process is not an answer (${error.message}): its memory may be damaged`,
        }),
      );
    }
  }

  private fetchEarly(caller: Caller): void {
    this.underWay = undefined;
    try {
      const answer = this.receive(caller);
      this.early.set(caller, new ByteReader(answer.rest()));
    } catch (error) {
      if (!(error instanceof PeerLost)) throw error;
      this.early.set(caller, error);
    }
  }

  private receive(caller: Caller): ByteReader {
    for (;;) {
      const answer = this.guard(() => this.transport.receive());
      const at = answer.position;
      const kind = this.understand(() => FROM_UNIT.name(answer.u8()));
      if (kind !== "ask") {
        answer.moveBack(at);
        return answer;
      }
      const tie = this.understand(() => takeAsk(answer));
      this.reply.cut(0);
      putMessage(this.reply, { kind: "choice", place: caller.decider?.choose(tie) ?? 0 });
      this.guard(() => this.transport.send(this.reply));
    }
  }

  private guard<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      throw error instanceof PeerLost ? this.giveUp(error) : error;
    }
  }

  private giveUp(error: PeerLost): PeerLost {
    this.lost ??= error;
    this.isClosed = true;
    this.transport.close();
    return error;
  }
}
