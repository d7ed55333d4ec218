/**
 * A unit with event mode and a periodic input clock: at every tick it takes the value of its input
 * and counts. It logs what is written to it, so that tests see how often and in which order.
 */
import type { PortClock } from "../../model/unit-description.ts";
import type { Banks } from "../../model/value-type.ts";
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Access } from "../../unit/unit.ts";
import { EventModeUnit } from "./event-mode-unit.ts";

/** Ports, and their places in the store. */
export const SAMPLER = { tick: 0, u: 1, y: 2, ticks: 3 } as const;

export interface Written {
  readonly time: number;
  readonly ports: readonly number[];
}

export class SamplerUnit extends EventModeUnit {
  /** What was written in event mode. */
  readonly written: Written[] = [];

  constructor(name: string, clock: PortClock) {
    const ports = makePorts(name, [
      { direction: "input", ports: { tick: { type: "clock" }, u: { variability: "discrete" } } },
      {
        direction: "output",
        ports: {
          y: { variability: "discrete", feedThrough: [] },
          ticks: { variability: "discrete", feedThrough: [] },
        },
      },
    ]).map((port) =>
      port.index === SAMPLER.tick
        ? { ...port, clock }
        : port.index === SAMPLER.u
          ? { ...port, clocks: [SAMPLER.tick] }
          : port,
    );
    super(
      name,
      describeUnit({ name }, ports, { eventMode: true, rollback: true, serialize: true }),
    );
  }

  override write(access: Access, banks: Banks): void {
    if (this.phase === "event")
      this.written.push({ time: this.time, ports: access.slots.map(({ port }) => port) });
    super.write(access, banks);
  }

  protected override update(): void {
    const { f64 } = this.store;
    if (f64[SAMPLER.tick] === 0) return;
    f64[SAMPLER.tick] = 0;
    f64[SAMPLER.y] = f64[SAMPLER.u];
    f64[SAMPLER.ticks]++;
  }
}
