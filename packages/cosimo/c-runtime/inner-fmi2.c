/*
 * An FMI 2.0 Co-Simulation FMU as a unit: the same calls in the same order as Cosimo's own native unit makes them.
 *
 * A step that the FMU discards is an answer, not a failure: the unit is then at the last successful time that the FMU names.
 */
#include "fmi2.h"
#include "inner-unit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X)                                                                                                      \
  X(fmi2SetDebugLogging, false) X(fmi2Instantiate, true) X(fmi2SetupExperiment, true)                                     \
  X(fmi2EnterInitializationMode, true) X(fmi2GetReal, true) X(fmi2GetInteger, true) X(fmi2GetBoolean, true)               \
  X(fmi2GetString, true) X(fmi2SetReal, true) X(fmi2SetInteger, true) X(fmi2SetBoolean, true) X(fmi2SetString, true)      \
  X(fmi2GetDirectionalDerivative, false) X(fmi2SetRealInputDerivatives, false) X(fmi2DoStep, true)                        \
  X(fmi2GetStatus, false) X(fmi2GetRealStatus, false) X(fmi2GetBooleanStatus, false)

typedef struct {
  FmuUnit base;
#define FIELD(NAME, REQUIRED) NAME##TYPE *NAME;
  FUNCTIONS(FIELD)
#undef FIELD
  fmi2CallbackFunctions callbacks;
} Fmi2Unit;

static const LibrarySymbol SYMBOLS[] = {
#define SYMBOL(NAME, REQUIRED) {#NAME, offsetof(Fmi2Unit, NAME), REQUIRED},
    FUNCTIONS(SYMBOL) SHARED_FUNCTIONS(SHARED_SYMBOL_2)
#undef SYMBOL
};

static void on_log(void *environment, fmi2String instance, fmi2Status status, fmi2String category, fmi2String format, ...) {
  char message[1024];
  va_list arguments;
  const FloatState theirs = float_own(&((FmuUnit *)environment)->floats);
  (void)instance;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  unit_log(environment, fmu_log_level((int)status), category ? category : "", "%s", message);
  float_set(theirs);
}

/* Calls a function of the FMU that returns a status. */
#define CALL(NAME, ...) GUARDED(&self->base, #NAME, self->NAME(self->base.instance, __VA_ARGS__))
/* And settles it. */
#define INVOKE(NAME, ...) fmu_settle(&self->base, #NAME, CALL(NAME, __VA_ARGS__))

/* ---- life cycle ------------------------------------------------------------------------------------------------------------- */

static UnitStatus choose_categories(FmuUnit *base) {
  Fmi2Unit *self = (Fmi2Unit *)base;
  const FmuModel *model = base->model;
  if (base->unit.host->logging || model->category_count == 0 || !self->fmi2SetDebugLogging) return UNIT_OK;
  return INVOKE(fmi2SetDebugLogging, fmi2True, model->category_count, model->categories);
}

static UnitStatus enter_initialization(Unit *unit, const UnitExperiment *experiment) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  FmuUnit *base = &self->base;
  unit->time = experiment->start;
  base->constant_step = NAN;
  UNIT_TRY(INVOKE(fmi2SetupExperiment, experiment->has_tolerance, experiment->tolerance, experiment->start,
                  experiment->has_stop, experiment->stop));
  UNIT_TRY(given_hand_over(unit, base->model, &base->given, false, &base->version->set));
  UNIT_TRY(fmu_settle(base, "fmi2EnterInitializationMode",
                      GUARDED(base, "fmi2EnterInitializationMode", self->fmi2EnterInitializationMode(base->instance))));
  UNIT_TRY(given_hand_over(unit, base->model, &base->given, true, &base->version->set));
  given_forget(&base->given);
  unit->phase = PHASE_INITIALIZATION;
  return UNIT_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------ */

/* What an FMU that cannot work in the background has done cannot be known. */
static int await_step(Fmi2Unit *self) {
  if (!self->base.model->is_asynchronous || !self->fmi2GetStatus) return fmi2Pending;
  for (;;) {
    fmi2Status pending = fmi2Error;
    const int status = CALL(fmi2GetStatus, fmi2DoStepStatus, &pending);
    if (status != STATUS_OK && status != STATUS_WARNING) return status;
    if (pending != fmi2Pending) return (int)pending;
    pause_briefly();
  }
}

