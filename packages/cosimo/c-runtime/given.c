/*
 * Values that are set on an FMU inside before initialization, kept until it may get them.
 *
 * Some FMUs set every variable to its start value in fmi2SetupExperiment, and some refuse values before it; the start time that this
 * call needs is known only when initialization begins. So values wait, as in Cosimo's own native unit: parameters and start values
 * follow the set-up of the experiment, inputs follow the entry into initialization mode.
 *
 * Encoding: for each port of each write its bank, its number and its elements.
 */
#include "bytes.h"
#include "inner-fmu.h"

#include <stdlib.h>

enum { NUMBERS, LONGS, TEXTS, BINARIES };

static void begin(ByteWriter *given, int bank, unsigned port) {
  write_long(given, bank);
  write_long(given, port);
}

static UnitStatus end(const Unit *unit, const ByteWriter *given) {
  return given->failed ? unit_fail(unit, "there is no memory left") : UNIT_OK;
}

UnitStatus given_numbers(const Unit *unit, const FmuModel *model, ByteWriter *given, const unsigned ports[], size_t count,
                         const double values[]) {
  for (size_t i = 0; i < count; i++) {
    const size_t size = model->ports[ports[i]].size;
    begin(given, NUMBERS, ports[i]);
    write_numbers(given, values, size);
    values += size;
  }
  return end(unit, given);
}

UnitStatus given_longs(const Unit *unit, const FmuModel *model, ByteWriter *given, const unsigned ports[], size_t count,
                       const int64_t values[]) {
  for (size_t i = 0; i < count; i++) {
    const size_t size = model->ports[ports[i]].size;
    begin(given, LONGS, ports[i]);
    write_bytes(given, values, size * sizeof values[0]);
    values += size;
  }
  return end(unit, given);
}

UnitStatus given_texts(const Unit *unit, const FmuModel *model, ByteWriter *given, const unsigned ports[], size_t count,
                       const char *const values[]) {
  for (size_t i = 0; i < count; i++) {
    begin(given, TEXTS, ports[i]);
    for (size_t k = 0; k < model->ports[ports[i]].size; k++) write_text(given, *values++);
  }
  return end(unit, given);
}

UnitStatus given_binaries(const Unit *unit, const FmuModel *model, ByteWriter *given, const unsigned ports[], size_t count,
                          const Binary values[]) {
  for (size_t i = 0; i < count; i++) {
    begin(given, BINARIES, ports[i]);
    for (size_t k = 0; k < model->ports[ports[i]].size; k++) write_binary(given, values++);
  }
  return end(unit, given);
}

/* ---- reading it back -------------------------------------------------------------------------------------------------------- */

/* Elements of one port, of any bank. */
typedef struct {
  double *numbers;
  int64_t *longs;
  char **texts;
  Binary *binaries;
} Elements;

static void free_elements(Elements *elements, size_t size) {
  for (size_t k = 0; elements->texts && k < size; k++) free(elements->texts[k]);
  for (size_t k = 0; elements->binaries && k < size; k++) free(elements->binaries[k].bytes);
  free(elements->numbers);
  free(elements->longs);
  free(elements->texts);
  free(elements->binaries);
}

static bool read_elements(const Unit *unit, ByteReader *in, int64_t bank, size_t size, Elements *out) {
  bool whole = true;
  switch (bank) {
    case NUMBERS:
      out->numbers = unit_allocate(unit, size, sizeof *out->numbers);
      return out->numbers && read_numbers(in, out->numbers, size);
    case LONGS:
      out->longs = unit_allocate(unit, size, sizeof *out->longs);
      return out->longs && read_bytes(in, out->longs, size * sizeof *out->longs);
    case TEXTS:
      out->texts = unit_allocate(unit, size, sizeof *out->texts);
      for (size_t k = 0; out->texts && k < size; k++) whole = read_text(in, &out->texts[k]) && whole;
      return out->texts && whole;
    case BINARIES:
      out->binaries = unit_allocate(unit, size, sizeof *out->binaries);
      for (size_t k = 0; out->binaries && k < size; k++) whole = read_binary(in, &out->binaries[k]) && whole;
      return out->binaries && whole;
    default: return false;
  }
}

static UnitStatus set_elements(Unit *unit, const GivenSetters *set, unsigned port, const Elements *of) {
  if (of->numbers && set->numbers) return set->numbers(unit, &port, 1, of->numbers);
  if (of->longs && set->longs) return set->longs(unit, &port, 1, of->longs);
  if (of->texts && set->texts) return set->texts(unit, &port, 1, (const char *const *)of->texts);
  if (of->binaries && set->binaries) return set->binaries(unit, &port, 1, of->binaries);
  return unit_fail(unit, "port %u takes no such value", port);
}

UnitStatus given_hand_over(Unit *unit, const FmuModel *model, const ByteWriter *given, bool inputs, const GivenSetters *set) {
  ByteReader in = {given->bytes, given->size, 0};
  UnitStatus status = UNIT_OK;
  while (status == UNIT_OK && in.at < in.size) {
    int64_t bank = 0;
    int64_t port = 0;
    /* A state made of bytes brings them from outside. */
    if (!read_long(&in, &bank) || !read_long(&in, &port) || port < 0 || (uint64_t)port >= model->port_count)
      return unit_fail(unit, "these bytes are not a state of it");
    Elements elements = {NULL, NULL, NULL, NULL};
    const size_t size = model->ports[port].size;
    if (!read_elements(unit, &in, bank, size, &elements)) status = unit_fail(unit, "these bytes are not a state of it");
    else if (model->ports[port].is_input == inputs) status = set_elements(unit, set, (unsigned)port, &elements);
    free_elements(&elements, size);
  }
  return status;
}

void given_forget(ByteWriter *given) {
  free(given->bytes);
  *given = (ByteWriter){NULL, 0, 0, false};
}

UnitStatus given_save(const Unit *unit, const ByteWriter *given, Binary *saved) {
  const Binary bytes = {given->size, given->bytes};
  if (given->size == 0) return UNIT_OK;
  return unit_copy_binary(unit, saved, &bytes);
}

UnitStatus given_restore(const Unit *unit, ByteWriter *given, const Binary *saved) {
  given_forget(given);
  write_bytes(given, saved->bytes, saved->size);
  return end(unit, given);
}

/* ---- texts that are missing ------------------------------------------------------------------------------------------------- */

void texts_expect(const char *values[], size_t count) {
  for (size_t k = 0; k < count; k++) values[k] = NULL;
}

void texts_check(const Unit *unit, const char *call, const char *values[], size_t count, bool *reported) {
  for (size_t k = 0; k < count; k++) {
    if (values[k]) continue;
    values[k] = "";
    if (!*reported) unit_log(unit, LOG_WARNING, "logStatusWarning", "%s gives NULL; it is read as an empty text", call);
    *reported = true;
  }
}
