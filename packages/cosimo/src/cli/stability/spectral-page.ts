/**
 * A spectral report as the page that people read.
 */
import type { IdentificationFacts } from "../../stability/identify.ts";
import type { SpectralReport } from "../../stability/spectral.ts";
import { seconds } from "../../stability/spectral-advice.ts";
import type { MasterReport } from "../../stability/spectral-sweeps.ts";
import { type Eigenvalue, stays } from "../../stability/spectrum.ts";
import type { UnstableInterval } from "../../stability/sweep.ts";

export function spectralPage(report: SpectralReport): string {
  const { scenario, step, at, delay, masters, drivers, jitter, notes, advice } = report;
  const late = delay > 0 ? `, outputs ${seconds(delay)} late` : "";
  const [chosen] = masters as readonly [MasterReport, ...MasterReport[]];
  const sections: (readonly [string, readonly string[]])[] = [
    ["units", table(report.units.map(unitRow))],
    ["masters", masterTable(masters, step)],
    [`largest eigenvalues of ${chosen.label}`, eigenvalueLines(chosen, step)],
    [
      chosen.moving === undefined
        ? "what drives the first of them"
        : "what drives the first of them that does not stay",
      driverLines(drivers),
    ],
    ["steps that vary", jitter === undefined ? [] : jitterLines(jitter)],
    ["what is omitted", notes],
    ["recommended", advice],
  ];
  const body = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [title, ...lines.map((line) => `  ${line}`)].join("\n"));
  const title = `${scenario}: small deviations from where it is at t = ${at} s, with fixed steps of ${seconds(step)}${late}`;
  return [title, ...body].join("\n\n");
}

function unitRow(facts: IdentificationFacts): string[] {
  const { unit, states, stateNames, method, error, curvature, steps, canRollBack } = facts;
  const names =
    stateNames.length === 0
      ? ""
      : ` (${stateNames.slice(0, SHOWN).join(", ")}${stateNames.length > SHOWN ? ", …" : ""})`;
  const how =
    method === "equations"
      ? "from its derivatives; its steps are what these equations give"
      : `measured in ${steps} steps, ${canRollBack ? "rolled back" : "restarted"} after each`;
  const bend =
    curvature > 1e-9 ? `; bends by ${small(curvature)} when inputs move twice as far` : "";
  const count = states === 0 ? "no states" : `${states} state${states === 1 ? "" : "s"}${names}`;
  return [unit, count, `${how}; under random inputs it is off by ${small(error)}${bend}`];
}

const SHOWN = 6;

function masterTable(masters: readonly MasterReport[], step: number): string[] {
  const rows = masters.map((master) => {
    const label = `${master.isChosen ? "*" : " "} ${master.label}`;
    if (master.radius === undefined) return [label, "–", "no plan", ""];
    return [label, master.radius.toFixed(6), verdict(master), reach(master, step)];
  });
  const missing = masters.flatMap(({ label, reason }) =>
    reason === undefined ? [] : [`no plan for ${label}: ${reason}`],
  );
  const head = ["  master", "ρ", "", "largest stable step"];
  return [...table([head, ...rows]), "* as the scenario says", ...missing];
}

function verdict({ isStable, radius }: MasterReport): string {
  if (!isStable) return "unstable";
  return stays(radius ?? 0) ? "stays" : "stable";
}

function reach({ sweep }: MasterReport, step: number): string {
  if (sweep === undefined) return "";
  const { steps, unstable, limit, refused } = sweep;
  const [from = 0, to = from] = [steps[0], steps.at(-1)];
  const end = refused === undefined ? "" : `; a unit refuses ${seconds(refused)}`;
  if (unstable.length === 0)
    return `no limit from ${seconds(from)} to ${seconds(refused ?? to)}${end}`;
  const again = unstable.flatMap((interval, k) => againText(interval, unstable[k + 1]));
  const first =
    limit === undefined
      ? `unstable from ${seconds(from)} on`
      : `${seconds(limit)}, ${Number((limit / step).toPrecision(2))} times the step`;
  return `${first}${again.length > 0 ? ` (stable again ${again.join(", ")})` : ""}${end}`;
}

function againText({ to }: UnstableInterval, next: UnstableInterval | undefined): string[] {
  if (to === undefined) return [];
  return [`from ${seconds(to)}${next?.from === undefined ? "" : ` to ${seconds(next.from)}`}`];
}

/** Eigenvalues this small are gone after one step. */
const GONE = 1e-6;

function eigenvalueLines({ eigenvalues, ticks }: MasterReport, step: number): string[] {
  const length = step * ticks;
  const shown = eigenvalues.filter(({ im, modulus }) => im >= 0 && modulus > GONE);
  return table(shown.map((eigenvalue) => eigenvalueRow(eigenvalue, length)));
}

function eigenvalueRow({ re, im, modulus }: Eigenvalue, length: number): string[] {
  const value = im === 0 ? re.toFixed(6) : `${re.toFixed(6)} ± ${im.toFixed(6)}i`;
  const pace = Math.abs(Math.log(modulus) / length);
  const motion = stays(modulus)
    ? "stays"
    : `${modulus > 1 ? "doubles" : "halves"} every ${seconds(Math.LN2 / pace)}`;
  const turn = Math.atan2(im, re);
  const period =
    turn > 1e-9 ? `, swings with a period of ${seconds((2 * Math.PI * length) / turn)}` : "";
  return [value, `|λ| = ${modulus.toFixed(6)}`, `${motion}${period}`];
}

const WHERE = {
  states: "its states",
  signal: "on the way to it",
  between: "between units",
} as const;

function driverLines({ units, couplings }: SpectralReport["drivers"]): string[] {
  const shares = units.map(({ name, kind, share }) => [
    name,
    `${(100 * share).toFixed(0)} %`,
    WHERE[kind],
  ]);
  const gains = couplings
    .slice(0, SHOWN)
    .map(({ connection, sensitivity }) => [
      connection,
      `ρ ${sensitivity < 0 ? "−" : "+"}${Math.abs(sensitivity / 100).toExponential(1)} if it carried 1 % more`,
    ]);
  return [...table(shares), ...table(gains)];
}

function jitterLines(report: NonNullable<SpectralReport["jitter"]>): string[] {
  const { sizes, jitter, proven, met } = report;
  const bound = Number.isFinite(proven.value)
    ? `at most ${proven.value.toFixed(6)} per step, proven by ${proven.method}`
    : "no bound was found";
  const word = met.sequence.slice(0, SHOWN).map(seconds).join(", ");
  const more = met.sequence.length > SHOWN ? ", …" : "";
  return [
    ...table(
      sizes.map(({ step, radius }) => [`always ${seconds(step)}`, `ρ = ${radius.toFixed(6)}`]),
    ),
    `any sequence of these sizes: ${bound}`,
    `the worst that was met: ${met.value.toFixed(6)} per step, repeating ${word}${more}`,
    `other sizes within ±${Number((100 * jitter).toPrecision(3))} % were not analysed`,
  ];
}

function small(value: number): string {
  return value < 1e-15 ? "nothing" : value.toExponential(0);
}

function table(rows: readonly (readonly string[])[]): string[] {
  const length = (cell = ""): number => [...cell].length;
  const widths = (rows[0] ?? []).map((_, c) => Math.max(...rows.map((row) => length(row[c]))));
  return rows.map((row) =>
    row
      .map((cell, c) => cell + " ".repeat((widths[c] ?? 0) - length(cell)))
      .join("  ")
      .trimEnd(),
  );
}
