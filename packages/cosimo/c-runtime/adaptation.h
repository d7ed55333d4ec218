/*
 * What all generated adaptations share. A generated file has a struct with a field for every name of the rules, one C function for
 * each of the five sets of rules, and a table of both; everything else (steps, outputs that follow inputs at once, inputs of
 * inner units, states) is here and in adaptation.c, and does what Cosimo does for the adaptation itself (adapt/adapted-unit.ts,
 * adapt/inner-link.ts).
 */
#ifndef COSIMO_ADAPTATION_H
#define COSIMO_ADAPTATION_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "unit.h"

typedef struct Adaptation Adaptation;
typedef struct InnerLink InnerLink;

/* ---- tables that are generated ---------------------------------------------------------------------------------------------- */

/* Numbers of an adaptation are one run of doubles in its struct, texts one run of char *. A cell is a position in its run. */
#define NUMBER_CELL(type, field) ((offsetof(type, field) - offsetof(type, t)) / sizeof(double))
#define TEXT_CELL(type, first, field) ((offsetof(type, field) - offsetof(type, first)) / sizeof(char *))

typedef enum { BANK_NUMBER, BANK_LONG, BANK_TEXT, BANK_BINARY } PortBank;

/* OWN_PASSED: a port of an inner unit that shows through. */
typedef enum { OWN_PARAMETER, OWN_INPUT, OWN_OUTPUT, OWN_PASSED } OwnKind;

/* A port of the adaptation; its place in the table is its number. */
typedef struct {
  OwnKind kind;
  PortBank bank;
  size_t cell;
  /* Of ports that show through, and of outputs whose start values go inside: the inner unit, its port, and how many elements it has. */
  bool is_written_inside;
  size_t inner;
  unsigned port;
  size_t size;
} OwnPort;

/*
 * How an inner input gets its value over a step of its unit (adapt/link-plan.ts): what is given, held; what it is where that step begins,
 * held; from there to what is given, by a slope; as own inputs go; as MapIn says for both ends of that step, always or while own inputs
 * that it is made of move.
 */
typedef enum { GIVE_NOW, GIVE_BEGIN, GIVE_INTERPOLATED, GIVE_TRAJECTORY, GIVE_RULES, GIVE_MOVING } Delivery;

/* A port of an inner unit. Inputs: the cell holds what comes next. Outputs: what was read last. */
typedef struct {
  unsigned port;
  PortBank bank;
  size_t cell;
  /* Of 64-bit integers: the bits of negative ones are those of large ones. */
  bool is_unsigned;
  /* Of inputs that are integers: how messages name the type, and what it can hold (adapt/integer-range.ts). Others have no type. */
  const char *name;
  const char *integer;
  double least, most;
  /* Of inputs. What control rules assign is the end of its way, not a value that is held. */
  Delivery delivery;
  bool rules_assign_end;
  /* The inner unit whose output feeds it, where MapIn does not. */
  bool has_source;
  size_t source;
  /* Own inputs that it may be made of, by their place among those that are numbers. */
  const size_t *behind;
  size_t behind_count;
} InnerPort;

typedef UnitStatus Rules(Adaptation *adaptation);

typedef struct {
  const char *name;
  UnitMaker *make;
  const InnerPort *inputs;
  size_t input_count;
  const InnerPort *outputs;
  size_t output_count;
  /* An input acts on an output at once. */
  bool follows_inputs;
  /* The same, and an output feeds another inner unit. */
  bool feeds_at_once;
  bool can_roll_back;
  /* Up to which order it gets derivatives of inputs. */
  unsigned derivative_order;
  /* Connections and MapIn. */
  Rules *map_in;
  /* What control rules assigned since its last step; NULL where they never do. */
  Rules *overrides;
} InnerTable;

