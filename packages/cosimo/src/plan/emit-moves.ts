/**
 * Ops that carry a value from an output's signal to an input's signal: copies, unit conversions,
 * value tables, changes between the banks of doubles and of 64-bit integers.
 */
import type { Connection } from "../model/scenario.ts";
import { bankOf } from "../model/value-type.ts";
import type { OpWriter } from "./op-writer.ts";
import { Op, type ValueMap } from "./plan.ts";
import type { PlanReport } from "./plan-diagnostics.ts";
import type { SignalLayout } from "./signal-layout.ts";

export class MoveEmitter {
  readonly constants: number[] = [];
  readonly maps: ValueMap[] = [];
  private readonly layout: SignalLayout;
  private readonly report: PlanReport;
  private readonly mapNumbers = new Map<Connection, number>();

  constructor(layout: SignalLayout, report: PlanReport) {
    this.layout = layout;
    this.report = report;
  }

  /** @param target first slot of the port. Default: the input's own signal. */
  emit(w: OpWriter, connection: Connection, target?: number): void {
    const { from, to, fromElement, toElement, count } = connection;
    const source = this.layout.signal(from.unit, from.port) + fromElement;
    const sink = (target ?? this.layout.signal(to.unit, to.port)) + toElement;
    const given = this.layout.port(from.unit, from.port).type;
    const taken = this.layout.port(to.unit, to.port).type;
    const banks = `${bankOf(given)} ${bankOf(taken)}`;
    switch (banks) {
      case "f64 f64":
        this.emitReals(w, connection, source, sink);
        break;
      case "i64 i64":
        w.add(Op.CopyI64, source, sink, count);
        break;
      case "obj obj":
        w.add(Op.CopyObj, source, sink, count);
        break;
      case "f64 i64":
        w.add(Op.ToI64, source, sink, count);
        break;
      case "i64 f64":
        w.add(given === "uint64" ? Op.FromU64 : Op.FromI64, source, sink, count);
        this.emitAffine(w, connection, sink, sink);
        break;
      default: {
        const ends = [from, to].map((end) => this.layout.name(end.unit, end.port));
        const params = { connection: ends.join(" → "), from: given, to: taken };
        this.report("conversion-unsupported", params, connection.place);
      }
    }
  }

  private emitReals(w: OpWriter, connection: Connection, source: number, sink: number): void {
    if (connection.mapping) {
      const map = this.mapNumber(connection, connection.mapping);
      for (let i = 0; i < connection.count; i++) w.add(Op.Map, source + i, sink + i, map);
    } else if (connection.factor === 1 && connection.offset === 0) {
      w.add(Op.Copy, source, sink, connection.count);
    } else this.emitAffine(w, connection, source, sink);
  }

  private emitAffine(
    w: OpWriter,
    { factor, offset, count }: Connection,
    source: number,
    sink: number,
  ): void {
    if (factor === 1 && offset === 0) return;
    const constant = this.constant(factor, offset);
    for (let i = 0; i < count; i++) w.add(Op.Affine, source + i, sink + i, constant);
  }

  private constant(factor: number, offset: number): number {
    for (let k = 0; k < this.constants.length; k += 2) {
      if (Object.is(this.constants[k], factor) && Object.is(this.constants[k + 1], offset))
        return k;
    }
    this.constants.push(factor, offset);
    return this.constants.length - 2;
  }

  private mapNumber(connection: Connection, pairs: NonNullable<Connection["mapping"]>): number {
    let number = this.mapNumbers.get(connection);
    if (number === undefined) {
      number = this.maps.length;
      this.mapNumbers.set(connection, number);
      const [from, to] = [pairs.map((p) => Number(p.from)), pairs.map((p) => Number(p.to))];
      this.maps.push({ from, to });
    }
    return number;
  }
}
