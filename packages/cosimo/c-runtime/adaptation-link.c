/* Inner units of adaptations: inputs as their kinds want them, outputs, and the way back. */
#include "adaptation-link.h"

#include <float.h>
#include <stdlib.h>

/* Cells of inputs and outputs that are numbers of the adaptation. */
static size_t number_cells(const LinkPorts *ports) { return ports->numbers + ports->longs; }

static size_t count_bank(const InnerPort ports[], size_t count, PortBank bank) {
  size_t found = 0;
  for (size_t k = 0; k < count; k++)
    if (ports[k].bank == bank) found++;
  return found;
}

size_t link_book_count(const InnerTable *table) {
  const size_t texts = count_bank(table->inputs, table->input_count, BANK_TEXT);
  return 2 + 2 * (table->input_count - texts);
}

static UnitStatus sort_ports(Adaptation *a, LinkPorts *sorted, const InnerPort ports[], size_t count) {
  sorted->ports = adaptation_allocate(a, count, sizeof sorted->ports[0]);
  sorted->cells = adaptation_allocate(a, count, sizeof sorted->cells[0]);
  sorted->is_unsigned = adaptation_allocate(a, count, sizeof sorted->is_unsigned[0]);
  if (!sorted->ports || !sorted->cells || !sorted->is_unsigned) return UNIT_ERROR;
  sorted->numbers = count_bank(ports, count, BANK_NUMBER);
  sorted->longs = count_bank(ports, count, BANK_LONG);
  sorted->texts = count_bank(ports, count, BANK_TEXT);
  size_t next[] = {0, sorted->numbers, sorted->numbers + sorted->longs};
  for (size_t k = 0; k < count; k++) {
    const size_t at = next[ports[k].bank]++;
    sorted->ports[at] = ports[k].port;
    sorted->cells[at] = ports[k].cell;
    sorted->is_unsigned[at] = ports[k].is_unsigned;
  }
  return UNIT_OK;
}

static bool goes_with_own_inputs(const InnerPort *port) {
  return port->delivery == GIVE_TRAJECTORY || (port->delivery == GIVE_BEGIN && !port->has_source);
}

static bool is_told(const InnerPort *port) {
  return port->rules_assign_end || (port->delivery != GIVE_NOW && port->delivery != GIVE_BEGIN);
}

/* How inputs are given, in the order in which they are kept. */
static UnitStatus plan_inputs(Adaptation *a, InnerLink *link) {
  const InnerTable *table = link->table;
  const size_t count = table->input_count;
  const unsigned highest = table->derivative_order;
  link->planned = adaptation_allocate(a, count, sizeof link->planned[0]);
  link->place_of = adaptation_allocate(a, count, sizeof link->place_of[0]);
  link->differentiated = adaptation_allocate(a, count, sizeof link->differentiated[0]);
  link->slope_ports = adaptation_allocate(a, 2 * count, sizeof link->slope_ports[0]);
  link->slope_orders = adaptation_allocate(a, 2 * count, sizeof link->slope_orders[0]);
  link->slope_values = adaptation_allocate(a, 2 * count, sizeof link->slope_values[0]);
  link->is_assigned = adaptation_allocate(a, count, sizeof link->is_assigned[0]);
  if (!link->planned || !link->place_of || !link->differentiated || !link->slope_ports || !link->slope_orders ||
      !link->slope_values || !link->is_assigned)
    return UNIT_ERROR;
  link->is_held = true;
  size_t next[] = {0, link->inputs.numbers};
  for (size_t k = 0; k < count; k++) {
    const InnerPort *port = &table->inputs[k];
    if (port->bank == BANK_TEXT) continue;
    link->place_of[k] = next[port->bank]++;
    link->planned[link->place_of[k]] = port;
    if (port->delivery != GIVE_NOW || port->rules_assign_end) link->is_held = false;
    if (port->delivery == GIVE_RULES) link->has_rules = true;
    if (port->delivery == GIVE_MOVING) link->has_moving = true;
    if (goes_with_own_inputs(port)) link->has_courses = true;
  }
  for (size_t k = 0; k < count; k++) {
    if (table->inputs[k].bank == BANK_TEXT || !is_told(&table->inputs[k])) continue;
    for (unsigned order = 1; order <= highest; order++) {
      link->slope_ports[link->differentiated_count * highest + order - 1] = table->inputs[k].port;
      link->slope_orders[link->differentiated_count * highest + order - 1] = (int)order;
    }
    link->differentiated[link->differentiated_count++] = link->place_of[k];
  }
  return UNIT_OK;
}

