/*
 * The plain C master that event-driven masters are measured against: a thermostat whose thresholds the master has to find, and a
 * ball that tells a counter of its bounces through a clock. Written for these two pairs of FMUs (FMI 3.0, event mode) and nothing
 * else; every status is checked.
 *
 *   event-master thermostat|bounces <library> <token> <library> <token> <steps>
 *
 * Decisions are those of engine/masters (crossing-watch.ts, crossing-search.ts, event-mode.ts, numerics/crossing.ts), formulas in
 * their order, so that the rows are the same, bit for bit: states are saved before every step; a step in which the temperature
 * reaches a threshold is repeated to where a secant says that it does, until that is near enough; a ball that ends a step early is
 * met where it did; at an event values go round until nothing new arrives. The row before an event and the row after it are recorded.
 * Prints JSON: nanoseconds of processor time in all, rows, steps, events, trials of steps, a hash of all rows.
 */
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fmi3.h"

typedef fmi3Instance Instance;
typedef fmi3Status Status;
typedef fmi3ValueReference Reference;

typedef struct {
    Instance instance;
    Status (*getReal)(Instance, const Reference[], size_t, double[], size_t);
    Status (*setReal)(Instance, const Reference[], size_t, const double[], size_t);
    Status (*getInteger)(Instance, const Reference[], size_t, int32_t[], size_t);
    Status (*setInteger)(Instance, const Reference[], size_t, const int32_t[], size_t);
    Status (*getBoolean)(Instance, const Reference[], size_t, bool[], size_t);
    Status (*setBoolean)(Instance, const Reference[], size_t, const bool[], size_t);
    Status (*getClock)(Instance, const Reference[], size_t, bool[]);
    Status (*setClock)(Instance, const Reference[], size_t, const bool[]);
    Status (*getRates)(Instance, const Reference[], size_t, const int32_t[], double[], size_t);
    Status (*step)(Instance, double, double, bool, bool *, bool *, bool *, double *);
    Status (*enterEventMode)(Instance);
    Status (*update)(Instance, bool *, bool *, bool *, bool *, bool *, double *);
    Status (*enterStepMode)(Instance);
    Status (*save)(Instance, fmi3FMUState *);
    Status (*restore)(Instance, fmi3FMUState);
    Status (*release)(Instance, fmi3FMUState *);
} Unit;

/* The room, or the ball; the controller, or the counter. */
static Unit first, second;
static double stepSize;
static long steps, events, trials;

static void require(Status status, const char *what) {
    if (status > fmi3Warning) fprintf(stderr, "%s returned %d\n", what, (int)status), exit(1);
}

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) fprintf(stderr, "%s is missing\n", name), exit(1);
    return found;
}

/* What the FMUs said last, for the message of a failure. */
#define LOG_LINES 200
static char logged[LOG_LINES][1024];
static unsigned logLines;

static void keepLog(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
    (void)environment, (void)status, (void)category;
    char *line = logged[logLines++ % LOG_LINES];
    strncpy(line, message, sizeof logged[0] - 1);
}

/* Leaves the unit in initialization mode. @param parameter set to `value` before; 0: none. */
static void start(Unit *u, const char *path, const char *token, Reference parameter, double value) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) fprintf(stderr, "%s\n", dlerror()), exit(1);
    Instance (*make)(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean, const Reference[],
                     size_t, fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3IntermediateUpdateCallback) =
        symbol(library, "fmi3InstantiateCoSimulation");
    Status (*enter)(Instance, fmi3Boolean, double, double, fmi3Boolean, double) = symbol(library, "fmi3EnterInitializationMode");
    *u = (Unit){
        .getReal = symbol(library, "fmi3GetFloat64"),
        .setReal = symbol(library, "fmi3SetFloat64"),
        .getInteger = symbol(library, "fmi3GetInt32"),
        .setInteger = symbol(library, "fmi3SetInt32"),
        .getBoolean = symbol(library, "fmi3GetBoolean"),
        .setBoolean = symbol(library, "fmi3SetBoolean"),
        .getClock = symbol(library, "fmi3GetClock"),
        .setClock = symbol(library, "fmi3SetClock"),
        .getRates = symbol(library, "fmi3GetOutputDerivatives"),
        .step = symbol(library, "fmi3DoStep"),
        .enterEventMode = symbol(library, "fmi3EnterEventMode"),
        .update = symbol(library, "fmi3UpdateDiscreteStates"),
        .enterStepMode = symbol(library, "fmi3EnterStepMode"),
        .save = symbol(library, "fmi3GetFMUState"),
        .restore = symbol(library, "fmi3SetFMUState"),
        .release = symbol(library, "fmi3FreeFMUState"),
    };
    u->instance = make("unit", token, NULL, false, true, true, true, NULL, 0, NULL, keepLog, NULL);
    if (u->instance == NULL) fprintf(stderr, "the FMU cannot be instantiated\n"), exit(1);
    if (parameter != 0) require(u->setReal(u->instance, &parameter, 1, &value, 1), "fmi3SetFloat64");
    require(enter(u->instance, false, 0, 0, false, 0), "fmi3EnterInitializationMode");
}

