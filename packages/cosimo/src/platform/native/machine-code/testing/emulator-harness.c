/* Runs generated machine code in a process of its own, on whatever processor this is compiled for, and writes back what it left in memory.
 *
 * Input: words of 64 bits. Number of names, bytes of names, the names, each ended by NUL; then images up to the end of the file:
 *   address of the data, bytes of data, bytes of code, number of calls, data, code, calls as (offset in the code, argument).
 * Output: for every image the results of its calls and the data. The code is at CODE and finds functions at STUBS + 16 * (number of the name).
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CODE 0x280000000ull
#define STUBS 0x300000000ull

enum { SLOTS = 64, SCRIPT = 8 };
enum { PLAIN, EVENT, TERMINATE, EARLY, UPWARD };

/* What an instance is made of; testing/emulated-units.ts fills it. */
typedef struct {
  uint64_t calls;
  uint64_t hash;
  double x[SLOTS];
  int64_t n[SLOTS];
  /* By value reference: how many elements, and where the first is. */
  int32_t size[SLOTS];
  int32_t first[SLOTS];
  /* The call with this number, counted from 1, does something else. */
  struct { int32_t call, status, what, unused; } script[SCRIPT];
  uint64_t update;
  double saved[4][SLOTS];
} Unit;

static void mix(Unit *u, uint64_t word) { u->hash = (u->hash ^ word) * 0x100000001b3ull; }

static uint64_t bits(double value) {
  uint64_t word;
  memcpy(&word, &value, 8);
  return word;
}

static int begin(Unit *u, int *what) {
  u->calls++;
  *what = PLAIN;
  for (int i = 0; i < SCRIPT; i++)
    if (u->script[i].call == (int64_t)u->calls) {
      *what = u->script[i].what;
      if (*what == UPWARD) fesetround(FE_UPWARD);
      return u->script[i].status;
    }
  return 0;
}

/* FMI 2 hands over one value per reference, FMI 3 as many as a variable has elements. */
#define EXCHANGE(NAME, TYPE, STORE)                                                            \
  static int get##NAME(Unit *u, const uint32_t *vr, size_t n, TYPE *values, size_t count) {    \
    int what, status = begin(u, &what);                                                        \
    mix(u, n);                                                                                 \
    mix(u, count);                                                                             \
    size_t k = 0;                                                                              \
    for (size_t i = 0; i < n; i++)                                                             \
      for (int e = 0; e < u->size[vr[i]]; e++) values[k++] = (TYPE)u->STORE[u->first[vr[i]] + e]; \
    return status;                                                                             \
  }                                                                                            \
  static int set##NAME(Unit *u, const uint32_t *vr, size_t n, const TYPE *values, size_t count) { \
    int what, status = begin(u, &what);                                                        \
    mix(u, n);                                                                                 \
    mix(u, count);                                                                             \
    size_t k = 0;                                                                              \
    for (size_t i = 0; i < n; i++)                                                             \
      for (int e = 0; e < u->size[vr[i]]; e++) {                                               \
        mix(u, bits((double)values[k]));                                                       \
        u->STORE[u->first[vr[i]] + e] = values[k++];                                           \
      }                                                                                        \
    return status;                                                                             \
  }

#define EXCHANGE2(NAME, TYPE)                                                                  \
  static int get2##NAME(Unit *u, const uint32_t *vr, size_t n, TYPE *values) {                 \
    return get##NAME(u, vr, n, values, n);                                                     \
  }                                                                                            \
  static int set2##NAME(Unit *u, const uint32_t *vr, size_t n, const TYPE *values) {           \
    return set##NAME(u, vr, n, values, n);                                                     \
  }

EXCHANGE(Double, double, x)
EXCHANGE(Float, float, x)
EXCHANGE(I8, int8_t, n)
EXCHANGE(U8, uint8_t, n)
EXCHANGE(I16, int16_t, n)
EXCHANGE(U16, uint16_t, n)
EXCHANGE(I32, int32_t, n)
EXCHANGE(U32, uint32_t, n)
EXCHANGE(I64, int64_t, n)
EXCHANGE(U64, uint64_t, n)
EXCHANGE2(Double, double)
EXCHANGE2(I32, int32_t)

