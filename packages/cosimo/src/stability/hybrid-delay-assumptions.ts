/**
 * What the theorem behind the maximum stable delay takes for granted, checked where the answer uses
 * it: on the searched part of the section, and on the rounds from there with delays up to the
 * bound. Sampled, not proved; the report says so.
 */
import {
  type DelayQuestion,
  Rounds,
  type StableDelay,
  sectionPoints,
  spread,
} from "./hybrid-delay.ts";
import { along, type HybridModel, type ScalarField, type VectorField } from "./hybrid-model.ts";

export interface Assumption {
  /** The number in the thesis; 0 for what the chapter says in passing about the equilibrium. */
  readonly number: 0 | 3 | 4 | 5 | 6;
  readonly holds: boolean;
  /** What was seen, as one sentence. */
  readonly finding: string;
}

const DELAYS = 8;
/** Sines of angles below this are tangents. */
const TANGENT = 1e-6;

/** undefined where `maximumStableDelay` is. */
export function delayAssumptions(
  model: HybridModel,
  question: DelayQuestion,
  { bound, equilibrium }: StableDelay,
): readonly Assumption[] | undefined {
  const rounds = Rounds.of(model, question);
  if (rounds === undefined) return undefined;
  const home = model.modes[equilibrium.mode];
  const away = model.modes[equilibrium.mode === 0 ? 1 : 0];
  const coordinates = sectionPoints(question.range, equilibrium);
  const delay = Number.isFinite(bound) ? bound : 0;
  const outings = coordinates.flatMap((c) => rounds.outing(c, 0) ?? []);
  const leaving = outings.map(({ leaves }) => angle(model.surface, home.field, leaves));
  const returning = outings.map(({ returns }) => angle(model.surface, away.field, returns));
  return [
    rest(equilibrium.growth, home.name),
    sectionAssumption(rounds, coordinates),
    returnAssumption(rounds, outings, delay),
    crossingAssumption(5, `'${away.name}' comes back`, returning),
    crossingAssumption(6, `'${home.name}' leaves`, leaving),
  ];
}

/** 5 and 6: the surface is crossed, not touched. */
function crossingAssumption(number: 5 | 6, who: string, sines: readonly number[]): Assumption {
  if (sines.length === 0)
    return { number, holds: true, finding: `${who} nowhere on this part of the section` };
  const least = Math.min(...sines);
  const angle = `the least sine of the angle is ${digits(least)}`;
  return least > TANGENT
    ? { number, holds: true, finding: `${who} across the surface, not along it: ${angle}` }
    : { number, holds: false, finding: `${who} along the surface, or its gradient is zero there` };
}

function rest(growth: number, name: string): Assumption {
  const finding = `'${name}' rests in its own domain and is drawn there at ${digits(-growth)} 1/s`;
  return growth < 0
    ? { number: 0, holds: true, finding }
    : {
        number: 0,
        holds: false,
        finding: `'${name}' rests in its own domain, but is not drawn there`,
      };
}

/**
 * 3: the section is one piece that leads to the equilibrium, crossed one way, on which distances
 * distinguish points.
 */
function sectionAssumption(rounds: Rounds, coordinates: readonly number[]): Assumption {
  const points = coordinates.flatMap((c) => rounds.point(c) ?? []);
  const distances = points.map((x) => rounds.distance(x));
  const rises = distances.slice(1).map((d, i) => Math.sign(d - distances[i]));
  const oneWay = points.every((x) => rounds.sectionHome.rate(x) > 0);
  const apart = rises.every((rise) => rise !== 0 && rise === rises[0]);
  const inside = points.every((x) => rounds.surfaceHome.value(x) < 0);
  const flaws = [
    points.length < coordinates.length ? "it has gaps" : "",
    oneWay ? "" : "it is crossed in both directions",
    apart ? "" : "two of its points are equally far from the equilibrium",
    inside ? "" : "it meets the switching surface",
  ].filter((flaw) => flaw !== "");
  return {
    number: 3,
    holds: flaws.length === 0,
    finding:
      flaws.length === 0
        ? "the section is one piece, crossed in one direction, its points at distinct distances from the equilibrium"
        : `the section does not serve: ${flaws.join(", ")}`,
  };
}

/**
 * 4: wherever the late switch home happens, the section comes before the surface; and the section
 * is never crossed away from home.
 */
function returnAssumption(
  rounds: Rounds,
  outings: readonly { readonly returns: Float64Array }[],
  bound: number,
): Assumption {
  let holds = true;
  let early = Number.POSITIVE_INFINITY;
  for (const { returns } of outings) {
    const crossed = Float64Array.from(returns);
    const met = rounds.away.untilZero(crossed, rounds.sectionAway, 10 * bound, false);
    if (met <= 10 * bound && rounds.sectionHome.rate(crossed) > 0) early = Math.min(early, met);
    for (const delay of spread(0, bound, DELAYS)) {
      const x = Float64Array.from(returns);
      rounds.away.advance(x, delay);
      const toSurface = rounds.home.untilZero(
        Float64Array.from(x),
        rounds.surfaceHome,
        rounds.horizon,
        delay === 0,
      );
      const toSection = rounds.toSection(x);
      holds &&= !Number.isNaN(toSection) && !(toSurface <= toSection);
    }
  }
  const inTime = early > bound;
  const finding = !holds
    ? "after a switch home the surface may be met before the section"
    : inTime
      ? "after every switch home the section is met before the surface"
      : `the section is met before the switch home, ${digits(early)} s after the surface`;
  return { number: 4, holds: holds && inTime, finding };
}

/** The sine of the angle between a field and a level line of `surface`. */
function angle(surface: ScalarField, field: VectorField, x: Float64Array): number {
  const n = x.length;
  const dx = new Float64Array(n);
  field(x, dx);
  const normal = Float64Array.from({ length: n }, (_, i) =>
    along(surface, (_x, out) => out.fill(0).fill(1, i, i + 1), n).rate(x),
  );
  const dot = dx.reduce((sum, d, i) => sum + d * normal[i], 0);
  return Math.abs(dot) / (Math.hypot(...dx) * Math.hypot(...normal));
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}
