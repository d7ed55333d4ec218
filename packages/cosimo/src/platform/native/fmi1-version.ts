/**
 * The Co-Simulation interface of FMI 1.0 as data. Its functions bear the model identifier before
 * their names.
 */
import type { TypedVersion } from "./fmi-version.ts";

/**
 * fmiInstantiateSlave takes its callbacks by value: four pointers. System V x86-64 puts such a
 * structure on the stack, where four further pointers go too once six integers have filled the
 * registers; elsewhere the structure is passed by its address.
 */
export const PASSES_CALLBACKS_BY_ADDRESS: boolean =
  process.platform === "win32" || process.arch !== "x64";
const BY_ADDRESS = {
  fmiInstantiateSlave:
    "pointer: name=s guid=s location=s mimeType=s timeout=d visible=b interactive=b callbacks=p loggingOn=b",
};

export const FMI1_CALLS = {
  fmiGetTypesPlatform: "text:",
  fmiGetVersion: "text:",
  fmiInstantiateSlave:
    "pointer: name=s guid=s location=s mimeType=s timeout=d visible=b interactive=b logger=p allocate=p free=p stepFinished=p loggingOn=b",
  fmiFreeSlaveInstance: "void: c",
  fmiSetDebugLogging: "status: c loggingOn=b",
  fmiInitializeSlave: "status: c start=d stopDefined=b stop=d",
  fmiTerminateSlave: "status: c",
  fmiResetSlave: "status: c",
  fmiGetReal: "status: c vrs n >f64",
  fmiGetInteger: "status: c vrs n >i32",
  fmiGetBoolean: "status: c vrs n >b8",
  fmiGetString: "status: c vrs n >str",
  fmiSetReal: "status: c vrs n <f64",
  fmiSetInteger: "status: c vrs n <i32",
  fmiSetBoolean: "status: c vrs n <b8",
  fmiSetString: "status: c vrs n <str",
  fmiSetRealInputDerivatives: "status: c vrs n orders=<i32 <f64",
  fmiGetRealOutputDerivatives: "status: c vrs n orders=<i32 >f64",
  fmiDoStep: "status: c t=d h=d newStep=b",
  fmiCancelStep: "status: c",
  fmiGetStatus: "status: c kind=i value=>i32",
  fmiGetRealStatus: "status: c kind=i value=>f64",
  fmiGetIntegerStatus: "status: c kind=i value=>i32",
  fmiGetBooleanStatus: "status: c kind=i value=>b8",
  fmiGetStringStatus: "status: c kind=i value=>str",
} as const;

export const FMI1: TypedVersion<typeof FMI1_CALLS> = {
  prefix: "fmi",
  calls: (PASSES_CALLBACKS_BY_ADDRESS
    ? { ...FMI1_CALLS, ...BY_ADDRESS }
    : FMI1_CALLS) as typeof FMI1_CALLS,
  essentialCalls: [
    "fmiInstantiateSlave",
    "fmiInitializeSlave",
    "fmiDoStep",
    "fmiTerminateSlave",
    "fmiFreeSlaveInstance",
  ],
  names: {
    version: "fmiGetVersion",
    typesPlatform: "fmiGetTypesPlatform",
    instantiate: "fmiInstantiateSlave",
    step: "fmiDoStep",
    terminate: "fmiTerminateSlave",
    reset: "fmiResetSlave",
    free: "fmiFreeSlaveInstance",
    outputDerivatives: "fmiGetRealOutputDerivatives",
    inputDerivatives: "fmiSetRealInputDerivatives",
  },
  typesPlatform: "standard32",
  statusNames: ["fmiOK", "fmiWarning", "fmiDiscard", "fmiError", "fmiFatal", "fmiPending"],
  wires: {
    float64: { family: "Real", wire: "f64" },
    int32: { family: "Integer", wire: "i32" },
    enumeration: { family: "Integer", wire: "i32" },
    boolean: { family: "Boolean", wire: "u8" },
    string: { family: "String", wire: "text" },
  },
  countsValues: false,
  countsReferencesByFamily: true,
  referenceInMessage: /##|#([ribs])(\d+)#/g,
  logsFormats: true,
  prefixesSymbols: true,
  stepHandsOutFlags: false,
  namesBinariesByTuple: false,
};