static void leaveInitialization(Unit *u, const char *path) {
    Status (*leave)(Instance) = symbol(dlopen(path, RTLD_NOW | RTLD_LOCAL), "fmi3ExitInitializationMode");
    require(leave(u->instance), "fmi3ExitInitializationMode");
}

static void getReals(const Unit *u, const Reference at[], size_t n, double values[]) {
    require(u->getReal(u->instance, at, n, values, n), "fmi3GetFloat64");
}

static double getReal(const Unit *u, Reference at) {
    double value;
    getReals(u, &at, 1, &value);
    return value;
}

static void setReal(const Unit *u, Reference at, double value) {
    require(u->setReal(u->instance, &at, 1, &value, 1), "fmi3SetFloat64");
}

static void getIntegers(const Unit *u, const Reference at[], size_t n, int32_t values[]) {
    require(u->getInteger(u->instance, at, n, values, n), "fmi3GetInt32");
}

static int32_t getInteger(const Unit *u, Reference at) {
    int32_t value;
    getIntegers(u, &at, 1, &value);
    return value;
}

static void setInteger(const Unit *u, Reference at, int32_t value) {
    require(u->setInteger(u->instance, &at, 1, &value, 1), "fmi3SetInt32");
}

static bool getBoolean(const Unit *u, Reference at) {
    bool value;
    require(u->getBoolean(u->instance, &at, 1, &value, 1), "fmi3GetBoolean");
    return value;
}

static void setBoolean(const Unit *u, Reference at, bool value) {
    require(u->setBoolean(u->instance, &at, 1, &value, 1), "fmi3SetBoolean");
}

/* @returns where the unit is; `event` says whether it wants one handled there. */
static double doStep(const Unit *u, double from, double to, bool *event) {
    bool terminate = false, early = false;
    double last = NAN, size = to - from;
    *event = false;
    require(u->step(u->instance, from, size, false, event, &terminate, &early, &last), "fmi3DoStep");
    if (terminate) fprintf(stderr, "an FMU ended the run\n"), exit(1);
    if (!early) return to;
    *event = true;
    return fabs(to - last) <= 1e-9 * size ? to : last;
}

/* @returns whether the unit wants another round. */
static bool update(const Unit *u) {
    bool again = false, terminate = false, nominals = false, values = false, hasNext = false;
    double next = NAN;
    require(u->update(u->instance, &again, &terminate, &nominals, &values, &hasNext, &next), "fmi3UpdateDiscreteStates");
    if (terminate || hasNext) fprintf(stderr, "a time event, or the end of the run\n"), exit(1);
    return again;
}

static void enterEventMode(void) {
    require(first.enterEventMode(first.instance), "fmi3EnterEventMode");
    require(second.enterEventMode(second.instance), "fmi3EnterEventMode");
}

static void enterStepMode(void) {
    require(first.enterStepMode(first.instance), "fmi3EnterStepMode");
    require(second.enterStepMode(second.instance), "fmi3EnterStepMode");
}

static fmi3FMUState keptFirst, keptSecond;

static void keep(void) {
    keptFirst = keptSecond = NULL;
    require(first.save(first.instance, &keptFirst), "fmi3GetFMUState");
    require(second.save(second.instance, &keptSecond), "fmi3GetFMUState");
}

static void drop(void) {
    require(first.release(first.instance, &keptFirst), "fmi3FreeFMUState");
    require(second.release(second.instance, &keptSecond), "fmi3FreeFMUState");
}

static void back(void) {
    require(first.restore(first.instance, keptFirst), "fmi3SetFMUState");
    require(second.restore(second.instance, keptSecond), "fmi3SetFMUState");
}

/* --- rows --- */

static double *rows;
static size_t columns, count;

