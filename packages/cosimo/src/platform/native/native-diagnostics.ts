/**
 * What can be wrong between an FMU's files and this machine, and between a binary and its
 * description.
 */
import { type RulesFor, rulesFrom } from "../../base/diagnostic.ts";

interface NativeProblems {
  readonly "binary-platform-missing": {
    readonly machine: string;
    readonly offered: readonly string[];
  };
  readonly "binary-name-differs": { readonly wanted: string; readonly found: string };
  readonly "binary-ambiguous": { readonly wanted: string; readonly found: readonly string[] };
  readonly "binary-unloadable": { readonly file: string; readonly reason: string };
  readonly "binary-needs-python": { readonly file: string; readonly reason: string };
  readonly "binary-no-co-simulation": { readonly model: string; readonly interface: string };
  readonly "binary-only-one-instance": { readonly model: string };
  readonly "binary-symbols-missing": {
    readonly unit: string;
    readonly library: string;
    readonly names: readonly string[];
  };
  readonly "binary-symbols-shared": {
    readonly unit: string;
    readonly library: string;
    readonly names: readonly string[];
  };
  readonly "binary-formal-symbols-missing": { readonly names: readonly string[] };
  readonly "binary-version-differs": {
    readonly call: string;
    readonly said: string;
    readonly described: string;
  };
  readonly "binary-call-failed": {
    readonly call: string;
    readonly status: string;
    readonly log: readonly string[];
  };
  readonly "binary-start-differs": {
    readonly variable: string;
    readonly said: string;
    readonly described: string;
  };
  readonly "binary-step-refused": { readonly step: number; readonly reason: string };
  readonly "binary-state-lies": { readonly variables: readonly string[] };
  readonly "binary-serialization-lies": { readonly variables: readonly string[] };
  readonly "binary-reset-lies": { readonly variables: readonly string[] };
  readonly "binary-parameter-lost": {
    readonly unit: string;
    readonly parameter: string;
    readonly given: string;
    readonly found: string;
  };
  readonly "binary-value-missing": {
    readonly unit: string;
    readonly call: string;
    readonly variable: string;
  };
  readonly "binary-inputs-refused": {
    readonly unit: string;
    readonly call: string;
    readonly variables: string;
  };
  readonly "binary-text-missing": {
    readonly unit: string;
    readonly call: string;
    readonly variable: string;
  };
  readonly "binary-float-state": {
    readonly unit: string;
    readonly when: string;
    readonly what: string;
  };
  readonly "binary-state-unknown": { readonly model: string; readonly reference: number };
  readonly "integrator-stiff": {
    readonly unit: string;
    readonly method: string;
    readonly time: number;
  };
}

export type NativeCode = keyof NativeProblems;
export type NativeParams<Code extends NativeCode> = NativeProblems[Code];

const MOST_NAMES = 5;

