/*
 * An FMI 2.0 Co-Simulation FMU as a unit: the same calls in the same order as Cosimo's own native unit makes them.
 *
 * A step that the FMU discards is an answer, not a failure: the unit is then at the last successful time that the FMU names.
 */
#include "bytes.h"
#include "float-state.h"
#include "fmi2.h"
#include "inner-fmu.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps that differ by less than this part are meant to be the same. */
static const double ROUNDING = 1e-9;

#define FUNCTIONS(X)                                                                                                      \
  X(fmi2SetDebugLogging, false) X(fmi2Instantiate, true) X(fmi2FreeInstance, true) X(fmi2SetupExperiment, true)           \
  X(fmi2EnterInitializationMode, true) X(fmi2ExitInitializationMode, true) X(fmi2Terminate, true) X(fmi2Reset, true)      \
  X(fmi2GetReal, true) X(fmi2GetInteger, true) X(fmi2GetBoolean, true) X(fmi2GetString, true) X(fmi2SetReal, true)        \
  X(fmi2SetInteger, true) X(fmi2SetBoolean, true) X(fmi2SetString, true) X(fmi2GetFMUstate, false)                        \
  X(fmi2SetFMUstate, false) X(fmi2FreeFMUstate, false) X(fmi2SerializedFMUstateSize, false)                               \
  X(fmi2SerializeFMUstate, false) X(fmi2DeSerializeFMUstate, false) X(fmi2GetDirectionalDerivative, false)                \
  X(fmi2SetRealInputDerivatives, false) X(fmi2DoStep, true) X(fmi2GetStatus, false) X(fmi2GetRealStatus, false)           \
  X(fmi2GetBooleanStatus, false)

typedef struct {
#define FIELD(NAME, REQUIRED) NAME##TYPE *NAME;
  FUNCTIONS(FIELD)
#undef FIELD
} Functions;

static const LibrarySymbol SYMBOLS[] = {
#define SYMBOL(NAME, REQUIRED) {#NAME, offsetof(Functions, NAME), REQUIRED},
    FUNCTIONS(SYMBOL)
#undef SYMBOL
};

typedef struct {
  Unit unit;
  const FmuModel *model;
  void *library;
  Functions call;
  fmi2CallbackFunctions callbacks;
  fmi2Component component;
  /* The first step's size, NAN before it; unused by FMUs that take any. */
  double constant_step;
  size_t saved_states;
  /* Written before initialization. */
  ByteWriter given;
  bool told_of_text;
  FloatGuard floats;
  /* References of the ports of one call. */
  fmi2ValueReference *references;
} Fmi2Unit;

typedef struct {
  fmi2FMUstate state;
  double time;
  UnitPhase phase;
  double constant_step;
  Binary given;
} Fmi2State;

static void on_log(void *environment, fmi2String instance, fmi2Status status, fmi2String category, fmi2String format, ...) {
  static const LogLevel levels[] = {LOG_OK, LOG_WARNING, LOG_DISCARD, LOG_ERROR, LOG_FATAL, LOG_OK};
  char message[1024];
  va_list arguments;
  const FloatState theirs = float_own(&((Fmi2Unit *)environment)->floats);
  (void)instance;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  const bool is_known = (unsigned)status < sizeof levels / sizeof levels[0];
  unit_log(environment, is_known ? levels[status] : LOG_OK, category ? category : "", "%s", message);
  float_set(theirs);
}

static UnitStatus settle(const Fmi2Unit *self, const char *call, fmi2Status status) {
  static const char *const names[] = {"fmi2OK", "fmi2Warning", "fmi2Discard", "fmi2Error", "fmi2Fatal", "fmi2Pending"};
  if (status == fmi2OK || status == fmi2Warning) return UNIT_OK;
  /* Also negative ones: a number that is no status is an error. */
  if ((unsigned)status >= sizeof names / sizeof names[0])
    return unit_fail(&self->unit, "%s returned %d, which is no status, at t=%g", call, (int)status, self->unit.time);
  unit_fail(&self->unit, "%s returned %s at t=%g", call, names[status], self->unit.time);
  return status == fmi2Fatal ? UNIT_FATAL : UNIT_ERROR;
}

