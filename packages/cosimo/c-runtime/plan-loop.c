/*
 * Algebraic loops at initialization: finds u with g(u) = u, where g is the plan's sweep around the loop. The method is Cosimo's
 * (engine/solve-loop.ts): Newton with derivatives of the units or finite differences, a damped fixed point where Newton fails.
 */
#include "plan.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 1e-12;
/* A correction this small changes nothing that matters. */
static const double SETTLED = 1e-9;
/* A pivot this small against the largest entry is rounding, not information. */
static const double SINGULAR = 1e-9;
static const int MAX_NEWTON = 30;
static const int MAX_FIXED_POINT = 500;
static const double DAMPING = 0.5;

typedef struct {
  Plan *plan;
  const PlanLoop *loop;
  size_t n;
  double *u;
  double *start;
  double *residual;
  double *shifted;
  double *correction;
  double *jacobian;
  size_t *pivots;
  double *seed;
  double *out;
} Search;

typedef struct {
  bool converged;
  bool singular;
  double worst;
} NewtonEnd;

/* Unlike fmax and fmin these do not lose a NAN. */
static double larger(double a, double b) { return isnan(a) || isnan(b) ? NAN : a > b ? a : b; }
static double smaller(double a, double b) { return isnan(a) || isnan(b) ? NAN : a < b ? a : b; }

static UnitStatus evaluate(Search *search, const double at[], double out[], double *worst) {
  const PlanLoop *loop = search->loop;
  double *numbers = search->plan->numbers;
  for (size_t i = 0; i < search->n; i++) numbers[loop->unknowns[i]] = at[i];
  UNIT_TRY(loop->sweep(search->plan, 0));
  *worst = 0;
  for (size_t i = 0; i < search->n; i++) {
    out[i] = numbers[loop->images[i]] - at[i];
    *worst = larger(*worst, fabs(out[i]) / (1 + fabs(at[i])));
  }
  return UNIT_OK;
}

/* ---- linear equations: numerics/lu.ts ----------------------------------------------------------------------------------------- */

static bool factor(size_t n, double a[], size_t pivots[]) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    pivots[k] = best;
    if (a[best * n + k] == 0) return false;
    for (size_t j = 0; best != k && j < n; j++) {
      const double kept = a[k * n + j];
      a[k * n + j] = a[best * n + j];
      a[best * n + j] = kept;
    }
    const double pivot = a[k * n + k];
    for (size_t i = k + 1; i < n; i++) {
      const double part = a[i * n + k] / pivot;
      a[i * n + k] = part;
      if (part == 0) continue;
      for (size_t j = k + 1; j < n; j++) a[i * n + j] -= part * a[k * n + j];
    }
  }
  return true;
}

static void solve(size_t n, const double lu[], const size_t pivots[], double b[]) {
  for (size_t k = 0; k < n; k++) {
    const double kept = b[k];
    b[k] = b[pivots[k]];
    b[pivots[k]] = kept;
  }
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < i; k++)
      if (lu[i * n + k] != 0) b[i] -= lu[i * n + k] * b[k];
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++)
      if (lu[i * n + k] != 0) b[i] -= lu[i * n + k] * b[k];
    b[i] /= lu[i * n + i];
  }
}

/* ---- Jacobians of g ------------------------------------------------------------------------------------------------------------- */

/* By the units' own derivatives: image i is `factor` times an output of a unit, unknown j an input of one. */
static UnitStatus exact_jacobian(Search *search) {
  const PlanLoop *loop = search->loop;
  const size_t n = search->n;
  memset(search->jacobian, 0, n * n * sizeof search->jacobian[0]);
  for (size_t j = 0; j < n; j++) {
    const LoopElement *known = &loop->inputs[j];
    Unit *inner = search->plan->units[known->unit];
    memset(search->seed, 0, known->size * sizeof search->seed[0]);
    search->seed[known->element] = 1;
    for (size_t i = 0; i < n; i++) {
      const LoopElement *image = &loop->outputs[i];
      if (image->unit != known->unit) continue;
      UNIT_TRY(inner->is->directional_derivative(inner, &image->port, 1, &known->port, 1, search->seed, search->out));
      search->jacobian[i * n + j] = image->factor * search->out[image->element];
    }
  }
  return UNIT_OK;
}

