/**
 * `cosimo/node`: FMUs from disk and their native instances.
 */
export type { NativeUnitOptions } from "./platform/native/native-options.ts";
export { openNativeUnit } from "./platform/native/open-native-unit.ts";
export type { Redirection } from "./platform/native/stdout.ts";
export { redirectStdoutToStderr } from "./platform/native/stdout.ts";
export type { FmuFile, OpenFmuOptions } from "./platform/node/fmu-file.ts";
export { openFmuFile } from "./platform/node/fmu-file.ts";
export type { TempFolder } from "./platform/node/temp-folder.ts";
export { createTempFolder } from "./platform/node/temp-folder.ts";
export type { OpenScenarioOptions, ScenarioFile } from "./host/scenario-file.ts";
export { openScenarioFile, simulateScenarioFile } from "./host/scenario-file.ts";