/* Calls a function of the FMU that returns a status. */
#define CALL(NAME, ...)                                                                                                   \
  (float_enter(&self->floats),                                                                                            \
   (fmi2Status)float_left(&self->unit, &self->floats, "in " #NAME, (int)self->call.NAME(__VA_ARGS__)))
/* And settles it. */
#define INVOKE(NAME, ...) settle(self, #NAME, CALL(NAME, self->component, __VA_ARGS__))
#define INVOKE_PLAIN(NAME) settle(self, #NAME, CALL(NAME, self->component))

static UnitStatus set_numbers(Unit *unit, const unsigned ports[], size_t count, const double values[]);
static UnitStatus set_texts(Unit *unit, const unsigned ports[], size_t count, const char *const values[]);

static const GivenSetters SETTERS = {.numbers = set_numbers, .texts = set_texts};

/* ---- life cycle ------------------------------------------------------------------------------------------------------------- */

static UnitStatus choose_categories(Fmi2Unit *self) {
  const FmuModel *model = self->model;
  if (self->unit.host->logging || model->category_count == 0 || !self->call.fmi2SetDebugLogging) return UNIT_OK;
  return INVOKE(fmi2SetDebugLogging, fmi2True, model->category_count, model->categories);
}

static UnitStatus enter_initialization(Unit *unit, const UnitExperiment *experiment) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  unit->time = experiment->start;
  self->constant_step = NAN;
  UNIT_TRY(INVOKE(fmi2SetupExperiment, experiment->has_tolerance, experiment->tolerance, experiment->start,
                  experiment->has_stop, experiment->stop));
  UNIT_TRY(given_hand_over(unit, self->model, &self->given, false, &SETTERS));
  UNIT_TRY(INVOKE_PLAIN(fmi2EnterInitializationMode));
  UNIT_TRY(given_hand_over(unit, self->model, &self->given, true, &SETTERS));
  given_forget(&self->given);
  unit->phase = PHASE_INITIALIZATION;
  return UNIT_OK;
}

static UnitStatus exit_initialization(Unit *unit) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  UNIT_TRY(INVOKE_PLAIN(fmi2ExitInitializationMode));
  unit->phase = PHASE_STEP;
  return UNIT_OK;
}

static UnitStatus terminate(Unit *unit) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  UNIT_TRY(INVOKE_PLAIN(fmi2Terminate));
  unit->phase = PHASE_TERMINATED;
  return UNIT_OK;
}

static UnitStatus reset(Unit *unit) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  UNIT_TRY(INVOKE_PLAIN(fmi2Reset));
  given_forget(&self->given);
  unit->phase = PHASE_INSTANTIATED;
  return choose_categories(self);
}

static void free_unit(Unit *unit) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  float_enter(&self->floats);
  if (self->component) self->call.fmi2FreeInstance(self->component);
  float_leave(unit, &self->floats, "in fmi2FreeInstance");
  close_library(self->library);
  given_forget(&self->given);
  free(self->references);
  unit_end(unit);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------ */

static double step_size(Fmi2Unit *self, double from, double to) {
  const double size = to - from;
  if (self->model->has_variable_step) return size;
  if (isnan(self->constant_step)) self->constant_step = size;
  return fabs(size - self->constant_step) <= ROUNDING * size ? self->constant_step : size;
}

/* Of an FMU that cannot work in the background nobody knows what it has done. */
static fmi2Status await_step(Fmi2Unit *self) {
  if (!self->model->is_asynchronous || !self->call.fmi2GetStatus) return fmi2Pending;
  for (;;) {
    fmi2Status pending = fmi2Error;
    const fmi2Status told = CALL(fmi2GetStatus, self->component, fmi2DoStepStatus, &pending);
    if ((unsigned)told > fmi2Warning) return told;
    if (pending != fmi2Pending) return pending;
    pause_briefly();
  }
}

/* Many answer discard or error to a question about a discarded step, or lack the function: they have not answered. */
static UnitStatus settle_answer(const Fmi2Unit *self, const char *call, fmi2Status status, bool *answered) {
  *answered = status == fmi2OK || status == fmi2Warning;
  return status == fmi2Discard || status == fmi2Error ? UNIT_OK : settle(self, call, status);
}

/* FMUs that cannot tell where they stopped are taken to be where they began. What they do not write is no answer. */
static UnitStatus stop_discarded(Fmi2Unit *self, double from, double to, UnitStop *stop) {
  fmi2Boolean terminated = fmi2False;
  fmi2Real last = NAN;
  bool tells_end = false;
  bool tells_time = false;
  if (self->call.fmi2GetBooleanStatus)
    UNIT_TRY(settle_answer(self, "fmi2GetBooleanStatus",
                           CALL(fmi2GetBooleanStatus, self->component, fmi2Terminated, &terminated), &tells_end));
  if (self->call.fmi2GetRealStatus)
    UNIT_TRY(settle_answer(self, "fmi2GetRealStatus",
                           CALL(fmi2GetRealStatus, self->component, fmi2LastSuccessfulTime, &last), &tells_time));
  stop->reason = tells_end && terminated ? STOP_TERMINATED : STOP_DISCARDED;
  stop->time = tells_time && last >= from && last <= to ? last : from;
  return UNIT_OK;
}

