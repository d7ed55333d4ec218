/* The exported FMU as FMI 3.0 Co-Simulation sees it: calls, types and answers of that version around the outermost unit. */
#include "fmi3.h"
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tool that links FMUs in source form gives their functions a prefix. */
#ifdef FMI3_FUNCTION_PREFIX
#define NAMED(NAME) JOIN(FMI3_FUNCTION_PREFIX, NAME)
#else
#define NAMED(NAME) NAME
#endif

typedef fmi3PlainTYPE fmi3ExitInitializationModeTYPE, fmi3TerminateTYPE, fmi3ResetTYPE, fmi3EnterEventModeTYPE,
    fmi3EnterStepModeTYPE;

/* Every exported function is declared with the standard's type before it is defined. */
#define DECLARE(NAME) SHELL_EXPORT NAME##TYPE NAMED(NAME);
DECLARE(fmi3GetVersion)
DECLARE(fmi3SetDebugLogging)
DECLARE(fmi3InstantiateCoSimulation)
DECLARE(fmi3FreeInstance)
DECLARE(fmi3EnterInitializationMode)
DECLARE(fmi3ExitInitializationMode)
DECLARE(fmi3Terminate)
DECLARE(fmi3Reset)
#define DECLARE_ACCESS(OF) DECLARE(fmi3Get##OF) DECLARE(fmi3Set##OF)
FMI3_PLAIN_TYPES(DECLARE_ACCESS)
DECLARE_ACCESS(Binary)
DECLARE(fmi3GetFMUState)
DECLARE(fmi3SetFMUState)
DECLARE(fmi3FreeFMUState)
DECLARE(fmi3SerializedFMUStateSize)
DECLARE(fmi3SerializeFMUState)
DECLARE(fmi3DeserializeFMUState)
DECLARE(fmi3DoStep)
DECLARE(fmi3EnterEventMode)
DECLARE(fmi3UpdateDiscreteStates)
DECLARE(fmi3EnterStepMode)

typedef struct {
  fmi3LogMessageCallback *log;
  void *environment;
  bool early_return;
  bool uses_events;
  /* NULL where no inputs follow their sources. Room for their values at both ends of a step, and for the order of slopes. */
  fmi3IntermediateUpdateCallback *update;
  double *begin;
  double *end;
  int *orders;
} Environment;

static void free_environment(Environment *outside) {
  if (!outside) return;
  free(outside->begin);
  free(outside->end);
  free(outside->orders);
  free(outside);
}

static Environment *make_environment(fmi3LogMessageCallback *log, void *environment, bool early_return, bool uses_events,
                                     fmi3IntermediateUpdateCallback *update) {
  const size_t count = SHELL_MODEL.followed_count + 1;
  Environment *outside = calloc(1, sizeof *outside);
  if (!outside) return NULL;
  *outside = (Environment){log, environment, early_return, uses_events, update, calloc(count, sizeof(double)),
                           calloc(count, sizeof(double)), calloc(count, sizeof(int))};
  if (outside->begin && outside->end && outside->orders) return outside;
  free_environment(outside);
  return NULL;
}

static void on_log(void *environment, const char *instance, LogLevel level, const char *category, const char *message) {
  static const fmi3Status statuses[] = {fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal};
  const Environment *outside = environment;
  (void)instance;
  if (outside->log) outside->log(outside->environment, statuses[level], category, message);
}

static fmi3Status answer(Shell *shell, UnitStatus status) { return (fmi3Status)shell_answer(shell, status); }

/* ---- life cycle ------------------------------------------------------------------------------------------------------------- */

const char *NAMED(fmi3GetVersion)(void) { return "3.0"; }

fmi3Instance NAMED(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                                fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                                const fmi3ValueReference intermediate[], size_t intermediate_count,
                                                void *environment, fmi3LogMessageCallback *log,
                                                fmi3IntermediateUpdateCallback *update) {
  (void)visible, (void)intermediate;
  const bool follows = intermediate_count > 0 && SHELL_MODEL.followed_count > 0;
  const bool uses_events = event_mode && SHELL_MODEL.has_event_mode;
  Environment *outside = make_environment(log, environment, early_return, uses_events, follows ? update : NULL);
  if (!outside) return NULL;
  Shell *shell = shell_make(name, token, path_of_uri(resources), logging, outside, on_log);
  if (!shell) free_environment(outside);
  return shell;
}

