/*
 * A scenario with its fixed-step plan as a unit. The generated file has what is particular: units, values, the segments of the plan as
 * functions, exposed ports. Everything that all plans have in common is in plan.c.
 *
 * Time is counted in ticks: tick i is at start + i * step. One tick runs the step segment once. Inputs written from outside go
 * straight to the units inside; the signals inside follow before anything is read or stepped.
 */
#ifndef COSIMO_PLAN_H
#define COSIMO_PLAN_H

#include "unit.h"

typedef struct Plan Plan;

typedef struct {
  const char *name;
  UnitMaker *make;
  /* Its step in ticks. */
  int64_t ticks;
} PlanUnit;

typedef enum { TRACK_LINEAR, TRACK_QUADRATIC, TRACK_INTERPOLATED } TrackKind;

/* An input that is not simply held: its history and what is predicted from it. All places are numbers of signals. */
typedef struct {
  TrackKind kind;
  size_t signal;
  size_t history;
  size_t value;
  size_t slope;
  int64_t sample_ticks;
  int64_t step_ticks;
} PlanTrack;

typedef struct {
  unsigned unit;
  unsigned port;
} PlanTarget;

typedef enum { BANK_NUMBERS, BANK_LONGS, BANK_TEXTS, BANK_BINARIES } PlanBank;

/* A port that the scenario shows. */
typedef struct {
  PlanBank bank;
  size_t size;
  /* Where its value lies among the signals; NO_SIGNAL: it is read from the first target. */
  size_t signal;
  const PlanTarget *targets;
  size_t target_count;
} PlanPort;

#define NO_SIGNAL SIZE_MAX

typedef struct {
  double step;
  const PlanUnit *units;
  size_t unit_count;
  size_t numbers;
  size_t longs;
  size_t objects;
  const PlanTrack *tracks;
  size_t track_count;
  /* Tracks are quadratic, and all units can save their state. */
  bool learns_slopes;
  const PlanPort *ports;
  /* Values that the scenario gives to its units. */
  UnitStatus (*set_values)(Plan *plan);
  /* All signals in initialization, loops solved. */
  UnitStatus (*initial)(Plan *plan, int64_t tick);
  /* All connected outputs once more, as they are now. */
  UnitStatus (*look)(Plan *plan, int64_t tick);
  /* At tick 0: histories begin, inputs of the first step are written. */
  UnitStatus (*begin)(Plan *plan, int64_t tick);
  /* All signals once more at the present instant, and the inputs of the coming step once more. */
  UnitStatus (*resolve)(Plan *plan, int64_t tick);
  UnitStatus (*inputs)(Plan *plan, int64_t tick);
  UnitStatus (*step_once)(Plan *plan, int64_t tick);
} PlanModel;

struct Plan {
  Unit unit;
  const PlanModel *model;
  Unit **units;
  /* The signals. Texts and bytes are both kept as Binary, with a zero behind the end. */
  double *numbers;
  int64_t *longs;
  Binary *objects;
  double start;
  int64_t tick;
  /* Inputs were written that the signals inside do not follow yet. */
  bool outdated;
  /* A unit asked to end the simulation, at this time. */
  bool ended;
  double ended_at;
};

Unit *make_plan(const PlanModel *model, const UnitHost *host, const char *name);

/* ---- ops: one line each in the generated segments --------------------------------------------------------------------------- */

UnitStatus plan_read_numbers(Plan *plan, unsigned unit, const unsigned ports[], size_t count, size_t to);
UnitStatus plan_read_longs(Plan *plan, unsigned unit, const unsigned ports[], size_t count, size_t to);
UnitStatus plan_read_text(Plan *plan, unsigned unit, unsigned port, size_t to, size_t size);
UnitStatus plan_read_binary(Plan *plan, unsigned unit, unsigned port, size_t to, size_t size);
UnitStatus plan_write_numbers(Plan *plan, unsigned unit, const unsigned ports[], size_t count, size_t from);
UnitStatus plan_write_longs(Plan *plan, unsigned unit, const unsigned ports[], size_t count, size_t from);
UnitStatus plan_write_text(Plan *plan, unsigned unit, unsigned port, size_t from, size_t size);
UnitStatus plan_write_binary(Plan *plan, unsigned unit, unsigned port, size_t from, size_t size);
/* Values that the scenario gives: all elements of one port. */
UnitStatus plan_give_numbers(Plan *plan, unsigned unit, unsigned port, const double values[]);
UnitStatus plan_give_longs(Plan *plan, unsigned unit, unsigned port, const int64_t values[]);
UnitStatus plan_give_texts(Plan *plan, unsigned unit, unsigned port, const char *const values[]);
UnitStatus plan_give_binaries(Plan *plan, unsigned unit, unsigned port, const Binary values[]);
UnitStatus plan_give_slopes(Plan *plan, unsigned unit, const unsigned ports[], const int orders[], size_t count,
                            const double values[]);
UnitStatus plan_copy_objects(Plan *plan, size_t from, size_t to, size_t count);
/* The part-th of `parts` equal parts of the unit's step that ends at `tick`. */
UnitStatus plan_advance(Plan *plan, unsigned unit, int64_t tick, int part, int parts);
/* The track's signal becomes the newest of its history. */
void plan_sample(Plan *plan, unsigned track);
/* From the history: over the coming step with slopes (parts = 0), or in the middle of a part of the step that ends at `tick`. */
void plan_predict(Plan *plan, unsigned track, int64_t tick, int part, int parts);
/* The same between the last sample and the signal, which is that of the end of the step. */
void plan_interpolate(Plan *plan, unsigned track, int part, int parts);
/* Before the first step: what quadratic tracks begin with (plan-slopes.c). */
UnitStatus plan_learn_slopes(Plan *plan);
/* A double that holds an integer, as 64 bits; an unsigned one keeps its bits. */
int64_t plan_to_long(double value);
/* Value table; what is not in it passes unchanged. */
double plan_map(double value, const double from[], const double to[], size_t count);

/* ---- algebraic loops at initialization (plan-loop.c) -------------------------------------------------------------------------- */

/* One element of a port; of an image, it is `factor` times that element and something that does not depend on the loop. */
typedef struct {
  unsigned unit;
  unsigned port;
  size_t element;
  size_t size;
  double factor;
} LoopElement;

typedef struct {
  /* Its ports, for messages. */
  const char *ports;
  size_t count;
  const size_t *unknowns;
  const size_t *images;
  const LoopElement *inputs;
  const LoopElement *outputs;
  /* Every unit of the loop has directional derivatives. */
  bool exact;
  /* Writes the unknowns, reads the outputs, computes the images. */
  UnitStatus (*sweep)(Plan *plan, int64_t tick);
} PlanLoop;

UnitStatus plan_solve_loop(Plan *plan, const PlanLoop *loop);

#endif
