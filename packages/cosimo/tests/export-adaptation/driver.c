/*
 * Drives one unit by lines of text, for tests: `driver <number of the unit> < commands`. Numbers go in and out with 17 digits, which is
 * all that a double has. A call that fails prints `error` and ends it all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "unit.h"

/* Generated with the units. */
extern UnitMaker *const MAKERS[];

enum { STATES = 16 };

static void on_log(void *shell, const char *unit, LogLevel level, const char *category, const char *message) {
  (void)shell, (void)level, (void)category;
  fprintf(stderr, "%s: %s\n", unit, message);
}

static void print_number(double value) { printf("%.17g\n", value); }

static UnitStatus round_trip(Unit *unit, void **state) {
  ByteWriter out = {NULL, 0, 0, false};
  UNIT_TRY(unit->is->serialize(unit, *state, &out));
  UNIT_TRY(unit->is->release(unit, *state));
  ByteReader in = {out.bytes, out.size, 0};
  const UnitStatus status = unit->is->deserialize(unit, &in, state);
  /* Bytes that end too early, or are of something else, are refused. */
  ByteReader cut = {out.bytes, out.size - 1, 0};
  ByteReader other = {out.bytes + 1, out.size - 1, 0};
  void *none = NULL;
  if (unit->is->deserialize(unit, &cut, &none) == UNIT_OK || unit->is->deserialize(unit, &other, &none) == UNIT_OK)
    return unit_fail(unit, "it reads bytes that are not a state");
  free(out.bytes);
  return status;
}

static UnitStatus step(Unit *unit, double size) {
  static const char *const reasons[] = {"time", "event", "discarded", "terminated"};
  const double to = unit->time + size;
  UnitStop stop = {STOP_TIME, to};
  UNIT_TRY(unit->is->advance(unit, unit->time, to, &stop));
  printf("%s\n", reasons[stop.reason]);
  print_number(stop.time);
  return UNIT_OK;
}

static UnitStatus obey(Unit *unit, const char *command, unsigned port, const char *rest, void *states[]) {
  const double value = strtod(rest, NULL);
  double number = 0;
  const int first = 1;
  if (strcmp(command, "start") == 0) {
    const UnitExperiment experiment = {0, port == 1, value, false, 0};
    return unit->is->enter_initialization(unit, &experiment);
  }
  if (strcmp(command, "begin") == 0) return unit->is->exit_initialization(unit);
  if (strcmp(command, "end") == 0) return unit->is->terminate(unit);
  if (strcmp(command, "reset") == 0) return unit->is->reset(unit);
  if (strcmp(command, "step") == 0) return step(unit, value);
  if (strcmp(command, "set") == 0) return unit->is->set_numbers(unit, &port, 1, &value);
  if (strcmp(command, "text") == 0) return unit->is->set_texts(unit, &port, 1, &rest);
  if (strcmp(command, "slope") == 0) return unit->is->set_input_derivatives(unit, &port, &first, 1, &value);
  if (strcmp(command, "get") == 0) {
    UNIT_TRY(unit->is->get_numbers(unit, &port, 1, &number));
    print_number(number);
    return UNIT_OK;
  }
  if (strcmp(command, "read") == 0) {
    const char *text = NULL;
    UNIT_TRY(unit->is->get_texts(unit, &port, 1, &text));
    printf("%s\n", text);
    return UNIT_OK;
  }
  if (strcmp(command, "save") == 0) return unit->is->save(unit, &states[port]);
  if (strcmp(command, "bytes") == 0) return round_trip(unit, &states[port]);
  if (strcmp(command, "restore") == 0) return unit->is->restore(unit, states[port]);
  if (strcmp(command, "release") == 0) {
    const UnitStatus status = unit->is->release(unit, states[port]);
    states[port] = NULL;
    return status;
  }
  return unit_fail(unit, "there is no command '%s'", command);
}

int main(int count, char *arguments[]) {
  const UnitHost host = {NULL, "", false, on_log};
  if (count != 2) return 2;
  Unit *unit = MAKERS[atoi(arguments[1])](&host, "adapted");
  if (!unit) return 2;
  void *states[STATES] = {NULL};
  char line[512];
  char command[16];
  unsigned port = 0;
  int rest = 0;
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%15s %u %n", command, &port, &rest) != 2 || port >= 1000) return 2;
    if (obey(unit, command, port, line + rest, states) == UNIT_OK) continue;
    printf("error\n");
    break;
  }
  for (size_t s = 0; s < STATES; s++)
    if (states[s]) unit->is->release(unit, states[s]);
  unit_free(unit);
  return 0;
}