void NAMED(fmi3FreeInstance)(fmi3Instance instance) {
  Shell *shell = instance;
  if (!shell) return;
  Environment *outside = shell->environment;
  shell_free(shell);
  free_environment(outside);
}

fmi3Status NAMED(fmi3SetDebugLogging)(fmi3Instance instance, fmi3Boolean on, size_t count, const fmi3String categories[]) {
  NEED(fmi3Status, "fmi3SetDebugLogging", ANY_PHASE);
  shell_set_logging(shell, on, count, categories);
  return fmi3OK;
}

fmi3Status NAMED(fmi3EnterInitializationMode)(fmi3Instance instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                              fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop) {
  NEED(fmi3Status, "fmi3EnterInitializationMode", PHASE_BIT(PHASE_INSTANTIATED));
  shell->experiment = (UnitExperiment){start, has_stop, stop, has_tolerance, tolerance};
  shell->stop = (UnitStop){STOP_TIME, start};
  return answer(shell, shell->unit->is->enter_initialization(shell->unit, &shell->experiment));
}

fmi3Status NAMED(fmi3ExitInitializationMode)(fmi3Instance instance) {
  NEED(fmi3Status, "fmi3ExitInitializationMode", PHASE_BIT(PHASE_INITIALIZATION));
  const Environment *outside = shell->environment;
  const fmi3Status status = answer(shell, shell->unit->is->exit_initialization(shell->unit));
  /* The first event is at the start. */
  shell->is_in_event = status == fmi3OK && outside->uses_events;
  return status;
}
DEFINE_CALL(fmi3Status, fmi3Terminate, (fmi3Instance instance), PHASE_BIT(PHASE_STEP), true,
            shell->unit->is->terminate(shell->unit))
DEFINE_CALL(fmi3Status, fmi3Reset, (fmi3Instance instance), ANY_PHASE, true, shell_reset(shell))

/* ---- values ----------------------------------------------------------------------------------------------------------------- */

/* Value references of ports are their numbers; the one behind them is time. */
static bool is_time(uint32_t reference) { return reference == SHELL_MODEL.variable_count; }

/* The variable, of the right type, with its values in the shell's buffers where they are wanted; NULL after a message. */
static const ShellVariable *fetch(Shell *shell, const char *call, uint32_t reference, ValueType type, size_t room, bool read) {
  const ShellVariable *variable = shell_variable(shell, call, reference);
  if (!variable) return NULL;
  const bool fits = variable->type == type || (type == TYPE_INT64 && variable->type == TYPE_ENUMERATION);
  if (!fits || variable->count > room) {
    unit_fail(shell->unit, "%s: the variable with value reference %u is of another %s", call, (unsigned)reference,
              fits ? "size" : "type");
    return NULL;
  }
  if (read && shell_note(shell, shell_read(shell, variable)) != UNIT_OK) return NULL;
  return variable;
}

