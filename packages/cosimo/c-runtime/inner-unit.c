/* FMUs inside, whatever their version: see inner-unit.h. */
#include "inner-unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps that differ by less than this part are meant to be the same. */
static const double ROUNDING = 1e-9;

typedef struct {
  void *state;
  double time;
  UnitPhase phase;
  double constant_step;
  Binary given;
  double kept[];
} SavedState;

LogLevel fmu_log_level(int status) {
  static const LogLevel levels[] = {LOG_OK, LOG_WARNING, LOG_DISCARD, LOG_ERROR, LOG_FATAL};
  return status >= STATUS_OK && status <= STATUS_FATAL ? levels[status] : LOG_OK;
}

UnitStatus fmu_settle(const FmuUnit *self, const char *call, int status) {
  const FmuVersion *version = self->version;
  if (status == STATUS_OK || status == STATUS_WARNING) return UNIT_OK;
  /* Also negative ones: a number that is not a status is an error. */
  if (status < 0 || status >= version->status_count)
    return unit_fail(&self->unit, "%s returned %d, which is not a status, at t=%g", call, status, self->unit.time);
  unit_fail(&self->unit, "%s returned %s at t=%g", call, version->status_names[status], self->unit.time);
  return status == STATUS_FATAL ? UNIT_FATAL : UNIT_ERROR;
}

/* Calls a shared function with the instance and other arguments, and settles its status. */
#define INVOKE(NAME, ...)                                                                                                 \
  fmu_settle(self, self->version->names.NAME,                                                                             \
             GUARDED(self, self->version->names.NAME, self->shared.NAME(self->instance, __VA_ARGS__)))
#define INVOKE_PLAIN(NAME)                                                                                                \
  fmu_settle(self, self->version->names.NAME,                                                                             \
             GUARDED(self, self->version->names.NAME, self->shared.NAME(self->instance)))

/* The call was fine by its status, and did not hand out `what`. */
static UnitStatus fail_unwritten(const FmuUnit *self, const char *call, const char *what) {
  return unit_fail(&self->unit, "%s returned %s and no %s", call, self->version->status_names[STATUS_OK], what);
}

size_t fmu_references(FmuUnit *self, const unsigned ports[], size_t count, size_t from) {
  size_t elements = 0;
  for (size_t i = 0; i < count; i++) {
    const FmuPort *port = &self->model->ports[ports[i]];
    self->references[from + i] = port->reference;
    elements += port->size;
  }
  return elements;
}

/* ---- life cycle ------------------------------------------------------------------------------------------------------------- */

UnitStatus fmu_exit_initialization(Unit *unit) {
  FmuUnit *self = (FmuUnit *)unit;
  UNIT_TRY(INVOKE_PLAIN(exit_initialization));
  unit->phase = PHASE_STEP;
  return UNIT_OK;
}

UnitStatus fmu_terminate(Unit *unit) {
  FmuUnit *self = (FmuUnit *)unit;
  UNIT_TRY(INVOKE_PLAIN(terminate));
  unit->phase = PHASE_TERMINATED;
  return UNIT_OK;
}

UnitStatus fmu_reset(Unit *unit) {
  FmuUnit *self = (FmuUnit *)unit;
  if (self->kept_count > 0) memset(self->kept, 0, self->kept_count * sizeof self->kept[0]);
  if (self->version->state_changed) self->version->state_changed(self);
  UNIT_TRY(INVOKE_PLAIN(reset));
  given_forget(&self->given);
  unit->phase = PHASE_INSTANTIATED;
  return self->version->instantiated(self);
}

void fmu_free(Unit *unit) {
  FmuUnit *self = (FmuUnit *)unit;
  /* It returns nothing: what looks like a status is not one. */
  if (self->instance)
    (void)GUARDED(self, self->version->names.free_instance, self->shared.free_instance(self->instance));
  close_library(self->library);
  given_forget(&self->given);
  free(self->references);
  unit_end(unit);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------ */

UnitStatus fmu_check_step(const Unit *unit, double from, double to) {
  if (from != unit->time) return unit_fail(unit, "it is at t=%.17g and cannot advance from t=%.17g", unit->time, from);
  if (!(to > from)) return unit_fail(unit, "it cannot advance from t=%.17g until t=%.17g", from, to);
  return UNIT_OK;
}

double fmu_step_size(FmuUnit *self, double from, double to) {
  const double size = to - from;
  if (self->model->has_variable_step) return size;
  if (isnan(self->constant_step)) self->constant_step = size;
  return fabs(size - self->constant_step) <= ROUNDING * size ? self->constant_step : size;
}

void fmu_end_early(double from, double to, double said, StopReason reason, UnitStop *stop) {
  const bool whole = fabs(to - said) <= ROUNDING * (to - from);
  stop->time = whole ? to : said >= from && said < to ? said : from;
  stop->reason = whole && reason == STOP_DISCARDED ? STOP_TIME : reason;
}

/* ---- values ----------------------------------------------------------------------------------------------------------------- */

#define DEFINE_WRITE(BANK, VALUE)                                                                                         \
  UnitStatus fmu_write_##BANK(Unit *unit, const unsigned ports[], size_t count, VALUE values[]) {                         \
    FmuUnit *self = (FmuUnit *)unit;                                                                                      \
    if (unit->phase != PHASE_INSTANTIATED) return self->version->set.BANK(unit, ports, count, values);                    \
    return given_##BANK(unit, self->model, &self->given, ports, count, values);                                           \
  }
