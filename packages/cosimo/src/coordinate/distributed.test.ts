/**
 * Processes of a distributed run over networks that lose, repeat, delay, reorder and cut, with
 * processes that end: every seed gives the trace of one process, or ends with what ended it; none
 * hangs. A seed that fails is printed, and does the same again.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnitError } from "../base/outcome.ts";
import { cases } from "../base/testing/cases.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import { startUnit } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { coordinateUnits } from "./testing/coordinate-units.ts";
import { type LossyOptions, linesOf, runOverLossyNetwork } from "./testing/lossy-network.ts";
import { Log, randomSystem, type System } from "./testing/random-system.ts";

const STOP = 6;
const CASES = cases(200);

function started(system: System): System {
  for (const unit of system.units) startUnit(unit);
  return system;
}

function inOneProcess(seed: number): string[][] {
  const { units, connectors } = started(randomSystem(seed));
  const log = new Log(units);
  coordinateUnits(units, connectors, { start: 0, stop: STOP, onMove: log.note });
  return log.lines;
}

function overNetwork({ units, connectors }: System, options: Omit<LossyOptions, "stop">) {
  const run = runOverLossyNetwork(units, connectors, { ...options, stop: STOP });
  return { ...run, lines: linesOf(units, run.shown) };
}

const BAD = { loss: 0.15, twice: 0.1, partings: 0.02 };

describe("a distributed run", () => {
  it(`[CO29] gives the trace of one process over any network (${CASES} systems, seed 17)`, () => {
    const seen = { several: 0, lost: 0, repeated: 0, overtaking: 0 };
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer(),
        fc.integer({ min: 2, max: 4 }),
        (s, seed, processes) => {
          const found = overNetwork(started(randomSystem(s)), { seed, processes, ...BAD });
          expect(found.end).toEqual({ kind: "completed" });
          expect(found.lines).toEqual(inOneProcess(s));
          if (found.processes > 1) seen.several++;
          seen.lost += found.counts.lost;
          seen.repeated += found.counts.repeated;
          seen.overtaking += found.counts.overtaking;
        },
      ),
      { seed: 17, numRuns: CASES },
    );
    expect(seen.several).toBeGreaterThan(CASES / 2);
    expect(seen.lost).toBeGreaterThan(5 * CASES);
    expect(seen.repeated).toBeGreaterThan(5 * CASES);
    expect(seen.overtaking).toBeGreaterThan(5 * CASES);
  });

  it("[CO29] ends with the process that is gone, whenever that happens, and keeps what came before", () => {
    let [lost, rows] = [0, 0];
    for (let k = 0; k < CASES; k++) {
      const dies = { process: k % 2, after: 3 * (k % 20) };
      const found = overNetwork(started(randomSystem(k)), { seed: k, processes: 3, dies, ...BAD });
      if (found.processes < 2 || found.end.kind === "completed") continue;
      lost++;
      expect(found.end).toEqual({ kind: "lost", process: dies.process });
      // What was shown is the beginning of the trace; at its last instant a unit may have had more
      // to do.
      const expected = inOneProcess(k);
      found.lines.forEach((lines, u) => {
        const kept = lines.slice(0, -1);
        expect(kept).toEqual(expected[u].slice(0, kept.length));
        rows += lines.length;
      });
    }
    expect(lost).toBeGreaterThan(CASES / 3);
    expect(rows).toBeGreaterThan(0);
  });

  it("[CO29] ends with the unit that fails, wherever it is", () => {
    let failures = 0;
    class Failing extends DelegatingUnit {
      override advance(from: number, until: Predicate): Stop {
        if (from < STOP / 2) return this.unit.advance(from, until);
        failures++;
        const status = "broken";
        throw new UnitError({ unit: this.name, call: "advance", status, time: from, log: ["why"] });
      }
    }
    for (let k = 0; k < CASES / 4; k++) {
      const { units: healthy, connectors } = started(randomSystem(k));
      const units = healthy.map((unit, u): Unit => (u === k % 2 ? new Failing(unit) : unit));
      const before = failures;
      const { end } = overNetwork({ units, connectors }, { seed: k, processes: 3, ...BAD });
      // One that nobody has anything to do with goes to the end at once.
      if (failures === before) continue;
      expect(end).toMatchObject({ kind: "failed" });
      if (end.kind === "failed")
        expect(end.failure).toMatchObject({
          unit: units[k % 2].name,
          status: "broken",
          log: ["why"],
        });
    }
    expect(failures).toBeGreaterThan(CASES / 8);
  });

  it(`[CO32] goes on from its last cut when a process is gone, with the same trace (${CASES} systems)`, () => {
    const seen = { cuts: 0, again: 0, later: 0, early: 0 };
    for (let k = 0; k < CASES; k++) {
      const reopen = () => started(randomSystem(k)).units;
      const found = overNetwork(started(randomSystem(k)), {
        ...{ seed: k, processes: 2 + (k % 3), ...BAD },
        dies: { process: k % 2, after: 4 * ((13 * k) % 40) },
        cuts: { every: 3 + (k % 7), reopen, again: [5 * (k % 11), 30] },
      });
      // Before the first cut is whole there is nothing to go on from.
      if (found.end.kind === "lost") {
        expect(found.end.process, `seed ${k}`).toBe(k % 2);
        expect(found.wentOn, `seed ${k}`).toEqual([]);
        seen.early++;
        continue;
      }
      expect(found.end, `seed ${k}`).toEqual({ kind: "completed" });
      expect(found.lines, `seed ${k}`).toEqual(inOneProcess(k));
      seen.cuts += found.cuts;
      seen.again += found.wentOn.length;
      seen.later += found.wentOn.filter((number) => number > 0).length;
    }
    expect(seen.cuts).toBeGreaterThan(CASES);
    expect(seen.again).toBeGreaterThan(CASES / 2);
    expect(seen.later).toBeGreaterThan(CASES / 4);
    expect(seen.early).toBeLessThanOrEqual(Math.ceil(CASES / 10));
  });
});
