/*
 * An FMI 3.0 Co-Simulation FMU as a unit: the same calls in the same order as Cosimo's own native unit makes them, without event mode,
 * as in every plan with fixed steps and in every adaptation.
 *
 * FMI 3 has no call for derivatives of inputs. FMUs that ask for inputs inside their steps (intermediate update) get the value of
 * the polynomial at that time instead.
 */
#include "inner-fmi3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const LibrarySymbol SYMBOLS[] = {
#define SYMBOL(NAME, REQUIRED) {#NAME, offsetof(Fmi3Unit, NAME), REQUIRED},
    FMI3_ACCESS_FUNCTIONS(SYMBOL) FMI3_OTHER_FUNCTIONS(SYMBOL) SHARED_FUNCTIONS(SHARED_SYMBOL_3)
#undef SYMBOL
};

static void on_log(void *environment, fmi3Status status, fmi3String category, fmi3String message) {
  const FloatState theirs = float_own(&((FmuUnit *)environment)->floats);
  unit_log(environment, fmu_log_level((int)status), category ? category : "", "%s", message ? message : "");
  float_set(theirs);
}

/* ---- life cycle ------------------------------------------------------------------------------------------------------------- */

/* A function that takes nothing but the instance. */
static UnitStatus invoke_plain(FmuUnit *base, const char *name, fmi3PlainTYPE *function) {
  return fmu_settle(base, name, GUARDED(base, name, function(base->instance)));
}

static UnitStatus configure(FmuUnit *base) {
  Fmi3Unit *self = (Fmi3Unit *)base;
  const FmuModel *model = base->model;
  if (model->structure_count == 0) return UNIT_OK;
  if (!self->fmi3EnterConfigurationMode || !self->fmi3ExitConfigurationMode)
    return unit_fail(&base->unit, "the FMU inside has structural parameters, but no configuration mode");
  UNIT_TRY(invoke_plain(base, "fmi3EnterConfigurationMode", self->fmi3EnterConfigurationMode));
  for (size_t i = 0; i < model->structure_count; i++) {
    const FmuStructure *given = &model->structure[i];
    const ValueType type = model->ports[given->port].type;
    const int64_t whole = whole_number(given->value);
    if (type == TYPE_INT64 || type == TYPE_UINT64) UNIT_TRY(fmi3_set_longs(&base->unit, &given->port, 1, &whole));
    else UNIT_TRY(fmi3_set_numbers(&base->unit, &given->port, 1, &given->value));
  }
  return invoke_plain(base, "fmi3ExitConfigurationMode", self->fmi3ExitConfigurationMode);
}

static UnitStatus enter_initialization(Unit *unit, const UnitExperiment *experiment) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  FmuUnit *base = &self->base;
  unit->time = experiment->start;
  base->constant_step = NAN;
  UNIT_TRY(given_hand_over(unit, base->model, &base->given, false, &base->version->set));
  UNIT_TRY(INVOKE(fmi3EnterInitializationMode, experiment->has_tolerance, experiment->tolerance, experiment->start,
                  experiment->has_stop, experiment->stop));
  UNIT_TRY(given_hand_over(unit, base->model, &base->given, true, &base->version->set));
  given_forget(&base->given);
  unit->phase = PHASE_INITIALIZATION;
  return UNIT_OK;
}

static void free_unit(Unit *unit) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  free(self->elements);
  free(self->sizes);
  double *values = self->follower.values;
  fmu_free(unit);
  free(values);
}

/* ---- inputs that move inside a step ----------------------------------------------------------------------------------------- */

static void evaluate(Fmi3Follower *follower, double dt) {
  for (size_t i = 0; i < follower->size; i++)
    follower->values[i] = follower->base[i] + follower->first[i] * dt + follower->second[i] * dt * dt * 0.5;
}

static void look(FmuUnit *base) {
  Fmi3Follower *follower = &((Fmi3Unit *)base)->follower;
  follower->moving = false;
  for (size_t i = 0; i < follower->size; i++)
    if (follower->first[i] != 0 || follower->second[i] != 0) follower->moving = true;
}

static UnitStatus set_followed(Fmi3Unit *self) {
  const FmuModel *model = self->base.model;
  return fmi3_set_numbers(&self->base.unit, model->followed, model->followed_count, self->follower.values);
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
  const FloatState theirs = float_own(&self->base.floats);
  evaluate(follower, time - follower->begin);
  set_followed(self);
  float_set(theirs);
}

/* The step is over: the inputs stand where the polynomial ends, and go on from there. */
static UnitStatus move_on(Fmi3Unit *self, double dt) {
  Fmi3Follower *follower = &self->follower;
  evaluate(follower, dt);
  UNIT_TRY(set_followed(self));
  for (size_t i = 0; i < follower->size; i++) follower->first[i] += follower->second[i] * dt;
  return UNIT_OK;
}

