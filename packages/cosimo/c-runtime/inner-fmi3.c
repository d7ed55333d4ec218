/*
 * An FMI 3.0 Co-Simulation FMU as a unit: the same calls in the same order as Cosimo's own native unit makes them, without event mode,
 * as in every plan with fixed steps and in every adaptation.
 *
 * FMI 3 has no call for derivatives of inputs. FMUs that ask for inputs inside their steps (intermediate update) get the value of
 * the polynomial at that time instead.
 */
#include "bytes.h"
#include "inner-fmi3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps that differ by less than this part are meant to be the same. */
static const double ROUNDING = 1e-9;

static const LibrarySymbol SYMBOLS[] = {
#define SYMBOL(NAME, REQUIRED) {#NAME, offsetof(Fmi3Functions, NAME), REQUIRED},
    FMI3_ACCESS_FUNCTIONS(SYMBOL) FMI3_OTHER_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

typedef struct {
  fmi3FMUState state;
  double time;
  UnitPhase phase;
  double constant_step;
  Binary given;
  /* First derivatives of the followed inputs, then second ones. */
  double *slopes;
} Fmi3State;

static void on_log(void *environment, fmi3Status status, fmi3String category, fmi3String message) {
  static const LogLevel levels[] = {LOG_OK, LOG_WARNING, LOG_DISCARD, LOG_ERROR, LOG_FATAL};
  const bool is_known = (unsigned)status < sizeof levels / sizeof levels[0];
  const FloatState theirs = float_own(&((Fmi3Unit *)environment)->floats);
  unit_log(environment, is_known ? levels[status] : LOG_OK, category ? category : "", "%s", message ? message : "");
  float_set(theirs);
}

UnitStatus fmi3_settle(const Fmi3Unit *self, const char *call, fmi3Status status) {
  static const char *const names[] = {"fmi3OK", "fmi3Warning", "fmi3Discard", "fmi3Error", "fmi3Fatal"};
  if (status == fmi3OK || status == fmi3Warning) return UNIT_OK;
  /* Also negative ones: a number that is no status is an error. */
  if ((unsigned)status >= sizeof names / sizeof names[0])
    return unit_fail(&self->unit, "%s returned %d, which is no status, at t=%g", call, (int)status, self->unit.time);
  unit_fail(&self->unit, "%s returned %s at t=%g", call, names[status], self->unit.time);
  return status == fmi3Fatal ? UNIT_FATAL : UNIT_ERROR;
}

/* ---- life cycle ------------------------------------------------------------------------------------------------------------- */

static UnitStatus configure(Fmi3Unit *self) {
  const FmuModel *model = self->model;
  if (model->structure_count == 0) return UNIT_OK;
  if (!self->call.fmi3EnterConfigurationMode || !self->call.fmi3ExitConfigurationMode)
    return unit_fail(&self->unit, "the FMU inside has structural parameters, but no configuration mode");
  UNIT_TRY(INVOKE_PLAIN(fmi3EnterConfigurationMode));
  for (size_t i = 0; i < model->structure_count; i++) {
    const FmuStructure *given = &model->structure[i];
    const ValueType type = model->ports[given->port].type;
    const int64_t whole = whole_number(given->value);
    if (type == TYPE_INT64 || type == TYPE_UINT64) UNIT_TRY(fmi3_set_longs(&self->unit, &given->port, 1, &whole));
    else UNIT_TRY(fmi3_set_numbers(&self->unit, &given->port, 1, &given->value));
  }
  return INVOKE_PLAIN(fmi3ExitConfigurationMode);
}

static const GivenSetters SETTERS = {fmi3_set_numbers, fmi3_set_longs, fmi3_set_texts, fmi3_set_binaries};

static UnitStatus enter_initialization(Unit *unit, const UnitExperiment *experiment) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  unit->time = experiment->start;
  self->constant_step = NAN;
  UNIT_TRY(given_hand_over(unit, self->model, &self->given, false, &SETTERS));
  UNIT_TRY(INVOKE(fmi3EnterInitializationMode, experiment->has_tolerance, experiment->tolerance, experiment->start,
                  experiment->has_stop, experiment->stop));
  UNIT_TRY(given_hand_over(unit, self->model, &self->given, true, &SETTERS));
  given_forget(&self->given);
  unit->phase = PHASE_INITIALIZATION;
  return UNIT_OK;
}

static UnitStatus exit_initialization(Unit *unit) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  UNIT_TRY(INVOKE_PLAIN(fmi3ExitInitializationMode));
  unit->phase = PHASE_STEP;
  return UNIT_OK;
}

