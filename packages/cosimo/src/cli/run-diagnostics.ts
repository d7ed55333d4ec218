/**
 * What can be wrong with the wishes given to `cosimo run`, before anything is loaded.
 */
import type { RulesFor } from "../base/diagnostic.ts";

const didYouMean = (nearest: string | undefined, otherwise: string): string =>
  nearest === undefined ? otherwise : `did you mean '${nearest}'?`;

interface RunParams {
  "set-malformed": { text: string };
  "unknown-variable": { name: string; nearest: string | undefined };
  "not-settable": { name: string; what: string };
  "bad-value": { text: string; name: string; type: string; fix: string };
  "set-value-count": { name: string; wanted: number; given: number };
  "out-of-range": {
    name: string;
    value: number;
    min: number | undefined;
    max: number | undefined;
  };
  "set-twice": { name: string };
  "run-experiment-invalid": { message: string; fix: string };
  "run-ends-early": { end: number; stop: number; step: number };
  "input-not-an-input": { name: string; what: string; nearest: string | undefined };
  "input-empty": Record<string, never>;
  "input-elements-missing": { name: string; missing: string };
  "input-unusable": { reason: string };
  "input-connected": { name: string };
  "clock-unknown": { name: string; nearest: string | undefined };
  "clock-interval-open": { name: string };
  "run-no-co-simulation": { offers: string };
  "file-unreadable": { reason: string };
  "file-unwritable": { reason: string };
  "unit-not-freed": { unit: string; call: string; seconds: number };
  "unit-crashed-late": { unit: string; call: string; how: string };
  "unit-left-processes": { unit: string };
  "unit-disturbed-channel": { unit: string };
}

