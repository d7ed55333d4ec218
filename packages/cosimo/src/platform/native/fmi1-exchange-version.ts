/**
 * The Model Exchange interface of FMI 1.0 as data. An FMU of FMI 1.0 has one interface only, so
 * this is a version of its own.
 */
import type { TypedVersion } from "./fmi-version.ts";
import { FMI1, FMI1_CALLS, PASSES_CALLBACKS_BY_ADDRESS } from "./fmi1-version.ts";

/**
 * fmiInstantiateModel takes its callbacks by value: three pointers. System V x86-64 puts them on
 * the stack and the flag that follows them into the third register; three arguments without a
 * meaning fill the other registers.
 */
const BY_ADDRESS = { fmiInstantiateModel: "pointer: name=s guid=s callbacks=p loggingOn=b" };

const EXCHANGE_CALLS = {
  fmiGetModelTypesPlatform: "text:",
  fmiInstantiateModel:
    "pointer: name=s guid=s loggingOn=b unused=p unused=p unused=p logger=p allocate=p free=p",
  fmiFreeModelInstance: "void: c",
  fmiSetTime: "status: c t=d",
  fmiSetContinuousStates: "status: c <f64 n",
  fmiCompletedIntegratorStep: "status: c eventUpdate=>b8",
  fmiInitialize: "status: c toleranceControlled=b tolerance=d info=p",
  fmiGetDerivatives: "status: c >f64 n",
  fmiGetEventIndicators: "status: c >f64 n",
  fmiEventUpdate: "status: c intermediateResults=b info=p",
  fmiGetContinuousStates: "status: c >f64 n",
  fmiGetNominalContinuousStates: "status: c >f64 n",
  fmiGetStateValueReferences: "status: c >u32 n",
  fmiTerminate: "status: c",
} as const;

/** Values are exchanged as in Co-Simulation. */
export const FMI1_EXCHANGE_CALLS: typeof FMI1_CALLS & typeof EXCHANGE_CALLS = {
  ...FMI1_CALLS,
  ...EXCHANGE_CALLS,
  ...((PASSES_CALLBACKS_BY_ADDRESS ? BY_ADDRESS : {}) as object),
};

export const FMI1_EXCHANGE: TypedVersion<typeof FMI1_EXCHANGE_CALLS> = {
  ...FMI1,
  calls: FMI1_EXCHANGE_CALLS,
  essentialCalls: ["fmiInstantiateModel", "fmiInitialize", "fmiTerminate", "fmiFreeModelInstance"],
  names: {
    ...FMI1.names,
    typesPlatform: "fmiGetModelTypesPlatform",
    instantiate: "fmiInstantiateModel",
    terminate: "fmiTerminate",
    free: "fmiFreeModelInstance",
  },
  exchange: {
    updateDiscreteStates: "fmiEventUpdate",
    completedStep: "fmiCompletedIntegratorStep",
    setTime: "fmiSetTime",
    setStates: "fmiSetContinuousStates",
    getStates: "fmiGetContinuousStates",
    derivatives: "fmiGetDerivatives",
    indicators: "fmiGetEventIndicators",
    nominals: "fmiGetNominalContinuousStates",
    completedStepIsFinal: true,
  },
};