static UnitStatus terminate(Unit *unit) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  UNIT_TRY(INVOKE_PLAIN(fmi3Terminate));
  unit->phase = PHASE_TERMINATED;
  return UNIT_OK;
}

static UnitStatus reset(Unit *unit) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  Fmi3Follower *follower = &self->follower;
  memset(follower->first, 0, follower->size * sizeof follower->first[0]);
  memset(follower->second, 0, follower->size * sizeof follower->second[0]);
  follower->moving = false;
  UNIT_TRY(INVOKE_PLAIN(fmi3Reset));
  given_forget(&self->given);
  unit->phase = PHASE_INSTANTIATED;
  return configure(self);
}

static void free_unit(Unit *unit) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  float_enter(&self->floats);
  if (self->instance) self->call.fmi3FreeInstance(self->instance);
  float_leave(unit, &self->floats, "in fmi3FreeInstance");
  close_library(self->library);
  given_forget(&self->given);
  free(self->references);
  free(self->elements);
  free(self->sizes);
  free(self->follower.values);
  unit_end(unit);
}

/* ---- inputs that move inside a step ----------------------------------------------------------------------------------------- */

static void evaluate(Fmi3Follower *follower, double dt) {
  for (size_t i = 0; i < follower->size; i++)
    follower->values[i] = follower->base[i] + follower->first[i] * dt + follower->second[i] * dt * dt * 0.5;
}

static void look(Fmi3Follower *follower) {
  follower->moving = false;
  for (size_t i = 0; i < follower->size; i++)
    if (follower->first[i] != 0 || follower->second[i] != 0) follower->moving = true;
}

static void on_intermediate_update(void *environment, fmi3Float64 time, fmi3Boolean set_requested, fmi3Boolean get_allowed,
                                   fmi3Boolean step_finished, fmi3Boolean can_return_early, fmi3Boolean *return_early,
                                   fmi3Float64 *early_time) {
  Fmi3Unit *self = environment;
  Fmi3Follower *follower = &self->follower;
  (void)get_allowed, (void)step_finished, (void)can_return_early;
  *return_early = false;
  *early_time = time;
  if (!follower->moving || !set_requested) return;
  const FloatState theirs = float_own(&self->floats);
  evaluate(follower, time - follower->begin);
  fmi3_set_numbers(&self->unit, self->model->followed, self->model->followed_count, follower->values);
  float_set(theirs);
}

/* The step is over: the inputs stand where the polynomial has led them, and go on from there. */
static UnitStatus move_on(Fmi3Unit *self, double dt) {
  Fmi3Follower *follower = &self->follower;
  evaluate(follower, dt);
  UNIT_TRY(fmi3_set_numbers(&self->unit, self->model->followed, self->model->followed_count, follower->values));
  for (size_t i = 0; i < follower->size; i++) follower->first[i] += follower->second[i] * dt;
  return UNIT_OK;
}

static UnitStatus set_input_derivatives(Unit *unit, const unsigned ports[], const int orders[], size_t count,
                                        const double values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  const FmuModel *model = self->model;
  for (size_t i = 0; i < count; i++) {
    size_t offset = 0;
    size_t k = 0;
    while (k < model->followed_count && model->followed[k] != ports[i]) offset += model->ports[model->followed[k++]].size;
    if (k == model->followed_count) return unit_fail(unit, "it does not follow port %u inside its steps", ports[i]);
    double *target = orders[i] == 1 ? self->follower.first : self->follower.second;
    const size_t size = model->ports[ports[i]].size;
    memcpy(target + offset, values, size * sizeof values[0]);
    values += size;
  }
  look(&self->follower);
  return UNIT_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------ */

static double step_size(Fmi3Unit *self, double from, double to) {
  const double size = to - from;
  if (self->model->has_variable_step) return size;
  if (isnan(self->constant_step)) self->constant_step = size;
  return fabs(size - self->constant_step) <= ROUNDING * size ? self->constant_step : size;
}

static UnitStatus do_step(Fmi3Unit *self, double from, double to, UnitStop *stop) {
  fmi3Boolean event = false;
  fmi3Boolean ended = false;
  fmi3Boolean early = false;
  double last = NAN;
  const fmi3Status status = CALL(fmi3DoStep, self->instance, from, step_size(self, from, to), self->saved_states == 0,
                                 &event, &ended, &early, &last);
  if (status != fmi3Discard) UNIT_TRY(fmi3_settle(self, "fmi3DoStep", status));
  stop->reason = STOP_TIME;
  stop->time = to;
  if (early || ended || status == fmi3Discard) {
    /* FMUs that do not tell where they stopped are taken to be where they began. */
    stop->time = last >= from && last <= to ? last : from;
    stop->reason = ended ? STOP_TERMINATED : early ? STOP_EVENT : STOP_DISCARDED;
  }
  self->unit.time = stop->time;
  return UNIT_OK;
}

static UnitStatus advance(Unit *unit, double from, double to, UnitStop *stop) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  Fmi3Follower *follower = &self->follower;
  const FmuModel *model = self->model;
  if (from != unit->time) return unit_fail(unit, "it is at t=%.17g and cannot advance from t=%.17g", unit->time, from);
  if (!(to > from)) return unit_fail(unit, "it cannot advance from t=%.17g until t=%.17g", from, to);
  if (!follower->moving) return do_step(self, from, to, stop);
  follower->begin = from;
  UNIT_TRY(fmi3_get_numbers(unit, model->followed, model->followed_count, follower->base));
  UNIT_TRY(do_step(self, from, to, stop));
  return move_on(self, stop->time - from);
}

