/**
 * Plays a table: columns over time become outputs. Measured data, recorded runs, test signals.
 */
import type { Nature } from "../model/unit-description.ts";
import { BaseUnit, type Condition } from "./base-unit.ts";
import { describeUnit, makePorts, type PortSpec } from "./port-spec.ts";
import type { Stop } from "./predicate.ts";
import { type InputSignals, makeInputSignals, type SignalColumn } from "./signal-source.ts";
import type { Unit } from "./unit.ts";

export interface TableModel {
  readonly name: string;
  readonly description?: string;
  /**
   * Never decreasing; two rows that share a time are an event, from which on the later one holds.
   */
  readonly time: Float64Array;
  readonly outputs: Readonly<Record<string, TableColumn>>;
}

/** A port with its values, one per row; for an array port one column per element. */
export interface TableColumn extends PortSpec {
  readonly values: SignalColumn | readonly SignalColumn[];
}

/** A unit in phase `instantiated`. Ports: the outputs, in the order of writing. */
export function tableUnit(model: TableModel, name: string = model.name): Unit {
  return new TableUnit(model, name);
}

class TableUnit extends BaseUnit {
  private readonly signals: InputSignals;

  constructor(model: TableModel, name: string) {
    const columns = new Map<number, readonly SignalColumn[]>();
    const specs = Object.entries(model.outputs).map(([key, { values, ...spec }], index) => {
      const elements = isSingle(values) ? [values] : values;
      columns.set(index, elements);
      const start = elements.map((column) => column[0] ?? 0);
      const nature = spec.nature ?? natureOf(model.time, spec);
      return [key, { ...spec, start, feedThrough: [], ...(nature && { nature }) }] as const;
    });
    const ports = makePorts(model.name, [
      { direction: "output", ports: Object.fromEntries(specs) },
    ]);
    super(name, describeUnit(model, ports, { predicates: ["updated", "event"] }));
    this.signals = makeInputSignals(ports, model.time, columns);
  }

  /** The signals count slots as the store does: all ports have columns, in port order. */
  protected override evaluate(): void {
    this.signals.sampleAt(this.time, "after", this.store);
  }

  protected override proceed(from: number, bound: number, conditions: readonly Condition[]): Stop {
    let first: Condition | undefined;
    let time = bound;
    for (let i = 0; i < conditions.length; i++) {
      const condition = conditions[i];
      const next =
        condition.kind === "event"
          ? this.signals.nextEventAfter(from, condition.port)
          : this.signals.nextUpdateAfter(from, condition.port);
      if (next < time || (next === time && first === undefined)) {
        first = condition;
        time = next;
      }
    }
    return first === undefined
      ? this.stopAt("time", -1, bound)
      : this.stopAt(first.kind, first.port, time);
  }
}

/** One column, rather than a list of columns; a list of strings or byte arrays is one column. */
function isSingle(values: TableColumn["values"]): values is SignalColumn {
  if (!Array.isArray(values)) return true;
  const [first] = values as readonly unknown[];
  return typeof first === "string" || first instanceof Uint8Array;
}

/** A continuous column of a table with events may jump. */
function natureOf(time: Float64Array, { type, variability }: PortSpec): Nature | undefined {
  const continuous = variability === undefined || variability === "continuous";
  const real = type === undefined || type === "float64" || type === "float32";
  const jumps = time.some((t, row) => row > 0 && t === time[row - 1]);
  return continuous && real && jumps ? "piecewise-continuous" : undefined;
}
