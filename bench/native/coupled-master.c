/*
 * The plain C master that masters which decide at run time are measured against: two coupled mass-spring-dampers, iterated in sequence
 * with inputs that are linear over a step, steps of one size or as long as an error estimate allows. Written for these two units
 * and nothing else; every status is checked. FMI_VERSION is 2 or 3.
 *
 *   coupled-master <left library> <token> <right library> <token> <method> <number> <steps>
 *
 * Methods: `corrections` (number: how many), `converged` (number: tolerance of the iteration), `richardson` and `milne` (number:
 * relative tolerance; steps times 10 ms is the time to reach). Formulas and their order are those of engine/masters, so that runs
 * with steps of one size end at the same position, bit for bit; step control needs powers, which C libraries round differently.
 * Steps begin at multiples of 10 ms, and their sizes are the differences, as in any master that counts its times: they differ in
 * their last digits, and FMUs that keep what they compute for a size compute it again.
 * Prints JSON: nanoseconds of processor time in all, steps taken and rejected, evaluations, the position of the left mass at the end.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if FMI_VERSION == 2
#include "fmi2.h"
typedef fmi2Component Instance;
typedef fmi2Status Status;
typedef fmi2FMUstate State;
typedef fmi2ValueReference Reference;
#define WARNING fmi2Warning
#define FUNCTION(name) "fmi2" name
#define STATE "state"
#else
#include "fmi3.h"
typedef fmi3Instance Instance;
typedef fmi3Status Status;
typedef fmi3FMUState State;
typedef fmi3ValueReference Reference;
#define WARNING fmi3Warning
#define FUNCTION(name) "fmi3" name
#define STATE "State"
#endif

#define STEP 0.01
#define INPUTS 3

/* Inputs: force on the left mass; position and velocity for the right one. */
enum { FORCE, POSITION, VELOCITY };

typedef struct {
    Instance instance;
    size_t inputs, outputs;
    Reference in[2], out[2];
    bool feedThrough;
#if FMI_VERSION == 2
    Status (*get)(Instance, const Reference[], size_t, double[]);
    Status (*set)(Instance, const Reference[], size_t, const double[]);
    Status (*slopes)(Instance, const Reference[], size_t, const fmi2Integer[], const double[]);
    Status (*step)(Instance, double, double, fmi2Boolean);
#else
    Status (*get)(Instance, const Reference[], size_t, double[], size_t);
    Status (*set)(Instance, const Reference[], size_t, const double[], size_t);
    Status (*step)(Instance, double, double, fmi3Boolean, fmi3Boolean *, fmi3Boolean *, fmi3Boolean *, double *);
    /* What the inputs do in the step under way. */
    double begin, base[2], slope[2];
    Status inside;
#endif
    Status (*save)(Instance, State *);
    Status (*restore)(Instance, State);
    Status (*release)(Instance, State *);
} Unit;

static Unit left, right;
static long evaluations;

static void require(Status status, const char *what) {
    if (status > WARNING) fprintf(stderr, "%s returned %d\n", what, (int)status), exit(1);
}

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) fprintf(stderr, "%s is missing\n", name), exit(1);
    return found;
}

#if FMI_VERSION == 2
static Status get(Unit *u, double values[]) { return u->get(u->instance, u->out, u->outputs, values); }
static Status set(Unit *u, const double values[]) { return u->set(u->instance, u->in, u->inputs, values); }

static void ignore(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...) {
    (void)environment, (void)name, (void)status, (void)category, (void)message;
}

static void instantiate(Unit *u, void *library, const char *token, Reference undamped) {
    static const fmi2CallbackFunctions callbacks = {ignore, calloc, free, NULL, NULL};
    Instance (*make)(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *, fmi2Boolean, fmi2Boolean) =
        symbol(library, "fmi2Instantiate");
    Status (*setup)(Instance, fmi2Boolean, double, double, fmi2Boolean, double) = symbol(library, "fmi2SetupExperiment");
    Status (*enter)(Instance) = symbol(library, "fmi2EnterInitializationMode");
    u->instance = make("unit", fmi2CoSimulation, token, "", &callbacks, 0, 0);
    if (u->instance == NULL) fprintf(stderr, "the FMU cannot be instantiated\n"), exit(1);
    u->get = symbol(library, "fmi2GetReal");
    u->set = symbol(library, "fmi2SetReal");
    require(u->set(u->instance, &undamped, 1, &(double){0}), "fmi2SetReal");
    require(setup(u->instance, 0, 0, 0, 0, 0), "fmi2SetupExperiment");
    require(enter(u->instance), "fmi2EnterInitializationMode");
    u->slopes = symbol(library, "fmi2SetRealInputDerivatives");
    u->step = symbol(library, "fmi2DoStep");
}

