/**
 * Files of a search: the scenario that was found, the front, the schedule of a variant.
 */
import { relative, resolve } from "node:path";
import { paretoSvg } from "../../plot/pareto-svg.ts";
import { type DrawnSchedule, scheduleSvg } from "../../plot/schedule-svg.ts";
import { verdictText } from "../../requirements/verdict-text.ts";
import { editScenario } from "../../search/variants/edit-scenario.ts";
import type { TriedVariant } from "../../search/variants/explore.ts";
import type { OperationSchedule, Precedence } from "../../search/variants/operation-schedule.ts";
import { decisionsOf, variantLabel } from "../../search/variants/space.ts";
import { counted } from "../findings.ts";
import { drawSvg } from "../plot-file.ts";
import type { PreparedVariant } from "./prepare-variants.ts";
import type { SearchReport } from "./search-page.ts";

/** Folders of the file that was read and of the one that is written. */
interface Way {
  readonly from: string;
  readonly to: string;
}

function movedPath(path: string, { from, to }: Way): string {
  return relative(to, resolve(from, path)).replaceAll("\\", "/");
}

/** The text of the winner, with the reasons. */
export function foundText(
  written: string,
  { space, exploration }: SearchReport,
  { variant, run, cost }: TriedVariant,
  { way, command }: { readonly way: Way; readonly command: string },
): string {
  const tried = exploration?.tried ?? [];
  const heading = [
    `Found by 'cosimo search ${command}': ${variantLabel(variant)}.`,
    `${counted(tried.length, "variant")} ${tried.length === 1 ? "was" : "were"} run; this is the cheapest that satisfies everything, with ${counted(Math.round(cost), "step")} of units.`,
    ...run.verdicts.map((verdict) => verdictText(verdict)),
  ];
  return editScenario(written, decisionsOf(space, variant), {
    withReasons: true,
    heading,
    ...(way.from !== way.to && { moved: (path: string) => movedPath(path, way) }),
  }).text;
}

export async function drawFront(
  file: string,
  { path, exploration }: SearchReport,
): Promise<string | Uint8Array> {
  const { tried = [], front = [], winner } = exploration ?? {};
  return drawSvg(
    file,
    paretoSvg({
      title: `${path}: ${counted(tried.length, "variant")}`,
      costTitle: "cost: steps of all units",
      points: tried
        .filter(({ run }) => run.isCompleted)
        .map((one) => ({
          label: variantLabel(one.variant),
          cost: one.cost,
          score: one.score,
          isOnFront: front.includes(one),
          isWinner: one === winner,
        })),
    }),
  );
}

/** Two other arrows say the same. */
function isImplied({ from, to }: Precedence, edges: readonly Precedence[]): boolean {
  return edges.some(
    (one) => one.from === from && edges.some((two) => two.from === one.to && two.to === to),
  );
}

const CONDITIONS = {
  3: "inputs are set before their unit steps",
  4: "what is got is set",
  5: "a reactive input gets what its source has after its step",
  6: "a delayed input gets what its source had before its step",
} as const;

/** The schedule of a variant, and those of the scenarios inside of it. */
export function drawSchedule({ variant, schedule, obstacle }: PreparedVariant): string {
  if (schedule === undefined) throw new Error("internal: the variant has no schedule");
  const drawn = (one: OperationSchedule, title: string): DrawnSchedule[] => {
    const { operations, edges, order = [], cycle = [], iterated, inside } = one;
    const marked = new Set([...cycle, ...iterated]);
    return [
      {
        title,
        subtitle:
          one.order === undefined
            ? `not executable: ${obstacle ?? "its operations wait for each other"}`
            : iterated.length > 0
              ? "executable; what is orange is repeated until it agrees"
              : "executable in the order of the numbers, and in every other that follows the arrows",
        operations: operations.map((operation, i) => ({ ...operation, isMarked: marked.has(i) })),
        edges: edges
          .filter((edge) => !isImplied(edge, edges))
          .map(({ from, to, condition }) => ({ from, to, why: CONDITIONS[condition] })),
        order,
      },
      ...inside.flatMap((inner) => drawn(inner, `${title}, ${inner.name}`)),
    ];
  };
  return scheduleSvg(drawn(schedule, `variant ${variant.rank}: ${variantLabel(variant)}`));
}
