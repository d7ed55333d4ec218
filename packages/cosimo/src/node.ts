/**
 * `cosimo/node`: FMUs and scenario files on disk, descriptions of FMUs, native instances.
 */

export type { ArchiveLimits } from "./fmi/archive.ts";
export type { FmuContents, PlatformFolder } from "./fmi/archive-contents.ts";
export type {
  Alias,
  Annotation,
  Causality,
  ClockAttributes,
  CoSimulationInterface,
  DependencyKind,
  Dimension,
  DisplayUnit,
  EnumerationItem,
  FmiVariability,
  FmuDescription,
  FmuInterface,
  FmuVariable,
  Initial,
  LogCategory,
  ModelStructure,
  TypeAttributes,
  TypeDefinition,
  UnitDefinition,
  Unknown,
} from "./fmi/description.ts";
export { parseModelDescription } from "./fmi/parse-description.ts";
export type { UnitDescriptionOptions } from "./fmi/to-unit-description.ts";
export { toUnitDescription } from "./fmi/to-unit-description.ts";
export { validateDescription } from "./fmi/validate/validate.ts";
export type { FmiMajor } from "./fmi/versions/table.ts";
export type { FmuOptions } from "./host/fmu-in-code.ts";
export { fmu } from "./host/fmu-in-code.ts";
export type { NodesDevsRun, RunDevsOnNodesOptions } from "./host/network/run-devs-on-nodes.ts";
export { runDevsOnNodes } from "./host/network/run-devs-on-nodes.ts";
export type {
  ParallelDevsRun,
  ParallelReport,
  RunDevsModuleOptions,
} from "./host/parallel/run-devs-module.ts";
export { runDevsModule } from "./host/parallel/run-devs-module.ts";
export type { OpenScenarioOptions, ScenarioFile } from "./host/scenario-file.ts";
export { openScenarioFile, simulateScenarioFile } from "./host/scenario-file.ts";
export type { TrustOption } from "./host/trust.ts";
export type {
  FmiInterfaceName,
  FmuChoice,
  IntegrationMethod,
  IntegratorOptions,
} from "./model/integrator.ts";
export type { IsolationKind } from "./model/isolation.ts";
export type { PartsKind } from "./parallel/plan-parts.ts";
export type { PartStatistics } from "./parallel/protocol.ts";
export type {
  IntermediateUpdate,
  LogEntry,
  LogStatus,
  NativeFmu,
  NativeUnitOptions,
} from "./platform/native/native-options.ts";
export { openNativeUnit } from "./platform/native/open-native-unit.ts";
export type { Redirection } from "./platform/native/stdout.ts";
export { redirectStdoutToStderr } from "./platform/native/stdout.ts";
export type { FmuFile, OpenFmuOptions } from "./platform/node/fmu-file.ts";
export { openFmuFile } from "./platform/node/fmu-file.ts";
export type { TempFolder } from "./platform/node/temp-folder.ts";
export { createTempFolder } from "./platform/node/temp-folder.ts";
