/*
 * What all exported plans have in common. It is Cosimo's nested scenario (engine/scenario-unit.ts) and its interpreter, operation by
 * operation, so that traces are the same to the last bit.
 */
#include "bytes.h"
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double time;
  UnitPhase phase;
  double start;
  int64_t tick;
  bool outdated;
  /* One for each unit. */
  void **units;
  double *numbers;
  int64_t *longs;
  Binary *objects;
} PlanState;

static double time_of(const Plan *plan, int64_t tick) { return plan->start + (double)tick * plan->model->step; }

/* ---- life cycle ------------------------------------------------------------------------------------------------------------- */

static UnitStatus enter_initialization(Unit *unit, const UnitExperiment *experiment) {
  Plan *plan = (Plan *)unit;
  plan->start = experiment->start;
  unit->time = experiment->start;
  plan->tick = 0;
  plan->ended = false;
  for (size_t u = 0; u < plan->model->unit_count; u++) {
    Unit *inner = plan->units[u];
    UNIT_TRY(inner->is->enter_initialization(inner, experiment));
  }
  unit->phase = PHASE_INITIALIZATION;
  plan->outdated = true;
  return UNIT_OK;
}

/* Signals inside follow what was written from outside. */
static UnitStatus refresh(Plan *plan) {
  const PlanModel *model = plan->model;
  if (!plan->outdated) return UNIT_OK;
  if (plan->unit.phase == PHASE_INITIALIZATION) UNIT_TRY(model->initial(plan, 0));
  if (plan->unit.phase == PHASE_STEP) {
    UNIT_TRY(model->resolve(plan, plan->tick));
    /* The newest sample was taken at this very instant: it is replaced, not pushed back. */
    for (size_t t = 0; t < model->track_count; t++) {
      const PlanTrack *track = &model->tracks[t];
      if (plan->tick % track->sample_ticks == 0) plan->numbers[track->history] = plan->numbers[track->signal];
    }
    UNIT_TRY(model->inputs(plan, plan->tick));
  }
  if (plan->unit.phase != PHASE_INSTANTIATED) plan->outdated = false;
  return UNIT_OK;
}

static UnitStatus look_again(Plan *plan);

static UnitStatus exit_initialization(Unit *unit) {
  Plan *plan = (Plan *)unit;
  UNIT_TRY(refresh(plan));
  for (size_t u = 0; u < plan->model->unit_count; u++) {
    Unit *inner = plan->units[u];
    UNIT_TRY(inner->is->exit_initialization(inner));
  }
  UNIT_TRY(look_again(plan));
  UNIT_TRY(plan->model->begin(plan, 0));
  unit->phase = PHASE_STEP;
  return UNIT_OK;
}

static UnitStatus advance(Unit *unit, double from, double to, UnitStop *stop) {
  Plan *plan = (Plan *)unit;
  const double step = plan->model->step;
  const double ticks = floor((to - plan->start) / step + 0.5);
  const int64_t last = (int64_t)ticks;
  if (fabs(time_of(plan, last) - to) > 1e-9 * step * fmax(1, ticks) || last <= plan->tick)
    return unit_fail(unit, "it works inside with steps of %g s and cannot go from t=%.17g to t=%.17g; "
                           "give it communication steps that are multiples of that", step, from, to);
  UnitStatus status = refresh(plan);
  if (status == UNIT_OK && plan->tick == 0) status = plan_learn_slopes(plan);
  while (status == UNIT_OK && plan->tick < last) {
    status = plan->model->step_once(plan, plan->tick + 1);
    if (status == UNIT_OK) plan->tick++;
  }
  stop->reason = STOP_TIME;
  stop->time = to;
  if (plan->ended) {
    stop->reason = STOP_TERMINATED;
    stop->time = plan->ended_at;
    status = UNIT_OK;
  }
  unit->time = stop->time;
  return status;
}

static UnitStatus terminate(Unit *unit) {
  Plan *plan = (Plan *)unit;
  for (size_t u = 0; u < plan->model->unit_count; u++) {
    Unit *inner = plan->units[u];
    UNIT_TRY(inner->is->terminate(inner));
  }
  unit->phase = PHASE_TERMINATED;
  return UNIT_OK;
}

