/**
 * What a connection from several ports computes (`a.x + b.y -> c.u`), element by element. It has no
 * memory, but for what it last reported: a coordination exchanges its value when that is new.
 */
import type { Expression } from "../model/adaptation/data.ts";
import { termOf } from "../model/resolve-scenario-formula.ts";
import type { FormulaSource } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { BaseUnit, type Condition } from "./base-unit.ts";
import { evaluate } from "./evaluate-expression.ts";
import type { Stop } from "./predicate.ts";
import type { Unit } from "./unit.ts";

export function formulaUnit(source: FormulaSource, name: string): Unit {
  return new FormulaUnit(source, name);
}

class FormulaUnit extends BaseUnit {
  private readonly expression: Expression;
  private readonly output: number;
  private readonly size: number;
  private readonly values: Float64Array;
  private element = 0;
  private readonly signal = (name: string): number =>
    this.store.f64[this.offsets[termOf(name)] + this.element];

  constructor({ expression, description }: FormulaSource, name: string) {
    const output = description.ports.length - 1;
    const size = portSize(description.ports[output]);
    super(name, description, { hidden: size });
    this.expression = expression;
    this.output = output;
    this.size = size;
    this.values = this.view(output, output);
  }

  protected override begin(): void {
    this.evaluate();
    this.hidden.set(this.values);
  }

  protected override evaluate(): void {
    for (this.element = 0; this.element < this.size; this.element++)
      this.values[this.element] = evaluate(this.expression, this.time, this.signal);
  }

  protected override proceed(from: number, bound: number, conditions: readonly Condition[]): Stop {
    const { slopes, inputSlots, store, output } = this;
    if (conditions.length > 0) {
      this.refresh();
      const isNew = this.values.some((value, i) => !Object.is(value, this.hidden[i]));
      this.hidden.set(this.values);
      if (isNew) return this.stopAt("updated", output, from);
    }
    for (let i = 0; i < slopes.length; i++) store.f64[inputSlots[i]] += slopes[i] * (bound - from);
    return this.stopAt("time", -1, bound);
  }
}
