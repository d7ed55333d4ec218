/**
 * The namespaces and media types of SSP, and the short names by which the code speaks of them. A
 * file may choose any prefix; inside, `ssd:System` is always the System of the SSD namespace.
 */
import type { FmiInterfaceName } from "../model/integrator.ts";
import { type FileKind, fileKind } from "../model/source-kind.ts";

const COSIMO_NAMESPACE = "urn:cosimo:ssp";
export const COSIMO_ANNOTATION = "cosimo";

const SSP1 = "http://ssp-standard.org/SSP1/SystemStructure";

/** Prefix → namespace, both directions fixed by the standard. */
export const NAMESPACES: Readonly<Record<string, string>> = {
  ssd: `${SSP1}Description`,
  ssc: `${SSP1}Common`,
  ssv: `${SSP1}ParameterValues`,
  ssm: `${SSP1}ParameterMapping`,
  ssb: `${SSP1}SignalDictionary`,
  cosimo: COSIMO_NAMESPACE,
};

/** Interfaces of FMI as SSP writes them. */
export const IMPLEMENTATIONS: Readonly<Record<FmiInterfaceName, string>> = {
  "co-simulation": "CoSimulation",
  "model-exchange": "ModelExchange",
  "scheduled-execution": "ScheduledExecution",
};

type FileMedia = "definition" | "package" | "parameters" | "mapping" | "dictionary";
/** Kinds of source that have a type of their own; a scenario is a definition or a package. */
type UnitMedia = Exclude<FileKind, "scenario-file">;

export const MEDIA: Readonly<Record<FileMedia | UnitMedia, string>> = {
  fmu: "application/x-fmu-sharedlibrary",
  definition: "application/x-ssp-definition",
  package: "application/x-ssp-package",
  parameters: "application/x-ssp-parameter-set",
  mapping: "application/x-ssp-parameter-mapping",
  dictionary: "application/x-ssp-signal-dictionary",
  /** Not of the standard: a unit written in TypeScript. */
  module: "application/x-cosimo-module",
  /** Not of the standard: a semantic adaptation. */
  adaptation: "application/x-cosimo-adaptation",
  /** Not of the standard: a timed state machine. */
  machine: "application/x-cosimo-machine",
  /** Signals over time, as rows of a table. */
  table: "text/csv",
};

/** The kind of source that a component of this type is. */
export function sourceKindOf(type: string): FileKind | undefined {
  if (type === MEDIA.package) return "scenario-file";
  const units: readonly UnitMedia[] = ["fmu", "module", "adaptation", "machine", "table"];
  return units.find((kind) => MEDIA[kind] === type);
}

/**
 * The type of what `path` names by its ending; undefined where it names nothing that SSP has a type
 * for.
 */
export function typeOfFile(path: string): string | undefined {
  if (/\.ssd$/i.test(path)) return MEDIA.definition;
  const kind = fileKind(path);
  if (kind === undefined) return undefined;
  if (kind === "scenario-file") return /\.ssp(#.*)?$/i.test(path) ? MEDIA.package : undefined;
  return MEDIA[kind];
}

export type SspVersion = "1.0" | "2.0";

/** The file that every package holds at its root. */
export const DEFAULT_STRUCTURE = "SystemStructure.ssd";
