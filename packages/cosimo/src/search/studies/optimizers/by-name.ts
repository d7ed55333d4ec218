/** The optimizers, by the names that studies use. */
import type { OptimizerName } from "../../../model/study.ts";
import { cmaEs } from "./cma-es.ts";
import { differentialEvolution } from "./differential-evolution.ts";
import { nelderMead } from "./nelder-mead.ts";
import type { Search, SearchOptions } from "./score.ts";

const BY_NAME: Readonly<Record<OptimizerName, (options: SearchOptions) => Search>> = {
  "nelder-mead": nelderMead,
  "cma-es": cmaEs,
  "differential-evolution": differentialEvolution,
};

export function optimizerNamed(name: OptimizerName): (options: SearchOptions) => Search {
  return BY_NAME[name];
}