UnitStatus link_make(Adaptation *a, InnerLink *link, const InnerTable *table, double *book) {
  const size_t most = table->input_count + table->output_count;
  link->table = table;
  UNIT_TRY(sort_ports(a, &link->inputs, table->inputs, table->input_count));
  UNIT_TRY(sort_ports(a, &link->outputs, table->outputs, table->output_count));
  UNIT_TRY(plan_inputs(a, link));
  link->time = book;
  link->sloped = book + 1;
  link->previous = book + 2;
  link->given = link->previous + number_cells(&link->inputs);
  link->given_texts = adaptation_allocate(a, link->inputs.texts, sizeof link->given_texts[0]);
  link->first = adaptation_allocate(a, most, sizeof link->first[0]);
  link->slopes = adaptation_allocate(a, most, sizeof link->slopes[0]);
  link->curves = adaptation_allocate(a, most, sizeof link->curves[0]);
  link->middle = adaptation_allocate(a, most, sizeof link->middle[0]);
  link->last = adaptation_allocate(a, most, sizeof link->last[0]);
  link->values = adaptation_allocate(a, most, sizeof link->values[0]);
  link->long_values = adaptation_allocate(a, most, sizeof link->long_values[0]);
  link->text_values = adaptation_allocate(a, most, sizeof link->text_values[0]);
  link->saved_previous = adaptation_allocate(a, most, sizeof link->saved_previous[0]);
  if (!link->slopes || !link->curves || !link->middle || !link->last) return UNIT_ERROR;
  if (!link->given_texts || !link->first || !link->values || !link->long_values || !link->text_values ||
      !link->saved_previous)
    return UNIT_ERROR;
  link->unit = unit_make_inner(&a->unit, table->name, table->make);
  return link->unit ? UNIT_OK : UNIT_ERROR;
}

static void forget_texts(InnerLink *link) {
  for (size_t k = 0; k < link->inputs.texts; k++) {
    free(link->given_texts[k]);
    link->given_texts[k] = NULL;
  }
}

void link_free(InnerLink *link) {
  if (link->given_texts) forget_texts(link);
  /* A unit frees the states that it saved. */
  if (link->saved && link->unit) link->unit->is->release(link->unit, link->saved);
  unit_free(link->unit);
}

UnitStatus link_reset(InnerLink *link) {
  forget_texts(link);
  link->is_terminated = false;
  link->is_stale = false;
  if (link->saved) {
    UNIT_TRY(link->unit->is->release(link->unit, link->saved));
    link->saved = NULL;
  }
  return link->unit->is->reset(link->unit);
}

void link_was_restored(InnerLink *link) {
  forget_texts(link);
  link->is_terminated = false;
  link->is_stale = false;
}

/* ---- values ------------------------------------------------------------------------------------------------------------------- */

UnitStatus link_check_integers(const Adaptation *a, const InnerLink *link) {
  for (size_t k = 0; k < number_cells(&link->inputs); k++) {
    const InnerPort *port = link->planned[k];
    const double value = a->numbers[link->inputs.cells[k]], whole = trunc(value);
    if (port->integer && !(whole >= port->least && whole <= port->most))
      return unit_fail(&a->unit, "input '%s' of '%s' is %.17g, which %s cannot hold; declare it as real, or limit it in the rules",
                       port->name, link->table->name, value, port->integer);
  }
  return UNIT_OK;
}

