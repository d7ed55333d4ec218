/**
 * Notices units that work on a grid of their own without declaring it: their outputs stand still
 * over a step or micro-step, bit for bit, and jump in another. Such a unit takes no notice of
 * inputs in between, so that iterating changes little of what it gives and the coupling is
 * explicit.
 *
 * Only the first steps are watched. Outputs are read before and after a unit moves, with the same
 * inputs, so that feed-through does not pass for motion.
 */
import { iterates } from "../../model/masters.ts";
import type { Banks } from "../../model/value-type.ts";
import type { Coupling } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";

/** So many moves of a unit are watched. */
const WATCHED = 400;
/** A unit that stood still right after moving, this often, has a grid. */
const ENOUGH = 4;
/** Parts of a communication step that are too short to expect a motion above rounding. */
const SHORTEST = 1e-3;

interface Watch {
  readonly read: () => void;
  readonly now: Banks;
  readonly before: Float64Array;
  left: number;
  hasMoved: boolean;
  /** How often it stood still right after moving. */
  stops: number;
  /**
   * Where it moved last, and the shortest distance of two such places with a standstill in between.
   */
  movedAt: number;
  stoodSince: boolean;
  distance: number;
  /** The longest step over which it stood still. */
  stood: number;
}

interface Repetitions {
  readonly times: number;
  readonly same: number;
  readonly step: number;
}

export class OwnStepWatch extends MasterPart {
  private readonly watches: readonly (Watch | undefined)[] = this.coupling.units.map((_, unit) =>
    watchOf(this.coupling, unit),
  );
  private readonly shortest: number = SHORTEST * this.coupling.state.plan.step;
  /**
   * Of units of iterated loops: repeated steps, those that ended alike, and the size of the last.
   */
  private readonly repetitions = new Map<number, Repetitions>();

  /** Whether the unit is not watched any more, or never was. */
  isOver(unit: number): boolean {
    const watch = this.watches[unit];
    return watch === undefined || watch.left <= 0;
  }

  /** The inputs of the unit are written; it is about to move. */
  before(unit: number): void {
    const watch = this.watches[unit];
    if (watch === undefined || watch.left <= 0) return;
    watch.read();
    watch.before.set(watch.now.f64);
  }

  after(unit: number, from: number, to: number): void {
    const watch = this.watches[unit];
    if (watch === undefined || watch.left <= 0 || to - from < this.shortest) return;
    watch.left--;
    watch.read();
    const moves = watch.now.f64.some((value, i) => value !== watch.before[i]);
    if (moves) {
      if (watch.stoodSince && to > watch.movedAt)
        watch.distance = Math.min(watch.distance, to - watch.movedAt);
      watch.movedAt = to;
      watch.stoodSince = false;
    } else {
      if (watch.hasMoved) watch.stops++;
      watch.stoodSince = true;
      watch.stood = Math.max(watch.stood, to - from);
    }
    watch.hasMoved = moves;
    if (watch.stops >= ENOUGH && Number.isFinite(watch.distance)) watch.left = 0;
  }

  /**
   * A step of the unit was repeated with other inputs. @param isSame all outputs that matter to the
   * loop were the same.
   */
  repeated(unit: number, isSame: boolean, step: number): void {
    const { times, same } = this.repetitions.get(unit) ?? { times: 0, same: 0 };
    this.repetitions.set(unit, { times: times + 1, same: same + (isSame ? 1 : 0), step });
  }

  notes(): string[] {
    const { settings } = this.coupling.plan;
    return this.watches.flatMap((watch, unit) => {
      if (watch === undefined || watch.stops < ENOUGH) return this.deafNote(unit);
      const own = Number.isFinite(watch.distance)
        ? `only about every ${round(watch.distance)} s`
        : "only now and then";
      const result = iterates(settings)
        ? "iterating it is hardly better than explicit coupling"
        : "inputs that vary within a step do not reach it";
      return [
        `'${this.coupling.unitName(unit)}' moves ${own} while it is asked for steps or micro-steps of ${round(watch.stood)} s: it seems to have ` +
          `a step of its own and to take no notice of inputs in between, so ${result}; take longer steps, fewer 'microSteps', or 'approximation: hold'`,
      ];
    });
  }

  /** Of a unit that moves, and takes no notice of its inputs. */
  private deafNote(unit: number): string[] {
    const { times, same, step } = this.repetitions.get(unit) ?? { times: 0, same: 0, step: 0 };
    if (same < ENOUGH || 2 * same < times) return [];
    return [
      `'${this.coupling.unitName(unit)}' gave the same outputs in ${same} of ${times} steps of ${round(step)} s that were repeated with other inputs: iterating ` +
        "it is explicit coupling there; it seems to have a step of its own, so take longer steps or 'approximation: hold'",
    ];
  }
}

/**
 * Continuous outputs of a unit that gets coupled inputs; those without feed-through, where there
 * are any.
 */
function watchOf(coupling: Coupling, unit: number): Watch | undefined {
  if (coupling.plan.stages[unit].inputs.length === 0) return undefined;
  const { ports } = coupling.units[unit].description;
  const reals = [...ports.keys()].filter((p) => {
    const { direction, type, variability, shape } = ports[p];
    const isReal = type === "float64" || type === "float32";
    return isReal && direction === "output" && variability === "continuous" && shape.length === 0;
  });
  const inert = reals.filter((p) => ports[p].feedThrough?.length === 0);
  const chosen = inert.length > 0 ? inert : reals;
  if (chosen.length === 0) return undefined;
  const now: Banks = {
    f64: new Float64Array(chosen.length),
    i64: new BigInt64Array(0),
    obj: [],
  };
  const slots = chosen.map((port, slot) => ({ port, slot }));
  return {
    read: coupling.readerOf(unit, slots, () => now),
    now,
    before: new Float64Array(chosen.length),
    left: WATCHED,
    hasMoved: false,
    stops: 0,
    movedAt: Number.POSITIVE_INFINITY,
    stoodSince: false,
    distance: Number.POSITIVE_INFINITY,
    stood: 0,
  };
}

function round(seconds: number): number {
  return Number(seconds.toPrecision(3));
}
