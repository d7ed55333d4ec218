/*
 * What both shells share: one instance of the exported FMU around its outermost unit. The shells translate calls, types and answers of
 * their version of the standard; what they have in common is here.
 */
#ifndef COSIMO_SHELL_H
#define COSIMO_SHELL_H

#include "inner-fmu.h"
#include "unit.h"

/* A variable of the exported FMU, by value reference. In FMI 2 every element of an array is one. */
typedef struct {
  ValueType type;
  unsigned port;
  /* First element, how many of them, and how many the port has. */
  size_t element;
  size_t count;
  size_t size;
  const char *name;
} ShellVariable;

typedef struct {
  const char *token;
  UnitMaker *make;
  const ShellVariable *variables;
  size_t variable_count;
  bool can_save;
  bool can_serialize;
  /* Largest number of elements of a port. */
  size_t largest;
  /* FMI 3: ports of inputs that follow their sources to the end of the step (intermediate updates); scalars. */
  const unsigned *followed;
  size_t followed_count;
  /* FMI 3, of a unit that changes at events only: its event mode is offered. Ports of booleans that carry events. */
  bool has_event_mode;
  const unsigned *event_inputs;
  size_t event_input_count;
  const unsigned *event_outputs;
  size_t event_output_count;
} ShellModel;

/* Generated with the FMU. */
extern const ShellModel SHELL_MODEL;

typedef void ShellLog(void *environment, const char *instance, LogLevel level, const char *category, const char *message);

typedef struct {
  UnitHost host;
  Unit *unit;
  char *resources;
  char *name;
  void *environment;
  ShellLog *log;
  /* After an error only states, reset and free are allowed; after a fatal one nothing at all. */
  UnitStatus health;
  UnitExperiment experiment;
  UnitStop stop;
  bool is_in_event;
  /* Elements on their way to another type. */
  double *numbers;
  int64_t *longs;
  const char **texts;
  Binary *binaries;
  struct Kept *kept;
} Shell;

/* NULL after a message. `resources` is a path; the shell copies it and the name. */
Shell *shell_make(const char *name, const char *token, char *resources, bool logging, void *environment, ShellLog *log);
void shell_free(Shell *shell);
/* The path that a file: URI means, to be freed; NULL where there is no memory. Other text is taken for a path. */
char *path_of_uri(const char *uri);

/* Whether a call is allowed now: phases is a set of PHASE_BIT; ANY_PHASE is allowed after errors too. Says so where it is not. */
#define PHASE_BIT(PHASE) (1u << (PHASE))
#define ANY_PHASE (~0u)
#define WRITABLE (PHASE_BIT(PHASE_INSTANTIATED) | PHASE_BIT(PHASE_INITIALIZATION) | PHASE_BIT(PHASE_STEP))
/* Not before initialization, as in both standards: what was set waits until then (given.c). */
#define READABLE (PHASE_BIT(PHASE_INITIALIZATION) | PHASE_BIT(PHASE_STEP) | PHASE_BIT(PHASE_TERMINATED))
bool shell_allows(Shell *shell, const char *call, unsigned phases);
/* Remembers what a status means for the calls to come, and gives it back. */
UnitStatus shell_note(Shell *shell, UnitStatus status);
/* fmi2Error and fmi3Error. */
enum { SHELL_ERROR = 3 };

/* The same as a status of FMI, whose numbers are the same in both versions. */
int shell_answer(Shell *shell, UnitStatus status);
/* Whether the FMU has what a call needs; says so where it has not. */
bool shell_offers(const Shell *shell, const char *call, bool offered);
/* Errors are always logged; everything else is what logAll stands for. */
void shell_set_logging(Shell *shell, bool on, size_t count, const char *const categories[]);

/* Whether such a step can be taken from where the unit is. */
UnitStatus shell_check_step(const Shell *shell, double point, double size);
UnitStatus shell_step(Shell *shell, double point, double size);
UnitStatus shell_reset(Shell *shell);

/* Values of one variable by reference; reading puts them into the shell's buffers, writing takes them from there. */
const ShellVariable *shell_variable(Shell *shell, const char *call, uint32_t reference);
UnitStatus shell_read(Shell *shell, const ShellVariable *variable);
UnitStatus shell_write(Shell *shell, const ShellVariable *variable);
/* A copy that lasts until `shell_forget`: what the standard lets callers look at after the call. NULL where there is no memory. */
const void *shell_keep(Shell *shell, const void *bytes, size_t size);
void shell_forget(Shell *shell);

/* Saved states of the outermost unit, with what the shell itself knows. */
UnitStatus shell_save(Shell *shell, void **state);
UnitStatus shell_restore(Shell *shell, void *state);
/* `*state` is NULL afterwards. */
UnitStatus shell_release(Shell *shell, void **state);
UnitStatus shell_state_size(Shell *shell, void *state, size_t *size);
UnitStatus shell_serialize(Shell *shell, void *state, uint8_t bytes[], size_t size);
UnitStatus shell_deserialize(Shell *shell, const uint8_t bytes[], size_t size, void **state);

/* ---- for the shells of both versions, whose functions take an `instance` first --------------------------------------------- */

#define PASTE(A, B) A##B
#define JOIN(A, B) PASTE(A, B)

/* Leaves the function where the call is not allowed now. */
#define NEED(STATUS, CALL, PHASES)                                                                                        \
  Shell *shell = instance;                                                                                                \
  if (!shell_allows(shell, CALL, PHASES)) return (STATUS)SHELL_ERROR
/* An exported function that does nothing but ACTION, whose result is a UnitStatus. */
#define DEFINE_CALL(STATUS, NAME, ARGUMENTS, PHASES, OFFERED, ACTION)                                                     \
  STATUS NAMED(NAME) ARGUMENTS {                                                                                          \
    NEED(STATUS, #NAME, PHASES);                                                                                          \
    if (!shell_offers(shell, #NAME, OFFERED)) return (STATUS)SHELL_ERROR;                                                 \
    return (STATUS)shell_answer(shell, ACTION);                                                                           \
  }

#ifdef _WIN32
#define SHELL_EXPORT __declspec(dllexport)
#else
#define SHELL_EXPORT __attribute__((visibility("default")))
#endif

#endif
