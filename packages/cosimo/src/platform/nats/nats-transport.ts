/**
 * The way to one unit on a node, as a transport: several can have a message under way at once, one
 * each.
 */
import type { Transport } from "../../remote/transport.ts";
import { ByteReader, type ByteWriter } from "../../unit/bytes.ts";
import type { Courier } from "./courier.ts";
import type { SessionKey } from "./courier-protocol.ts";

export class NatsTransport implements Transport {
  private readonly courier: Courier;
  /** Of the session, where its unit is. */
  readonly channel: number;

  /** @param onNotice is called when an answer takes long. */
  constructor(
    courier: Courier,
    unit: string,
    session: SessionKey,
    onNotice: (text: string) => void = () => undefined,
  ) {
    this.courier = courier;
    this.channel = courier.open(unit, session, onNotice);
  }

  send(message: ByteWriter): void {
    this.courier.send(this.channel, message.take());
  }

  receive(): ByteReader {
    return new ByteReader(this.courier.receive(this.channel));
  }

  close(): void {
    this.courier.close(this.channel);
  }
}
