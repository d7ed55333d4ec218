/*
 * The generic adaptation: a unit around inner units, made of rules (adapt/adapted-unit.ts). It has the two faces of every unit,
 *   a step    In takes the inputs into storage, Control steps inner units (each between MapIn and MapOut), Out gives the outputs
 *   outputs   of the present state: In (Mealy only), inner units in the order of their dependencies, MapOut, Out; nothing changes
 * and the storage between them.
 */
#include "adaptation.h"

#include <stddef.h>
#include <stdlib.h>

#include "adaptation-link.h"

/* A step that falls short by less than this part was taken: what is missing is rounding of the rules. */
#define WHOLE_STEP 1e-9
/* Without a stop time, the next event of units is looked for within this many steps. */
#define HORIZON_STEPS 1000

/* The numbers that every adaptation begins with. */
enum { CELL_T, CELL_H_WHOLE, CELL_H, CELL_DT };

static Adaptation *self(Unit *unit) { return (Adaptation *)unit; }

/* ---- memory ------------------------------------------------------------------------------------------------------------------- */

typedef struct Block {
  struct Block *next;
  max_align_t data[];
} Block;

void *adaptation_allocate(Adaptation *a, size_t count, size_t size) {
  Block *block = unit_allocate(&a->unit, 1, sizeof(Block) + count * size);
  if (!block) return NULL;
  block->next = a->blocks;
  a->blocks = block;
  return block->data;
}

static size_t count_ports(const AdaptationTable *table, OwnKind kind) {
  size_t count = 0;
  for (size_t p = 0; p < table->port_count; p++)
    if (table->ports[p].kind == kind && table->ports[p].bank != BANK_TEXT) count++;
  return count;
}

/* Numbers, texts and what is kept, as they are before anything is set. */
static UnitStatus fill(Adaptation *a) {
  const AdaptationTable *table = a->table;
  for (size_t k = 0; k < table->number_count; k++) a->numbers[k] = 0.0;
  for (size_t k = 0; k < a->book_count; k++) a->book[k] = 0.0;
  for (size_t k = 0; k < table->text_count; k++) UNIT_TRY(unit_copy_text(&a->unit, &a->texts[k], ""));
  a->settled = false;
  a->outdated = true;
  return table->start(a);
}

static UnitStatus prepare_inputs(Adaptation *a, size_t count) {
  const AdaptationTable *table = a->table;
  a->movable = adaptation_allocate(a, count, sizeof a->movable[0]);
  a->begin = adaptation_allocate(a, count, sizeof a->begin[0]);
  a->first = adaptation_allocate(a, count, sizeof a->first[0]);
  a->last = adaptation_allocate(a, count, sizeof a->last[0]);
  a->taking_before = adaptation_allocate(a, table->taking_count, sizeof a->taking_before[0]);
  a->taking_kept = adaptation_allocate(a, table->taking_count, sizeof a->taking_kept[0]);
  if (!a->movable || !a->begin || !a->first || !a->last || !a->taking_before || !a->taking_kept) return UNIT_ERROR;
  for (size_t p = 0; p < table->port_count; p++)
    if (table->ports[p].kind == OWN_INPUT && table->ports[p].bank != BANK_TEXT)
      a->movable[a->movable_count++] = table->ports[p].cell;
  return UNIT_OK;
}