static UnitStatus advance(Unit *unit, double from, double to, UnitStop *stop) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  if (from != unit->time) return unit_fail(unit, "it is at t=%.17g and cannot advance from t=%.17g", unit->time, from);
  if (!(to > from)) return unit_fail(unit, "it cannot advance from t=%.17g until t=%.17g", from, to);
  fmi2Status status = CALL(fmi2DoStep, self->component, from, step_size(self, from, to), self->saved_states == 0);
  if (status == fmi2Pending) status = await_step(self);
  stop->reason = STOP_TIME;
  stop->time = to;
  if (status == fmi2Discard) UNIT_TRY(stop_discarded(self, from, to, stop));
  else UNIT_TRY(settle(self, "fmi2DoStep", status));
  unit->time = stop->time;
  return UNIT_OK;
}

/* ---- values ----------------------------------------------------------------------------------------------------------------- */

static UnitStatus get_numbers(Unit *unit, const unsigned ports[], size_t count, double values[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  for (size_t i = 0; i < count; i++) {
    const FmuPort *port = &self->model->ports[ports[i]];
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
    const FmuPort *port = &self->model->ports[ports[i]];
    const fmi2ValueReference reference = port->reference;
    const fmi2Integer integer = (fmi2Integer)whole_number(values[i]);
    if (port->type == TYPE_FLOAT64) UNIT_TRY(INVOKE(fmi2SetReal, &reference, 1, &values[i]));
    else if (port->type == TYPE_BOOLEAN) UNIT_TRY(INVOKE(fmi2SetBoolean, &reference, 1, &integer));
    else UNIT_TRY(INVOKE(fmi2SetInteger, &reference, 1, &integer));
  }
  return UNIT_OK;
}

static const fmi2ValueReference *references_of(Fmi2Unit *self, const unsigned ports[], size_t count, size_t from) {
  for (size_t i = 0; i < count; i++) self->references[from + i] = self->model->ports[ports[i]].reference;
  return self->references + from;
}

static UnitStatus get_texts(Unit *unit, const unsigned ports[], size_t count, const char *values[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  texts_expect(values, count);
  UNIT_TRY(INVOKE(fmi2GetString, references_of(self, ports, count, 0), count, values));
  texts_check(unit, "fmi2GetString", values, count, &self->told_of_text);
  return UNIT_OK;
}

static UnitStatus set_texts(Unit *unit, const unsigned ports[], size_t count, const char *const values[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  return INVOKE(fmi2SetString, references_of(self, ports, count, 0), count, (const fmi2String *)values);
}

/* Before initialization values wait: see given.c. */
static UnitStatus write_or_keep_numbers(Unit *unit, const unsigned ports[], size_t count, const double values[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  if (unit->phase != PHASE_INSTANTIATED) return set_numbers(unit, ports, count, values);
  return given_numbers(unit, self->model, &self->given, ports, count, values);
}

static UnitStatus write_or_keep_texts(Unit *unit, const unsigned ports[], size_t count, const char *const values[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  if (unit->phase != PHASE_INSTANTIATED) return set_texts(unit, ports, count, values);
  return given_texts(unit, self->model, &self->given, ports, count, values);
}

static UnitStatus set_input_derivatives(Unit *unit, const unsigned ports[], const int orders[], size_t count,
                                        const double values[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  return INVOKE(fmi2SetRealInputDerivatives, references_of(self, ports, count, 0), count, orders, values);
}

static UnitStatus directional_derivative(Unit *unit, const unsigned unknowns[], size_t unknown_count,
                                         const unsigned knowns[], size_t known_count, const double seed[], double out[]) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  const fmi2ValueReference *left = references_of(self, unknowns, unknown_count, 0);
  const fmi2ValueReference *right = references_of(self, knowns, known_count, unknown_count);
  return INVOKE(fmi2GetDirectionalDerivative, left, unknown_count, right, known_count, seed, out);
}

/* ---- states ----------------------------------------------------------------------------------------------------------------- */

static UnitStatus save(Unit *unit, void **state) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  Fmi2State *saved = unit_allocate(unit, 1, sizeof *saved);
  if (!saved) return UNIT_ERROR;
  UnitStatus status = INVOKE(fmi2GetFMUstate, &saved->state);
  if (status == UNIT_OK && !saved->state) status = unit_fail(unit, "fmi2GetFMUstate returned fmi2OK and no state");
  if (status == UNIT_OK) status = given_save(unit, &self->given, &saved->given);
  if (status != UNIT_OK) {
    free(saved);
    return status;
  }
  saved->time = unit->time;
  saved->phase = unit->phase;
  saved->constant_step = self->constant_step;
  self->saved_states++;
  *state = saved;
  return UNIT_OK;
}

static UnitStatus restore(Unit *unit, void *state) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  const Fmi2State *saved = state;
  UNIT_TRY(INVOKE(fmi2SetFMUstate, saved->state));
  unit->time = saved->time;
  unit->phase = saved->phase;
  self->constant_step = saved->constant_step;
  UNIT_TRY(given_restore(unit, &self->given, &saved->given));
  return UNIT_OK;
}

static UnitStatus release(Unit *unit, void *state) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  Fmi2State *saved = state;
  const UnitStatus status = INVOKE(fmi2FreeFMUstate, &saved->state);
  free(saved->given.bytes);
  free(saved);
  self->saved_states--;
  return status;
}

static UnitStatus serialize(Unit *unit, void *state, ByteWriter *out) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  const Fmi2State *saved = state;
  size_t size = SIZE_MAX;
  UNIT_TRY(INVOKE(fmi2SerializedFMUstateSize, saved->state, &size));
  if (size == SIZE_MAX) return unit_fail(unit, "fmi2SerializedFMUstateSize returned fmi2OK and no size");
  write_number(out, saved->time);
  write_long(out, saved->phase);
  write_number(out, saved->constant_step);
  write_binary(out, &saved->given);
  write_long(out, (int64_t)size);
  uint8_t *room = write_room(out, size);
  if (!room) return unit_fail(unit, "there is no memory left");
  return INVOKE(fmi2SerializeFMUstate, saved->state, (fmi2Byte *)room, size);
}

static UnitStatus deserialize(Unit *unit, ByteReader *in, void **state) {
  Fmi2Unit *self = (Fmi2Unit *)unit;
  int64_t phase = 0;
  int64_t size = 0;
  Fmi2State *saved = unit_allocate(unit, 1, sizeof *saved);
  if (!saved) return UNIT_ERROR;
  const bool begins = read_number(in, &saved->time) && read_long(in, &phase) && read_number(in, &saved->constant_step) &&
                      read_binary(in, &saved->given) && read_long(in, &size) && size >= 0;
  const uint8_t *view = begins ? read_view(in, (size_t)size) : NULL;
  saved->phase = (UnitPhase)phase;
  UnitStatus status = view ? INVOKE(fmi2DeSerializeFMUstate, (const fmi2Byte *)view, (size_t)size, &saved->state)
                           : unit_fail(unit, "these bytes are no state of it");
  if (status == UNIT_OK && !saved->state) status = unit_fail(unit, "fmi2DeSerializeFMUstate returned fmi2OK and no state");
  if (status != UNIT_OK) {
    free(saved->given.bytes);
    free(saved);
    return status;
  }
  self->saved_states++;
  *state = saved;
  return UNIT_OK;
}

/* ---- the maker -------------------------------------------------------------------------------------------------------------- */

static const UnitClass FMI2_CLASS = {
    .enter_initialization = enter_initialization,
    .exit_initialization = exit_initialization,
    .advance = advance,
    .terminate = terminate,
    .reset = reset,
    .free = free_unit,
    .get_numbers = get_numbers,
    .get_texts = get_texts,
    .set_numbers = write_or_keep_numbers,
    .set_texts = write_or_keep_texts,
    .set_input_derivatives = set_input_derivatives,
    .directional_derivative = directional_derivative,
    .save = save,
    .restore = restore,
    .release = release,
    .serialize = serialize,
    .deserialize = deserialize,
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
  Unit *unit = &self->unit;
  self->model = model;
  self->callbacks = (fmi2CallbackFunctions){on_log, calloc, free, NULL, self};
  self->references = unit_allocate(unit, 2 * model->port_count, sizeof *self->references);
  self->library =
      open_library(unit, model, 2, SYMBOLS, sizeof SYMBOLS / sizeof SYMBOLS[0], &self->call);
  char *path = self->library && self->references ? path_inside(unit, model, "resources") : NULL;
  char *uri = path ? uri_of(unit, path) : NULL;
  float_enter(&self->floats);
  if (uri)
    self->component = self->call.fmi2Instantiate(unit->name, fmi2CoSimulation, model->token, uri, &self->callbacks,
                                                 fmi2False, host->logging);
  float_leave(unit, &self->floats, "in fmi2Instantiate");
  if (uri && !self->component) unit_fail(unit, "fmi2Instantiate returned NULL");
  free(uri);
  free(path);
  if (self->component && choose_categories(self) == UNIT_OK) return unit;
  unit->is->free(unit);
  return NULL;
}