static double *newRow(double time) {
    static size_t room;
    if (count == room) {
        room = room == 0 ? 1024 : 2 * room;
        rows = realloc(rows, sizeof *rows * columns * room);
        if (rows == NULL) fprintf(stderr, "no memory\n"), exit(1);
    }
    double *row = rows + columns * count++;
    row[0] = time;
    return row + 1;
}

/* FNV-1a over words of 32 bits. */
static uint32_t hashOfRows(void) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < columns * count; i++) {
        uint32_t words[2];
        memcpy(words, rows + i, sizeof words);
        for (int k = 0; k < 2; k++) hash = (hash ^ words[k]) * 16777619u;
    }
    return hash;
}

/* --- the grid of communication points --- */

static double now;
static long point = 1;

static double smallest(double time) { return 4 * DBL_EPSILON * fmax(stepSize, fabs(time)); }
static double gridPoint(void) { return (double)point * stepSize; }

/* @returns whether the step ended at a point of the grid. */
static bool passPoints(void) {
    long before = point;
    while (gridPoint() <= now + 1e-13 * fmax(stepSize, fabs(now))) point++;
    return point > before;
}

/* --- the thermostat --- */

enum { ROOM_Q = 1, ROOM_X = 2 };
enum { CONTROLLER_X = 1, CONTROLLER_Q = 2, CONTROLLER_SWITCHES = 3 };
#define LEVELS 2
#define TOLERANCE 1e-9
static const double level[LEVELS] = {21, 19};
/* The side from which a level is reached. */
static const int fromSide[LEVELS] = {-1, 1};

/* Where the step under way began: distances from the levels, sides, rates (NaN: unknown). */
static struct {
    double time, value[LEVELS], rate[LEVELS];
    int side[LEVELS];
    bool near[LEVELS];
} begin;

static double previous[LEVELS], previousAgo, leave, lastEvent[LEVELS];
static double temperature, distance[LEVELS], rates[LEVELS];

/* A search for one crossing: the Illinois variant of regula falsi. */
static struct {
    int sought;
    bool isOn;
    bool located[LEVELS];
    double before, gBefore, after, gAfter, weightBefore, weightAfter, widthToHalve, narrowest, trial;
    int lastMoved, trialsToHalve, trials;
    double wholeStep, looks[LEVELS];
    int looksLeft, look;
    bool isLookedInto;
} search;

static int sideOf(double value) { return fabs(value) <= TOLERANCE ? 0 : value > 0 ? 1 : -1; }
static bool hasCrossed(int side, double value) { return side > 0 ? value < 0 : side < 0 && value > 0; }

static void readDistances(void) {
    temperature = getReal(&first, ROOM_X);
    for (int c = 0; c < LEVELS; c++) distance[c] = temperature - level[c];
}

static void restart(double since) {
    readDistances();
    begin.time = now;
    previousAgo = 0;
    leave = 1e-4;
    for (int c = 0; c < LEVELS; c++) {
        double value = begin.value[c] = distance[c];
        int side = sideOf(value);
        bool isNew = lastEvent[c] >= since;
        begin.rate[c] = NAN;
        begin.near[c] = side == 0;
        if (side != 0 || !isNew) begin.side[c] = side;
        else if (value != 0) begin.side[c] = value > 0 ? 1 : -1;
    }
}

static bool isLeaving(void) { return leave < 1 && (begin.near[0] || begin.near[1]); }

static void choose(void) {
    double width = search.after - search.before, time = search.narrowest;
    search.trial = NAN;
    if (!(width > time) || fabs(search.gAfter) <= TOLERANCE / 2 || search.trials >= 200) return;
    double half = search.before + width / 2;
    double t = search.after - (search.weightAfter * width) / (search.weightAfter - search.weightBefore);
    bool isHalf = search.trialsToHalve >= 0 && width <= search.widthToHalve / 2;
    if (isHalf || search.trialsToHalve < 0) {
        search.trialsToHalve = isHalf ? 3 : 1;
        search.widthToHalve = width;
    }
    if (search.trialsToHalve-- == 0) t = half;
    t = fmin(fmax(t, search.before + time / 2), search.after - time / 2);
    if (!(t > search.before && t < search.after)) t = half;
    if (t > search.before && t < search.after) search.trial = t;
}