static UnitStatus difference_jacobian(Search *search) {
  const size_t n = search->n;
  double *changed = search->correction;
  double worst = 0;
  memcpy(changed, search->u, n * sizeof changed[0]);
  for (size_t j = 0; j < n; j++) {
    const double h = sqrt(DBL_EPSILON) * fmax(1, fabs(search->u[j]));
    changed[j] = search->u[j] + h;
    UNIT_TRY(evaluate(search, changed, search->shifted, &worst));
    changed[j] = search->u[j];
    /* residual = g(u) - u, so its difference lacks the identity. */
    for (size_t i = 0; i < n; i++)
      search->jacobian[i * n + j] = (search->shifted[i] - search->residual[i]) / h + (i == j ? 1 : 0);
  }
  return evaluate(search, search->u, search->residual, &worst);
}

/* ---- the search ------------------------------------------------------------------------------------------------------------------ */

/* Takes the identity off the Jacobian and factors it; false where its equations are singular. */
static bool prepare(Search *search) {
  const size_t n = search->n;
  double *jacobian = search->jacobian;
  double size = 1;
  for (size_t i = 0; i < n * n; i++) size = larger(size, fabs(jacobian[i]));
  for (size_t i = 0; i < n; i++) jacobian[i * n + i] -= 1;
  if (!factor(n, jacobian, search->pivots)) return false;
  double smallest = INFINITY;
  for (size_t i = 0; i < n; i++) smallest = smaller(smallest, fabs(jacobian[i * n + i]));
  return !(smallest < SINGULAR * size);
}

static UnitStatus newton(Search *search, NewtonEnd *end) {
  const size_t n = search->n;
  *end = (NewtonEnd){false, false, 0};
  UNIT_TRY(evaluate(search, search->u, search->residual, &end->worst));
  for (int k = 0; k < MAX_NEWTON; k++) {
    if (!isfinite(end->worst)) return UNIT_OK;
    UNIT_TRY(search->loop->exact ? exact_jacobian(search) : difference_jacobian(search));
    if (!prepare(search)) {
      end->singular = true;
      return UNIT_OK;
    }
    memcpy(search->correction, search->residual, n * sizeof search->correction[0]);
    solve(n, search->jacobian, search->pivots, search->correction);
    /* A small residual alone proves little: far away from a solution everything looks small against u. */
    bool settled = true;
    for (size_t i = 0; i < n; i++)
      if (!(fabs(search->correction[i]) <= SETTLED * (1 + fabs(search->u[i])))) settled = false;
    if (end->worst <= TOLERANCE && settled) {
      end->converged = true;
      return UNIT_OK;
    }
    for (size_t i = 0; i < n; i++) search->u[i] -= search->correction[i];
    UNIT_TRY(evaluate(search, search->u, search->residual, &end->worst));
  }
  return UNIT_OK;
}

static UnitStatus find(Search *search) {
  NewtonEnd end;
  for (size_t i = 0; i < search->n; i++) search->start[i] = search->plan->numbers[search->loop->unknowns[i]];
  memcpy(search->u, search->start, search->n * sizeof search->u[0]);
  UNIT_TRY(newton(search, &end));
  if (end.converged) return UNIT_OK;
  const bool singular = end.singular;
  double worst = INFINITY;
  memcpy(search->u, search->start, search->n * sizeof search->u[0]);
  for (int k = 0; k < MAX_FIXED_POINT; k++) {
    UNIT_TRY(evaluate(search, search->u, search->residual, &worst));
    if (!isfinite(worst)) break;
    if (worst <= TOLERANCE) {
      /* Where the equations are singular any value may do: that is not a solution to build on. */
      UNIT_TRY(newton(search, &end));
      if (end.singular) break;
      return UNIT_OK;
    }
    for (size_t i = 0; i < search->n; i++) search->u[i] += DAMPING * search->residual[i];
  }
  const char *what = singular ? "is under-determined: its equations are singular" : "does not converge";
  return unit_fail(&search->plan->unit, "the algebraic loop %s %s (residual %.2e)", search->loop->ports, what, worst);
}

UnitStatus plan_solve_loop(Plan *plan, const PlanLoop *loop) {
  const size_t n = loop->count;
  size_t widest = 1;
  for (size_t i = 0; i < n; i++) {
    if (loop->inputs[i].size > widest) widest = loop->inputs[i].size;
    if (loop->outputs[i].size > widest) widest = loop->outputs[i].size;
  }
  double *memory = unit_allocate(&plan->unit, 5 * n + n * n + 2 * widest, sizeof *memory);
  size_t *pivots = unit_allocate(&plan->unit, n, sizeof *pivots);
  UnitStatus status = UNIT_ERROR;
  if (memory && pivots) {
    double *vectors = memory + 5 * n;
    Search search = {plan, loop, n, memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n,
                     vectors, pivots, vectors + n * n, vectors + n * n + widest};
    status = find(&search);
  }
  free(memory);
  free(pivots);
  return status;
}