/* Many answer discard or error to a question about a discarded step, or lack the function: they have not answered. */
static UnitStatus settle_answer(const Fmi2Unit *self, const char *call, int status, bool *answered) {
  *answered = status == STATUS_OK || status == STATUS_WARNING;
  return status == STATUS_DISCARD || status == STATUS_ERROR ? UNIT_OK : fmu_settle(&self->base, call, status);
}

/* FMUs that cannot say where they stopped are taken to be where they began. What they do not write is not an answer. */
static UnitStatus stop_discarded(Fmi2Unit *self, double from, double to, UnitStop *stop) {
  fmi2Boolean terminated = fmi2False;
  fmi2Real last = NAN;
  bool tells_end = false;
  bool tells_time = false;
  if (self->fmi2GetBooleanStatus)
    UNIT_TRY(settle_answer(self, "fmi2GetBooleanStatus",
                           CALL(fmi2GetBooleanStatus, fmi2Terminated, &terminated), &tells_end));
  if (self->fmi2GetRealStatus)
    UNIT_TRY(settle_answer(self, "fmi2GetRealStatus",
                           CALL(fmi2GetRealStatus, fmi2LastSuccessfulTime, &last), &tells_time));
  fmu_end_early(from, to, tells_time ? last : NAN, tells_end && terminated ? STOP_TERMINATED : STOP_DISCARDED, stop);
  return UNIT_OK;
}

static UnitStatus advance(Unit *unit, double from, double to, UnitStop *stop) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  UNIT_TRY(fmu_check_step(unit, from, to));
  int status = CALL(fmi2DoStep, from, fmu_step_size(&self->base, from, to), self->base.saved_states == 0);
  if (status == STATUS_PENDING) status = await_step(self);
  stop->reason = STOP_TIME;
  stop->time = to;
  if (status == STATUS_DISCARD) UNIT_TRY(stop_discarded(self, from, to, stop));
  else UNIT_TRY(fmu_settle(&self->base, "fmi2DoStep", status));
  unit->time = stop->time;
  return UNIT_OK;
}

/* ---- values ----------------------------------------------------------------------------------------------------------------- */