static void tell(double g) {
    bool crossed = search.gBefore > 0 ? !(g > 0) : !(g < 0);
    if (crossed) {
        if (search.lastMoved > 0) search.weightBefore /= 2;
        search.lastMoved = 1;
        search.after = search.trial;
        search.gAfter = search.weightAfter = g;
    } else {
        if (search.lastMoved < 0) search.weightAfter /= 2;
        search.lastMoved = -1;
        search.before = search.trial;
        search.gBefore = search.weightBefore = g;
    }
    search.trials++;
    choose();
}

/* The crossing that comes first of those that happened, are wanted and not located; -1: none. */
static int earliest(double time) {
    int found = -1;
    double when = INFINITY;
    for (int c = 0; c < LEVELS; c++) {
        int side = begin.side[c];
        if (!hasCrossed(side, distance[c]) || search.located[c] || side != fromSide[c]) continue;
        double part = fabs(begin.value[c]) / (fabs(begin.value[c]) + fabs(distance[c]));
        double at = begin.time + part * (time - begin.time);
        if (at < when) when = at, found = c;
    }
    return found;
}

static double next(double time, bool mayHide);

static double seek(int c, double time) {
    int side = begin.side[c], own = begin.value[c] > 0 ? 1 : begin.value[c] < 0 ? -1 : 0;
    search.sought = c;
    search.isOn = true;
    search.before = begin.time;
    search.gBefore = search.weightBefore = own == side ? begin.value[c] : side * TOLERANCE;
    search.after = time;
    search.narrowest = 16 * DBL_EPSILON * fmax(fabs(begin.time), fabs(time));
    search.gAfter = search.weightAfter = distance[c];
    search.lastMoved = search.trials = 0;
    search.widthToHalve = time - begin.time;
    search.trialsToHalve = 3;
    choose();
    if (!isnan(search.trial)) return search.trial;
    search.located[c] = true;
    return next(time, true);
}

/* Where, as a part of the step, a cubic through values and rates reaches zero; NaN: it does not. */
static double hiddenPair(double g0, double dg0, double g1, double dg1, double h) {
    double sign = g0 > 0 ? 1 : g0 < 0 ? -1 : 0;
    if (sign == 0 || sign != (g1 > 0 ? 1 : g1 < 0 ? -1 : 0)) return NAN;
    double p0 = sign * g0, rise = sign * (g1 - g0), m0 = sign * h * dg0, m1 = sign * h * dg1;
    double c2 = 3 * rise - 2 * m0 - m1, c3 = m0 + m1 - 2 * rise;
    double discriminant = c2 * c2 - 3 * c3 * m0;
    if (!(discriminant > 0)) return NAN;
    double root = sqrt(discriminant);
    double s = c2 > 0 ? -m0 / (c2 + root) : (root - c2) / (3 * c3);
    if (!(s > 0 && s < 1)) return NAN;
    return p0 + s * (m0 + s * (c2 + s * c3)) <= 0 ? s : NAN;
}

/* No crossing at the ends of the step: are there two inside? */
static double lookInside(double time) {
    if (!search.isLookedInto) {
        search.isLookedInto = true;
        search.wholeStep = time;
        double length = time - begin.time;
        for (int c = 0; c < LEVELS; c++) {
            if (begin.side[c] == 0) continue;
            bool isKnown = !isnan(begin.rate[c]) && !isnan(rates[c]);
            double at = isKnown ? hiddenPair(begin.value[c], begin.rate[c], distance[c], rates[c], length) : 0.5;
            if (!isnan(at)) search.looks[search.looksLeft++] = begin.time + at * length;
        }
        if (search.looksLeft == 2 && search.looks[0] > search.looks[1]) {
            double later = search.looks[0];
            search.looks[0] = search.looks[1];
            search.looks[1] = later;
        }
    } else if (time != search.wholeStep && (hasCrossed(begin.side[0], distance[0]) || hasCrossed(begin.side[1], distance[1]))) {
        return NAN;
    }
    if (search.look < search.looksLeft) return search.looks[search.look++];
    return time == search.wholeStep ? NAN : search.wholeStep;
}

static double next(double time, bool mayHide) {
    int sought = search.sought;
    if (search.isOn && !isnan(search.trial)) {
        if (!hasCrossed(begin.side[sought], distance[sought])) {
            int earlier = earliest(time);
            if (earlier >= 0) return seek(earlier, time);
        }
        tell(distance[sought]);
        if (!isnan(search.trial)) return search.trial;
        if (search.after != time) return search.after;
    }
    if (search.isOn) search.located[sought] = true;
    int found = earliest(time);
    if (found >= 0) return seek(found, time);
    return search.isOn || !mayHide ? NAN : lookInside(time);
}