static UnitStatus prepare(Adaptation *a) {
  const AdaptationTable *table = a->table;
  const size_t inputs = count_ports(table, OWN_INPUT);
  a->book_count = 3 * inputs + count_ports(table, OWN_OUTPUT);
  for (size_t l = 0; l < table->inner_count; l++) a->book_count += link_book_count(&table->inner[l]);
  a->book = adaptation_allocate(a, a->book_count, sizeof a->book[0]);
  a->passing_kept = adaptation_allocate(a, table->passing_count, sizeof a->passing_kept[0]);
  a->texts_kept = adaptation_allocate(a, table->text_count, sizeof a->texts_kept[0]);
  a->links = adaptation_allocate(a, table->inner_count, sizeof a->links[0]);
  if (!a->book || !a->passing_kept || !a->texts_kept || !a->links) return UNIT_ERROR;
  a->slopes = a->book;
  a->curves = a->slopes + inputs;
  a->rates = a->curves + inputs;
  a->held = a->rates + inputs;
  UNIT_TRY(prepare_inputs(a, inputs));
  double *book = a->held + count_ports(table, OWN_OUTPUT);
  for (size_t l = 0; l < table->inner_count; l++) {
    UNIT_TRY(link_make(a, &a->links[l], &table->inner[l], book));
    book += link_book_count(&table->inner[l]);
  }
  return fill(a);
}

Unit *adaptation_make(size_t size, const UnitClass *is, const AdaptationTable *table, const UnitHost *host, const char *name) {
  Adaptation *a = unit_make(size, is, host, name);
  if (!a) return NULL;
  a->table = table;
  a->numbers = (double *)(void *)((char *)a + table->numbers);
  a->texts = (char **)(void *)((char *)a + table->texts);
  if (prepare(a) == UNIT_OK) return &a->unit;
  adaptation_free(&a->unit);
  return NULL;
}

void adaptation_free(Unit *unit) {
  Adaptation *a = self(unit);
  const AdaptationTable *table = a->table;
  if (a->links)
    for (size_t l = 0; l < table->inner_count; l++) link_free(&a->links[l]);
  for (size_t k = 0; k < table->text_count; k++) {
    free(a->texts[k]);
    if (a->texts_kept) free(a->texts_kept[k]);
  }
  for (Block *block = a->blocks; block;) {
    Block *next = block->next;
    free(block);
    block = next;
  }
  unit_end(unit);
}

/* ---- outputs ------------------------------------------------------------------------------------------------------------------ */

static void at_instant(Adaptation *a) {
  a->numbers[CELL_H] = 0.0;
  a->numbers[CELL_DT] = 0.0;
}

/* Outputs that no rule gives keep what the last step left. */
static void hold_outputs(Adaptation *a) {
  const AdaptationTable *table = a->table;
  size_t k = 0;
  for (size_t p = 0; p < table->port_count; p++)
    if (table->ports[p].kind == OWN_OUTPUT && table->ports[p].bank != BANK_TEXT)
      a->held[k++] = a->numbers[table->ports[p].cell];
}

static void release_outputs(Adaptation *a) {
  const AdaptationTable *table = a->table;
  size_t k = 0;
  for (size_t p = 0; p < table->port_count; p++)
    if (table->ports[p].kind == OWN_OUTPUT && table->ports[p].bank != BANK_TEXT)
      a->numbers[table->ports[p].cell] = a->held[k++];
}

static void keep_passing(Adaptation *a) {
  const AdaptationTable *table = a->table;
  for (size_t k = 0; k < table->passing_count; k++) a->passing_kept[k] = a->numbers[table->passing + k];
}

static void put_back_passing(Adaptation *a) {
  const AdaptationTable *table = a->table;
  for (size_t k = 0; k < table->passing_count; k++) a->numbers[table->passing + k] = a->passing_kept[k];
}

static UnitStatus run_in(Adaptation *a) {
  UNIT_TRY(a->table->conditions_in(a));
  return a->table->rules_in(a);
}

static UnitStatus run_map_out(Adaptation *a) {
  UNIT_TRY(a->table->conditions_out(a));
  return a->table->map_out(a);
}