static UnitStatus reset(Unit *unit) {
  Plan *plan = (Plan *)unit;
  const PlanModel *model = plan->model;
  for (size_t u = 0; u < model->unit_count; u++) {
    Unit *inner = plan->units[u];
    UNIT_TRY(inner->is->reset(inner));
  }
  unit->phase = PHASE_INSTANTIATED;
  plan->tick = 0;
  plan->outdated = true;
  plan->ended = false;
  memset(plan->numbers, 0, model->numbers * sizeof plan->numbers[0]);
  memset(plan->longs, 0, model->longs * sizeof plan->longs[0]);
  for (size_t i = 0; i < model->objects; i++) {
    free(plan->objects[i].bytes);
    plan->objects[i] = (Binary){0, NULL};
  }
  return model->set_values(plan);
}

static void free_objects(Binary *objects, size_t count) {
  for (size_t i = 0; objects && i < count; i++) free(objects[i].bytes);
  free(objects);
}

static void free_plan(Unit *unit) {
  Plan *plan = (Plan *)unit;
  for (size_t u = 0; plan->units && u < plan->model->unit_count; u++) unit_free(plan->units[u]);
  free(plan->units);
  free(plan->numbers);
  free(plan->longs);
  free_objects(plan->objects, plan->model->objects);
  unit_end(unit);
}

/* ---- exposed ports ---------------------------------------------------------------------------------------------------------- */

static const char *text_of(const Binary *object) { return object->bytes ? (const char *)object->bytes : ""; }

/* Reads port after port, from the signals or from the unit inside. */
#define DEFINE_GET(NAME, VALUE, FROM_SIGNAL)                                                                   \
  static UnitStatus NAME(Unit *unit, const unsigned ports[], size_t count, VALUE values[]) {                   \
    Plan *plan = (Plan *)unit;                                                                                 \
    UNIT_TRY(refresh(plan));                                                                                   \
    for (size_t i = 0; i < count; i++) {                                                                       \
      const PlanPort *port = &plan->model->ports[ports[i]];                                                    \
      Unit *inner = plan->units[port->targets[0].unit];                                                        \
      const bool is_signal = port->signal != NO_SIGNAL && unit->phase != PHASE_INSTANTIATED;                   \
      if (!is_signal) UNIT_TRY(inner->is->NAME(inner, &port->targets[0].port, 1, values));                     \
      for (size_t k = 0; is_signal && k < port->size; k++) {                                                   \
        const size_t at = port->signal + k;                                                                    \
        values[k] = FROM_SIGNAL;                                                                               \
      }                                                                                                        \
      values += port->size;                                                                                    \
    }                                                                                                          \
    return UNIT_OK;                                                                                            \
  }
DEFINE_GET(get_numbers, double, plan->numbers[at])
DEFINE_GET(get_longs, int64_t, plan->longs[at])
DEFINE_GET(get_texts, const char *, text_of(&plan->objects[at]))
DEFINE_GET(get_binaries, Binary, plan->objects[at])

/* Writes port after port to all units inside that it stands for. */
#define DEFINE_SET(NAME, VALUE)                                                                                \
  static UnitStatus NAME(Unit *unit, const unsigned ports[], size_t count, VALUE values[]) {                   \
    Plan *plan = (Plan *)unit;                                                                                 \
    for (size_t i = 0; i < count; i++) {                                                                       \
      const PlanPort *port = &plan->model->ports[ports[i]];                                                    \
      for (size_t k = 0; k < port->target_count; k++) {                                                        \
        Unit *inner = plan->units[port->targets[k].unit];                                                      \
        UNIT_TRY(inner->is->NAME(inner, &port->targets[k].port, 1, values));                                   \
      }                                                                                                        \
      values += port->size;                                                                                    \
    }                                                                                                          \
    plan->outdated = true;                                                                                     \
    return UNIT_OK;                                                                                            \
  }
DEFINE_SET(set_numbers, const double)
DEFINE_SET(set_longs, const int64_t)
DEFINE_SET(set_texts, const char *const)
DEFINE_SET(set_binaries, const Binary)

/* ---- states ----------------------------------------------------------------------------------------------------------------- */

static void free_state(const Plan *plan, PlanState *saved) {
  free(saved->units);
  free(saved->numbers);
  free(saved->longs);
  free_objects(saved->objects, plan->model->objects);
  free(saved);
}

