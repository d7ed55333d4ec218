/**
 * Units that work elsewhere are under way at the same time, and the trace is that of one after the
 * other.
 */
import { describe, expect, it } from "vitest";
import { UnitError } from "../base/outcome.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import { startUnit } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { Coordinator } from "./coordinator.ts";
import { wholeTransfers } from "./testing/coordinate-units.ts";
import { Log, randomSystem, type System } from "./testing/random-system.ts";

const STOP = 6;
const CASES = process.env["COSIMO_ALL_CASES"] ? 200 : 12;

/** Works elsewhere: between the halves of an advance nothing else may be called. */
class Elsewhere extends DelegatingUnit {
  private way: { readonly from: number; readonly until: Predicate } | undefined;
  private readonly failsAt: number;

  constructor(unit: Unit, failsAt = Number.POSITIVE_INFINITY) {
    super(unit);
    this.failsAt = failsAt;
    this.beginAdvance = (from, until) => {
      if (this.way !== undefined) throw new Error("it is under way");
      this.way = { from, until };
    };
    this.finishAdvance = (): Stop => {
      if (this.way === undefined) throw new Error("it is not under way");
      const { from, until } = this.way;
      this.way = undefined;
      if (from >= this.failsAt) {
        const status = "broken";
        throw new UnitError({ unit: this.name, call: "advance", status, time: from, log: [] });
      }
      return this.unit.advance(from, until);
    };
  }

  get isUnderWay(): boolean {
    return this.way !== undefined;
  }
}

function run(
  { units, connectors }: System,
  { isSequential = false, saves = false } = {},
): { readonly lines: string[][]; readonly together: number } {
  for (const unit of units) startUnit(unit);
  const log = new Log(units);
  const note = (u: number, time: number, index: number): void => {
    // What is under way must not be read.
    const unit = units[u];
    if (unit instanceof Elsewhere) expect(unit.isUnderWay).toBe(false);
    log.note(u, time, index);
  };
  const options = { start: 0, stop: STOP, onMove: note, isSequential };
  const transfers = wholeTransfers(units, connectors);
  const coordinator = new Coordinator(units, connectors, { ...options, transfers });
  coordinator.begin();
  while (!coordinator.run(7)) if (saves) coordinator.save();
  return { lines: log.lines, together: coordinator.together };
}

const elsewhere = ({ units, connectors }: System): System => ({
  units: units.map((unit) => new Elsewhere(unit)),
  connectors,
});

describe("units that work elsewhere", () => {
  it(`[CO26] are under way at the same time, with the same trace (${CASES} systems)`, () => {
    let several = 0;
    for (let seed = 0; seed < CASES; seed++) {
      const expected = run(randomSystem(seed));
      expect(expected.together).toBe(0);
      const found = run(elsewhere(randomSystem(seed)));
      expect(found.lines, `seed ${seed}`).toEqual(expected.lines);
      if (found.together > 1) several++;
      const saved = run(elsewhere(randomSystem(seed)), { saves: true });
      expect(saved.lines, `seed ${seed}`).toEqual(expected.lines);
    }
    expect(several).toBeGreaterThan(CASES / 6);
  });

  it("[CO26] are waited for one by one where that is asked for", () => {
    expect(run(elsewhere(randomSystem(3)), { isSequential: true }).together).toBe(0);
  });

  it("[CO26] one that fails ends the run when all have come back", () => {
    let failed = 0;
    for (let seed = 0; seed < CASES; seed++) {
      const { units, connectors } = randomSystem(seed);
      const mine = units.map((unit, u) => new Elsewhere(unit, u === 0 ? 2 : undefined));
      try {
        run({ units: mine, connectors });
      } catch (error) {
        expect((error as UnitError).failure.status).toBe("broken");
        failed++;
      }
      expect(mine.some((unit) => unit.isUnderWay)).toBe(false);
    }
    expect(failed).toBeGreaterThan(CASES / 6);
  });
});
