/*
 * The smallest FMU that can be in a ring: one input, one output, a step is one multiply-add. What a ring of these costs
 * is what the master costs. Built as FMI 2.0 and as FMI 3.0 (-DFMI_VERSION); only what Co-Simulation needs is there.
 */
#include <stdlib.h>

typedef struct {
    double u;
    double x;
} Nop;

enum { U = 1, X = 2 };

static double *variable(Nop *nop, unsigned reference) {
    return reference == U ? &nop->u : reference == X ? &nop->x : NULL;
}

static void step(Nop *nop) {
    nop->x = 0.5 * nop->u + 1;
}

static Nop *make(void) {
    Nop *nop = calloc(1, sizeof *nop);
    if (nop != NULL) nop->x = 1;
    return nop;
}

#if FMI_VERSION == 2
#include "fmi2.h"

const char *fmi2GetTypesPlatform(void) {
    return "default";
}

const char *fmi2GetVersion(void) {
    return "2.0";
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean loggingOn) {
    (void)name, (void)type, (void)guid, (void)resources, (void)functions, (void)visible, (void)loggingOn;
    return make();
}

void fmi2FreeInstance(fmi2Component c) {
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stopDefined, fmi2Real stop) {
    (void)c, (void)toleranceDefined, (void)tolerance, (void)start, (void)stopDefined, (void)stop;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[]) {
    for (size_t i = 0; i < nvr; i++) {
        const double *at = variable(c, vr[i]);
        if (at == NULL) return fmi2Error;
        value[i] = *at;
    }
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[]) {
    for (size_t i = 0; i < nvr; i++) {
        double *at = variable(c, vr[i]);
        if (at == NULL) return fmi2Error;
        *at = value[i];
    }
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real from, fmi2Real size, fmi2Boolean noRollback) {
    (void)from, (void)size, (void)noRollback;
    step(c);
    return fmi2OK;
}

#else
#include "fmi3.h"

const char *fmi3GetVersion(void) {
    return "3.0";
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean loggingOn, fmi3Boolean eventMode, fmi3Boolean earlyReturn,
                                         const fmi3ValueReference intermediate[], size_t nIntermediate,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    (void)name, (void)token, (void)resources, (void)visible, (void)loggingOn, (void)eventMode, (void)earlyReturn;
    (void)intermediate, (void)nIntermediate, (void)environment, (void)log, (void)update;
    return make();
}

void fmi3FreeInstance(fmi3Instance instance) {
    free(instance);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean toleranceDefined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stopDefined, fmi3Float64 stop) {
    (void)instance, (void)toleranceDefined, (void)tolerance, (void)start, (void)stopDefined, (void)stop;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
    (void)instance;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
    (void)instance;
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr, fmi3Float64 values[],
                          size_t nValues) {
    (void)nValues;
    for (size_t i = 0; i < nvr; i++) {
        const double *at = variable(instance, vr[i]);
        if (at == NULL) return fmi3Error;
        values[i] = *at;
    }
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr, const fmi3Float64 values[],
                          size_t nValues) {
    (void)nValues;
    for (size_t i = 0; i < nvr; i++) {
        double *at = variable(instance, vr[i]);
        if (at == NULL) return fmi3Error;
        *at = values[i];
    }
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 from, fmi3Float64 size, fmi3Boolean noRollback,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last) {
    (void)noRollback;
    step(instance);
    *event = *terminate = *early = false;
    *last = from + size;
    return fmi3OK;
}
#endif

#ifdef CAN_CHANGE_FLOAT_STATE
/* Never called. That it is there is why the floating-point state has to be checked after every call (float-state.mjs). */
void set_float_mode(const unsigned *mode) { __asm__ volatile("ldmxcsr %0" : : "m"(*mode)); }
#endif