/* Storage and outputs at the start. Outputs of a Moore adaptation follow from the declared values alone. */
static UnitStatus resolve_start(Adaptation *a, bool with_inputs) {
  const AdaptationTable *table = a->table;
  UNIT_TRY(table->initialize(a));
  a->numbers[CELL_T] = a->unit.time;
  /* There was no step yet; 1 lets rules that divide by it give what holds at the beginning of a step. */
  a->numbers[CELL_H_WHOLE] = 1.0;
  at_instant(a);
  UNIT_TRY(with_inputs ? run_in(a) : table->conditions_in(a));
  if (!table->order)
    for (size_t l = 0; l < table->inner_count; l++) UNIT_TRY(link_take_outputs(a, &a->links[l]));
  for (size_t k = 0; k < table->inner_count; k++) {
    const size_t l = table->order ? table->order[k] : k;
    UNIT_TRY(table->inner[l].map_in(a));
    UNIT_TRY(link_resolve(a, &a->links[l]));
  }
  UNIT_TRY(table->order ? run_map_out(a) : table->conditions_out(a));
  UNIT_TRY(table->rules_out(a));
  hold_outputs(a);
  a->settled = false;
  return UNIT_OK;
}

static UnitStatus look_inside(Adaptation *a) {
  const AdaptationTable *table = a->table;
  for (size_t k = 0; k < table->inner_count; k++) {
    const size_t l = table->order[k];
    UNIT_TRY(table->inner[l].map_in(a));
    UNIT_TRY(link_check_integers(a, &a->links[l]));
    if (table->inner[l].follows_inputs) UNIT_TRY(link_look(a, &a->links[l]));
  }
  return run_map_out(a);
}

/* The output function: own outputs of the present state and inputs; nothing else changes. */
static UnitStatus evaluate(Adaptation *a) {
  const AdaptationTable *table = a->table;
  if (a->unit.phase == PHASE_INITIALIZATION) return resolve_start(a, table->is_mealy);
  if (a->unit.phase != PHASE_STEP || a->settled) return UNIT_OK;
  for (size_t k = table->own_text_count; k < table->text_count; k++)
    UNIT_TRY(unit_copy_text(&a->unit, &a->texts_kept[k], a->texts[k]));
  keep_passing(a);
  a->numbers[CELL_T] = a->unit.time;
  at_instant(a);
  if (table->is_mealy) UNIT_TRY(run_in(a));
  if (table->order) UNIT_TRY(look_inside(a));
  release_outputs(a);
  UNIT_TRY(table->rules_out(a));
  put_back_passing(a);
  for (size_t k = table->own_text_count; k < table->text_count; k++)
    UNIT_TRY(unit_copy_text(&a->unit, &a->texts[k], a->texts_kept[k]));
  a->settled = true;
  return UNIT_OK;
}

UnitStatus adaptation_refresh(Adaptation *a) {
  if (!a->outdated) return UNIT_OK;
  UNIT_TRY(evaluate(a));
  a->outdated = false;
  return UNIT_OK;
}

/* ---- life cycle --------------------------------------------------------------------------------------------------------------- */

UnitStatus adaptation_enter_initialization(Unit *unit, const UnitExperiment *experiment) {
  Adaptation *a = self(unit);
  unit->phase = PHASE_INITIALIZATION;
  unit->time = experiment->start;
  a->outdated = true;
  a->has_stop = experiment->has_stop;
  a->stop_time = experiment->stop;
  for (size_t l = 0; l < a->table->inner_count; l++) UNIT_TRY(link_enter_initialization(a, &a->links[l], experiment));
  return UNIT_OK;
}

UnitStatus adaptation_exit_initialization(Unit *unit) {
  Adaptation *a = self(unit);
  UNIT_TRY(resolve_start(a, true));
  for (size_t l = 0; l < a->table->inner_count; l++) {
    Unit *inner = a->links[l].unit;
    link_keep_as_previous(a, &a->links[l]);
    UNIT_TRY(inner->is->exit_initialization(inner));
  }
  UNIT_TRY(resolve_start(a, a->table->is_mealy));
  unit->phase = PHASE_STEP;
  a->outdated = true;
  return UNIT_OK;
}