static UnitStatus set_input_derivatives(Unit *unit, const unsigned ports[], const int orders[], size_t count,
                                        const double values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  const FmuModel *model = self->base.model;
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
  look(&self->base);
  return UNIT_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------ */

static UnitStatus do_step(Fmi3Unit *self, double from, double to, UnitStop *stop) {
  fmi3Boolean event = false;
  fmi3Boolean ended = false;
  fmi3Boolean early = false;
  double last = NAN;
  FmuUnit *base = &self->base;
  const int status = CALL(fmi3DoStep, from, fmu_step_size(base, from, to), base->saved_states == 0, &event, &ended, &early,
                          &last);
  if (status != STATUS_DISCARD) UNIT_TRY(fmu_settle(base, "fmi3DoStep", status));
  stop->reason = STOP_TIME;
  stop->time = to;
  if (early || ended || status == STATUS_DISCARD)
    fmu_end_early(from, to, last, ended ? STOP_TERMINATED : early ? STOP_EVENT : STOP_DISCARDED, stop);
  base->unit.time = stop->time;
  return UNIT_OK;
}

static UnitStatus advance(Unit *unit, double from, double to, UnitStop *stop) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  Fmi3Follower *follower = &self->follower;
  const FmuModel *model = self->base.model;
  UNIT_TRY(fmu_check_step(unit, from, to));
  if (!follower->moving) return do_step(self, from, to, stop);
  follower->begin = from;
  UNIT_TRY(fmi3_get_numbers(unit, model->followed, model->followed_count, follower->base));
  UNIT_TRY(do_step(self, from, to, stop));
  return move_on(self, stop->time - from);
}

static UnitStatus directional_derivative(Unit *unit, const unsigned unknowns[], size_t unknown_count,
                                         const unsigned knowns[], size_t known_count, const double seed[], double out[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  const uint32_t *references = self->base.references;
  const size_t results = fmu_references(&self->base, unknowns, unknown_count, 0);
  const size_t seeds = fmu_references(&self->base, knowns, known_count, unknown_count);
  return INVOKE(fmi3GetDirectionalDerivative, references, unknown_count, references + unknown_count, known_count, seed,
                seeds, out, results);
}

/* ---- the maker -------------------------------------------------------------------------------------------------------------- */

static const UnitClass FMI3_CLASS = {
    .enter_initialization = enter_initialization,
    .exit_initialization = fmu_exit_initialization,
    .advance = advance,
    .terminate = fmu_terminate,
    .reset = fmu_reset,
    .free = free_unit,
    .get_numbers = fmi3_get_numbers,
    .get_longs = fmi3_get_longs,
    .get_texts = fmi3_get_texts,
    .get_binaries = fmi3_get_binaries,
    .set_numbers = fmu_write_numbers,
    .set_longs = fmu_write_longs,
    .set_texts = fmu_write_texts,
    .set_binaries = fmu_write_binaries,
    .set_input_derivatives = set_input_derivatives,
    .directional_derivative = directional_derivative,
    .save = fmu_save,
    .restore = fmu_restore,
    .release = fmu_release,
    .serialize = fmu_serialize,
    .deserialize = fmu_deserialize,
};

static const char *const STATUS_NAMES[] = {"fmi3OK", "fmi3Warning", "fmi3Discard", "fmi3Error", "fmi3Fatal"};

static const FmuVersion FMI3 = {
    .status_names = STATUS_NAMES,
    .status_count = sizeof STATUS_NAMES / sizeof STATUS_NAMES[0],
    .names = {SHARED_FUNCTIONS(SHARED_NAME_3)},
    .set = {fmi3_set_numbers, fmi3_set_longs, fmi3_set_texts, fmi3_set_binaries},
    .instantiated = configure,
    .state_changed = look,
};

static bool make_buffers(Fmi3Unit *self) {
  FmuUnit *base = &self->base;
  const FmuModel *model = base->model;
  Unit *unit = &base->unit;
  Fmi3Follower *follower = &self->follower;
  size_t largest = 1;
  for (size_t i = 0; i < model->port_count; i++)
    if (model->ports[i].size > largest) largest = model->ports[i].size;
  for (size_t i = 0; i < model->followed_count; i++) follower->size += model->ports[model->followed[i]].size;
  const size_t size = follower->size;
  base->references = unit_allocate(unit, 2 * model->port_count, sizeof *base->references);
  self->elements = unit_allocate(unit, largest, sizeof(uint64_t));
  self->sizes = unit_allocate(unit, largest, sizeof *self->sizes);
  follower->values = unit_allocate(unit, 4 * size, sizeof(double));
  if (!base->references || !self->elements || !self->sizes || !follower->values) return false;
  follower->base = follower->values + size;
  follower->first = follower->values + 2 * size;
  follower->second = follower->values + 3 * size;
  /* Both derivatives are part of a saved state. */
  base->kept = follower->first;
  base->kept_count = 2 * size;
  return true;
}

Unit *make_fmi3_unit(const FmuModel *model, const UnitHost *host, const char *name) {
  Fmi3Unit *self = unit_make(sizeof *self, &FMI3_CLASS, host, name);
  if (!self) return NULL;
  FmuUnit *base = &self->base;
  Unit *unit = &base->unit;
  base->version = &FMI3;
  base->model = model;
  if (make_buffers(self)) base->library = open_library(unit, model, 3, SYMBOLS, sizeof SYMBOLS / sizeof SYMBOLS[0], self);
  char *resources = base->library ? path_inside(unit, model, "resources/") : NULL;
  if (resources) {
    const bool follows = model->followed_count > 0;
    fmu_references(base, model->followed, model->followed_count, 0);
    float_enter(&base->floats);
    base->instance = self->fmi3InstantiateCoSimulation(
        unit->name, model->token, model->has_resources ? resources : NULL, false, host->logging, false, false,
        follows ? base->references : NULL, model->followed_count, self, on_log, follows ? on_intermediate_update : NULL);
    float_left(unit, &base->floats, "fmi3InstantiateCoSimulation", STATUS_OK);
    if (!base->instance) unit_fail(unit, "fmi3InstantiateCoSimulation returned NULL");
  }
  free(resources);
  if (base->instance && configure(base) == UNIT_OK) return unit;
  unit->is->free(unit);
  return NULL;
}
