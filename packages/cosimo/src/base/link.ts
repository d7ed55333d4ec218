/**
 * One end of a connection between two parts or peers over something that loses, repeats and
 * reorders packets: numbers, acknowledgements, and sending again. What goes in at one end comes out
 * at the other, once and in order, as long as something gets through at all. It has no clock:
 * what carries packets calls `tick` from time to time. Everything that it knows is data.
 */
export interface LinkPacket<T> {
  /** 0: it carries nothing. */
  readonly number: number;
  /** All up to this number have arrived. */
  readonly seen: number;
  readonly payload?: T;
  /** The other end is to say what it has seen. */
  readonly asks: boolean;
}

export interface LinkState<T> {
  readonly sent: number;
  readonly seen: number;
  readonly open: readonly (readonly [number, T])[];
  readonly early: readonly (readonly [number, T])[];
}

export interface LinkOptions {
  /**
   * So many payloads are under way at once; others wait for their acknowledgements. Default: any
   * number.
   */
  readonly window?: number;
  /**
   * Where nothing is acknowledged, the ticks between two repetitions grow to this many. Default: 1,
   * at every tick.
   */
  readonly slowest?: number;
}

export class Link<T> {
  /** Ticks since something came from the other end. */
  silence = 0;
  private readonly window: number;
  private readonly slowest: number;
  private sent = 0;
  private seen = 0;
  /** Sent and not acknowledged, by number. */
  private readonly open = new Map<number, T>();
  /** Wait for others to be acknowledged. */
  private waiting: T[] = [];
  /** Arrived before others that were sent earlier. */
  private readonly early = new Map<number, T>();
  private outbox: LinkPacket<T>[] = [];
  private owesAnswer = false;
  /** Ticks between repetitions, and until the next one. */
  private patience = 1;
  private rest = 1;

  constructor({ window = Number.POSITIVE_INFINITY, slowest = 1 }: LinkOptions = {}) {
    this.window = window;
    this.slowest = slowest;
  }

  /** Payloads that are not acknowledged. */
  get pending(): number {
    return this.open.size + this.waiting.length;
  }

  send(payload: T): void {
    this.waiting.push(payload);
    this.fill();
  }

  /** @returns what can be delivered now, in order. */
  receive({ number, seen, payload, asks }: LinkPacket<T>): T[] {
    this.silence = 0;
    const before = this.open.size;
    for (const one of this.open.keys()) if (one <= seen) this.open.delete(one);
    if (this.open.size < before) {
      this.patience = 1;
      this.rest = 1;
      this.fill();
    }
    if (asks) this.owesAnswer = true;
    if (number === 0 || payload === undefined) return [];
    this.owesAnswer = true;
    // What is beyond the window was not sent by the other end of this link.
    if (number > this.seen && number <= this.seen + this.window) this.early.set(number, payload);
    const delivered: T[] = [];
    for (let next = this.seen + 1; this.early.has(next); next++) {
      delivered.push(this.early.get(next) as T);
      this.early.delete(next);
      this.seen = next;
    }
    return delivered;
  }

  /**
   * Some time has passed: what was not acknowledged goes out again; where there is nothing, a
   * question.
   */
  tick(): void {
    this.silence++;
    if (--this.rest > 0) return;
    this.patience = Math.min(2 * this.patience, this.slowest);
    this.rest = this.patience;
    for (const [number, payload] of this.open) this.put(number, payload);
    if (this.open.size === 0) this.outbox.push({ number: 0, seen: this.seen, asks: true });
  }

  take(): readonly LinkPacket<T>[] {
    if (this.owesAnswer) this.outbox.push({ number: 0, seen: this.seen, asks: false });
    this.owesAnswer = false;
    const taken = this.outbox;
    this.outbox = [];
    return taken;
  }

  save(): LinkState<T> {
    const { sent, seen } = this;
    const waiting = this.waiting.map((payload, k) => [sent + k + 1, payload] as const);
    return { sent, seen, open: [...this.open, ...waiting], early: [...this.early] };
  }

  restore({ sent, seen, open, early }: LinkState<T>): void {
    this.sent = sent;
    this.seen = seen;
    for (const [number, payload] of open) {
      if (number <= sent) this.open.set(number, payload);
      else this.waiting.push(payload);
    }
    for (const [number, payload] of early) this.early.set(number, payload);
  }

  private fill(): void {
    while (this.waiting.length > 0 && this.open.size < this.window) {
      const payload = this.waiting.shift() as T;
      this.open.set(++this.sent, payload);
      this.put(this.sent, payload);
    }
  }

  private put(number: number, payload: T): void {
    this.outbox.push({ number, seen: this.seen, payload, asks: false });
  }
}
