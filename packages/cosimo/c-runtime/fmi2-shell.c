/* The exported FMU as FMI 2.0 Co-Simulation sees it: calls, types and answers of that version around the outermost unit. */
#include "fmi2.h"
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tool that links FMUs in source form gives their functions a prefix. */
#ifdef FMI2_FUNCTION_PREFIX
#define NAMED(NAME) JOIN(FMI2_FUNCTION_PREFIX, NAME)
#else
#define NAMED(NAME) NAME
#endif

/* Every exported function is declared with the standard's type before it is defined. */
#define DECLARE(NAME) SHELL_EXPORT NAME##TYPE NAMED(NAME);
DECLARE(fmi2GetTypesPlatform)
DECLARE(fmi2GetVersion)
DECLARE(fmi2SetDebugLogging)
DECLARE(fmi2Instantiate)
DECLARE(fmi2FreeInstance)
DECLARE(fmi2SetupExperiment)
DECLARE(fmi2EnterInitializationMode)
DECLARE(fmi2ExitInitializationMode)
DECLARE(fmi2Terminate)
DECLARE(fmi2Reset)
DECLARE(fmi2GetReal)
DECLARE(fmi2GetInteger)
DECLARE(fmi2GetBoolean)
DECLARE(fmi2GetString)
DECLARE(fmi2SetReal)
DECLARE(fmi2SetInteger)
DECLARE(fmi2SetBoolean)
DECLARE(fmi2SetString)
DECLARE(fmi2GetFMUstate)
DECLARE(fmi2SetFMUstate)
DECLARE(fmi2FreeFMUstate)
DECLARE(fmi2SerializedFMUstateSize)
DECLARE(fmi2SerializeFMUstate)
DECLARE(fmi2DeSerializeFMUstate)
DECLARE(fmi2GetDirectionalDerivative)
DECLARE(fmi2SetRealInputDerivatives)
DECLARE(fmi2GetRealOutputDerivatives)
DECLARE(fmi2DoStep)
DECLARE(fmi2CancelStep)
DECLARE(fmi2GetStatus)
DECLARE(fmi2GetRealStatus)
DECLARE(fmi2GetIntegerStatus)
DECLARE(fmi2GetBooleanStatus)
DECLARE(fmi2GetStringStatus)

static void on_log(void *environment, const char *instance, LogLevel level, const char *category, const char *message) {
  static const fmi2Status statuses[] = {fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal};
  const fmi2CallbackFunctions *functions = environment;
  char text[1800];
  char *end = text;
  /* One # begins a value reference, two of them are one. */
  for (const char *c = message; *c && end < text + sizeof text - 3; c++) {
    if (*c == '#') *end++ = '#';
    *end++ = *c;
  }
  *end = 0;
  if (functions->logger)
    functions->logger(functions->componentEnvironment, instance, statuses[level], category, "%s", text);
}

static fmi2Status answer(Shell *shell, UnitStatus status) { return (fmi2Status)shell_answer(shell, status); }

/* ---- life cycle ------------------------------------------------------------------------------------------------------------- */

const char *NAMED(fmi2GetTypesPlatform)(void) { return "default"; }
const char *NAMED(fmi2GetVersion)(void) { return "2.0"; }

fmi2Component NAMED(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                     const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
  (void)visible;
  if (!functions) return NULL;
  fmi2CallbackFunctions *own = malloc(sizeof *own);
  if (!own) return NULL;
  memcpy(own, functions, sizeof *own);
  Shell *shell = NULL;
  if (type != fmi2CoSimulation) on_log(own, name, LOG_ERROR, "logStatusError", "this FMU is for Co-Simulation only");
  else shell = shell_make(name, guid, path_of_uri(resources), logging != fmi2False, own, on_log);
  if (!shell) free(own);
  return shell;
}

