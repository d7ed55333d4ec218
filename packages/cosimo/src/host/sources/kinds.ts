/**
 * All kinds of source. A new one is a file beside this and a row here; which endings of files mean it is said in model/source-kind.ts.
 */
import type { UnitSource } from "../../model/scenario.ts";
import { readFmu } from "./fmu.ts";
import { readMachine } from "./machine.ts";
import { readModule } from "./module.ts";
import { readInlineScenario, readScenarioFile } from "./scenario.ts";
import type { ReadSource } from "./source.ts";

type Kinds = {
  readonly [Kind in UnitSource["kind"]]: ReadSource<Extract<UnitSource, { readonly kind: Kind }>>;
};

export const SOURCE_KINDS: Kinds = {
  fmu: readFmu,
  module: readModule,
  // The language takes longer to load than everything else together.
  adaptation: async (request, tree) =>
    (await import("./adaptation.ts")).readAdaptation(request, tree),
  adapted: async (request, tree) => (await import("./adapted.ts")).readAdapted(request, tree),
  machine: readMachine,
  scenario: readInlineScenario,
  "scenario-file": readScenarioFile,
};
