/* An integrator that has a port of every kind, refuses long steps, and ends the simulation when it has counted enough. */
#include "plant.h"

#include <stdlib.h>

#include "bytes.h"

enum { U, N, ON, LABEL, BIG, X, Y, COUNT, ECHO_, BIGGER, PORTS };

typedef struct {
  Unit unit;
  bool is_led;
  double numbers[PORTS];
  double slope;
  int64_t longs[PORTS];
  char *texts[PORTS];
} Plant;

typedef struct {
  UnitPhase phase;
  double time;
  double numbers[PORTS];
  double slope;
  int64_t longs[PORTS];
  char *texts[PORTS];
} State;

static UnitStatus show(Plant *self) {
  self->numbers[Y] = self->is_led ? self->numbers[X] + self->numbers[U] : self->numbers[X];
  self->longs[BIGGER] = (int64_t)(2 * (uint64_t)self->longs[BIG] + 1);
  return unit_copy_text(&self->unit, &self->texts[ECHO_], self->texts[LABEL]);
}

static UnitStatus enter_initialization(Unit *unit, const UnitExperiment *experiment) {
  unit->phase = PHASE_INITIALIZATION;
  unit->time = experiment->start;
  return UNIT_OK;
}

static UnitStatus exit_initialization(Unit *unit) {
  unit->phase = PHASE_STEP;
  return UNIT_OK;
}

static UnitStatus terminate(Unit *unit) {
  unit->phase = PHASE_TERMINATED;
  return UNIT_OK;
}

static UnitStatus clear(Plant *self) {
  for (size_t p = 0; p < PORTS; p++) {
    self->numbers[p] = 0;
    self->longs[p] = 0;
    UNIT_TRY(unit_copy_text(&self->unit, &self->texts[p], ""));
  }
  self->slope = 0;
  return UNIT_OK;
}

static UnitStatus reset(Unit *unit) {
  unit->phase = PHASE_INSTANTIATED;
  return clear((Plant *)unit);
}

static void free_unit(Unit *unit) {
  for (size_t p = 0; p < PORTS; p++) free(((Plant *)unit)->texts[p]);
  unit_end(unit);
}

static UnitStatus advance(Unit *unit, double from, double to, UnitStop *stop) {
  Plant *self = (Plant *)unit;
  double *v = self->numbers;
  if (from != unit->time) return unit_fail(unit, "it is elsewhere");
  const double reach = to - from > 0.75 ? from + 0.75 : to;
  const double dt = reach - from;
  v[X] += dt * (v[U] + v[N]) + dt * dt / 2 * self->slope;
  v[U] += self->slope * dt;
  if (v[ON] != 0) v[COUNT] += 1;
  if (!self->is_led) UNIT_TRY(show(self));
  stop->reason = v[COUNT] >= 12 ? STOP_TERMINATED : reach < to ? STOP_DISCARDED : STOP_TIME;
  stop->time = unit->time = reach;
  return UNIT_OK;
}

static UnitStatus look(Plant *self) { return self->is_led ? show(self) : UNIT_OK; }

static UnitStatus get_numbers(Unit *unit, const unsigned ports[], size_t count, double values[]) {
  UNIT_TRY(look((Plant *)unit));
  for (size_t k = 0; k < count; k++) values[k] = ((Plant *)unit)->numbers[ports[k]];
  return UNIT_OK;
}

static UnitStatus get_longs(Unit *unit, const unsigned ports[], size_t count, int64_t values[]) {
  UNIT_TRY(look((Plant *)unit));
  for (size_t k = 0; k < count; k++) values[k] = ((Plant *)unit)->longs[ports[k]];
  return UNIT_OK;
}

static UnitStatus get_texts(Unit *unit, const unsigned ports[], size_t count, const char *values[]) {
  UNIT_TRY(look((Plant *)unit));
  for (size_t k = 0; k < count; k++) values[k] = ((Plant *)unit)->texts[ports[k]];
  return UNIT_OK;
}

static UnitStatus set_numbers(Unit *unit, const unsigned ports[], size_t count, const double values[]) {
  for (size_t k = 0; k < count; k++) ((Plant *)unit)->numbers[ports[k]] = values[k];
  return UNIT_OK;
}

static UnitStatus set_longs(Unit *unit, const unsigned ports[], size_t count, const int64_t values[]) {
  for (size_t k = 0; k < count; k++) ((Plant *)unit)->longs[ports[k]] = values[k];
  return UNIT_OK;
}

