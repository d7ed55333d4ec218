/**
 * The cuts of a distributed run, as the process that records it has them: when the next one is due,
 * what it knew itself at each, and the last one that is whole. With a cut the run goes on after a
 * process is gone, and, from disk, after this one is. Rows are those of an undisturbed run: what is
 * recorded once more is not given out again.
 */
import type { CheckpointKeeper, RunState } from "../engine/checkpoint.ts";
import type { DivergenceMonitor } from "../engine/divergence-monitor.ts";
import { packParts, unpackParts } from "../engine/masters/master-state.ts";
import type { PlanState } from "../engine/signals.ts";
import type { Banks } from "../model/value-type.ts";
import { planHash } from "../plan/plan-hash.ts";
import { copyBanks, fillBanks } from "../unit/banks.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Rows } from "./rows.ts";

/** Where the parts of cuts are, besides what this process knows. */
export interface CutPlaces {
  /** Words by which the parts of a cut are found, now or by another process. */
  address(number: number): Uint8Array;
  /** Earlier cuts will not be needed. */
  forgetBefore(number: number): void;
}

interface Own {
  readonly number: number;
  readonly time: number;
  readonly steps: number;
  readonly banks: Banks;
  /** Rows and monitor. */
  readonly bytes: Uint8Array;
  readonly address: Uint8Array;
}

export interface CutsOptions {
  readonly state: PlanState;
  readonly rows: Rows;
  readonly monitor: DivergenceMonitor;
  readonly places: CutPlaces;
  readonly checkpoint?: CheckpointKeeper | undefined;
  /** Seconds on a clock that only goes forward. */
  readonly now: () => number;
}

/** Between two cuts where nobody says when. */
const EVERY_SECONDS = 30;
const RETRY_SECONDS = 10;
/** Processes that are lost one after the other without a cut in between. */
const MAX_LOSSES = 3;

export class Cuts {
  /** How often the run went on from a cut. */
  readonly resumptions: { readonly time: number; readonly lost: string }[] = [];
  private readonly options: CutsOptions;
  private open: Own | undefined;
  /** The last whole one, and the one before. */
  private whole: Own | undefined;
  private before: Own | undefined;
  private last = 0;
  private takenAt: number;
  private notBefore = 0;
  private losses = 0;
  private given = 0;

  constructor(options: CutsOptions) {
    this.options = options;
    this.takenAt = options.now();
  }

  /** Whether a row is given out, by how many there are with it. */
  isNew(count: number): boolean {
    if (count <= this.given) return false;
    this.given = count;
    return true;
  }

  /** There is one to go on from. */
  get isWhole(): boolean {
    return this.whole !== undefined && this.losses < MAX_LOSSES;
  }

  isDue(time: number): boolean {
    const { checkpoint, now } = this.options;
    if (now() < this.notBefore) return false;
    return checkpoint?.isDue(time) ?? now() - this.takenAt >= EVERY_SECONDS;
  }

  /** A cut could not be kept. */
  failed(): void {
    this.notBefore = this.options.now() + RETRY_SECONDS;
  }

  next(): number {
    this.takenAt = this.options.now();
    return ++this.last;
  }

  /** What this process knows at a cut. */
  take(number: number, time: number, steps: number): void {
    const { state, rows, monitor, places } = this.options;
    const bytes = new ByteWriter();
    rows.save(bytes);
    bytes.bytes(packParts([monitor]));
    const address = places.address(number);
    const banks = copyBanks(state.banks);
    this.open = { number, time, steps, banks, bytes: bytes.take(), address };
  }

  /** All parts of the cut are there. */
  kept(number: number): void {
    const own = this.open;
    if (own?.number !== number) return;
    this.before = this.whole;
    this.whole = own;
    this.losses = 0;
    this.options.checkpoint?.store(this.asState(own));
    // The disk has the last two.
    if (this.before !== undefined) this.options.places.forgetBefore(this.before.number);
  }

  private asState({ number, time, steps, banks, bytes, address }: Own): RunState {
    const master = new ByteWriter();
    master.f64(number);
    master.f64(this.given);
    master.bytes(bytes);
    master.bytes(address);
    const hash = planHash(this.options.state.plan);
    return { planHash: hash, time, steps, banks, units: [], master: master.take() };
  }

  /** What was kept on disk becomes the last whole cut. */
  resume({ banks, time, steps, master = new Uint8Array(0) }: RunState): void {
    const kept = new ByteReader(master);
    const number = kept.f64();
    this.given = kept.f64();
    const own = { number, time, steps, banks, bytes: kept.bytes(), address: kept.bytes() };
    this.whole = own;
    this.last = number;
  }

  /** @returns the address of the cut to go on from; undefined where there is none, or none left. */
  goBack(lost?: string): Uint8Array | undefined {
    const { whole } = this;
    const { state, rows, monitor } = this.options;
    if (whole === undefined) return undefined;
    if (lost !== undefined) {
      this.losses++;
      this.resumptions.push({ time: whole.time, lost });
    }
    this.open = undefined;
    fillBanks(state.banks, whole.banks);
    const bytes = new ByteReader(whole.bytes);
    rows.restore(bytes);
    unpackParts(bytes.bytes(), [monitor]);
    return whole.address;
  }
}
