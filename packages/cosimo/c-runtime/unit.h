/*
 * The simulation unit in C: what an exported FMU is made of. It mirrors the contract of Cosimo's own units (unit/unit.ts), so that
 * an exported FMU does what Cosimo does, call by call.
 *
 * An FMU inside, a generated adaptation and a generated plan are all units, and each of the latter two is made around units:
 * nesting goes to any depth. A shell (fmi2-shell.c, fmi3-shell.c) shows the outermost unit to the world as an FMU.
 *
 * Life cycle: instantiated -> enter_initialization -> initialization -> exit_initialization -> step -> terminate -> terminated;
 * reset goes back to instantiated from everywhere. Shells keep to it, so units need not check it.
 *
 * Ports are numbered as in the unit's description. A value lies in one of these banks:
 *   numbers   double: floats, integers up to 32 bits, enumerations, booleans and clocks (0 and 1)
 *   longs     int64_t: 64-bit integers, unsigned ones with the same bits
 *   texts     zero-ended UTF-8
 *   binaries  Binary
 * Transfers take a list of ports of one bank and all their elements one after the other.
 */
#ifndef COSIMO_UNIT_H
#define COSIMO_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* UNIT_ERROR was reported where it happened: pass it on. After UNIT_FATAL the unit must not be called again, not even to free it. */
typedef enum { UNIT_OK, UNIT_ERROR, UNIT_FATAL } UnitStatus;

typedef enum { PHASE_INSTANTIATED, PHASE_INITIALIZATION, PHASE_STEP, PHASE_TERMINATED } UnitPhase;

/* Why a unit stopped. STOP_EVENT and STOP_DISCARDED: it came less far than asked; STOP_TERMINATED: it asks to end the simulation. */
typedef enum { STOP_TIME, STOP_EVENT, STOP_DISCARDED, STOP_TERMINATED } StopReason;

typedef struct {
  StopReason reason;
  /* Where the unit is now: exactly the requested time when the reason is STOP_TIME. */
  double time;
} UnitStop;

typedef struct {
  double start;
  bool has_stop;
  double stop;
  bool has_tolerance;
  double tolerance;
} UnitExperiment;

typedef struct {
  size_t size;
  uint8_t *bytes;
} Binary;

typedef enum { LOG_OK, LOG_WARNING, LOG_DISCARD, LOG_ERROR, LOG_FATAL } LogLevel;

/* What the shell offers to all units inside. One for each instance of the exported FMU; there are no globals. */
typedef struct {
  void *shell;
  /* Folder of the exported FMU's resources, without a separator at its end. */
  const char *resources;
  bool logging;
  void (*log)(void *shell, const char *unit, LogLevel level, const char *category, const char *message);
} UnitHost;

/* Growing bytes to write a state into, and a place to read one from; both in ./bytes.h. */
typedef struct ByteWriter ByteWriter;
typedef struct ByteReader ByteReader;

typedef struct Unit Unit;

