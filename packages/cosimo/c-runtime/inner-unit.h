/*
 * What FMI 2.0 and FMI 3.0 FMUs inside have in common: life cycle, sizes of steps, values before initialization, saved states. Each
 * version has a table (FmuVersion) with its names and what it does differently.
 */
#ifndef COSIMO_INNER_UNIT_H
#define COSIMO_INNER_UNIT_H

#include "bytes.h"
#include "float-state.h"
#include "inner-fmu.h"

/* The statuses of both versions; FMI 3 has no pending. */
enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR, STATUS_FATAL, STATUS_PENDING };

/* Functions that both versions have with the same arguments: field, name but for its prefix in FMI 2 and in FMI 3, arguments. */
#define SHARED_FUNCTIONS(X)                                                                                               \
  X(exit_initialization, "ExitInitializationMode", "ExitInitializationMode", true, (void *))                              \
  X(terminate, "Terminate", "Terminate", true, (void *))                                                                  \
  X(reset, "Reset", "Reset", true, (void *))                                                                              \
  X(free_instance, "FreeInstance", "FreeInstance", true, (void *))                                                        \
  X(get_state, "GetFMUstate", "GetFMUState", false, (void *, void **))                                                    \
  X(set_state, "SetFMUstate", "SetFMUState", false, (void *, void *))                                                     \
  X(free_state, "FreeFMUstate", "FreeFMUState", false, (void *, void **))                                                 \
  X(state_size, "SerializedFMUstateSize", "SerializedFMUStateSize", false, (void *, void *, size_t *))                    \
  X(serialize, "SerializeFMUstate", "SerializeFMUState", false, (void *, void *, uint8_t[], size_t))                      \
  X(deserialize, "DeSerializeFMUstate", "DeserializeFMUState", false, (void *, const uint8_t[], size_t, void **))

typedef struct {
#define FIELD(NAME, OF_2, OF_3, REQUIRED, ARGUMENTS) int(*NAME) ARGUMENTS;
  SHARED_FUNCTIONS(FIELD)
#undef FIELD
} SharedFunctions;

typedef struct {
#define FIELD(NAME, OF_2, OF_3, REQUIRED, ARGUMENTS) const char *NAME;
  SHARED_FUNCTIONS(FIELD)
#undef FIELD
} SharedNames;

typedef struct FmuUnit FmuUnit;

typedef struct {
  /* By status. */
  const char *const *status_names;
  int status_count;
  SharedNames names;
  GivenSetters set;
  /* After an instance was made, and after its reset. */
  UnitStatus (*instantiated)(FmuUnit *self);
  /* After a state was restored, and after a reset; NULL: nothing. */
  void (*state_changed)(FmuUnit *self);
} FmuVersion;

/* The beginning of the units of both versions. */
struct FmuUnit {
  Unit unit;
  const FmuVersion *version;
  const FmuModel *model;
  void *library;
  SharedFunctions shared;
  /* Component or instance. */
  void *instance;
  /* The first step's size, NAN before it; unused by FMUs that take any. */
  double constant_step;
  size_t saved_states;
  /* Written before initialization. */
  ByteWriter given;
  bool reported_text;
  FloatGuard floats;
  /* References of the ports of one call. */
  uint32_t *references;
  /* Numbers that are part of a saved state, besides the FMU's own. */
  double *kept;
  size_t kept_count;
};

/* The rows of a version's table of symbols, for offsets from the beginning of its unit. */
#define SHARED_SYMBOL_2(NAME, OF_2, OF_3, REQUIRED, ARGUMENTS) {"fmi2" OF_2, offsetof(FmuUnit, shared.NAME), REQUIRED},
#define SHARED_SYMBOL_3(NAME, OF_2, OF_3, REQUIRED, ARGUMENTS) {"fmi3" OF_3, offsetof(FmuUnit, shared.NAME), REQUIRED},
#define SHARED_NAME_2(NAME, OF_2, OF_3, REQUIRED, ARGUMENTS) .NAME = "fmi2" OF_2,
#define SHARED_NAME_3(NAME, OF_2, OF_3, REQUIRED, ARGUMENTS) .NAME = "fmi3" OF_3,

/* What follows from the status of a call. */
UnitStatus fmu_settle(const FmuUnit *self, const char *call, int status);
LogLevel fmu_log_level(int status);

/* Calls a function of the FMU, with the floating-point state kept. */
#define GUARDED(BASE, NAME, CALL)                                                                                         \
  (float_enter(&(BASE)->floats), float_left(&(BASE)->unit, &(BASE)->floats, NAME, (int)(CALL)))

/* Elements of the ports; puts their references at `from` of the unit's. */
size_t fmu_references(FmuUnit *self, const unsigned ports[], size_t count, size_t from);
/* FMUs that want constant steps get the very same number each time. */
double fmu_step_size(FmuUnit *self, double from, double to);
/* Of a step that the FMU has not finished: `said` counts inside the step, and as its end but for rounding. What was discarded
   at the end was taken whole. */
void fmu_end_early(double from, double to, double said, StopReason reason, UnitStop *stop);
/* Whether a step may go from `from` to `to`. */
UnitStatus fmu_check_step(const Unit *unit, double from, double to);

UnitStatus fmu_exit_initialization(Unit *unit);
UnitStatus fmu_terminate(Unit *unit);
UnitStatus fmu_reset(Unit *unit);
/* Frees the instance, its library and what the beginning of the unit holds. */
void fmu_free(Unit *unit);

/* Sets values, or keeps them until initialization (given.c). */
UnitStatus fmu_write_numbers(Unit *unit, const unsigned ports[], size_t count, const double values[]);
UnitStatus fmu_write_longs(Unit *unit, const unsigned ports[], size_t count, const int64_t values[]);
UnitStatus fmu_write_texts(Unit *unit, const unsigned ports[], size_t count, const char *const values[]);
UnitStatus fmu_write_binaries(Unit *unit, const unsigned ports[], size_t count, const Binary values[]);

UnitStatus fmu_save(Unit *unit, void **state);
UnitStatus fmu_restore(Unit *unit, void *state);
UnitStatus fmu_release(Unit *unit, void *state);
UnitStatus fmu_serialize(Unit *unit, void *state, ByteWriter *out);
UnitStatus fmu_deserialize(Unit *unit, ByteReader *in, void **state);

#endif