void NAMED(fmi2FreeInstance)(fmi2Component instance) {
  Shell *shell = instance;
  if (!shell) return;
  void *functions = shell->environment;
  shell_free(shell);
  free(functions);
}

fmi2Status NAMED(fmi2SetDebugLogging)(fmi2Component instance, fmi2Boolean on, size_t count, const fmi2String categories[]) {
  NEED(fmi2Status, "fmi2SetDebugLogging", ANY_PHASE);
  shell_set_logging(shell, on != fmi2False, count, categories);
  return fmi2OK;
}

fmi2Status NAMED(fmi2SetupExperiment)(fmi2Component instance, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                                      fmi2Boolean has_stop, fmi2Real stop) {
  NEED(fmi2Status, "fmi2SetupExperiment", PHASE_BIT(PHASE_INSTANTIATED));
  shell->experiment = (UnitExperiment){start, has_stop != fmi2False, stop, has_tolerance != fmi2False, tolerance};
  return fmi2OK;
}

fmi2Status NAMED(fmi2EnterInitializationMode)(fmi2Component instance) {
  NEED(fmi2Status, "fmi2EnterInitializationMode", PHASE_BIT(PHASE_INSTANTIATED));
  shell->stop = (UnitStop){STOP_TIME, shell->experiment.start};
  return answer(shell, shell->unit->is->enter_initialization(shell->unit, &shell->experiment));
}

DEFINE_CALL(fmi2Status, fmi2ExitInitializationMode, (fmi2Component instance), PHASE_BIT(PHASE_INITIALIZATION), true,
            shell->unit->is->exit_initialization(shell->unit))
DEFINE_CALL(fmi2Status, fmi2Terminate, (fmi2Component instance), PHASE_BIT(PHASE_STEP), true,
            shell->unit->is->terminate(shell->unit))
DEFINE_CALL(fmi2Status, fmi2Reset, (fmi2Component instance), ANY_PHASE, true, shell_reset(shell))

/* ---- values ----------------------------------------------------------------------------------------------------------------- */

typedef enum { FAMILY_REAL, FAMILY_INTEGER, FAMILY_BOOLEAN, FAMILY_STRING } Family;

static Family family_of(ValueType type) {
  switch (type) {
    case TYPE_FLOAT64:
    case TYPE_FLOAT32: return FAMILY_REAL;
    case TYPE_BOOLEAN:
    case TYPE_CLOCK: return FAMILY_BOOLEAN;
    case TYPE_STRING: return FAMILY_STRING;
    default: return FAMILY_INTEGER;
  }
}

/* The variable with its present values in the shell's buffers; NULL after a message. */
static const ShellVariable *fetch(Shell *shell, const char *call, fmi2ValueReference reference, Family family, bool read) {
  const ShellVariable *variable = shell_variable(shell, call, reference);
  if (!variable) return NULL;
  if (family_of(variable->type) != family) {
    unit_fail(shell->unit, "%s: the variable with value reference %u is of another type", call, reference);
    return NULL;
  }
  if (read && shell_note(shell, shell_read(shell, variable)) != UNIT_OK) return NULL;
  return variable;
}

