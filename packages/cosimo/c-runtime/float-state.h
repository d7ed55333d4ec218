/*
 * The floating-point state of the processor around calls of FMUs inside: rounding mode, flushing of tiny numbers, precision, traps. It counts
 * as the importer's: an FMU inside that changes it, in a call or while its library is loaded, does not change how its neighbours, the
 * plan around it or the importer compute.
 */
#ifndef COSIMO_FLOAT_STATE_H
#define COSIMO_FLOAT_STATE_H

#include "unit.h"

typedef struct {
  /* x86-64: MXCSR without the flags of exceptions that happened; ARM64: FPCR. */
  uint64_t mode;
  /* x86-64: the control word of the x87 unit. */
  uint16_t control;
  /* x86-64: 0 where no value is left in a register of the x87 unit, which MMX uses too. */
  uint16_t registers;
} FloatState;

typedef struct {
  /* As it was before the call. */
  FloatState home;
  /* The log has it already. */
  bool reported;
} FloatGuard;

FloatState float_state(void);
void float_set(FloatState state);

/* Before a call. */
void float_enter(FloatGuard *guard);
/* After it: restores the state and logs once that it was changed. `when`: "while its library was loaded". */
void float_leave(const Unit *unit, FloatGuard *guard, const char *when);
/* The same after a call that is named, handing on its status. */
int float_left(const Unit *unit, FloatGuard *guard, const char *call, int status);
/* At the beginning of a callback: our own state; returns that of the FMU, to be set at its end. */
FloatState float_own(const FloatGuard *guard);

#endif
