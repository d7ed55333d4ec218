/**
 * A process of a distributed run that has units: its peers, what they show, and what it says to the
 * other processes. Payloads in, payloads out; it knows neither clock nor network, so that networks
 * of all kinds of faults can be simulated around it. There is no master: parcels go from the
 * process that has the source to the one that has the target, and the observer only hears what
 * units showed.
 */
import { UnitError, UnitLost } from "../base/outcome.ts";
import { StopWatch } from "../engine/stop-watch.ts";
import type { PortRef } from "../model/scenario.ts";
import { type BankName, type Banks, makeBanks } from "../model/value-type.ts";
import { decidingUnit } from "../plan/triggers.ts";
import { ByteWriter } from "../unit/bytes.ts";
import type { Unit } from "../unit/unit.ts";
import type { Parcel } from "./parcel.ts";
import { type Agreement, Peer } from "./peer.ts";
import { PeerHost } from "./peer-host.ts";
import { type Ended, putReport, type Report, takeReport } from "./report.ts";
import { type PackedPorts, packPorts, type Shown } from "./rows.ts";
import { putSection, type Section, takeSection } from "./section.ts";
import type { Transfer } from "./transfer.ts";

/** Who has which units. */
export interface Homes {
  /** The process of each peer. */
  readonly of: readonly number[];
  /** The process that records. */
  readonly observer: number;
}

export interface MemberOptions {
  readonly process: number;
  readonly homes: Homes;
  readonly agreement: Agreement;
  /** By number; only those of this process are looked at. */
  readonly units: readonly Unit[];
  readonly transfers: readonly Transfer[];
  /** By connector: of what its source gives. */
  readonly sizes: readonly BankSizes[];
  /** By unit: ports that the observer wants to see. */
  readonly shown: readonly (readonly number[])[];
  readonly watched: readonly PortRef[];
  /** The communication step, seconds. */
  readonly step: number;
  /** How many events its units sent and received. */
  readonly events?: () => Ended["events"];
  /** Where cuts are kept (section.ts). */
  readonly cuts?: CutOptions;
}

export interface CutOptions {
  /** What there is to know of a unit itself. */
  readonly putUnit: (bytes: ByteWriter, unit: number) => void;
  /** Takes the part of this process in a cut, by peer. */
  readonly keep: (number: number, sections: readonly Section[]) => void;
}

export type BankSizes = Readonly<Record<BankName, number>>;

export interface Payload {
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** What a peer showed that others have not reached: it stays where it is. */
const MAX_AHEAD = 4096;
/** How often a peer sets out before others go on. */
const TURN = 64;
/** Stops that are reported together. */
const BATCH = 256;

export class Member {
  private readonly options: MemberOptions;
  private readonly host: PeerHost;
  private readonly stops: StopWatch;
  private readonly ports = new Map<number, PackedPorts>();
  private readonly own: ReadonlySet<number>;
  private readonly peers: readonly Peer[];
  private readonly counts = new Map<number, number>();
  /** Instants that a peer has shown and not all units have reached. */
  private readonly ahead = new Map<number, number[]>();
  private parcels = new Map<number, Parcel[]>();
  private shown: Shown[] = [];
  private outbox: Payload[] = [];
  private least = Number.NEGATIVE_INFINITY;
  private said = Number.NEGATIVE_INFINITY;
  private isOver = false;
  /** The last cut that this process has a part in, and the one under way. */
  private lastCut = -1;
  private cutting: number | undefined;
  /** Processes that have said their mark of the next cut, and what came of them after it. */
  private readonly marked = new Set<number>();
  private later: { readonly from: number; readonly report: Report }[] = [];

  constructor(options: MemberOptions) {
    this.options = options;
    const { process, homes, agreement, units, transfers, watched, step } = options;
    this.stops = new StopWatch(units, step);
    const numbers = [...agreement.groups.keys()].filter((p) => homes.of[p] === process);
    this.own = new Set(numbers);
    this.peers = numbers.map((p) => {
      this.ahead.set(p, []);
      for (const u of agreement.groups[p]) this.ports.set(u, packPorts(units[u], options.shown[u]));
      return new Peer(p, units, agreement, {
        transfers,
        watched,
        onMove: (unit, time, index) => this.show(p, unit, time, index),
        onStop: (unit, time, isByItself) => this.stops.note(unit, time, isByItself),
        onExchange: ({ connector }) =>
          void this.counts.set(connector, (this.counts.get(connector) ?? 0) + 1),
      });
    });
    this.host = new PeerHost({
      peers: this.peers,
      onParcel: (parcel) => {
        const to = homes.of[parcel.to];
        const known = this.parcels.get(to);
        if (known === undefined) this.parcels.set(to, [parcel]);
        else known.push(parcel);
      },
      mayGo: (peer) => this.isClose(peer),
    });
  }

