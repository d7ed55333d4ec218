/**
 * `check --confluence`: the units run in a process of their own, and what was found is put into
 * lines.
 */
import { scenarioInFolder } from "../../host/scenario-path.ts";
import type { ChoiceMade, ConfluenceReport } from "../../unit/explore-orders.ts";
import { counted } from "../findings.ts";
import { type AnalysisEnd, runAnalysis } from "../supervisor/run-analysis.ts";
import { type ConfluenceJob, confluenceMessage } from "./confluence-protocol.ts";

/** @param timeoutSeconds none: it may take as long as it takes. */
export function runConfluence(
  path: string,
  request: Pick<ConfluenceJob, "trust" | "options">,
  timeoutSeconds?: number,
): Promise<AnalysisEnd<ConfluenceReport>> {
  const model = scenarioInFolder(path) ?? path;
  return runAnalysis({
    path,
    job: (folder): ConfluenceJob => ({ kind: "confluence", model, folder, set: [], ...request }),
    read: confluenceMessage,
    timeoutSeconds,
  });
}

export function confluenceLines(report: ConfluenceReport): string[] {
  const { verdict, orders, ties, seed, difference } = report;
  const tied = `${counted(ties, "tie")} in a run`;
  switch (verdict) {
    case "no-ties":
      return ["no simultaneous events whose order is open: there is one order only"];
    case "confluent":
      return [`all ${orders} orders of simultaneous events (${tied}) give the same events`];
    case "not-refuted":
      return [
        `${orders} orders of simultaneous events (${tied}${seed === undefined ? "" : `, drawn with --seed ${seed}`}) give the same events`,
        "there are more orders; --orders tries more of them",
      ];
    case "order-matters":
      return difference === undefined
        ? []
        : [
            `the order of simultaneous events changes the result (order ${orders} that was tried)`,
            `first order:  ${choiceText(difference.first)}`,
            `second order: ${choiceText(difference.second)}`,
            difference.time === undefined
              ? "the events are the same, and what is there at the end is not:"
              : `the first difference is at t=${difference.time} (- first order, + second order):`,
            ...difference.diff.map((line) => `  ${line}`),
          ];
  }
}

const choiceText = ({ time, what, chosen }: ChoiceMade): string => `t=${time} ${what}: ${chosen}`;
