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
/* Without a stop time, units are asked for their next event within this many steps. */
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

/* Numbers, texts and what is kept, as they are before anybody sets anything. */
static UnitStatus fill(Adaptation *a) {
  const AdaptationTable *table = a->table;
  for (size_t k = 0; k < table->number_count; k++) a->numbers[k] = 0.0;
  for (size_t k = 0; k < a->book_count; k++) a->book[k] = 0.0;
  for (size_t k = 0; k < table->text_count; k++) UNIT_TRY(unit_copy_text(&a->unit, &a->texts[k], ""));
  a->settled = false;
  a->outdated = true;
  return table->start(a);
}

static UnitStatus prepare(Adaptation *a) {
  const AdaptationTable *table = a->table;
  const size_t inputs = count_ports(table, OWN_INPUT);
  a->book_count = inputs + count_ports(table, OWN_OUTPUT);
  for (size_t l = 0; l < table->inner_count; l++) a->book_count += link_book_count(&table->inner[l]);
  a->book = adaptation_allocate(a, a->book_count, sizeof a->book[0]);
  a->passing_kept = adaptation_allocate(a, table->passing_count, sizeof a->passing_kept[0]);
  a->texts_kept = adaptation_allocate(a, table->text_count, sizeof a->texts_kept[0]);
  a->links = adaptation_allocate(a, table->inner_count, sizeof a->links[0]);
  if (!a->book || !a->passing_kept || !a->texts_kept || !a->links) return UNIT_ERROR;
  a->slopes = a->book;
  a->held = a->book + inputs;
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
  /* No step was asked for yet; 1 lets rules that divide by it give what holds at the beginning of a step. */
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

/* What inner inputs are where the step begins; delayed inner inputs get it. */
static UnitStatus find_previous_inputs(Adaptation *a) {
  const AdaptationTable *table = a->table;
  keep_passing(a);
  at_instant(a);
  UNIT_TRY(run_in(a));
  for (size_t k = 0; k < table->inner_count; k++) {
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

/* Own inputs follow the slopes that they were given. */
static void move_inputs(Adaptation *a, double seconds) {
  const AdaptationTable *table = a->table;
  size_t k = 0;
  for (size_t p = 0; p < table->port_count; p++) {
    if (table->ports[p].kind != OWN_INPUT || table->ports[p].bank == BANK_TEXT) continue;
    const double slope = a->slopes[k++];
    if (slope != 0) a->numbers[table->ports[p].cell] += slope * seconds;
  }
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
  return unit_fail(&a->unit, "the control rules return %.17g, which is no part of a step of %.17g s", *taken, step);
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
  if (table->is_reactive) move_inputs(a, step);
  UNIT_TRY(run_in(a));
  release_outputs(a);
  UNIT_TRY(table->control ? step_by_rules(a, step, &taken) : step_all(a, step, &taken));
  for (size_t l = 0; l < table->inner_count; l++) UNIT_TRY(link_end_step(a, &a->links[l]));
  UNIT_TRY(table->rules_out(a));
  hold_outputs(a);
  a->settled = table->is_settled_by_step;
  if (is_terminated(a)) {
    stop->reason = STOP_TERMINATED;
    stop->time = from + (taken < step ? taken : step);
  } else if (taken >= step * (1 - WHOLE_STEP)) {
    stop->reason = STOP_TIME;
    stop->time = to;
  } else {
    if (table->is_reactive) move_inputs(a, taken - step);
    stop->reason = STOP_DISCARDED;
    stop->time = from + taken;
  }
  unit->time = stop->time;
  return UNIT_OK;
}

UnitStatus do_step(Adaptation *a, size_t inner, double from, double step, double *came) {
  InnerLink *link = &a->links[inner];
  const InnerTable *table = link->table;
  if (!(step > 0) || isinf(step)) return unit_fail(&a->unit, "do_step(%s) over %.17g s", table->name, step);
  if (!link_is_at(link, from, step))
    return unit_fail(&a->unit, "do_step(%s) from t=%.17g, but it is at t=%.17g; step it from where it is, or roll it back",
                     table->name, from, *link->time);
  a->numbers[CELL_H] = step;
  a->numbers[CELL_DT] = from - a->from;
  UNIT_TRY(table->map_in(a));
  if (table->overrides) UNIT_TRY(table->overrides(a));
  const double end = from + step;
  const double to = fabs(end - a->bound) <= WHOLE_STEP * step ? a->bound : end;
  double reached = 0.0;
  UNIT_TRY(link_advance(a, link, to, step, &reached));
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

UnitStatus endless(const Adaptation *a) { return unit_fail(&a->unit, "a 'while' of its rules does not end"); }
