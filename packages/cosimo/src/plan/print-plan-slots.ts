/**
 * Names for the slots of a plan: which port, track or loop a slot belongs to.
 */
import type { Scenario } from "../model/scenario.ts";
import { portAt, portName } from "../model/scenario-ports.ts";
import { portSize } from "../model/unit-description.ts";
import { type BankName, bankOf } from "../model/value-type.ts";
import type { Loop, Plan } from "./plan.ts";
import { GROWTH_COLUMN, INDEX_COLUMN } from "./statistics.ts";

/** Letter of a bank in front of a slot's number. */
const LETTERS: Readonly<Record<BankName, string>> = { f64: "s", i64: "i", obj: "o" };

export function slotRange(bank: BankName, slot: number, count: number): string {
  const letter = LETTERS[bank];
  return count === 1 ? `${letter}${slot}` : `${letter}${slot}..${letter}${slot + count - 1}`;
}

interface NamedRange {
  readonly bank: BankName;
  readonly slot: number;
  readonly count: number;
  readonly name: string;
  /** Elements are named by number. */
  readonly isArray: boolean;
}

export class SlotNames {
  private readonly scenario: Scenario;
  private readonly ranges: NamedRange[] = [];
  private readonly owner: Readonly<Record<BankName, (NamedRange | undefined)[]>>;

  constructor(plan: Plan, scenario: Scenario) {
    this.scenario = scenario;
    this.owner = {
      f64: new Array(plan.sizes.f64).fill(undefined),
      i64: new Array(plan.sizes.i64).fill(undefined),
      obj: new Array(plan.sizes.obj).fill(undefined),
    };
    const varying = [...plan.tracks, ...(plan.coupling?.inputs ?? [])];
    const values = new Set(varying.map(({ value, element }) => value - element));
    for (const { unit, slots } of plan.accesses) {
      for (const { port: index, slot } of slots) {
        const port = portAt(scenario, { unit, port: index });
        const approximated = bankOf(port.type) === "f64" && values.has(slot);
        const name = `${this.port(unit, index)}${approximated ? " within the step" : ""}`;
        this.add(bankOf(port.type), slot, portSize(port), name, port.shape.length > 0);
      }
    }
    for (const { unit, port, element, signal, history, slope } of plan.tracks) {
      const name = this.element(unit, port, element);
      this.add("f64", signal, 1, name, false);
      this.add("f64", history, 3, `history of ${name}`, true);
      this.add("f64", slope, 2, `slopes of ${name}`, true);
    }
    for (const { name, slope } of plan.coupling?.inputs ?? [])
      this.add("f64", slope, 2, `slopes of ${name}`, true);
    for (const { name, slot } of plan.coupling?.statistics ?? [])
      this.add("f64", slot, 1, name, false);
    if (plan.growth !== undefined) this.add("f64", plan.growth, 1, GROWTH_COLUMN, false);
    if (plan.index !== undefined) this.add("f64", plan.index, 1, INDEX_COLUMN, false);
    for (const loop of plan.loops) this.addImages(loop);
  }

  /** Images of neighbouring elements have one name. */
  private addImages({ images, unknownElements }: Loop): void {
    for (let i = 0; i < images.length; ) {
      const { unit, port } = unknownElements[i];
      const first = i++;
      while (
        images[i] === images[i - 1] + 1 &&
        unknownElements[i].unit === unit &&
        unknownElements[i].port === port
      )
        i++;
      this.add("f64", images[first], i - first, `image of ${this.port(unit, port)}`, i - first > 1);
    }
  }

  port(unit: number, port: number): string {
    return portName(this.scenario, { unit, port });
  }

  /** `unit.port`, with the number of the element (from 1) where the port is an array. */
  element(unit: number, port: number, element: number): string {
    const isArray = portAt(this.scenario, { unit, port }).shape.length > 0;
    return `${this.port(unit, port)}${isArray ? `[${element + 1}]` : ""}`;
  }

  size(unit: number, port: number): number {
    return portSize(portAt(this.scenario, { unit, port }));
  }

  /** The slots of a whole port, from `slot` on. */
  slots(unit: number, port: number, slot: number): string {
    const described = portAt(this.scenario, { unit, port });
    return slotRange(bankOf(described.type), slot, portSize(described));
  }

  /** What lies in `count` slots from `slot` on. */
  at(bank: BankName, slot: number, count: number): string {
    const range = this.owner[bank][slot];
    if (range === undefined) return slotRange(bank, slot, count);
    const first = slot - range.slot + 1;
    if (!range.isArray || (first === 1 && count === range.count)) return range.name;
    return count === 1
      ? `${range.name}[${first}]`
      : `${range.name}[${first}..${first + count - 1}]`;
  }

  table(): { readonly slots: string; readonly name: string }[] {
    return this.ranges
      .toSorted((a, b) => LETTERS[b.bank].localeCompare(LETTERS[a.bank]) || a.slot - b.slot)
      .map(({ bank, slot, count, name }) => ({ slots: slotRange(bank, slot, count), name }));
  }

  private add(bank: BankName, slot: number, count: number, name: string, isArray: boolean): void {
    if (this.owner[bank][slot] !== undefined) return;
    const range = { bank, slot, count, name, isArray };
    this.ranges.push(range);
    this.owner[bank].fill(range, slot, slot + count);
  }
}
