/*
 * The C interface of FMI 3.0 Co-Simulation, declared from the text of the standard: as types of functions, because exported FMUs
 * define these functions and call those of the FMUs inside. The standard has the meaning of every one.
 */
#ifndef COSIMO_FMI3_H
#define COSIMO_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;

typedef void fmi3LogMessageCallback(void *environment, fmi3Status status, fmi3String category, fmi3String message);
typedef void fmi3IntermediateUpdateCallback(void *environment, fmi3Float64 time, fmi3Boolean set_requested,
                                            fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                            fmi3Boolean can_return_early, fmi3Boolean *return_early,
                                            fmi3Float64 *early_time);

typedef const char *fmi3GetVersionTYPE(void);
typedef fmi3Status fmi3SetDebugLoggingTYPE(fmi3Instance instance, fmi3Boolean on, size_t count,
                                           const fmi3String categories[]);
typedef fmi3Instance fmi3InstantiateCoSimulationTYPE(fmi3String name, fmi3String token, fmi3String resources,
                                                     fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                                     fmi3Boolean early_return, const fmi3ValueReference intermediate[],
                                                     size_t intermediate_count, void *environment,
                                                     fmi3LogMessageCallback *log, fmi3IntermediateUpdateCallback *update);
typedef void fmi3FreeInstanceTYPE(fmi3Instance instance);
typedef fmi3Status fmi3EnterInitializationModeTYPE(fmi3Instance instance, fmi3Boolean has_tolerance,
                                                   fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop,
                                                   fmi3Float64 stop);
/* fmi3ExitInitializationMode, fmi3EnterConfigurationMode, fmi3Terminate, fmi3Reset, … */
typedef fmi3Status fmi3PlainTYPE(fmi3Instance instance);

#define FMI3_REFERENCES fmi3Instance instance, const fmi3ValueReference references[], size_t reference_count
/* Types whose values are plain C values: one getter and one setter each. */
#define FMI3_PLAIN_TYPES(X) \
  X(Float32) X(Float64) X(Int8) X(UInt8) X(Int16) X(UInt16) X(Int32) X(UInt32) X(Int64) X(UInt64) X(Boolean) X(String)
#define FMI3_ACCESS_TYPES(OF)                                                                   \
  typedef fmi3Status fmi3Get##OF##TYPE(FMI3_REFERENCES, fmi3##OF values[], size_t value_count); \
  typedef fmi3Status fmi3Set##OF##TYPE(FMI3_REFERENCES, const fmi3##OF values[], size_t value_count);
FMI3_PLAIN_TYPES(FMI3_ACCESS_TYPES)
typedef fmi3Status fmi3GetBinaryTYPE(FMI3_REFERENCES, size_t sizes[], fmi3Binary values[], size_t value_count);
typedef fmi3Status fmi3SetBinaryTYPE(FMI3_REFERENCES, const size_t sizes[], const fmi3Binary values[], size_t value_count);

typedef fmi3Status fmi3GetFMUStateTYPE(fmi3Instance instance, fmi3FMUState *state);
typedef fmi3Status fmi3SetFMUStateTYPE(fmi3Instance instance, fmi3FMUState state);
typedef fmi3Status fmi3FreeFMUStateTYPE(fmi3Instance instance, fmi3FMUState *state);
typedef fmi3Status fmi3SerializedFMUStateSizeTYPE(fmi3Instance instance, fmi3FMUState state, size_t *size);
typedef fmi3Status fmi3SerializeFMUStateTYPE(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size);
typedef fmi3Status fmi3DeserializeFMUStateTYPE(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                               fmi3FMUState *state);

typedef fmi3Status fmi3GetDirectionalDerivativeTYPE(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                                    size_t unknown_count, const fmi3ValueReference knowns[],
                                                    size_t known_count, const fmi3Float64 seed[], size_t seed_count,
                                                    fmi3Float64 result[], size_t result_count);
typedef fmi3Status fmi3UpdateDiscreteStatesTYPE(fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate,
                                                fmi3Boolean *nominals, fmi3Boolean *states, fmi3Boolean *has_next,
                                                fmi3Float64 *next);
typedef fmi3Status fmi3DoStepTYPE(fmi3Instance instance, fmi3Float64 point, fmi3Float64 size, fmi3Boolean no_rollback,
                                  fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                                  fmi3Float64 *last_time);

#endif