static UnitStatus set_texts(Unit *unit, const unsigned ports[], size_t count, const char *const values[]) {
  for (size_t k = 0; k < count; k++) UNIT_TRY(unit_copy_text(unit, &((Plant *)unit)->texts[ports[k]], values[k]));
  return UNIT_OK;
}

static UnitStatus set_input_derivatives(Unit *unit, const unsigned ports[], const int orders[], size_t count,
                                        const double values[]) {
  (void)ports, (void)orders;
  for (size_t k = 0; k < count; k++) ((Plant *)unit)->slope = values[k];
  return UNIT_OK;
}

static UnitStatus save(Unit *unit, void **saved) {
  const Plant *self = (Plant *)unit;
  State *state = unit_allocate(unit, 1, sizeof *state);
  if (!state) return UNIT_ERROR;
  state->phase = unit->phase;
  state->time = unit->time;
  state->slope = self->slope;
  for (size_t p = 0; p < PORTS; p++) {
    state->numbers[p] = self->numbers[p];
    state->longs[p] = self->longs[p];
    UNIT_TRY(unit_copy_text(unit, &state->texts[p], self->texts[p]));
  }
  *saved = state;
  return UNIT_OK;
}

static UnitStatus restore(Unit *unit, void *saved) {
  Plant *self = (Plant *)unit;
  const State *state = saved;
  unit->phase = state->phase;
  unit->time = state->time;
  self->slope = state->slope;
  for (size_t p = 0; p < PORTS; p++) {
    self->numbers[p] = state->numbers[p];
    self->longs[p] = state->longs[p];
    UNIT_TRY(unit_copy_text(unit, &self->texts[p], state->texts[p]));
  }
  return UNIT_OK;
}

static UnitStatus release(Unit *unit, void *saved) {
  State *state = saved;
  (void)unit;
  for (size_t p = 0; p < PORTS; p++) free(state->texts[p]);
  free(state);
  return UNIT_OK;
}

static UnitStatus serialize(Unit *unit, void *saved, ByteWriter *out) {
  const State *state = saved;
  (void)unit;
  write_long(out, state->phase);
  write_number(out, state->time);
  write_number(out, state->slope);
  write_numbers(out, state->numbers, PORTS);
  for (size_t p = 0; p < PORTS; p++) write_long(out, state->longs[p]);
  for (size_t p = 0; p < PORTS; p++) write_text(out, state->texts[p]);
  return UNIT_OK;
}

static UnitStatus deserialize(Unit *unit, ByteReader *in, void **saved) {
  State *state = unit_allocate(unit, 1, sizeof *state);
  if (!state) return UNIT_ERROR;
  int64_t phase = 0;
  bool fits = read_long(in, &phase) && read_number(in, &state->time) && read_number(in, &state->slope) &&
              read_numbers(in, state->numbers, PORTS);
  for (size_t p = 0; p < PORTS && fits; p++) fits = read_long(in, &state->longs[p]);
  for (size_t p = 0; p < PORTS && fits; p++) fits = read_text(in, &state->texts[p]);
  state->phase = (UnitPhase)phase;
  *saved = state;
  return fits ? UNIT_OK : UNIT_ERROR;
}

static const UnitClass CLASS = {
    .enter_initialization = enter_initialization,
    .exit_initialization = exit_initialization,
    .advance = advance,
    .terminate = terminate,
    .reset = reset,
    .free = free_unit,
    .get_numbers = get_numbers,
    .get_longs = get_longs,
    .get_texts = get_texts,
    .set_numbers = set_numbers,
    .set_longs = set_longs,
    .set_texts = set_texts,
    .set_input_derivatives = set_input_derivatives,
    .save = save,
    .restore = restore,
    .release = release,
    .serialize = serialize,
    .deserialize = deserialize,
};

static Unit *make(const UnitHost *host, const char *name, bool is_led) {
  Plant *self = unit_make(sizeof *self, &CLASS, host, name);
  if (!self) return NULL;
  self->is_led = is_led;
  if (clear(self) == UNIT_OK) return &self->unit;
  free_unit(&self->unit);
  return NULL;
}

Unit *make_led(const UnitHost *host, const char *name) { return make(host, name, true); }
Unit *make_held(const UnitHost *host, const char *name) { return make(host, name, false); }