/* A trial reached `time`. @returns where to try next; NaN: the step may end there. */
static double objection(double time) {
    readDistances();
    double rate, h = time - begin.time;
    require(first.getRates(first.instance, &(Reference){ROOM_X}, 1, &(int32_t){1}, &rate, 1), "fmi3GetOutputDerivatives");
    for (int c = 0; c < LEVELS; c++) {
        rates[c] = rate;
        if (!isnan(begin.rate[c])) continue;
        double secant = (distance[c] - begin.value[c]) / h;
        double bend = previousAgo == 0 ? NAN : (h * (secant - (begin.value[c] - previous[c]) / previousAgo)) / (h + previousAgo);
        begin.rate[c] = secant - bend;
    }
    return next(time, !isLeaving());
}

/* @returns whether a crossing happened in the step that was accepted. */
static bool acceptCrossings(void) {
    bool isEvent = false;
    for (int c = 0; c < LEVELS; c++) {
        int side = begin.side[c];
        double value = distance[c];
        bool isSought = search.isOn && search.sought == c, crossed = isSought || hasCrossed(side, value);
        if (crossed && side == fromSide[c]) {
            isEvent = true;
            lastEvent[c] = now;
        }
        if (crossed) begin.side[c] = -side;
        else if (side == 0) {
            double noise = 16 * DBL_EPSILON * fmax(fabs(level[c]), fabs(value)), moved = value - begin.value[c];
            begin.side[c] = sideOf(value) != 0 ? sideOf(value) : fabs(moved) <= noise ? 0 : moved > 0 ? 1 : -1;
        }
        if (sideOf(value) != 0) begin.near[c] = false;
        previous[c] = begin.value[c];
        begin.value[c] = value;
        begin.rate[c] = rates[c];
    }
    previousAgo = now - begin.time;
    leave = fmin(1, 8 * leave);
    begin.time = now;
    return isEvent;
}

static void recordThermostat(void) {
    double *row = newRow(now);
    row[0] = getReal(&first, ROOM_X);
    row[1] = getBoolean(&second, CONTROLLER_Q);
    row[2] = getInteger(&second, CONTROLLER_SWITCHES);
}

/* In event mode, until nothing new arrives; then back to step mode. */
static void settleThermostat(void) {
    static double givenX = NAN;
    static int givenQ = -1;
    bool touchesFirst = true, touchesSecond = true;
    for (bool isFirst = true;; isFirst = false) {
        double x = getReal(&first, ROOM_X);
        int q = getBoolean(&second, CONTROLLER_Q);
        if (x != givenX || isFirst) setReal(&second, CONTROLLER_X, x);
        if (x != givenX) touchesSecond = true;
        if (q != givenQ) setBoolean(&first, ROOM_Q, q), touchesFirst = true;
        givenX = x;
        givenQ = q;
        if (!touchesFirst && !touchesSecond) break;
        touchesFirst = touchesFirst && update(&first);
        touchesSecond = touchesSecond && update(&second);
    }
    enterStepMode();
}

static void tryThermostat(double from, double to, double held) {
    bool event;
    trials++;
    setReal(&second, CONTROLLER_X, held);
    double reached = doStep(&first, from, to, &event);
    if (reached == to && !event) reached = doStep(&second, from, to, &event);
    if (reached != to || event) fprintf(stderr, "an event of its own\n"), exit(1);
}

static void runThermostat(long wanted) {
    double stop = (double)wanted * stepSize;
    lastEvent[0] = lastEvent[1] = -INFINITY;
    settleThermostat();
    restart(now);
    recordThermostat();
    for (; stop - now > smallest(stop); steps++) {
        double from = now, to = fmin(gridPoint(), stop), held = temperature;
        keep();
        memset(&search, 0, sizeof search);
        search.trial = NAN;
        if (isLeaving()) to = fmin(to, from + fmax(leave * (to - from), 16 * DBL_EPSILON * fabs(from)));
        for (;;) {
            to = fmax(to, from + smallest(from));
            tryThermostat(from, to, held);
            double again = objection(to);
            if (isnan(again)) break;
            back();
            to = again;
        }
        drop();
        now = to;
        bool isPoint = passPoints(), isEvent = acceptCrossings();
        if (isPoint || isEvent || !(stop - now > smallest(stop))) recordThermostat();
        if (!isEvent) continue;
        events++;
        enterEventMode();
        settleThermostat();
        restart(now);
        recordThermostat();
    }
}

