/**
 * What a source gets when it becomes C, with a record of what it reports.
 */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { UnitUse } from "../../run/open-units.ts";
import type { ExportContext } from "../sources/source.ts";

export interface RecordingContext extends ExportContext {
  readonly reported: Diagnostic[];
}

export function exportContext(more: Partial<ExportContext> = {}): RecordingContext {
  const reported: Diagnostic[] = [];
  return {
    reported,
    needsBinaries: false,
    report: (diagnostic) => void reported.push(diagnostic),
    once: (_, __, make) => make(),
    folderFor: ({ path }) => `folder of ${path}`,
    scenario: () => undefined,
    parseAdaptation: () => {
      throw new Error("test: nothing to parse");
    },
    node: () => undefined,
    ...more,
  };
}

export function use(name: string, more: Partial<UnitUse> = {}): UnitUse {
  return {
    name,
    structural: new Map(),
    takesSlopes: false,
    hasEvents: false,
    mayReturnEarly: false,
    start: 0,
    place: { file: "test" },
    ...more,
  };
}
