/*
 * Functions of FMI 3.0 that an exported FMU does not offer: it is for Co-Simulation, without clocks, configuration mode and
 * derivatives, and its description says so. The standard wants them to be there all the same, and tools look for them; they refuse.
 */
#include "fmi3.h"
#include "shell.h"

#ifdef FMI3_FUNCTION_PREFIX
#define NAMED(NAME) JOIN(FMI3_FUNCTION_PREFIX, NAME)
#else
#define NAMED(NAME) NAME
#endif

static fmi3Status refuse(fmi3Instance instance, const char *call) {
  const Shell *shell = instance;
  if (shell) unit_fail(shell->unit, "%s: this FMU does not offer it", call);
  return fmi3Error;
}

/* Declares a function with these arguments, and defines it. */
#define REFUSE(NAME, ARGUMENTS)                                              \
  SHELL_EXPORT fmi3Status NAMED(NAME) ARGUMENTS;                             \
  fmi3Status NAMED(NAME) ARGUMENTS { return refuse(instance, #NAME); }

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

REFUSE(fmi3EnterConfigurationMode, (fmi3Instance instance))
REFUSE(fmi3ExitConfigurationMode, (fmi3Instance instance))
REFUSE(fmi3EvaluateDiscreteStates, (fmi3Instance instance))
REFUSE(fmi3GetClock, (FMI3_REFERENCES, fmi3Clock values[]))
REFUSE(fmi3SetClock, (FMI3_REFERENCES, const fmi3Clock values[]))
REFUSE(fmi3GetIntervalDecimal, (FMI3_REFERENCES, fmi3Float64 intervals[], int qualifiers[]))
REFUSE(fmi3GetIntervalFraction, (FMI3_REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[], int qualifiers[]))
REFUSE(fmi3GetShiftDecimal, (FMI3_REFERENCES, fmi3Float64 shifts[]))
REFUSE(fmi3GetShiftFraction, (FMI3_REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[]))
REFUSE(fmi3SetIntervalDecimal, (FMI3_REFERENCES, const fmi3Float64 intervals[]))
REFUSE(fmi3SetIntervalFraction, (FMI3_REFERENCES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))
REFUSE(fmi3SetShiftDecimal, (FMI3_REFERENCES, const fmi3Float64 shifts[]))
REFUSE(fmi3SetShiftFraction, (FMI3_REFERENCES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))
REFUSE(fmi3GetNumberOfVariableDependencies, (fmi3Instance instance, fmi3ValueReference variable, size_t *count))
REFUSE(fmi3GetVariableDependencies, (fmi3Instance instance, fmi3ValueReference dependent, size_t elements[],
                                     fmi3ValueReference independents[], size_t independent_elements[], int kinds[],
                                     size_t count))
REFUSE(fmi3GetDirectionalDerivative, (fmi3Instance instance, const fmi3ValueReference unknowns[], size_t unknown_count,
                                      const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                      size_t seed_count, fmi3Float64 result[], size_t result_count))
REFUSE(fmi3GetAdjointDerivative, (fmi3Instance instance, const fmi3ValueReference unknowns[], size_t unknown_count,
                                  const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
                                  size_t seed_count, fmi3Float64 result[], size_t result_count))
REFUSE(fmi3GetOutputDerivatives, (FMI3_REFERENCES, const fmi3Int32 orders[], fmi3Float64 values[], size_t value_count))

/* Model Exchange and Scheduled Execution */
#define REFUSE_INSTANCE(NAME, ARGUMENTS)              \
  SHELL_EXPORT fmi3Instance NAMED(NAME) ARGUMENTS;    \
  fmi3Instance NAMED(NAME) ARGUMENTS { return NULL; }
typedef void Callback(void);
REFUSE_INSTANCE(fmi3InstantiateModelExchange,
                (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
                 void *environment, fmi3LogMessageCallback *log))
REFUSE_INSTANCE(fmi3InstantiateScheduledExecution,
                (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
                 void *environment, fmi3LogMessageCallback *log, Callback *clock_update, Callback *lock, Callback *unlock))
REFUSE(fmi3EnterContinuousTimeMode, (fmi3Instance instance))
REFUSE(fmi3CompletedIntegratorStep,
       (fmi3Instance instance, fmi3Boolean no_rollback, fmi3Boolean *event_mode, fmi3Boolean *terminate))
REFUSE(fmi3SetTime, (fmi3Instance instance, fmi3Float64 time))
REFUSE(fmi3SetContinuousStates, (fmi3Instance instance, const fmi3Float64 states[], size_t count))
REFUSE(fmi3GetContinuousStateDerivatives, (fmi3Instance instance, fmi3Float64 derivatives[], size_t count))
REFUSE(fmi3GetEventIndicators, (fmi3Instance instance, fmi3Float64 indicators[], size_t count))
REFUSE(fmi3GetContinuousStates, (fmi3Instance instance, fmi3Float64 states[], size_t count))
REFUSE(fmi3GetNominalsOfContinuousStates, (fmi3Instance instance, fmi3Float64 nominals[], size_t count))
REFUSE(fmi3GetNumberOfEventIndicators, (fmi3Instance instance, size_t *count))
REFUSE(fmi3GetNumberOfContinuousStates, (fmi3Instance instance, size_t *count))
REFUSE(fmi3ActivateModelPartition, (fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 time))