static Status doStep(Unit *u, double from, double size, const double begin[], const double slope[]) {
    static const fmi2Integer first[] = {1, 1};
    Status status = set(u, begin);
    if (status > WARNING) return status;
    status = u->slopes(u->instance, u->in, u->inputs, first, slope);
    return status > WARNING ? status : u->step(u->instance, from, size, 0);
}
#else
static Status get(Unit *u, double values[]) { return u->get(u->instance, u->out, u->outputs, values, u->outputs); }
static Status set(Unit *u, const double values[]) { return u->set(u->instance, u->in, u->inputs, values, u->inputs); }

static void ignore(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
    (void)environment, (void)status, (void)category, (void)message;
}

static void update(fmi3InstanceEnvironment environment, double time, fmi3Boolean setRequested, fmi3Boolean getAllowed,
                   fmi3Boolean stepFinished, fmi3Boolean canReturnEarly, fmi3Boolean *early, double *earlyTime) {
    Unit *u = environment;
    double dt = time - u->begin, values[2];
    (void)getAllowed, (void)stepFinished, (void)canReturnEarly;
    *early = false;
    *earlyTime = time;
    if (!setRequested) return;
    for (size_t i = 0; i < u->inputs; i++) values[i] = u->base[i] + u->slope[i] * dt;
    Status status = set(u, values);
    if (status > u->inside) u->inside = status;
}

static void instantiate(Unit *u, void *library, const char *token, Reference undamped) {
    Instance (*make)(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean, const Reference[],
                     size_t, fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3IntermediateUpdateCallback) =
        symbol(library, "fmi3InstantiateCoSimulation");
    Status (*enter)(Instance, fmi3Boolean, double, double, fmi3Boolean, double) = symbol(library, "fmi3EnterInitializationMode");
    u->instance = make("unit", token, NULL, false, false, false, false, u->in, u->inputs, u, ignore, update);
    if (u->instance == NULL) fprintf(stderr, "the FMU cannot be instantiated\n"), exit(1);
    u->get = symbol(library, "fmi3GetFloat64");
    u->set = symbol(library, "fmi3SetFloat64");
    require(u->set(u->instance, &undamped, 1, &(double){0}, 1), "fmi3SetFloat64");
    require(enter(u->instance, false, 0, 0, false, 0), "fmi3EnterInitializationMode");
    u->step = symbol(library, "fmi3DoStep");
}

static Status doStep(Unit *u, double from, double size, const double begin[], const double slope[]) {
    fmi3Boolean event = false, terminate = false, early = false;
    double last = 0;
    Status status = set(u, begin);
    if (status > WARNING) return status;
    u->begin = from;
    u->inside = 0;
    for (size_t i = 0; i < u->inputs; i++) u->base[i] = begin[i], u->slope[i] = slope[i];
    status = u->step(u->instance, from, size, false, &event, &terminate, &early, &last);
    if (terminate || early) fprintf(stderr, "the FMU ended its step early\n"), exit(1);
    return status > u->inside ? status : u->inside;
}
#endif

/* @param undamped the parameter that is set to 0, so that the masses never come to rest. */
static void start(Unit *u, const char *path, const char *token, Reference undamped) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) fprintf(stderr, "%s\n", dlerror()), exit(1);
    u->save = symbol(library, FUNCTION("GetFMU") STATE);
    u->restore = symbol(library, FUNCTION("SetFMU") STATE);
    u->release = symbol(library, FUNCTION("FreeFMU") STATE);
    instantiate(u, library, token, undamped);
    Status (*leave)(Instance) = symbol(library, FUNCTION("ExitInitializationMode"));
    require(leave(u->instance), "exit initialization");
}

/* A step with inputs that go straight from `begin` to `end`; what it gives into `given`. */
static void advance(Unit *u, double from, double to, const double begin[], const double end[], double given[]) {
    double size = to - from, slope[2], last[2];
    for (size_t i = 0; i < u->inputs; i++) slope[i] = (end[i] - begin[i]) / size;
    require(doStep(u, from, size, begin, slope), "a step");
    if (u->feedThrough) {
        for (size_t i = 0; i < u->inputs; i++) last[i] = begin[i] + slope[i] * size;
        require(set(u, last), "set");
    }
    require(get(u, given), "get");
}

/* Signals at the last communication points, newest first. */
typedef struct {
    int count;
    double time[3], value[3][INPUTS];
} Past;

static Past past;