typedef struct {
  const char *type;
  bool is_mealy;
  /* Some inner input that another unit feeds begins a step with what it is where the step begins. */
  bool needs_previous;
  /* Some inner input goes as own inputs go. */
  bool has_courses;
  /* After a step the stored outputs are those that the output function would find. */
  bool is_settled_by_step;
  /* Where in the struct the numbers begin, with t, H, h and dt, and how many they are. */
  size_t numbers;
  size_t number_count;
  /* Where the texts begin; those of own ports come first. */
  size_t texts;
  size_t text_count;
  size_t own_text_count;
  /* Numbers that the output function changes and puts back: a first cell and how many. */
  size_t passing;
  size_t passing_count;
  /* The first of them are what In changes. */
  size_t taking_count;
  const OwnPort *ports;
  size_t port_count;
  const InnerTable *inner;
  size_t inner_count;
  /* Inner units in the order of their dependencies; NULL where these form a loop. */
  const size_t *order;
  /* Start values of own ports. */
  Rules *start;
  /* Variables to their declared values. */
  Rules *initialize;
  /* Which rules hold, and then In and MapOut of those that do. */
  Rules *conditions_in;
  Rules *rules_in;
  Rules *conditions_out;
  Rules *map_out;
  Rules *rules_out;
  /* NULL: every inner unit takes the whole step once, in order. */
  UnitStatus (*control)(Adaptation *adaptation, double *taken);
} AdaptationTable;

/* ---- the unit ----------------------------------------------------------------------------------------------------------------- */

/* The first member of every generated struct. */
struct Adaptation {
  Unit unit;
  const AdaptationTable *table;
  double *numbers;
  char **texts;
  InnerLink *links;
  /*
   * What is kept besides the rules' own memory, in one run: first and second derivatives of own inputs, how fast they go in the step
   * under way, held outputs, and what links keep.
   */
  double *book;
  size_t book_count;
  double *slopes;
  double *curves;
  double *rates;
  double *held;
  /* Own inputs that are numbers (adapt/own-inputs.ts): their cells, where they begin the step, and at both ends of an inner step. */
  size_t movable_count;
  size_t *movable;
  double *begin;
  double *first;
  double *last;
  bool moves;
  bool is_curved;
  /* What In changes, as it was before In took the inputs of the step under way, and a copy to put it back. */
  double *taking_before;
  double *taking_kept;
  /* Copies for the output function. */
  double *passing_kept;
  char **texts_kept;
  /* The whole step under way. */
  double from;
  double bound;
  bool has_stop;
  double stop_time;
  /* Own outputs are those of the present state and inputs: as the rules say, and as they were read. */
  bool settled;
  bool outdated;
  /* Memory that lives as long as the unit. */
  void *blocks;
};

/* Makes the unit and those inside it. `size` is that of the generated struct. */
Unit *adaptation_make(size_t size, const UnitClass *is, const AdaptationTable *table, const UnitHost *host, const char *name);

UnitStatus adaptation_enter_initialization(Unit *unit, const UnitExperiment *experiment);
UnitStatus adaptation_exit_initialization(Unit *unit);
UnitStatus adaptation_advance(Unit *unit, double from, double to, UnitStop *stop);
UnitStatus adaptation_terminate(Unit *unit);
UnitStatus adaptation_reset(Unit *unit);
void adaptation_free(Unit *unit);
UnitStatus adaptation_get_numbers(Unit *unit, const unsigned ports[], size_t count, double values[]);
UnitStatus adaptation_get_longs(Unit *unit, const unsigned ports[], size_t count, int64_t values[]);
UnitStatus adaptation_get_texts(Unit *unit, const unsigned ports[], size_t count, const char *values[]);
UnitStatus adaptation_get_binaries(Unit *unit, const unsigned ports[], size_t count, Binary values[]);
UnitStatus adaptation_set_numbers(Unit *unit, const unsigned ports[], size_t count, const double values[]);
UnitStatus adaptation_set_longs(Unit *unit, const unsigned ports[], size_t count, const int64_t values[]);
UnitStatus adaptation_set_texts(Unit *unit, const unsigned ports[], size_t count, const char *const values[]);
UnitStatus adaptation_set_binaries(Unit *unit, const unsigned ports[], size_t count, const Binary values[]);
UnitStatus adaptation_set_input_derivatives(Unit *unit, const unsigned ports[], const int orders[], size_t count,
                                            const double values[]);
