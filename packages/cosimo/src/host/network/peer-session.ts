/**
 * The part of a session in a distributed run: the member with its units, the link to the caller,
 * links to the sessions on other nodes. Everything that comes is a stranger's word, and what does
 * not fit is dropped, or is why the session does not take part.
 */
import { errorText } from "../../base/error-text.ts";
import { present } from "../../base/present.ts";
import { memberOf } from "../../coordinate/agreed.ts";
import { Carrier } from "../../coordinate/carrier.ts";
import type { Member } from "../../coordinate/member.ts";
import { putReport } from "../../coordinate/report.ts";
import type { Section } from "../../coordinate/section.ts";
import type { NatsConnection } from "../../platform/nats/connect.ts";
import { openPartStore, type PartStore } from "../../platform/nats/part-store.ts";
import { peerSubject, pieceBytes } from "../../platform/nats/peer-subjects.ts";
import { isAnswerTo } from "../../platform/nats/subjects.ts";
import { Nonsense } from "../../remote/protocol.ts";
import type { Unit } from "../../unit/unit.ts";
import { type Invitation, type InvitedCuts, takeInvitation } from "./agreement-data.ts";
import { takeForeign } from "./foreign.ts";
import { openParts, type PeerKeys, partName, sealParts } from "./part-box.ts";

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
  private subscription: { unsubscribe(): void } | undefined;
  private store: Promise<PartStore> | undefined;
  /** What the caller said before the member was there. */
  private readonly early: Uint8Array[] = [];
  private isPlanned = false;
  private isClosed = false;

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
        else if (this.member === undefined) this.early.push(payload);
        else this.member.receive(this.invitation.nodes.length, payload);
      }
    });
    this.plan();
  }

  /** Takes part, or says why it does not. */
  private join(payload: Uint8Array, unitOf: (channel: number) => Unit | undefined): void {
    const { project, node, identity } = this.options;
    const invitation = takeInvitation(payload);
    const { process, nodes, answers, seats } = invitation;
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
      const { cuts } = invitation;
      if (cuts?.from === undefined) this.begin(invitation, units, undefined);
      else
        void this.partsOf(invitation, cuts.from).then(
          (sections) => this.begin(invitation, units, sections),
          (error: unknown) => this.refuse(error),
        );
    } catch (error) {
      this.refuse(error);
    }
  }

  private refuse(error: unknown): void {
    this.caller.send(CALLER, putReport({ kind: "refused", why: errorText(error) }));
    this.flush();
  }

  /** @param sections of the cut that it goes on from. */
  private begin(
    invitation: Invitation,
    units: readonly Unit[],
    sections: readonly Section[] | undefined,
  ): void {
    if (this.isClosed) return;
    const { agreed, process, nodes, run, cuts } = invitation;
    const { project, node } = this.options;
    try {
      const from = sections && cuts?.from && { number: cuts.from.number, sections };
      const kept = cuts && {
        keep: (number: number, parts: readonly Section[]) => void this.keep(cuts, number, parts),
        ...present({ from }),
      };
      this.member = memberOf(agreed, process, units, kept);
    } catch (error) {
      this.refuse(error);
      return;
    }
    // What others sent before is lost, and sent again.
    const others = [...nodes.keys()].filter((p) => p !== process);
    this.others = new Carrier(others, this.pieceBytes);
    this.subscription = this.connection.subscribe(peerSubject(project, run, node, "*"), {
      callback: (error, { subject, data }) => {
        if (error === null) this.hear(nodes.indexOf(lastToken(subject)), data);
      },
    });
    for (const payload of this.early.splice(0))
      this.guarded(() => this.member?.receive(nodes.length, payload));
    this.plan();
  }

  private parts(): Promise<PartStore> {
    this.store ??= openPartStore(this.connection, this.options.project);
    return this.store;
  }

  /** Of this session's peers, from the processes that had them. */
  private async partsOf(
    { cuts }: Invitation,
    { number, processes }: NonNullable<InvitedCuts["from"]>,
  ): Promise<Section[]> {
    const { token, keys } = cuts as InvitedCuts;
    const store = await this.parts();
    const found: Section[] = [];
    for (const process of processes) {
      const part = await store.get(partName({ token, number }, process));
      found.push(...openParts({ token, number }, part, keysOf(keys)));
    }
    return found;
  }

  private async keep(
    { token, keys }: InvitedCuts,
    number: number,
    sections: readonly Section[],
  ): Promise<void> {
    const { process } = this.invitation as Invitation;
    let why: string | undefined;
    try {
      const part = sealParts({ token, number }, sections, keysOf(keys));
      const store = await this.parts();
      await store.put(partName({ token, number }, process), part);
    } catch (error) {
      why = errorText(error);
    }
    if (this.isClosed) return;
    this.member?.sayKept(number, why);
    this.flush();
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
    takeForeign(act, (why) => this.options.onDropped(why));
  }

  /** Works soon, when what has come meanwhile was taken. */
  private plan(): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    setImmediate(() => {
      this.isPlanned = false;
      if (this.isClosed) return;
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
    if (this.isClosed || this.connection.isClosed()) return;
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
    this.isClosed = true;
    this.subscription?.unsubscribe();
    clearInterval(this.timer);
  }
}

function keysOf(keys: InvitedCuts["keys"]): PeerKeys {
  return new Map(keys.map(({ peer, key }) => [peer, Buffer.from(key, "hex")]));
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
