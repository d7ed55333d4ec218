/**
 * What models see of a run: one object for all of them, about the unit whose turn it is. It reads
 * the kernel's clock and bags where they lie.
 */
import type { MessagePool } from "./message-pool.ts";
import type { Input, Ports } from "./model.ts";

/**
 * Places in the clock: the present time in ticks and in seconds, and what has elapsed for the unit
 * whose turn it is, in ticks.
 */
export const TIME = 0;
export const SECONDS = 1;
export const ELAPSED = 2;

export interface InputKernel {
  readonly index: number;
  readonly ticksPerSecond: number;
  readonly model: { readonly units: readonly { readonly inputs: readonly string[] }[] };
}

export class KernelInput implements Input<Ports> {
  unit = 0;
  private readonly kernel: InputKernel;
  private readonly bags: MessagePool;
  private readonly clock: Float64Array;
  private readonly ports: readonly ReadonlyMap<string, number>[];

  constructor(
    kernel: InputKernel,
    bags: MessagePool,
    clock: Float64Array,
    ports: readonly ReadonlyMap<string, number>[],
  ) {
    this.kernel = kernel;
    this.bags = bags;
    this.clock = clock;
    this.ports = ports;
  }

  get time(): number {
    return this.clock[SECONDS];
  }

  get index(): number {
    return this.kernel.index;
  }

  get elapsed(): number {
    return this.clock[ELAPSED] / this.kernel.ticksPerSecond;
  }

  has(port: string): boolean {
    return this.bags.find(this.unit, this.port(port)) >= 0;
  }

  get(port: string): never {
    const p = this.port(port);
    const found = this.bags.find(this.unit, p);
    if (found >= 0 && this.bags.findNext(found, p) >= 0) {
      throw new Error(
        `input.get('${port}'): several values arrived at once; input.values('${port}') has them all`,
      );
    }
    // The type that the author declared for the port; senders are checked against it by the
    // compiler only.
    return (found < 0 ? undefined : this.bags.values[found]) as never;
  }

  values(port: string): never[] {
    const p = this.port(port);
    const all: unknown[] = [];
    for (let m = this.bags.find(this.unit, p); m >= 0; m = this.bags.findNext(m, p))
      all.push(this.bags.values[m]);
    return all as never[];
  }

  private port(port: string): number {
    const found = this.ports[this.unit].get(port);
    if (found !== undefined) return found;
    const names = this.kernel.model.units[this.unit].inputs.join(", ");
    throw new Error(`it has no input '${port}'; its inputs are ${names || "none"}`);
  }
}
