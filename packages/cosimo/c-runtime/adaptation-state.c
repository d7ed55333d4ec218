/* States of adaptations: their own numbers and texts, what links keep, and the states of the inner units. */
#include <stdlib.h>

#include "adaptation-link.h"

typedef struct {
  UnitPhase phase;
  double time;
  bool settled;
  /* The numbers of the rules, then what is kept besides. */
  double *numbers;
  char **texts;
  void **inner;
} State;

static void free_state(Adaptation *a, State *state) {
  if (state->texts)
    for (size_t k = 0; k < a->table->text_count; k++) free(state->texts[k]);
  free(state->numbers);
  free(state->texts);
  free(state->inner);
  free(state);
}

static State *new_state(Adaptation *a) {
  State *state = unit_allocate(&a->unit, 1, sizeof *state);
  if (!state) return NULL;
  state->numbers = unit_allocate(&a->unit, a->table->number_count + a->book_count, sizeof state->numbers[0]);
  state->texts = unit_allocate(&a->unit, a->table->text_count, sizeof state->texts[0]);
  state->inner = unit_allocate(&a->unit, a->table->inner_count, sizeof state->inner[0]);
  if (state->numbers && state->texts && state->inner) return state;
  free_state(a, state);
  return NULL;
}

/* Releases the inner states that there are, and then itself. Tells the first thing that went wrong. */
UnitStatus adaptation_release(Unit *unit, void *saved) {
  Adaptation *a = (Adaptation *)unit;
  State *state = saved;
  UnitStatus status = UNIT_OK;
  for (size_t l = 0; l < a->table->inner_count; l++) {
    Unit *inner = a->links[l].unit;
    if (!state->inner[l]) continue;
    const UnitStatus released = inner->is->release(inner, state->inner[l]);
    if (status == UNIT_OK) status = released;
  }
  free_state(a, state);
  return status;
}

static UnitStatus keep(Adaptation *a, State *state) {
  const AdaptationTable *table = a->table;
  state->phase = a->unit.phase;
  state->time = a->unit.time;
  state->settled = a->settled;
  for (size_t k = 0; k < table->number_count; k++) state->numbers[k] = a->numbers[k];
  for (size_t k = 0; k < a->book_count; k++) state->numbers[table->number_count + k] = a->book[k];
  for (size_t k = 0; k < table->text_count; k++) UNIT_TRY(unit_copy_text(&a->unit, &state->texts[k], a->texts[k]));
  for (size_t l = 0; l < table->inner_count; l++)
    UNIT_TRY(a->links[l].unit->is->save(a->links[l].unit, &state->inner[l]));
  return UNIT_OK;
}

UnitStatus adaptation_save(Unit *unit, void **saved) {
  State *state = new_state((Adaptation *)unit);
  if (!state) return UNIT_ERROR;
  const UnitStatus status = keep((Adaptation *)unit, state);
  if (status == UNIT_ERROR) adaptation_release(unit, state);
  if (status == UNIT_OK) *saved = state;
  return status;
}

UnitStatus adaptation_restore(Unit *unit, void *saved) {
  Adaptation *a = (Adaptation *)unit;
  const AdaptationTable *table = a->table;
  const State *state = saved;
  for (size_t k = 0; k < table->number_count; k++) a->numbers[k] = state->numbers[k];
  for (size_t k = 0; k < a->book_count; k++) a->book[k] = state->numbers[table->number_count + k];
  for (size_t k = 0; k < table->text_count; k++) UNIT_TRY(unit_copy_text(unit, &a->texts[k], state->texts[k]));
  unit->phase = state->phase;
  unit->time = state->time;
  a->settled = state->settled;
  a->outdated = true;
  for (size_t l = 0; l < table->inner_count; l++) {
    UNIT_TRY(a->links[l].unit->is->restore(a->links[l].unit, state->inner[l]));
    link_was_restored(&a->links[l]);
  }
  return UNIT_OK;
}

UnitStatus adaptation_serialize(Unit *unit, void *saved, ByteWriter *out) {
  Adaptation *a = (Adaptation *)unit;
  const AdaptationTable *table = a->table;
  const State *state = saved;
  const size_t count = table->number_count + a->book_count;
  write_text(out, table->type);
  write_long(out, state->phase);
  write_long(out, state->settled);
  write_number(out, state->time);
  write_long(out, (int64_t)count);
  write_numbers(out, state->numbers, count);
  for (size_t k = 0; k < table->text_count; k++) write_text(out, state->texts[k]);
  for (size_t l = 0; l < table->inner_count; l++) {
    Unit *inner = a->links[l].unit;
    UNIT_TRY(inner->is->serialize(inner, state->inner[l], out));
  }
  return UNIT_OK;
}

static bool read_own(Adaptation *a, ByteReader *in, State *state) {
  const AdaptationTable *table = a->table;
  const size_t count = table->number_count + a->book_count;
  char *type = NULL;
  int64_t phase = 0, settled = 0, counted = 0;
  bool fits = read_text(in, &type) && strcmp(type, table->type) == 0 && read_long(in, &phase) &&
              read_long(in, &settled) && read_number(in, &state->time) && read_long(in, &counted) &&
              counted == (int64_t)count && phase >= PHASE_INSTANTIATED && phase <= PHASE_TERMINATED &&
              read_numbers(in, state->numbers, count);
  free(type);
  for (size_t k = 0; k < table->text_count && fits; k++) fits = read_text(in, &state->texts[k]);
  state->phase = (UnitPhase)phase;
  state->settled = settled != 0;
  return fits;
}

UnitStatus adaptation_deserialize(Unit *unit, ByteReader *in, void **saved) {
  Adaptation *a = (Adaptation *)unit;
  State *state = new_state(a);
  if (!state) return UNIT_ERROR;
  UnitStatus status = UNIT_OK;
  if (!read_own(a, in, state))
    status = unit_fail(unit, "these bytes are not a state of it; pass what serializing a state of the same FMU gave");
  for (size_t l = 0; l < a->table->inner_count && status == UNIT_OK; l++) {
    Unit *inner = a->links[l].unit;
    status = inner->is->deserialize(inner, in, &state->inner[l]);
  }
  if (status == UNIT_ERROR) adaptation_release(unit, state);
  if (status == UNIT_OK) *saved = state;
  return status;
}