/* --- the bouncing ball and the counter --- */

enum { BALL_BOUNCE = 1, BALL_IMPACT = 2, BALL_H = 3, BALL_V = 4, BALL_BOUNCES = 5, BALL_E = 9 };
enum { COUNTER_TICK = 1, COUNTER_WEIGHT = 2, COUNTER_COUNT = 3, COUNTER_SUM = 5, COUNTER_U = 7, COUNTER_CHANGES = 8 };

static void recordBounces(void) {
    static const Reference flight[] = {BALL_H, BALL_V}, counts[] = {COUNTER_COUNT, COUNTER_CHANGES};
    double *row = newRow(now);
    int32_t counted[2];
    getReals(&first, flight, 2, row);
    row[2] = getInteger(&first, BALL_BOUNCES);
    getIntegers(&second, counts, 2, counted);
    row[3] = counted[0];
    row[4] = getReal(&second, COUNTER_SUM);
    row[5] = counted[1];
}

static void settleBounces(void) {
    static int32_t givenU = INT32_MIN;
    bool touchesFirst = true, touchesSecond = true;
    for (;;) {
        bool ticks = false;
        require(first.getClock(first.instance, &(Reference){BALL_BOUNCE}, 1, &ticks), "fmi3GetClock");
        int32_t u = getInteger(&first, BALL_BOUNCES);
        if (ticks) {
            require(second.setClock(second.instance, &(Reference){COUNTER_TICK}, 1, &ticks), "fmi3SetClock");
            setReal(&second, COUNTER_WEIGHT, getReal(&first, BALL_IMPACT));
            touchesSecond = true;
        }
        if (u != givenU) {
            setInteger(&second, COUNTER_U, u);
            givenU = u;
            touchesSecond = true;
        }
        if (!touchesFirst && !touchesSecond) break;
        touchesFirst = touchesFirst && update(&first);
        touchesSecond = touchesSecond && update(&second);
    }
    enterStepMode();
}

static void runBounces(long wanted) {
    double stop = (double)wanted * stepSize;
    settleBounces();
    recordBounces();
    for (; stop - now > smallest(stop); steps++) {
        double from = now, to = fmin(gridPoint(), stop), reached;
        bool isEvent = false, ofCounter = false;
        keep();
        for (;;) {
            to = fmax(to, from + smallest(from));
            trials++;
            reached = doStep(&first, from, to, &isEvent);
            if (reached == to) break;
            back();
            to = reached;
        }
        reached = doStep(&second, from, to, &ofCounter);
        if (reached != to || ofCounter) fprintf(stderr, "an event of the counter's own\n"), exit(1);
        drop();
        now = to;
        bool isPoint = passPoints();
        if (isPoint || isEvent || !(stop - now > smallest(stop))) recordBounces();
        if (!isEvent) continue;
        events++;
        enterEventMode();
        settleBounces();
        recordBounces();
    }
}

/* Processor time: what other processes do at the same time is not counted. */
static double processorTime(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 7) return fprintf(stderr, "usage: see the source\n"), 2;
    bool isThermostat = strcmp(argv[1], "thermostat") == 0;
    long wanted = atol(argv[6]);
    stepSize = isThermostat ? 0.5 : 0.1;
    columns = isThermostat ? 4 : 7;
    start(&first, argv[2], argv[3], isThermostat ? 0 : BALL_E, 1);
    start(&second, argv[4], argv[5], 0, 0);
    if (isThermostat) {
        setReal(&second, CONTROLLER_X, getReal(&first, ROOM_X));
        setBoolean(&first, ROOM_Q, getBoolean(&second, CONTROLLER_Q));
    } else {
        setInteger(&second, COUNTER_U, getInteger(&first, BALL_BOUNCES));
    }
    leaveInitialization(&first, argv[2]);
    leaveInitialization(&second, argv[4]);
    double began = processorTime();
    if (isThermostat) runThermostat(wanted);
    else runBounces(wanted);
    double took = processorTime() - began;
    printf("{\"nanoseconds\": %.0f, \"rows\": %zu, \"steps\": %ld, \"events\": %ld, \"trials\": %ld, \"hash\": %lu}\n", took, count, steps,
           events, trials, (unsigned long)hashOfRows());
    return 0;
}