/* The functions of one kind of unit. A pointer is NULL where the description says that the unit cannot do it (derivatives, states). */
typedef struct {
  UnitStatus (*enter_initialization)(Unit *unit, const UnitExperiment *experiment);
  UnitStatus (*exit_initialization)(Unit *unit);
  /* From `from`, where the unit is, to `to`. Coming less far is an answer, not an error. */
  UnitStatus (*advance)(Unit *unit, double from, double to, UnitStop *stop);
  /* Of a unit that changes at events only: when the next one is, beyond 1e300 where none is. Steps of no length handle events. */
  double (*next_event)(const Unit *unit);
  UnitStatus (*terminate)(Unit *unit);
  UnitStatus (*reset)(Unit *unit);
  void (*free)(Unit *unit);

  UnitStatus (*get_numbers)(Unit *unit, const unsigned ports[], size_t count, double values[]);
  UnitStatus (*get_longs)(Unit *unit, const unsigned ports[], size_t count, int64_t values[]);
  /* Texts and bytes that were got belong to the unit and last until it is called again. */
  UnitStatus (*get_texts)(Unit *unit, const unsigned ports[], size_t count, const char *values[]);
  UnitStatus (*get_binaries)(Unit *unit, const unsigned ports[], size_t count, Binary values[]);
  /* Inputs; parameters while the phase allows it. The unit copies texts and bytes. */
  UnitStatus (*set_numbers)(Unit *unit, const unsigned ports[], size_t count, const double values[]);
  UnitStatus (*set_longs)(Unit *unit, const unsigned ports[], size_t count, const int64_t values[]);
  UnitStatus (*set_texts)(Unit *unit, const unsigned ports[], size_t count, const char *const values[]);
  UnitStatus (*set_binaries)(Unit *unit, const unsigned ports[], size_t count, const Binary values[]);

  /* Time derivatives of inputs that hold from now on; orders[i] >= 1 belongs to ports[i]. */
  UnitStatus (*set_input_derivatives)(Unit *unit, const unsigned ports[], const int orders[], size_t count,
                                      const double values[]);
  /* out = d unknowns / d knowns * seed; one entry for every element. */
  UnitStatus (*directional_derivative)(Unit *unit, const unsigned unknowns[], size_t unknown_count,
                                       const unsigned knowns[], size_t known_count, const double seed[], double out[]);

  /* Each saved state belongs to the unit until it is released. Restoring may be done more than once. */
  UnitStatus (*save)(Unit *unit, void **state);
  UnitStatus (*restore)(Unit *unit, void *state);
  UnitStatus (*release)(Unit *unit, void *state);
  UnitStatus (*serialize)(Unit *unit, void *state, ByteWriter *out);
  UnitStatus (*deserialize)(Unit *unit, ByteReader *in, void **state);
} UnitClass;

/* The first member of every unit's own struct. */
struct Unit {
  const UnitClass *is;
  const UnitHost *host;
  /* Full name, as messages call it: `outer.inner`. */
  char *name;
  UnitPhase phase;
  /* Where the unit is. */
  double time;
};

/* Every unit has a maker of this type. NULL: it could not be made, and has said why. `name` is copied. */
typedef Unit *UnitMaker(const UnitHost *host, const char *name);

/* Passes on every status but UNIT_OK. */
#define UNIT_TRY(call)                         \
  do {                                         \
    const UnitStatus status_ = (call);         \
    if (status_ != UNIT_OK) return status_;    \
  } while (0)

/* ---- what makers need (unit.c) -------------------------------------------------------------------------------------------- */

/* Zeroed memory whose first member is a Unit in phase instantiated; NULL after a report when there is no memory. */
void *unit_make(size_t size, const UnitClass *is, const UnitHost *host, const char *name);
/* Frees the name and the memory itself; NULL is fine. The last thing that a unit's own `free` calls. */
void unit_end(Unit *unit);
/* Makes the unit inside `outer` that is called `name` there. */
Unit *unit_make_inner(const Unit *outer, const char *name, UnitMaker *make);
/* Frees a unit with all that is in it; NULL is fine. */
void unit_free(Unit *unit);

/* Reports and returns UNIT_ERROR: `return unit_fail(unit, "it returned %g", taken);` */
UnitStatus unit_fail(const Unit *unit, const char *format, ...);
void unit_log(const Unit *unit, LogLevel level, const char *category, const char *format, ...);

/* Zeroed memory for `count` items; reports where there is none. Count 0 gives memory too. */
void *unit_allocate(const Unit *unit, size_t count, size_t size);
/* Replaces an owned text or owned bytes by a copy; `*place` may be NULL. */
UnitStatus unit_copy_text(const Unit *unit, char **place, const char *text);
UnitStatus unit_copy_binary(const Unit *unit, Binary *place, const Binary *value);

/* ---- states as bytes (bytes.c) ---------------------------------------------------------------------------------------------- */

/* Writing never fails at once: `bytes_failed` says at the end whether memory was short. */
void write_number(ByteWriter *out, double value);
void write_numbers(ByteWriter *out, const double values[], size_t count);
void write_long(ByteWriter *out, int64_t value);
void write_text(ByteWriter *out, const char *text);
void write_binary(ByteWriter *out, const Binary *value);
/* False where the bytes end too early or are of something else; what was read is then 0. */
bool read_number(ByteReader *in, double *value);
bool read_numbers(ByteReader *in, double values[], size_t count);
bool read_long(ByteReader *in, int64_t *value);
/* Replaces owned values. */
bool read_text(ByteReader *in, char **place);
bool read_binary(ByteReader *in, Binary *place);

#endif
