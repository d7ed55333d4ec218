/**
 * FMUs in scenarios that are written in code: `units: { left: fmu("a.fmu"), right: fmu("b.fmu", {
 * set: { k: 2 } }) }`. An FMU is read when it is named, unpacked into a temporary folder and loaded
 * when a run begins, and gone when it ends.
 */
import { fileURLToPath } from "node:url";
import { type Diagnostic, DiagnosticsError, diagnose } from "../base/diagnostic.ts";
import { present } from "../base/present.ts";
import { interpreterExecutor, type MakeExecutor } from "../engine/run-plan.ts";
import { isLossless } from "../fmi/description-diagnostics.ts";
import type { FmuChoice } from "../model/integrator.ts";
import { machineCodeExecutor } from "../platform/native/machine-code/machine-code-executor.ts";
import { type FmuFile, openFmuFile } from "../platform/node/fmu-file.ts";
import { createTempFolder } from "../platform/node/temp-folder.ts";
import type { UnitOnDisk, UnitSettings } from "../run/define-scenario.ts";
import { refuseUnknownKeys } from "../run/known-keys.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "./scenario-diagnostics.ts";
import { fmuSource, interfacesText, wantedText } from "./sources/fmu.ts";

/**
 * What else may be said of an FMU: values, its step, the interface that it is driven through, and
 * how Model Exchange is integrated.
 */
export interface FmuOptions extends Omit<UnitSettings, "unit">, FmuChoice {}

const FMU_KEYS: readonly (keyof FmuOptions)[] = [
  "set",
  "step",
  "interface",
  "integrator",
  "prefers",
];

/**
 * The FMU at `path`, packed or unpacked, for `defineScenario`. A relative path starts at the
 * working folder; for one beside your program write `fmu(new URL("a.fmu", import.meta.url))`.
 * @throws DiagnosticsError when it cannot be read, or offers nothing that can be run.
 */
export function fmu(path: string | URL, options: FmuOptions = {}): UnitSettings {
  const file = typeof path === "string" ? path : fileURLToPath(path);
  const { interface: wanted, integrator, prefers, ...settings } = options;
  const isIntegrated = wanted === undefined || wanted === "model-exchange";
  const known = isIntegrated ? FMU_KEYS : FMU_KEYS.filter((key) => key !== "integrator");
  refuseUnknownKeys(options, known, `'${file}'${isIntegrated ? "" : ` (${wanted})`}`, { file });
  return {
    ...settings,
    unit: fmuOnDisk(file, present({ interface: wanted, integrator, prefers })),
  };
}

function fmuOnDisk(path: string, choice: FmuChoice): UnitOnDisk {
  const { value: file, diagnostics } = openFmuFile(path);
  if (file === undefined || !diagnostics.every(isLossless)) throw new DiagnosticsError(diagnostics);
  const source = fmuSource(file, path, choice);
  if (source === undefined) throw new DiagnosticsError([notOffered(file, choice)]);
  const place = { file: path };
  return {
    source: { kind: "fmu", path, ...choice },
    executor: fastestExecutor,
    describe(given) {
      const description = source.describe(given, { name: path, place });
      if (description === undefined) throw new Error("internal: an FMU without a description");
      return description;
    },
    async openUnit(use) {
      const folder = createTempFolder();
      try {
        const around = { folder: folder.path, native: () => ({}), openScenario };
        const unit = await source.open(use, around);
        return {
          unit,
          close() {
            unit.dispose();
            folder.remove();
          },
        };
      } catch (error) {
        folder.remove();
        throw error;
      }
    },
  };
}

function notOffered({ path, description }: FmuFile, choice: FmuChoice): Diagnostic {
  const offers = interfacesText(description);
  const params = { unit: path, path, offers, wanted: wantedText(choice) };
  return diagnose(SCENARIO_LOAD_DIAGNOSTICS, "unit-no-co-simulation", params, { file: path });
}

function openScenario(): never {
  throw new Error("internal: an FMU holds no scenario");
}

/** Machine code as far as units are native, the interpreter elsewhere. */
export const fastestExecutor: MakeExecutor = (state) =>
  machineCodeExecutor(state, undefined, { isPatient: true }) ?? interpreterExecutor(state);