/* One element of a port is got by reading the port, and set by writing it with the other elements as they are. */
#define DEFINE_ACCESS(NAME, FAMILY, VALUE, OUT, IN)                                                                       \
  fmi2Status NAMED(fmi2Get##NAME)(fmi2Component instance, const fmi2ValueReference vr[], size_t count, fmi2##NAME values[]) {    \
    NEED(fmi2Status, "fmi2Get" #NAME, READABLE);                                                                               \
    shell_forget(shell);                                                                                                  \
    for (size_t i = 0; i < count; i++) {                                                                                  \
      const ShellVariable *variable = fetch(shell, "fmi2Get" #NAME, vr[i], FAMILY, true);                                 \
      if (!variable) return fmi2Error;                                                                                    \
      const size_t at = variable->element;                                                                                \
      values[i] = OUT;                                                                                                    \
    }                                                                                                                     \
    return fmi2OK;                                                                                                        \
  }                                                                                                                       \
  fmi2Status NAMED(fmi2Set##NAME)(fmi2Component instance, const fmi2ValueReference vr[], size_t count, VALUE values[]) {         \
    NEED(fmi2Status, "fmi2Set" #NAME, WRITABLE);                                                                               \
    for (size_t i = 0; i < count; i++) {                                                                                  \
      const uint32_t reference = vr[i];                                                                                   \
      const bool is_part = reference < SHELL_MODEL.variable_count && SHELL_MODEL.variables[reference].size > 1;           \
      const ShellVariable *variable = fetch(shell, "fmi2Set" #NAME, reference, FAMILY, is_part);                          \
      if (!variable) return fmi2Error;                                                                                    \
      const size_t at = variable->element;                                                                                \
      IN;                                                                                                                 \
      const fmi2Status status = answer(shell, shell_write(shell, variable));                                                \
      if (status != fmi2OK) return status;                                                                                \
    }                                                                                                                     \
    return fmi2OK;                                                                                                        \
  }
DEFINE_ACCESS(Real, FAMILY_REAL, const fmi2Real, shell->numbers[at], shell->numbers[at] = values[i])
DEFINE_ACCESS(Integer, FAMILY_INTEGER, const fmi2Integer, (fmi2Integer)whole_number(shell->numbers[at]),
              shell->numbers[at] = values[i])
DEFINE_ACCESS(Boolean, FAMILY_BOOLEAN, const fmi2Boolean, shell->numbers[at] != 0, shell->numbers[at] = values[i] != fmi2False)
DEFINE_ACCESS(String, FAMILY_STRING, const fmi2String, shell_keep(shell, shell->texts[at], strlen(shell->texts[at])),
              shell->texts[at] = values[i] ? values[i] : "")

/* ---- steps ------------------------------------------------------------------------------------------------------------------ */

fmi2Status NAMED(fmi2DoStep)(fmi2Component instance, fmi2Real point, fmi2Real size, fmi2Boolean no_rollback) {
  (void)no_rollback;
  NEED(fmi2Status, "fmi2DoStep", PHASE_BIT(PHASE_STEP));
  const fmi2Status status = answer(shell, shell_step(shell, point, size));
  return status == fmi2OK && shell->stop.reason != STOP_TIME ? fmi2Discard : status;
}

fmi2Status NAMED(fmi2CancelStep)(fmi2Component instance) {
  NEED(fmi2Status, "fmi2CancelStep", PHASE_BIT(PHASE_STEP));
  unit_fail(shell->unit, "fmi2CancelStep: no step is under way");
  return fmi2Error;
}

fmi2Status NAMED(fmi2GetStatus)(fmi2Component instance, fmi2StatusKind kind, fmi2Status *value) {
  NEED(fmi2Status, "fmi2GetStatus", ANY_PHASE);
  if (kind != fmi2DoStepStatus) return fmi2Discard;
  *value = shell->stop.reason == STOP_TIME ? fmi2OK : fmi2Discard;
  return fmi2OK;
}

fmi2Status NAMED(fmi2GetRealStatus)(fmi2Component instance, fmi2StatusKind kind, fmi2Real *value) {
  NEED(fmi2Status, "fmi2GetRealStatus", ANY_PHASE);
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = shell->stop.time;
  return fmi2OK;
}

fmi2Status NAMED(fmi2GetBooleanStatus)(fmi2Component instance, fmi2StatusKind kind, fmi2Boolean *value) {
  NEED(fmi2Status, "fmi2GetBooleanStatus", ANY_PHASE);
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = shell->stop.reason == STOP_TERMINATED;
  return fmi2OK;
}

fmi2Status NAMED(fmi2GetIntegerStatus)(fmi2Component instance, fmi2StatusKind kind, fmi2Integer *value) {
  (void)instance, (void)kind, (void)value;
  return fmi2Discard;
}

fmi2Status NAMED(fmi2GetStringStatus)(fmi2Component instance, fmi2StatusKind kind, fmi2String *value) {
  (void)instance, (void)kind, (void)value;
  return fmi2Discard;
}

/* ---- derivatives ------------------------------------------------------------------------------------------------------------ */

fmi2Status NAMED(fmi2SetRealInputDerivatives)(fmi2Component instance, const fmi2ValueReference vr[], size_t count,
                                              const fmi2Integer orders[], const fmi2Real values[]) {
  NEED(fmi2Status, "fmi2SetRealInputDerivatives", PHASE_BIT(PHASE_STEP));
  Unit *unit = shell->unit;
  for (size_t i = 0; i < count; i++) {
    const ShellVariable *variable = fetch(shell, "fmi2SetRealInputDerivatives", vr[i], FAMILY_REAL, false);
    if (!variable) return fmi2Error;
    if (variable->size > 1 || !unit->is->set_input_derivatives) {
      unit_fail(unit, "fmi2SetRealInputDerivatives: this FMU takes no derivatives");
      return fmi2Error;
    }
    const fmi2Status status =
        answer(shell, unit->is->set_input_derivatives(unit, &variable->port, &orders[i], 1, &values[i]));
    if (status != fmi2OK) return status;
  }
  return fmi2OK;
}

static fmi2Status offers_no(const Shell *shell, const char *call) {
  if (shell) shell_offers(shell, call, false);
  return fmi2Error;
}

fmi2Status NAMED(fmi2GetRealOutputDerivatives)(fmi2Component instance, const fmi2ValueReference vr[], size_t count,
                                               const fmi2Integer orders[], fmi2Real values[]) {
  (void)vr, (void)count, (void)orders, (void)values;
  return offers_no(instance, "fmi2GetRealOutputDerivatives");
}

fmi2Status NAMED(fmi2GetDirectionalDerivative)(fmi2Component instance, const fmi2ValueReference unknowns[], size_t unknown_count,
                                               const fmi2ValueReference knowns[], size_t known_count,
                                               const fmi2Real seed[], fmi2Real result[]) {
  (void)unknowns, (void)unknown_count, (void)knowns, (void)known_count, (void)seed, (void)result;
  return offers_no(instance, "fmi2GetDirectionalDerivative");
}

/* ---- states ----------------------------------------------------------------------------------------------------------------- */

DEFINE_CALL(fmi2Status, fmi2GetFMUstate, (fmi2Component instance, fmi2FMUstate *state), ANY_PHASE, SHELL_MODEL.can_save, shell_save(shell, state))
DEFINE_CALL(fmi2Status, fmi2SetFMUstate, (fmi2Component instance, fmi2FMUstate state), ANY_PHASE, SHELL_MODEL.can_save,
            shell_restore(shell, state))
DEFINE_CALL(fmi2Status, fmi2FreeFMUstate, (fmi2Component instance, fmi2FMUstate *state), ANY_PHASE, SHELL_MODEL.can_save,
            shell_release(shell, state))
DEFINE_CALL(fmi2Status, fmi2SerializedFMUstateSize, (fmi2Component instance, fmi2FMUstate state, size_t *size), ANY_PHASE,
            SHELL_MODEL.can_serialize, shell_state_size(shell, state, size))
DEFINE_CALL(fmi2Status, fmi2SerializeFMUstate, (fmi2Component instance, fmi2FMUstate state, fmi2Byte bytes[], size_t size), ANY_PHASE,
            SHELL_MODEL.can_serialize, shell_serialize(shell, state, (uint8_t *)bytes, size))
DEFINE_CALL(fmi2Status, fmi2DeSerializeFMUstate, (fmi2Component instance, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state),
            ANY_PHASE, SHELL_MODEL.can_serialize, shell_deserialize(shell, (const uint8_t *)bytes, size, state))