  /** Its units have failed, have come to the end, or were asked to stop. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  get isReady(): boolean {
    return !this.isOver && this.cutting === undefined && this.host.isReady;
  }

  /** Sets its units in motion; the other processes may come later. */
  begin(): void {
    this.lastCut = 0;
    this.options.cuts?.keep(0, this.sections(true));
    this.attempt(() => this.host.begin());
  }

  /** The same from a cut, with what its peers were there. @throws RangeError */
  resume(number: number, sections: readonly Section[]): void {
    const { agreement } = this.options;
    const parcels: Parcel[] = [];
    const known = new Map(sections.map(({ peer, bytes }) => [peer, bytes]));
    const isFresh = this.peers.map((peer) => {
      const bytes = known.get(peer.number);
      if (bytes === undefined) throw new RangeError(`peer ${peer.number} is not in the cut`);
      const section = takeSection(bytes, peer, agreement.groups[peer.number].length);
      if (section === undefined) return true;
      parcels.push(...section.parcels);
      for (const [connector, count] of section.counts) this.counts.set(connector, count);
      this.ahead.set(peer.number, [...section.ahead]);
      return false;
    });
    this.lastCut = number;
    if (isFresh.includes(true)) this.attempt(() => this.host.begin());
    else this.attempt(() => this.host.goOn(parcels));
  }

  /** @throws RangeError for what no process of this run says. */
  receive(from: number, bytes: Uint8Array): void {
    const report = takeReport(bytes);
    if (from === this.options.homes.observer) this.hear(report);
    else if (this.marked.has(from)) this.later.push({ from, report });
    else if (report.kind === "mark") this.mark(from, report.number);
    else if (report.kind !== "parcels") throw new RangeError(`'${report.kind}' of a process`);
    else for (const parcel of report.parcels) this.take(from, parcel);
  }

  private hear(report: Report): void {
    if (report.kind === "mark") this.beginCut(report.number);
    else this.hearOfAll(report);
  }

  private hearOfAll(report: Report): void {
    if (report.kind === "least") {
      this.least = Math.max(this.least, report.time);
      for (const times of this.ahead.values()) {
        let passed = 0;
        while (passed < times.length && times[passed] <= this.least) passed++;
        times.splice(0, passed);
      }
    } else if (report.kind === "stop") this.end();
    else throw new RangeError(`'${report.kind}' of the observer`);
  }

  /**
   * Stands still until all others have said their mark: what they sent before is here then, and
   * belongs to the cut; what they send later waits.
   */
  private beginCut(number: number): void {
    if (this.options.cuts === undefined || this.cutting !== undefined || number <= this.lastCut)
      throw new RangeError(`cut ${number} after ${this.lastCut}`);
    this.cutting = number;
    this.settle();
    this.report();
    const { process, homes } = this.options;
    const bytes = putReport({ kind: "mark", number });
    for (let to = 0; to <= homes.observer; to++)
      if (to !== process) this.outbox.push({ to, bytes });
    this.endCut();
  }

  private mark(from: number, number: number): void {
    if (number <= this.lastCut || (this.cutting ?? number) !== number)
      throw new RangeError(`process ${from} marks cut ${number} after ${this.lastCut}`);
    this.marked.add(from);
    this.endCut();
  }

  private endCut(): void {
    const { cutting, marked, options, later } = this;
    if (cutting === undefined || marked.size < options.homes.observer - 1) return;
    this.lastCut = cutting;
    this.cutting = undefined;
    marked.clear();
    this.later = [];
    options.cuts?.keep(cutting, this.sections(false));
    for (const { from, report } of later)
      if (report.kind === "parcels") for (const parcel of report.parcels) this.take(from, parcel);
      else if (report.kind === "mark") this.mark(from, report.number);
  }

  private sections(isFresh: boolean): Section[] {
    const { agreement, cuts } = this.options;
    return this.peers.map((peer) => {
      const bytes = new ByteWriter();
      for (const unit of agreement.groups[peer.number]) cuts?.putUnit(bytes, unit);
      putSection(bytes, isFresh ? undefined : peer, {
        parcels: this.host.waitingFor(peer.number),
        counts: [...this.counts].filter(
          ([c]) => agreement.groupOf[agreement.connectors[c].to.unit] === peer.number,
        ),
        ahead: this.ahead.get(peer.number) ?? [],
      });
      return { peer: peer.number, bytes: bytes.take() };
    });
  }

