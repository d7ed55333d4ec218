/* The operations of plans: Cosimo's interpreter (engine/interpreter.ts). The order of floating-point operations is part of it. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

UnitStatus plan_read_numbers(Plan *plan, unsigned unit, const unsigned ports[], size_t count, size_t to) {
  Unit *inner = plan->units[unit];
  return inner->is->get_numbers(inner, ports, count, plan->numbers + to);
}

UnitStatus plan_read_longs(Plan *plan, unsigned unit, const unsigned ports[], size_t count, size_t to) {
  Unit *inner = plan->units[unit];
  return inner->is->get_longs(inner, ports, count, plan->longs + to);
}

UnitStatus plan_write_numbers(Plan *plan, unsigned unit, const unsigned ports[], size_t count, size_t from) {
  Unit *inner = plan->units[unit];
  return inner->is->set_numbers(inner, ports, count, plan->numbers + from);
}

UnitStatus plan_write_longs(Plan *plan, unsigned unit, const unsigned ports[], size_t count, size_t from) {
  Unit *inner = plan->units[unit];
  return inner->is->set_longs(inner, ports, count, plan->longs + from);
}

/* Arrays of texts and bytes are rare and short: their place on the way is made for each transfer. */
UnitStatus plan_read_text(Plan *plan, unsigned unit, unsigned port, size_t to, size_t size) {
  Unit *inner = plan->units[unit];
  const char **values = unit_allocate(&plan->unit, size, sizeof *values);
  if (!values) return UNIT_ERROR;
  UnitStatus status = inner->is->get_texts(inner, &port, 1, values);
  for (size_t i = 0; i < size && status == UNIT_OK; i++) {
    const char *text = values[i] ? values[i] : "";
    const Binary value = {strlen(text), (uint8_t *)(uintptr_t)text};
    status = unit_copy_binary(&plan->unit, &plan->objects[to + i], &value);
  }
  free(values);
  return status;
}

UnitStatus plan_write_text(Plan *plan, unsigned unit, unsigned port, size_t from, size_t size) {
  Unit *inner = plan->units[unit];
  const char **values = unit_allocate(&plan->unit, size, sizeof *values);
  if (!values) return UNIT_ERROR;
  for (size_t i = 0; i < size; i++) {
    const uint8_t *bytes = plan->objects[from + i].bytes;
    values[i] = bytes ? (const char *)bytes : "";
  }
  const UnitStatus status = inner->is->set_texts(inner, &port, 1, values);
  free(values);
  return status;
}

UnitStatus plan_read_binary(Plan *plan, unsigned unit, unsigned port, size_t to, size_t size) {
  Unit *inner = plan->units[unit];
  Binary *values = unit_allocate(&plan->unit, size, sizeof *values);
  if (!values) return UNIT_ERROR;
  UnitStatus status = inner->is->get_binaries(inner, &port, 1, values);
  for (size_t i = 0; i < size && status == UNIT_OK; i++)
    status = unit_copy_binary(&plan->unit, &plan->objects[to + i], &values[i]);
  free(values);
  return status;
}

UnitStatus plan_write_binary(Plan *plan, unsigned unit, unsigned port, size_t from, size_t size) {
  Unit *inner = plan->units[unit];
  (void)size;
  return inner->is->set_binaries(inner, &port, 1, plan->objects + from);
}

UnitStatus plan_give_numbers(Plan *plan, unsigned unit, unsigned port, const double values[]) {
  Unit *inner = plan->units[unit];
  return inner->is->set_numbers(inner, &port, 1, values);
}

UnitStatus plan_give_longs(Plan *plan, unsigned unit, unsigned port, const int64_t values[]) {
  Unit *inner = plan->units[unit];
  return inner->is->set_longs(inner, &port, 1, values);
}

UnitStatus plan_give_texts(Plan *plan, unsigned unit, unsigned port, const char *const values[]) {
  Unit *inner = plan->units[unit];
  return inner->is->set_texts(inner, &port, 1, values);
}

UnitStatus plan_give_binaries(Plan *plan, unsigned unit, unsigned port, const Binary values[]) {
  Unit *inner = plan->units[unit];
  return inner->is->set_binaries(inner, &port, 1, values);
}

