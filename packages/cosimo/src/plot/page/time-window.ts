/**
 * The part of the time axis that all panels of a plot page show, and how it moves: never beyond the
 * data, never to nothing.
 */

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The narrowest window, as a share of the whole. */
const NARROWEST = 1e-9;

export class TimeWindow {
  private all: Span;
  private current: Span;
  private readonly changed: () => void;

  /** @param changed is called after every move. */
  constructor(start: number, stop: number, changed: () => void) {
    this.all = { from: start, to: stop > start ? stop : start + 1 };
    this.current = this.all;
    this.changed = changed;
  }

  get whole(): Span {
    return this.all;
  }

  /**
   * There is more, or less, to see. A window that shows everything goes on doing so; any other one
   * stays where it is.
   */
  extend(start: number, stop: number): void {
    const isWhole = this.current.from === this.all.from && this.current.to === this.all.to;
    this.all = { from: start, to: stop > start ? stop : start + 1 };
    this.show(isWhole ? this.all : this.current);
  }

  get span(): Span {
    return this.current;
  }

  show({ from, to }: Span): void {
    const { whole } = this;
    const length = whole.to - whole.from;
    const width = Math.min(Math.max(to - from, length * NARROWEST), length);
    const start = Math.min(Math.max(from, whole.from), whole.to - width);
    this.current = { from: start, to: start + width };
    this.changed();
  }

  showAll(): void {
    this.show(this.whole);
  }

  /** `factor` below 1 zooms in; the time `around` stays where it is, by default the middle. */
  zoom(factor: number, around: number = (this.current.from + this.current.to) / 2): void {
    const { from, to } = this.current;
    this.show({ from: around - (around - from) * factor, to: around + (to - around) * factor });
  }

  /** Moves a span by a share of its width; positive is later. */
  pan(share: number, { from, to }: Span = this.current): void {
    const by = share * (to - from);
    this.show({ from: from + by, to: to + by });
  }
}
