/**
 * What can go wrong between a scenario file and the units it names.
 */

import type { RulesFor } from "../base/diagnostic.ts";
import { didYouMean, error, say, warning } from "../base/rule-text.ts";

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
  "faults-unreadable": { path: string; reason: string };
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

export const SCENARIO_LOAD_DIAGNOSTICS: RulesFor<LoadParams> = {
  "scenario-unreadable": error("A scenario file can be read.", (p) =>
    say(`cannot read it: ${p.reason}`, "check the path and its permissions"),
  ),
  "scenario-too-deep": error("Scenario files and packages are nested at most 20 deep.", (p) =>
    say(
      `'${p.path}' is nested more than ${p.limit} deep`,
      "check whether a package contains itself; otherwise join some of the scenarios inside",
    ),
  ),
  "packages-too-many": error("A scenario unpacks at most 200 packages.", (p) =>
    say(
      `'${p.path}' is one more than the ${p.limit} packages that a scenario may unpack`,
      "check whether packages contain each other; otherwise name a package once and use it in several places",
    ),
  ),
  "scenario-format-unknown": error("A scenario is a .yaml, .mcl, .ssp or .ssd file.", (p) =>
    say(
      `'${p.path}' is not a scenario that Cosimo knows`,
      "give a scenario.yaml, an .mcl, an .ssp or an .ssd; a single FMU ends in .fmu",
    ),
  ),
  "guard-unusable": error("The guard of a master can be read, and its proof holds.", (p) =>
    say(
      `cannot use the guard '${p.path}': ${p.reason}`,
      "make it with 'cosimo stability stabilize <matrices> -o guard.json', or write 'guard: off'",
    ),
  ),
  "faults-unreadable": error("A file of faults can be read.", (p) =>
    say(
      `cannot read the faults in '${p.path}': ${p.reason}`,
      "paths are relative to the file that names them; a fault in place is written with its words: '- motor.speed stuck 0 at 3 s'",
    ),
  ),
  "interface-unusable": error("The interface of a unit (.mci) can be read.", (p) =>
    say(
      `cannot use the interface '${p.path}': ${p.reason}`,
      "paths are relative to the file that names them; 'cosimo mci model.fmu' writes an interface",
    ),
  ),
  "unit-source-broken": error("The file behind a unit can be opened.", (p) =>
    say(
      `unit '${p.unit}': ${p.path}: ${p.reason}`,
      "paths are relative to the file that names them",
    ),
  ),
  "module-not-a-unit": error("A module behind a unit exports a function that makes a unit.", (p) =>
    say(
      `unit '${p.unit}': ${p.path}: ${p.reason}`,
      "export default (name) => odeUnit({ … }, name), or name the export with 'export:'",
    ),
  ),
  "module-typescript": error("A module behind a unit can be loaded by this version of Node.", (p) =>
    say(
      `unit '${p.unit}': ${p.path} is TypeScript, which this Node cannot load`,
      "compile it to .js or .mjs, or use Node 22.18 or newer",
    ),
  ),
  "unit-no-co-simulation": error("An FMU in a scenario offers Co-Simulation.", (p) =>
    say(
      `unit '${p.unit}': ${p.path} does not offer Co-Simulation`,
      "export it again with Co-Simulation (most tools offer both)",
    ),
  ),
  "adaptation-inner-source": error(
    "An inner unit of an adaptation is an FMU, a module, a scenario or another adaptation.",
    (p) =>
      say(
        `'${p.unit}': '${p.path}' is not an FMU, module, scenario or adaptation`,
        "name a file that ends in .fmu, .js, .mjs, .ts, .mts, .yaml, .ssp, .ssd or .sa, relative to the adaptation",
      ),
  ),
  "adaptation-inner-step": error("A scenario inside an adaptation has a step of its own.", (p) =>
    say(
      `'${p.unit}': ${p.path} does not say with which step it works`,
      "add 'experiment: { step: … }' to it, of which the steps that the rules take are multiples",
    ),
  ),
  "adaptation-nests-itself": error("No adaptation is inside itself.", (p) =>
    say(`'${p.unit}': ${p.path} is inside itself`, "name another file 'at' this inner unit"),
  ),
  "adaptation-open": error(
    "An adaptation that leaves its inner unit open is applied to one.",
    (p) =>
      say(
        `'${p.unit}': ${p.path} leaves its inner unit open`,
        `name the unit and apply it: '{ fmu: some.fmu, adapt: ${p.path} }'; or say 'at' which file its inner unit is`,
      ),
  ),
  "adaptation-closed": error("What is applied to a unit leaves its inner unit open.", (p) =>
    say(
      `'${p.unit}': ${p.path} has inner units of its own, and none for this one`,
      "remove 'at' from its inner unit, or use it as a unit: 'adaptation: …'",
    ),
  ),
  "adaptation-unknown": error(
    "What is applied to a unit is an adaptation of the library, or a .sa file.",
    (p) =>
      say(
        `'${p.unit}': there is no adaptation '${p.name}'`,
        p.nearest === undefined
          ? `one of ${p.known.join(", ")}, or the path of a .sa file; 'cosimo adapt --list' says what they do`
          : `did you mean '${p.nearest}'? 'cosimo adapt --list' says what there is`,
      ),
  ),
  "scenario-set-unknown": error("A value is set as unit.port=value.", (p) =>
    say(
      `the scenario has no port '${p.name}'`,
      didYouMean(p.nearest, "write --set unit.port=value"),
    ),
  ),
  "scenario-incomplete-stop": warning(
    "The stop time is a whole number of steps after the start.",
    (p) =>
      say(
        `the run ends at t=${p.last}: the stop time ${p.stop} is not a whole number of steps of ${p.step} s`,
        "choose a stop time that is",
      ),
  ),
  "executor-refused": error("Machine code is requested only where it can be made.", (p) =>
    say(
      `this plan cannot become machine code: ${p.reason}`,
      "omit --executor: the interpreter gives the same trace",
    ),
  ),
};