UnitStatus adaptation_save(Unit *unit, void **state);
UnitStatus adaptation_restore(Unit *unit, void *state);
UnitStatus adaptation_release(Unit *unit, void *state);
UnitStatus adaptation_serialize(Unit *unit, void *state, ByteWriter *out);
UnitStatus adaptation_deserialize(Unit *unit, ByteReader *in, void **state);

/* ---- what control rules call; inner units by their place in the table --------------------------------------------------------- */

/* Results are written last, so they may go to what rules read; NULL where they are not wanted. */
UnitStatus do_step(Adaptation *adaptation, size_t inner, double from, double step, double *came);
UnitStatus save_state(Adaptation *adaptation, size_t inner);
UnitStatus rollback(Adaptation *adaptation, size_t inner);
UnitStatus get_next_time_step(Adaptation *adaptation, size_t inner, double *seconds);
UnitStatus last_execution_time(const Adaptation *adaptation, size_t inner, double *time);

/* What control rules give an inner unit as its input, by its place in the table. */
void was_assigned(Adaptation *adaptation, size_t inner, size_t input);

/* Rounds of one `while` before it is taken to be endless. */
#define MAX_ROUNDS 10000000L
UnitStatus endless(const Adaptation *adaptation);

/* ---- functions of the language that math.h lacks, or has with another meaning ------------------------------------------------- */

/* Not a number when one of them is none. */
static inline double sa_min(double x, double y) {
  if (isnan(x) || isnan(y)) return NAN;
  if (x == y) return signbit(x) ? x : y;
  return x < y ? x : y;
}

static inline double sa_max(double x, double y) {
  if (isnan(x) || isnan(y)) return NAN;
  if (x == y) return signbit(x) ? y : x;
  return x > y ? x : y;
}

static inline double sa_sign(double x) {
  return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
}

/* The nearest integer; of two that are equally near, the greater. */
static inline double sa_round(double x) {
  const double below = floor(x);
  return copysign(x - below >= 0.5 ? below + 1.0 : below, x);
}

/* The power of NaN by 0 is 1, of 1 by NaN and of -1 or 1 by infinity it is none. */
static inline double sa_pow(double x, double y) {
  if (isnan(y) || (isinf(y) && fabs(x) == 1.0)) return NAN;
  return pow(x, y);
}

/* x minus the multiple of y below it: has the sign of y. */
static inline double sa_mod(double x, double y) {
  return x - y * floor(x / y);
}

/* A whole number of ticks, where it is one up to its rounding, else NaN. */
static inline double sa_whole_ticks(double ticks) {
  const double whole = floor(ticks + 0.5);
  const bool is_whole = fabs(ticks - whole) <= 4.0 * DBL_EPSILON * fabs(whole);
  return is_whole && fabs(whole) <= 70368744177664.0 ? whole : NAN;
}

/* The instant origin + count * period, exact for whole nanoseconds: base/instants.ts says how and why. */
static inline double sa_instant(double origin, double period, double count) {
  for (double per_second = 1.0; per_second <= 1e9; per_second *= 10.0) {
    const double first = sa_whole_ticks(origin * per_second);
    const double each = sa_whole_ticks(period * per_second);
    const double passed = count * each;
    const double ticks = first + passed;
    if (fabs(ticks) <= 9007199254740991.0) return ticks / per_second;
  }
  return origin + count * period;
}

/* |x - y| within the absolute tolerance, or within the relative one of the larger of the two. */
static inline bool sa_is_close(double x, double y, double relative, double absolute) {
  const double scale = relative * sa_max(fabs(x), fabs(y));
  return fabs(x - y) <= sa_max(scale, absolute);
}

#endif
