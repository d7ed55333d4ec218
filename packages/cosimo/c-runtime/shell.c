/* What both shells share: the instance, its log, its values, its states. */
#include "bytes.h"
#include "shell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Written before every serialized state, so that other bytes are recognised. */
static const int64_t STATE_MARK = INT64_C(0x31554d464f53434f);

typedef struct {
  void *unit;
  UnitStop stop;
  bool is_in_event;
} ShellState;

struct Kept {
  struct Kept *next;
  uint8_t bytes[];
};

static void on_log(void *shell, const char *unit, LogLevel level, const char *category, const char *message) {
  const Shell *self = shell;
  char text[1400];
  /* The outermost unit is the instance itself; those inside are named. */
  const size_t own = strlen(self->name);
  const bool inside = strncmp(unit, self->name, own) == 0 && unit[own] == '.';
  snprintf(text, sizeof text, "%s%s%s", inside ? unit + own + 1 : "", inside ? ": " : "", message);
  self->log(self->environment, self->name, level, category, text);
}

static char *copy_of(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  if (copy) strcpy(copy, text);
  return copy;
}

static bool make_buffers(Shell *shell) {
  const size_t count = SHELL_MODEL.largest > 0 ? SHELL_MODEL.largest : 1;
  shell->numbers = calloc(count, sizeof *shell->numbers);
  shell->longs = calloc(count, sizeof *shell->longs);
  shell->texts = calloc(count, sizeof *shell->texts);
  shell->binaries = calloc(count, sizeof *shell->binaries);
  return shell->numbers && shell->longs && shell->texts && shell->binaries;
}

Shell *shell_make(const char *name, const char *token, char *resources, bool logging, void *environment, ShellLog *log) {
  Shell *shell = calloc(1, sizeof *shell);
  if (!shell) {
    free(resources);
    return NULL;
  }
  shell->name = copy_of(name ? name : "");
  shell->resources = resources;
  shell->environment = environment;
  shell->log = log;
  shell->host = (UnitHost){shell, resources, logging, on_log};
  if (shell->name && resources && make_buffers(shell)) {
    if (token && strcmp(token, SHELL_MODEL.token) == 0) shell->unit = SHELL_MODEL.make(&shell->host, shell->name);
    else on_log(shell, shell->name, LOG_ERROR, "logStatusError", "the token is not that of this FMU");
  }
  if (shell->unit) return shell;
  shell_free(shell);
  return NULL;
}

void shell_free(Shell *shell) {
  if (!shell) return;
  if (shell->health != UNIT_FATAL) unit_free(shell->unit);
  shell_forget(shell);
  free(shell->name);
  free(shell->resources);
  free(shell->numbers);
  free(shell->longs);
  free(shell->texts);
  free(shell->binaries);
  free(shell);
}

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char *path_of_uri(const char *uri) {
  const char *rest = uri ? uri : "";
  if (strncmp(rest, "file:", 5) == 0) {
    rest += 5;
    /* file:/path, file:///path, file://host/path */
    if (strncmp(rest, "//", 2) == 0) {
      const char *slash = strchr(rest + 2, '/');
      rest = slash ? slash : rest + 2;
    }
#ifdef _WIN32
    if (rest[0] == '/' && rest[1] && rest[2] == ':') rest++;
#endif
  }
  char *path = malloc(strlen(rest) + 1);
  if (!path) return NULL;
  char *end = path;
  for (const char *c = rest; *c; c++) {
    const bool escaped = rest != uri && *c == '%' && digit(c[1]) >= 0 && digit(c[2]) >= 0;
    *end++ = escaped ? (char)(16 * digit(c[1]) + digit(c[2])) : *c;
    if (escaped) c += 2;
  }
  while (end > path + 1 && (end[-1] == '/' || end[-1] == '\\')) end--;
  *end = 0;
  return path;
}

bool shell_allows(Shell *shell, const char *call, unsigned phases) {
  static const char *const names[] = {"before initialization", "in initialization", "between steps", "after termination"};
  if (!shell) return false;
  if (shell->health == UNIT_FATAL) return false;
  if (shell->health == UNIT_ERROR && phases != ANY_PHASE) {
    unit_fail(shell->unit, "%s is not allowed after an error: restore a state, reset or free the instance", call);
    return false;
  }
  if (phases & PHASE_BIT(shell->unit->phase)) return true;
  unit_fail(shell->unit, "%s is not allowed %s", call, names[shell->unit->phase]);
  return false;
}

UnitStatus shell_note(Shell *shell, UnitStatus status) {
  if (status != UNIT_OK) shell->health = status;
  return status;
}

