/**
 * What can go wrong between a scenario file and the units it names.
 */

import { type RulesFor, rulesFrom } from "../base/diagnostic.ts";
import { didYouMean } from "../base/rule-text.ts";

interface LoadParams {
  "scenario-unreadable": { reason: string };
  "scenario-format-unknown": { path: string };
  "scenario-too-deep": { path: string; limit: number };
  "packages-too-many": { path: string; limit: number };
  "unit-source-broken": { unit: string; path: string; reason: string };
  "module-not-a-unit": { unit: string; path: string; reason: string };
  "module-typescript": { unit: string; path: string };
  "unit-no-co-simulation": { unit: string; path: string; offers: string; wanted: string };
  "unit-other-interface": { unit: string; wanted: string; used: string };
  "table-unusable": { unit: string; path: string; reason: string };
  "group-unusable": { unit: string; what: string };
  "guard-unusable": { path: string; reason: string };
  "faults-unreadable": { path: string; reason: string };
  "requirements-unreadable": { path: string; reason: string };
  "interface-unusable": { path: string; reason: string };
  "adaptation-inner-source": { unit: string; path: string };
  "adaptation-inner-step": { unit: string; path: string };
  "adaptation-nests-itself": { unit: string; path: string };
  "adaptation-open": { unit: string; path: string };
  "adaptation-closed": { unit: string; path: string };
  "adaptation-unknown": {
    unit: string;
    name: string;
    nearest: string | undefined;
    known: readonly string[];
  };
  "scenario-set-unknown": { name: string; nearest: string | undefined };
  "executor-refused": { reason: string };
  "scenario-incomplete-stop": { stop: number; last: number; step: number };
}