static void push(double time, const double values[]) {
    for (int k = 2; k > 0; k--) {
        past.time[k] = past.time[k - 1];
        memcpy(past.value[k], past.value[k - 1], sizeof past.value[k]);
    }
    past.time[0] = time;
    memcpy(past.value[0], values, sizeof past.value[0]);
    if (past.count < 3) past.count++;
}

static void predict(double at, double out[]) {
    for (int i = 0; i < INPUTS; i++) {
        double y = past.value[0][i];
        double slope = past.count > 1 ? (y - past.value[1][i]) / (past.time[0] - past.time[1]) : 0;
        out[i] = y + (at - past.time[0]) * slope;
    }
}

typedef struct {
    State left, right;
} Kept;

static Kept keep(void) {
    Kept kept = {NULL, NULL};
    require(left.save(left.instance, &kept.left), "save");
    require(right.save(right.instance, &kept.right), "save");
    return kept;
}

static void drop(Kept *kept) {
    require(left.release(left.instance, &kept->left), "release");
    require(right.release(right.instance, &kept->right), "release");
}

static void back(const Kept *kept) {
    require(left.restore(left.instance, kept->left), "restore");
    require(right.restore(right.instance, kept->right), "restore");
}

static int corrections = -1;
static double tolerance = 1e-8;

/* Both units from `from`, where they are and were kept, to `to`, until they agree. */
static void iterate(double from, double to, const Kept *kept, double out[]) {
    const double *begin = past.value[0];
    double x[INPUTS], scale[INPUTS];
    predict(from + (to - from), x);
    for (int i = 0; i < INPUTS; i++) scale[i] = fmax(1, fabs(begin[i]));
    for (int k = 0; k < 50; k++) {
        double norm = 0;
        evaluations++;
        if (k > 0) require(left.restore(left.instance, kept->left), "restore");
        advance(&left, from, to, begin + FORCE, x + FORCE, out + POSITION);
        if (k > 0) require(right.restore(right.instance, kept->right), "restore");
        advance(&right, from, to, begin + POSITION, out + POSITION, out + FORCE);
        double residual[INPUTS];
        for (int i = 0; i < INPUTS; i++) {
            residual[i] = (out[i] - x[i]) / scale[i];
            if (!(fabs(residual[i]) <= norm)) norm = fabs(residual[i]);
        }
        if (corrections >= 0 ? k == corrections : norm <= tolerance) return;
        for (int i = 0; i < INPUTS; i++) x[i] = (x[i] / scale[i] + residual[i]) * scale[i];
    }
    fprintf(stderr, "no convergence at t=%g\n", from), exit(1);
}

static double relative, absolute = 1e-6;

static double allowed(double a, double b) { return absolute + relative * fmax(fabs(a), fabs(b)); }

/* The largest error of a step to `to`, relative to what is allowed; the signals of its end into `out`. */
static double richardson(double to, const Kept *kept, double out[]) {
    double from = past.time[0], middle = from + (to - from) / 2, coarse[INPUTS], half[INPUTS], error = 0;
    iterate(from, to, kept, coarse);
    back(kept);
    iterate(from, middle, kept, half);
    Past before = past;
    push(middle, half);
    Kept here = keep();
    iterate(middle, to, &here, out);
    drop(&here);
    past = before;
    double most = sqrt(fmin(1, fmax(relative, absolute)));
    for (int i = 0; i < INPUTS; i++) {
        double noise = 256 * 0x1p-52 * fmax(1, fmax(fabs(out[i]), fabs(coarse[i])));
        double part = fabs(out[i] - coarse[i]) / 3 / fmax(noise, most * allowed(out[i], coarse[i]));
        if (!(part <= error)) error = part;
    }
    return error;
}

static double milne(double to, const Kept *kept, double out[]) {
    double from = past.time[0], h = to - from, predicted[INPUTS], error = 0;
    predict(to, predicted);
    iterate(from, to, kept, out);
    double ago = past.count > 1 ? past.time[0] - past.time[1] : 0;
    double part = past.count > 1 ? h * h / 6 / (h * (h + ago)) : 0;
    for (int i = 0; i < INPUTS; i++) {
        double one = fabs(part * (predicted[i] - out[i])) / allowed(past.value[0][i], out[i]);
        if (!(one <= error)) error = one;
    }
    return error;
}

/* The first step has no past: two halves, the second judged by the first. */
static double firstMilne(double to, const Kept *kept, double out[]) {
    double from = past.time[0], middle = from + (to - from) / 2, half[INPUTS];
    double first = milne(middle, kept, half);
    Past before = past;
    push(middle, half);
    Kept here = keep();
    double second = milne(to, &here, out);
    drop(&here);
    past = before;
    return fmax(first, second);
}

