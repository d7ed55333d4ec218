/**
 * Ops of a plan as lines of C: the same operations in the same order as the interpreter
 * (engine/interpreter.ts), because the order of floating-point operations is part of what a plan
 * means.
 */
import type { Scenario } from "../model/scenario.ts";
import { type BankName, bankOf } from "../model/value-type.ts";
import { OP_WIDTH, Op, type Plan, type PlanAccess } from "../plan/plan.ts";
import type { SlotNames } from "../plan/print-plan-slots.ts";
import { cComment, cNumber } from "./c-unit.ts";

/** Ports of one bank whose slots follow each other: they move together. */
interface Run {
  readonly bank: BankName;
  readonly isBinary: boolean;
  readonly ports: number[];
  readonly slot: number;
  size: number;
}

export class PlanOps {
  private readonly plan: Plan;
  private readonly scenario: Scenario;
  private readonly names: SlotNames;
  /** Constants that stand for the numbers of units. */
  private readonly units: readonly string[];

  constructor(plan: Plan, scenario: Scenario, names: SlotNames, units: readonly string[]) {
    this.plan = plan;
    this.scenario = scenario;
    this.names = names;
    this.units = units;
  }

  lines(ops: Int32Array): string[] {
    const lines: string[] = [];
    const ends: number[] = [];
    const close = (pc: number): void => {
      while (ends.length > 0 && pc >= ends[ends.length - 1]) {
        ends.pop();
        lines.push(`${"  ".repeat(ends.length)}}`);
      }
    };
    for (let pc = 0; pc < ops.length; pc += OP_WIDTH) {
      close(pc);
      const indent = "  ".repeat(ends.length);
      const [opcode, a = 0, b = 0] = ops.subarray(pc, pc + OP_WIDTH);
      if (opcode === Op.Every) {
        lines.push(`${indent}if (tick % ${a} == 0) {`);
        ends.push(pc + (b + 1) * OP_WIDTH);
        continue;
      }
      for (const line of this.op(ops.subarray(pc, pc + OP_WIDTH))) lines.push(indent + line);
    }
    close(ops.length);
    return lines;
  }

  private op(op: Int32Array): string[] {
    const [opcode, a = 0, b = 0, c = 0] = op;
    const { plan } = this;
    switch (opcode) {
      case Op.Read:
        return this.transfer(plan.accesses[a], "read", "<-");
      case Op.Write:
        return this.transfer(plan.accesses[a], "write", "->");
      case Op.Slopes:
        return this.slopes(a);
      case Op.Advance:
        return [`UNIT_TRY(plan_advance(plan, ${this.units[a]}, tick, ${b}, ${c}));`];
      case Op.Copy:
        return [this.note(c === 1 ? `s[${b}] = s[${a}];` : move("s", a, b, c), "f64", a, b, c)];
      case Op.CopyI64:
        return [this.note(c === 1 ? `i[${b}] = i[${a}];` : move("i", a, b, c), "i64", a, b, c)];
      case Op.CopyObj: {
        const call = `UNIT_TRY(plan_copy_objects(plan, ${a}, ${b}, ${c}));`;
        return [this.note(call, "obj", a, b, c)];
      }
      case Op.Affine: {
        const [factor, offset] = [plan.constants[c], plan.constants[c + 1]];
        const call = `s[${b}] = ${cNumber(factor)} * s[${a}] + ${cNumber(offset)};`;
        return [this.note(call, "f64", a, b, 1)];
      }
      case Op.Map: {
        const count = plan.maps[c].from.length;
        const call = `s[${b}] = plan_map(s[${a}], MAP_${c}_FROM, MAP_${c}_TO, ${count});`;
        return [this.note(call, "f64", a, b, 1)];
      }
      case Op.ToI64:
        return each(c, (k) => `i[${b + k}] = plan_to_long(s[${a + k}]);`);
      case Op.FromI64:
        return each(c, (k) => `s[${b + k}] = (double)i[${a + k}];`);
      case Op.FromU64:
        return each(c, (k) => `s[${b + k}] = (double)(uint64_t)i[${a + k}];`);
      case Op.Sample:
        return [`plan_sample(plan, ${a}); /* ${this.track(a)} */`];
      case Op.Predict:
        return [`plan_predict(plan, ${a}, tick, ${b}, ${c}); /* ${this.track(a)} */`];
      case Op.Interpolate:
        return [`plan_interpolate(plan, ${a}, ${b}, ${c}); /* ${this.track(a)} */`];
      default:
        throw new Error(`internal: opcode ${opcode} has no C`);
    }
  }

  private transfer(access: PlanAccess, verb: "read" | "write", arrow: string): string[] {
    const { unit } = access;
    return this.runs(access).map(({ bank, isBinary, ports, slot, size }) => {
      const names = ports.map((port) => cComment(this.names.port(unit, port)));
      const at = `plan, ${this.units[unit]}`;
      const list = `(const unsigned[]){${ports.join(", ")}}, ${ports.length}`;
      const call =
        bank === "obj"
          ? `plan_${verb}_${isBinary ? "binary" : "text"}(${at}, ${ports[0]}, ${slot}, ${size})`
          : `plan_${verb}_${bank === "f64" ? "numbers" : "longs"}(${at}, ${list}, ${slot})`;
      const letter = bank === "f64" ? "s" : bank === "i64" ? "i" : "o";
      const range = size === 1 ? `${letter}${slot}` : `${letter}${slot}..${slot + size - 1}`;
      return `UNIT_TRY(${call}); /* ${range} ${arrow} ${names.join(", ")} */`;
    });
  }

  private runs({ unit, slots }: PlanAccess): Run[] {
    const runs: Run[] = [];
    const { ports } = this.scenario.units[unit].description;
    for (const { port, slot } of slots) {
      const { type } = ports[port];
      const bank = bankOf(type);
      const size = this.names.size(unit, port);
      const last = runs[runs.length - 1];
      if (last?.bank === bank && bank !== "obj" && last.slot + last.size === slot) {
        last.ports.push(port);
        last.size += size;
      } else runs.push({ bank, isBinary: type === "binary", ports: [port], slot, size });
    }
    return runs;
  }

  private slopes(group: number): string[] {
    const { unit, ports, orders, slots } = this.plan.slopes[group];
    const values = slots.map((slot) => `s[${slot}]`).join(", ");
    const names = ports.map((port, i) => `${this.names.port(unit, port)}${"'".repeat(orders[i])}`);
    const lists = `(const unsigned[]){${ports.join(", ")}}, (const int[]){${orders.join(", ")}}`;
    const given = `${ports.length}, (const double[]){${values}}`;
    return [
      `UNIT_TRY(plan_give_slopes(plan, ${this.units[unit]}, ${lists}, ${given})); /* ${cComment(names.join(", "))} */`,
    ];
  }

  /** The line with what it moves in words. */
  private note(line: string, bank: BankName, from: number, to: number, count: number): string {
    const target = cComment(this.names.at(bank, to, count));
    return `${line} /* ${target} <- ${cComment(this.names.at(bank, from, count))} */`;
  }

  private track(track: number): string {
    const { unit, port, element } = this.plan.tracks[track];
    return cComment(this.names.element(unit, port, element));
  }
}

function move(bank: "s" | "i", from: number, to: number, count: number): string {
  return `memmove(&${bank}[${to}], &${bank}[${from}], ${count} * sizeof ${bank}[0]);`;
}

function each(count: number, line: (k: number) => string): string[] {
  return Array.from({ length: count }, (_, k) => line(k));
}
