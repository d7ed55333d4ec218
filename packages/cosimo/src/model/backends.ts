/**
 * The technologies behind units, as messages name them. The engine asks for capabilities, never for
 * the backend: a new one is a row here, and what it can do is in its unit descriptions.
 */

export interface Backend {
  readonly label: string;
  /** With its noun: "FMI 2.0 FMU". */
  readonly noun: string;
  readonly isFmu: boolean;
  /** Why an input counts as reactive. */
  readonly whyReactive: string;
  /** Why the kind of an input is undeclared. */
  readonly whyUndeclared: string;
}

export type BackendName =
  | "typescript"
  | "fmi1"
  | "fmi2"
  | "fmi3"
  | "fmi1-exchange"
  | "fmi2-exchange"
  | "fmi3-exchange"
  | "fmi3-scheduled"
  | "exchange-group";

/** Model Exchange: the solver is ours. */
const EXCHANGE = {
  isFmu: true,
  whyReactive: "its integrator follows the input inside the step",
  whyUndeclared:
    "it is discrete, so it changes at events only: the master decides which value it has",
} as const;

export const BACKENDS: Readonly<Record<BackendName, Backend>> = {
  typescript: {
    label: "TypeScript",
    noun: "TypeScript unit",
    isFmu: false,
    whyReactive: "the unit declares that it interpolates to the value at the end of the step",
    whyUndeclared: "the unit does not declare which value it uses, so the master decides",
  },
  fmi1: {
    label: "FMI 1.0",
    noun: "FMI 1.0 FMU",
    isFmu: true,
    whyReactive:
      "the FMU sets canInterpolateInputs, so it can interpolate to the value at the end of the step",
    whyUndeclared:
      "the FMU does not interpolate it, so it is constant over a step: the master decides which value it has",
  },
  fmi2: {
    label: "FMI 2.0",
    noun: "FMI 2.0 FMU",
    isFmu: true,
    whyReactive:
      "the FMU sets canInterpolateInputs, so it can interpolate to the value at the end of the step",
    whyUndeclared:
      "the FMU does not interpolate it, so it is constant over a step: the master decides which value it has",
  },
  fmi3: {
    label: "FMI 3.0",
    noun: "FMI 3.0 FMU",
    isFmu: true,
    whyReactive:
      "the FMU takes this input in intermediate updates, so it follows it inside the step",
    whyUndeclared:
      "the FMU takes no intermediate updates of it, so it is constant over a step: the master decides which value it has",
  },
  "fmi1-exchange": {
    label: "FMI 1.0 Model Exchange",
    noun: "FMI 1.0 FMU for Model Exchange",
    ...EXCHANGE,
  },
  "fmi2-exchange": {
    label: "FMI 2.0 Model Exchange",
    noun: "FMI 2.0 FMU (Model Exchange)",
    ...EXCHANGE,
  },
  "exchange-group": {
    label: "coupled integration",
    noun: "group of Model Exchange FMUs",
    ...EXCHANGE,
    isFmu: false,
  },
  "fmi3-exchange": {
    label: "FMI 3.0 Model Exchange",
    noun: "FMI 3.0 FMU (Model Exchange)",
    ...EXCHANGE,
  },
  "fmi3-scheduled": {
    label: "FMI 3.0 Scheduled Execution",
    noun: "FMI 3.0 FMU (Scheduled Execution)",
    isFmu: true,
    whyReactive: "the FMU declares it",
    whyUndeclared:
      "its partitions read it when they are activated: the master decides which value it has then",
  },
};
