/**
 * What a search found, for people and for programs.
 */
import { present } from "../../base/present.ts";
import { jsonVerdict, verdictText } from "../../requirements/verdict-text.ts";
import {
  type Exploration,
  neverSatisfied,
  type TriedVariant,
} from "../../search/variants/explore.ts";
import type { OperationSchedule } from "../../search/variants/operation-schedule.ts";
import { type SearchSpace, variantLabel } from "../../search/variants/space.ts";
import { diagramText, variantCount } from "../../search/variants/variant-diagram.ts";
import { counted } from "../findings.ts";
import type { PreparedVariant } from "./prepare-variants.ts";

export interface SearchReport {
  readonly path: string;
  readonly space: SearchSpace;
  readonly variants: readonly PreparedVariant[];
  /** Absent: nothing was run. */
  readonly exploration?: Exploration;
}

export function searchPage(report: SearchReport): string {
  const { space, variants, exploration } = report;
  const lines = [
    `decided by the hints`,
    ...decidedLines(space),
    "",
    `open: ${counted(variantCount(space), "variant")}`,
    ...diagramText(space).map((line) => `  ${line}`),
  ];
  for (const note of space.notes) lines.push(`  note: ${note}`);
  if (exploration === undefined) {
    lines.push("", "variants, in the order of the ranking search");
    for (const { variant, obstacle, cost } of variants) {
      const what = obstacle ?? `${counted(Math.round(cost), "step")} of units`;
      lines.push(`  ${String(variant.rank).padStart(3)}  ${variantLabel(variant)}: ${what}`);
    }
    return lines.join("\n");
  }
  const refused = variants.filter(({ obstacle }) => obstacle !== undefined);
  if (refused.length > 0)
    lines.push("", `never run: ${counted(refused.length, "variant")}`, ...reasons(refused));
  lines.push("", ...explorationLines(exploration));
  return lines.join("\n");
}

function decidedLines({ fixed }: SearchSpace): string[] {
  const whys = [...new Set(fixed.map(({ why }) => why))];
  return whys.length === 0 ? ["  nothing"] : whys.map((why) => `  ${why}`);
}

const SHOWN_REASONS = 6;

/** Each reason once, with how many variants it stops. */
function reasons(refused: readonly PreparedVariant[]): string[] {
  const counts = new Map<string, number>();
  for (const { obstacle = "" } of refused) {
    const text = obstacle.replace(/ρ = [\d.e+-]+/, "ρ above 1");
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const lines = [...counts].map(([text, count]) => `  ${count} × ${text}`);
  const more = lines.length - SHOWN_REASONS;
  return more > 0 ? [...lines.slice(0, SHOWN_REASONS), `  … and ${more} more reasons`] : lines;
}

function explorationLines(exploration: Exploration): string[] {
  const { tried, skipped, why, front, winner, matters } = exploration;
  const lines = [`run: ${counted(tried.length, "variant")}, the cheapest first (${why})`];
  for (const one of tried.toSorted((a, b) => a.cost - b.cost))
    lines.push(`  ${triedText(one, front.includes(one), one === winner)}`);
  if (skipped.length > 0) lines.push(`  ${counted(skipped.length, "variant")} not run: ${why}`);
  const known = matters
    .filter(({ matters: much }) => much > 0)
    .toSorted((a, b) => b.matters - a.matters);
  if (known.length > 0 && tried.length > 2)
    lines.push(
      "",
      `which choices matter: ${known.map(({ point, matters: much }) => `${point} ${Math.round(100 * much)} %`).join(", ")}`,
    );
  for (const { name, closest } of neverSatisfied(tried))
    lines.push(
      "",
      `no variant satisfies '${name}'; the closest one is ${verdictText(closest)}`,
      "  perhaps it is not the master but the model, or the requirement",
    );
  if (winner !== undefined) {
    lines.push("", `found: ${variantLabel(winner.variant)}`);
    for (const verdict of winner.run.verdicts) lines.push(`  ${verdictText(verdict)}`);
    const dearest = tried.reduce((a, b) => (b.cost > a.cost ? b : a));
    const times = dearest.cost / winner.cost;
    if (times > 1.05)
      lines.push(
        `  ${Number(times.toPrecision(2))} times cheaper than the dearest variant that was run`,
      );
  } else if (tried.length > 0) lines.push("", "no variant satisfies everything");
  return lines;
}

function triedText(
  { variant, cost, score, run }: TriedVariant,
  isOnFront: boolean,
  isWinner: boolean,
): string {
  const mark = isWinner ? "*" : isOnFront ? "+" : " ";
  const result = run.isCompleted ? score.toFixed(3).padStart(6) : "failed";
  const why = run.failure === undefined ? "" : `: ${run.failure}`;
  return `${mark} ${result}  ${counted(Math.round(cost), "step").padStart(14)}  ${run.wallSeconds.toFixed(2).padStart(6)} s  ${variantLabel(variant)}${why}`;
}

/** The same as data. */
export function searchJson({ path, space, variants, exploration }: SearchReport): unknown {
  const tried = new Map(exploration?.tried.map((one) => [one.variant.rank, one]));
  return {
    scenario: path,
    fixed: space.fixed,
    points: space.points.map(({ name, choices }) => ({
      name,
      choices: choices.map(({ label, weight }) => ({ label, weight })),
    })),
    notes: space.notes,
    variants: variants.map(({ variant, cost, obstacle, schedule }) => {
      const ran = tried.get(variant.rank);
      return {
        rank: variant.rank,
        label: variantLabel(variant),
        choices: Object.fromEntries(
          variant.choices.map(({ point, choice }) => [point.name, choice.label]),
        ),
        ...present({ cost: Number.isFinite(cost) ? cost : undefined, obstacle }),
        ...(schedule && { schedule: scheduleJson(schedule) }),
        ...(ran && {
          score: ran.score,
          isSatisfied: ran.isSatisfied,
          wallSeconds: ran.run.wallSeconds,
          ...present({ failure: ran.run.failure }),
          requirements: ran.run.verdicts.map(jsonVerdict),
        }),
      };
    }),
    ...(exploration && {
      stopped: exploration.why,
      front: exploration.front.map(({ variant }) => variant.rank),
      ...present({ winner: exploration.winner?.variant.rank }),
      matters: exploration.matters,
      neverSatisfied: neverSatisfied(exploration.tried).map(({ name, closest }) => ({
        name,
        closest: jsonVerdict(closest),
      })),
    }),
  };
}

function scheduleJson({
  operations,
  edges,
  order,
  cycle,
  inside,
  name,
}: OperationSchedule): unknown {
  const texts = (list: readonly number[]): string[] => list.map((i) => operations[i]?.text ?? "");
  return {
    name,
    operations: operations.map(({ text }) => text),
    edges,
    ...present({ order: order && texts(order), cycle: cycle && texts(cycle) }),
    inside: inside.map(scheduleJson),
  };
}
