/*
 * One inner unit as the adaptation around it sees it: inputs and outputs at fixed places of the adaptation's memory, steps, and a state
 * to go back to (adapt/inner-link.ts); and what the parts of the runtime need of each other. For adaptation*.c only.
 */
#ifndef COSIMO_ADAPTATION_LINK_H
#define COSIMO_ADAPTATION_LINK_H

#include "adaptation.h"

/* Steps that differ by less than this part are the same; what is left is rounding of times that were added up. */
#define SAME_STEP 1e-9

/* Ports of the inner unit and their cells, bank by bank: numbers, then 64-bit integers (whose cells are numbers too), then texts. */
typedef struct {
  size_t numbers;
  size_t longs;
  size_t texts;
  unsigned *ports;
  size_t *cells;
} LinkPorts;

struct InnerLink {
  const InnerTable *table;
  Unit *unit;
  LinkPorts inputs;
  LinkPorts outputs;
  /* Of the inputs that are numbers, in the order of `inputs`. */
  Delivery *deliveries;
  bool has_lead;
  unsigned *slope_ports;
  int *slope_orders;
  size_t slope_count;
  /* It asked to end the simulation. */
  bool is_terminated;
  /* It was taken back, so the outputs that were read last are not its own. */
  bool is_stale;
  /* Kept with the state of the adaptation. */
  double *time;
  double *sloped;
  double *previous;
  double *given;
  /* What texts were given last; NULL when unknown. Not part of a state: after it they are given again. */
  char **given_texts;
  /* Room for transfers. */
  double *first;
  double *values;
  int64_t *long_values;
  const char **text_values;
  /* What save_state kept; lasts until the end of the step. */
  void *saved;
  double saved_time;
  double saved_sloped;
  double *saved_previous;
};

/* Memory that lives as long as the adaptation; NULL after a report. */
void *adaptation_allocate(Adaptation *adaptation, size_t count, size_t size);

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
