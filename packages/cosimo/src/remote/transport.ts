/**
 * The way to a unit that is elsewhere, and back. Synchronous, because masters are: what takes time
 * is waited for here, for a bounded time (decision 26). A transport is passed as an argument; none
 * is global.
 */
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";

export interface Transport {
  /** Sends a message, which is copied. The next one is sent when this one was answered. */
  send(message: ByteWriter): void;
  /**
   * Waits for the answer.
   * @returns a reader that is valid until the next `send`.
   * @throws PeerLost when none will come.
   */
  receive(): ByteReader;
  /** Ends the connection, and the peer where it lives for this connection alone. Idempotent. */
  close(): void;
}
