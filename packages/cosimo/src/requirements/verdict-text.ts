/**
 * A verdict in words: for summaries, metadata of traces, captions and reports of tests.
 */
import type { Verdict } from "./check-requirement.ts";

/** `violated: limit, by 0.7 A (motor.current at t=3.2)`. */
export function verdictText(verdict: Verdict): string {
  return `${verdict.state}: ${verdict.name}${verdictDetail(verdict)}`;
}

/** What stands behind the name, with a comma or a bracket in front. */
export function verdictDetail(verdict: Verdict): string {
  const { state, robustness, isVacuous, decision, violations } = verdict;
  if (isVacuous) return ", its scope never began";
  const where = decision === undefined ? "" : ` (${placeText(decision)})`;
  if (state === "open") return `, the run ended before a deadline${where}`;
  const [first] = violations;
  const since =
    state === "violated" && first !== undefined && first.from !== decision?.time
      ? `, first at t=${round(first.from)}`
      : "";
  if (!Number.isFinite(robustness)) return `${where}${since}`;
  const amount = amountText(verdict);
  return state === "violated" ? `, by ${amount}${where}${since}` : `, ${amount} to spare${where}`;
}

function placeText({ time, signals, isNaN: isLost }: NonNullable<Verdict["decision"]>): string {
  const names = signals.join(", ");
  return `${names}${isLost ? " is NaN" : ""}${names === "" ? "" : " "}at t=${round(time)}`;
}

/** The robustness without its sign, with its unit. */
function amountText({ robustness, unit }: Pick<Verdict, "robustness" | "unit">): string {
  const amount = String(Number(Math.abs(robustness).toPrecision(4)));
  return unit === undefined ? amount : `${amount} ${unit}`;
}

/** For JSON, which has no infinities: a robustness that no number decides is absent there. */
export function jsonVerdict({ robustness, ...verdict }: Verdict): unknown {
  return Number.isFinite(robustness) ? { ...verdict, robustness: robustness + 0 } : verdict;
}

function round(time: number): string {
  return String(Number(time.toPrecision(9)));
}
