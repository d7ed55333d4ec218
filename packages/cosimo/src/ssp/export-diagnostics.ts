/**
 * What SSP cannot say of a scenario. An export never drops anything silently: what other tools will not see is kept in
 * an annotation and said, what cannot be kept at all is an error.
 */

import type { RulesFor } from "../base/diagnostic.ts";
import { error, say, warning } from "../base/rule-text.ts";

export interface ExportParams {
  "ssp-export-module": { readonly unit: string };
  "ssp-export-adaptation": { readonly unit: string; readonly path: string };
  "ssp-export-machine": { readonly unit: string; readonly path: string };
  "ssp-export-adapt": { readonly unit: string; readonly adaptation: string };
  "ssp-export-scenario-file": { readonly unit: string; readonly path: string };
  "ssp-export-reference": { readonly reference: string; readonly why: string };
  "ssp-export-transformation": { readonly from: string; readonly to: string; readonly why: string };
  "ssp-export-value": { readonly unit: string; readonly port: string; readonly why: string };
  "ssp-export-extras": { readonly what: string };
  "ssp-export-faults": { readonly count: number };
  "ssp-export-text": { readonly text: string };
}

export const EXPORT_RULES: RulesFor<ExportParams> = {
  "ssp-export-module": warning("A unit of an exported system is an FMU or a system.", (p) =>
    say(
      `the unit '${p.unit}' is a module; other tools cannot run it`,
      "replace it by an FMU if other tools are to run the system",
    ),
  ),
  "ssp-export-adaptation": warning("A unit of an exported system is an FMU or a system.", (p) =>
    say(
      `the unit '${p.unit}' is an adaptation (${p.path}): other tools cannot run it, and the units inside do not travel with it`,
      `make one FMU of it, 'cosimo export ${p.path} -o ${p.unit}.fmu', and name that in its place`,
    ),
  ),
  "ssp-export-machine": warning("A unit of an exported system is an FMU or a system.", (p) =>
    say(
      `'${p.unit}' is a state machine (${p.path}), which other tools cannot read`,
      `make an FMU of it: cosimo export ${p.path} -o ${p.unit}.fmu`,
    ),
  ),
  "ssp-export-adapt": error("Units of an exported system have no adaptation around them.", (p) =>
    say(
      `SSP has no word for '${p.adaptation}' around the unit '${p.unit}', and without it the system is another one`,
      "remove 'adapt', or replace both by one FMU: 'cosimo export' makes one of a scenario with this unit alone",
    ),
  ),
  "ssp-export-scenario-file": error("A nested scenario is loaded before it is exported.", (p) =>
    say(
      `the unit '${p.unit}' is the scenario file '${p.path}', which SSP cannot refer to`,
      "load the scenario file and export it as part of the system",
    ),
  ),
  "ssp-export-reference": error("An exported connection names two single ports.", (p) => ({
    message: `'${p.reference}' ${p.why}`,
    fix: "write unit.port for both ends",
  })),
  "ssp-export-transformation": error("A connection has one kind of transformation.", (p) =>
    say(
      `the connection ${p.from} → ${p.to} ${p.why}`,
      "use a factor and an offset, or a mapping of values of one type",
    ),
  ),
  "ssp-export-value": warning("A value is one that this version of SSP can express.", (p) =>
    say(
      `the value of '${p.unit}.${p.port}' is kept in an annotation that other tools ignore: ${p.why}`,
      "export as SSP 2.0, or give the value in a form that SSP knows",
    ),
  ),
  "ssp-export-extras": warning(
    "What an exported system does is said by its units and connections.",
    (p) =>
      say(
        `kept in an annotation that other tools ignore: ${p.what}`,
        "run the system in Cosimo where they matter; other tools leave inputs that hold a constraint open",
      ),
  ),
  "ssp-export-faults": warning("An exported system is the one without faults.", (p) =>
    say(
      `SSP has no word for faults: ${p.count === 1 ? "the one of this scenario is" : `the ${p.count} of this scenario are`} not in the package`,
      "give them to its runs: cosimo run system.ssp --faults <file>",
    ),
  ),
  "ssp-export-text": error("Every text can be written in XML.", (p) =>
    say(
      `the text '${p.text}' holds a character that XML cannot carry`,
      "remove the control character",
    ),
  ),
};