export const RUN_DIAGNOSTICS: RulesFor<RunParams> = {
  "set-malformed": {
    severity: "error",
    rule: "A value is set as name=value.",
    text: (p) => ({
      message: `'${p.text}' is not of the form name=value`,
      fix: "write for instance --set k=2.5",
    }),
  },
  "unknown-variable": {
    severity: "error",
    rule: "A name given to --set, --record or --input is a variable of the FMU.",
    text: (p) => ({
      message: `there is no variable '${p.name}'`,
      fix: didYouMean(p.nearest, "list its variables with 'cosimo info model.fmu --variables'"),
    }),
  },
  "not-settable": {
    severity: "error",
    rule: "Only parameters, inputs and variables with a start value can be set.",
    text: (p) => ({
      message: `'${p.name}' cannot be set: it is ${p.what}`,
      fix: "set a parameter, an input or a start value; 'cosimo info' lists them",
    }),
  },
  "bad-value": {
    severity: "error",
    rule: "A value is written in the way of its type.",
    text: (p) => ({ message: `'${p.text}' is no value for ${p.name} (${p.type})`, fix: p.fix }),
  },
  "set-value-count": {
    severity: "error",
    rule: "An array is set with one value for all elements or one value for each.",
    text: (p) => ({
      message: `'${p.name}' has ${p.wanted} elements, ${p.given} values were given`,
      fix: `give 1 or ${p.wanted} values, separated by commas: --set '${p.name}=1,2,…'`,
    }),
  },
  "out-of-range": {
    severity: "warning",
    rule: "A value lies between the minimum and the maximum that the FMU declares.",
    text: (p) => ({
      message: `${p.name} = ${p.value} is outside [${p.min ?? "-∞"}, ${p.max ?? "∞"}]`,
      fix: "the FMU may refuse it or compute nonsense; stay inside the range",
    }),
  },
  "set-twice": {
    severity: "error",
    rule: "A variable is set once.",
    text: (p) => ({ message: `'${p.name}' is set twice`, fix: "keep one --set for it" }),
  },
  "run-experiment-invalid": {
    severity: "error",
    rule: "The stop time lies after the start time, and the step is positive and not lost beside them.",
    text: (p) => ({ message: p.message, fix: p.fix }),
  },
  "run-ends-early": {
    severity: "warning",
    rule: "A run of a unit that takes constant steps only is a whole number of them long.",
    text: (p) => ({
      message: `the run ends at t=${p.end}, before ${p.stop}: the FMU takes constant steps only, and a whole number of ${p.step} does not lead there`,
      fix: "choose a --step that divides the time from start to stop, or another --stop",
    }),
  },
  "input-not-an-input": {
    severity: "error",
    rule: "A column of the input file is an input of the FMU.",
    text: (p) => ({
      message: `column '${p.name}' is ${p.what}, not an input`,
      fix: didYouMean(p.nearest, "remove the column, or set a parameter with --set"),
    }),
  },
  "input-empty": {
    severity: "error",
    rule: "An input file has at least one row and one column besides time.",
    text: () => ({
      message: "the input file has no signals",
      fix: "write a header 'time,u' and at least one row",
    }),
  },
  "input-elements-missing": {
    severity: "error",
    rule: "An array input is given with a column for every element.",
    text: (p) => ({
      message: `'${p.name}' has no column for ${p.missing}`,
      fix: "give a column for every element",
    }),
  },
  "input-connected": {
    severity: "error",
    rule: "An input file drives inputs that nothing else feeds.",
    text: (p) => ({
      message: `'${p.name}' has a connection already`,
      fix: "remove the column, or the connection in the scenario",
    }),
  },
  "input-unusable": {
    severity: "error",
    rule: "The values of an input column fit the type of the input.",
    text: (p) => ({
      message: p.reason,
      fix: "write values of the input's type: 'cosimo info' shows it",
    }),
  },
  "clock-unknown": {
    severity: "error",
    rule: "An interval is given to an input clock, as a positive number of seconds.",
    text: (p) => ({
      message: `'${p.name}' does not give an input clock of the FMU an interval`,
      fix: didYouMean(p.nearest, "write for instance --clock sample=0.1"),
    }),
  },
  "clock-interval-open": {
    severity: "warning",
    rule: "A clock whose interval the FMU leaves to the importer is given one.",
    text: (p) => ({
      message: `the FMU leaves the interval of clock '${p.name}' open: it may never tick`,
      fix: `choose one, for instance --clock ${p.name}=0.1`,
    }),
  },
  "run-no-co-simulation": {
    severity: "error",
    rule: "Cosimo runs FMUs that offer the Co-Simulation interface.",
    text: (p) => ({
      message: `this FMU offers ${p.offers} only`,
      fix: "export it again with Co-Simulation (most tools offer both)",
    }),
  },
  "file-unreadable": {
    severity: "error",
    rule: "A file named on the command line can be read.",
    text: (p) => ({
      message: `cannot read it: ${p.reason}`,
      fix: "check the path and its permissions",
    }),
  },
  "file-unwritable": {
    severity: "error",
    rule: "A result file can be written.",
    text: (p) => ({
      message: `cannot write it: ${p.reason}`,
      fix: "check the folder, its permissions and the free space",
    }),
  },
  "unit-not-freed": {
    severity: "warning",
    rule: "A unit is terminated and freed, and its process ends, within five seconds after the end of the run.",
    text: (p) => ({
      message: `${p.unit} did not come back from ${p.call} within ${p.seconds} s after the run had ended; its process was ended`,
      fix: "the result is complete; tell the supplier of the FMU",
    }),
  },
  "unit-crashed-late": {
    severity: "warning",
    rule: "A unit can be freed, and its process end, without a crash.",
    text: (p) => ({
      message: `${p.unit} ended its process in ${p.call} after the run had ended: ${p.how}`,
      fix: "the result is complete; tell the supplier of the FMU",
    }),
  },
  "unit-left-processes": {
    severity: "warning",
    rule: "Processes that a unit starts end with it, or leave its process group.",
    text: (p) => ({
      message: `${p.unit} started processes that were still there after the run; they were ended`,
      fix: "tell the supplier of the FMU; a process that shall stay must lead a session of its own (setsid)",
    }),
  },
  "unit-disturbed-channel": {
    severity: "warning",
    rule: "A unit leaves files that it has not opened alone.",
    text: (p) => ({
      message: `${p.unit} wrote into, closed or replaced files of its process that are not its own`,
      fix: "the rows up to here are complete; tell the supplier of the FMU",
    }),
  },
};
