/*
 * One inner unit as the adaptation around it sees it: inputs and outputs at fixed places of the adaptation's memory, steps, and a state
 * to go back to (adapt/inner-link.ts); and what the parts of the runtime need of each other. For adaptation*.c only.
 */
#ifndef COSIMO_ADAPTATION_LINK_H
#define COSIMO_ADAPTATION_LINK_H

#include "adaptation.h"

/* Steps that differ by less than this part are the same; what is left is rounding of times that were added up. */
#define SAME_STEP 1e-9
/* Values that differ by less than this part are the same; what is left is rounding of a line between them. */
#define SAME_VALUE (8 * DBL_EPSILON)

/* Ports of the inner unit and their cells, bank by bank: numbers, then 64-bit integers (whose cells are numbers too), then texts. */
typedef struct {
  size_t numbers;
  size_t longs;
  size_t texts;
  unsigned *ports;
  size_t *cells;
  bool *is_unsigned;
} LinkPorts;

struct InnerLink {
  const InnerTable *table;
  Unit *unit;
  LinkPorts inputs;
  LinkPorts outputs;
  /* Of the inputs that are numbers, in the order of `inputs`; and where each input of the table stands in it. */
  const InnerPort **planned;
  size_t *place_of;
  /* Every input keeps over a step what it is given for it. */
  bool is_held;
  bool has_rules;
  bool has_moving;
  bool has_courses;
  /* Over the step to come: where inputs begin, their derivatives there, where they are in its middle and at its end. */
  double *first;
  double *slopes;
  double *curves;
  double *middle;
  double *last;
  bool *is_assigned;
  /* Inputs whose derivatives the unit gets, and how. */
  size_t *differentiated;
  size_t differentiated_count;
  unsigned *slope_ports;
  int *slope_orders;
  double *slope_values;
  /* It has not been stepped since the whole step began. */
  bool is_first;
  /* It asked to end the simulation. */
  bool is_terminated;
  /* It was rolled back, so the outputs that were read last are not its own. */
  bool is_stale;
  /* Kept with the state of the adaptation. */
  double *time;
  double *sloped;
  double *previous;
  double *given;
  /* What texts were given last; NULL when unknown. Not part of a state: after it they are given again. */
  char **given_texts;
  /* Room for transfers. */
  double *values;
  int64_t *long_values;
  const char **text_values;
  /* What save_state kept; lasts until the end of the step. */
  void *saved;
  double saved_time;
  double saved_sloped;
  bool saved_is_first;
  double *saved_previous;
};

/* Memory that lives as long as the adaptation; NULL after a report. */
void *adaptation_allocate(Adaptation *adaptation, size_t count, size_t size);

/* The slope of an own input so long after the beginning of the step under way. */
double own_slope_at(const Adaptation *adaptation, size_t input, double s);

/* Brings own outputs up to date. */
UnitStatus adaptation_refresh(Adaptation *adaptation);

/* How many numbers a link keeps in the adaptation's book. */
size_t link_book_count(const InnerTable *table);
UnitStatus link_make(Adaptation *adaptation, InnerLink *link, const InnerTable *table, double *book);
void link_free(InnerLink *link);
/* As if nothing had happened since it was made. */
UnitStatus link_reset(InnerLink *link);

UnitStatus link_enter_initialization(Adaptation *adaptation, InnerLink *link, const UnitExperiment *experiment);
UnitStatus link_take_outputs(Adaptation *adaptation, InnerLink *link);
/* What is in the cells of the inputs becomes what they were before. */
void link_keep_as_previous(Adaptation *adaptation, InnerLink *link);
/* Outputs at the present instant, which belong to what is in the cells of the inputs. */
UnitStatus link_resolve(Adaptation *adaptation, InnerLink *link);
/* The same for a look that leaves no trace, and only where inputs are not those that the outputs belong to. */
UnitStatus link_look(Adaptation *adaptation, InnerLink *link);
/* Rules compute with doubles: what an integer input cannot hold is an error. Not during initialization, where values may be preliminary. */
UnitStatus link_check_integers(const Adaptation *adaptation, const InnerLink *link);
/* Some input goes as MapIn says over the step to come. */
bool link_is_ruled(const Adaptation *adaptation, const InnerLink *link);
/* Every input keeps what is in its cell, until something else is found. */
void link_hold(Adaptation *adaptation, InnerLink *link);
/* What is in the cells of inputs that go so over a step is what they are where it begins; in its middle; where it ends. */
void link_take(Adaptation *adaptation, InnerLink *link, Delivery how, double values[]);
/* Derivatives of the inputs whose ends were taken, and what they end with. */
void link_follow(Adaptation *adaptation, InnerLink *link, double step, double begin);
/* Inputs that other units or control rules give: from what they were to what is in their cells, or one of both held. */
void link_lead(Adaptation *adaptation, InnerLink *link, double step);
/* Advances from where the unit is; `came` is exactly `step` when it reached `to`. */
UnitStatus link_advance(Adaptation *adaptation, InnerLink *link, double to, double step, double *came);
/* Whether `time` is where the unit stands, but for rounding. */
bool link_is_at(const InnerLink *link, double time, double step);
UnitStatus link_save(InnerLink *link);
UnitStatus link_rollback(Adaptation *adaptation, InnerLink *link);
UnitStatus link_end_step(Adaptation *adaptation, InnerLink *link);
/* How far the unit would go by itself up to `horizon`; infinity where it does not say. */
UnitStatus link_next_time_step(InnerLink *link, double horizon, double *seconds);
/* The unit was set back to another state of its own. */
void link_was_restored(InnerLink *link);

#endif
