/**
 * Units in processes of their own, for tests: opened as a run opens them, all of a test file in one
 * process.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { Diagnostic } from "../../../base/diagnostic.ts";
import type { Isolation } from "../../../model/isolation.ts";
import type { UnitDraft, UnitSource } from "../../../model/scenario.ts";
import type { NativeUnitOptions } from "../../../platform/native/native-options.ts";
import type { UnitUse } from "../../../run/open-units.ts";
import type { Unit } from "../../../unit/unit.ts";
import { diskFiles } from "../../sources/files.ts";
import { SourceTree } from "../../sources/tree.ts";
import { TRUST_ALL } from "../../trust.ts";
import { Isolator } from "../isolator.ts";

/** The program is built: sources run in the test's own process only. */
export const UNIT_WORKER: string = fileURLToPath(
  new URL("../../../../dist/host/isolation/unit-worker.js", import.meta.url),
);

export interface Isolated {
  readonly isolator: Isolator;
  readonly folder: string;
  readonly diagnostics: Diagnostic[];
  open(source: UnitSource, isolation?: Isolation, use?: Partial<UnitUse>): Promise<Unit>;
}

/** Call it at the top of a test file. */
export function isolated(native: NativeUnitOptions = {}): Isolated {
  const folder = mkdtempSync(join(tmpdir(), "cosimo-isolated-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const diagnostics: Diagnostic[] = [];
  const files = diskFiles(TRUST_ALL);
  const isolator = new Isolator({
    folder,
    files,
    native: () => native,
    onDiagnostic: (d) => diagnostics.push(d),
    program: UNIT_WORKER,
  });
  const file = resolve(folder, "scenario.yaml");
  return {
    isolator,
    folder,
    diagnostics,
    async open(source, isolation = { kind: "process" }, more = {}) {
      const place = { file };
      const use: UnitUse = {
        name: "far",
        structural: new Map(),
        takesSlopes: true,
        hasEvents: true,
        mayReturnEarly: true,
        start: 0,
        place,
        ...more,
      };
      const tree = new SourceTree(files, folder);
      const draft: UnitDraft = { name: use.name, source, values: [], place };
      const read = await tree.read(draft, file, []);
      const description = read?.describe(use.structural, draft);
      if (description === undefined) throw new Error(tree.diagnostics.map((d) => d.message).join());
      const { path } = tree.requestOf(source)!;
      return isolator.open({
        isolation,
        source,
        request: { path, file, around: [] },
        use,
        description,
      });
    },
  };
}
