/**
 * How the differential equations of a Model Exchange FMU are solved: what scenarios and commands
 * may choose.
 */

/** `auto`: explicit, until the equations prove stiff. */
export type IntegrationMethod = "auto" | "dormand-prince" | "radau";
export const INTEGRATION_METHODS: readonly [IntegrationMethod, ...IntegrationMethod[]] = [
  "auto",
  "dormand-prince",
  "radau",
];

export interface IntegratorOptions {
  readonly method?: IntegrationMethod;
  /** Relative; default: the experiment's tolerance, then 1e-6. */
  readonly tolerance?: number;
  /** Default: 0.01 · tolerance · nominal value, state by state. */
  readonly absoluteTolerance?: number;
  /** Longest step, seconds. */
  readonly maxStep?: number;
}

/** The interfaces of FMI that an FMU can be driven through. */
export type FmiInterfaceName = "co-simulation" | "model-exchange" | "scheduled-execution";
/** The one to prefer comes first. */
export const FMI_INTERFACES: readonly [FmiInterfaceName, ...FmiInterfaceName[]] = [
  "co-simulation",
  "model-exchange",
  "scheduled-execution",
];

/** What may be chosen about an FMU. */
export interface FmuChoice {
  /**
   * Default: the first of `FMI_INTERFACES` that is offered; Model Exchange where an integrator is
   * given.
   */
  readonly interface?: FmiInterfaceName;
  /** Of Model Exchange. */
  readonly integrator?: IntegratorOptions;
  /** Used where the FMU offers it; another one, with a note, where not. */
  readonly prefers?: FmiInterfaceName;
}

/** As the standard writes them. */
export const INTERFACE_TITLES: Readonly<Record<FmiInterfaceName, string>> = {
  "co-simulation": "Co-Simulation",
  "model-exchange": "Model Exchange",
  "scheduled-execution": "Scheduled Execution",
};

/**
 * The interface to drive an FMU through, of those that it offers; undefined: the one that is
 * wanted, or any, is missing.
 */
export function chooseInterface(
  offered: readonly FmiInterfaceName[],
  { interface: wanted, integrator, prefers }: FmuChoice,
): FmiInterfaceName | undefined {
  const preferred = offered.find((name) => name === prefers);
  if (wanted === undefined && preferred !== undefined) return preferred;
  const only = wanted ?? (integrator === undefined ? undefined : "model-exchange");
  return FMI_INTERFACES.find(
    (name) => offered.includes(name) && (only === undefined || name === only),
  );
}
