/*
 * The plain C master that Cosimo is measured against: two instances of one FMU in a ring, each output drives the other's
 * input, jacobi with fixed steps. Written for this ring and nothing else; every status is checked.
 *
 *   ring-master <library> <token> <input> <output> <steps> <repeats> <record>
 *
 * Prints JSON: nanoseconds of processor time a macro step, median of the repeats, and the last output of the first instance.
 * Built once for each FMI version (-DFMI_VERSION).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEP (1.0 / 128)

#if FMI_VERSION == 2
#include "fmi2.h"
#define NAME(function) "fmi2" function
typedef fmi2Component Instance;
typedef fmi2Status (*Get)(fmi2Component, const fmi2ValueReference[], size_t, fmi2Real[]);
typedef fmi2Status (*Set)(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Real[]);
typedef fmi2Status (*Step)(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);
#else
#include "fmi3.h"
#define NAME(function) "fmi3" function
typedef fmi3Instance Instance;
typedef fmi3Status (*Get)(fmi3Instance, const fmi3ValueReference[], size_t, fmi3Float64[], size_t);
typedef fmi3Status (*Set)(fmi3Instance, const fmi3ValueReference[], size_t, const fmi3Float64[], size_t);
typedef fmi3Status (*Step)(fmi3Instance, fmi3Float64, fmi3Float64, fmi3Boolean, fmi3Boolean *, fmi3Boolean *,
                           fmi3Boolean *, fmi3Float64 *);
#endif

static void *library;

static void *symbol(const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) fprintf(stderr, "%s is missing\n", name), exit(1);
    return found;
}

static void require(int status, const char *what) {
    if (status > 1) fprintf(stderr, "%s returned %d\n", what, status), exit(1);
}

#if FMI_VERSION == 2
static void ignore(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...) {
    (void)environment, (void)name, (void)status, (void)category, (void)message;
}

static Instance start(const char *name, const char *token) {
    static const fmi2CallbackFunctions callbacks = {ignore, calloc, free, NULL, NULL};
    fmi2Component (*instantiate)(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *, fmi2Boolean,
                                 fmi2Boolean) = symbol("fmi2Instantiate");
    fmi2Status (*setup)(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real) =
        symbol("fmi2SetupExperiment");
    fmi2Status (*enter)(fmi2Component) = symbol("fmi2EnterInitializationMode");
    Instance instance = instantiate(name, fmi2CoSimulation, token, "", &callbacks, 0, 0);
    if (instance == NULL) fprintf(stderr, "the FMU cannot be instantiated\n"), exit(1);
    require(setup(instance, 0, 0, 0, 0, 0), "fmi2SetupExperiment");
    require(enter(instance), "fmi2EnterInitializationMode");
    return instance;
}
#else
static Instance start(const char *name, const char *token) {
    fmi3Instance (*instantiate)(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean,
                                const fmi3ValueReference[], size_t, fmi3InstanceEnvironment, fmi3LogMessageCallback,
                                fmi3IntermediateUpdateCallback) = symbol("fmi3InstantiateCoSimulation");
    fmi3Status (*enter)(fmi3Instance, fmi3Boolean, fmi3Float64, fmi3Float64, fmi3Boolean, fmi3Float64) =
        symbol("fmi3EnterInitializationMode");
    Instance instance = instantiate(name, token, NULL, false, false, false, false, NULL, 0, NULL, NULL, NULL);
    if (instance == NULL) fprintf(stderr, "the FMU cannot be instantiated\n"), exit(1);
    require(enter(instance, false, 0, 0, false, 0), "fmi3EnterInitializationMode");
    return instance;
}
#endif

static Get get;
static Set set;
static Step step;
static unsigned input, output;

static int read_output(Instance instance, double *value) {
#if FMI_VERSION == 2
    return get(instance, &output, 1, value);
#else
    return get(instance, &output, 1, value, 1);
#endif
}

static int write_input(Instance instance, const double *value) {
#if FMI_VERSION == 2
    return set(instance, &input, 1, value);
#else
    return set(instance, &input, 1, value, 1);
#endif
}

static int advance(Instance instance, double time) {
#if FMI_VERSION == 2
    return step(instance, time, STEP, 1);
#else
    bool event, terminate, early;
    double last;
    int status = step(instance, time, STEP, true, &event, &terminate, &early, &last);
    return status <= fmi3Warning && (terminate || early) ? fmi3Error : status;
#endif
}

/* Values of the ring: input and output of the first instance, of the second. Returns the first bad status. */
static int run(Instance a, Instance b, double v[4], long steps, double *rows) {
    int status;
    for (long i = 0; i < steps; i++) {
        double time = (double)i * STEP;
        if ((status = advance(a, time)) > 1) return status;
        if ((status = advance(b, time)) > 1) return status;
        if ((status = read_output(a, &v[1])) > 1) return status;
        if ((status = read_output(b, &v[3])) > 1) return status;
        v[0] = v[3];
        v[2] = v[1];
        if ((status = write_input(a, &v[0])) > 1) return status;
        if ((status = write_input(b, &v[2])) > 1) return status;
        if (rows != NULL) {
            for (int k = 0; k < 4; k++) rows[k] = v[k];
            rows += 4;
        }
    }
    return 0;
}

/* Processor time: what other processes do at the same time is not counted. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc != 8) return fprintf(stderr, "usage: see the source\n"), 2;
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
    input = (unsigned)atoi(argv[3]);
    output = (unsigned)atoi(argv[4]);
    long steps = atol(argv[5]);
    int repeats = atoi(argv[6]);
    int record = atoi(argv[7]);
#if FMI_VERSION == 2
    get = symbol("fmi2GetReal");
    set = symbol("fmi2SetReal");
#else
    get = symbol("fmi3GetFloat64");
    set = symbol("fmi3SetFloat64");
#endif
    step = symbol(NAME("DoStep"));
    int (*leave)(Instance) = symbol(NAME("ExitInitializationMode"));
    void (*destroy)(Instance) = symbol(NAME("FreeInstance"));
    double *rows = record ? calloc((size_t)steps * 4, sizeof(double)) : NULL;
    double *took = calloc((size_t)repeats, sizeof(double));
    double last = 0;
    for (int r = 0; r < repeats; r++) {
        Instance a = start("a", argv[2]);
        Instance b = start("b", argv[2]);
        double v[4];
        require(read_output(a, &v[1]), "get");
        require(read_output(b, &v[3]), "get");
        v[0] = v[3];
        v[2] = v[1];
        require(leave(a), "leaving initialization mode");
        require(leave(b), "leaving initialization mode");
        require(write_input(a, &v[0]), "set");
        require(write_input(b, &v[2]), "set");
        double began = now();
        require(run(a, b, v, steps, rows), "a call");
        took[r] = (now() - began) / (double)steps;
        last = v[1];
        destroy(a);
        destroy(b);
    }
    qsort(took, (size_t)repeats, sizeof(double), ascending);
    printf("{\"nanoseconds\": %.3f, \"last\": %.17g}\n", took[repeats / 2], last);
    return 0;
}