  /** Of the part of this process in a cut: that it is kept, or cannot be. */
  sayKept(number: number, why?: string): void {
    this.say(why === undefined ? { kind: "kept", number } : { kind: "unkept", number, why });
  }

  private take(from: number, parcel: Parcel): void {
    checkParcel(parcel, from, this.own, this.options);
    if (!this.isOver) this.host.receive(parcel);
  }

  /** Some work; what it has to say afterwards is in `payloads`. */
  work(): void {
    if (this.isOver || this.cutting !== undefined) return;
    this.attempt(() => this.host.work(TURN));
    if (!this.isOver && this.host.hasFinished) this.end();
  }

  private attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.report();
      this.isOver = true;
      const isUnit = error instanceof UnitError;
      this.say(
        isUnit
          ? { kind: "failed", failure: error.failure, isLost: error instanceof UnitLost }
          : { kind: "refused", why: error instanceof Error ? error.message : String(error) },
      );
    }
  }

  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.report();
    this.say({
      kind: "ended",
      advances: this.host.advances,
      counts: [...this.counts],
      merged: this.peers.flatMap(({ merged }) => [...merged]),
      cycles: this.peers.flatMap(({ number, rollbacks }) =>
        rollbacks === undefined ? [] : [[number, rollbacks] as const],
      ),
      events: this.options.events?.() ?? [],
      notes: this.stops.notes(),
    });
  }

  /** What has to be sent, in order. */
  payloads(): Payload[] {
    this.settle();
    // Few stops wait for others while there is something to do, and none when there is not.
    if (!this.isOver && (this.shown.length >= BATCH || !this.host.isReady)) this.report();
    const sent = this.outbox;
    this.outbox = [];
    return sent;
  }

  private settle(): void {
    for (const [to, parcels] of this.parcels)
      this.outbox.push({ to, bytes: putReport({ kind: "parcels", parcels }) });
    this.parcels.clear();
  }

  private report(): void {
    const { reached, advances } = this.host;
    if (this.shown.length === 0 && reached === this.said) return;
    this.said = reached;
    this.say({ kind: "shown", reached, advances, shown: this.shown });
    this.shown = [];
  }

  private say(report: Report): void {
    this.outbox.push({ to: this.options.homes.observer, bytes: putReport(report) });
  }

  private show(peer: number, unit: number, time: number, index: number): void {
    const { access, sizes } = this.ports.get(unit) as PackedPorts;
    const banks = makeBanks(sizes);
    this.options.units[unit].read(access, banks);
    this.shown.push({ unit, time, index, banks });
    // The earliest unit of all never waits: nothing of it is ahead.
    if (time > this.least) this.ahead.get(peer)?.push(time);
  }

  private isClose(peer: number): boolean {
    return (this.ahead.get(peer)?.length ?? 0) <= MAX_AHEAD;
  }
}

/** Holds what another process says against what was agreed on. @throws RangeError */
function checkParcel(
  { from, to, message, value }: Parcel,
  process: number,
  own: ReadonlySet<number>,
  { homes, agreement, sizes }: MemberOptions,
): void {
  const wrong = (what: string): RangeError => new RangeError(`${what} from process ${process}`);
  if (!own.has(to) || homes.of[from] !== process) throw wrong("a message between other peers");
  if (message.kind === "passed") {
    if (!(Number.isInteger(message.count) && message.count >= 0)) throw wrong("a damaged report");
    return;
  }
  if (Number.isNaN(message.time)) throw wrong("a message without a time");
  if (message.kind === "end") {
    if (!agreement.leaders.includes(from)) throw wrong("the end of the run");
    return;
  }
  if (message.kind === "promise") {
    if (message.unit !== from) throw wrong("a promise of another peer");
    return;
  }
  const connector = agreement.connectors[message.connector];
  if (connector === undefined) throw wrong("an unknown connector");
  const { groupOf } = agreement;
  const [source, target] = [groupOf[connector.from.unit], groupOf[connector.to.unit]];
  if (message.kind === "set") {
    const isOwn = source === from && target === to;
    if (!isOwn || value === undefined || !haveSizes(value, sizes[message.connector]))
      throw wrong(`a value for '${connector.name}'`);
    return;
  }
  const decides = decidingUnit(connector, connector.trigger);
  const asks = decides === undefined ? target : groupOf[decides];
  if (source !== to || (asks !== from && target !== from))
    throw wrong(`a request for '${connector.name}'`);
}

/** Whether banks have these lengths. */
export function haveSizes(banks: Banks, sizes: BankSizes): boolean {
  return (["f64", "i64", "obj"] as const).every((bank) => banks[bank].length === sizes[bank]);
}
