/**
 * What a unit showed when it froze.
 */
import { portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { copyBanks, fillBanks } from "../unit/banks.ts";
import type { Access, PortSlot, Unit } from "../unit/unit.ts";

interface Shown {
  readonly access: Access;
  readonly banks: Banks;
  readonly bank: keyof Banks;
  readonly size: number;
  /** Its events are over while it stands still. */
  readonly isTransient: boolean;
}

export class FrozenOutputs {
  private readonly unit: Unit;
  private readonly shown: ReadonlyMap<number, Shown>;

  /** @param isUsed whether the unit ever freezes. */
  constructor(unit: Unit, isUsed: boolean) {
    this.unit = unit;
    const ports = unit.description.ports.filter(
      ({ direction, type, clocks }) =>
        (direction === "output" || direction === "local") &&
        type !== "clock" &&
        clocks === undefined,
    );
    this.shown = new Map(
      (isUsed ? ports : []).map((port) => {
        const bank = bankOf(port.type);
        const size = portSize(port);
        const access = unit.bind([{ port: port.index, slot: 0 }]);
        const isTransient = port.nature === "transient";
        return [
          port.index,
          { access, bank, size, banks: makeBanks({ [bank]: size }), isTransient },
        ];
      }),
    );
  }

  /** The present values are those that stay. */
  take(): void {
    for (const { access, banks, isTransient } of this.shown.values())
      if (!isTransient) this.unit.read(access, banks);
  }

  valueOf(port: number): Banks | undefined {
    return this.shown.get(port)?.banks;
  }

  put(slots: readonly PortSlot[], banks: Banks): void {
    for (const { port, slot } of slots) {
      const shown = this.shown.get(port);
      if (shown === undefined) continue;
      for (let i = 0; i < shown.size; i++) {
        if (shown.bank === "f64") banks.f64[slot + i] = shown.banks.f64[i];
        else if (shown.bank === "i64") banks.i64[slot + i] = shown.banks.i64[i];
        else banks.obj[slot + i] = shown.banks.obj[i];
      }
    }
  }

  save(): readonly Banks[] {
    return [...this.shown.values()].map(({ banks }) => copyBanks(banks));
  }

  restore(saved: readonly Banks[]): void {
    [...this.shown.values()].forEach(({ banks }, k) => {
      fillBanks(banks, saved[k]);
    });
  }
}