/* Exact up to 2^53. The largest integers are not doubles: what they are rounded to stands for them. */
static int64_t to_long(double value) {
  const double range = 18446744073709551616.0;
  const double whole = trunc(value);
  if (isnan(whole)) return 0;
  if (whole == range / 2) return INT64_MAX;
  if (whole >= range) return -1;
  if (whole < -range / 2) return INT64_MIN;
  return whole > range / 2 ? (int64_t)(uint64_t)whole : (int64_t)whole;
}

/* `values`: numbers, then 64-bit integers. Texts are always those of now. */
static UnitStatus give(Adaptation *a, InnerLink *link, const double values[]) {
  const LinkPorts *in = &link->inputs;
  Unit *unit = link->unit;
  if (in->numbers > 0) UNIT_TRY(unit->is->set_numbers(unit, in->ports, in->numbers, values));
  if (in->longs > 0) {
    for (size_t k = 0; k < in->longs; k++) link->long_values[k] = to_long(values[in->numbers + k]);
    UNIT_TRY(unit->is->set_longs(unit, in->ports + in->numbers, in->longs, link->long_values));
  }
  if (in->texts > 0) {
    const size_t first = number_cells(in);
    for (size_t k = 0; k < in->texts; k++) link->text_values[k] = a->texts[in->cells[first + k]];
    UNIT_TRY(unit->is->set_texts(unit, in->ports + first, in->texts, link->text_values));
  }
  return UNIT_OK;
}

static UnitStatus give_inputs(Adaptation *a, InnerLink *link) {
  const LinkPorts *in = &link->inputs;
  for (size_t k = 0; k < number_cells(in); k++) link->values[k] = a->numbers[in->cells[k]];
  return give(a, link, link->values);
}

static UnitStatus take(Adaptation *a, InnerLink *link, const LinkPorts *ports) {
  Unit *unit = link->unit;
  if (ports->numbers > 0) {
    UNIT_TRY(unit->is->get_numbers(unit, ports->ports, ports->numbers, link->values));
    for (size_t k = 0; k < ports->numbers; k++) a->numbers[ports->cells[k]] = link->values[k];
  }
  if (ports->longs > 0) {
    UNIT_TRY(unit->is->get_longs(unit, ports->ports + ports->numbers, ports->longs, link->long_values));
    for (size_t k = 0; k < ports->longs; k++) {
      const size_t at = ports->numbers + k;
      const int64_t bits = link->long_values[k];
      a->numbers[ports->cells[at]] = ports->is_unsigned[at] ? (double)(uint64_t)bits : (double)bits;
    }
  }
  if (ports->texts > 0) {
    const size_t first = number_cells(ports);
    UNIT_TRY(unit->is->get_texts(unit, ports->ports + first, ports->texts, link->text_values));
    for (size_t k = 0; k < ports->texts; k++)
      UNIT_TRY(unit_copy_text(unit, &a->texts[ports->cells[first + k]], link->text_values[k]));
  }
  return UNIT_OK;
}

UnitStatus link_take_outputs(Adaptation *a, InnerLink *link) { return take(a, link, &link->outputs); }

UnitStatus link_enter_initialization(Adaptation *a, InnerLink *link, const UnitExperiment *experiment) {
  UNIT_TRY(link->unit->is->enter_initialization(link->unit, experiment));
  *link->time = experiment->start;
  link->is_terminated = false;
  /* Inputs that are never assigned keep what the unit starts with. */
  return take(a, link, &link->inputs);
}

void link_keep_as_previous(Adaptation *a, InnerLink *link) {
  for (size_t k = 0; k < number_cells(&link->inputs); k++) link->previous[k] = a->numbers[link->inputs.cells[k]];
}