int shell_answer(Shell *shell, UnitStatus status) {
  static const int statuses[] = {[UNIT_OK] = 0, [UNIT_ERROR] = SHELL_ERROR, [UNIT_FATAL] = 4};
  return statuses[shell_note(shell, status)];
}

bool shell_offers(const Shell *shell, const char *call, bool offered) {
  if (!offered) unit_fail(shell->unit, "%s: this FMU does not offer it", call);
  return offered;
}

void shell_set_logging(Shell *shell, bool on, size_t count, const char *const categories[]) {
  bool wanted = count == 0;
  for (size_t i = 0; i < count; i++)
    if (strcmp(categories[i], "logStatusError") != 0 && strcmp(categories[i], "logStatusFatal") != 0) wanted = true;
  if (!on || wanted) shell->host.logging = on;
}

UnitStatus shell_check_step(const Shell *shell, double point, double size) {
  const Unit *unit = shell->unit;
  const double slack = 1e-9 * size + 4e-16 * fabs(point);
  if (!(size > 0) || size > 1e300) return unit_fail(unit, "a step of %g s cannot be taken", size);
  if (fabs(point - unit->time) <= slack) return UNIT_OK;
  return unit_fail(unit, "the step begins at t=%.17g, but the FMU is at t=%.17g", point, unit->time);
}

UnitStatus shell_step(Shell *shell, double point, double size) {
  Unit *unit = shell->unit;
  UNIT_TRY(shell_check_step(shell, point, size));
  shell->stop = (UnitStop){STOP_TIME, point + size};
  return unit->is->advance(unit, unit->time, point + size, &shell->stop);
}

UnitStatus shell_reset(Shell *shell) {
  shell->health = UNIT_OK;
  shell->is_in_event = false;
  shell->experiment = (UnitExperiment){0, false, 0, false, 0};
  return shell->unit->is->reset(shell->unit);
}

/* ---- values ----------------------------------------------------------------------------------------------------------------- */

const ShellVariable *shell_variable(Shell *shell, const char *call, uint32_t reference) {
  if (reference < SHELL_MODEL.variable_count) return &SHELL_MODEL.variables[reference];
  unit_fail(shell->unit, "%s: there is no variable with value reference %u", call, (unsigned)reference);
  return NULL;
}

/* Rules compute with doubles; an integer variable must not show another number than they computed. */
static UnitStatus check_range(const Shell *shell, const ShellVariable *variable) {
  static const struct {
    double least, most;
  } ranges[] = {
      [TYPE_INT8] = {INT8_MIN, INT8_MAX},    [TYPE_UINT8] = {0, UINT8_MAX},   [TYPE_INT16] = {INT16_MIN, INT16_MAX},
      [TYPE_UINT16] = {0, UINT16_MAX},       [TYPE_INT32] = {INT32_MIN, INT32_MAX}, [TYPE_UINT32] = {0, UINT32_MAX},
  };
  if (variable->type < TYPE_INT8 || variable->type > TYPE_UINT32) return UNIT_OK;
  const double least = ranges[variable->type].least, most = ranges[variable->type].most;
  for (size_t k = variable->element; k < variable->element + variable->count; k++)
    if (!(shell->numbers[k] >= least && shell->numbers[k] <= most))
      return unit_fail(shell->unit,
                       "'%s' is %g, beyond the integers from %.0f to %.0f that its type has: floor, ceil, round and sign give "
                       "integers (rule SA45), so keep what they are given within that range, or declare the output as real",
                       variable->name, shell->numbers[k], least, most);
  return UNIT_OK;
}

UnitStatus shell_read(Shell *shell, const ShellVariable *variable) {
  Unit *unit = shell->unit;
  switch (variable->type) {
    case TYPE_INT64:
    case TYPE_UINT64: return unit->is->get_longs(unit, &variable->port, 1, shell->longs);
    case TYPE_STRING: return unit->is->get_texts(unit, &variable->port, 1, shell->texts);
    case TYPE_BINARY: return unit->is->get_binaries(unit, &variable->port, 1, shell->binaries);
    default:
      UNIT_TRY(unit->is->get_numbers(unit, &variable->port, 1, shell->numbers));
      return check_range(shell, variable);
  }
}

UnitStatus shell_write(Shell *shell, const ShellVariable *variable) {
  Unit *unit = shell->unit;
  switch (variable->type) {
    case TYPE_INT64:
    case TYPE_UINT64: return unit->is->set_longs(unit, &variable->port, 1, shell->longs);
    case TYPE_STRING: return unit->is->set_texts(unit, &variable->port, 1, shell->texts);
    case TYPE_BINARY: return unit->is->set_binaries(unit, &variable->port, 1, shell->binaries);
    default: return unit->is->set_numbers(unit, &variable->port, 1, shell->numbers);
  }
}

