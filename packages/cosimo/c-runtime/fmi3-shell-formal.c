/*
 * Functions of FMI 3.0 Co-Simulation that an exported FMU does not offer: it has no clocks, no event mode, no configuration mode and no
 * derivatives, and its description says so. The standard wants them to be there all the same; they refuse.
 */
#include "fmi3.h"
#include "shell.h"

#ifdef FMI3_FUNCTION_PREFIX
#define PASTE(A, B) A##B
#define JOIN(A, B) PASTE(A, B)
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
REFUSE(fmi3EnterEventMode, (fmi3Instance instance))
REFUSE(fmi3EnterStepMode, (fmi3Instance instance))
REFUSE(fmi3EvaluateDiscreteStates, (fmi3Instance instance))
REFUSE(fmi3UpdateDiscreteStates, (fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals,
                                  fmi3Boolean *states, fmi3Boolean *has_next, fmi3Float64 *next))
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
