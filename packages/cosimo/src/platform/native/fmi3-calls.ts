/**
 * The Co-Simulation interface of FMI 3.0 as data: every function with its arguments (notation in calls.ts).
 */

export const FMI3_CALLS = {
  fmi3GetVersion: "text:",
  fmi3InstantiateCoSimulation:
    "pointer: name=s token=s resources=s visible=b loggingOn=b eventMode=b earlyReturn=b intermediate=vrs n environment=p log=p update=p",
  fmi3FreeInstance: "void: c",
  fmi3SetDebugLogging: "status: c loggingOn=b n <str",
  fmi3EnterInitializationMode:
    "status: c toleranceDefined=b tolerance=d start=d stopDefined=b stop=d",
  fmi3ExitInitializationMode: "status: c",
  fmi3EnterConfigurationMode: "status: c",
  fmi3ExitConfigurationMode: "status: c",
  fmi3EnterEventMode: "status: c",
  fmi3EnterStepMode: "status: c",
  fmi3Terminate: "status: c",
  fmi3Reset: "status: c",
  fmi3GetFloat32: "status: c vrs n >f32 n",
  fmi3GetFloat64: "status: c vrs n >f64 n",
  fmi3GetInt8: "status: c vrs n >i8 n",
  fmi3GetUInt8: "status: c vrs n >u8 n",
  fmi3GetInt16: "status: c vrs n >i16 n",
  fmi3GetUInt16: "status: c vrs n >u16 n",
  fmi3GetInt32: "status: c vrs n >i32 n",
  fmi3GetUInt32: "status: c vrs n >u32 n",
  fmi3GetInt64: "status: c vrs n >i64 n",
  fmi3GetUInt64: "status: c vrs n >u64 n",
  fmi3GetBoolean: "status: c vrs n >b8 n",
  fmi3GetString: "status: c vrs n >str n",
  fmi3GetBinary: "status: c vrs n sizes=>u64@1 >bin n",
  fmi3GetClock: "status: c vrs n >b8",
  fmi3SetFloat32: "status: c vrs n <f32 n",
  fmi3SetFloat64: "status: c vrs n <f64 n",
  fmi3SetInt8: "status: c vrs n <i8 n",
  fmi3SetUInt8: "status: c vrs n <u8 n",
  fmi3SetInt16: "status: c vrs n <i16 n",
  fmi3SetUInt16: "status: c vrs n <u16 n",
  fmi3SetInt32: "status: c vrs n <i32 n",
  fmi3SetUInt32: "status: c vrs n <u32 n",
  fmi3SetInt64: "status: c vrs n <i64 n",
  fmi3SetUInt64: "status: c vrs n <u64 n",
  fmi3SetBoolean: "status: c vrs n <b8 n",
  fmi3SetString: "status: c vrs n <str n",
  fmi3SetBinary: "status: c vrs n sizes=<u64@1 <bin n",
  fmi3SetClock: "status: c vrs n <b8",
  fmi3GetIntervalDecimal: "status: c vrs n intervals=>f64 qualifiers=>i32",
  fmi3GetIntervalFraction: "status: c vrs n counters=>u64 resolutions=>u64 qualifiers=>i32",
  fmi3GetShiftDecimal: "status: c vrs n shifts=>f64",
  fmi3GetShiftFraction: "status: c vrs n counters=>u64 resolutions=>u64",
  fmi3SetIntervalDecimal: "status: c vrs n intervals=<f64",
  fmi3SetIntervalFraction: "status: c vrs n counters=<u64 resolutions=<u64",
  fmi3SetShiftDecimal: "status: c vrs n shifts=<f64",
  fmi3SetShiftFraction: "status: c vrs n counters=<u64 resolutions=<u64",
  fmi3EvaluateDiscreteStates: "status: c",
  fmi3UpdateDiscreteStates:
    "status: c again=>b8 terminate=>b8 nominalsChanged=>b8 statesChanged=>b8 nextDefined=>b8 next=>f64",
  fmi3GetNumberOfVariableDependencies: "status: c variable=i count=>u64",
  fmi3GetVariableDependencies:
    "status: c variable=i elements=>u64@0 independents=>u32@0 elementsOf=>u64@0 kinds=>i32@0 n",
  fmi3GetFMUState: "status: c state=>ptr",
  fmi3SetFMUState: "status: c state=p",
  fmi3FreeFMUState: "status: c state=<ptr",
  fmi3SerializedFMUStateSize: "status: c state=p size=>u64",
  fmi3SerializeFMUState: "status: c state=p >u8 n",
  fmi3DeserializeFMUState: "status: c <u8 n state=>ptr",
  fmi3GetDirectionalDerivative: "status: c vrs n vrs n <f64 n >f64 n",
  fmi3GetAdjointDerivative: "status: c vrs n vrs n <f64 n >f64 n",
  fmi3GetOutputDerivatives: "status: c vrs n orders=<i32 >f64 n",
  fmi3DoStep:
    "status: c t=d h=d noRollback=b event=>b8 terminate=>b8 earlyReturn=>b8 lastSuccessful=>f64",
} as const;

export const FMI3_STATUS = [
  "fmi3OK",
  "fmi3Warning",
  "fmi3Discard",
  "fmi3Error",
  "fmi3Fatal",
] as const;

/** What every Co-Simulation binary must export. */
export const FMI3_REQUIRED: readonly (keyof typeof FMI3_CALLS)[] = Object.keys(
  FMI3_CALLS,
) as (keyof typeof FMI3_CALLS)[];
