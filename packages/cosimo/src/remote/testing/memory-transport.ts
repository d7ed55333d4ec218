/**
 * A transport without a way: messages are answered by a server in the same process, the moment the
 * answer is wanted. For tests of everything that does not depend on where the peer is; it can be
 * told to lose the peer.
 */
import { ByteReader, ByteWriter } from "../../unit/bytes.ts";
import type { Ties } from "../../unit/ties.ts";
import type { Unit } from "../../unit/unit.ts";
import { PeerLost } from "../protocol.ts";
import type { Transport } from "../transport.ts";
import { UnitServer } from "../unit-server.ts";

export interface MemoryTransportOptions {
  /** Messages that are answered before the peer is lost; default: all. */
  readonly dies?: (message: number) => boolean;
  /**
   * Orders simultaneous events in place of the caller: a call in the same thread cannot be
   * interrupted.
   */
  readonly ties?: Ties;
}

export class MemoryTransport implements Transport {
  readonly sent: Uint8Array[] = [];
  isClosed = false;
  private readonly server: UnitServer;
  private readonly options: MemoryTransportOptions;
  private readonly answer = new ByteWriter();

  constructor(open: (order: string) => Unit, options: MemoryTransportOptions = {}) {
    this.server = new UnitServer({ open, ...(options.ties && { ties: options.ties }) });
    this.options = options;
  }

  send(message: ByteWriter): void {
    this.sent.push(message.take());
  }

  receive(): ByteReader {
    if (this.options.dies?.(this.sent.length))
      throw new PeerLost("SIGSEGV", { call: "fmi2DoStep" });
    const promised = this.server.handle(new ByteReader(this.sent.at(-1)!), this.answer);
    if (promised !== undefined) throw new Error("a unit in memory opens at once");
    return new ByteReader(this.answer.take());
  }

  close(): void {
    this.isClosed = true;
  }
}
