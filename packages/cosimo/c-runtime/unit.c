/* What all units share: memory with a name, reports, owned texts. */
#include "unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };

static void report(const UnitHost *host, const char *unit, LogLevel level, const char *category, const char *message) {
  if (host->logging || level >= LOG_ERROR) host->log(host->shell, unit, level, category, message);
}

static char *copy_of(const char *text) {
  const size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

void *unit_make(size_t size, const UnitClass *is, const UnitHost *host, const char *name) {
  Unit *unit = calloc(1, size);
  char *own_name = copy_of(name);
  if (!unit || !own_name) {
    report(host, name, LOG_ERROR, "logStatusError", "there is no memory left");
    free(unit);
    free(own_name);
    return NULL;
  }
  unit->is = is;
  unit->host = host;
  unit->name = own_name;
  return unit;
}

void unit_end(Unit *unit) {
  if (!unit) return;
  free(unit->name);
  free(unit);
}

Unit *unit_make_inner(const Unit *outer, const char *name, UnitMaker *make) {
  const size_t size = strlen(outer->name) + strlen(name) + 2;
  char *full = unit_allocate(outer, size, 1);
  if (!full) return NULL;
  snprintf(full, size, "%s.%s", outer->name, name);
  Unit *inner = make(outer->host, full);
  free(full);
  return inner;
}

void unit_free(Unit *unit) {
  if (unit) unit->is->free(unit);
}

UnitStatus unit_fail(const Unit *unit, const char *format, ...) {
  char message[MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  report(unit->host, unit->name, LOG_ERROR, "logStatusError", message);
  return UNIT_ERROR;
}

void unit_log(const Unit *unit, LogLevel level, const char *category, const char *format, ...) {
  char message[MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  report(unit->host, unit->name, level, category, message);
}

void *unit_allocate(const Unit *unit, size_t count, size_t size) {
  void *memory = calloc(count > 0 ? count : 1, size);
  if (!memory) unit_fail(unit, "there is no memory left");
  return memory;
}

UnitStatus unit_copy_text(const Unit *unit, char **place, const char *text) {
  if (*place == text) return UNIT_OK;
  char *copy = copy_of(text ? text : "");
  if (!copy) return unit_fail(unit, "there is no memory left");
  free(*place);
  *place = copy;
  return UNIT_OK;
}

/* One byte more than the value has, zero: texts are kept as binaries too. */
UnitStatus unit_copy_binary(const Unit *unit, Binary *place, const Binary *value) {
  if (place->bytes == value->bytes && place->bytes) return UNIT_OK;
  uint8_t *copy = malloc(value->size + 1);
  if (!copy) return unit_fail(unit, "there is no memory left");
  if (value->size > 0) memcpy(copy, value->bytes, value->size);
  copy[value->size] = 0;
  free(place->bytes);
  place->bytes = copy;
  place->size = value->size;
  return UNIT_OK;
}