DEFINE_WRITE(numbers, const double)
DEFINE_WRITE(longs, const int64_t)
DEFINE_WRITE(texts, const char *const)
DEFINE_WRITE(binaries, const Binary)

/* ---- states ----------------------------------------------------------------------------------------------------------------- */

static SavedState *make_state(const FmuUnit *self) {
  return unit_allocate(&self->unit, 1, sizeof(SavedState) + self->kept_count * sizeof(double));
}

static void free_state(SavedState *saved) {
  free(saved->given.bytes);
  free(saved);
}

UnitStatus fmu_save(Unit *unit, void **state) {
  FmuUnit *self = (FmuUnit *)unit;
  SavedState *saved = make_state(self);
  if (!saved) return UNIT_ERROR;
  UnitStatus status = INVOKE(get_state, &saved->state);
  if (status == UNIT_OK && !saved->state) status = fail_unwritten(self, self->version->names.get_state, "state");
  if (status == UNIT_OK) status = given_save(unit, &self->given, &saved->given);
  if (status != UNIT_OK) {
    free_state(saved);
    return status;
  }
  saved->time = unit->time;
  saved->phase = unit->phase;
  saved->constant_step = self->constant_step;
  if (self->kept_count > 0) memcpy(saved->kept, self->kept, self->kept_count * sizeof self->kept[0]);
  self->saved_states++;
  *state = saved;
  return UNIT_OK;
}

UnitStatus fmu_restore(Unit *unit, void *state) {
  FmuUnit *self = (FmuUnit *)unit;
  const SavedState *saved = state;
  UNIT_TRY(INVOKE(set_state, saved->state));
  unit->time = saved->time;
  unit->phase = saved->phase;
  self->constant_step = saved->constant_step;
  UNIT_TRY(given_restore(unit, &self->given, &saved->given));
  if (self->kept_count > 0) memcpy(self->kept, saved->kept, self->kept_count * sizeof self->kept[0]);
  if (self->version->state_changed) self->version->state_changed(self);
  return UNIT_OK;
}

UnitStatus fmu_release(Unit *unit, void *state) {
  FmuUnit *self = (FmuUnit *)unit;
  SavedState *saved = state;
  const UnitStatus status = INVOKE(free_state, &saved->state);
  free_state(saved);
  self->saved_states--;
  return status;
}

UnitStatus fmu_serialize(Unit *unit, void *state, ByteWriter *out) {
  FmuUnit *self = (FmuUnit *)unit;
  const SavedState *saved = state;
  size_t size = SIZE_MAX;
  UNIT_TRY(INVOKE(state_size, saved->state, &size));
  if (size == SIZE_MAX) return fail_unwritten(self, self->version->names.state_size, "size");
  write_number(out, saved->time);
  write_long(out, saved->phase);
  write_number(out, saved->constant_step);
  write_binary(out, &saved->given);
  write_numbers(out, saved->kept, self->kept_count);
  write_long(out, (int64_t)size);
  uint8_t *room = write_room(out, size);
  if (!room) return unit_fail(unit, "there is no memory left");
  return INVOKE(serialize, saved->state, room, size);
}

UnitStatus fmu_deserialize(Unit *unit, ByteReader *in, void **state) {
  FmuUnit *self = (FmuUnit *)unit;
  SavedState *saved = make_state(self);
  if (!saved) return UNIT_ERROR;
  int64_t phase = 0;
  int64_t size = 0;
  const bool begins = read_number(in, &saved->time) && read_long(in, &phase) && read_number(in, &saved->constant_step) &&
                      read_binary(in, &saved->given) && read_numbers(in, saved->kept, self->kept_count) &&
                      read_long(in, &size) && size >= 0;
  const uint8_t *view = begins ? read_view(in, (size_t)size) : NULL;
  saved->phase = (UnitPhase)phase;
  UnitStatus status = view ? INVOKE(deserialize, view, (size_t)size, &saved->state)
                           : unit_fail(unit, "these bytes are not a state of it");
  if (status == UNIT_OK && !saved->state) status = fail_unwritten(self, self->version->names.deserialize, "state");
  if (status != UNIT_OK) {
    free_state(saved);
    return status;
  }
  self->saved_states++;
  *state = saved;
  return UNIT_OK;
}