static UnitStatus directional_derivative(Unit *unit, const unsigned unknowns[], size_t unknown_count,
                                         const unsigned knowns[], size_t known_count, const double seed[], double out[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  size_t results = 0;
  size_t seeds = 0;
  for (size_t i = 0; i < unknown_count; i++) {
    self->references[i] = self->model->ports[unknowns[i]].reference;
    results += self->model->ports[unknowns[i]].size;
  }
  for (size_t i = 0; i < known_count; i++) {
    self->references[unknown_count + i] = self->model->ports[knowns[i]].reference;
    seeds += self->model->ports[knowns[i]].size;
  }
  return INVOKE(fmi3GetDirectionalDerivative, self->references, unknown_count, self->references + unknown_count,
                known_count, seed, seeds, out, results);
}

/* ---- states ----------------------------------------------------------------------------------------------------------------- */

static Fmi3State *make_state(const Fmi3Unit *self) {
  const size_t slopes = 2 * self->follower.size;
  Fmi3State *saved = unit_allocate(&self->unit, 1, sizeof *saved + slopes * sizeof(double));
  if (saved) saved->slopes = (double *)(saved + 1);
  return saved;
}

static UnitStatus save(Unit *unit, void **state) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  Fmi3State *saved = make_state(self);
  if (!saved) return UNIT_ERROR;
  UnitStatus status = INVOKE(fmi3GetFMUState, &saved->state);
  if (status == UNIT_OK && !saved->state) status = unit_fail(unit, "fmi3GetFMUState returned fmi3OK and no state");
  if (status == UNIT_OK) status = given_save(unit, &self->given, &saved->given);
  if (status != UNIT_OK) {
    free(saved);
    return status;
  }
  saved->time = unit->time;
  saved->phase = unit->phase;
  saved->constant_step = self->constant_step;
  const size_t size = self->follower.size;
  memcpy(saved->slopes, self->follower.first, size * sizeof(double));
  memcpy(saved->slopes + size, self->follower.second, size * sizeof(double));
  self->saved_states++;
  *state = saved;
  return UNIT_OK;
}

static UnitStatus restore(Unit *unit, void *state) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  const Fmi3State *saved = state;
  UNIT_TRY(INVOKE(fmi3SetFMUState, saved->state));
  unit->time = saved->time;
  unit->phase = saved->phase;
  self->constant_step = saved->constant_step;
  UNIT_TRY(given_restore(unit, &self->given, &saved->given));
  const size_t size = self->follower.size;
  memcpy(self->follower.first, saved->slopes, size * sizeof(double));
  memcpy(self->follower.second, saved->slopes + size, size * sizeof(double));
  look(&self->follower);
  return UNIT_OK;
}

static UnitStatus release(Unit *unit, void *state) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  Fmi3State *saved = state;
  const UnitStatus status = INVOKE(fmi3FreeFMUState, &saved->state);
  free(saved->given.bytes);
  free(saved);
  self->saved_states--;
  return status;
}

static UnitStatus serialize(Unit *unit, void *state, ByteWriter *out) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  const Fmi3State *saved = state;
  size_t size = SIZE_MAX;
  UNIT_TRY(INVOKE(fmi3SerializedFMUStateSize, saved->state, &size));
  if (size == SIZE_MAX) return unit_fail(unit, "fmi3SerializedFMUStateSize returned fmi3OK and no size");
  write_number(out, saved->time);
  write_long(out, saved->phase);
  write_number(out, saved->constant_step);
  write_binary(out, &saved->given);
  write_numbers(out, saved->slopes, 2 * self->follower.size);
  write_long(out, (int64_t)size);
  uint8_t *room = write_room(out, size);
  if (!room) return unit_fail(unit, "there is no memory left");
  return INVOKE(fmi3SerializeFMUState, saved->state, room, size);
}

