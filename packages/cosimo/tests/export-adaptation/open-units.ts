/** An adaptation from its file as Cosimo runs it, and as the FMU that the export makes of it. */
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { unwrap } from "../../src/base/diagnostic.ts";
import { exportFmuFile } from "../../src/host/export-fmu.ts";
import { loadScenario, openLoaded } from "../../src/host/load-scenario.ts";
import { TRUST_ALL } from "../../src/host/trust.ts";
import { compilePlan } from "../../src/plan/compile.ts";
import { openFollowingUnit } from "../../src/platform/native/following-unit.ts";
import { openNativeUnit } from "../../src/platform/native/open-native-unit.ts";
import { openFmuFile } from "../../src/platform/node/fmu-file.ts";
import { createTempFolder } from "../../src/platform/node/temp-folder.ts";
import type { Unit } from "../../src/unit/unit.ts";

/** Gone when this process ends. */
export const newFolder = (): string => createTempFolder().path;

/** @returns a maker of units in phase `instantiated`, and the path of the FMU. */
export async function exportedUnit(
  file: string,
  version: 2 | 3,
): Promise<{ readonly open: () => Unit; readonly path: string }> {
  const folder = newFolder();
  const path = join(folder, `${basename(file, ".sa")}.fmu`);
  const options = { version, sourcesOnly: false, tool: "test", trust: TRUST_ALL, folder };
  unwrap(await exportFmuFile(file, path, options));
  const fmu = unwrap(openFmuFile(path));
  const unpacked = unwrap(await fmu.extract(join(folder, "unpacked")));
  // FMI 3.0 has no call for slopes; who gives them leads inputs inside the step.
  const make = version === 2 ? openNativeUnit : openFollowingUnit;
  const open = (): Unit =>
    make(
      { folder: unpacked, description: fmu.description },
      { name: "adapted", eventMode: false, earlyReturn: false },
    );
  return { open, path };
}

/** As a scenario opens it. */
export async function adaptedUnitOf(file: string): Promise<() => Promise<Unit>> {
  const folder = newFolder();
  const scenario = join(folder, "alone.yaml");
  writeFileSync(
    scenario,
    `name: alone\nunits: { adapted: ${file} }\nexperiment: { stop: 1 s, step: 250 ms }\n`,
  );
  const loaded = unwrap(await loadScenario(scenario, TRUST_ALL, folder));
  const { plan } = unwrap(compilePlan(loaded.scenario, { record: [] }));
  const options = { folder, native: () => ({}) };
  return async () => (await openLoaded(loaded.scenario, plan, loaded.tree, options))[0]!;
}
