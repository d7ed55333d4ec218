/**
 * What a session has for distributed runs: units are opened with their events handled where they
 * are, and the first packet about such a run makes the session a part of it (peer-session.ts),
 * which is loaded then.
 */
import { withoutEventMode } from "../../engine/event-steps.ts";
import type { NatsConnection } from "../../platform/nats/connect.ts";
import { Nonsense } from "../../remote/protocol.ts";
import type { UnitServerOptions } from "../../remote/unit-server.ts";
import { Untrusted } from "../../remote/untrusted.ts";
import type { Unit } from "../../unit/unit.ts";
import { PeerSession, type PeerSessionOptions } from "./peer-session.ts";

const MAX_PORTS = 10_000_000;

export class DistributedSession {
  private readonly connection: NatsConnection;
  private readonly options: PeerSessionOptions;
  private session: PeerSession | undefined;
  private attempt = 0;

  constructor(connection: NatsConnection, options: PeerSessionOptions) {
    this.connection = connection;
    this.options = options;
  }

  /**
   * The caller of a unit for a distributed run says which of its inputs others drive: its events
   * are handled here then.
   */
  channel(units: UnitServerOptions): UnitServerOptions {
    return {
      ...units,
      open: async (order, index) => {
        const unit = await units.open(order, index);
        const driven = drivenIn(order);
        return driven === undefined ? unit : withoutEventMode(unit, new Set(driven));
      },
    };
  }

  /** What is of an earlier attempt is over when the run goes on from a cut. */
  take(packet: Uint8Array, unitOf: (channel: number) => Unit | undefined, attempt: number): void {
    if (attempt < this.attempt) return;
    if (attempt > this.attempt) {
      this.session?.close();
      this.session = undefined;
      this.attempt = attempt;
    }
    this.session ??= new PeerSession(this.connection, this.options);
    this.session.take(packet, unitOf);
  }

  close(): void {
    this.session?.close();
  }
}

/** @throws Nonsense */
function drivenIn(order: string): readonly number[] | undefined {
  let data: unknown;
  try {
    data = JSON.parse(order);
  } catch {
    throw new Nonsense("an order that is not JSON");
  }
  const from = new Untrusted(data, "the order");
  return from.has("driven") ? from.counts("driven", MAX_PORTS) : undefined;
}
