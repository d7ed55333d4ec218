/**
 * Scenarios from files for programs on Node: scenario.yaml, .ssp, .ssd, with their FMUs, modules
 * and nested files.
 */

import { type Diagnostic, unwrap } from "../base/diagnostic.ts";
import { present } from "../base/present.ts";
import type { IsolationKind } from "../model/isolation.ts";
import { createTempFolder } from "../platform/node/temp-folder.ts";
import {
  type RunnableScenario,
  type ScenarioRun,
  type SimulateScenarioOptions,
  simulateScenario,
} from "../run/simulate-scenario.ts";
import { disposeAll } from "../unit/dispose-all.ts";
import { fastestExecutor } from "./fmu-in-code.ts";
import { loadScenario, openLoaded } from "./load-scenario.ts";
import { type TrustOption, trustOf } from "./trust.ts";

export interface ScenarioFile extends RunnableScenario {
  /** Warnings and notes about the file and what it names. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface OpenScenarioOptions {
  /**
   * Which modules may be run, which happens also to learn their ports: all of them, or those in
   * these folders. Default: none. Modules inside packages (.ssp) need `true`.
   */
  readonly trust?: TrustOption;
  /**
   * Processes of their own, or sandboxes, for all units whose scenario does not say what they get.
   */
  readonly isolate?: IsolationKind;
  /** Gets what comes up while units are opened and run: restarts, processes that ended badly. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
}

/**
 * Reads a scenario and everything it names; FMUs are loaded when a run begins, and unpacked into a
 * folder that each run removes.
 * @throws DiagnosticsError when the file, or one that it names, is wrong, or names a module that is
 * not trusted.
 */
export async function openScenarioFile(
  path: string,
  { trust, isolate, onDiagnostic }: OpenScenarioOptions = {},
): Promise<ScenarioFile> {
  const loaded = await loadScenario(path, trustOf(trust));
  const { scenario, tree } = unwrap(loaded);
  return {
    scenario,
    diagnostics: loaded.diagnostics,
    async open(given, plan, kept) {
      const folder = createTempFolder();
      try {
        const native = () => ({});
        const choice = isolate && { kind: isolate };
        const isolation = present({ choice, onDiagnostic });
        const context = { folder: folder.path, native, isolation };
        const units = await openLoaded(given, plan, tree, context, kept);
        const close = (): unknown[] => {
          const thrown = disposeAll(units);
          folder.remove();
          return thrown;
        };
        return { units, close };
      } catch (error) {
        folder.remove();
        throw error;
      }
    },
  };
}

/** Opens `path` and runs it once, as machine code where that is possible. */
export async function simulateScenarioFile(
  path: string,
  { trust, isolate, onDiagnostic, ...options }: SimulateScenarioOptions & OpenScenarioOptions = {},
): Promise<ScenarioRun> {
  const said: Diagnostic[] = [];
  const hear = (diagnostic: Diagnostic): void => {
    said.push(diagnostic);
    onDiagnostic?.(diagnostic);
  };
  const file = await openScenarioFile(path, { ...present({ trust, isolate }), onDiagnostic: hear });
  const run = await simulateScenario(file, { executor: fastestExecutor, ...options });
  return { ...run, diagnostics: [...file.diagnostics, ...run.diagnostics, ...said] };
}
