/**
 * Scenarios from files for programs on Node: scenario.yaml, .ssp, .ssd, with their FMUs, modules and nested files.
 */
import { type Diagnostic, unwrap } from "../base/diagnostic.ts";
import { interpreterExecutor, type MakeExecutor } from "../engine/run-plan.ts";
import { machineCodeExecutor } from "../platform/native/machine-code/machine-code-executor.ts";
import { createTempFolder } from "../platform/node/temp-folder.ts";
import {
  type RunnableScenario,
  type ScenarioRun,
  type SimulateScenarioOptions,
  simulateScenario,
} from "../run/simulate-scenario.ts";
import { loadScenario, openLoaded } from "./load-scenario.ts";
import { type TrustOption, trustOf } from "./trust.ts";

export interface ScenarioFile extends RunnableScenario {
  /** Warnings and notes about the file and what it names. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface OpenScenarioOptions {
  /**
   * Which modules may be run, which happens also to learn their ports: all of them, or those in these folders. Default: none.
   * Modules inside packages (.ssp) need `true`.
   */
  readonly trust?: TrustOption;
}

/**
 * Reads a scenario and everything it names; FMUs are loaded when a run begins, and unpacked into a folder that each run removes.
 * @throws DiagnosticsError when the file, or one that it names, is wrong, or names a module that is not trusted.
 */
export async function openScenarioFile(
  path: string,
  { trust }: OpenScenarioOptions = {},
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
        const context = { folder: folder.path, native };
        const units = await openLoaded(given, plan, tree, context, kept);
        const close = (): void => {
          for (const unit of units) unit.dispose();
          folder.remove();
        };
        return { units, close };
      } catch (error) {
        folder.remove();
        throw error;
      }
    },
  };
}

/** Machine code as far as units are native, the interpreter elsewhere. */
const fastest: MakeExecutor = (state) => machineCodeExecutor(state) ?? interpreterExecutor(state);

/** Opens `path` and runs it once, as machine code where that is possible. */
export async function simulateScenarioFile(
  path: string,
  { trust, ...options }: SimulateScenarioOptions & OpenScenarioOptions = {},
): Promise<ScenarioRun> {
  const file = await openScenarioFile(path, trust === undefined ? {} : { trust });
  const run = await simulateScenario(file, { executor: fastest, ...options });
  return { ...run, diagnostics: [...file.diagnostics, ...run.diagnostics] };
}
