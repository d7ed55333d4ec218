/**
 * All kinds of source. A new one is a file beside this and a row here; which endings of files mean
 * it is said in model/source-kind.ts.
 */
import type { UnitSource } from "../../model/scenario.ts";
import { readFmu } from "./fmu.ts";
import { readGroup } from "./group.ts";
import { readMachine } from "./machine.ts";
import { readModule } from "./module.ts";
import { INLINE_SCENARIO, SCENARIO_FILE } from "./scenario.ts";
import type { SourceKind } from "./source.ts";
import { readTable } from "./table.ts";

type Kinds = {
  readonly [Kind in UnitSource["kind"]]: SourceKind<Extract<UnitSource, { readonly kind: Kind }>>;
};

export const SOURCE_KINDS: Kinds = {
  fmu: { read: readFmu },
  module: { read: readModule },
  // The language takes longer to load than everything else together.
  adaptation: {
    read: async (request, tree) => (await import("./adaptation.ts")).readAdaptation(request, tree),
  },
  adapted: {
    read: async (request, tree) => (await import("./adapted.ts")).readAdapted(request, tree),
  },
  group: { read: readGroup },
  machine: { read: readMachine },
  table: { read: readTable },
  // The network is loaded where a scenario leaves the machine.
  remote: {
    read: async (request, tree) => (await import("./remote.ts")).readRemote(request, tree),
  },
  scenario: INLINE_SCENARIO,
  "scenario-file": SCENARIO_FILE,
};