UnitStatus adaptation_terminate(Unit *unit) {
  Adaptation *a = self(unit);
  if (unit->phase == PHASE_STEP) UNIT_TRY(adaptation_refresh(a));
  unit->phase = PHASE_TERMINATED;
  for (size_t l = 0; l < a->table->inner_count; l++) UNIT_TRY(a->links[l].unit->is->terminate(a->links[l].unit));
  return UNIT_OK;
}

UnitStatus adaptation_reset(Unit *unit) {
  Adaptation *a = self(unit);
  UNIT_TRY(fill(a));
  unit->phase = PHASE_INSTANTIATED;
  unit->time = 0.0;
  for (size_t l = 0; l < a->table->inner_count; l++) UNIT_TRY(link_reset(&a->links[l]));
  return UNIT_OK;
}

/* ---- steps -------------------------------------------------------------------------------------------------------------------- */

/* What inner inputs that other units feed are where the step begins. */
static UnitStatus find_previous_inputs(Adaptation *a) {
  const AdaptationTable *table = a->table;
  keep_passing(a);
  at_instant(a);
  UNIT_TRY(run_in(a));
  for (size_t k = 0; table->order && k < table->inner_count; k++) {
    const size_t l = table->order[k];
    if (!table->inner[l].feeds_at_once) continue;
    UNIT_TRY(table->inner[l].map_in(a));
    UNIT_TRY(link_look(a, &a->links[l]));
  }
  /* Only now, because who feeds a delayed input may stand anywhere in the order. */
  for (size_t l = 0; l < table->inner_count; l++) {
    UNIT_TRY(table->inner[l].map_in(a));
    link_keep_as_previous(a, &a->links[l]);
  }
  put_back_passing(a);
  return UNIT_OK;
}

/* Where an own input is `s` after the beginning of the step. */
static double own_at(const Adaptation *a, size_t i, double s) {
  if (s == 0 || (a->slopes[i] == 0 && a->curves[i] == 0)) return a->begin[i];
  return a->begin[i] + s * (a->slopes[i] + 0.5 * s * a->curves[i]);
}

double own_slope_at(const Adaptation *a, size_t i, double s) {
  return a->curves[i] == 0 ? a->slopes[i] : a->slopes[i] + a->curves[i] * s;
}

static void put_inputs(Adaptation *a, double s) {
  for (size_t i = 0; i < a->movable_count; i++) a->numbers[a->movable[i]] = own_at(a, i, s);
}

/* A step begins, in which own inputs follow the derivatives that they were given; In sees where they end. */
static void start_inputs(Adaptation *a, double step) {
  a->moves = false;
  a->is_curved = false;
  for (size_t i = 0; i < a->movable_count; i++) {
    a->begin[i] = a->numbers[a->movable[i]];
    if (a->slopes[i] != 0) a->moves = true;
    if (a->curves[i] != 0) a->is_curved = true;
  }
  if (a->is_curved) a->moves = true;
  if (!a->moves) return;
  put_inputs(a, step);
  for (size_t i = 0; i < a->movable_count; i++) a->rates[i] = (a->numbers[a->movable[i]] - a->begin[i]) / step;
  if (!a->table->has_courses) return;
  for (size_t k = 0; k < a->table->taking_count; k++) a->taking_before[k] = a->numbers[a->table->passing + k];
}

/* It ended `taken` after its beginning, and inputs go on from there. */
static void finish_inputs(Adaptation *a, double taken) {
  if (!a->moves) return;
  put_inputs(a, taken);
  for (size_t i = 0; i < a->movable_count; i++) {
    if (a->curves[i] != 0) a->slopes[i] = own_slope_at(a, i, taken);
    a->rates[i] = 0.0;
  }
  a->moves = false;
}

/* One step of the Gauss-Seidel master. */
static UnitStatus step_all(Adaptation *a, double step, double *taken) {
  *taken = step;
  for (size_t k = 0; k < a->table->inner_count; k++) {
    double came = 0.0;
    UNIT_TRY(do_step(a, a->table->order[k], a->from, step, &came));
    if (came < *taken) *taken = came;
  }
  return UNIT_OK;
}