static UnitStatus keep_as_given(Adaptation *a, InnerLink *link) {
  const LinkPorts *in = &link->inputs;
  const size_t first = number_cells(in);
  for (size_t k = 0; k < first; k++) link->given[k] = a->numbers[in->cells[k]];
  for (size_t k = 0; k < in->texts; k++)
    UNIT_TRY(unit_copy_text(link->unit, &link->given_texts[k], a->texts[in->cells[first + k]]));
  return UNIT_OK;
}

static bool are_given(const Adaptation *a, const InnerLink *link) {
  const LinkPorts *in = &link->inputs;
  const size_t first = number_cells(in);
  for (size_t k = 0; k < first; k++)
    if (a->numbers[in->cells[k]] != link->given[k]) return false;
  for (size_t k = 0; k < in->texts; k++)
    if (!link->given_texts[k] || strcmp(link->given_texts[k], a->texts[in->cells[first + k]]) != 0) return false;
  return true;
}

UnitStatus link_resolve(Adaptation *a, InnerLink *link) {
  UNIT_TRY(give_inputs(a, link));
  UNIT_TRY(link_take_outputs(a, link));
  return keep_as_given(a, link);
}

UnitStatus link_look(Adaptation *a, InnerLink *link) {
  if (are_given(a, link)) return UNIT_OK;
  UNIT_TRY(give_inputs(a, link));
  return link_take_outputs(a, link);
}

/* ---- steps -------------------------------------------------------------------------------------------------------------------- */

void link_hold(Adaptation *a, InnerLink *link) {
  for (size_t k = 0; k < number_cells(&link->inputs); k++) {
    link->first[k] = a->numbers[link->inputs.cells[k]];
    link->slopes[k] = 0.0;
    link->curves[k] = 0.0;
    link->is_assigned[k] = false;
  }
}

static bool goes_by_rules(const Adaptation *a, const InnerPort *port) {
  return port->delivery == GIVE_RULES || (port->delivery == GIVE_MOVING && a->moves);
}

bool link_is_ruled(const Adaptation *a, const InnerLink *link) {
  return link->has_rules || (link->has_moving && a->moves);
}

void link_take(Adaptation *a, InnerLink *link, Delivery how, double values[]) {
  for (size_t k = 0; k < number_cells(&link->inputs); k++) {
    const InnerPort *port = link->planned[k];
    if (how == GIVE_RULES ? goes_by_rules(a, port) : goes_with_own_inputs(port))
      values[k] = a->numbers[link->inputs.cells[k]];
  }
}

/* Whether an own input that this one is made of moves in the step under way. */
static bool moves_any(const Adaptation *a, const InnerPort *port) {
  for (size_t i = 0; i < port->behind_count; i++)
    if (a->slopes[port->behind[i]] != 0 || a->curves[port->behind[i]] != 0) return true;
  return false;
}

/* Input `k` has the derivatives of an own input; on the chord of a parabola where the unit takes slopes alone. */
static void go_with(const Adaptation *a, InnerLink *link, size_t k, size_t own, double step, double begin) {
  if (a->curves[own] != 0 && link->table->derivative_order < 2) {
    link->slopes[k] = (a->last[own] - a->first[own]) / step;
    return;
  }
  link->slopes[k] = own_slope_at(a, own, begin);
  link->curves[k] = a->curves[own];
}

/* As the own input that MapIn gives for both ends, found but for rounding; otherwise on the line between them. */
static void go_by_rules(Adaptation *a, InnerLink *link, size_t k, double step, double begin) {
  const InnerPort *port = link->planned[k];
  double *const cell = &a->numbers[link->inputs.cells[k]];
  if (port->delivery == GIVE_MOVING && !moves_any(a, port)) {
    link->first[k] = *cell;
    return;
  }
  for (size_t i = 0; a->moves && i < port->behind_count; i++) {
    const size_t own = port->behind[i];
    const double slack = SAME_VALUE * fmax(fabs(a->first[own]), fabs(a->last[own]));
    if (!(fabs(link->first[k] - a->first[own]) <= slack && fabs(link->last[k] - a->last[own]) <= slack)) continue;
    link->first[k] = a->first[own];
    *cell = a->last[own];
    go_with(a, link, k, own, step, begin);
    return;
  }
  *cell = link->last[k];
  link->slopes[k] = (link->last[k] - link->first[k]) / step;
}

