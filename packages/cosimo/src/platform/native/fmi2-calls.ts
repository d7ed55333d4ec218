/**
 * The Co-Simulation interface of FMI 2.0 as data: every function with its arguments (notation in calls.ts).
 */

export const FMI2_CALLS = {
  fmi2GetTypesPlatform: "text:",
  fmi2GetVersion: "text:",
  fmi2Instantiate: "pointer: name=s type=i guid=s resources=s callbacks=p visible=b loggingOn=b",
  fmi2FreeInstance: "void: c",
  fmi2SetDebugLogging: "status: c loggingOn=b n <str",
  fmi2SetupExperiment: "status: c toleranceDefined=b tolerance=d start=d stopDefined=b stop=d",
  fmi2EnterInitializationMode: "status: c",
  fmi2ExitInitializationMode: "status: c",
  fmi2Terminate: "status: c",
  fmi2Reset: "status: c",
  fmi2GetReal: "status: c vrs n >f64",
  fmi2GetInteger: "status: c vrs n >i32",
  fmi2GetBoolean: "status: c vrs n >i32",
  fmi2GetString: "status: c vrs n >str",
  fmi2SetReal: "status: c vrs n <f64",
  fmi2SetInteger: "status: c vrs n <i32",
  fmi2SetBoolean: "status: c vrs n <i32",
  fmi2SetString: "status: c vrs n <str",
  fmi2GetFMUstate: "status: c state=>ptr",
  fmi2SetFMUstate: "status: c state=p",
  fmi2FreeFMUstate: "status: c state=<ptr",
  fmi2SerializedFMUstateSize: "status: c state=p size=>u64",
  fmi2SerializeFMUstate: "status: c state=p >u8 n",
  fmi2DeSerializeFMUstate: "status: c <u8 n state=>ptr",
  fmi2GetDirectionalDerivative: "status: c vrs n vrs n <f64@1 >f64@0",
  fmi2SetRealInputDerivatives: "status: c vrs n orders=<i32 <f64",
  fmi2GetRealOutputDerivatives: "status: c vrs n orders=<i32 >f64",
  fmi2DoStep: "status: c t=d h=d noRollback=b",
  fmi2CancelStep: "status: c",
  fmi2GetStatus: "status: c kind=i value=>i32",
  fmi2GetRealStatus: "status: c kind=i value=>f64",
  fmi2GetIntegerStatus: "status: c kind=i value=>i32",
  fmi2GetBooleanStatus: "status: c kind=i value=>i32",
  fmi2GetStringStatus: "status: c kind=i value=>str",
} as const;

export const FMI2_STATUS = [
  "fmi2OK",
  "fmi2Warning",
  "fmi2Discard",
  "fmi2Error",
  "fmi2Fatal",
  "fmi2Pending",
] as const;

/** fmi2StatusKind. */
export const StatusKind = {
  doStepStatus: 0,
  pendingStatus: 1,
  lastSuccessfulTime: 2,
  terminated: 3,
} as const;
