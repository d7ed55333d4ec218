/**
 * What can be wrong with the options of `cosimo run`, before anything is loaded.
 */
import type { RulesFor } from "../base/diagnostic.ts";
import { didYouMean, error, say, warning } from "../base/rule-text.ts";

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
  "run-structure": { option: string };
  "unit-not-freed": { unit: string; call: string; seconds: number };
  "unit-crashed-late": { unit: string; call: string; how: string };
  "unit-left-processes": { unit: string };
  "unit-disturbed-channel": { unit: string };
}

export const RUN_DIAGNOSTICS: RulesFor<RunParams> = {
  "set-malformed": error("A value is set as name=value.", (p) =>
    say(`'${p.text}' is not of the form name=value`, "write for instance --set k=2.5"),
  ),
  "unknown-variable": error(
    "A name given to --set, --record or --input is a variable of the FMU.",
    (p) =>
      say(
        `there is no variable '${p.name}'`,
        didYouMean(p.nearest, "list its variables with 'cosimo info model.fmu --variables'"),
      ),
  ),
  "not-settable": error(
    "Only parameters, inputs and variables with a start value can be set.",
    (p) =>
      say(
        `'${p.name}' cannot be set: it is ${p.what}`,
        "set a parameter, an input or a start value; 'cosimo info' lists them",
      ),
  ),
  "bad-value": error("A value is written in the way of its type.", (p) =>
    say(`'${p.text}' is not a value of ${p.name} (${p.type})`, p.fix),
  ),
  "set-value-count": error(
    "An array is set with one value for all elements or one value for each.",
    (p) =>
      say(
        `'${p.name}' has ${p.wanted} elements, ${p.given} values were given`,
        `give 1 or ${p.wanted} values, separated by commas: --set '${p.name}=1,2,…'`,
      ),
  ),
  "out-of-range": warning(
    "A value lies between the minimum and the maximum that the FMU declares.",
    (p) =>
      say(
        `${p.name} = ${p.value} is outside [${p.min ?? "-∞"}, ${p.max ?? "∞"}]`,
        "the FMU may refuse it or compute nonsense; stay inside the range",
      ),
  ),
  "set-twice": error("A variable is set once.", (p) =>
    say(`'${p.name}' is set twice`, "keep one --set for it"),
  ),
  "run-experiment-invalid": error(
    "The stop time lies after the start time, and the step is positive and not lost beside them.",
    (p) => say(p.message, p.fix),
  ),
  "run-ends-early": warning(
    "A run of a unit that takes constant steps only is a whole number of them long.",
    (p) =>
      say(
        `the run ends at t=${p.end}, before ${p.stop}: the FMU takes constant steps only, and a whole number of ${p.step} does not lead there`,
        "choose a --step that divides the time from start to stop, or another --stop",
      ),
  ),
  "input-not-an-input": error("A column of the input file is an input of the FMU.", (p) =>
    say(
      `column '${p.name}' is ${p.what}, not an input`,
      didYouMean(p.nearest, "remove the column, or set a parameter with --set"),
    ),
  ),
  "input-empty": error("An input file has at least one row and one column besides time.", () =>
    say("the input file has no signals", "write a header 'time,u' and at least one row"),
  ),
  "input-elements-missing": error("An array input is given with a column for every element.", (p) =>
    say(`'${p.name}' has no column for ${p.missing}`, "give a column for every element"),
  ),
  "input-connected": error("An input file drives inputs that nothing else feeds.", (p) =>
    say(
      `'${p.name}' has a connection already`,
      "remove the column, or the connection in the scenario",
    ),
  ),
  "input-unusable": error("The values of an input column fit the type of the input.", (p) =>
    say(p.reason, "write values of the input's type: 'cosimo info' shows it"),
  ),
  "clock-unknown": error(
    "An interval is given to an input clock, as a positive number of seconds.",
    (p) =>
      say(
        `'${p.name}' does not give an input clock of the FMU an interval`,
        didYouMean(p.nearest, "write for instance --clock sample=0.1"),
      ),
  ),
  "clock-interval-open": warning(
    "A clock whose interval the FMU leaves to the importer is given one.",
    (p) =>
      say(
        `the FMU leaves the interval of clock '${p.name}' open: it may never tick`,
        `choose one, for instance --clock ${p.name}=0.1`,
      ),
  ),
  "run-no-co-simulation": error("Cosimo runs FMUs that offer the Co-Simulation interface.", (p) =>
    say(
      `this FMU offers ${p.offers} only`,
      "export it again with Co-Simulation (most tools offer both)",
    ),
  ),
  "run-structure": error("Options fit a scenario whose structure changes.", (p) =>
    say(
      `${p.option} cannot be used: the structure of this scenario changes while it runs`,
      `run it without ${p.option}`,
    ),
  ),
  "file-unreadable": error("A file named on the command line can be read.", (p) =>
    say(`cannot read it: ${p.reason}`, "check the path and its permissions"),
  ),
  "file-unwritable": error("A result file can be written.", (p) =>
    say(`cannot write it: ${p.reason}`, "check the folder, its permissions and the free space"),
  ),
  "unit-not-freed": warning(
    "A unit is terminated and freed, and its process ends, within five seconds after the end of the run.",
    (p) =>
      say(
        `${p.unit} did not come back from ${p.call} within ${p.seconds} s after the run had ended; its process was ended`,
        "the result is complete; report it to the supplier of the FMU",
      ),
  ),
  "unit-crashed-late": warning("A unit can be freed, and its process end, without a crash.", (p) =>
    say(
      `${p.unit} ended its process in ${p.call} after the run had ended: ${p.how}`,
      "the result is complete; report it to the supplier of the FMU",
    ),
  ),
  "unit-left-processes": warning(
    "Processes that a unit starts end with it, or leave its process group.",
    (p) =>
      say(
        `${p.unit} started processes that were still there after the run; they were ended`,
        "report it to the supplier of the FMU; a process that shall stay must lead a session of its own (setsid)",
      ),
  ),
  "unit-disturbed-channel": warning("A unit leaves files that it has not opened alone.", (p) =>
    say(
      `${p.unit} wrote into, closed or replaced files of its process that are not its own`,
      "the rows up to here are complete; report it to the supplier of the FMU",
    ),
  ),
};