/* What is an own input at both ends moves as that one does; anything else as the line or the parabola through its values. */
static void go_along(Adaptation *a, InnerLink *link, size_t k, double step, double begin) {
  const InnerPort *port = link->planned[k];
  const double first = link->first[k];
  const double last = link->last[k];
  for (size_t i = 0; i < port->behind_count; i++) {
    const size_t own = port->behind[i];
    if (first != a->first[own] || last != a->last[own]) continue;
    go_with(a, link, k, own, step, begin);
    return;
  }
  link->slopes[k] = (last - first) / step;
  if (!a->is_curved || link->table->derivative_order < 2) return;
  const double middle = link->middle[k];
  link->slopes[k] = (4 * middle - 3 * first - last) / step;
  link->curves[k] = 4 * (first - 2 * middle + last) / (step * step);
}

void link_follow(Adaptation *a, InnerLink *link, double step, double begin) {
  for (size_t k = 0; k < number_cells(&link->inputs); k++) {
    const InnerPort *port = link->planned[k];
    if (goes_by_rules(a, port)) go_by_rules(a, link, k, step, begin);
    else if (a->moves && goes_with_own_inputs(port)) {
      a->numbers[link->inputs.cells[k]] = link->last[k];
      if (port->delivery == GIVE_TRAJECTORY) go_along(a, link, k, step, begin);
    }
  }
}

/* Rules that hand an own input on have it go as that one goes. */
static double slope_to(const Adaptation *a, double now, double previous, double step) {
  if (a->moves && !a->is_curved)
    for (size_t i = 0; i < a->movable_count; i++)
      if (previous == a->first[i] && now == a->last[i]) return own_slope_at(a, i, 0.0);
  return (now - previous) / step;
}

void link_lead(Adaptation *a, InnerLink *link, double step) {
  for (size_t k = 0; k < number_cells(&link->inputs); k++) {
    const InnerPort *port = link->planned[k];
    const double now = a->numbers[link->inputs.cells[k]];
    const double previous = link->previous[k];
    if (port->delivery == GIVE_INTERPOLATED || (link->is_assigned[k] && port->rules_assign_end)) {
      link->first[k] = previous;
      link->curves[k] = 0.0;
      link->slopes[k] = port->has_source ? (now - previous) / step : slope_to(a, now, previous, step);
    } else if (link->is_assigned[k]) {
      link->first[k] = now;
      link->slopes[k] = 0.0;
      link->curves[k] = 0.0;
    } else if (port->delivery == GIVE_BEGIN && port->has_source) {
      /* Who feeds it may be ahead; then it is what it was where this unit stands. */
      const bool is_behind = !link->is_first && *a->links[port->source].time <= *link->time;
      link->first[k] = is_behind ? now : previous;
    }
  }
}

static UnitStatus give_first_inputs(Adaptation *a, InnerLink *link) {
  const unsigned highest = link->table->derivative_order;
  UNIT_TRY(give(a, link, link->first));
  if (link->differentiated_count == 0) return UNIT_OK;
  bool sloped = false;
  for (size_t i = 0; i < link->differentiated_count; i++) {
    const size_t k = link->differentiated[i];
    link->slope_values[i * highest] = link->slopes[k];
    if (highest > 1) link->slope_values[i * highest + 1] = link->curves[k];
    if (link->slopes[k] != 0 || link->curves[k] != 0) sloped = true;
  }
  /* Slopes hold until they are set again: those that are 0 need no second word. */
  if (!sloped && *link->sloped == 0) return UNIT_OK;
  *link->sloped = sloped ? 1.0 : 0.0;
  return link->unit->is->set_input_derivatives(link->unit, link->slope_ports, link->slope_orders,
                                               link->differentiated_count * highest, link->slope_values);
}

