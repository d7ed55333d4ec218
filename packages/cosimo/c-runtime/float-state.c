/* The floating-point state, read and put back by the instructions that the machine has for it; on others nothing is done. */
#include "float-state.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>

/* All bits of MXCSR but the flags of exceptions that have happened. */
static const unsigned MODE_BITS = 0xffc0;
/* Of the x87 status word after fxam: what the register on top holds, and that it is empty. */
static const unsigned KIND_BITS = 0x4500;
static const unsigned EMPTY = 0x4100;

FloatState float_state(void) {
  FloatState state = {_mm_getcsr() & MODE_BITS, 0, 0};
#ifdef __GNUC__
  uint16_t status;
  __asm__ volatile("fnstcw %0" : "=m"(state.control));
  __asm__ volatile("fxam\n\tfnstsw %0" : "=m"(status));
  state.registers = (uint16_t)((status & KIND_BITS) ^ EMPTY);
#endif
  return state;
}

void float_set(FloatState state) {
  _mm_setcsr((_mm_getcsr() & ~MODE_BITS) | (unsigned)state.mode);
#ifdef __GNUC__
  __asm__ volatile("fldcw %0" : : "m"(state.control));
  __asm__ volatile("emms");
#endif
}

#elif defined(__aarch64__) && defined(__GNUC__)

FloatState float_state(void) {
  FloatState state = {0, 0, 0};
  __asm__ volatile("mrs %0, fpcr" : "=r"(state.mode));
  return state;
}

void float_set(FloatState state) { __asm__ volatile("msr fpcr, %0" : : "r"(state.mode)); }

#else

FloatState float_state(void) { return (FloatState){0, 0, 0}; }

void float_set(FloatState state) { (void)state; }

#endif

void float_enter(FloatGuard *guard) { guard->home = float_state(); }

static void put_back(const Unit *unit, FloatGuard *guard, const char *in, const char *when) {
  const FloatState found = float_state();
  if (found.mode == guard->home.mode && found.control == guard->home.control && found.registers == 0) return;
  float_set(guard->home);
  if (guard->reported) return;
  guard->reported = true;
  unit_log(unit, LOG_WARNING, "logStatusWarning",
           "it left another floating-point state behind %s%s; it was restored, so that others compute as before", in, when);
}

void float_leave(const Unit *unit, FloatGuard *guard, const char *when) { put_back(unit, guard, "", when); }

int float_left(const Unit *unit, FloatGuard *guard, const char *call, int status) {
  put_back(unit, guard, "in ", call);
  return status;
}

FloatState float_own(const FloatGuard *guard) {
  const FloatState theirs = float_state();
  float_set(guard->home);
  return theirs;
}
