/**
 * Runs of variants, each in a process of its own, and the proof that some need not be run.
 */

import { explainOutcome } from "../../base/outcome.ts";
import { present } from "../../base/present.ts";
import type { VariantRun } from "../../search/variants/explore.ts";
import { runAnalysis } from "../supervisor/run-analysis.ts";
import type { StopSignal } from "../supervisor/stop-signals.ts";
import { superviseRun } from "../supervisor/supervise-run.ts";
import { printError } from "../terminal.ts";
import type { PreparedVariant } from "./prepare-variants.ts";
import { type VariantsJob, variantsMessage } from "./variants-protocol.ts";

export interface RunVariantOptions {
  readonly trust: boolean;
  readonly timeoutSeconds: number | undefined;
}

/** One run; `run` is absent where it was cancelled. */
export async function runVariant(
  path: string,
  { text }: PreparedVariant,
  { trust, timeoutSeconds }: RunVariantOptions,
): Promise<{ readonly run?: VariantRun; readonly stoppedBy?: StopSignal }> {
  const report = await superviseRun(
    {
      kind: "run",
      model: path,
      text,
      trust,
      set: [],
      faults: [],
      faultFiles: [],
      clocks: [],
      record: [],
      debugLogging: false,
      stopOnDivergence: false,
      stopOnViolation: false,
      events: "auto",
      executor: "auto",
      profile: false,
    },
    { out: [], plot: [], showProgress: false, ...present({ timeoutSeconds }) },
  );
  const { outcome, verdicts, wallSeconds, stoppedBy, diagnostics, broken } = report;
  if (stoppedBy !== undefined) return { stoppedBy };
  const isCompleted = outcome?.kind === "completed" || outcome?.kind === "stopped-by-unit";
  const problem = diagnostics.find(({ severity }) => severity === "error")?.message;
  const failure = isCompleted
    ? undefined
    : (broken?.reason ?? (outcome ? explainOutcome(outcome) : problem) ?? "it did not begin");
  return { run: { isCompleted, verdicts, wallSeconds, ...present({ failure }) } };
}

/** What the stability laboratory proves unstable gets an obstacle: it is never run. */
export async function withoutUnstable(
  variants: readonly PreparedVariant[],
  path: string,
  trust: boolean,
): Promise<{ readonly variants: PreparedVariant[] } | { readonly stoppedBy: StopSignal }> {
  const open = variants.filter(({ obstacle }) => obstacle === undefined);
  if (open.length === 0) return { variants: [...variants] };
  const texts = open.map(({ text }) => text);
  const { report, failure, stoppedBy } = await runAnalysis({
    path,
    job: (folder): VariantsJob => ({
      kind: "variants",
      model: path,
      folder,
      trust,
      set: [],
      texts,
    }),
    read: variantsMessage,
  });
  if (stoppedBy !== undefined) return { stoppedBy };
  if (report === undefined) {
    printError(
      `cosimo: ${path}: stability is not known, so nothing is left out: ${failure ?? "no answer"}`,
    );
    return { variants: [...variants] };
  }
  const found = new Map(open.map((one, i) => [one, report[i]]));
  return {
    variants: variants.map((one) => {
      const { isUnstable = false, radius = 0 } = found.get(one) ?? {};
      if (!isUnstable) return one;
      return { ...one, obstacle: `proved unstable: deviations grow, ρ = ${radius.toFixed(6)}` };
    }),
  };
}
