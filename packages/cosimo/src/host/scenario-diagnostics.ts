/**
 * What can go wrong between a scenario file and the units it names.
 */
import type { RulesFor } from "../base/diagnostic.ts";

interface LoadParams {
  "scenario-unreadable": { reason: string };
  "scenario-format-unknown": { path: string };
  "scenario-too-deep": { path: string; limit: number };
  "packages-too-many": { path: string; limit: number };
  "unit-source-broken": { unit: string; path: string; reason: string };
  "module-not-a-unit": { unit: string; path: string; reason: string };
  "module-typescript": { unit: string; path: string };
  "unit-no-co-simulation": { unit: string; path: string };
  "guard-unusable": { path: string; reason: string };
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

export const SCENARIO_LOAD_DIAGNOSTICS: RulesFor<LoadParams> = {
  "scenario-unreadable": {
    severity: "error",
    rule: "A scenario file can be read.",
    text: (p) => ({
      message: `cannot read it: ${p.reason}`,
      fix: "check the path and its permissions",
    }),
  },
  "scenario-too-deep": {
    severity: "error",
    rule: "Scenario files and packages are nested at most 20 deep.",
    text: (p) => ({
      message: `'${p.path}' is nested more than ${p.limit} deep`,
      fix: "check whether a package contains itself; otherwise join some of the scenarios inside",
    }),
  },
  "packages-too-many": {
    severity: "error",
    rule: "A scenario unpacks at most 200 packages.",
    text: (p) => ({
      message: `'${p.path}' is one more than the ${p.limit} packages that a scenario may unpack`,
      fix: "check whether packages contain each other; otherwise name a package once and use it in several places",
    }),
  },
  "scenario-format-unknown": {
    severity: "error",
    rule: "A scenario is a .yaml, .ssp or .ssd file.",
    text: (p) => ({
      message: `'${p.path}' is no scenario that Cosimo knows`,
      fix: "give a scenario.yaml, an .ssp or an .ssd; a single FMU ends in .fmu",
    }),
  },
  "guard-unusable": {
    severity: "error",
    rule: "The guard of a master can be read, and its proof holds.",
    text: (p) => ({
      message: `cannot use the guard '${p.path}': ${p.reason}`,
      fix: "make it with 'cosimo stability stabilize <matrices> -o guard.json', or write 'guard: off'",
    }),
  },
  "unit-source-broken": {
    severity: "error",
    rule: "The file behind a unit can be opened.",
    text: (p) => ({
      message: `unit '${p.unit}': ${p.path}: ${p.reason}`,
      fix: "paths are relative to the file that names them",
    }),
  },
  "module-not-a-unit": {
    severity: "error",
    rule: "A module behind a unit exports a function that makes a unit.",
    text: (p) => ({
      message: `unit '${p.unit}': ${p.path}: ${p.reason}`,
      fix: "export default (name) => odeUnit({ … }, name), or name the export with 'export:'",
    }),
  },
  "module-typescript": {
    severity: "error",
    rule: "A module behind a unit can be loaded by this version of Node.",
    text: (p) => ({
      message: `unit '${p.unit}': ${p.path} is TypeScript, which this Node cannot load`,
      fix: "compile it to .js or .mjs, or use Node 22.18 or newer",
    }),
  },
  "unit-no-co-simulation": {
    severity: "error",
    rule: "An FMU in a scenario offers Co-Simulation.",
    text: (p) => ({
      message: `unit '${p.unit}': ${p.path} does not offer Co-Simulation`,
      fix: "export it again with Co-Simulation (most tools offer both)",
    }),
  },
  "adaptation-inner-source": {
    severity: "error",
    rule: "An inner unit of an adaptation is an FMU, a module, a scenario or another adaptation.",
    text: (p) => ({
      message: `'${p.unit}': '${p.path}' is no FMU, module, scenario or adaptation`,
      fix: "name a file that ends in .fmu, .js, .mjs, .ts, .mts, .yaml, .ssp, .ssd or .sa, relative to the adaptation",
    }),
  },
  "adaptation-inner-step": {
    severity: "error",
    rule: "A scenario inside an adaptation has a step of its own.",
    text: (p) => ({
      message: `'${p.unit}': ${p.path} does not say with which step it works`,
      fix: "add 'experiment: { step: … }' to it, of which the steps that the rules take are multiples",
    }),
  },
  "adaptation-nests-itself": {
    severity: "error",
    rule: "No adaptation is inside itself.",
    text: (p) => ({
      message: `'${p.unit}': ${p.path} is inside itself`,
      fix: "name another file 'at' this inner unit",
    }),
  },
  "adaptation-open": {
    severity: "error",
    rule: "An adaptation that leaves its inner unit open is applied to one.",
    text: (p) => ({
      message: `'${p.unit}': ${p.path} leaves its inner unit open`,
      fix: `name the unit and apply it: '{ fmu: some.fmu, adapt: ${p.path} }'; or say 'at' which file its inner unit is`,
    }),
  },
  "adaptation-closed": {
    severity: "error",
    rule: "What is applied to a unit leaves its inner unit open.",
    text: (p) => ({
      message: `'${p.unit}': ${p.path} has inner units of its own, and none for this one`,
      fix: "remove 'at' from its inner unit, or use it as a unit: 'adaptation: …'",
    }),
  },
  "adaptation-unknown": {
    severity: "error",
    rule: "What is applied to a unit is an adaptation of the library, or a .sa file.",
    text: (p) => ({
      message: `'${p.unit}': there is no adaptation '${p.name}'`,
      fix:
        p.nearest === undefined
          ? `one of ${p.known.join(", ")}, or the path of a .sa file; 'cosimo adapt --list' says what they do`
          : `did you mean '${p.nearest}'? 'cosimo adapt --list' says what there is`,
    }),
  },
  "scenario-set-unknown": {
    severity: "error",
    rule: "A value is set as unit.port=value.",
    text: (p) => ({
      message: `the scenario has no port '${p.name}'`,
      fix: p.nearest === undefined ? "write --set unit.port=value" : `did you mean '${p.nearest}'?`,
    }),
  },
  "scenario-incomplete-stop": {
    severity: "warning",
    rule: "The stop time is a whole number of steps after the start.",
    text: (p) => ({
      message: `the run ends at t=${p.last}: the stop time ${p.stop} is not a whole number of steps of ${p.step} s`,
      fix: "choose a stop time that is",
    }),
  },
  "executor-refused": {
    severity: "error",
    rule: "Machine code is asked for only where it can be made.",
    text: (p) => ({
      message: `this plan cannot become machine code: ${p.reason}`,
      fix: "leave --executor away: the interpreter gives the same trace",
    }),
  },
};