UnitStatus plan_give_slopes(Plan *plan, unsigned unit, const unsigned ports[], const int orders[], size_t count,
                            const double values[]) {
  Unit *inner = plan->units[unit];
  return inner->is->set_input_derivatives(inner, ports, orders, count, values);
}

UnitStatus plan_copy_objects(Plan *plan, size_t from, size_t to, size_t count) {
  for (size_t i = 0; i < count; i++)
    UNIT_TRY(unit_copy_binary(&plan->unit, &plan->objects[to + i], &plan->objects[from + i]));
  return UNIT_OK;
}

UnitStatus plan_advance(Plan *plan, unsigned unit, int64_t tick, int part, int parts) {
  static const char *const reasons[] = {"time", "event", "discarded", "terminated"};
  const PlanModel *model = plan->model;
  Unit *inner = plan->units[unit];
  const double begin = plan->start + (double)(tick - model->units[unit].ticks) * model->step;
  const double end = plan->start + (double)tick * model->step;
  const double from = part == 0 ? begin : begin + ((end - begin) * part) / parts;
  const double to = part == parts - 1 ? end : begin + ((end - begin) * (part + 1)) / parts;
  UnitStop stop = {STOP_TIME, to};
  UNIT_TRY(inner->is->advance(inner, from, to, &stop));
  if (stop.reason == STOP_TIME) return UNIT_OK;
  if (stop.reason != STOP_TERMINATED)
    return unit_fail(&plan->unit, "'%s' stopped at t=%g (%s) on its way to t=%g; fixed steps cannot follow: use a smaller step",
                     inner->name, stop.time, reasons[stop.reason], to);
  plan->ended = true;
  plan->ended_at = stop.time;
  return UNIT_ERROR;
}

void plan_sample(Plan *plan, unsigned track) {
  const PlanTrack *at = &plan->model->tracks[track];
  double *history = plan->numbers + at->history;
  history[2] = history[1];
  history[1] = history[0];
  history[0] = plan->numbers[at->signal];
}

void plan_predict(Plan *plan, unsigned track, int64_t tick, int part, int parts) {
  const PlanTrack *at = &plan->model->tracks[track];
  const double step = plan->model->step;
  const double newest = plan->numbers[at->history];
  const double older = plan->numbers[at->history + 1];
  const double spacing = (double)at->sample_ticks * step;
  const int64_t begin = parts == 0 ? tick : tick - at->step_ticks;
  const double elapsed = (double)(begin % at->sample_ticks) * step;
  const double s =
      parts == 0 ? elapsed : elapsed + ((part + 0.5) / parts) * ((double)at->step_ticks * step);
  if (at->kind == TRACK_QUADRATIC) {
    const double oldest = plan->numbers[at->history + 2];
    const double first = (3 * newest - 4 * older + oldest) / (2 * spacing);
    const double second = (newest - 2 * older + oldest) / (spacing * spacing);
    plan->numbers[at->value] = newest + first * s + second * s * s * 0.5;
    plan->numbers[at->slope] = first + second * s;
    plan->numbers[at->slope + 1] = second;
    return;
  }
  const double first = (newest - older) / spacing;
  plan->numbers[at->value] = (at->kind == TRACK_LINEAR ? newest : older) + first * s;
  plan->numbers[at->slope] = first;
}

void plan_interpolate(Plan *plan, unsigned track, int part, int parts) {
  const PlanTrack *at = &plan->model->tracks[track];
  const double length = (double)at->step_ticks * plan->model->step;
  const double last = plan->numbers[at->history];
  const double first = (plan->numbers[at->signal] - last) / length;
  plan->numbers[at->value] = parts == 0 ? last : last + first * (((part + 0.5) / parts) * length);
  plan->numbers[at->slope] = first;
}

int64_t plan_to_long(double value) { return value < 9.2e18 ? (int64_t)value : (int64_t)(uint64_t)value; }

double plan_map(double value, const double from[], const double to[], size_t count) {
  for (size_t i = 0; i < count; i++)
    if (from[i] == value) return to[i];
  return value;
}
