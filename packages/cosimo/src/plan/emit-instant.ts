/**
 * What is exchanged at one instant where units have event mode. In step mode such a unit takes
 * continuous inputs only; in event mode it takes all of them, and clocked ones only while their
 * clock ticks, which is known at run time only. So the ops that resolve signals are split at their
 * writes, and the engine decides which of them it executes (engine/masters).
 */
import type { Scenario } from "../model/scenario.ts";
import type { InstantPart, InstantWrite } from "./coupling-plan.ts";
import { isCoupled } from "./master-needs.ts";
import { OpWriter } from "./op-writer.ts";
import { OP_WIDTH, Op } from "./plan.ts";
import type { SignalLayout } from "./signal-layout.ts";

export class InstantEmitter {
  private readonly scenario: Scenario;
  private readonly layout: SignalLayout;
  private readonly hasEvents: (unit: number) => boolean;

  /** @param hasEvents whether a unit runs with event mode. */
  constructor(scenario: Scenario, layout: SignalLayout, hasEvents: (unit: number) => boolean) {
    this.scenario = scenario;
    this.layout = layout;
    this.hasEvents = hasEvents;
  }

  /** `resolve` as units in step mode take it. */
  inStepMode(resolve: Int32Array): Int32Array {
    const w = new OpWriter();
    for (let pc = 0; pc < resolve.length; pc += OP_WIDTH) {
      const [op = 0, a = 0, b = 0, c = 0] = resolve.subarray(pc, pc + OP_WIDTH);
      const access = op === Op.Write ? this.layout.accesses[a] : undefined;
      if (access === undefined || !this.hasEvents(access.unit)) {
        w.add(op, a, b, c);
        continue;
      }
      const ports = access.slots
        .map(({ port }) => port)
        .filter((port) => isCoupled(this.layout.port(access.unit, port)));
      if (ports.length > 0) w.add(Op.Write, this.layout.signalAccess(access.unit, ports));
    }
    return w.done();
  }

  /**
   * `resolve` in parts, and at the end the inputs that it does not write: those without
   * feed-through.
   */
  inEventMode(resolve: Int32Array): InstantPart[] {
    const parts: InstantPart[] = [];
    const written = new Set<string>();
    let ops = new OpWriter();
    let writes: InstantWrite[] = [];
    const flush = (): void => {
      if (ops.count > 0 || writes.length > 0) parts.push({ ops: ops.done(), writes });
      ops = new OpWriter();
      writes = [];
    };
    for (let pc = 0; pc < resolve.length; pc += OP_WIDTH) {
      const [op = 0, a = 0, b = 0, c = 0] = resolve.subarray(pc, pc + OP_WIDTH);
      const access = op === Op.Write ? this.layout.accesses[a] : undefined;
      if (access === undefined || !this.hasEvents(access.unit)) {
        if (writes.length > 0) flush();
        ops.add(op, a, b, c);
        continue;
      }
      for (const { port } of access.slots) {
        writes.push(this.write(access.unit, port));
        written.add(`${access.unit} ${port}`);
      }
    }
    for (const { to } of this.scenario.connections) {
      const key = `${to.unit} ${to.port}`;
      if (!this.hasEvents(to.unit) || written.has(key)) continue;
      written.add(key);
      writes.push(this.write(to.unit, to.port));
    }
    flush();
    return parts;
  }

  private write(unit: number, port: number): InstantWrite {
    const bank = this.layout.bank(unit, port);
    const source = this.scenario.connections.find(({ to }) => to.unit === unit && to.port === port);
    const slot = this.layout.signal(unit, port);
    return { unit, port, source: source?.from.unit ?? -1, bank, slot };
  }
}