static UnitStatus release(Unit *unit, void *state) {
  Plan *plan = (Plan *)unit;
  PlanState *saved = state;
  UnitStatus status = UNIT_OK;
  for (size_t u = 0; u < plan->model->unit_count; u++) {
    Unit *inner = plan->units[u];
    if (saved->units[u] && inner->is->release(inner, saved->units[u]) != UNIT_OK) status = UNIT_ERROR;
  }
  free_state(plan, saved);
  return status;
}

static PlanState *make_state(const Plan *plan) {
  const PlanModel *model = plan->model;
  const Unit *unit = &plan->unit;
  PlanState *saved = unit_allocate(unit, 1, sizeof *saved);
  if (!saved) return NULL;
  saved->units = unit_allocate(unit, model->unit_count, sizeof *saved->units);
  saved->numbers = unit_allocate(unit, model->numbers, sizeof *saved->numbers);
  saved->longs = unit_allocate(unit, model->longs, sizeof *saved->longs);
  saved->objects = unit_allocate(unit, model->objects, sizeof *saved->objects);
  if (saved->units && saved->numbers && saved->longs && saved->objects) return saved;
  free_state(plan, saved);
  return NULL;
}

static UnitStatus copy_objects(const Plan *plan, Binary to[], const Binary from[]) {
  for (size_t i = 0; i < plan->model->objects; i++) UNIT_TRY(unit_copy_binary(&plan->unit, &to[i], &from[i]));
  return UNIT_OK;
}

static bool same_signals(const Plan *plan, const PlanState *before) {
  const PlanModel *model = plan->model;
  for (size_t i = 0; i < model->objects; i++) {
    const Binary *a = &before->objects[i], *b = &plan->objects[i];
    if (a->size != b->size || (a->size > 0 && memcmp(a->bytes, b->bytes, a->size) != 0)) return false;
  }
  return memcmp(before->numbers, plan->numbers, model->numbers * sizeof plan->numbers[0]) == 0 &&
         memcmp(before->longs, plan->longs, model->longs * sizeof plan->longs[0]) == 0;
}

/* A unit may give other values once it has left initialization: then everything is resolved once more. */
static UnitStatus look_again(Plan *plan) {
  const PlanModel *model = plan->model;
  PlanState *before = make_state(plan);
  if (!before) return UNIT_ERROR;
  memcpy(before->numbers, plan->numbers, model->numbers * sizeof plan->numbers[0]);
  memcpy(before->longs, plan->longs, model->longs * sizeof plan->longs[0]);
  UnitStatus status = copy_objects(plan, before->objects, plan->objects);
  if (status == UNIT_OK) status = model->look(plan, 0);
  const bool same = status != UNIT_OK || same_signals(plan, before);
  free_state(plan, before);
  return same ? status : model->initial(plan, 0);
}

static UnitStatus fill_state(const Plan *plan, PlanState *saved) {
  const PlanModel *model = plan->model;
  saved->time = plan->unit.time;
  saved->phase = plan->unit.phase;
  saved->start = plan->start;
  saved->tick = plan->tick;
  saved->outdated = plan->outdated;
  memcpy(saved->numbers, plan->numbers, model->numbers * sizeof plan->numbers[0]);
  memcpy(saved->longs, plan->longs, model->longs * sizeof plan->longs[0]);
  UNIT_TRY(copy_objects(plan, saved->objects, plan->objects));
  for (size_t u = 0; u < model->unit_count; u++) UNIT_TRY(plan->units[u]->is->save(plan->units[u], &saved->units[u]));
  return UNIT_OK;
}

static UnitStatus save(Unit *unit, void **state) {
  Plan *plan = (Plan *)unit;
  PlanState *saved = make_state(plan);
  if (!saved) return UNIT_ERROR;
  const UnitStatus status = fill_state(plan, saved);
  if (status == UNIT_OK) *state = saved;
  else release(unit, saved);
  return status;
}

static UnitStatus restore(Unit *unit, void *state) {
  Plan *plan = (Plan *)unit;
  const PlanModel *model = plan->model;
  const PlanState *saved = state;
  for (size_t u = 0; u < model->unit_count; u++) {
    Unit *inner = plan->units[u];
    UNIT_TRY(inner->is->restore(inner, saved->units[u]));
  }
  memcpy(plan->numbers, saved->numbers, model->numbers * sizeof plan->numbers[0]);
  memcpy(plan->longs, saved->longs, model->longs * sizeof plan->longs[0]);
  unit->time = saved->time;
  unit->phase = saved->phase;
  plan->start = saved->start;
  plan->tick = saved->tick;
  plan->outdated = saved->outdated;
  plan->ended = false;
  return copy_objects(plan, plan->objects, saved->objects);
}

