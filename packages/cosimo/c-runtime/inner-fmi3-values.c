/* Values of an FMI 3.0 FMU: between the banks of units and the types of the standard, port by port. */
#include "inner-fmi3.h"

/* Numbers to and from a type that is narrower than a double. */
#define GET_AS(TYPE)                                                                \
  do {                                                                              \
    fmi3##TYPE *elements = self->elements;                                          \
    UNIT_TRY(INVOKE(fmi3Get##TYPE, &reference, 1, elements, size));                 \
    for (size_t k = 0; k < size; k++) values[k] = (double)elements[k];              \
  } while (0)
#define SET_AS(TYPE)                                                                \
  do {                                                                              \
    fmi3##TYPE *elements = self->elements;                                          \
    for (size_t k = 0; k < size; k++) elements[k] = (fmi3##TYPE)whole_number(values[k]); \
    UNIT_TRY(INVOKE(fmi3Set##TYPE, &reference, 1, elements, size));                 \
  } while (0)

UnitStatus fmi3_get_numbers(Unit *unit, const unsigned ports[], size_t count, double values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  for (size_t i = 0; i < count; i++) {
    const FmuPort *port = &self->model->ports[ports[i]];
    const fmi3ValueReference reference = port->reference;
    const size_t size = port->size;
    switch (port->type) {
      case TYPE_FLOAT64: UNIT_TRY(INVOKE(fmi3GetFloat64, &reference, 1, values, size)); break;
      case TYPE_FLOAT32: GET_AS(Float32); break;
      case TYPE_INT8: GET_AS(Int8); break;
      case TYPE_UINT8: GET_AS(UInt8); break;
      case TYPE_INT16: GET_AS(Int16); break;
      case TYPE_UINT16: GET_AS(UInt16); break;
      case TYPE_INT32: GET_AS(Int32); break;
      case TYPE_UINT32: GET_AS(UInt32); break;
      case TYPE_ENUMERATION: GET_AS(Int64); break;
      case TYPE_BOOLEAN: GET_AS(Boolean); break;
      case TYPE_CLOCK:
        /* Clocks tick only in event mode, which this unit never enters. */
        for (size_t k = 0; k < size; k++) values[k] = 0;
        break;
      default: return unit_fail(unit, "port %u holds no number", ports[i]);
    }
    values += size;
  }
  return UNIT_OK;
}

UnitStatus fmi3_set_numbers(Unit *unit, const unsigned ports[], size_t count, const double values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  for (size_t i = 0; i < count; i++) {
    const FmuPort *port = &self->model->ports[ports[i]];
    const fmi3ValueReference reference = port->reference;
    const size_t size = port->size;
    switch (port->type) {
      case TYPE_FLOAT64: UNIT_TRY(INVOKE(fmi3SetFloat64, &reference, 1, values, size)); break;
      case TYPE_FLOAT32: {
        fmi3Float32 *elements = self->elements;
        for (size_t k = 0; k < size; k++) elements[k] = (fmi3Float32)values[k];
        UNIT_TRY(INVOKE(fmi3SetFloat32, &reference, 1, elements, size));
        break;
      }
      case TYPE_INT8: SET_AS(Int8); break;
      case TYPE_UINT8: SET_AS(UInt8); break;
      case TYPE_INT16: SET_AS(Int16); break;
      case TYPE_UINT16: SET_AS(UInt16); break;
      case TYPE_INT32: SET_AS(Int32); break;
      case TYPE_UINT32: SET_AS(UInt32); break;
      case TYPE_ENUMERATION: SET_AS(Int64); break;
      case TYPE_BOOLEAN: SET_AS(Boolean); break;
      default: return unit_fail(unit, "port %u takes no number", ports[i]);
    }
    values += size;
  }
  return UNIT_OK;
}

UnitStatus fmi3_get_longs(Unit *unit, const unsigned ports[], size_t count, int64_t values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  for (size_t i = 0; i < count; i++) {
    const FmuPort *port = &self->model->ports[ports[i]];
    const fmi3ValueReference reference = port->reference;
    if (port->type == TYPE_UINT64) UNIT_TRY(INVOKE(fmi3GetUInt64, &reference, 1, (fmi3UInt64 *)values, port->size));
    else UNIT_TRY(INVOKE(fmi3GetInt64, &reference, 1, values, port->size));
    values += port->size;
  }
  return UNIT_OK;
}

UnitStatus fmi3_set_longs(Unit *unit, const unsigned ports[], size_t count, const int64_t values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  for (size_t i = 0; i < count; i++) {
    const FmuPort *port = &self->model->ports[ports[i]];
    const fmi3ValueReference reference = port->reference;
    if (port->type == TYPE_UINT64)
      UNIT_TRY(INVOKE(fmi3SetUInt64, &reference, 1, (const fmi3UInt64 *)values, port->size));
    else UNIT_TRY(INVOKE(fmi3SetInt64, &reference, 1, values, port->size));
    values += port->size;
  }
  return UNIT_OK;
}

static size_t references_of(Fmi3Unit *self, const unsigned ports[], size_t count) {
  size_t elements = 0;
  for (size_t i = 0; i < count; i++) {
    self->references[i] = self->model->ports[ports[i]].reference;
    elements += self->model->ports[ports[i]].size;
  }
  return elements;
}

UnitStatus fmi3_get_texts(Unit *unit, const unsigned ports[], size_t count, const char *values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  const size_t elements = references_of(self, ports, count);
  texts_expect(values, elements);
  UNIT_TRY(INVOKE(fmi3GetString, self->references, count, values, elements));
  texts_check(unit, "fmi3GetString", values, elements, &self->told_of_text);
  return UNIT_OK;
}

UnitStatus fmi3_set_texts(Unit *unit, const unsigned ports[], size_t count, const char *const values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  const size_t elements = references_of(self, ports, count);
  return INVOKE(fmi3SetString, self->references, count, (const fmi3String *)values, elements);
}

UnitStatus fmi3_get_binaries(Unit *unit, const unsigned ports[], size_t count, Binary values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  fmi3Binary *views = self->elements;
  for (size_t i = 0; i < count; i++) {
    const size_t elements = references_of(self, &ports[i], 1);
    for (size_t k = 0; k < elements; k++) {
      self->sizes[k] = 0;
      views[k] = NULL;
    }
    UNIT_TRY(INVOKE(fmi3GetBinary, self->references, 1, self->sizes, views, elements));
    for (size_t k = 0; k < elements; k++)
      if (!views[k] && self->sizes[k] > 0) return unit_fail(unit, "fmi3GetBinary gives NULL for port %u", ports[i]);
    for (size_t k = 0; k < elements; k++) values[k] = (Binary){self->sizes[k], (uint8_t *)(uintptr_t)views[k]};
    values += elements;
  }
  return UNIT_OK;
}

UnitStatus fmi3_set_binaries(Unit *unit, const unsigned ports[], size_t count, const Binary values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  fmi3Binary *views = self->elements;
  for (size_t i = 0; i < count; i++) {
    const size_t elements = references_of(self, &ports[i], 1);
    for (size_t k = 0; k < elements; k++) {
      self->sizes[k] = values[k].size;
      views[k] = values[k].bytes;
    }
    UNIT_TRY(INVOKE(fmi3SetBinary, self->references, 1, self->sizes, views, elements));
    values += elements;
  }
  return UNIT_OK;
}

/* ---- before initialization -------------------------------------------------------------------------------------------------- */

#define WRITE(BANK, VALUE)                                                                                             \
  UnitStatus fmi3_write_##BANK(Unit *unit, const unsigned ports[], size_t count, VALUE values[]) {                     \
    Fmi3Unit *self = (Fmi3Unit *)unit;                                                                                 \
    if (unit->phase != PHASE_INSTANTIATED) return fmi3_set_##BANK(unit, ports, count, values);                         \
    return given_##BANK(unit, self->model, &self->given, ports, count, values);                                        \
  }

WRITE(numbers, const double)
WRITE(longs, const int64_t)
WRITE(texts, const char *const)
WRITE(binaries, const Binary)
