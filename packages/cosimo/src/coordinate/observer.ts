/**
 * The process of a distributed run that started it: it hears what units showed and how they ended,
 * and says how far all are, so that nobody runs too far ahead of what can be recorded. It decides
 * nothing: without it the units would do the same. Payloads in, payloads out, as for members.
 */
import type { UnitFailure } from "../base/outcome.ts";
import { type BankSizes, haveSizes, type Payload } from "./member.ts";
import { type Ended, putReport, type Report, takeReport } from "./report.ts";
import type { Shown } from "./rows.ts";

export interface ObserverOptions {
  /** The process of each unit. */
  readonly homes: readonly number[];
  readonly processes: number;
  /** By unit: of what it shows. */
  readonly sizes: readonly BankSizes[];
  readonly start: number;
  readonly onShown: (shown: Shown) => void;
  /** Everything before the cut has come, and nothing after it was taken. */
  readonly onCut?: (number: number) => void;
  /** All parts of the cut are kept; or one could not be, and the cut is none. */
  readonly onKept?: (number: number) => void;
  readonly onUnkept?: (number: number, process: number, why: string) => void;
}

/** A cut on its way. */
interface OpenCut {
  readonly number: number;
  /** Processes that have said their mark, and those that have kept their part. */
  readonly marked: Set<number>;
  readonly kept: Set<number>;
  /** What came of processes after their marks. */
  readonly later: { readonly process: number; readonly report: Report }[];
}

export type Failure =
  | { readonly kind: "unit"; readonly failure: UnitFailure; readonly isLost: boolean }
  | { readonly kind: "refused"; readonly process: number; readonly why: string };

interface Seen {
  reached: number;
  advances: number;
  ended: Ended | undefined;
  hasFailed: boolean;
}

export class Observer {
  /** What ended the run before its end; the earliest that came. */
  failure: Failure | undefined;
  private readonly options: ObserverOptions;
  private readonly seen: readonly Seen[];
  private readonly said: Float64Array;
  private cut: OpenCut | undefined;

  constructor(options: ObserverOptions) {
    this.options = options;
    this.seen = Array.from({ length: options.processes }, () => ({
      reached: options.start,
      advances: 0,
      ended: undefined,
      hasFailed: false,
    }));
    this.said = new Float64Array(options.processes).fill(Number.NEGATIVE_INFINITY);
  }

  /** All units are there; infinity: all have ended. */
  get reached(): number {
    return Math.min(...this.seen.map(({ reached }) => reached));
  }

  get advances(): number {
    return this.seen.reduce((sum, { advances }) => sum + advances, 0);
  }

  /** Processes at the earliest instant, which all others wait for in the end. */
  get latest(): readonly number[] {
    const { reached } = this;
    return [...this.seen.keys()].filter((p) => this.seen[p].reached === reached);
  }

  /** All processes have said that they are through. */
  get hasEnded(): boolean {
    return this.seen.every(({ ended, hasFailed }) => ended !== undefined || hasFailed);
  }

  get ends(): readonly Ended[] {
    return this.seen.flatMap(({ ended }) => ended ?? []);
  }

  hasProcessEnded(process: number): boolean {
    const { ended, hasFailed } = this.seen[process];
    return ended !== undefined || hasFailed;
  }

  /** @throws RangeError for what no process of this run says. */
  receive(process: number, bytes: Uint8Array): void {
    this.take(process, takeReport(bytes));
  }

  private take(process: number, report: Report): void {
    const { cut } = this;
    const isLater = cut?.marked.has(process) && cut.marked.size < this.seen.length;
    if (isLater) {
      cut?.later.push({ process, report });
      return;
    }
    const seen = this.seen[process];
    switch (report.kind) {
      case "shown": {
        const { reached, advances, shown } = report;
        if (!(reached >= seen.reached) || !(advances >= seen.advances))
          throw new RangeError(`process ${process} goes back in time`);
        for (const one of shown) {
          this.check(process, one);
          this.options.onShown(one);
        }
        seen.reached = reached;
        seen.advances = advances;
        break;
      }
      case "failed":
        seen.hasFailed = true;
        this.failure ??= { kind: "unit", failure: report.failure, isLost: report.isLost };
        break;
      case "refused":
        seen.hasFailed = true;
        this.failure ??= { kind: "refused", process, why: report.why };
        break;
      case "ended":
        seen.ended = report;
        seen.advances = report.advances;
        break;
      case "mark":
        this.mark(process, report.number);
        break;
      case "kept":
        this.keep(process, report.number);
        break;
      case "unkept":
        if (cut?.number !== report.number) break;
        this.cut = undefined;
        this.options.onUnkept?.(report.number, process, report.why);
        break;
      default:
        throw new RangeError(`'${report.kind}' of process ${process}`);
    }
  }

  /** A cut through all processes at once begins; one at a time. @returns the orders for it. */
  beginCut(number: number): Payload[] {
    this.cut = { number, marked: new Set(), kept: new Set(), later: [] };
    return [...this.seen.keys()].map((to) => ({ to, bytes: putReport({ kind: "mark", number }) }));
  }

  /** A cut is under way. */
  get isCutting(): boolean {
    return this.cut !== undefined;
  }

  /** Who has not said its mark, or not kept its part, of the cut under way. */
  get unkept(): readonly number[] {
    const { cut } = this;
    return cut === undefined ? [] : [...this.seen.keys()].filter((p) => !cut.kept.has(p));
  }

  private mark(process: number, number: number): void {
    const { cut } = this;
    if (cut?.number !== number) throw new RangeError(`process ${process} marks no cut`);
    cut.marked.add(process);
    if (cut.marked.size < this.seen.length) return;
    this.options.onCut?.(number);
    for (const later of cut.later.splice(0)) this.take(later.process, later.report);
  }

  private keep(process: number, number: number): void {
    const { cut } = this;
    if (cut?.number !== number) return;
    cut.kept.add(process);
    if (cut.kept.size < this.seen.length) return;
    this.cut = undefined;
    this.options.onKept?.(number);
  }

  private check(process: number, { unit, time, index, banks }: Shown): void {
    const { homes, sizes } = this.options;
    const isKnown = homes[unit] === process && haveSizes(banks, sizes[unit]);
    const isLate = time >= this.seen[process].reached;
    if (!isKnown || !isLate || index > MAX_INDEX)
      throw new RangeError(`process ${process} shows what it does not have`);
  }

  /**
   * How far all are, for a process that has not heard it. @param mayHear whether it has taken what
   * was said before.
   */
  news(mayHear: (process: number) => boolean): Payload[] {
    const { reached: time } = this;
    const payloads: Payload[] = [];
    this.seen.forEach((_, to) => {
      if (!(time > this.said[to]) || this.hasProcessEnded(to) || !mayHear(to)) return;
      this.said[to] = time;
      payloads.push({ to, bytes: putReport({ kind: "least", time }) });
    });
    return payloads;
  }

  /** Says that the run is over. */
  stop(): Payload[] {
    return [...this.seen.keys()]
      .filter((to) => !this.hasProcessEnded(to))
      .map((to) => ({ to, bytes: putReport({ kind: "stop" }) }));
  }
}

const MAX_INDEX = 1 << 30;