static UnitStatus serialize(Unit *unit, void *state, ByteWriter *out) {
  Plan *plan = (Plan *)unit;
  const PlanModel *model = plan->model;
  const PlanState *saved = state;
  write_number(out, saved->time);
  write_long(out, saved->phase);
  write_number(out, saved->start);
  write_long(out, saved->tick);
  write_long(out, saved->outdated);
  write_numbers(out, saved->numbers, model->numbers);
  write_bytes(out, saved->longs, model->longs * sizeof saved->longs[0]);
  for (size_t i = 0; i < model->objects; i++) write_binary(out, &saved->objects[i]);
  for (size_t u = 0; u < model->unit_count; u++) {
    Unit *inner = plan->units[u];
    UNIT_TRY(inner->is->serialize(inner, saved->units[u], out));
  }
  return out->failed ? unit_fail(unit, "there is no memory left") : UNIT_OK;
}

static UnitStatus read_state(Plan *plan, ByteReader *in, PlanState *saved) {
  const PlanModel *model = plan->model;
  int64_t phase = 0;
  int64_t outdated = 0;
  bool good = read_number(in, &saved->time) && read_long(in, &phase) && read_number(in, &saved->start) &&
              read_long(in, &saved->tick) && read_long(in, &outdated) &&
              read_numbers(in, saved->numbers, model->numbers) &&
              read_bytes(in, saved->longs, model->longs * sizeof saved->longs[0]);
  saved->phase = (UnitPhase)phase;
  saved->outdated = outdated != 0;
  for (size_t i = 0; good && i < model->objects; i++) good = read_binary(in, &saved->objects[i]);
  if (!good) return unit_fail(&plan->unit, "these bytes are not a state of it");
  for (size_t u = 0; u < model->unit_count; u++) {
    Unit *inner = plan->units[u];
    UNIT_TRY(inner->is->deserialize(inner, in, &saved->units[u]));
  }
  return UNIT_OK;
}

static UnitStatus deserialize(Unit *unit, ByteReader *in, void **state) {
  Plan *plan = (Plan *)unit;
  PlanState *saved = make_state(plan);
  if (!saved) return UNIT_ERROR;
  const UnitStatus status = read_state(plan, in, saved);
  if (status == UNIT_OK) *state = saved;
  else release(unit, saved);
  return status;
}

/* ---- the maker -------------------------------------------------------------------------------------------------------------- */

static const UnitClass PLAN_CLASS = {
    .enter_initialization = enter_initialization,
    .exit_initialization = exit_initialization,
    .advance = advance,
    .terminate = terminate,
    .reset = reset,
    .free = free_plan,
    .get_numbers = get_numbers,
    .get_longs = get_longs,
    .get_texts = get_texts,
    .get_binaries = get_binaries,
    .set_numbers = set_numbers,
    .set_longs = set_longs,
    .set_texts = set_texts,
    .set_binaries = set_binaries,
    .save = save,
    .restore = restore,
    .release = release,
    .serialize = serialize,
    .deserialize = deserialize,
};

static bool make_units(Plan *plan) {
  for (size_t u = 0; u < plan->model->unit_count; u++) {
    const PlanUnit *inner = &plan->model->units[u];
    plan->units[u] = unit_make_inner(&plan->unit, inner->name, inner->make);
    if (!plan->units[u]) return false;
  }
  return true;
}

Unit *make_plan(const PlanModel *model, const UnitHost *host, const char *name) {
  Plan *plan = unit_make(sizeof *plan, &PLAN_CLASS, host, name);
  if (!plan) return NULL;
  Unit *unit = &plan->unit;
  plan->model = model;
  plan->outdated = true;
  plan->units = unit_allocate(unit, model->unit_count, sizeof *plan->units);
  plan->numbers = unit_allocate(unit, model->numbers, sizeof *plan->numbers);
  plan->longs = unit_allocate(unit, model->longs, sizeof *plan->longs);
  plan->objects = unit_allocate(unit, model->objects, sizeof *plan->objects);
  const bool complete = plan->units && plan->numbers && plan->longs && plan->objects;
  if (complete && make_units(plan) && model->set_values(plan) == UNIT_OK) return unit;
  unit->is->free(unit);
  return NULL;
}
