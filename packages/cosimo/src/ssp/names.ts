/**
 * The namespaces and media types of SSP, and the short names by which the code speaks of them. A file may choose any
 * prefix; inside, `ssd:System` is always the System of the SSD namespace.
 */

export const COSIMO_NAMESPACE = "urn:cosimo:ssp";
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

export const MEDIA: Readonly<
  Record<
    | "fmu"
    | "definition"
    | "package"
    | "parameters"
    | "mapping"
    | "dictionary"
    | "module"
    | "adaptation"
    | "machine",
    string
  >
> = {
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
};

export type SspVersion = "1.0" | "2.0";

/** The file that every package holds at its root. */
export const DEFAULT_STRUCTURE = "SystemStructure.ssd";