static UnitStatus deserialize(Unit *unit, ByteReader *in, void **state) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  Fmi3State *saved = make_state(self);
  if (!saved) return UNIT_ERROR;
  int64_t phase = 0;
  int64_t size = 0;
  const bool begins = read_number(in, &saved->time) && read_long(in, &phase) && read_number(in, &saved->constant_step) &&
                      read_binary(in, &saved->given) && read_numbers(in, saved->slopes, 2 * self->follower.size) && read_long(in, &size) && size >= 0;
  const uint8_t *view = begins ? read_view(in, (size_t)size) : NULL;
  saved->phase = (UnitPhase)phase;
  UnitStatus status = view ? INVOKE(fmi3DeserializeFMUState, view, (size_t)size, &saved->state)
                           : unit_fail(unit, "these bytes are no state of it");
  if (status == UNIT_OK && !saved->state) status = unit_fail(unit, "fmi3DeserializeFMUState returned fmi3OK and no state");
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

static const UnitClass FMI3_CLASS = {
    .enter_initialization = enter_initialization,
    .exit_initialization = exit_initialization,
    .advance = advance,
    .terminate = terminate,
    .reset = reset,
    .free = free_unit,
    .get_numbers = fmi3_get_numbers,
    .get_longs = fmi3_get_longs,
    .get_texts = fmi3_get_texts,
    .get_binaries = fmi3_get_binaries,
    .set_numbers = fmi3_write_numbers,
    .set_longs = fmi3_write_longs,
    .set_texts = fmi3_write_texts,
    .set_binaries = fmi3_write_binaries,
    .set_input_derivatives = set_input_derivatives,
    .directional_derivative = directional_derivative,
    .save = save,
    .restore = restore,
    .release = release,
    .serialize = serialize,
    .deserialize = deserialize,
};

static bool make_buffers(Fmi3Unit *self) {
  const FmuModel *model = self->model;
  Unit *unit = &self->unit;
  size_t largest = 1;
  for (size_t i = 0; i < model->port_count; i++)
    if (model->ports[i].size > largest) largest = model->ports[i].size;
  for (size_t i = 0; i < model->followed_count; i++) self->follower.size += model->ports[model->followed[i]].size;
  const size_t size = self->follower.size;
  self->references = unit_allocate(unit, 2 * model->port_count, sizeof *self->references);
  self->elements = unit_allocate(unit, largest, sizeof(uint64_t));
  self->sizes = unit_allocate(unit, largest, sizeof *self->sizes);
  self->follower.values = unit_allocate(unit, 4 * size, sizeof(double));
  if (!self->references || !self->elements || !self->sizes || !self->follower.values) return false;
  self->follower.base = self->follower.values + size;
  self->follower.first = self->follower.values + 2 * size;
  self->follower.second = self->follower.values + 3 * size;
  return true;
}

Unit *make_fmi3_unit(const FmuModel *model, const UnitHost *host, const char *name) {
  Fmi3Unit *self = unit_make(sizeof *self, &FMI3_CLASS, host, name);
  if (!self) return NULL;
  Unit *unit = &self->unit;
  self->model = model;
  if (make_buffers(self))
    self->library = open_library(unit, model, 3, SYMBOLS, sizeof SYMBOLS / sizeof SYMBOLS[0], &self->call);
  char *resources = self->library ? path_inside(unit, model, "resources/") : NULL;
  if (resources) {
    for (size_t i = 0; i < model->followed_count; i++) self->references[i] = model->ports[model->followed[i]].reference;
    const bool follows = model->followed_count > 0;
    float_enter(&self->floats);
    self->instance = self->call.fmi3InstantiateCoSimulation(
        unit->name, model->token, model->has_resources ? resources : NULL, false, host->logging, false, false,
        follows ? self->references : NULL, model->followed_count, self, on_log, follows ? on_intermediate_update : NULL);
    float_leave(unit, &self->floats, "in fmi3InstantiateCoSimulation");
    if (!self->instance) unit_fail(unit, "fmi3InstantiateCoSimulation returned NULL");
  }
  free(resources);
  if (self->instance && configure(self) == UNIT_OK) return unit;
  unit->is->free(unit);
  return NULL;
}