/* Values of one type for all references, one after the other; OUT and IN move element k of a variable. */
#define DEFINE_GET(OF, TYPE, OUT)                                                                                         \
  fmi3Status NAMED(fmi3Get##OF)(FMI3_REFERENCES, fmi3##OF values[], size_t value_count) {                                 \
    NEED(fmi3Status, "fmi3Get" #OF, READABLE);                                                                                 \
    shell_forget(shell);                                                                                                  \
    size_t at = 0;                                                                                                        \
    for (size_t i = 0; i < reference_count; i++) {                                                                        \
      if (TYPE == TYPE_FLOAT64 && is_time(references[i]) && at < value_count) {                                           \
        memcpy(&values[at++], &shell->unit->time, sizeof values[0]);                                                      \
        continue;                                                                                                         \
      }                                                                                                                   \
      const ShellVariable *variable = fetch(shell, "fmi3Get" #OF, references[i], TYPE, value_count - at, true);           \
      if (!variable) return fmi3Error;                                                                                    \
      for (size_t k = 0; k < variable->count; k++) values[at++] = OUT;                                                    \
    }                                                                                                                     \
    return fmi3OK;                                                                                                        \
  }
#define DEFINE_SET(OF, TYPE, IN)                                                                                          \
  fmi3Status NAMED(fmi3Set##OF)(FMI3_REFERENCES, const fmi3##OF values[], size_t value_count) {                           \
    NEED(fmi3Status, "fmi3Set" #OF, WRITABLE);                                                                                 \
    size_t at = 0;                                                                                                        \
    for (size_t i = 0; i < reference_count; i++) {                                                                        \
      const ShellVariable *variable = fetch(shell, "fmi3Set" #OF, references[i], TYPE, value_count - at, false);          \
      if (!variable) return fmi3Error;                                                                                    \
      for (size_t k = 0; k < variable->count; k++, at++) IN;                                                              \
      const fmi3Status status = answer(shell, shell_write(shell, variable));                                                \
      if (status != fmi3OK) return status;                                                                                \
    }                                                                                                                     \
    return fmi3OK;                                                                                                        \
  }

/* Types that fit into a double. */
#define DEFINE_NUMBER(OF, TYPE)                                                  \
  DEFINE_GET(OF, TYPE, (fmi3##OF)whole_number(shell->numbers[k]))                \
  DEFINE_SET(OF, TYPE, shell->numbers[k] = (double)values[at])
DEFINE_GET(Float64, TYPE_FLOAT64, shell->numbers[k])
DEFINE_SET(Float64, TYPE_FLOAT64, shell->numbers[k] = values[at])
DEFINE_GET(Float32, TYPE_FLOAT32, (fmi3Float32)shell->numbers[k])
DEFINE_SET(Float32, TYPE_FLOAT32, shell->numbers[k] = (double)values[at])
DEFINE_NUMBER(Int8, TYPE_INT8)
DEFINE_NUMBER(UInt8, TYPE_UINT8)
DEFINE_NUMBER(Int16, TYPE_INT16)
DEFINE_NUMBER(UInt16, TYPE_UINT16)
DEFINE_NUMBER(Int32, TYPE_INT32)
DEFINE_NUMBER(UInt32, TYPE_UINT32)
DEFINE_GET(Boolean, TYPE_BOOLEAN, shell->numbers[k] != 0)
DEFINE_SET(Boolean, TYPE_BOOLEAN, shell->numbers[k] = values[at] ? 1 : 0)
DEFINE_GET(UInt64, TYPE_UINT64, (fmi3UInt64)shell->longs[k])
DEFINE_SET(UInt64, TYPE_UINT64, shell->longs[k] = (int64_t)values[at])
DEFINE_GET(String, TYPE_STRING, shell_keep(shell, shell->texts[k], strlen(shell->texts[k])))
DEFINE_SET(String, TYPE_STRING, shell->texts[k] = values[at] ? values[at] : "")
/* Enumerations are numbers inside and 64-bit integers outside. */
#define IS_ENUMERATION (variable->type == TYPE_ENUMERATION)
DEFINE_GET(Int64, TYPE_INT64, IS_ENUMERATION ? whole_number(shell->numbers[k]) : shell->longs[k])
DEFINE_SET(Int64, TYPE_INT64, if (IS_ENUMERATION) shell->numbers[k] = (double)values[at]; else shell->longs[k] = values[at])

fmi3Status NAMED(fmi3GetBinary)(FMI3_REFERENCES, size_t sizes[], fmi3Binary values[], size_t value_count) {
  NEED(fmi3Status, "fmi3GetBinary", READABLE);
  shell_forget(shell);
  size_t at = 0;
  for (size_t i = 0; i < reference_count; i++) {
    const ShellVariable *variable = fetch(shell, "fmi3GetBinary", references[i], TYPE_BINARY, value_count - at, true);
    if (!variable) return fmi3Error;
    for (size_t k = 0; k < variable->count; k++, at++) {
      sizes[at] = shell->binaries[k].size;
      values[at] = shell_keep(shell, shell->binaries[k].bytes, sizes[at]);
    }
  }
  return fmi3OK;
}

fmi3Status NAMED(fmi3SetBinary)(FMI3_REFERENCES, const size_t sizes[], const fmi3Binary values[], size_t value_count) {
  NEED(fmi3Status, "fmi3SetBinary", WRITABLE);
  size_t at = 0;
  for (size_t i = 0; i < reference_count; i++) {
    const ShellVariable *variable = fetch(shell, "fmi3SetBinary", references[i], TYPE_BINARY, value_count - at, false);
    if (!variable) return fmi3Error;
    for (size_t k = 0; k < variable->count; k++, at++)
      shell->binaries[k] = (Binary){sizes[at], (uint8_t *)(uintptr_t)values[at]};
    const fmi3Status status = answer(shell, shell_write(shell, variable));
    if (status != fmi3OK) return status;
  }
  return fmi3OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------ */

/* Asks for inputs at the end of the step, and has them go there by slopes from what they are now. */
static UnitStatus follow_inputs(Shell *shell, double end, double size) {
  const Environment *outside = shell->environment;
  Unit *unit = shell->unit;
  const size_t count = SHELL_MODEL.followed_count;
  fmi3Boolean early = false;
  fmi3Float64 early_time = end;
  UNIT_TRY(unit->is->get_numbers(unit, SHELL_MODEL.followed, count, outside->begin));
  outside->update(outside->environment, end, true, false, false, false, &early, &early_time);
  if (shell->health != UNIT_OK) return shell->health;
  UNIT_TRY(unit->is->get_numbers(unit, SHELL_MODEL.followed, count, outside->end));
  UNIT_TRY(unit->is->set_numbers(unit, SHELL_MODEL.followed, count, outside->begin));
  for (size_t i = 0; i < count; i++) {
    outside->orders[i] = 1;
    /* Also what is infinite can stay. */
    outside->end[i] = outside->end[i] == outside->begin[i] ? 0.0 : (outside->end[i] - outside->begin[i]) / size;
  }
  return unit->is->set_input_derivatives(unit, SHELL_MODEL.followed, outside->orders, count, outside->end);
}

/* Whether event mode is what it is in; says so where it is not. */
static bool is_in_mode(const Shell *shell, const char *call, bool event) {
  const Environment *outside = shell->environment;
  if (shell->is_in_event == event && (outside->uses_events || !event)) return true;
  unit_fail(shell->unit, "%s is not allowed %s event mode", call, event ? "outside" : "in");
  return false;
}

fmi3Status NAMED(fmi3EnterEventMode)(fmi3Instance instance) {
  NEED(fmi3Status, "fmi3EnterEventMode", PHASE_BIT(PHASE_STEP));
  const Environment *outside = shell->environment;
  if (!shell_offers(shell, "fmi3EnterEventMode", outside->uses_events)) return fmi3Error;
  if (!is_in_mode(shell, "fmi3EnterEventMode", false)) return fmi3Error;
  shell->is_in_event = true;
  return fmi3OK;
}

fmi3Status NAMED(fmi3EnterStepMode)(fmi3Instance instance) {
  NEED(fmi3Status, "fmi3EnterStepMode", PHASE_BIT(PHASE_STEP));
  if (!is_in_mode(shell, "fmi3EnterStepMode", true)) return fmi3Error;
  shell->is_in_event = false;
  return fmi3OK;
}

/* Events that came in are consumed; those that go out are there until the next update, which is asked for. */
static UnitStatus update_events(Shell *shell, bool *again) {
  Unit *unit = shell->unit;
  const double none = 0.0;
  double occurs = 0.0;
  UNIT_TRY(unit->is->advance(unit, unit->time, unit->time, &shell->stop));
  for (size_t i = 0; i < SHELL_MODEL.event_input_count; i++)
    UNIT_TRY(unit->is->set_numbers(unit, &SHELL_MODEL.event_inputs[i], 1, &none));
  *again = false;
  for (size_t i = 0; i < SHELL_MODEL.event_output_count; i++) {
    UNIT_TRY(unit->is->get_numbers(unit, &SHELL_MODEL.event_outputs[i], 1, &occurs));
    *again = *again || occurs != 0;
  }
  if (unit->is->next_event(unit) > unit->time) return UNIT_OK;
  return unit_fail(unit, "it does not settle at t=%.17g: more than a thousand transitions at one instant", unit->time);
}

fmi3Status NAMED(fmi3UpdateDiscreteStates)(fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate,
                                           fmi3Boolean *nominals, fmi3Boolean *states, fmi3Boolean *has_next,
                                           fmi3Float64 *next) {
  NEED(fmi3Status, "fmi3UpdateDiscreteStates", PHASE_BIT(PHASE_STEP));
  if (!is_in_mode(shell, "fmi3UpdateDiscreteStates", true)) return fmi3Error;
  bool repeats = false;
  const fmi3Status status = answer(shell, update_events(shell, &repeats));
  if (status != fmi3OK) return status;
  const double due = shell->unit->is->next_event(shell->unit);
  *again = repeats;
  *terminate = shell->stop.reason == STOP_TERMINATED;
  *nominals = false;
  *states = false;
  *has_next = due < 1e300;
  *next = *has_next ? due : 0.0;
  return fmi3OK;
}

/* Between events nothing changes but time: to the end of the step, or to the next event on the way. */
static UnitStatus step_to_event(Shell *shell, double point, double size) {
  Unit *unit = shell->unit;
  const double due = unit->is->next_event(unit);
  UNIT_TRY(shell_check_step(shell, point, size));
  shell->stop = due <= point + size ? (UnitStop){STOP_EVENT, due} : (UnitStop){STOP_TIME, point + size};
  unit->time = shell->stop.time;
  return UNIT_OK;
}

fmi3Status NAMED(fmi3DoStep)(fmi3Instance instance, fmi3Float64 point, fmi3Float64 size, fmi3Boolean no_rollback,
                             fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                             fmi3Float64 *last_time) {
  (void)no_rollback;
  NEED(fmi3Status, "fmi3DoStep", PHASE_BIT(PHASE_STEP));
  const Environment *outside = shell->environment;
  if (outside->update && size > 0) {
    const fmi3Status followed = answer(shell, follow_inputs(shell, point + size, size));
    if (followed != fmi3OK) return followed;
  }
  if (!is_in_mode(shell, "fmi3DoStep", false)) return fmi3Error;
  const bool to_event = outside->uses_events && outside->early_return;
  const fmi3Status status = answer(shell, to_event ? step_to_event(shell, point, size) : shell_step(shell, point, size));
  const bool ended = shell->stop.reason == STOP_TERMINATED;
  const bool is_event = status == fmi3OK && to_event && shell->stop.reason == STOP_EVENT;
  const bool partial =
      status == fmi3OK && shell->stop.reason != STOP_TIME && !ended && !(is_event && shell->stop.time >= point + size);
  *event_needed = is_event;
  *terminate = status == fmi3OK && ended;
  *early_return = partial && outside->early_return;
  *last_time = status == fmi3OK ? shell->stop.time : shell->unit->time;
  return partial && !outside->early_return ? fmi3Discard : status;
}

/* ---- states ----------------------------------------------------------------------------------------------------------------- */

DEFINE_CALL(fmi3Status, fmi3GetFMUState, (fmi3Instance instance, fmi3FMUState *state), ANY_PHASE, SHELL_MODEL.can_save, shell_save(shell, state))
DEFINE_CALL(fmi3Status, fmi3SetFMUState, (fmi3Instance instance, fmi3FMUState state), ANY_PHASE, SHELL_MODEL.can_save,
            shell_restore(shell, state))
DEFINE_CALL(fmi3Status, fmi3FreeFMUState, (fmi3Instance instance, fmi3FMUState *state), ANY_PHASE, SHELL_MODEL.can_save,
            shell_release(shell, state))
DEFINE_CALL(fmi3Status, fmi3SerializedFMUStateSize, (fmi3Instance instance, fmi3FMUState state, size_t *size), ANY_PHASE,
            SHELL_MODEL.can_serialize, shell_state_size(shell, state, size))
DEFINE_CALL(fmi3Status, fmi3SerializeFMUState, (fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size), ANY_PHASE,
            SHELL_MODEL.can_serialize, shell_serialize(shell, state, bytes, size))
DEFINE_CALL(fmi3Status, fmi3DeserializeFMUState, (fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state),
            ANY_PHASE, SHELL_MODEL.can_serialize, shell_deserialize(shell, bytes, size, state))