static UnitStatus get_numbers(Unit *unit, const unsigned ports[], size_t count, double values[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  for (size_t i = 0; i < count; i++) {
    const FmuPort *port = &self->base.model->ports[ports[i]];
    const fmi2ValueReference reference = port->reference;
    fmi2Integer integer = 0;
    if (port->type == TYPE_FLOAT64) {
      UNIT_TRY(INVOKE(fmi2GetReal, &reference, 1, &values[i]));
      continue;
    }
    if (port->type == TYPE_BOOLEAN) UNIT_TRY(INVOKE(fmi2GetBoolean, &reference, 1, &integer));
    else UNIT_TRY(INVOKE(fmi2GetInteger, &reference, 1, &integer));
    values[i] = integer;
  }
  return UNIT_OK;
}

static UnitStatus set_numbers(Unit *unit, const unsigned ports[], size_t count, const double values[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  for (size_t i = 0; i < count; i++) {
    const FmuPort *port = &self->base.model->ports[ports[i]];
    const fmi2ValueReference reference = port->reference;
    const fmi2Integer integer = (fmi2Integer)whole_number(values[i]);
    if (port->type == TYPE_FLOAT64) UNIT_TRY(INVOKE(fmi2SetReal, &reference, 1, &values[i]));
    else if (port->type == TYPE_BOOLEAN) UNIT_TRY(INVOKE(fmi2SetBoolean, &reference, 1, &integer));
    else UNIT_TRY(INVOKE(fmi2SetInteger, &reference, 1, &integer));
  }
  return UNIT_OK;
}

static UnitStatus get_texts(Unit *unit, const unsigned ports[], size_t count, const char *values[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  texts_expect(values, count);
  fmu_references(&self->base, ports, count, 0);
  UNIT_TRY(INVOKE(fmi2GetString, self->base.references, count, values));
  texts_check(unit, "fmi2GetString", values, count, &self->base.reported_text);
  return UNIT_OK;
}

static UnitStatus set_texts(Unit *unit, const unsigned ports[], size_t count, const char *const values[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  fmu_references(&self->base, ports, count, 0);
  return INVOKE(fmi2SetString, self->base.references, count, (const fmi2String *)values);
}

static UnitStatus set_input_derivatives(Unit *unit, const unsigned ports[], const int orders[], size_t count,
                                        const double values[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  fmu_references(&self->base, ports, count, 0);
  return INVOKE(fmi2SetRealInputDerivatives, self->base.references, count, orders, values);
}

static UnitStatus directional_derivative(Unit *unit, const unsigned unknowns[], size_t unknown_count,
                                         const unsigned knowns[], size_t known_count, const double seed[], double out[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  const uint32_t *references = self->base.references;
  fmu_references(&self->base, unknowns, unknown_count, 0);
  fmu_references(&self->base, knowns, known_count, unknown_count);
  return INVOKE(fmi2GetDirectionalDerivative, references, unknown_count, references + unknown_count, known_count, seed,
                out);
}

/* ---- the maker -------------------------------------------------------------------------------------------------------------- */

static const UnitClass FMI2_CLASS = {
    .enter_initialization = enter_initialization,
    .exit_initialization = fmu_exit_initialization,
    .advance = advance,
    .terminate = fmu_terminate,
    .reset = fmu_reset,
    .free = fmu_free,
    .get_numbers = get_numbers,
    .get_texts = get_texts,
    .set_numbers = fmu_write_numbers,
    .set_texts = fmu_write_texts,
    .set_input_derivatives = set_input_derivatives,
    .directional_derivative = directional_derivative,
    .save = fmu_save,
    .restore = fmu_restore,
    .release = fmu_release,
    .serialize = fmu_serialize,
    .deserialize = fmu_deserialize,
};

static const char *const STATUS_NAMES[] = {"fmi2OK", "fmi2Warning", "fmi2Discard", "fmi2Error", "fmi2Fatal", "fmi2Pending"};

static const FmuVersion FMI2 = {
    .status_names = STATUS_NAMES,
    .status_count = sizeof STATUS_NAMES / sizeof STATUS_NAMES[0],
    .names = {SHARED_FUNCTIONS(SHARED_NAME_2)},
    .set = {.numbers = set_numbers, .texts = set_texts},
    .instantiated = choose_categories,
};

/* A path as file: URI, to be freed; NULL where there is no memory. */
static char *uri_of(const Unit *unit, const char *path) {
  static const char digits[] = "0123456789ABCDEF";
  const size_t length = strlen(path);
  char *uri = unit_allocate(unit, 3 * length + 9, 1);
  if (!uri) return NULL;
  char *end = uri + sprintf(uri, path[0] == '/' ? "file://" : "file:///");
  for (const char *c = path; *c; c++) {
    const unsigned char byte = (unsigned char)*c;
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
    if (byte == '\\') *end++ = '/';
    else if (plain || strchr("/-._~:!$&'()*+,;=@", byte)) *end++ = *c;
    else {
      *end++ = '%';
      *end++ = digits[byte / 16];
      *end++ = digits[byte % 16];
    }
  }
  return uri;
}

Unit *make_fmi2_unit(const FmuModel *model, const UnitHost *host, const char *name) {
  Fmi2Unit *self = unit_make(sizeof *self, &FMI2_CLASS, host, name);
  if (!self) return NULL;
  FmuUnit *base = &self->base;
  Unit *unit = &base->unit;
  base->version = &FMI2;
  base->model = model;
  self->callbacks = (fmi2CallbackFunctions){on_log, calloc, free, NULL, self};
  base->references = unit_allocate(unit, 2 * model->port_count, sizeof *base->references);
  base->library = open_library(unit, model, 2, SYMBOLS, sizeof SYMBOLS / sizeof SYMBOLS[0], self);
  char *path = base->library && base->references ? path_inside(unit, model, "resources") : NULL;
  char *uri = path ? uri_of(unit, path) : NULL;
  float_enter(&base->floats);
  if (uri)
    base->instance = self->fmi2Instantiate(unit->name, fmi2CoSimulation, model->token, uri, &self->callbacks, fmi2False,
                                           host->logging);
  float_left(unit, &base->floats, "fmi2Instantiate", STATUS_OK);
  if (uri && !base->instance) unit_fail(unit, "fmi2Instantiate returned NULL");
  free(uri);
  free(path);
  if (base->instance && choose_categories(base) == UNIT_OK) return unit;
  unit->is->free(unit);
  return NULL;
}
