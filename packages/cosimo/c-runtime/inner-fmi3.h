/* What the files of the FMI 3.0 unit share: the instance with its functions. */
#ifndef COSIMO_INNER_FMI3_H
#define COSIMO_INNER_FMI3_H

#include "fmi3.h"
#include "inner-unit.h"

typedef fmi3PlainTYPE fmi3EnterConfigurationModeTYPE, fmi3ExitConfigurationModeTYPE;

#define FMI3_ACCESS_FUNCTIONS(X)                                                                                          \
  X(fmi3GetFloat32, true) X(fmi3GetFloat64, true) X(fmi3GetInt8, true) X(fmi3GetUInt8, true) X(fmi3GetInt16, true)         \
  X(fmi3GetUInt16, true) X(fmi3GetInt32, true) X(fmi3GetUInt32, true) X(fmi3GetInt64, true) X(fmi3GetUInt64, true)         \
  X(fmi3GetBoolean, true) X(fmi3GetString, true) X(fmi3GetBinary, true) X(fmi3SetFloat32, true) X(fmi3SetFloat64, true)    \
  X(fmi3SetInt8, true) X(fmi3SetUInt8, true) X(fmi3SetInt16, true) X(fmi3SetUInt16, true) X(fmi3SetInt32, true)            \
  X(fmi3SetUInt32, true) X(fmi3SetInt64, true) X(fmi3SetUInt64, true) X(fmi3SetBoolean, true) X(fmi3SetString, true)       \
  X(fmi3SetBinary, true)
#define FMI3_OTHER_FUNCTIONS(X)                                                                                           \
  X(fmi3InstantiateCoSimulation, true) X(fmi3EnterInitializationMode, true) X(fmi3EnterConfigurationMode, false)           \
  X(fmi3ExitConfigurationMode, false) X(fmi3GetDirectionalDerivative, false) X(fmi3DoStep, true)

/* Inputs that follow slopes inside a step; all elements of the followed ports one after the other. */
typedef struct {
  size_t size;
  double *values;
  double *base;
  double *first;
  double *second;
  double begin;
  bool moving;
} Fmi3Follower;

typedef struct {
  FmuUnit base;
#define FIELD(NAME, REQUIRED) NAME##TYPE *NAME;
  FMI3_ACCESS_FUNCTIONS(FIELD) FMI3_OTHER_FUNCTIONS(FIELD)
#undef FIELD
  /* Elements on their way to another type. */
  void *elements;
  size_t *sizes;
  Fmi3Follower follower;
} Fmi3Unit;

/* Calls a function of the FMU that returns a status. */
#define CALL(NAME, ...) GUARDED(&self->base, #NAME, self->NAME(self->base.instance, __VA_ARGS__))
/* And settles it. */
#define INVOKE(NAME, ...) fmu_settle(&self->base, #NAME, CALL(NAME, __VA_ARGS__))

/* inner-fmi3-values.c */
UnitStatus fmi3_get_numbers(Unit *unit, const unsigned ports[], size_t count, double values[]);
UnitStatus fmi3_set_numbers(Unit *unit, const unsigned ports[], size_t count, const double values[]);
UnitStatus fmi3_get_longs(Unit *unit, const unsigned ports[], size_t count, int64_t values[]);
UnitStatus fmi3_set_longs(Unit *unit, const unsigned ports[], size_t count, const int64_t values[]);
UnitStatus fmi3_get_texts(Unit *unit, const unsigned ports[], size_t count, const char *values[]);
UnitStatus fmi3_set_texts(Unit *unit, const unsigned ports[], size_t count, const char *const values[]);
UnitStatus fmi3_get_binaries(Unit *unit, const unsigned ports[], size_t count, Binary values[]);
UnitStatus fmi3_set_binaries(Unit *unit, const unsigned ports[], size_t count, const Binary values[]);

#endif
