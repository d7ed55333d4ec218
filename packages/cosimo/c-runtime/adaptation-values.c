/* Values of adaptations: their own, and those of inner units that show through. */
#include "adaptation-link.h"

/* Where the values of a port come from, NULL for the adaptation itself; and where they go to. */
static Unit *source_of(const Adaptation *a, const OwnPort *port) {
  return port->kind == OWN_PASSED ? a->links[port->inner].unit : NULL;
}
static Unit *target_of(const Adaptation *a, const OwnPort *port) {
  return port->is_written_inside ? a->links[port->inner].unit : NULL;
}

UnitStatus adaptation_get_numbers(Unit *unit, const unsigned ports[], size_t count, double values[]) {
  Adaptation *a = (Adaptation *)unit;
  UNIT_TRY(adaptation_refresh(a));
  for (size_t k = 0; k < count; k++) {
    const OwnPort *port = &a->table->ports[ports[k]];
    Unit *inner = source_of(a, port);
    if (inner) UNIT_TRY(inner->is->get_numbers(inner, &port->port, 1, values));
    else *values = a->numbers[port->cell];
    values += port->size;
  }
  return UNIT_OK;
}

UnitStatus adaptation_get_texts(Unit *unit, const unsigned ports[], size_t count, const char *values[]) {
  Adaptation *a = (Adaptation *)unit;
  UNIT_TRY(adaptation_refresh(a));
  for (size_t k = 0; k < count; k++) {
    const OwnPort *port = &a->table->ports[ports[k]];
    Unit *inner = source_of(a, port);
    if (inner) UNIT_TRY(inner->is->get_texts(inner, &port->port, 1, values));
    else *values = a->texts[port->cell];
    values += port->size;
  }
  return UNIT_OK;
}

/* Rules speak of numbers and texts only, so these are ports that show through. */
UnitStatus adaptation_get_longs(Unit *unit, const unsigned ports[], size_t count, int64_t values[]) {
  Adaptation *a = (Adaptation *)unit;
  UNIT_TRY(adaptation_refresh(a));
  for (size_t k = 0; k < count; k++) {
    const OwnPort *port = &a->table->ports[ports[k]];
    Unit *inner = source_of(a, port);
    UNIT_TRY(inner->is->get_longs(inner, &port->port, 1, values));
    values += port->size;
  }
  return UNIT_OK;
}

UnitStatus adaptation_get_binaries(Unit *unit, const unsigned ports[], size_t count, Binary values[]) {
  Adaptation *a = (Adaptation *)unit;
  UNIT_TRY(adaptation_refresh(a));
  for (size_t k = 0; k < count; k++) {
    const OwnPort *port = &a->table->ports[ports[k]];
    Unit *inner = source_of(a, port);
    UNIT_TRY(inner->is->get_binaries(inner, &port->port, 1, values));
    values += port->size;
  }
  return UNIT_OK;
}

/* Outputs follow inputs of a Mealy adaptation at once, and rules may depend on parameters. */
static void note_written(Adaptation *a, const unsigned ports[], size_t count) {
  a->outdated = true;
  if (a->table->is_mealy) a->settled = false;
  for (size_t k = 0; k < count; k++)
    if (a->table->ports[ports[k]].kind == OWN_PARAMETER) a->settled = false;
}

UnitStatus adaptation_set_numbers(Unit *unit, const unsigned ports[], size_t count, const double values[]) {
  Adaptation *a = (Adaptation *)unit;
  for (size_t k = 0; k < count; k++) {
    const OwnPort *port = &a->table->ports[ports[k]];
    Unit *inner = target_of(a, port);
    if (inner) UNIT_TRY(inner->is->set_numbers(inner, &port->port, 1, values));
    else a->numbers[port->cell] = *values;
    values += port->size;
  }
  note_written(a, ports, count);
  return UNIT_OK;
}

UnitStatus adaptation_set_texts(Unit *unit, const unsigned ports[], size_t count, const char *const values[]) {
  Adaptation *a = (Adaptation *)unit;
  for (size_t k = 0; k < count; k++) {
    const OwnPort *port = &a->table->ports[ports[k]];
    Unit *inner = target_of(a, port);
    if (inner) UNIT_TRY(inner->is->set_texts(inner, &port->port, 1, values));
    else UNIT_TRY(unit_copy_text(unit, &a->texts[port->cell], *values));
    values += port->size;
  }
  note_written(a, ports, count);
  return UNIT_OK;
}

UnitStatus adaptation_set_longs(Unit *unit, const unsigned ports[], size_t count, const int64_t values[]) {
  Adaptation *a = (Adaptation *)unit;
  for (size_t k = 0; k < count; k++) {
    const OwnPort *port = &a->table->ports[ports[k]];
    Unit *inner = target_of(a, port);
    UNIT_TRY(inner->is->set_longs(inner, &port->port, 1, values));
    values += port->size;
  }
  note_written(a, ports, count);
  return UNIT_OK;
}

UnitStatus adaptation_set_binaries(Unit *unit, const unsigned ports[], size_t count, const Binary values[]) {
  Adaptation *a = (Adaptation *)unit;
  for (size_t k = 0; k < count; k++) {
    const OwnPort *port = &a->table->ports[ports[k]];
    Unit *inner = target_of(a, port);
    UNIT_TRY(inner->is->set_binaries(inner, &port->port, 1, values));
    values += port->size;
  }
  note_written(a, ports, count);
  return UNIT_OK;
}

UnitStatus adaptation_set_input_derivatives(Unit *unit, const unsigned ports[], const int orders[], size_t count,
                                            const double values[]) {
  Adaptation *a = (Adaptation *)unit;
  for (size_t k = 0; k < count; k++) {
    const OwnPort *port = &a->table->ports[ports[k]];
    if (port->kind == OWN_PASSED) {
      Unit *inner = target_of(a, port);
      UNIT_TRY(inner->is->set_input_derivatives(inner, &port->port, &orders[k], 1, values));
      values += port->size;
      continue;
    }
    if (orders[k] != 1 && orders[k] != 2) return unit_fail(unit, "it takes no input derivatives of order %d", orders[k]);
    size_t at = 0;
    for (size_t p = 0; p < ports[k]; p++)
      if (a->table->ports[p].kind == OWN_INPUT && a->table->ports[p].bank != BANK_TEXT) at++;
    (orders[k] == 1 ? a->slopes : a->curves)[at] = *values++;
  }
  return UNIT_OK;
}