/* Outputs that follow inputs at once belong to those of the end of the step. */
static UnitStatus give_last_inputs(Adaptation *a, InnerLink *link) {
  const LinkPorts *in = &link->inputs;
  bool differs = false;
  for (size_t k = 0; k < number_cells(in) && !differs; k++) differs = link->first[k] != a->numbers[in->cells[k]];
  if (differs && link->table->follows_inputs) UNIT_TRY(give_inputs(a, link));
  link_keep_as_previous(a, link);
  return UNIT_OK;
}

UnitStatus link_advance(Adaptation *a, InnerLink *link, double to, double step, double *came) {
  const double from = *link->time;
  UNIT_TRY(link_check_integers(a, link));
  UNIT_TRY(link->is_held ? give_inputs(a, link) : give_first_inputs(a, link));
  UnitStop stop = {STOP_TIME, to};
  UNIT_TRY(link->unit->is->advance(link->unit, from, to, &stop));
  *link->time = stop.time;
  if (stop.reason == STOP_TERMINATED) link->is_terminated = true;
  if (!link->is_held) UNIT_TRY(give_last_inputs(a, link));
  UNIT_TRY(link_take_outputs(a, link));
  UNIT_TRY(keep_as_given(a, link));
  link->is_stale = false;
  link->is_first = false;
  *came = stop.time == to ? step : stop.time - from;
  return UNIT_OK;
}

bool link_is_at(const InnerLink *link, double time, double step) {
  return fabs(time - *link->time) <= SAME_STEP * step + 4 * DBL_EPSILON * fabs(time);
}

/* ---- the way back --------------------------------------------------------------------------------------------------------------- */

UnitStatus link_save(InnerLink *link) {
  Unit *unit = link->unit;
  if (!link->table->can_roll_back) return unit_fail(unit, "it cannot save its state, so save_state cannot be called for it");
  if (link->saved) UNIT_TRY(unit->is->release(unit, link->saved));
  link->saved = NULL;
  UNIT_TRY(unit->is->save(unit, &link->saved));
  link->saved_time = *link->time;
  link->saved_sloped = *link->sloped;
  link->saved_is_first = link->is_first;
  for (size_t k = 0; k < number_cells(&link->inputs); k++) link->saved_previous[k] = link->previous[k];
  return UNIT_OK;
}

UnitStatus link_rollback(Adaptation *a, InnerLink *link) {
  if (!link->saved) return unit_fail(&a->unit, "rollback(%s) without save_state in the same step", link->table->name);
  UNIT_TRY(link->unit->is->restore(link->unit, link->saved));
  *link->time = link->saved_time;
  *link->sloped = link->saved_sloped;
  link->is_first = link->saved_is_first;
  for (size_t k = 0; k < number_cells(&link->inputs); k++) link->previous[k] = link->saved_previous[k];
  link->is_terminated = false;
  link->is_stale = true;
  return UNIT_OK;
}

UnitStatus link_end_step(Adaptation *a, InnerLink *link) {
  if (link->is_stale) UNIT_TRY(link_resolve(a, link));
  link->is_stale = false;
  if (!link->saved) return UNIT_OK;
  UNIT_TRY(link->unit->is->release(link->unit, link->saved));
  link->saved = NULL;
  return UNIT_OK;
}

UnitStatus link_next_time_step(InnerLink *link, double horizon, double *seconds) {
  Unit *unit = link->unit;
  const double now = *link->time;
  *seconds = INFINITY;
  if (unit->phase != PHASE_STEP || !link->table->can_roll_back || !(horizon > now)) return UNIT_OK;
  void *before = NULL;
  UNIT_TRY(unit->is->save(unit, &before));
  UnitStop stop = {STOP_TIME, horizon};
  UNIT_TRY(unit->is->advance(unit, now, horizon, &stop));
  if (stop.reason != STOP_TIME) *seconds = stop.time - now;
  UNIT_TRY(unit->is->restore(unit, before));
  return unit->is->release(unit, before);
}