static void proceed(Unit *u, double t, double h) {
  if (u->update) {
    bool early = true;
    double until = 0;
    /* What a caller leaves above the lowest byte of a bool is not for the callee to see. */
    ((void (*)(void *, double, uint32_t, uint32_t, uint32_t, uint32_t, bool *, double *))(uintptr_t)u->update)(
        u, t + h / 2, 0xab01, 0xab00, 0xab00, 0xab00, &early, &until);
    mix(u, early);
    mix(u, bits(until));
  }
  for (int k = 0; k < SLOTS; k++) {
    double x = u->x[k];
    u->x[k] = 0.7 * x + h * u->x[(k + 1) % SLOTS] / (1 + x * x) + t * 0.001;
    u->n[k] = (u->n[k] + k) % 100;
  }
}

static int step2(Unit *u, double t, double h, int noRollback) {
  int what, status = begin(u, &what);
  mix(u, bits(t));
  mix(u, bits(h));
  mix(u, noRollback);
  if (status < 2) proceed(u, t, h);
  return status;
}

static int step3(Unit *u, double t, double h, bool noRollback, bool *event, bool *terminate, bool *early, double *last) {
  int what, status = begin(u, &what);
  mix(u, bits(t));
  mix(u, bits(h));
  mix(u, noRollback);
  mix(u, *event + 2 * *terminate + 4 * *early);
  if (status < 2) proceed(u, t, h);
  *event = what == EVENT;
  *terminate = what == TERMINATE;
  *early = what == EARLY;
  if (what == EARLY) *last = t + h / 4;
  return status;
}

static int inputDerivatives(Unit *u, const uint32_t *vr, size_t n, const int32_t *orders, const double *values) {
  int what, status = begin(u, &what);
  for (size_t i = 0; i < n; i++) {
    mix(u, vr[i] + 1000u * (uint32_t)orders[i]);
    mix(u, bits(values[i]));
    u->x[(u->first[vr[i]] + 5) % SLOTS] += 0.01 * values[i];
  }
  return status;
}

static int getState(Unit *u, void **state) {
  int what, status = begin(u, &what);
  mix(u, *state != NULL);
  double *to = u->saved[u->calls % 4];
  memcpy(to, u->x, sizeof u->x);
  *state = to;
  return status;
}

static int setState(Unit *u, const void *state) {
  int what, status = begin(u, &what);
  memcpy(u->x, state, sizeof u->x);
  return status;
}

static int freeState(Unit *u, void **state) {
  int what, status = begin(u, &what);
  mix(u, *state != NULL);
  *state = NULL;
  return status;
}

/* Seven arguments in registers of both processors and seven on the stack of one of them, so that both have some there. */
static int64_t manyArguments(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t h,
                             int64_t i, int64_t j, int64_t k, int64_t l, double x, double y) {
  return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + 17 * g + 19 * h + 23 * i + 29 * j + 31 * k + 37 * l +
         (int64_t)(41 * x) + (int64_t)(43 * y);
}

/* Calls a function that takes what `manyArguments` takes. */
static int64_t withMany(void *function) {
  return ((__typeof__(&manyArguments))function)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1.5, 2.5);
}

