/**
 * Units on other computers. Their description is asked for when the scenario is read; binaries stay
 * where they are.
 */
import { DiagnosticsError } from "../../base/diagnostic.ts";
import type { RemoteSource } from "../../model/scenario.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { type RemoteUnits, remoteUnits } from "../network/remote-units.ts";
import { givenNumbers, type NamedUnit, type ReadSource, type Source } from "./source.ts";
import type { SourceTree } from "./tree.ts";

export const readRemote: ReadSource<RemoteSource> = async ({ unit, source }, tree) => {
  try {
    const units = remoteUnits(unit.name, unit.place);
    const made = remoteSource(source, units, tree);
    return made.describe(givenNumbers(unit), unit) && made;
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    return tree.report(...error.diagnostics);
  }
};

function remoteSource(source: RemoteSource, units: RemoteUnits, tree: SourceTree): Source {
  const known = new Map<string, UnitDescription>();
  let shaping: readonly string[] | undefined;
  /**
   * Only structural parameters shape it; which ones there are is known when it was described once.
   */
  const describe = (given: ReadonlyMap<string, number>, unit: NamedUnit): UnitDescription => {
    const key = (): string => JSON.stringify(shaping?.map((name) => given.get(name) ?? null));
    const before = shaping && known.get(key());
    if (before !== undefined) return before;
    const found = units.describe(unit, source, given);
    shaping ??= found.ports
      .filter(({ direction }) => direction === "structural-parameter")
      .map(({ name }) => name);
    known.set(key(), found);
    return found;
  };
  return {
    path: "",
    describe(given, unit) {
      try {
        return describe(given, unit);
      } catch (error) {
        if (!(error instanceof DiagnosticsError)) throw error;
        return tree.report(...error.diagnostics);
      }
    },
    open: async (use, around) => units.open(source, describe(use.structural, use), use, around),
  };
}
