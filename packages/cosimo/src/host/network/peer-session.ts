/**
 * The part of a session in a distributed run: the member with its units, the link to the caller,
 * links to the sessions on other nodes. Everything that comes is a stranger's word, and what does
 * not fit is dropped, or is why the session does not take part.
 */
import { memberOf } from "../../coordinate/agreed.ts";
import { Carrier } from "../../coordinate/carrier.ts";
import type { Member } from "../../coordinate/member.ts";
import { putReport } from "../../coordinate/report.ts";
import type { NatsConnection } from "../../platform/nats/connect.ts";
import { peerSubject, pieceBytes } from "../../platform/nats/peer-subjects.ts";
import { isAnswerTo } from "../../platform/nats/subjects.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { EndOfBytes } from "../../unit/bytes.ts";
import type { Unit } from "../../unit/unit.ts";
import { type Invitation, takeInvitation } from "./agreement-data.ts";

export interface PeerSessionOptions {
  readonly project: string;
  readonly node: string;
  /** Of the caller. */
  readonly identity: string;
  readonly onDropped: (why: string) => void;
}

const TICK_MS = 100;
/** The caller, as its link is numbered here. */
const CALLER = 0;

export class PeerSession {
  private readonly connection: NatsConnection;
  private readonly options: PeerSessionOptions;
  private readonly caller: Carrier;
  private readonly timer: NodeJS.Timeout;
  private invitation: Invitation | undefined;
  private others: Carrier | undefined;
  private member: Member | undefined;
  private isPlanned = false;

  constructor(connection: NatsConnection, options: PeerSessionOptions) {
    this.connection = connection;
    this.options = options;
    this.caller = new Carrier([CALLER], this.pieceBytes);
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.timer.unref();
  }

  private get pieceBytes(): number {
    return pieceBytes(this.connection.info?.max_payload);
  }

  /** A packet of the caller. */
  take(packet: Uint8Array, unitOf: (channel: number) => Unit | undefined): void {
    this.guarded(() => {
      for (const payload of this.caller.receive(CALLER, packet)) {
        if (this.invitation === undefined) this.join(payload, unitOf);
        else this.member?.receive(this.invitation.nodes.length, payload);
      }
    });
    this.plan();
  }

  /** Takes part, or says why it does not. */
  private join(payload: Uint8Array, unitOf: (channel: number) => Unit | undefined): void {
    const { project, node, identity } = this.options;
    const invitation = takeInvitation(payload);
    const { agreed, process, nodes, run, answers, seats } = invitation;
    if (!isAnswerTo(project, identity, answers))
      throw new Nonsense("it wants its answers where none of this caller go");
    if (nodes[process] !== node) throw new Nonsense(`an invitation for '${nodes[process]}'`);
    this.invitation = invitation;
    try {
      const units: Unit[] = [];
      for (const { unit, channel } of seats) {
        const found = unitOf(channel);
        if (found === undefined || found.phase !== "step")
          throw new RangeError(`there is no initialized unit on channel ${channel}`);
        units[unit] = found;
      }
      checkPorts(invitation, units);
      const others = [...nodes.keys()].filter((p) => p !== process);
      this.others = new Carrier(others, this.pieceBytes);
      this.connection.subscribe(peerSubject(project, run, node, "*"), {
        callback: (error, { subject, data }) => {
          if (error === null) this.hear(nodes.indexOf(lastToken(subject)), data);
        },
      });
      this.member = memberOf(agreed, process, units);
      this.member.begin();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.caller.send(CALLER, putReport({ kind: "refused", why }));
    }
  }

  /** A packet of another session. */
  private hear(process: number, packet: Uint8Array): void {
    this.guarded(() => {
      // What the socket gave is used again.
      for (const payload of this.others?.receive(process, new Uint8Array(packet)) ?? [])
        this.member?.receive(process, payload);
    });
    this.plan();
  }

  private guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      const isForeign =
        error instanceof Nonsense || error instanceof EndOfBytes || error instanceof RangeError;
      if (!isForeign) throw error;
      this.options.onDropped(error.message);
    }
  }

  /** Works soon, when what has come meanwhile was taken. */
  private plan(): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    setImmediate(() => {
      this.isPlanned = false;
      this.member?.work();
      this.flush();
      if (this.member?.isReady) this.plan();
    });
  }

  private tick(): void {
    this.caller.tick();
    this.others?.tick();
    this.flush();
  }

  private flush(): void {
    if (this.connection.isClosed()) return;
    const { invitation, member, others, caller } = this;
    if (invitation === undefined) return;
    const { nodes, run, answers } = invitation;
    for (const { to, bytes } of member?.payloads() ?? []) {
      if (to === nodes.length) caller.send(CALLER, bytes);
      else others?.send(to, bytes);
    }
    const { project, node } = this.options;
    for (const { bytes } of caller.take()) this.connection.publish(answers, bytes);
    for (const { to, bytes } of others?.take() ?? [])
      this.connection.publish(peerSubject(project, run, nodes[to] as string, node), bytes);
  }

  close(): void {
    clearInterval(this.timer);
  }
}

/** What the invitation says of units of this session is true of them. */
function checkPorts({ agreed }: Invitation, units: readonly Unit[]): void {
  for (const { unit, port, type, size } of agreed.ports) {
    const described = units[unit]?.description.ports;
    if (described === undefined) continue;
    const found = described[port];
    const length = found?.shape.reduce((product, one) => product * one, 1);
    if (found === undefined || found.type !== type || length !== size)
      throw new RangeError(`'${units[unit]?.name}' has no such port ${port}`);
  }
  units.forEach((unit, u) => {
    const { length } = unit.description.ports;
    const isKnown = (port: number): boolean => port < length;
    if (agreed.shown[u]?.every(isKnown) !== true)
      throw new RangeError(`'${unit.name}' lacks a shown port`);
  });
  const places = [
    ...agreed.watched,
    ...agreed.counted,
    ...agreed.connectors.flatMap(({ trigger }) =>
      trigger.kind === "every" || trigger.port === undefined ? [] : [trigger.port],
    ),
  ];
  for (const { unit, port } of places) {
    const found = units[unit];
    if (found !== undefined && port >= found.description.ports.length)
      throw new RangeError(`'${found.name}' has no port ${port}`);
  }
}

function lastToken(subject: string): string {
  return subject.slice(subject.lastIndexOf(".") + 1);
}
