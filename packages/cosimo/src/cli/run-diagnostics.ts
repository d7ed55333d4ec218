/**
 * What can be wrong with the options of `cosimo run`, before anything is loaded.
 */
import { type RulesFor, rulesFrom } from "../base/diagnostic.ts";
import { didYouMean } from "../base/rule-text.ts";

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
  "clock-not-chosen": { name: string; why: string };
  "clock-interval-open": { name: string };
  "run-no-co-simulation": { offers: string; wanted: string };
  "run-interface-scenario": { option: string };
  "run-method-unused": { interface: string };
  "run-needs-scenario": { what: string; name: string; path: string };
  "file-unreadable": { reason: string };
  "file-unwritable": { reason: string };
  "run-only-alone": { option: string; instead: string };
  "run-structure": { option: string };
  "unit-not-freed": { unit: string; call: string; seconds: number };
  "unit-crashed-late": { unit: string; call: string; how: string };
  "unit-left-processes": { unit: string };
  "unit-disturbed-channel": { unit: string };
}

export const RUN_DIAGNOSTICS: RulesFor<RunParams> = rulesFrom<RunParams>({
  "set-malformed": {
    rule: "A value is set as name=value.",
    message: (p) => `'${p.text}' is not of the form name=value`,
    fix: "write for instance --set k=2.5",
  },
  "unknown-variable": {
    rule: "A name given to --set, --record or --input is a variable of the FMU or of the scenario.",
    message: (p) => `there is no variable '${p.name}'`,
    fix: (p) =>
      didYouMean(
        p.nearest,
        "list the variables of an FMU with 'cosimo info model.fmu --variables'; in a scenario a name is 'unit.variable'",
      ),
  },
  "not-settable": {
    rule: "Only parameters, inputs and variables with a start value can be set.",
    message: (p) => `'${p.name}' cannot be set: it is ${p.what}`,
    fix: "set a parameter, an input or a start value; 'cosimo info' lists them",
  },
  "bad-value": {
    rule: "A value is written in the way of its type.",
    message: (p) => `'${p.text}' is not a value of ${p.name} (${p.type})`,
    fix: (p) => p.fix,
  },
  "set-value-count": {
    rule: "An array is set with one value for all elements or one value for each.",
    message: (p) => `'${p.name}' has ${p.wanted} elements, ${p.given} values were given`,
    fix: (p) => `give 1 or ${p.wanted} values, separated by commas: --set '${p.name}=1,2,…'`,
  },
  "out-of-range": {
    severity: "warning",
    rule: "A value lies between the minimum and the maximum that the FMU declares.",
    message: (p) => `${p.name} = ${p.value} is outside [${p.min ?? "-∞"}, ${p.max ?? "∞"}]`,
    fix: "the FMU may refuse it or compute nonsense; stay inside the range",
  },
  "set-twice": {
    rule: "A variable is set once.",
    message: (p) => `'${p.name}' is set twice`,
    fix: "keep one --set for it",
  },
  "run-experiment-invalid": {
    rule: "The stop time lies after the start time, and the step is positive and not lost beside them.",
    message: (p) => p.message,
    fix: (p) => p.fix,
  },
  "run-ends-early": {
    severity: "warning",
    rule: "A run of a unit that takes constant steps only is a whole number of them long.",
    message: (p) =>
      `the run ends at t=${p.end}, before ${p.stop}: the FMU takes constant steps only, and a whole number of ${p.step} does not lead there`,
    fix: "choose a --step that divides the time from start to stop, or another --stop",
  },
  "input-not-an-input": {
    rule: "A column of the input file is an input or a tunable parameter.",
    message: (p) => `column '${p.name}' is ${p.what}, not an input`,
    fix: (p) => didYouMean(p.nearest, "remove the column, or set a parameter with --set"),
  },
  "input-empty": {
    rule: "An input file has at least one row and one column besides time.",
    message: "the input file has no signals",
    fix: "write a header 'time,u' and at least one row",
  },
  "input-elements-missing": {
    rule: "An array input is given with a column for every element.",
    message: (p) => `'${p.name}' has no column for ${p.missing}`,
    fix: "give a column for every element",
  },
  "input-connected": {
    rule: "An input file drives inputs that nothing else feeds.",
    message: (p) => `'${p.name}' has a connection already`,
    fix: "remove the column, or the connection in the scenario",
  },
  "input-unusable": {
    rule: "The values of an input column fit the type of the input.",
    message: (p) => p.reason,
    fix: "write values of the input's type: 'cosimo info' shows it",
  },
  "clock-unknown": {
    rule: "An interval is given to an input clock, as a positive number of seconds.",
    message: (p) => `'${p.name}' does not give an input clock of the FMU an interval`,
    fix: (p) => didYouMean(p.nearest, "write for instance --clock sample=0.1"),
  },
  "clock-not-chosen": {
    rule: "An interval is given to an input clock whose interval the importer may choose.",
    message: (p) => `'${p.name}' takes no interval: ${p.why}`,
    fix: "remove the option; a clock that is triggered ticks where a column of --input or a connection does",
  },
  "clock-interval-open": {
    severity: "warning",
    rule: "A clock whose interval the FMU leaves to the importer is given one.",
    message: (p) => `the FMU leaves the interval of clock '${p.name}' open: it may never tick`,
    fix: (p) => `choose one, for instance --clock ${p.name}=0.1`,
  },
  "run-no-co-simulation": {
    rule: "An FMU offers the interface that it is run through: Co-Simulation, Model Exchange or Scheduled Execution.",
    message: (p) => `this FMU does not offer ${p.wanted}, only ${p.offers}`,
    fix: "choose an interface that it offers, or export it again (most tools offer both)",
  },
  "run-interface-scenario": {
    rule: "Options about an integrator are for an FMU that runs alone.",
    message: (p) => `${p.option} is about one FMU, and this is not an FMU`,
    fix: "write it to the unit in the scenario: 'interface: model-exchange', 'integrator: { method: radau }'",
  },
  "run-only-alone": {
    rule: "Options about the clocks and events of one FMU are for an FMU that runs alone, without a master or faults.",
    message: (p) =>
      `${p.option} has no effect here: a master activates the clocks and events of units`,
    fix: (p) => p.instead,
  },
  "run-method-unused": {
    rule: "'--method' is given where an FMU is integrated.",
    message: (p) =>
      `--method integrates Model Exchange, and '--interface ${p.interface}' has no equations to integrate`,
    fix: "remove one of the two, or write '--interface model-exchange'",
  },
  "run-needs-scenario": {
    rule: "What runs alone is an FMU, a state machine, an adaptation or a scenario.",
    message: (p) => `it is ${p.what}, which runs as a unit of a scenario`,
    fix: (p) =>
      `write a scenario.yaml with 'units: { ${p.name}: ${p.path} }' and 'experiment: { stop: 1 s, step: 10 ms }', and run that`,
  },
  "run-structure": {
    rule: "Options fit a scenario whose structure changes.",
    message: (p) =>
      `${p.option} cannot be used: the structure of this scenario changes while it runs`,
    fix: (p) => `run it without ${p.option}`,
  },
  "file-unreadable": {
    rule: "A file named on the command line can be read.",
    message: (p) => `cannot read it: ${p.reason}`,
    fix: "check the path and its permissions",
  },
  "file-unwritable": {
    rule: "A result file can be written.",
    message: (p) => `cannot write it: ${p.reason}`,
    fix: "check the folder, its permissions and the free space",
  },
  "unit-not-freed": {
    severity: "warning",
    rule: "A unit is terminated and freed, and its process ends, within five seconds after the end of the run.",
    message: (p) =>
      `${p.unit} did not come back from ${p.call} within ${p.seconds} s after the run had ended; its process was ended`,
    fix: "the result is complete; report it to the supplier of the FMU",
  },
  "unit-crashed-late": {
    severity: "warning",
    rule: "A unit can be freed, and its process end, without a crash.",
    message: (p) => `${p.unit} ended its process in ${p.call} after the run had ended: ${p.how}`,
    fix: "the result is complete; report it to the supplier of the FMU",
  },
  "unit-left-processes": {
    severity: "warning",
    rule: "Processes that a unit starts end with it, or leave its process group.",
    message: (p) =>
      `${p.unit} started processes that were still there after the run; they were ended`,
    fix: "report it to the supplier of the FMU; a process that shall stay must lead a session of its own (setsid)",
  },
  "unit-disturbed-channel": {
    severity: "warning",
    rule: "A unit leaves files that it has not opened alone.",
    message: (p) =>
      `${p.unit} wrote into, closed or replaced files of its process that are not its own`,
    fix: "the rows up to here are complete; report it to the supplier of the FMU",
  },
});
