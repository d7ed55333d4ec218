/*
 * The start of quadratic extrapolation (engine/first-slopes.ts): the first step is tried with held inputs and rolled back, and its samples
 * give the slopes of the first two steps. The order of floating-point operations is part of it.
 */
#include "plan.h"

#include <stdlib.h>

static UnitStatus try_steps(Plan *plan, double next[]) {
  const PlanModel *model = plan->model;
  int64_t last = 0;
  for (size_t t = 0; t < model->track_count; t++) {
    const PlanTrack *track = &model->tracks[t];
    if (track->kind == TRACK_QUADRATIC && track->sample_ticks > last) last = track->sample_ticks;
  }
  for (int64_t tick = 1; tick <= last; tick++) {
    UNIT_TRY(model->step_once(plan, tick));
    for (size_t t = 0; t < model->track_count; t++) {
      const PlanTrack *track = &model->tracks[t];
      if (track->sample_ticks == tick) next[t] = plan->numbers[track->history];
    }
  }
  return UNIT_OK;
}

UnitStatus plan_learn_slopes(Plan *plan) {
  const PlanModel *model = plan->model;
  Unit *unit = &plan->unit;
  if (!model->learns_slopes) return UNIT_OK;
  double *next = unit_allocate(unit, model->track_count, sizeof *next);
  void *before = NULL;
  if (!next || unit->is->save(unit, &before) != UNIT_OK) {
    free(next);
    return UNIT_ERROR;
  }
  /* A step that fails here fails again when it counts. */
  const bool tried = try_steps(plan, next) == UNIT_OK && !plan->ended;
  UnitStatus status = unit->is->restore(unit, before);
  if (unit->is->release(unit, before) != UNIT_OK) status = UNIT_ERROR;
  for (size_t t = 0; tried && t < model->track_count; t++) {
    const PlanTrack *track = &model->tracks[t];
    if (track->kind != TRACK_QUADRATIC) continue;
    double *history = plan->numbers + track->history;
    history[1] = 2 * history[0] - next[t];
    history[2] = 3 * history[0] - 2 * next[t];
  }
  free(next);
  return status == UNIT_OK && tried ? model->inputs(plan, 0) : status;
}
