/**
 * Values under way at one instant: a linked list per owner in arrays that grow and are used again,
 * so that an event allocates nothing. Owners are units; -1 is the list of the pool itself, for
 * values that leave the model.
 */
export class MessagePool {
  /** By message. */
  values: unknown[] = [];
  ports: Int32Array = new Int32Array(16);
  /** Owners that have messages, in the order of their first one. */
  readonly owners: Int32Array;
  ownerCount = 0;
  count = 0;
  private next: Int32Array = new Int32Array(16);
  private readonly first: Int32Array;
  private readonly last: Int32Array;

  constructor(owners: number) {
    this.owners = new Int32Array(owners);
    this.first = new Int32Array(owners).fill(-1);
    this.last = new Int32Array(owners).fill(-1);
  }

  add(owner: number, port: number, value: unknown): void {
    const m = this.count++;
    if (m >= this.ports.length) this.grow();
    this.values[m] = value;
    this.ports[m] = port;
    this.next[m] = -1;
    if (owner < 0) return;
    if (this.first[owner] < 0) {
      this.first[owner] = m;
      this.owners[this.ownerCount++] = owner;
    } else this.next[this.last[owner]] = m;
    this.last[owner] = m;
  }

  has(owner: number): boolean {
    return this.first[owner] >= 0;
  }

  /** The owner's first message at a port, or -1. */
  find(owner: number, port: number): number {
    const first = this.first[owner];
    return first < 0 || this.ports[first] === port ? first : this.findNext(first, port);
  }

  /** The next message of the same owner at a port, or -1. */
  findNext(message: number, port: number): number {
    let m = this.next[message];
    while (m >= 0 && this.ports[m] !== port) m = this.next[m];
    return m;
  }

  clear(): void {
    for (let k = 0; k < this.ownerCount; k++) this.first[this.owners[k]] = -1;
    // Values must not be kept alive.
    for (let m = 0; m < this.count; m++) this.values[m] = undefined;
    this.ownerCount = 0;
    this.count = 0;
  }

  private grow(): void {
    const ports = new Int32Array(2 * this.ports.length);
    const next = new Int32Array(2 * this.ports.length);
    ports.set(this.ports);
    next.set(this.next);
    this.ports = ports;
    this.next = next;
  }
}