static const struct {
  const char *name;
  void *function;
} FUNCTIONS[] = {
    {"fmi2GetReal", get2Double},    {"fmi2SetReal", set2Double},    {"fmi2GetInteger", get2I32},
    {"fmi2SetInteger", set2I32},    {"fmi2GetBoolean", get2I32},    {"fmi2SetBoolean", set2I32},
    {"fmi2DoStep", step2},          {"fmi2SetRealInputDerivatives", inputDerivatives},
    {"fmi2GetFMUstate", getState},  {"fmi2SetFMUstate", setState},  {"fmi2FreeFMUstate", freeState},
    {"fmi3GetFloat64", getDouble},  {"fmi3SetFloat64", setDouble},  {"fmi3GetFloat32", getFloat},
    {"fmi3SetFloat32", setFloat},   {"fmi3GetInt8", getI8},         {"fmi3SetInt8", setI8},
    {"fmi3GetUInt8", getU8},        {"fmi3SetUInt8", setU8},        {"fmi3GetInt16", getI16},
    {"fmi3SetInt16", setI16},       {"fmi3GetUInt16", getU16},      {"fmi3SetUInt16", setU16},
    {"fmi3GetInt32", getI32},       {"fmi3SetInt32", setI32},       {"fmi3GetUInt32", getU32},
    {"fmi3SetUInt32", setU32},      {"fmi3GetInt64", getI64},       {"fmi3SetInt64", setI64},
    {"fmi3GetUInt64", getU64},      {"fmi3SetUInt64", setU64},      {"fmi3GetBoolean", getU8},
    {"fmi3SetBoolean", setU8},      {"fmi3DoStep", step3},          {"fmi3GetFMUState", getState},
    {"fmi3SetFMUState", setState},  {"fmi3FreeFMUState", freeState}, {"manyArguments", manyArguments},
    {"withMany", withMany},
};

static void *functionNamed(const char *name) {
  for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
    if (strcmp(FUNCTIONS[i].name, name) == 0) return FUNCTIONS[i].function;
  fprintf(stderr, "no function %s\n", name);
  exit(2);
}

static void *map(uint64_t at, size_t bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  void *memory = mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == (void *)(uintptr_t)at) return memory;
  perror("mmap");
  exit(2);
}

static void makeExecutable(void *memory, size_t bytes) {
  if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0) {
    perror("mprotect");
    exit(2);
  }
  __builtin___clear_cache((char *)memory, (char *)memory + bytes);
}

/* A jump to `target` in 16 bytes. */
static void writeJump(unsigned char *at, void *target) {
#if defined(__aarch64__)
  static const uint32_t words[] = {0x58000050 /* ldr x16, 8 bytes ahead */, 0xd61f0200 /* br x16 */};
  memcpy(at, words, 8);
  memcpy(at + 8, &target, 8);
#elif defined(__x86_64__)
  static const unsigned char load[] = {0x49, 0xbb}, jump[] = {0x41, 0xff, 0xe3}; /* movabs r11; jmp r11 */
  memcpy(at, load, 2);
  memcpy(at + 2, &target, 8);
  memcpy(at + 10, jump, 3);
#else
#error "no code for this processor"
#endif
}

static bool readAll(void *to, size_t bytes) { return bytes == 0 || fread(to, bytes, 1, stdin) == 1; }

static void require(bool fine) {
  if (fine) return;
  fprintf(stderr, "the input ends too early\n");
  exit(2);
}

int main(void) {
  uint64_t head[4];
  require(readAll(head, 16));
  char *names = malloc(head[1]);
  require(readAll(names, head[1]));
  size_t stubBytes = 16 * (head[0] + 1);
  unsigned char *stubs = map(STUBS, stubBytes);
  const char *name = names;
  for (uint64_t i = 0; i < head[0]; i++, name += strlen(name) + 1) writeJump(stubs + 16 * i, functionNamed(name));
  makeExecutable(stubs, stubBytes);
  while (readAll(head, sizeof head)) {
    char *data = map(head[0], head[1]);
    char *code = map(CODE, head[2]);
    require(readAll(data, head[1]) && readAll(code, head[2]));
    makeExecutable(code, head[2]);
    for (uint64_t i = 0; i < head[3]; i++) {
      uint64_t call[2];
      require(readAll(call, sizeof call));
      int64_t result = ((int64_t(*)(uint64_t))(void *)(code + call[0]))(call[1]);
      fwrite(&result, 8, 1, stdout);
      fesetround(FE_TONEAREST);
    }
    fwrite(data, head[1], 1, stdout);
    munmap(data, head[1]);
    munmap(code, head[2]);
  }
  return 0;
}