static UnitStatus step_by_rules(Adaptation *a, double step, double *taken) {
  *taken = NAN;
  UNIT_TRY(a->table->control(a, taken));
  if (*taken >= 0 && *taken <= step * (1 + WHOLE_STEP)) return UNIT_OK;
  return unit_fail(&a->unit, "the control rules return %.17g, which is not a part of a step of %.17g s", *taken, step);
}

static bool is_terminated(const Adaptation *a) {
  for (size_t l = 0; l < a->table->inner_count; l++)
    if (a->links[l].is_terminated) return true;
  return false;
}

UnitStatus adaptation_advance(Unit *unit, double from, double to, UnitStop *stop) {
  Adaptation *a = self(unit);
  const AdaptationTable *table = a->table;
  const double step = to - from;
  double taken = step;
  a->outdated = true;
  a->from = from;
  a->bound = to;
  a->numbers[CELL_T] = from;
  a->numbers[CELL_H_WHOLE] = step;
  if (table->needs_previous) UNIT_TRY(find_previous_inputs(a));
  for (size_t l = 0; l < table->inner_count; l++) a->links[l].is_first = true;
  start_inputs(a, step);
  UNIT_TRY(run_in(a));
  release_outputs(a);
  UNIT_TRY(table->control ? step_by_rules(a, step, &taken) : step_all(a, step, &taken));
  for (size_t l = 0; l < table->inner_count; l++) UNIT_TRY(link_end_step(a, &a->links[l]));
  UNIT_TRY(table->rules_out(a));
  hold_outputs(a);
  a->settled = table->is_settled_by_step;
  const bool is_whole = taken >= step * (1 - WHOLE_STEP) || from + taken >= to;
  finish_inputs(a, is_whole ? step : taken);
  if (is_terminated(a)) {
    stop->reason = STOP_TERMINATED;
    stop->time = from + (taken < step ? taken : step);
  } else if (is_whole) {
    stop->reason = STOP_TIME;
    stop->time = to;
  } else {
    stop->reason = STOP_DISCARDED;
    stop->time = from + taken;
  }
  unit->time = stop->time;
  return UNIT_OK;
}

void was_assigned(Adaptation *a, size_t inner, size_t input) {
  InnerLink *link = &a->links[inner];
  if (link->table->inputs[input].bank != BANK_TEXT) link->is_assigned[link->place_of[input]] = true;
}

/* Inputs of an inner unit at a point of the step, as MapIn makes them of what In took. */
static UnitStatus at_point(Adaptation *a, const InnerTable *table, double dt) {
  a->numbers[CELL_H] = 0.0;
  a->numbers[CELL_DT] = dt;
  return table->map_in(a);
}

/* The same with what In takes at that point. */
static UnitStatus take_at(Adaptation *a, const InnerTable *table, double dt) {
  for (size_t k = 0; k < a->table->taking_count; k++) a->numbers[a->table->passing + k] = a->taking_before[k];
  put_inputs(a, dt);
  UNIT_TRY(run_in(a));
  return at_point(a, table, dt);
}

static UnitStatus take_course(Adaptation *a, InnerLink *link, double begin, double end) {
  const AdaptationTable *table = a->table;
  for (size_t k = table->own_text_count; k < table->text_count; k++)
    UNIT_TRY(unit_copy_text(&a->unit, &a->texts_kept[k], a->texts[k]));
  for (size_t k = 0; k < table->taking_count; k++) a->taking_kept[k] = a->numbers[table->passing + k];
  UNIT_TRY(take_at(a, link->table, begin));
  link_take(a, link, GIVE_TRAJECTORY, link->first);
  if (a->is_curved) {
    UNIT_TRY(take_at(a, link->table, begin + (end - begin) / 2));
    link_take(a, link, GIVE_TRAJECTORY, link->middle);
  }
  UNIT_TRY(take_at(a, link->table, end));
  link_take(a, link, GIVE_TRAJECTORY, link->last);
  put_inputs(a, a->bound - a->from);
  for (size_t k = 0; k < table->taking_count; k++) a->numbers[table->passing + k] = a->taking_kept[k];
  for (size_t k = table->own_text_count; k < table->text_count; k++)
    UNIT_TRY(unit_copy_text(&a->unit, &a->texts[k], a->texts_kept[k]));
  return UNIT_OK;
}

