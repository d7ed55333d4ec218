/* Values of an FMI 3.0 FMU: between the banks of units and the types of the standard, port by port. */
#include "inner-fmi3.h"

/* A case of a switch for each integer type that a double can hold. */
#define NARROW_TYPES(MOVE)                                                                                                \
  case TYPE_INT8: MOVE(Int8); break;                                                                                      \
  case TYPE_UINT8: MOVE(UInt8); break;                                                                                    \
  case TYPE_INT16: MOVE(Int16); break;                                                                                    \
  case TYPE_UINT16: MOVE(UInt16); break;                                                                                  \
  case TYPE_INT32: MOVE(Int32); break;                                                                                    \
  case TYPE_UINT32: MOVE(UInt32); break;                                                                                  \
  case TYPE_ENUMERATION: MOVE(Int64); break;                                                                              \
  case TYPE_BOOLEAN: MOVE(Boolean); break;

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
    const FmuPort *port = &self->base.model->ports[ports[i]];
    const fmi3ValueReference reference = port->reference;
    const size_t size = port->size;
    switch (port->type) {
      case TYPE_FLOAT64: UNIT_TRY(INVOKE(fmi3GetFloat64, &reference, 1, values, size)); break;
      case TYPE_FLOAT32: GET_AS(Float32); break;
      NARROW_TYPES(GET_AS)
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
    const FmuPort *port = &self->base.model->ports[ports[i]];
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
      NARROW_TYPES(SET_AS)
      default: return unit_fail(unit, "port %u takes no number", ports[i]);
    }
    values += size;
  }
  return UNIT_OK;
}

UnitStatus fmi3_get_longs(Unit *unit, const unsigned ports[], size_t count, int64_t values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  for (size_t i = 0; i < count; i++) {
    const FmuPort *port = &self->base.model->ports[ports[i]];
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
    const FmuPort *port = &self->base.model->ports[ports[i]];
    const fmi3ValueReference reference = port->reference;
    if (port->type == TYPE_UINT64)
      UNIT_TRY(INVOKE(fmi3SetUInt64, &reference, 1, (const fmi3UInt64 *)values, port->size));
    else UNIT_TRY(INVOKE(fmi3SetInt64, &reference, 1, values, port->size));
    values += port->size;
  }
  return UNIT_OK;
}

UnitStatus fmi3_get_texts(Unit *unit, const unsigned ports[], size_t count, const char *values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  const size_t elements = fmu_references(&self->base, ports, count, 0);
  texts_expect(values, elements);
  UNIT_TRY(INVOKE(fmi3GetString, self->base.references, count, values, elements));
  texts_check(unit, "fmi3GetString", values, elements, &self->base.reported_text);
  return UNIT_OK;
}

UnitStatus fmi3_set_texts(Unit *unit, const unsigned ports[], size_t count, const char *const values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  const size_t elements = fmu_references(&self->base, ports, count, 0);
  return INVOKE(fmi3SetString, self->base.references, count, (const fmi3String *)values, elements);
}

UnitStatus fmi3_get_binaries(Unit *unit, const unsigned ports[], size_t count, Binary values[]) {
  Fmi3Unit *self = (Fmi3Unit *)unit;
  fmi3Binary *views = self->elements;
  for (size_t i = 0; i < count; i++) {
    const size_t elements = fmu_references(&self->base, &ports[i], 1, 0);
    for (size_t k = 0; k < elements; k++) {
      self->sizes[k] = 0;
      views[k] = NULL;
    }
    UNIT_TRY(INVOKE(fmi3GetBinary, self->base.references, 1, self->sizes, views, elements));
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
    const size_t elements = fmu_references(&self->base, &ports[i], 1, 0);
    for (size_t k = 0; k < elements; k++) {
      self->sizes[k] = values[k].size;
      views[k] = values[k].bytes;
    }
    UNIT_TRY(INVOKE(fmi3SetBinary, self->base.references, 1, self->sizes, views, elements));
    values += elements;
  }
  return UNIT_OK;
}