export const SCENARIO_LOAD_DIAGNOSTICS: RulesFor<LoadParams> = rulesFrom<LoadParams>({
  "scenario-unreadable": {
    rule: "A scenario file can be read.",
    message: (p) => `cannot read it: ${p.reason}`,
    fix: "check the path and its permissions",
  },
  "scenario-too-deep": {
    rule: "Scenario files and packages are nested at most 20 deep.",
    message: (p) => `'${p.path}' is nested more than ${p.limit} deep`,
    fix: "check whether a package contains itself; otherwise join some of the scenarios inside",
  },
  "packages-too-many": {
    rule: "A scenario unpacks at most 200 packages.",
    message: (p) =>
      `'${p.path}' is one more than the ${p.limit} packages that a scenario may unpack`,
    fix: "check whether packages contain each other; otherwise name a package once and use it in several places",
  },
  "scenario-format-unknown": {
    rule: "A scenario is a .yaml, .mcl, .ssp or .ssd file.",
    message: (p) => `'${p.path}' is not a scenario that Cosimo knows`,
    fix: "give a scenario.yaml, an .mcl, an .ssp or an .ssd; a single FMU ends in .fmu",
  },
  "guard-unusable": {
    rule: "The guard of a master can be read, and its proof holds.",
    message: (p) => `cannot use the guard '${p.path}': ${p.reason}`,
    fix: "make it with 'cosimo stability stabilize <matrices> -o guard.json', or write 'guard: off'",
  },
  "faults-unreadable": {
    rule: "A file of faults can be read.",
    message: (p) => `cannot read the faults in '${p.path}': ${p.reason}`,
    fix: "paths are relative to the file that names them; a fault in place is written with its words: '- motor.speed stuck 0 at 3 s'",
  },
  "requirements-unreadable": {
    rule: "A file of requirements can be read.",
    message: (p) => `cannot read the requirements '${p.path}': ${p.reason}`,
    fix: "give the path of a .hint file, relative to the scenario",
  },
  "interface-unusable": {
    rule: "The interface of a unit (.mci) can be read.",
    message: (p) => `cannot use the interface '${p.path}': ${p.reason}`,
    fix: "paths are relative to the file that names them; 'cosimo mci model.fmu' writes an interface",
  },
  "unit-source-broken": {
    rule: "The file behind a unit can be opened.",
    message: (p) => `unit '${p.unit}': ${p.path}: ${p.reason}`,
    fix: "paths are relative to the file that names them",
  },
  "module-not-a-unit": {
    rule: "A module behind a unit exports a function that makes a unit.",
    message: (p) => `unit '${p.unit}': ${p.path}: ${p.reason}`,
    fix: "export default (name) => odeUnit({ … }, name), or name the export with 'export:'",
  },
  "module-typescript": {
    rule: "A module behind a unit can be loaded by this version of Node.",
    message: (p) => `unit '${p.unit}': ${p.path} is TypeScript, which this Node cannot load`,
    fix: "compile it to .js or .mjs, or use Node 22.18 or newer",
  },
  "unit-no-co-simulation": {
    rule: "An FMU in a scenario offers the interface that it is driven through: Co-Simulation, Model Exchange or Scheduled Execution.",
    message: (p) => `unit '${p.unit}': ${p.path} does not offer ${p.wanted}, only ${p.offers}`,
    fix: "choose an interface that it offers, or export it again (most tools offer both)",
  },
  "unit-other-interface": {
    severity: "note",
    rule: "An FMU offers the interface that is asked of it.",
    message: (p) =>
      `unit '${p.unit}' is to run as ${p.wanted}, which its FMU does not offer; it runs as ${p.used}`,
    fix: "nothing, unless the interface matters: then export the FMU with it",
  },
  "group-unusable": {
    rule: "Units of a group are Model Exchange FMUs, joined by plain connections.",
    message: (p) => `the group '${p.unit}' cannot share one integrator: ${p.what}`,
    fix: "take it out of the group and connect it to the group from outside",
  },
  "table-unusable": {
    rule: "The columns of a table have the types that the scenario states.",
    message: (p) => `unit '${p.unit}': ${p.path} cannot be played: ${p.reason}`,
    fix: "correct the types or the table",
  },
  "adaptation-inner-source": {
    rule: "An inner unit of an adaptation is an FMU, a module, a scenario or another adaptation.",
    message: (p) => `'${p.unit}': '${p.path}' is not an FMU, module, scenario or adaptation`,
    fix: "name a file that ends in .fmu, .js, .mjs, .ts, .mts, .yaml, .ssp, .ssd or .sa, relative to the adaptation",
  },
  "adaptation-inner-step": {
    rule: "A scenario inside an adaptation has a step of its own.",
    message: (p) => `'${p.unit}': ${p.path} does not say with which step it works`,
    fix: "add 'experiment: { step: … }' to it, of which the steps that the rules take are multiples",
  },
  "adaptation-nests-itself": {
    rule: "No adaptation is inside itself.",
    message: (p) => `'${p.unit}': ${p.path} is inside itself`,
    fix: "name another file 'at' this inner unit",
  },
  "adaptation-open": {
    rule: "An adaptation that leaves its inner unit open is applied to one.",
    message: (p) => `'${p.unit}': ${p.path} leaves its inner unit open`,
    fix: (p) =>
      `name the unit and apply it: '{ fmu: some.fmu, adapt: ${p.path} }'; or say 'at' which file its inner unit is`,
  },
  "adaptation-closed": {
    rule: "What is applied to a unit leaves its inner unit open.",
    message: (p) => `'${p.unit}': ${p.path} has inner units of its own, and none for this one`,
    fix: "remove 'at' from its inner unit, or use it as a unit: 'adaptation: …'",
  },
  "adaptation-unknown": {
    rule: "What is applied to a unit is an adaptation of the library, or a .sa file.",
    message: (p) => `'${p.unit}': there is no adaptation '${p.name}'`,
    fix: (p) =>
      p.nearest === undefined
        ? `one of ${p.known.join(", ")}, or the path of a .sa file; 'cosimo adapt --list' says what they do`
        : `did you mean '${p.nearest}'? 'cosimo adapt --list' says what there is`,
  },
  "scenario-set-unknown": {
    rule: "A value is set as unit.port=value.",
    message: (p) => `the scenario has no port '${p.name}'`,
    fix: (p) => didYouMean(p.nearest, "write --set unit.port=value"),
  },
  "scenario-incomplete-stop": {
    severity: "warning",
    rule: "The stop time is a whole number of steps after the start.",
    message: (p) =>
      `the run ends at t=${p.last}: the stop time ${p.stop} is not a whole number of steps of ${p.step} s`,
    fix: "choose a stop time that is",
  },
  "executor-refused": {
    rule: "Machine code is requested only where it can be made.",
    message: (p) => `this plan cannot become machine code: ${p.reason}`,
    fix: "omit --executor: the interpreter gives the same trace",
  },
});