/* How inputs of an inner unit go over its step, which begins and ends so long after the beginning of the whole one. */
static UnitStatus find_courses(Adaptation *a, InnerLink *link, double begin, double end, double step) {
  link_hold(a, link);
  for (size_t i = 0; a->moves && i < a->movable_count; i++) {
    a->first[i] = own_at(a, i, begin);
    a->last[i] = own_at(a, i, end);
  }
  const bool is_ruled = link_is_ruled(a, link);
  if (is_ruled) {
    UNIT_TRY(at_point(a, link->table, begin));
    link_take(a, link, GIVE_RULES, link->first);
    UNIT_TRY(at_point(a, link->table, end));
    link_take(a, link, GIVE_RULES, link->last);
  }
  if (link->has_courses && a->moves) UNIT_TRY(take_course(a, link, begin, end));
  else if (!is_ruled) return UNIT_OK;
  a->numbers[CELL_H] = step;
  a->numbers[CELL_DT] = begin;
  UNIT_TRY(link->table->map_in(a));
  link_follow(a, link, step, begin);
  return UNIT_OK;
}

UnitStatus do_step(Adaptation *a, size_t inner, double from, double step, double *came) {
  InnerLink *link = &a->links[inner];
  const InnerTable *table = link->table;
  if (!(step > 0) || isinf(step)) return unit_fail(&a->unit, "do_step(%s) over %.17g s", table->name, step);
  if (!link_is_at(link, from, step))
    return unit_fail(&a->unit, "do_step(%s) from t=%.17g, but it is at t=%.17g; step it from where it is, or roll it back",
                     table->name, from, *link->time);
  const double end = from + step;
  const bool is_last = fabs(end - a->bound) <= WHOLE_STEP * step;
  const double dt = from - a->from;
  a->numbers[CELL_H] = step;
  a->numbers[CELL_DT] = dt;
  UNIT_TRY(table->map_in(a));
  if (!link->is_held) UNIT_TRY(find_courses(a, link, dt, is_last ? a->bound - a->from : dt + step, step));
  if (table->overrides) UNIT_TRY(table->overrides(a));
  if (!link->is_held) link_lead(a, link, step);
  double reached = 0.0;
  UNIT_TRY(link_advance(a, link, is_last ? a->bound : end, step, &reached));
  UNIT_TRY(run_map_out(a));
  if (came) *came = reached;
  return UNIT_OK;
}

UnitStatus save_state(Adaptation *a, size_t inner) { return link_save(&a->links[inner]); }

UnitStatus rollback(Adaptation *a, size_t inner) { return link_rollback(a, &a->links[inner]); }

UnitStatus get_next_time_step(Adaptation *a, size_t inner, double *seconds) {
  const double horizon = a->has_stop ? a->stop_time : a->from + HORIZON_STEPS * (a->bound - a->from);
  double next = 0.0;
  UNIT_TRY(link_next_time_step(&a->links[inner], horizon > a->bound ? horizon : a->bound, &next));
  if (seconds) *seconds = next;
  return UNIT_OK;
}

UnitStatus last_execution_time(const Adaptation *a, size_t inner, double *time) {
  if (time) *time = *a->links[inner].time;
  return UNIT_OK;
}

UnitStatus endless(const Adaptation *a) { return unit_fail(&a->unit, "a 'while' of its rules does not end"); }