function firstOf(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** What Linux says where a file must not be executed, and where memory is bounded. */
const NOT_MAPPED = /failed to map segment|cannot allocate memory/i;

export const NATIVE_DIAGNOSTICS: RulesFor<NativeProblems> = rulesFrom<NativeProblems>({
  "binary-platform-missing": {
    rule: "An FMU that is to run here has a binary for this operating system and processor.",
    message: ({ machine, offered }) =>
      `the FMU has no binary for this machine (${machine})${offered.length > 0 ? `; it offers ${offered.join(", ")}` : " nor for any other"}`,
    fix: "export the FMU for this platform, or run it on one that it offers",
  },
  "binary-name-differs": {
    severity: "warning",
    rule: "The binary is named after the modelIdentifier.",
    message: ({ wanted, found }) =>
      `the binary is called '${found}', not '${wanted}' as the modelIdentifier says; it is used all the same`,
    fix: "rename the binary or correct modelIdentifier: other tools refuse this FMU",
  },
  "binary-ambiguous": {
    rule: "The binary is named after the modelIdentifier.",
    message: ({ wanted, found }) =>
      `'${wanted}' is missing, and which of ${found.join(", ")} is meant is unclear`,
    fix: "name the FMU's library after its modelIdentifier",
  },
  "binary-unloadable": {
    rule: "The binary can be loaded.",
    message: ({ file, reason }) => `'${file}' cannot be loaded: ${reason}`,
    fix: ({ reason }) =>
      NOT_MAPPED.test(reason)
        ? "let the temporary folder be on a file system that may hold programs (not mounted 'noexec'; TMPDIR names another), and raise bounds on memory (ulimit -v)"
        : "install the missing library, or ask the supplier to bundle it beside the binary",
  },
  "binary-needs-python": {
    rule: "A binary that expects a Python interpreter in its host finds one.",
    message: ({ file, reason }) =>
      `'${file}' expects its host to contain Python, and no shared library of 'python3' was found (${reason})`,
    fix: "install Python with its shared library (Debian: libpython3-dev) and have 'python3' in the search path",
  },
  "binary-no-co-simulation": {
    rule: "An FMU that is to run has the interface that it is to run with.",
    message: ({ model, interface: name }) => `'${model}' does not offer ${name}`,
    fix: "choose an interface that it offers ('cosimo info' lists them), or export it again",
  },
  "binary-state-unknown": {
    rule: "Every derivative in the model structure names its state with the attribute 'derivative'.",
    message: ({ model, reference }) =>
      `'${model}' lists variable ${reference} among its derivatives, but it is not the derivative of any variable`,
    fix: "add the attribute 'derivative' to that variable, or export the FMU for Co-Simulation",
  },
  "integrator-stiff": {
    severity: "note",
    rule: "Equations that prove stiff are solved by an implicit method (integrator method 'auto').",
    message: ({ unit, method, time }) =>
      `the equations of '${unit}' are stiff: from t=${time} s on its integrator uses '${method}'`,
    fix: "set its method to use one method throughout ('integrator: { method: radau }', or --method)",
  },
  "binary-only-one-instance": {
    rule: "An FMU with canBeInstantiatedOnlyOncePerProcess lives once in a process.",
    message: ({ model }) =>
      `'${model}' may be instantiated only once per process, and an instance of it is alive`,
    fix: "dispose the first instance, or run the second one in a process of its own",
  },
  "binary-symbols-missing": {
    rule: "The binary exports every function that running it needs or its capability flags promise.",
    message: ({ unit, library, names }) =>
      `'${unit}' cannot run: its binary '${library}' does not export ${names.join(", ")}`,
    fix: "ask the supplier to export them; what an FMU cannot do it implements by returning an error",
  },
  "binary-symbols-shared": {
    severity: "warning",
    rule: "A binary gets the functions that it brings along, not those of the same name in Node.",
    message: ({ unit, library, names }) =>
      `'${unit}': its binary '${library}' brings ${firstOf(names)} and gets those of Node instead, because it also uses streams of the C++ library, which it shares with Node`,
    fix: "link the binary with hidden symbols (-fvisibility=hidden, -Wl,--exclude-libs,ALL) or with -Wl,-Bsymbolic",
  },
  "binary-formal-symbols-missing": {
    severity: "warning",
    rule: "The binary exports also the functions of its interface that its capability flags rule out.",
    message: ({ names }) =>
      `the binary does not export ${names.join(", ")}; its description does not need them, strict importers do`,
    fix: "export them; what an FMU cannot do it implements by returning an error",
  },
  "binary-version-differs": {
    rule: "The binary names the FMI version and types of its description.",
    message: ({ call, said, described }) =>
      `${call} says '${said}', the description '${described}'`,
    fix: "rebuild the binary against the headers of that version",
  },
  "binary-call-failed": {
    rule: "The FMU can be instantiated, initialized, stepped and terminated with its own defaults.",
    message: ({ call, status, log }) =>
      `${call} returned ${status}${log.length > 0 ? `; the FMU says: ${log.join("; ")}` : " and the FMU does not say why"}`,
    fix: "make the FMU run with its start values and default experiment",
  },
  "binary-start-differs": {
    rule: "Start values in the binary are those of the description.",
    message: ({ variable, said, described }) =>
      `'${variable}' starts with ${said} in the binary and ${described} in the description`,
    fix: "make both agree: importers rely on the description",
  },
  "binary-step-refused": {
    rule: "The FMU takes a step of its default size.",
    message: ({ step, reason }) => `a step of ${step} s from the start time ended as '${reason}'`,
    fix: "state a stepSize in DefaultExperiment that the FMU can take",
  },
  "binary-state-lies": {
    rule: "An FMU with canGetAndSetFMUState (2: canGetAndSetFMUstate) restores everything.",
    message: ({ variables }) =>
      `after going back to a saved state and stepping again, ${variables.join(", ")} had other values than before`,
    fix: "save every piece of memory that influences the outputs, or do not claim the capability",
  },
  "binary-serialization-lies": {
    rule: "A serialized state, read back, is the same state.",
    message: ({ variables }) =>
      `after going back to a serialized state and stepping again, ${variables.join(", ")} had other values than before`,
    fix: "serialize every piece of memory that influences the outputs, or do not claim the capability",
  },
  "binary-reset-lies": {
    severity: "warning",
    rule: "After reset an FMU is as new.",
    message: ({ variables }) =>
      `after a reset and the same step, ${variables.join(", ")} had other values than at first`,
    fix: "reset every piece of memory that influences the outputs",
  },
  "binary-value-missing": {
    severity: "warning",
    rule: "An FMU that is asked for a number writes one.",
    message: ({ unit, call, variable }) =>
      `'${unit}': ${call} says OK and writes no value for '${variable}'; it has none (NaN, or 0 for integers) until the FMU writes one`,
    fix: "the FMU must write the value, or return an error: ask its supplier",
  },
  "binary-inputs-refused": {
    severity: "note",
    rule: "An FMU hands out the values of its inputs in initialization mode.",
    message: ({ unit, call, variables }) =>
      `'${unit}': ${call} does not return the inputs ${variables} at initialization; they have the values that they were given, or their start values`,
    fix: "nothing, unless a start value is wrong; the standards let inputs be read there: tell the FMU's supplier",
  },
  "binary-text-missing": {
    severity: "warning",
    rule: "An FMU that is asked for a text hands one out.",
    message: ({ unit, call, variable }) =>
      `'${unit}': ${call} gives NULL for '${variable}'; it is read as an empty text`,
    fix: "the FMU must hand out a text, be it empty: ask its supplier",
  },
  "binary-parameter-lost": {
    severity: "warning",
    rule: "A parameter that is set before initialization keeps its value.",
    message: ({ unit, parameter, given, found }) =>
      `'${unit}': '${parameter}' was set to ${given}, and after initialization it is ${found}`,
    fix: "the FMU has replaced the value: look at its log, or ask its supplier; a tunable parameter can be set during the run",
  },
  "binary-float-state": {
    severity: "warning",
    rule: "An FMU leaves the floating-point state (rounding, flushing to zero, precision, traps) as it found it.",
    message: ({ unit, when, what }) =>
      `'${unit}' changed the floating-point state ${when} and left it so (${what}); it was restored, so that no other unit computes with it`,
    fix: "build the FMU without -ffast-math, or have it restore the state before it returns; a state that it needs itself it has to set in every call",
  },
});