/* Processor time: what other processes do at the same time is not counted. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static long steps, rejected;
static double *rows;

static void record(double time, double position) {
    static long room;
    if (steps == room) {
        room = room == 0 ? 1024 : 2 * room;
        rows = realloc(rows, 2 * sizeof *rows * (size_t)room);
        if (rows == NULL) fprintf(stderr, "no memory\n"), exit(1);
    }
    rows[2 * steps] = time;
    rows[2 * steps + 1] = position;
    steps++;
}

static void fixedSteps(long count) {
    for (long i = 0; i < count; i++) {
        double to = (double)(i + 1) * STEP, out[INPUTS];
        Kept kept = keep();
        iterate(past.time[0], to, &kept, out);
        drop(&kept);
        push(to, out);
        record(to, out[POSITION]);
    }
}

static double clamp(double factor, double most) { return fmin(most, fmax(0.2, factor)); }

/* Gustafsson's PI law, as numerics/step-controller.ts and engine/masters/adaptive-control.ts have it on smooth signals. */
static void adaptiveSteps(double stop, bool isRichardson) {
    double power = isRichardson ? 1.0 / 3 : 1.0 / 2, size = STEP, previous = -1;
    bool starting = true;
    while (stop - past.time[0] > 4 * 0x1p-52 * stop) {
        double from = past.time[0], remaining = stop - from, out[INPUTS], error;
        double h = size >= remaining * (1 - 1e-9) ? remaining : 2 * size > remaining ? remaining / 2 : size;
        bool isFirst = past.count == 1;
        int tries = 0;
        Kept kept = keep();
        for (;; tries++) {
            double to = h == remaining ? stop : from + h;
            error = isRichardson ? richardson(to, &kept, out) : isFirst ? firstMilne(to, &kept, out) : milne(to, &kept, out);
            h = to - from;
            if (error <= 1) break;
            rejected++;
            back(&kept);
            h *= fmin(tries > 0 ? 0.5 : 0.9, clamp(0.9 * pow(error, -power), starting ? 5 : 2));
        }
        drop(&kept);
        double most = starting ? 5 : 2, remembered = fmax(error, 1e-4), factor;
        if (tries > 0) factor = fmin(1, clamp(0.9 * pow(error, -power), most));
        else if (previous < 0) factor = clamp(0.9 * pow(error, -power), most);
        else factor = clamp(0.9 * pow(error, -0.3 * power) * pow(previous / remembered, 0.4 * power), most);
        /* Each law has its own memory. */
        previous = remembered;
        bool still = isFirst || factor >= 2;
        double next = fmin(h * factor, fmax(2 * h, STEP));
        if (tries == 0 && h < size * (1 - 1e-9)) next = fmax(next, size);
        if (starting && !still) previous = -1;
        starting = starting && still;
        size = next;
        push(from + h == stop ? stop : from + h, out);
        record(past.time[0], out[POSITION]);
    }
}

int main(int argc, char **argv) {
    if (argc != 8) return fprintf(stderr, "usage: see the source\n"), 2;
    const char *method = argv[5];
    long count = atol(argv[7]);
    left = (Unit){.inputs = 1, .outputs = 2, .in = {1}, .out = {2, 3}};
    right = (Unit){.inputs = 2, .outputs = 1, .in = {1, 2}, .out = {3}, .feedThrough = true};
    start(&left, argv[1], argv[2], 8);
    start(&right, argv[3], argv[4], 12);
    if (strcmp(method, "corrections") == 0) corrections = atoi(argv[6]);
    else if (strcmp(method, "converged") == 0) tolerance = atof(argv[6]);
    else relative = atof(argv[6]);
    double begin[INPUTS];
    require(get(&left, begin + POSITION), "get");
    require(set(&right, begin + POSITION), "set");
    require(get(&right, begin + FORCE), "get");
    require(set(&left, begin + FORCE), "set");
    push(0, begin);
    double began = now();
    if (relative == 0) fixedSteps(count);
    else {
        double most = fmin(1, fmax(relative, absolute));
        bool isRichardson = strcmp(method, "richardson") == 0;
        tolerance = fmax(1e-14, 0.01 * (isRichardson ? pow(most, 1.5) : most));
        adaptiveSteps((double)count * STEP, isRichardson);
    }
    printf("{\"nanoseconds\": %.0f, \"steps\": %ld, \"rejected\": %ld, \"evaluations\": %ld, \"last\": %.17g}\n", now() - began, steps,
           rejected, evaluations, past.value[0][POSITION]);
    return 0;
}