const void *shell_keep(Shell *shell, const void *bytes, size_t size) {
  struct Kept *kept = malloc(sizeof *kept + size + 1);
  if (!kept) {
    unit_fail(shell->unit, "there is no memory left");
    return NULL;
  }
  if (size > 0) memcpy(kept->bytes, bytes, size);
  kept->bytes[size] = 0;
  kept->next = shell->kept;
  shell->kept = kept;
  return kept->bytes;
}

void shell_forget(Shell *shell) {
  while (shell->kept) {
    struct Kept *next = shell->kept->next;
    free(shell->kept);
    shell->kept = next;
  }
}

/* ---- states ----------------------------------------------------------------------------------------------------------------- */

static UnitStatus wrap(Shell *shell, UnitStop stop, bool is_in_event, void *inner, void **state) {
  ShellState *saved = unit_allocate(shell->unit, 1, sizeof *saved);
  if (!saved) {
    shell->unit->is->release(shell->unit, inner);
    return UNIT_ERROR;
  }
  *saved = (ShellState){inner, stop, is_in_event};
  *state = saved;
  return UNIT_OK;
}

UnitStatus shell_save(Shell *shell, void **state) {
  void *inner = NULL;
  UNIT_TRY(shell->unit->is->save(shell->unit, &inner));
  if (!*state) return wrap(shell, shell->stop, shell->is_in_event, inner, state);
  /* A state that was given is overwritten. */
  ShellState *saved = *state;
  void *old = saved->unit;
  *saved = (ShellState){inner, shell->stop, shell->is_in_event};
  return shell->unit->is->release(shell->unit, old);
}

UnitStatus shell_restore(Shell *shell, void *state) {
  const ShellState *saved = state;
  if (!saved) return unit_fail(shell->unit, "there is no state to restore");
  UNIT_TRY(shell->unit->is->restore(shell->unit, saved->unit));
  shell->stop = saved->stop;
  shell->is_in_event = saved->is_in_event;
  shell->health = UNIT_OK;
  return UNIT_OK;
}

UnitStatus shell_release(Shell *shell, void **state) {
  ShellState *saved = *state;
  *state = NULL;
  if (!saved) return UNIT_OK;
  const UnitStatus status = shell->unit->is->release(shell->unit, saved->unit);
  free(saved);
  return status;
}

static UnitStatus write_state(Shell *shell, void *state, ByteWriter *out) {
  const ShellState *saved = state;
  write_long(out, STATE_MARK);
  write_text(out, SHELL_MODEL.token);
  write_long(out, saved->stop.reason);
  write_number(out, saved->stop.time);
  write_long(out, saved->is_in_event);
  return shell->unit->is->serialize(shell->unit, saved->unit, out);
}

UnitStatus shell_state_size(Shell *shell, void *state, size_t *size) {
  ByteWriter out = {NULL, 0, 0, false};
  const UnitStatus status = write_state(shell, state, &out);
  *size = out.size;
  free(out.bytes);
  return status;
}

UnitStatus shell_serialize(Shell *shell, void *state, uint8_t bytes[], size_t size) {
  ByteWriter out = {NULL, 0, 0, false};
  UnitStatus status = write_state(shell, state, &out);
  if (status == UNIT_OK && out.size > size) status = unit_fail(shell->unit, "the state has %zu bytes, not %zu", out.size, size);
  if (status == UNIT_OK) memcpy(bytes, out.bytes, out.size);
  free(out.bytes);
  return status;
}

UnitStatus shell_deserialize(Shell *shell, const uint8_t bytes[], size_t size, void **state) {
  ByteReader in = {bytes, size, 0};
  int64_t mark = 0;
  int64_t reason = 0;
  int64_t is_in_event = 0;
  UnitStop stop = {STOP_TIME, 0};
  char *token = NULL;
  void *inner = NULL;
  const bool good = read_long(&in, &mark) && mark == STATE_MARK && read_text(&in, &token) &&
                    strcmp(token, SHELL_MODEL.token) == 0 && read_long(&in, &reason) && read_number(&in, &stop.time) &&
                    read_long(&in, &is_in_event);
  free(token);
  if (!good) return unit_fail(shell->unit, "these bytes are not a state of this FMU");
  stop.reason = (StopReason)reason;
  UNIT_TRY(shell->unit->is->deserialize(shell->unit, &in, &inner));
  return wrap(shell, stop, is_in_event != 0, inner, state);
}
