/**
 * What to do about it, in words: the recommendation that follows from a spectral report. `cosimo
 * check` quotes it.
 */
import type { SpectralReport } from "./spectral.ts";
import type { MasterReport } from "./spectral-sweeps.ts";
import { MARGINAL } from "./spectrum.ts";
import { grows } from "./sweep.ts";

type Facts = Pick<SpectralReport, "step" | "masters" | "units" | "jitter">;

/** A step this close to the limit, or a model this wrong, leaves little to rely on. */
const LITTLE_ROOM = 2;
const POOR_MODEL = 1e-3;

export function spectralAdvice(facts: Facts): string[] {
  const { masters, step, units, jitter } = facts;
  const chosen = masters[0];
  const advice: string[] = [];
  if (chosen.radius === undefined) advice.push(`'${chosen.label}' does not fit: ${chosen.reason}`);
  else if (isUnstableItself(masters))
    advice.push(
      `deviations grow with every master and the smallest step analysed: the coupled system itself is unstable at this operating point, and no master can change that`,
    );
  else if (chosen.isStable) advice.push(...stable(chosen, step));
  else advice.push(...unstable(chosen, masters, step));
  if (jitter !== undefined) advice.push(jitter.verdict);
  const poor = units.filter(({ error }) => error > POOR_MODEL);
  if (poor.length > 0)
    advice.push(
      `take this as a hint only: ${poor.map(({ unit, error }) => `the model of '${unit}' is wrong by ${percent(error)}`).join(", ")}`,
    );
  return advice;
}

function stable(chosen: MasterReport, step: number): string[] {
  const { label, sweep } = chosen;
  const radius = chosen.radius!;
  const pace =
    radius > 1 - MARGINAL
      ? stayingText(chosen, step)
      : radius < GONE
        ? "a deviation is gone after a few steps"
        : `a deviation is halved within ${seconds((step * Math.log(0.5)) / Math.log(radius))}`;
  const first = `${label} is stable with steps of ${seconds(step)}: ${pace}`;
  if (sweep?.limit === undefined) return [`${first}; ${withoutLimit(chosen)}`];
  const room = sweep.limit / step;
  const limit = `${first}; it stays so up to ${seconds(sweep.limit)}`;
  if (room >= LITTLE_ROOM) return [limit];
  const half = roundedDown(sweep.limit / LITTLE_ROOM);
  return [
    `${limit}, which leaves little room: take ${seconds(half)} or less, or a stronger coupling`,
  ];
}

/** Where something has no place of its own: the sum of distances, an angle. */
function stayingText({ moving }: MasterReport, step: number): string {
  if (moving === undefined) return "a deviation stays, it neither grows nor fades";
  return `some deviations stay, nothing pulls them back; all others are halved within ${seconds((step * Math.log(0.5)) / Math.log(moving))}`;
}

const GONE = 1e-3;

function unstable(chosen: MasterReport, masters: readonly MasterReport[], step: number): string[] {
  const double = (step * Math.LN2) / Math.log(chosen.radius!);
  const advice = [
    `${chosen.label} is unstable with steps of ${seconds(step)}: a deviation doubles every ${seconds(double)}`,
  ];
  const limit = chosen.sweep?.limit;
  if (limit !== undefined && limit < step)
    advice.push(
      `take steps of ${seconds(roundedDown(limit / LITTLE_ROOM))}: it is stable up to ${seconds(limit)}`,
    );
  const others = masters
    .filter(({ isStable, isChosen }) => isStable === true && !isChosen)
    .sort((a, b) => reach(b) - reach(a));
  const [best] = others;
  if (best !== undefined)
    advice.push(
      `or take ${best.label}: stable with this step (ρ = ${best.radius!.toPrecision(4)}), ${
        best.sweep?.limit === undefined ? withoutLimit(best) : `up to ${seconds(best.sweep.limit)}`
      }`,
    );
  if (best === undefined && (limit === undefined || limit >= step))
    advice.push("no other master with fixed steps is stable with this step");
  return advice;
}

function withoutLimit({ sweep }: MasterReport): string {
  const last = sweep?.steps.at(-1) ?? 0;
  if (sweep?.refused !== undefined)
    return `no limit was found before a unit refuses steps of ${seconds(sweep.refused)}`;
  return `no limit was found up to ${seconds(last)}`;
}

function reach({ sweep }: MasterReport): number {
  return sweep?.limit ?? Number.POSITIVE_INFINITY;
}

function isUnstableItself(masters: readonly MasterReport[]): boolean {
  const swept = masters.filter(({ sweep }) => sweep !== undefined);
  return (
    swept.length > 0 &&
    swept.every(({ sweep }) => {
      const [first] = sweep!.radii;
      return first !== undefined && grows(first);
    })
  );
}

/** To one digit that people write: 0.7 for 0.74. */
function roundedDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return Number((Math.floor(value / power + 1e-9) * power).toPrecision(1));
}

function percent(value: number): string {
  return `${(100 * value).toPrecision(2)} %`;
}

/** "0.1 s", "1.247 s", "25 ms". */
export function seconds(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.01) return `${Number((1000 * value).toPrecision(4))} ms`;
  return `${Number(value.toPrecision(4))} s`;
}
